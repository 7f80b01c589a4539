#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pelt::mesh {

/// What lies round each vertex of a mesh of triangles and lines: compressed rows.
struct Adjacency {
  std::vector<std::uint32_t> offset;    ///< [V + 1]
  std::vector<std::uint32_t> neighbor;  ///< vertices that share an edge with it, ascending, each once

  /// The other two corners of each triangle at a vertex, in its order, so that cross(b - v, c - v) points out; by
  /// ascending triangle.
  std::vector<std::uint32_t> corner_offset;  ///< [V + 1]
  std::vector<std::array<std::uint32_t, 2>> corners;

  [[nodiscard]] std::size_t vertex_count() const { return offset.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> neighbors(std::size_t v) const {
    return std::span(neighbor).subspan(offset[v], offset[v + 1] - offset[v]);
  }
  [[nodiscard]] std::span<const std::array<std::uint32_t, 2>> corners_at(std::size_t v) const {
    return std::span(corners).subspan(corner_offset[v], corner_offset[v + 1] - corner_offset[v]);
  }
};

/// @param triangles  3 per triangle, no corner twice, every index < vertex_count
/// @param lines      2 per line, no end twice, every index < vertex_count: neighbours without corners
/// @cost O(V + T + L)
Adjacency make_adjacency(std::size_t vertex_count, std::span<const std::uint32_t> triangles,
                         std::span<const std::uint32_t> lines = {});

}  // namespace pelt::mesh
