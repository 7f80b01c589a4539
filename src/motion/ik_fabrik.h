#pragma once

#include <span>

#include "motion/ik_tree.h"

namespace pelt::motion {

/// One pass of FABRIK over the points of a chain: the tip is put on the target and the others follow backwards, then
/// the root is put back and the others follow forwards. Distances between neighbours stay.
/// Source: A. Aristidou, J. Lasenby, "FABRIK: a fast, iterative solver for the inverse kinematics problem", Graphical
///         Models 73(5), 2011, algorithm 1.
/// @param points   [N] world, metres, root first  @param lengths  [N - 1] between neighbours
void fabrik_pass(std::span<glm::dvec3> points, std::span<const double> lengths, const glm::dvec3& target);

/// FABRIK on joints: after each pass joints turn by the shortest arc towards where the points are, as far as their DOFs
/// and limits allow, and the next pass begins where they then are.
/// @pre  one goal without orientation
IkReport solve_fabrik(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
                      std::span<float> values);

}  // namespace pelt::motion
