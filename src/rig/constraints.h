#pragma once

#include <span>
#include <vector>

#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::rig {

/// An order in which every constraint comes after those that it depends on: what turns its source (kRoll, kRotation),
/// or moves its source or its own joint (kAim). Those on a cycle, or behind one, are left out.
/// @returns indices into `constraints`, as few moves as possible from their own order
/// @cost O(C * depth)
std::vector<int> constraint_order(const Skeleton& skeleton, std::span<const NodeConstraint> constraints);

/// For each constraint that constraint_order() leaves out the joints of a cycle that it is on or behind, each following
/// the next and the last the first; nothing for the others. @cost O(C * (C + depth))
std::vector<std::vector<int>> constraint_cycles(const Skeleton& skeleton, std::span<const NodeConstraint> constraints);

/// Turns the constrained joints of a pose as their sources say; whatever rotation they had is replaced.
/// Source: VRMC_node_constraint-1.0, "Evaluation of rotations". Rest is the skeleton's rest.
/// @pre  sources first, see constraint_order()
/// @cost O(C * depth)
void apply_constraints(std::span<const NodeConstraint> constraints, PoseBuilder& pose);
void apply_constraints(const Skeleton& skeleton, std::span<const NodeConstraint> constraints, Pose& pose);

}  // namespace pelt::rig
