#pragma once

#include <optional>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "motion/ik_tree.h"

namespace pelt::motion {

/// How two bones reach a target.
struct TwoBones {
  double elbow = 0;        ///< interior angle at the middle joint, radians: pi is straight
  double root_offset = 0;  ///< angle between the first bone and the line from root to target, radians
  double distance = 0;     ///< from root to where the tip comes: as near to the target as the lengths allow, metres
};

/// The law of cosines, ALGORITHMS.md §46. @param upper, lower  lengths, metres, > 0  @param distance  root to target
TwoBones two_bones(double upper, double lower, double distance);

/// Two bones in the plane of root, target and pole, in closed form; without a pole in the plane in which they are bent,
/// and where they are straight in that of the hinge. Limits are applied afterwards: the report says what they cost.
/// @pre  one goal without orientation; two joints with length above the effector
IkReport solve_two_bone(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                        std::span<float> values);

}  // namespace pelt::motion
