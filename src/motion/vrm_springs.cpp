// VRM Consortium, "VRMC_springBone-1.0" and "VRMC_springBone_extended_collider-1.0".
#include "motion/vrm_springs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "math/transform.h"
#include "motion/controls.h"
#include "motion/spring_arc.h"

namespace pelt::motion {
namespace {

// A drag of 1 keeps nothing of the motion, which no decay does.
constexpr double kMostDrag = 0.999;

double rest_length(rig::PoseBuilder& rest, int from, int to) {
  const glm::dvec3 one(rest.world(from)[3]);
  return glm::distance(one, glm::dvec3(rest.world(to)[3]));
}

SpringJoint spring_joint(const rig::Character& character, const rig::SpringBoneJoint& from, double length) {
  const double drag = std::clamp(static_cast<double>(from.drag), 0.0, kMostDrag);
  const double decay = -std::log1p(-drag) * kVrmRate;
  // Of an acceleration per push of 1 m/s in each frame; 60 where nothing is lost from frame to frame.
  const double per_push = drag > 1e-6 ? decay / drag : kVrmRate;
  SpringJoint out{.joint = joint_reference(character.skeleton, from.joint)};
  out.mass = 1;
  out.damping = 0;
  out.drag = static_cast<float>(decay);
  out.stiffness = length > 0 ? static_cast<float>(static_cast<double>(from.stiffness) * per_push / length) : 0.0f;
  out.gravity = from.gravity_direction * static_cast<float>(static_cast<double>(from.gravity_power) * per_push);
  out.wind = 0;
  out.radius = from.hit_radius;
  return out;
}

std::string collider_name(std::size_t c) {
  return fmt::format("collider {}", c);
}

// World of the centre, without scale where that would be none.
glm::dmat4 center_world(const rig::SpringBone& spring, rig::PoseBuilder& pose) {
  return spring.center >= 0 ? pose.world(spring.center) : glm::dmat4(1.0);
}

}  // namespace

SpringSet springs_of_file(const rig::Character& character) {
  SpringSet out;
  for (std::size_t c = 0; c < character.spring_colliders.size(); ++c) {
    const rig::SpringBoneCollider& from = character.spring_colliders[c];
    out.colliders.push_back({.name = collider_name(c),
                             .joint = joint_reference(character.skeleton, from.joint),
                             .shape = from.shape,
                             .offset = from.offset,
                             .tail = from.tail,
                             .normal = from.normal,
                             .radius = from.radius,
                             .inside = from.inside});
  }
  rig::Pose pose = rig::rest_pose(character);
  rig::PoseBuilder rest(character.skeleton, pose);
  for (std::size_t s = 0; s < character.spring_bones.size(); ++s) {
    const rig::SpringBone& from = character.spring_bones[s];
    SpringChain chain;
    chain.name = from.name.empty() ? fmt::format("spring {}", s) : from.name;
    for (std::size_t j = 0; j + 1 < from.joints.size(); ++j) {
      const double length = rest_length(rest, from.joints[j].joint, from.joints[j + 1].joint);
      chain.joints.push_back(spring_joint(character, from.joints[j], length));
    }
    chain.end = joint_reference(character.skeleton, from.joints.back().joint);
    chain.center = from.center >= 0 ? joint_reference(character.skeleton, from.center) : "";
    for (const int c : from.colliders) {
      chain.colliders.push_back(collider_name(static_cast<std::size_t>(c)));
    }
    out.chains.push_back(std::move(chain));
  }
  return out;
}

VrmSprings::VrmSprings(const rig::Character& character, rig::PoseBuilder& pose) : character_(character) {
  for (const rig::SpringBoneCollider& from : character.spring_colliders) {
    colliders_.push_back(
        {from.joint, from.shape, from.offset, from.tail, from.normal, static_cast<double>(from.radius), from.inside});
  }
  for (const rig::SpringBone& spring : character.spring_bones) {
    for (std::size_t j = 0; j + 1 < spring.joints.size(); ++j) {
      const int joint = spring.joints[j].joint;
      const glm::dvec3 origin(pose.world(joint)[3]);
      const glm::dvec3 tip(pose.world(spring.joints[j + 1].joint)[3]);
      const double length = glm::distance(origin, tip);
      if (length > 0) {
        const glm::dvec3 in_center(glm::inverse(center_world(spring, pose)) * glm::dvec4(tip, 1.0));
        const glm::dvec3 axis = glm::conjugate(world_rotation(pose, joint)) * ((tip - origin) / length);
        joints_.push_back({spring.joints[j], &spring, axis, length, in_center, in_center});
      }
    }
  }
}

void VrmSprings::update(double seconds, rig::PoseBuilder& pose) {
  for (Joint& joint : joints_) {
    update(joint, seconds, pose);
  }
}

void VrmSprings::update(Joint& joint, double seconds, rig::PoseBuilder& pose) const {
  const int j = joint.of.joint;
  const int parent = character_.skeleton->parent[j];
  const glm::dquat above = parent >= 0 ? world_rotation(pose, parent) : glm::dquat(1, 0, 0, 0);
  const glm::dquat rest = normalized_or_identity(glm::dquat(character_.skeleton->rest[j].rotation));
  const glm::dmat4 center = center_world(*joint.spring, pose);
  const glm::dvec3 now(center * glm::dvec4(joint.now, 1.0));
  const glm::dvec3 before(center * glm::dvec4(joint.before, 1.0));
  const glm::dvec3 origin(pose.world(j)[3]);

  const glm::dvec3 inertia = (now - before) * (1 - static_cast<double>(joint.of.drag));
  const glm::dvec3 stiffness = above * rest * joint.axis * (static_cast<double>(joint.of.stiffness) * seconds);
  const glm::dvec3 external =
      glm::dvec3(joint.of.gravity_direction) * (static_cast<double>(joint.of.gravity_power) * seconds);
  const auto on_bone = [&](const glm::dvec3& tip) {
    const double apart = glm::distance(tip, origin);
    return apart > 0 ? origin + (tip - origin) * (joint.length / apart) : tip;
  };
  glm::dvec3 next = on_bone(now + inertia + stiffness + external);
  for (const int c : joint.spring->colliders) {
    glm::dvec3 normal;
    const SpringRig::Collider& collider = colliders_[c];
    if (push_out(collider, pose.world(collider.joint), static_cast<double>(joint.of.hit_radius), next, normal)) {
      next = on_bone(next);
    }
  }
  joint.before = joint.now;
  joint.now = glm::dvec3(glm::inverse(center) * glm::dvec4(next, 1.0));
  const glm::dvec3 to = glm::conjugate(above * rest) * glm::normalize(next - origin);
  Transform local = pose.local(j);
  local.rotation = glm::quat(rest * shortest_rotation(joint.axis, to));
  pose.set_local(j, local);
}

}  // namespace pelt::motion
