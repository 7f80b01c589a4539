#pragma once

namespace pelt::ui {

struct Desk;

/// Opens the menu of selected joints, or of selected vertices, at the pointer; the next draw_context_menu() shows it.
void open_context_menu(Desk& desk, bool of_vertices);
/// Call inside the window's root, once a picture.
void draw_context_menu(Desk& desk);

}  // namespace pelt::ui
