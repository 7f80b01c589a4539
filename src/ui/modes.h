#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ui/actions.h"
#include "ui/tabs.h"
#include "ui/tools.h"

namespace pelt::ui {

struct Workspace;

/// What one does with the character at a time. Tabs on the right and tools at the viewport's left edge name the modes
/// that they belong to; camera, selection and pose are the same in all of them.
struct Mode {
  std::string_view id;  ///< stable: "pose" of the report and of sessions
  const char* label;
  Chord key;
  const char* help;
};

/// In the order of the header, one row each.
std::span<const Mode> modes();
/// The mode of that id, null where there is none.
const Mode* find_mode(std::string_view id);
/// The one that the window is in.
const Mode& current_mode(const Workspace& workspace);
/// The rows of tabs() and of tools() that name the mode, in their order; the first of each is in front at the
/// beginning.
std::vector<const Tab*> tabs_of(const Mode& mode);
std::vector<const Tool*> tools_of(const Mode& mode);
bool has_tab(const Mode& mode, std::string_view tab);

/// Goes over to a mode, with the tab in front that was in front there last.
/// @pre  id is of a row of modes()
void enter_mode(Workspace& workspace, std::string_view id);
/// Brings a tab to the front in a mode that has it: the wished one, else the present one, else the first.
/// @param mode  an id that need not be of a row, as sessions say it
/// @pre  tab is of a row of tabs()
void show_tab_in(Workspace& workspace, std::string_view tab, std::string_view mode);
/// Goes over to a mode that has the tab that is in front, where the present one has it not.
void follow_tab(Workspace& workspace);

/// What the row of modes needs, pixels.
float modes_width(const Desk& desk);
/// The modes in the header, as far as there is room up to `right` pixels: side by side, else a list that opens.
void draw_modes(Desk& desk, float right);

}  // namespace pelt::ui
