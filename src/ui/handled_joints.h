#pragma once

#include <optional>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "edit/pose_edits.h"
#include "math/transform.h"
#include "ui/handle_options.h"

namespace pelt::ui {

struct Desk;

/// A joint that a handle moves, turns or scales, as it was when that began.
struct HandledJoint {
  int joint = -1;
  Transform local;
  glm::dmat3 above = glm::dmat3(1);  ///< world from parent, as parents stand: with scale and shear
  glm::dvec3 place = glm::dvec3(0);  ///< world
  glm::dmat3 own = glm::dmat3(1);    ///< directions of its own axes in the world, unit
  glm::dmat3 axes = glm::dmat3(1);   ///< those that the handle takes for it, unit and perpendicular, world
};

/// What a handle takes: of the selected joints those that hang on no other.
struct HandledJoints {
  std::vector<HandledJoint> joints;
  glm::dvec3 center = glm::dvec3(0);  ///< where the handle is, world
  glm::dmat3 axes = glm::dmat3(1);    ///< of the handle: of the joint that is active, or carries the active one
  bool about_center = false;          ///< all about the centre and along the handle's axes, else each by its own
  int lead = -1;                      ///< joint that the axes are of
};

/// Local transforms as drags change them: those that are shown, but for what sliders, drivers and springs add, which
/// they add again.
rig::Pose pose_by_hand(const Desk& desk);

/// Of the selected joints as they are shown; `joints` is empty where none is selected.
HandledJoints handled_joints(const Desk& desk);
/// Of given axes, whatever the options say.
HandledJoints handled_joints(const Desk& desk, HandleAxes axes);

/// Columns: unit and perpendicular; the first in the direction of the matrix's own. Identity where it has none.
glm::dmat3 perpendicular_axes(const glm::dmat3& matrix);

// What is done to them, in one change; limits and what a joint has no slider for hold.

/// @param by  along the handle's axes, metres
edit::SetJointLocals moved(const HandledJoints& handled, const glm::dvec3& by);
/// @param axis  0 to 2: of the handle's axes. @param angle  radians
edit::SetJointLocals turned(const HandledJoints& handled, int axis, double angle);
/// About one direction of the world, for all of them. @param axis  unit
edit::SetJointLocals turned_about(const HandledJoints& handled, const glm::dvec3& axis, double angle);
/// @param by  factors along the handle's axes, more than 0. A joint has scales along its own axes alone: they grow as
///            much as lines along them do
edit::SetJointLocals scaled(const HandledJoints& handled, const glm::dvec3& by);

/// Whether any of them has a slider for it, or no limits that the file gave.
bool can_be(rig::DofKind kind, const HandledJoints& handled, const Desk& desk);

}  // namespace pelt::ui
