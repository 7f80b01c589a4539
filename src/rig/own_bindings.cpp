#include "rig/own_bindings.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/expect.h"
#include "rig/kinematics.h"

namespace pelt::rig {
namespace {

// As much as rounding leaves between a joint's world matrix and the inverse of its inverse bind matrix, in any element
// of the linear part, and of the translation relative to how far the joint is from the origin.
constexpr double kSameBinding = 1e-5;

bool is_identity(const glm::dmat4& m, double distance) {
  double linear = 0;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      linear = std::max(linear, std::abs(m[c][r] - (c == r ? 1.0 : 0.0)));
    }
  }
  return linear <= kSameBinding && glm::length(glm::dvec3(m[3])) <= kSameBinding * std::max(1.0, distance);
}

bool is_finite(const glm::dmat4& m) {
  double sum = 0;
  for (int c = 0; c < 4; ++c) {
    sum += std::abs(m[c].x) + std::abs(m[c].y) + std::abs(m[c].z) + std::abs(m[c].w);
  }
  return std::isfinite(sum);
}

// What the pose adds to the binding of the joint at place `k` of a skin; null where it adds nothing.
const glm::mat4* own_binding(const Pose& pose, int skin, std::size_t k) {
  if (pose.own_bindings.empty()) {
    return nullptr;
  }
  const std::vector<glm::mat4>& own = pose.own_bindings[skin];
  return own.empty() || own[k] == glm::mat4(1.0f) ? nullptr : &own[k];
}

}  // namespace

void add_own_bindings(const Character& character, Pose& pose) {
  PELT_EXPECT(pose.own_bindings.empty(), "a pose without own bindings");
  if (character.skins.size() < 2) {
    return;
  }
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<std::vector<glm::mat4>> own(character.skins.size());
  bool any = false;
  for (std::size_t s = 0; s < own.size(); ++s) {
    const Skin& skin = character.skins[s];
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const glm::dmat4 moved = glm::dmat4(skin_matrix(skin, world.world(), k));
      const glm::dmat4 from_joint =
          glm::inverse(glm::dmat4(skin.joint_from_mesh[k]) * glm::dmat4(world[skin.joints[k]]));
      // With it the skin's matrix is the identity: world * own * joint_from_mesh = 1.
      if (!is_identity(moved, glm::length(glm::dvec3(world[skin.joints[k]][3]))) && is_finite(from_joint)) {
        own[s].resize(skin.joints.size(), glm::mat4(1.0f));
        own[s][k] = from_joint;
        any = true;
      }
    }
  }
  if (any) {
    pose.own_bindings = std::move(own);
  }
}

glm::dmat4 posed_joint_from_mesh(const Character& character, const Pose& pose, int skin, std::size_t k) {
  const glm::dmat4 joint_from_mesh(character.skins[skin].joint_from_mesh[k]);
  const glm::mat4* const own = own_binding(pose, skin, k);
  return own != nullptr ? glm::dmat4(*own) * joint_from_mesh : joint_from_mesh;
}

glm::dmat4 posed_world_from_joint(const Character& character, const Pose& pose, std::span<const glm::mat4> world,
                                  int skin, std::size_t k) {
  if (!pose.skinned) {
    return glm::inverse(posed_joint_from_mesh(character, pose, skin, k));
  }
  const int joint = character.skins[skin].joints[k];
  const glm::dmat4 world_from_joint(world[joint]);
  const glm::mat4* const own = own_binding(pose, skin, k);
  return own != nullptr ? world_from_joint * glm::dmat4(*own) : world_from_joint;
}

glm::mat4 posed_skin_matrix(const Character& character, const Pose& pose, std::span<const glm::mat4> world, int skin,
                            std::size_t k) {
  if (!pose.skinned) {
    return glm::mat4(1.0f);
  }
  const Skin& source = character.skins[skin];
  return own_binding(pose, skin, k) == nullptr ? skin_matrix(source, world, k)
                                               : glm::mat4(posed_world_from_joint(character, pose, world, skin, k) *
                                                           glm::dmat4(source.joint_from_mesh[k]));
}

void posed_skin_matrices(const Character& character, const Pose& pose, std::span<const glm::mat4> world, int skin,
                         std::span<glm::mat4> out) {
  PELT_EXPECT(out.size() == character.skins[skin].joints.size(), "one per joint of the skin");
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = posed_skin_matrix(character, pose, world, skin, k);
  }
}

}  // namespace pelt::rig
