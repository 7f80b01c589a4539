#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// One level of a progressive mesh.
struct SimplifiedLevel {
  Primitive primitive;                         ///< vertices of the source, in its order, as many as are used
  std::vector<std::uint32_t> source_vertex;    ///< [V]
  std::vector<std::uint32_t> source_triangle;  ///< [T]
  /// Largest over all collapses, metres: distance (root of the area-weighted mean square) of the survivor from the
  /// planes of all triangles whose corners have come together in it.
  double error = 0;
};

/// Coarser levels of a triangle mesh by collapsing edges to one of their ends, cheapest first.
///
/// The survivor keeps its position, influences, morph deltas and attributes, so each level's weights sum to 1 as the
/// source's do and no vertex is invented; level i + 1 goes on from level i. Vertices at one position count as one. A
/// collapse is done only where every copy of the vanishing vertex finds the survivor's copy on its own side of the edge
/// (seams of any attribute shrink along themselves and stay closed), where open borders shrink along themselves, where
/// the surface stays a surface (link condition), where no triangle turns by more than 75 degrees, and where each group
/// of triangles keeps one. Vertices on edges of more than two triangles stay. Deterministic; ties go to lower vertices.
/// Source: M. Garland, P. Heckbert, "Surface Simplification Using Quadric Error Metrics", SIGGRAPH 1997 (quadrics,
///         section 6: planes that hold borders); H. Hoppe, "Progressive Meshes", SIGGRAPH 1996 (half-edge collapses,
///         levels); T. Dey et al., "Topology Preserving Edge Contraction", 1999 (link condition).
/// @param target_triangles  one per level, descending; a level that cannot be reached holds what can
/// @param triangle_group    [T] none of these groups vanishes, or empty for one group
/// @pre  topology is triangles
/// @cost O((V + T) log T)
std::vector<SimplifiedLevel> simplify(const Primitive& primitive, std::span<const std::size_t> target_triangles,
                                      std::span<const std::uint32_t> triangle_group = {});

}  // namespace pelt::mesh
