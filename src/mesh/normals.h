#pragma once

#include <cstdint>
#include <span>

#include <glm/glm.hpp>

namespace pelt::mesh {

/// ALGORITHMS.md §13 variant g: area-weighted vertex normals of a triangle mesh as it stands. Vertices at the same
/// position in `weld_positions` share one normal, so seams stay smooth. A vertex of no area (or none that is finite)
/// gets +Y.
/// @param positions       [V]
/// @param weld_positions  [V] positions that decide which vertices are one (the bind shape), or empty for none
/// @param indices         3 per triangle
/// @param out_normals     [V] unit; must not alias positions
/// @pre every index < V
void compute_vertex_normals(std::span<const glm::vec3> positions, std::span<const glm::vec3> weld_positions,
                            std::span<const std::uint32_t> indices, std::span<glm::vec3> out_normals);

}  // namespace pelt::mesh
