// Ours. The algorithm that VRM files are made for is in vrm_springs.cpp.
#include "motion/springs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/text.h"
#include "math/transform.h"
#include "motion/controls.h"
#include "motion/damped_step.h"
#include "motion/spring_arc.h"
#include "rig/mirror.h"

namespace pelt::motion {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kFarthest = 3.05;  // a turn of 180 degrees has no direction
constexpr double kNoBone = 1e-12;   // metres

// Axes of joints in a pose, orthonormal, mirrored where scales above are negative. Bones that have been turned are
// remembered, so that a long chain is not walked up for each of its bones.
class JointAxes {
 public:
  explicit JointAxes(const rig::PoseBuilder& pose) : pose_(pose) {}

  // How the joint itself is scaled is left out: what it says counts behind its rotation.
  [[nodiscard]] glm::dmat3 of(int joint) const {
    return above(joint) * glm::mat3_cast(normalized_or_identity(glm::dquat(pose_.local(joint).rotation)));
  }
  // @pre neither it nor what is above it is turned any more
  void remember(int joint) { turned_.emplace(joint, above(joint) * own(joint)); }

 private:
  [[nodiscard]] glm::dmat3 own(int joint) const {
    return rig::oriented(glm::dquat(pose_.local(joint).rotation), pose_.local(joint).scale);
  }
  [[nodiscard]] glm::dmat3 above(int joint) const {
    glm::dmat3 out(1.0);
    for (int j = pose_.skeleton().parent[joint]; j >= 0; j = pose_.skeleton().parent[j]) {
      if (const auto known = turned_.find(j); known != turned_.end()) {
        return known->second * out;
      }
      out = own(j) * out;
    }
    return out;
  }

