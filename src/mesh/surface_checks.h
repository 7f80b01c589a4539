#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::mesh {

// The tests of ALGORITHMS.md §52 besides T-junctions. Positions are [V], indices 3 per triangle, each < V; vertices at
// one position count as one and are named by the lowest of them.

/// Weights that differ by less count as equal: a crack below 1e-4 of how far two joints part.
inline constexpr float kEqualWeights = 1e-4f;

/// Two vertices at one position whose weights differ: the surface tears there when its joints part.
struct OpenSeam {
  std::uint32_t vertex = 0;                ///< the lowest at the position
  std::uint32_t other = 0;                 ///< whose weights differ most from it
  float difference = 0;                    ///< largest over the joints, normalised weights
  std::vector<std::uint32_t> copies = {};  ///< all at the position, ascending
};

/// Largest difference of normalised weights between two vertices, over all joints.
float largest_weight_difference(const InfluenceRow& a, const InfluenceRow& b);
float largest_weight_difference(const Influences& influences, std::uint32_t v, std::uint32_t w);

/// Positions whose vertices differ by kEqualWeights or more, in ascending order. @cost O(V * K)
std::vector<OpenSeam> find_open_seams(const Primitive& primitive);

/// Edges on more than two triangles, as their ends, ascending. @cost O(T log T)
std::vector<std::array<std::uint32_t, 2>> find_non_manifold_edges(std::span<const glm::vec3> positions,
                                                                  std::span<const std::uint32_t> indices);

/// Triangles whose height over their longest side is at most 1e-7 of the bounding box's diagonal, which is what single
/// precision leaves of collinear corners. Ascending.
std::vector<std::uint32_t> find_zero_area_triangles(std::span<const glm::vec3> positions,
                                                    std::span<const std::uint32_t> indices);

}  // namespace pelt::mesh
