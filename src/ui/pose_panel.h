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
  std::uint64_t character_version = 0;  ///< that the next line was computed for
  float rest_bind_difference = 0;
};

void draw(PosePanel& panel, Desk& desk);

}  // namespace pelt::ui
