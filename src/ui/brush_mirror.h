#pragma once

#include "ui/brush_tool.h"

namespace pelt::ui {

/// Which places and joints mirror each other, found once for a surface and a skin and kept in the tool. False where the
/// skin has no sides.
bool find_brush_partners(BrushTool& tool, const Desk& desk);

/// Adds to a change the same dab on the other side. Where both touch a place of the middle for one joint, the stronger
/// one counts. @pre  find_brush_partners() has found them
void add_mirrored_dab(const BrushTool& tool, edit::PaintDab& dab, edit::PaintWeights& change, const Desk& desk);

}  // namespace pelt::ui
