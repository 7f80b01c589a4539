#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/joined.h"
#include "mesh/mesh.h"

namespace pelt::mesh {

/// A vertex strictly inside an edge that it does not belong to. Vertices at one position count as one; the numbers are
/// those of the lowest vertex at each position.
struct TJunction {
  std::uint32_t vertex = 0;
  std::uint32_t a = 0, b = 0;  ///< the edge's ends, a < b
  float parameter = 0;         ///< nearest point on the edge: 0 at a, 1 at b

  bool operator==(const TJunction&) const = default;
};

/// No more are listed: enough to show, and to split in turns; a hostile file could name V * T.
inline constexpr std::size_t kMostTJunctions = 100'000;

/// ALGORITHMS.md §52: all T-junctions of a triangle mesh, ordered by edge, then parameter. A vertex is inside an edge
/// where its distance from it is below eps = 1e-5 of the bounding box's diagonal and its foot lies more than eps from
/// either end (nearer, it is a duplicate of that end). A triangle that has both the edge and the vertex spans the gap,
/// so no crack can open there; it has no area and is listed by find_zero_area_triangles() instead. Nor is there
/// anything to open where the edge has more than one triangle and the vertex no open edge: two closed surfaces touch by
/// chance. Source: ALGORITHMS.md §52. A tree of the vertices takes the place of a grid, whose cells overflow where long
/// edges
///         pass a dense part; the result does not depend on the number of threads.
/// @param positions  [V] @param indices  3 per triangle, each < V
/// @cost O((V + T) log V) for edges that are not all long
std::vector<TJunction> find_t_junctions(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices);

/// The crack that a T-junction shows in a pose: distance of the vertex from the segment a b, in the unit of `posed`.
double posed_crack(const TJunction& junction, std::span<const glm::vec3> posed);

/// True where the crack can open: influences or position deltas of vertex and ends are not all the same, so that some
/// affine motions of the joints part them.
bool can_open(const Primitive& primitive, const TJunction& junction);

/// Splits every edge that has T-junctions at them, in each triangle on it (copies at seams too), without triangles of
/// no area. The vertex that a split adds stands where the junction's vertex stands and has its influences and position
/// deltas, so the two move alike in every pose, under every method that looks at no neighbours, and no crack opens;
/// normals, tangents, texture coordinates and colours are those of the edge at the parameter. Old vertices keep their
/// numbers, new ones follow.
/// @param out_source_triangle  if given, receives for each triangle of the result the one it is cut from
Primitive split_t_junctions(const Primitive& primitive, std::span<const TJunction> junctions,
                            std::vector<std::uint32_t>* out_source_triangle = nullptr);

/// All T-junctions of a mesh split, those between its primitives too. A mesh without any is returned as it is.
Mesh without_t_junctions(const Mesh& mesh);

}  // namespace pelt::mesh
