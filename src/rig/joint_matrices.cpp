#include "rig/joint_matrices.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"
#include "rig/own_bindings.h"

namespace pelt::rig {
namespace {

template <glm::length_t N>
double largest_off_identity(const glm::mat<N, N, double>& m) {
  double largest = 0;
  for (glm::length_t c = 0; c < N; ++c) {
    for (glm::length_t r = 0; r < N; ++r) {
      largest = std::max(largest, std::abs(m[c][r] - (c == r ? 1.0 : 0.0)));
    }
  }
  return largest;
}

}  // namespace

JointMatrices joint_matrices(const Character& character, const Pose& pose, std::span<const glm::mat4> world,
                             int joint) {
  PELT_EXPECT(joint >= 0 && joint < character.skeleton->size(), "joint index out of range");
  JointMatrices out;
  out.local = local_matrix(pose, joint);
  out.world = world[joint];
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    const Skin& skin = character.skins[s];
    const auto found = std::ranges::find(skin.joints, joint);
    if (found == skin.joints.end()) {
      continue;
    }
    const std::size_t slot = found - skin.joints.begin();
    SkinJoint one;
    one.skin = static_cast<int>(s);
    one.slot = static_cast<int>(slot);
    one.joint_from_mesh = skin.joint_from_mesh[slot];
    one.skin_matrix = posed_skin_matrix(character, pose, world, static_cast<int>(s), slot);
    const glm::dmat3 linear(one.skin_matrix);
    one.residual = largest_off_identity(glm::dmat4(one.skin_matrix));
    one.off_rigid = largest_off_identity(glm::transpose(linear) * linear);
    out.skins.push_back(one);
  }
  return out;
}

}  // namespace pelt::rig
