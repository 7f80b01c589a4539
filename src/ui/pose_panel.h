#pragma once

#include <cstdint>
#include <string>

#include "edit/commands.h"

namespace pelt::ui {

struct Desk;

/// Sliders of the selected joint and what resets, mirrors, opens and saves poses.
struct PosePanel {
  std::string filter;  ///< of the joint list
  edit::ResetScope scope = edit::ResetScope::kJoint;
  bool mirror_limb = true;              ///< the selected joint with what hangs below, where one is selected; else all
  std::uint64_t character_version = 0;  ///< that the next line was computed for
  float rest_bind_difference = 0;
};

void draw(PosePanel& panel, Desk& desk);

/// What mirroring means with the panel's choice and the selection.
edit::MirrorPose mirror_change(const Desk& desk, edit::MirrorDirection direction);

}  // namespace pelt::ui
