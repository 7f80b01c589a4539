#pragma once

namespace pelt::ui {

struct Desk;

/// Begins a picture: notes what a drag may have to go back to, and lets Esc end what is on top: the drag in progress,
/// else open menus and drop-downs, wherever the keyboard is. What it leaves for dialogs is in Workspace::escape.
/// @return whether a drag was cancelled, for end_escape()
bool begin_escape(Desk& desk);

/// Ends the picture in which a drag was cancelled: no widget's last word keeps what it did.
void end_escape(Desk& desk);

}  // namespace pelt::ui
