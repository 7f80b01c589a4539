#include "ui/handled_joints.h"

#include <algorithm>
#include <cmath>

#include "edit/behaviour_readings.h"
#include "rig/character.h"
#include "rig/dofs.h"
#include "ui/rotation_rings.h"
#include "ui/viewport_geometry.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr double kNoLength = 1e-12;

// Selected joints that hang on no other selected one.
std::vector<int> topmost_selected(const Desk& desk) {
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const std::vector<int>& selected = desk.document().view.selected_joints;
  std::vector<int> out;
  for (const int joint : selected) {
    const bool hangs =
        std::ranges::any_of(selected, [&](int other) { return other != joint && skeleton.is_within(joint, other); });
    if (!hangs && joint < static_cast<int>(desk.scene.world.size())) {
      out.push_back(joint);
    }
  }
  return out;
}

glm::dmat3 unit_columns(const glm::dmat3& matrix) {
  glm::dmat3 out(1);
  for (int i = 0; i < 3; ++i) {
    const double length = glm::length(matrix[i]);
    out[i] = length > kNoLength ? matrix[i] / length : out[i];
  }
  return out;
}

// Y along the bone, Z along its bend axis, as rig::bone_frame() finds it.
glm::dmat3 bone_axes(const rig::Skeleton& skeleton, int joint, const glm::dmat3& world) {
  const glm::vec3 bone = rig::bone_direction(skeleton, joint);
  if (bone == glm::vec3(0)) {
    return perpendicular_axes(world);
  }
  const glm::quat frame = rig::bone_frame(bone);
  const glm::dvec3 along = world * glm::dvec3(bone);
  const glm::dvec3 bend = world * glm::dvec3(frame * glm::vec3(0, 0, 1));
  const glm::dmat3 axes = perpendicular_axes(glm::dmat3(along, bend, glm::cross(along, bend)));
  return {glm::cross(axes[0], axes[1]), axes[0], axes[1]};
}

glm::dmat3 axes_of(HandleAxes kind, int joint, const glm::dmat3& world, const glm::dmat3& above, const Desk& desk) {
  switch (kind) {
    case HandleAxes::kLocal:
      return perpendicular_axes(world);
    case HandleAxes::kParent:
      return perpendicular_axes(above);
    case HandleAxes::kWorld:
      return glm::dmat3(1);
    case HandleAxes::kView:
      return glm::transpose(glm::dmat3(desk.workspace.camera.view_from_world()));
    case HandleAxes::kBone:
      return bone_axes(desk.character().skeleton, joint, world);
  }
  return glm::dmat3(1);
}

// The inverse of a parent's matrix; nothing where it flattens, so that no move of the joint is seen.
std::optional<glm::dmat3> inverse_of(const glm::dmat3& matrix) {
  const double volume = std::abs(glm::determinant(matrix));
  const double size = glm::length(matrix[0]) * glm::length(matrix[1]) * glm::length(matrix[2]);
  return size > 0 && volume > 1e-9 * size ? std::optional(glm::inverse(matrix)) : std::nullopt;
}

// `local` with its place moved in the world.
Transform shifted(const HandledJoint& handled, Transform local, const glm::dvec3& by) {
  if (const std::optional<glm::dmat3> inverse = inverse_of(handled.above)) {
    local.translation = glm::vec3(glm::dvec3(local.translation) + *inverse * by);
  }
  return local;
}

Transform turned_in_world(const HandledJoint& handled, const glm::dvec3& axis, double angle) {
  // Also where parents mirror: then these axes do, and the turn in them goes the other way.
  const glm::dmat3 parent = perpendicular_axes(handled.above);
  const glm::dmat3 turn = glm::transpose(parent) * glm::mat3_cast(glm::angleAxis(angle, axis)) * parent;
  Transform local = handled.local;
  local.rotation = glm::quat(glm::normalize(glm::quat_cast(turn) * glm::dquat(handled.local.rotation)));
  return local;
}

// A linear map by factors along axes.
glm::dvec3 stretched(const glm::dmat3& axes, const glm::dvec3& by, const glm::dvec3& what) {
  return axes * (by * (glm::transpose(axes) * what));
}

}  // namespace

glm::dmat3 perpendicular_axes(const glm::dmat3& matrix) {
  const double length = glm::length(matrix[0]);
  if (!(length > kNoLength)) {
    return glm::dmat3(1);
  }
  const glm::dvec3 x = matrix[0] / length;
  glm::dvec3 y = matrix[1] - x * glm::dot(x, matrix[1]);
  if (!(glm::length(y) > 1e-6 * glm::length(matrix[1])) || !(glm::length(y) > kNoLength)) {
    y = glm::cross(std::abs(x.y) < 0.7 ? glm::dvec3(0, 1, 0) : glm::dvec3(1, 0, 0), x);
  }
  y = glm::normalize(y);
  const glm::dvec3 z = glm::cross(x, y);
  return {x, y, glm::dot(z, matrix[2]) < 0 ? -z : z};
}

