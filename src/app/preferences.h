#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"
#include "ui/workspace.h"

namespace pelt::app {

/// $XDG_CONFIG_HOME/pelt/state.json, else ~/.config/pelt/state.json; empty where neither is set.
std::filesystem::path preferences_path();

std::string to_json(const ui::Preferences& preferences);
/// What the text says; defaults for what it does not say or says wrongly. A broken file is no reason not to start.
ui::Preferences preferences_from_json(std::string_view text);

ui::Preferences load_preferences(const std::filesystem::path& path);
/// Makes the folder where needed.
Status save_preferences(const std::filesystem::path& path, const ui::Preferences& preferences);

/// Puts a file to the front of the recent ones, once, and forgets the oldest beyond ten.
void remember_file(ui::Preferences& preferences, const std::string& file);

}  // namespace pelt::app
