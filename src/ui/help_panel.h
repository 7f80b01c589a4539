#pragma once

namespace pelt::ui {

struct Desk;

/// Keys and mouse in the place of the tabs, beside the character.
void draw_help_panel(Desk& desk);
/// The same over the picture, where a window leaves no room for the tabs.
void draw_help_window(Desk& desk);

}  // namespace pelt::ui
