#include "edit/collider_edits.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "motion/controls.h"
#include "rig/kinematics.h"
#include "rig/pose_builder.h"

namespace pelt::edit {
namespace {

constexpr float kBoneless = 0.1f;  // metres, where nothing tells how long a bone is
// Radii, of the bone's length: a thigh is about a quarter of its length thick, a head rounder.
constexpr float kSphereShare = 0.35f;
constexpr float kCapsuleShare = 0.22f;

std::string free_collider_name(const std::vector<motion::SpringCollider>& colliders, const std::string& joint) {
  std::string name = joint;
  for (int number = 2; std::ranges::find(colliders, name, &motion::SpringCollider::name) != colliders.end(); ++number) {
    name = fmt::format("{} {}", joint, number);
  }
  return name;
}

}  // namespace

motion::SpringCollider fitting_collider(const rig::Character& character, rig::ColliderShape shape, int joint) {
  const rig::Skeleton& skeleton = character.skeleton;
  PELT_EXPECT(has_index(skeleton.parent, joint), "joint index out of range");
  rig::Pose rest = rig::rest_pose(character);
  rig::PoseBuilder pose(skeleton, rest);
  const glm::dmat3 world(pose.world(joint));
  const float known = rig::bone_length(skeleton, joint);
  const float length = known > 0 ? known : kBoneless;
  motion::SpringCollider out{.joint = motion::joint_reference(skeleton, joint), .shape = shape};
  const glm::dvec3 along = world * glm::dvec3(rig::bone_direction(skeleton, joint));
  const double stretch = glm::length(along);
  const glm::vec3 tip =
      stretch > 0 ? rig::bone_direction(skeleton, joint) * static_cast<float>(static_cast<double>(length) / stretch)
                  : glm::vec3(0);
  switch (shape) {
    case rig::ColliderShape::kSphere:
      out.offset = tip * 0.5f;
      out.radius = kSphereShare * length;
      break;
    case rig::ColliderShape::kCapsule:
      out.tail = tip;
      out.radius = kCapsuleShare * length;
      break;
    case rig::ColliderShape::kPlane: {
      // The cofactors of the world's axes take the transposed ones of a direction back to it.
      const glm::dvec3 up = glm::transpose(world) * glm::dvec3(0, 1, 0);
      out.normal = glm::length(up) > 0 ? glm::vec3(glm::normalize(up)) : out.normal;
      break;
    }
  }
  return out;
}

SetSprings with_collider(const Document& document, rig::ColliderShape shape, int joint) {
  SetSprings out{document.content.behaviour->springs};
  motion::SpringCollider made = fitting_collider(*document.character, shape, joint);
  made.name = free_collider_name(out.springs.colliders, document.character->skeleton->label(joint));
  for (motion::SpringChain& chain : out.springs.chains) {
    chain.colliders.push_back(made.name);
  }
  out.springs.colliders.push_back(std::move(made));
  return out;
}

SetSprings without_collider(const Document& document, std::size_t collider) {
  SetSprings out{document.content.behaviour->springs};
  PELT_EXPECT(collider < out.springs.colliders.size(), "collider index out of range");
  const std::string name = out.springs.colliders[collider].name;
  out.springs.colliders.erase(out.springs.colliders.begin() + static_cast<std::ptrdiff_t>(collider));
  for (motion::SpringChain& chain : out.springs.chains) {
    std::erase(chain.colliders, name);
  }
  return out;
}

}  // namespace pelt::edit
