#pragma once

#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "math/transform.h"
#include "rig/skeleton.h"

namespace pelt::rig {

/// Local transforms of every node and morph weights: all that a pose is.
struct Pose {
  std::vector<Transform> local;      ///< [J]
  std::vector<glm::mat4> residual;   ///< [J] applied after TRS, or empty when none is needed
  std::vector<float> morph_weights;  ///< flat; node j's weights are at Character::morph_offset[j]
  /// [skins] of [the skin's joints]: between a joint's world matrix and its inverse bind matrix, see own_bindings.h.
  /// Empty of a skin that was bound as the others, and where all were.
  std::vector<std::vector<glm::mat4>> own_bindings;
  bool skinned = true;  ///< false: skins leave their vertices where they were bound, whatever the joints do

  bool operator==(const Pose&) const = default;
};

/// L_j = T * R * S * residual. @param out [J]
void local_matrices(const Pose& pose, std::span<glm::mat4> out);
glm::mat4 local_matrix(const Pose& pose, int j);

}  // namespace pelt::rig
