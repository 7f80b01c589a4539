#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// All primitives of one mesh as one surface: what methods that look at a vertex's neighbourhood work on, so that
/// neither texture seams nor borders between materials are borders to them. Points and lines have vertices but no
/// triangles.
struct MeshSurface {
  std::vector<const Primitive*> primitives;      ///< [P] of the mesh, in its order; not owned
  std::vector<const Influences*> influences;     ///< [P] as they are used; `empty()` where not skinned; not owned
  std::vector<std::uint32_t> first;              ///< [P + 1] where a primitive's vertices begin among all V
  std::vector<std::uint32_t> welded;             ///< [V] which of the W distinct bind places a vertex is at
  std::vector<std::uint32_t> representative;     ///< [W] the first vertex there, preferring skinned ones
  std::vector<std::uint32_t> triangles;          ///< [3 T] welded vertices; those with a repeated corner left out
  glm::dmat3 shape_from_mesh = glm::dmat3(1.0);  ///< of the skin's binding: lengths and areas are those behind it

  [[nodiscard]] std::size_t vertex_count() const { return welded.size(); }
  [[nodiscard]] std::size_t welded_count() const { return representative.size(); }
};

/// Vertices are welded where bind positions are equal but for rounding: within a millionth of the longest side of all.
/// @param influences       one per primitive
/// @param shape_from_mesh  see SkinBinding
MeshSurface make_mesh_surface(std::span<const Primitive* const> primitives,
                              std::span<const Influences* const> influences,
                              const glm::dmat3& shape_from_mesh = glm::dmat3(1.0));

/// What moves with the skin, without the seams: the welded vertices as one shape.
struct WeldedShape {
  std::vector<glm::dvec3> positions;     ///< [W] of the representatives, mesh space
  FlatInfluences influences;             ///< [W] of the representatives; empty rows where those are not skinned
  std::vector<std::uint32_t> triangles;  ///< 3 each, of the skinned primitives; no corner twice
};
WeldedShape welded_shape(const MeshSurface& surface);

/// A vertex of a surface within its primitive.
struct VertexPlace {
  std::size_t primitive;
  std::size_t vertex;
};
/// @param v  among all V
VertexPlace place_of(const MeshSurface& surface, std::uint32_t v);

}  // namespace pelt::mesh
