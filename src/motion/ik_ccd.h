#pragma once

#include <span>

#include "motion/ik_tree.h"

namespace pelt::motion {

/// One sweep of cyclic coordinate descent over the points of a chain without limits: from the joint above the tip up to
/// the root, what hangs below a joint is turned so that the tip comes onto the line from joint to target.
/// @param points  [N] world, metres, root first
void ccd_sweep(std::span<glm::dvec3> points, const glm::dvec3& target);

/// Cyclic coordinate descent on joints: ball joints turn by the shortest arc, others about each of their axes by the
/// angle that brings the effector nearest to its target; limits cut the angle. Several goals take turns.
/// Source: L.-C. T. Wang, C. C. Chen, "A combined optimization method for solving the inverse kinematics problem of
///         mechanical manipulators", IEEE Transactions on Robotics and Automation 7(4), 1991.
/// @pre  goals without orientation
IkReport solve_ccd(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                   std::span<float> values);

}  // namespace pelt::motion
