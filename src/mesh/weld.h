#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// For each vertex the lowest vertex at the same position, bit for bit (-0 as +0). @cost O(V)
std::vector<std::uint32_t> weld_by_position(std::span<const glm::vec3> positions);

/// For each vertex the lowest vertex that can never part from it: same position, same influences as stored, same
/// position deltas in all morph targets. Seams of texture coordinates and normals are closed by it, seams of differing
/// weights are not. @cost O(V * (K + morph targets))
std::vector<std::uint32_t> weld_by_motion(const Primitive& primitive);

/// For each vertex the lowest vertex that is its copy: every attribute, its influences and all morph deltas are the
/// same bit for bit (-0 as +0 but for kept ones), so that one can stand for the other. @cost O(V * (K + morph targets))
std::vector<std::uint32_t> weld_copies(const Primitive& primitive);

/// One side of one triangle, its ends as welded vertices.
struct EdgeUse {
  std::uint32_t low = 0, high = 0;  ///< welded ends, low < high
  std::uint32_t opposite = 0;       ///< the triangle's third corner, welded
  std::uint32_t corner = 0;         ///< where in `indices` the side begins; it ends at next_corner()

  [[nodiscard]] bool same_edge(const EdgeUse& other) const { return low == other.low && high == other.high; }
};

/// The corner after `corner` in its triangle.
constexpr std::size_t next_corner(std::size_t corner) {
  return corner % 3 == 2 ? corner - 2 : corner + 1;
}

/// All sides of all triangles ordered by (low, high, opposite, corner), so that the uses of an edge stand together.
/// Triangles with two corners in one welded vertex have none. @cost O(T log T)
/// @param weld  [V] as from the functions above
std::vector<EdgeUse> edge_uses(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> weld);

/// The end of the run of uses that starts at `begin`: all of one edge.
std::size_t edge_end(std::span<const EdgeUse> uses, std::size_t begin);

}  // namespace pelt::mesh
