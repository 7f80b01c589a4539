#pragma once

namespace pelt::ui {

struct Desk;

/// How many panes there are and how each is skinned: the upper end of the Compare tab.
void draw_pane_section(Desk& desk);

}  // namespace pelt::ui
