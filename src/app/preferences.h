#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "ui/workspace.h"

namespace pelt::app {

/// $XDG_CONFIG_HOME/pelt/state.json, else ~/.config/pelt/state.json; empty where neither is set.
std::filesystem::path preferences_path();

std::string to_json(const ui::Preferences& preferences);
/// What the text says; defaults for what it does not say or says wrongly; nothing where it is no text of to_json().
std::optional<ui::Preferences> preferences_from_json(std::string_view text);

struct LoadedPreferences {
  ui::Preferences preferences;  ///< defaults where there are none
  std::filesystem::path file;   ///< where to save them; empty where nothing may be written
  std::string note;             ///< a sentence for the user; empty where all is well
};
/// A damaged file is no reason not to start, and is not lost: it is set aside as "state.json.damaged" beside its place.
/// @param path  empty: nothing is kept
LoadedPreferences load_preferences(const std::filesystem::path& path);
/// Makes the folder where needed.
Status save_preferences(const std::filesystem::path& path, const ui::Preferences& preferences);

/// Puts a file to the front of the recent ones, once, and forgets the oldest beyond ten.
void remember_file(ui::Preferences& preferences, const std::string& file);

}  // namespace pelt::app
