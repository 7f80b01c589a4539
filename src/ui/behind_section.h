#pragma once

namespace pelt::ui {

struct Desk;

/// The picture behind the character: opened, placed, hidden, removed. In the Display tab.
void draw_behind_section(Desk& desk);

}  // namespace pelt::ui
