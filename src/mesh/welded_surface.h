#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/adjacency.h"
#include "mesh/mesh.h"

namespace pelt::mesh {

/// All primitives of a mesh as one surface of welded places and what lies round each: what edits of weights work on.
/// Knows nothing of weights and keeps the arrays that it was made of, so that it holds for every copy of the mesh
/// that shares them, whatever is painted there. V vertices of all primitives one after the other, W places.
struct WeldedSurface {
  /// What of a primitive decides the surface.
  struct Source {
    Topology topology = Topology::kTriangles;
    SharedArray<glm::vec3> positions;
    SharedArray<std::uint32_t> indices;
  };
  std::vector<Source> sources;             ///< [P] primitives
  std::vector<std::uint32_t> first;        ///< [P + 1] where a primitive's vertices begin among all V
  std::vector<std::uint32_t> place;        ///< [V] which of the places a vertex is at
  std::vector<std::uint32_t> copy_offset;  ///< [W + 1]
  std::vector<std::uint32_t> copy;         ///< [V] vertices by their place, ascending
  Adjacency adjacency;                     ///< [W] by edges of triangles and by lines

  [[nodiscard]] std::size_t vertex_count() const { return place.size(); }
  [[nodiscard]] std::size_t place_count() const { return copy_offset.size() - 1; }
  /// The vertices at a place, at least one.
  [[nodiscard]] std::span<const std::uint32_t> copies(std::size_t w) const {
    return std::span(copy).subspan(copy_offset[w], copy_offset[w + 1] - copy_offset[w]);
  }
  /// The primitive that a vertex belongs to. @param v  among all V
  [[nodiscard]] std::size_t primitive_of(std::uint32_t v) const;
  /// Where the place's first vertex is in the bind shape, mesh space, metres.
  [[nodiscard]] glm::vec3 position(std::size_t w) const;
};

/// Vertices are welded where bind positions are equal but for rounding, see make_mesh_surface(). Triangles and lines
/// with both ends in one place have no edge there. @cost O(V + T)
std::shared_ptr<const WeldedSurface> welded_surface(const Mesh& mesh);

/// Whether it was made of the arrays that this mesh holds. @cost O(primitives)
bool is_surface_of(const WeldedSurface& surface, const Mesh& mesh);

}  // namespace pelt::mesh
