#include "edit/breakdown_edits.h"

#include <cmath>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "edit/behaviour_readings.h"
#include "edit/local_transforms.h"
#include "rig/conversions.h"

namespace pelt::edit {
namespace {

Transform beyond(const Transform& reference, const Transform& from, float share) {
  const glm::dquat base(reference.rotation);
  glm::dquat way = glm::conjugate(base) * glm::dquat(from.rotation);
  way = way.w < 0 ? -way : way;
  const double factor = 1.0 + share;
  const glm::dquat turned = base * quat_from_rotation_vector(rotation_vector(way) * factor);
  const auto along = static_cast<float>(factor);
  return {reference.translation + (from.translation - reference.translation) * along, glm::quat(glm::normalize(turned)),
          reference.scale + (from.scale - reference.scale) * along};
}

rig::Pose reference_pose(const Document& document, ResetTo reference) {
  switch (reference) {
    case ResetTo::kBase:
      return evaluate_base_pose(document);
    case ResetTo::kRest:
      return rig::rest_pose(*document.character);
    case ResetTo::kBind:
      return rig::bind_pose(*document.character);
    case ResetTo::kZero:
      return rig::zero_pose(*document.character);
  }
  return {};
}

}  // namespace

void carry_out(const Document& document, const BreakDownPose& change, Content& content, View&) {
  if (!std::isfinite(change.share)) {
    return;
  }
  const bool is_known = change.against.size() == change.from.size();
  const std::vector<JointLocal> against =
      is_known ? change.against : in_reference(document, change.from, change.reference);
  const rig::Pose base = evaluate_base_pose(document);
  for (std::size_t n = 0; n < change.from.size(); ++n) {
    const JointLocal& posed = change.from[n];
    PELT_EXPECT(has_index(document.character->skeleton->parent, posed.joint), "joint index out of range");
    const rig::JointDofs dofs = joint_dofs(document, posed.joint);
    Transform local = change.share == 0 ? posed.local : beyond(against[n].local, posed.local, change.share);
    std::vector<float> values = rig::dofs_from_local(dofs, local, dof_values(document, posed.joint, base));
    if (change.share != 0 && dofs.authored && dofs.count(rig::DofKind::kRotation) > 0) {
      rig::clamp_to_limits(dofs, values);
      local.rotation = rig::local_from_dofs(dofs, values).rotation;
    }
    if (document.content.clip < 0 && same(local, local_of(base, posed.joint))) {
      content.overrides.edit().erase(posed.joint);
    } else {
      content.overrides.edit()[posed.joint] = {local, std::move(values)};
    }
  }
}

std::string label(const Document& document, const BreakDownPose& change) {
  const std::string what = change.from.size() == 1 ? document.character->skeleton->label(change.from[0].joint)
                                                   : fmt::format("{} joints", change.from.size());
  return fmt::format("{} {}", change.share < 0 ? "Relax" : "Exaggerate", what);
}

std::vector<JointLocal> posed_joints(const Document& document, const std::vector<int>& joints, ResetScope scope) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  const rig::Pose pose = pose_before(document, "sliders");  // what later layers add, they add again
  std::vector<char> meant(skeleton.size(), static_cast<char>(scope == ResetScope::kAll));
  for (const int joint : joints) {
    meant[joint] = 1;
  }
  std::vector<JointLocal> out;
  for (int j = 0; j < skeleton.size(); ++j) {  // parents come first
    const int parent = skeleton.parent[j];
    if (scope == ResetScope::kSubtree && parent >= 0 && meant[parent] != 0) {
      meant[j] = 1;
    }
    if (meant[j] != 0) {
      out.push_back({j, local_of(pose, j)});
    }
  }
  return out;
}

std::vector<JointLocal> in_reference(const Document& document, const std::vector<JointLocal>& joints,
                                     ResetTo reference) {
  const rig::Pose pose = reference_pose(document, reference);
  std::vector<JointLocal> out;
  for (const JointLocal& one : joints) {
    PELT_EXPECT(has_index(document.character->skeleton->parent, one.joint), "joint index out of range");
    out.push_back({one.joint, local_of(pose, one.joint)});
  }
  return out;
}

}  // namespace pelt::edit
