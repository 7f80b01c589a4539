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

  bool operator==(const Pose&) const = default;
};

/// L_j = T * R * S * residual. @param out [J]
void local_matrices(const Pose& pose, std::span<glm::mat4> out);
glm::mat4 local_matrix(const Pose& pose, int j);

}  // namespace pelt::rig
