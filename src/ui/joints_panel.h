#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <glm/glm.hpp>

#include "rig/learned_limits.h"

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kJointsTab = "joints";

/// Which degrees of freedom the active joint has: its type, their names, axes, order and limits; what clips tell of
/// them; and the same for its partner on the other side.
struct JointsPanel {
  std::string filter;                                ///< of the joint list
  std::string name;                                  ///< of a DOF, while it is typed
  int naming = -1;                                   ///< which of them
  std::optional<glm::vec3> axis;                     ///< of a DOF, while it is typed
  int axis_joint = -1;                               ///< of which joint
  int axis_of = -1;                                  ///< of which of its DOFs
  int axis_left = 0;                                 ///< pictures since its fields were left
  std::shared_ptr<const rig::Character> learned_of;  ///< with the joint, what the two below are of
  int learned_joint = -1;
  std::optional<rig::LearnedLimits> learned;
  std::optional<rig::JointRecognition> recognised;
};
void draw(JointsPanel& panel, Desk& desk);

}  // namespace pelt::ui