  const rig::PoseBuilder& pose_;
  std::map<int, glm::dmat3> turned_;
};

// What the pose wants of a bone at one moment.
void read_frame(const SpringRig::Bone& bone, const JointAxes& axes, rig::PoseBuilder& pose, SpringBoneState& out) {
  const glm::dmat4 world = pose.world(bone.joint);
  out.origin = glm::dvec3(world[3]);
  out.frame = axes.of(bone.joint);
  const glm::dvec3 tip =
      bone.tip >= 0 ? glm::dvec3(pose.world(bone.tip)[3]) : glm::dvec3(world * glm::dvec4(bone.end, 1.0));
  const glm::dvec3 way = tip - out.origin;
  out.length = glm::length(way);
  out.rest = out.length > kNoBone ? glm::transpose(out.frame) * (way / out.length) : glm::dvec3(1, 0, 0);
}

glm::dvec3 tip_of(const SpringBoneState& bone, const glm::dvec3& turn) {
  return bone.origin + bone.frame * on_arc(bone.rest, turn) * bone.length;
}

void turn_joint(const SpringRig::Bone& bone, const SpringBoneState& state, rig::PoseBuilder& pose) {
  Transform local = pose.local(bone.joint);
  local.rotation =
      glm::quat(glm::dquat(local.rotation) * quat_from_rotation_vector(glm::cross(state.rest, state.turn)));
  pose.set_local(bone.joint, local);
}

// Acceleration of wind and gravity, world.
glm::dvec3 pull_on(const SpringRig& springs, const SpringRig::Bone& bone, double time) {
  const Wind& wind = springs.wind;
  const double gust = 1 + static_cast<double>(wind.gusts) * std::sin(2 * kPi * time / static_cast<double>(wind.period));
  return bone.gravity + glm::dvec3(wind.acceleration) * (bone.wind * gust);
}

// No further than the cone, and not on its way further.
void hold_in_cone(double cone, glm::dvec3& turn, glm::dvec3& speed) {
  const double limit = std::min(cone, kFarthest);
  const double angle = glm::length(turn);
  if (angle > limit) {
    const glm::dvec3 outward = turn / angle;
    turn = outward * limit;
    speed -= outward * std::max(0.0, glm::dot(speed, outward));
  }
}

// The tip out of all colliders, one after the other, each time back onto its arc; speed into one of them is lost.
void collide(const SpringRig& springs, const SpringRig::Bone& bone, rig::PoseBuilder& pose, SpringBoneState& state,
             glm::dvec3& speed) {
  for (const int c : bone.colliders) {
    const SpringRig::Collider& collider = springs.colliders[c];
    glm::dvec3 tip = tip_of(state, state.turn);
    glm::dvec3 normal;
    if (!push_out(collider, pose.world(collider.joint), bone.radius, tip, normal)) {
      continue;
    }
    const glm::dvec3 way = tip - state.origin;
    const double length = glm::length(way);
    if (!(length > kNoBone)) {
      continue;
    }
    const glm::dvec3 direction_speed = arc_velocity(state.rest, state.turn, speed);
    const glm::dvec3 direction = glm::transpose(state.frame) * (way / length);
    state.turn = arc_to(state.rest, direction);
    const glm::dvec3 outward = glm::transpose(state.frame) * normal;
    const double inward_speed = std::min(0.0, glm::dot(direction_speed, outward));
    speed = arc_turn_speed(state.rest, state.turn, direction_speed - outward * inward_speed);
  }
}

// The turn at which a spring balances a pull of that acceleration: both lie in one plane with the rest direction, and
// frequency^2 L x = a sin(angle between them - x) has one solution.
glm::dvec3 balance(const SpringRig::Bone& bone, const SpringBoneState& state, const glm::dvec3& pull) {
  const double strength = glm::length(pull);
  const glm::dvec3 whole = strength > 0 ? arc_to(state.rest, pull / strength) : glm::dvec3(0.0);
  const double angle = glm::length(whole);
  if (!(angle > 0)) {
    return glm::dvec3(0.0);
  }
  const double pulls_back = bone.frequency * bone.frequency * state.length;
  double below = 0;
  double above = angle;
  for (int i = 0; i < 60; ++i) {  // to the last bit
    const double middle = (below + above) / 2;
    (pulls_back * middle < strength * std::sin(angle - middle) ? below : above) = middle;
  }
  return whole * ((below + above) / 2 / angle);
}

// A step of one bone whose parents have done theirs.
void step_bone(const SpringRig& springs, const SpringRig::Bone& bone, double seconds, const glm::dvec3& pull,
               SpringBoneState& state, const JointAxes& axes, rig::PoseBuilder& pose) {
  const SpringBoneState before = state;
  read_frame(bone, axes, pose, state);
  if (!(state.length > kNoBone)) {
    state.turn = glm::dvec3(0.0);
    return;
  }
  // Where the pose moves the tip along the bone, the arc goes along.
  const glm::dquat bent = shortest_rotation(before.rest, state.rest);
  state.turn = bent * before.turn;
  // What of the tip's velocity the frame does not have: that is how it moves in the frame. So inertia comes in.
  const glm::dvec3 carried = (tip_of(state, state.turn) - tip_of(before, before.turn)) / seconds;
  const glm::dvec3 relative = glm::transpose(state.frame) * (before.velocity - carried) / state.length;
  glm::dvec3 speed = arc_turn_speed(state.rest, state.turn, relative);
  const glm::dvec3 held = pull - carried * bone.air;  // the air holds back what the frame carries through it
  const glm::dvec3 pulled = arc_pull(state.rest, state.turn, glm::transpose(state.frame) * held) / state.length;
  DampedStep(bone.frequency, bone.decay, seconds).take(state.turn, speed, pulled);
  hold_in_cone(bone.cone, state.turn, speed);
  if (!bone.colliders.empty()) {
    collide(springs, bone, pose, state, speed);
    hold_in_cone(bone.cone, state.turn, speed);
  }
  const glm::dvec3 at_beginning = tip_of(before, glm::conjugate(bent) * state.turn);
  state.velocity = (tip_of(state, state.turn) - at_beginning) / seconds +
                   state.frame * arc_velocity(state.rest, state.turn, speed) * state.length;
  turn_joint(bone, state, pose);
}

// The world goes along with the centre: what moved with it has not moved.
void carry_along(const glm::dmat4& before, const glm::dmat4& now, SpringBoneState& state) {
  const glm::dmat4 carried = now * glm::inverse(before);
  const glm::dmat3 turned(carried);
  state.origin = glm::dvec3(carried * glm::dvec4(state.origin, 1.0));
  state.frame = turned * state.frame;
  state.velocity = turned * state.velocity;
}

// Rotation and place only.
glm::dmat4 rigid_world(const JointAxes& axes, rig::PoseBuilder& pose, int joint) {
  glm::dmat4 out(axes.of(joint));
  out[3] = pose.world(joint)[3];
  return out;
}

}  // namespace

