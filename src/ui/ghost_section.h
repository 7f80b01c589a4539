#pragma once

namespace pelt::ui {

struct Desk;

/// The section "Ghosts" of the tab Keys: silhouettes of the clip before and after the playhead.
void draw_ghost_section(Desk& desk);

}  // namespace pelt::ui
