#pragma once

namespace pelt::ui {

struct Desk;

/// The menus of the action table, and the character's name where a title bar would have it. Call inside a window with a
/// menu bar.
void draw_menu_bar(Desk& desk);

}  // namespace pelt::ui
