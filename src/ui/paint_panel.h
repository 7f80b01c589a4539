#pragma once

#include <string_view>
#include <vector>

#include "edit/paint_edits.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kPaintTab = "paint";

struct Desk;

/// The brush and its numbers, the joint that is painted, locks, and the influences of the selected vertices.
struct PaintPanel {
  std::vector<edit::JointShare> copied = {};  ///< influences that were copied
  Shared<rig::Skeleton> copied_from = {};     ///< whose joints those are
};

void draw(PaintPanel& panel, Desk& desk);

}  // namespace pelt::ui
