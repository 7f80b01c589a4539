#include "rig/own_bindings.h"

#include <algorithm>
#include <cmath>
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

// Where the residuals of a skin's joints begin.
std::size_t first_of_skin(const Character& character, const Pose& pose, int skin) {
  std::size_t first = pose.local.size();
  for (int s = 0; s < skin; ++s) {
    first += character.skins[static_cast<std::size_t>(s)].joints.size();
  }
  return first;
}

bool has_own_bindings(const Pose& pose) {
  return pose.residual.size() > pose.local.size();
}

}  // namespace

void add_own_bindings(const Character& character, Pose& pose) {
  PELT_EXPECT(!has_own_bindings(pose), "a pose without own bindings");
  if (character.skins.size() < 2) {
    return;
  }
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::mat4> own;
  bool any = false;
  for (const Skin& skin : character.skins) {
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const glm::dmat4 moved = glm::dmat4(skin_matrix(skin, world.world(), k));
      const glm::dmat4 from_joint =
          glm::inverse(glm::dmat4(skin.joint_from_mesh[k]) * glm::dmat4(world[skin.joints[k]]));
      // With it the skin's matrix is the identity: world * own * joint_from_mesh = 1.
      if (is_identity(moved, glm::length(glm::dvec3(world[skin.joints[k]][3]))) || !is_finite(from_joint)) {
        own.emplace_back(1.0f);
      } else {
        own.emplace_back(from_joint);
        any = true;
      }
    }
  }
  if (any) {
    pose.residual.resize(pose.local.size(), glm::mat4(1.0f));
    pose.residual.insert(pose.residual.end(), own.begin(), own.end());
  }
}

glm::dmat4 posed_joint_from_mesh(const Character& character, const Pose& pose, int skin, std::size_t k) {
  const glm::dmat4 joint_from_mesh(character.skins[static_cast<std::size_t>(skin)].joint_from_mesh[k]);
  return has_own_bindings(pose) ? glm::dmat4(pose.residual[first_of_skin(character, pose, skin) + k]) * joint_from_mesh
                                : joint_from_mesh;
}

glm::mat4 posed_skin_matrix(const Character& character, const Pose& pose, std::span<const glm::mat4> world, int skin,
                            std::size_t k) {
  const Skin& source = character.skins[static_cast<std::size_t>(skin)];
  if (!has_own_bindings(pose)) {
    return skin_matrix(source, world, k);
  }
  const glm::mat4& own = pose.residual[first_of_skin(character, pose, skin) + k];
  return own == glm::mat4(1.0f) ? skin_matrix(source, world, k)
                                : glm::mat4(glm::dmat4(world[static_cast<std::size_t>(source.joints[k])]) *
                                            glm::dmat4(own) * glm::dmat4(source.joint_from_mesh[k]));
}

void posed_skin_matrices(const Character& character, const Pose& pose, std::span<const glm::mat4> world, int skin,
                         std::span<glm::mat4> out) {
  PELT_EXPECT(out.size() == character.skins[static_cast<std::size_t>(skin)].joints.size(), "one per joint of the skin");
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = posed_skin_matrix(character, pose, world, skin, k);
  }
}

}  // namespace pelt::rig
