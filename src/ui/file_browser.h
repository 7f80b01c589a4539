#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ui/export_request.h"

namespace pelt::ui {

struct Desk;

enum class BrowserPurpose { kOpenCharacter, kOpenPose, kSavePose, kSaveTable, kExportCharacter, kOpenEnvironment };

/// A row of the folder shown.
struct BrowserEntry {
  std::string name;
  bool folder = false;
  std::uintmax_t bytes = 0;
};

/// The file dialog inside the window.
struct FileBrowser {
  bool visible = false;
  bool opening = false;     ///< the first frame
  bool take_focus = false;  ///< the field to type in gets the keyboard: filter, or name of the file to save
  BrowserPurpose purpose = BrowserPurpose::kOpenCharacter;
  std::filesystem::path folder;
  std::vector<BrowserEntry> entries;  ///< folders first, both by name without regard to case
  int selected = -1;
  std::string filter;
  std::string name;   ///< of the file to save
  std::string error;  ///< why the folder or file cannot be used
  bool confirm_overwrite = false;
  bool scroll_to_selected = false;
  ExportRequest export_choices;  ///< but for the file
  int export_rows = 2;           ///< that the choices took last
};

/// Shows the browser in the folder used last.
void open(FileBrowser& browser, BrowserPurpose purpose, Desk& desk);
/// Goes to a folder; on failure stays and says why in `error`.
void enter(FileBrowser& browser, const std::filesystem::path& folder);
/// What the purpose accepts: extensions in lower case with their dot.
std::vector<std::string> extensions(BrowserPurpose purpose);
/// Draws it as a modal window while it is visible; the chosen file becomes a request.
void draw(FileBrowser& browser, Desk& desk);

}  // namespace pelt::ui
