#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "rig/clip.h"
#include "rig/skeleton.h"

namespace pelt::ui {

struct Desk;

/// The way of the character in the clip that plays, over the picture in the Animate mode: rig::traveller().
struct MotionPath {
  bool shown = true;
  Shared<rig::Clip> clip = {};  ///< that the way is of
  Shared<rig::Skeleton> skeleton = {};
  std::vector<glm::vec3> way = {};
  int joint = -1;
};
/// @param project  a place of the world in the window, nothing behind the eye
void draw_motion_path(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk);

}  // namespace pelt::ui
