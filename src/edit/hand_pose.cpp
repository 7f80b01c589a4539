#include "edit/hand_pose.h"

#include "edit/behaviour_readings.h"
#include "edit/local_transforms.h"
#include "math/transform.h"

namespace pelt::edit {
namespace {

// `wanted` without what leads from `before` to `after`.
Transform taken_off(const Transform& wanted, const Transform& before, const Transform& after) {
  if (before == after) {
    return wanted;
  }
  const glm::dquat was = normalized_or_identity(glm::dquat(before.rotation));
  const glm::dquat is = normalized_or_identity(glm::dquat(after.rotation));
  Transform out = wanted;
  out.translation += before.translation - after.translation;
  out.rotation = glm::quat(glm::normalize(glm::dquat(wanted.rotation) * glm::conjugate(is) * was));
  for (int c = 0; c < 3; ++c) {
    out.scale[c] = after.scale[c] != 0 ? wanted.scale[c] * (before.scale[c] / after.scale[c]) : wanted.scale[c];
  }
  return out;
}

}  // namespace

HandPose::HandPose(const Document& document)
    : by_hand_(pose_before(document, "sliders")),
      before_pins_(pose_before(document, "pins")),
      after_pins_(pose_before(document, "drivers")),
      shown_(evaluate_pose(document)) {}

Transform HandPose::local(int joint, const Transform& wanted) const {
  const Transform before_drivers = taken_off(wanted, local_of(after_pins_, joint), local_of(shown_, joint));
  return taken_off(before_drivers, local_of(by_hand_, joint), local_of(before_pins_, joint));
}

float HandPose::weight(int shape, float wanted) const {
  const float before = by_hand_.morph_weights[static_cast<std::size_t>(shape)];
  const float after = shown_.morph_weights[static_cast<std::size_t>(shape)];
  return before == after ? wanted : wanted + (before - after);
}

}  // namespace pelt::edit
