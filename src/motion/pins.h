#pragma once

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

namespace pelt::motion {

/// Which joints follow one that is dragged: those from a root down to it.
struct ReachChain {
  int root = -1;             ///< of the skeleton; the dragged joint itself where nothing above it follows
  bool root_slides = false;  ///< the root is moved, not only turned
  bool operator==(const ReachChain&) const = default;
};

/// A place in the world that a joint keeps, whatever moves above it: a foot on the floor.
struct Pin {
  int joint = -1;                              ///< of the skeleton
  ReachChain chain;                            ///< that brings it there
  glm::vec3 position = glm::vec3(0);           ///< world, metres
  glm::quat rotation = glm::quat(1, 0, 0, 0);  ///< world, unit
  bool operator==(const Pin&) const = default;
};

}  // namespace pelt::motion
