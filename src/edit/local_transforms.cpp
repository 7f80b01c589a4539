#include "edit/local_transforms.h"

#include <cmath>

namespace pelt::edit {
namespace {

constexpr float kSameTranslation = 1e-6f;  // metres per metre of distance from the parent
constexpr float kSameRotation = 1e-6f;     // per quaternion component
constexpr float kSameScale = 1e-6f;        // relative

}  // namespace

bool same_translation(const Transform& a, const Transform& b) {
  return glm::length(a.translation - b.translation) <= kSameTranslation * (1.0f + glm::length(a.translation));
}
bool same_rotation(const Transform& a, const Transform& b) {
  const glm::quat q = glm::dot(a.rotation, b.rotation) < 0.0f ? -b.rotation : b.rotation;
  return std::abs(a.rotation.x - q.x) <= kSameRotation && std::abs(a.rotation.y - q.y) <= kSameRotation &&
         std::abs(a.rotation.z - q.z) <= kSameRotation && std::abs(a.rotation.w - q.w) <= kSameRotation;
}
bool same_scale(const Transform& a, const Transform& b) {
  return glm::length(a.scale - b.scale) <= kSameScale * (1.0f + glm::length(a.scale));
}
bool same(const Transform& a, const Transform& b) {
  return same_translation(a, b) && same_rotation(a, b) && same_scale(a, b);
}

const Transform& local_of(const rig::Pose& pose, int joint) {
  return pose.local[joint];
}

Transform current_local(const Document& document, int joint) {
  const auto found = document.content.overrides->find(joint);
  return found != document.content.overrides->end() ? found->second.local
                                                    : local_of(evaluate_base_pose(document), joint);
}

Transform current_local(const Document& document, int joint, const rig::Pose& base) {
  const auto found = document.content.overrides->find(joint);
  return found != document.content.overrides->end() ? found->second.local : local_of(base, joint);
}

}  // namespace pelt::edit
