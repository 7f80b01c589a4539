#pragma once

namespace pelt::ui {

struct Desk;

/// What fast renormalisation costs in exactness, where the active pane uses it: the error of the approximate root over
/// the length of what is renormalised, its bound, and the largest error in the pose shown.
void draw_fast_normals_section(Desk& desk);

}  // namespace pelt::ui
