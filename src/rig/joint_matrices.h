#pragma once

#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"

namespace pelt::rig {

/// A joint as one of the skins that list it has it, ALGORITHMS.md §8.
struct SkinJoint {
  int skin = 0;
  int slot = 0;               ///< place in the skin's joint list
  glm::mat4 joint_from_mesh;  ///< B^-1, the inverse bind matrix
  glm::mat4 skin_matrix;      ///< M = W B^-1: what happened to the joint since binding
  double residual = 0;        ///< largest element of M - 1 by size: 0 in the bind pose
  double off_rigid = 0;       ///< largest element of A^T A - 1 by size, A the linear part of M: 0 for a rotation
};

/// The matrices that decide what a joint does.
struct JointMatrices {
  glm::mat4 local;               ///< L: parent from joint
  glm::mat4 world;               ///< W: world from joint
  std::vector<SkinJoint> skins;  ///< those that list it, in the character's order
};

/// @param world  [J] world matrices of `pose`  @param joint  skeleton index
JointMatrices joint_matrices(const Character& character, const Pose& pose, std::span<const glm::mat4> world, int joint);

}  // namespace pelt::rig
