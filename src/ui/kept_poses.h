#pragma once

#include <vector>

#include "ui/brush_tool.h"

namespace pelt::ui {

/// What a pull has to solve for besides the present pose: where the pulled places were in the kept ones.
std::vector<edit::PullTo> kept_goals(const BrushTool& tool, const Desk& desk);

/// The list of kept poses: go to one, keep it as it is now, forget it; and how far the vertices that were pulled last
/// are from where they were.
void draw_kept_poses(BrushTool& tool, Desk& desk);

}  // namespace pelt::ui
