#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ui/browser_purpose.h"
#include "ui/export_choices.h"
#include "ui/export_request.h"

namespace pelt::ui {

struct Desk;

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
  bool take_focus = false;  ///< the field to type in gets the keyboard
  BrowserPurpose purpose = BrowserPurpose::kOpenCharacter;
  std::filesystem::path folder;
  std::vector<BrowserEntry> entries;  ///< folders first, both by name without regard to case
  int selected = -1;
  bool row_chosen = false;  ///< the row was chosen after what is typed was
  std::string filter;       ///< a part of the names listed; where a file is opened also a path
  std::string name;         ///< of the file to save, or its path
  std::string usual_name;   ///< what `name` begins with
  std::string error;        ///< why the folder or file cannot be used
  std::string replaced;     ///< the file that would be, while the question is asked
  bool scroll_to_selected = false;
  ExportRequest export_choices;  ///< but for the file
  CountedInfluences influences = {};
  int export_rows = 3;  ///< that the choices took last
};

/// Where to begin: the folder last used for files of the kind, else the character's, else the working folder.
std::filesystem::path first_folder(const Desk& desk, std::string_view kind);
/// Shows the browser in the folder that files of the kind were last in.
void open(FileBrowser& browser, BrowserPurpose purpose, Desk& desk);
/// Goes to a folder; on failure stays and says why in `error`.
void enter(FileBrowser& browser, const std::filesystem::path& folder);
/// Draws it as a modal window while it is visible; the chosen file becomes a request.
void draw(FileBrowser& browser, Desk& desk);

}  // namespace pelt::ui
