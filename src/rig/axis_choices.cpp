#include "rig/axis_choices.h"

#include "core/expect.h"
#include "rig/character.h"

namespace pelt::rig {

std::optional<glm::vec3> bend_axis(const Skeleton& skeleton, int joint) {
  constexpr double kLeastSine = 0.0174524;  // of one degree
  PELT_EXPECT(joint >= 0 && joint < skeleton.size(), "joint index out of range");
  if (skeleton.parent[joint] < 0) {
    return std::nullopt;
  }
  const Transform& rest = skeleton.rest[joint];
  const glm::dvec3 incoming(rest.translation);
  const glm::dvec3 onward(rest.rotation * bone_direction(skeleton, joint));
  const glm::dvec3 normal = glm::cross(incoming, onward);
  const double lengths = glm::length(incoming) * glm::length(onward);
  return glm::length(normal) > kLeastSine * lengths ? std::optional(glm::vec3(glm::normalize(normal))) : std::nullopt;
}

std::vector<AxisChoice> axis_choices(const Skeleton& skeleton, int joint, const JointDofs& dofs, DofKind kind) {
  std::vector<AxisChoice> out = {{"X", {1, 0, 0}},   {"Y", {0, 1, 0}},   {"Z", {0, 0, 1}},
                                 {"-X", {-1, 0, 0}}, {"-Y", {0, -1, 0}}, {"-Z", {0, 0, -1}}};
  // What is found in the parent's frame, in that of the DOF.
  const auto in_frame = [&](const glm::vec3& axis) {
    return kind == DofKind::kRotation ? glm::conjugate(dofs.orientation) * axis : axis;
  };
  const glm::vec3 bone = bone_direction(skeleton, joint);
  if (bone != glm::vec3(0.0f)) {
    out.push_back({"along the bone", glm::normalize(in_frame(skeleton.rest[joint].rotation * bone))});
  }
  if (const std::optional<glm::vec3> bend = bend_axis(skeleton, joint)) {
    out.push_back({"perpendicular to the bend", glm::normalize(in_frame(*bend))});
  }
  return out;
}

bool has_free_axis(const JointDofs& dofs, std::size_t index) {
  PELT_EXPECT(index < dofs.dofs.size(), "DOF index out of range");
  const DofKind kind = dofs.dofs[index].kind;
  return kind == DofKind::kTranslation || (kind == DofKind::kRotation && dofs.count(DofKind::kRotation) == 1);
}

}  // namespace pelt::rig
