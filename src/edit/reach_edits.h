#pragma once

#include <optional>
#include <string>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "edit/document.h"
#include "motion/pins.h"

namespace pelt::edit {

/// A joint to a place in the world, by inverse kinematics (motion::reach()) from the pose as it is; what it turns is
/// posed by hand afterwards. A pin of the joint itself goes with it, other pins hold.
struct DragJoint {
  int joint;
  glm::vec3 target;                         ///< world, metres
  motion::ReachChain chain;                 ///< motion::Limbs::natural_chain(), for example
  std::optional<glm::quat> direction = {};  ///< world rotation that it is to have
  std::string solver = {};                  ///< of motion::ik_solvers(); empty: the one that suits
  bool limits = true;
  int iterations = 32;
  std::vector<int> hold = {};  ///< joints that are to stay where they are
  bool at_once = true;         ///< false: a step of a drag, in which the direction may come about over some steps
};

/// Pins joints where they stand now, or lets them go. Without a clip what is let go stays where it was held.
struct PinJoints {
  std::vector<int> joints;
  bool pinned;
};

std::string label(const Document& document, const DragJoint& change);
void carry_out(const Document& document, const DragJoint& change, Content& content, View& view);
std::string label(const Document& document, const PinJoints& change);
void carry_out(const Document& document, const PinJoints& change, Content& content, View& view);

/// Whether a joint is pinned.
bool is_pinned(const Content& content, int joint);

}  // namespace pelt::edit