glm::dquat world_rotation(const rig::PoseBuilder& pose, int joint) {
  glm::dquat rotation(1, 0, 0, 0);
  for (; joint >= 0; joint = pose.skeleton().parent[joint]) {
    rotation = normalized_or_identity(glm::dquat(pose.local(joint).rotation)) * rotation;
  }
  return rotation;
}

glm::dvec3 free_side(const SpringRig::Collider& plane, const glm::dmat4& world) {
  // Normals go by the cofactors under any scale; where that mirrors, these point to the other side.
  const glm::dmat3 linear(world);
  const double side = glm::determinant(linear) < 0 ? -1.0 : 1.0;
  return glm::normalize(cofactor(linear) * plane.normal * side);
}

bool push_out(const SpringRig::Collider& collider, const glm::dmat4& world, double radius, glm::dvec3& tip,
              glm::dvec3& normal) {
  const glm::dvec3 offset(world * glm::dvec4(collider.offset, 1.0));
  if (collider.shape == rig::ColliderShape::kPlane) {
    normal = free_side(collider, world);
    const double distance = glm::dot(tip - offset, normal) - radius;
    tip -= normal * std::min(0.0, distance);
    return distance < 0;
  }
  glm::dvec3 middle = offset;
  if (collider.shape == rig::ColliderShape::kCapsule) {
    const glm::dvec3 axis = glm::dvec3(world * glm::dvec4(collider.tail, 1.0)) - offset;
    const double length2 = glm::dot(axis, axis);
    const double along = length2 > 0 ? glm::dot(tip - offset, axis) / length2 : 0.0;
    middle += axis * std::clamp(along, 0.0, 1.0);
  }
  const glm::dvec3 way = tip - middle;
  const double apart = glm::length(way);
  const double distance = collider.inside ? collider.radius - radius - apart : apart - collider.radius - radius;
  if (!(distance < 0)) {
    return false;
  }
  const glm::dvec3 outward = apart > kNoBone ? way / apart : glm::dvec3(0, 1, 0);
  normal = collider.inside ? -outward : outward;
  tip -= normal * distance;
  return true;
}

SpringState settle(const SpringRig& springs, rig::PoseBuilder& pose) {
  SpringState state;
  const bool has_centers = std::ranges::any_of(springs.bones, [](const auto& bone) { return bone.center >= 0; });
  JointAxes axes(pose);
  for (const SpringRig::Bone& bone : springs.bones) {
    SpringBoneState& out = state.bones.emplace_back();
    read_frame(bone, axes, pose, out);
    if (out.length > kNoBone) {
      const glm::dvec3 pull = bone.gravity + glm::dvec3(springs.wind.acceleration) * bone.wind;
      out.turn = balance(bone, out, glm::transpose(out.frame) * pull);
      glm::dvec3 still(0.0);
      hold_in_cone(bone.cone, out.turn, still);
    }
    turn_joint(bone, out, pose);
    axes.remember(bone.joint);
    if (has_centers) {
      state.centers.push_back(bone.center >= 0 ? rigid_world(axes, pose, bone.center) : glm::dmat4(1.0));
    }
  }
  return state;
}

void step(const SpringRig& springs, double seconds, double time, SpringState& state, rig::PoseBuilder& pose) {
  JointAxes axes(pose);
  for (std::size_t b = 0; b < springs.bones.size(); ++b) {
    const SpringRig::Bone& bone = springs.bones[b];
    if (bone.center >= 0) {
      const glm::dmat4 now = rigid_world(axes, pose, bone.center);
      carry_along(state.centers[b], now, state.bones[b]);
      state.centers[b] = now;
    }
    step_bone(springs, bone, seconds, pull_on(springs, bone, time - seconds), state.bones[b], axes, pose);
    axes.remember(bone.joint);
  }
}

}  // namespace pelt::motion