rig::Pose pose_by_hand(const Desk& desk) {
  // Without them nothing comes behind it that adds to it.
  const bool adds = *desk.document().content.behaviour != motion::Behaviour();
  return adds ? edit::pose_before(desk.document(), "sliders") : *desk.scene.pose;
}

HandledJoints handled_joints(const Desk& desk) {
  return handled_joints(desk, desk.workspace.preferences.handles.axes);
}

HandledJoints handled_joints(const Desk& desk, HandleAxes axes) {
  HandledJoints out;
  const int active = desk.document().view.selected_joint();
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const std::vector<int> joints = topmost_selected(desk);
  if (joints.empty()) {
    return {};
  }
  const rig::Pose pose = pose_by_hand(desk);
  glm::dvec3 sum(0);
  for (const int joint : joints) {
    const glm::dmat3 world(desk.scene.world[joint]);
    const glm::dmat3 above(parent_world(desk, joint));
    const glm::dvec3 place(desk.scene.world[joint][3]);
    out.joints.push_back({.joint = joint,
                          .local = pose.local[joint],
                          .above = above,
                          .place = place,
                          .own = unit_columns(world),
                          .axes = axes_of(axes, joint, world, above, desk)});
    sum += place;
    if (skeleton.is_within(active, joint)) {
      out.lead = static_cast<int>(out.joints.size()) - 1;
    }
  }
  if (out.lead < 0) {
    return {};
  }
  const HandlePivot pivot = desk.workspace.preferences.handles.pivot;
  out.about_center = pivot != HandlePivot::kOwn && out.joints.size() > 1;
  out.axes = out.joints[out.lead].axes;
  out.center = out.joints[out.lead].place;
  if (out.about_center) {
    out.center = pivot == HandlePivot::kMedian ? sum / static_cast<double>(out.joints.size())
                                               : glm::dvec3(desk.scene.world[active][3]);
  }
  return out;
}

edit::SetJointLocals moved(const HandledJoints& handled, const glm::dvec3& by) {
  edit::SetJointLocals change{{}, rig::DofKind::kTranslation};
  for (const HandledJoint& joint : handled.joints) {
    const glm::dmat3& axes = handled.about_center ? handled.axes : joint.axes;
    change.joints.push_back({joint.joint, shifted(joint, joint.local, axes * by)});
  }
  return change;
}

edit::SetJointLocals turned(const HandledJoints& handled, int axis, double angle) {
  if (handled.about_center) {
    return turned_about(handled, handled.axes[axis], angle);
  }
  edit::SetJointLocals change{{}, rig::DofKind::kRotation};
  for (const HandledJoint& joint : handled.joints) {
    change.joints.push_back({joint.joint, turned_in_world(joint, joint.axes[axis], angle)});
  }
  return change;
}

edit::SetJointLocals turned_about(const HandledJoints& handled, const glm::dvec3& axis, double angle) {
  edit::SetJointLocals change{{}, rig::DofKind::kRotation};
  for (const HandledJoint& joint : handled.joints) {
    Transform local = turned_in_world(joint, axis, angle);
    if (handled.about_center) {
      const glm::dvec3 offset = joint.place - handled.center;
      local = shifted(joint, local, glm::angleAxis(angle, axis) * offset - offset);
    }
    change.joints.push_back({joint.joint, local});
  }
  return change;
}

edit::SetJointLocals scaled(const HandledJoints& handled, const glm::dvec3& by) {
  edit::SetJointLocals change{{}, rig::DofKind::kScale};
  for (const HandledJoint& joint : handled.joints) {
    const glm::dmat3& axes = handled.about_center ? handled.axes : joint.axes;
    Transform local = joint.local;
    for (int i = 0; i < 3; ++i) {
      local.scale[i] = static_cast<float>(local.scale[i] * glm::length(stretched(axes, by, joint.own[i])));
    }
    if (handled.about_center) {
      const glm::dvec3 offset = joint.place - handled.center;
      local = shifted(joint, local, stretched(axes, by, offset) - offset);
    }
    change.joints.push_back({joint.joint, local});
  }
  return change;
}

bool can_be(rig::DofKind kind, const HandledJoints& handled, const Desk& desk) {
  return std::ranges::any_of(handled.joints, [&](const HandledJoint& joint) {
    const rig::JointDofs dofs = edit::joint_dofs(desk.document(), joint.joint);
    return dofs.count(kind) > 0 || (!dofs.authored && !dofs.swing_limit);
  });
}

}  // namespace pelt::ui
