#pragma once

namespace pelt::ui {

struct Desk;

/// The line at the foot of the window: the latest notice or what the mouse does, and what is in effect.
void draw_status(Desk& desk);

}  // namespace pelt::ui
