#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <glm/glm.hpp>

#include "rig/dofs.h"
#include "rig/skeleton.h"

namespace pelt::rig {

/// The axis about which the chain bends at a joint in the rest pose: normal to the bone that comes in and the bone that
/// goes on, in the parent's frame, unit; a positive turn about it bends further. With d the joint's place in its parent
/// and b the direction of its own bone, both in the parent's frame, it is d x b / |d x b|. Nothing where the chain is
/// straight within one degree, or where a bone has no length.
std::optional<glm::vec3> bend_axis(const Skeleton& skeleton, int joint);

/// An axis that people have a name for.
struct AxisChoice {
  std::string_view name;  ///< "X", "-X", "along the bone"
  glm::vec3 axis;         ///< unit, in the frame of Dof::axis
};

/// Axes to choose from for a rotation or a translation of a joint: the coordinate axes of its frame and their
/// opposites, then, where the rest pose tells, "along the bone" and "perpendicular to the bend".
/// @param dofs  of the joint, of which the rotations' frame is taken
std::vector<AxisChoice> axis_choices(const Skeleton& skeleton, int joint, const JointDofs& dofs, DofKind kind);

/// Whether a DOF may have any axis: a translation, or a rotation that is its joint's only one. Several rotations stay
/// perpendicular to each other, and scales go along the coordinate axes.
/// @pre  index < dofs.dofs.size()
bool has_free_axis(const JointDofs& dofs, std::size_t index);

}  // namespace pelt::rig
