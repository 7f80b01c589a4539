#pragma once

#include <span>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::deform {

/// algorithms.md §17: base + sum of weight times delta; targets of weight 0 cost nothing. Normals and tangents are left
/// un-normalised, tangent w is kept. Outputs are [V], or empty where the base has none; must not alias the base.
void apply_morph_targets(const mesh::Primitive& primitive, std::span<const float> weights,
                         std::span<glm::vec3> out_positions, std::span<glm::vec3> out_normals,
                         std::span<glm::vec4> out_tangents);

}  // namespace pelt::deform
