#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "ui/limit_learning.h"

namespace pelt::ui {

struct Desk;

inline constexpr std::string_view kJointsTab = "joints";

/// Which degrees of freedom the active joint has: its type, their names, axes, order and limits; what clips tell of
/// them; and the same for its partner on the other side.
struct JointsPanel {
  /// A limit that is dragged along its track, which keeps the range that it had when the button went down.
  struct HeldTrack {
    int press = -1;  ///< Workspace::presses
    std::string slider;
    float lower = 0;
    float upper = 0;
  };
  /// Which joints are partners: a matter of names alone.
  struct Partners {
    std::vector<std::string> names;
    std::vector<int> of;
  };
  std::string filter;             ///< of the joint list
  std::string name;               ///< of a DOF, while it is typed
  int naming = -1;                ///< which of them
  std::optional<glm::vec3> axis;  ///< of a DOF, while it is typed
  int axis_joint = -1;            ///< of which joint
  int axis_of = -1;               ///< of which of its DOFs
  int axis_left = 0;              ///< pictures since its fields were left
  HeldTrack held = {};
  Partners partners = {};
  LimitLearning learning = {};
};
void draw(JointsPanel& panel, Desk& desk);

}  // namespace pelt::ui
