#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/adjacency.h"

namespace pelt::mesh {

/// Where a place is in some shape: the bind shape or a posed one, metres.
using PlacePosition = std::function<glm::vec3(std::uint32_t place)>;

/// The places within a distance of one along the edges of a surface.
struct SurfaceDisc {
  std::vector<std::uint32_t> place;  ///< [n] nearest first (ties: the lowest); the middle is the first
  std::vector<float> distance;       ///< [n] from the middle along edges, metres; below the radius
};

/// How strong a brush of that radius is at that distance, ALGORITHMS.md §39: (1 - (d/R)^2)^2, 0 from R on.
float brush_falloff(float distance, float radius);

/// Finds discs by Dijkstra's algorithm over edges: a path along edges is at least as long as the one across the
/// triangles, and gaps between shells are never crossed. Keeps its memory from one disc to the next.
class DiscSearch {
 public:
  /// The disc round `middle`; it alone where the radius is not above zero.
  /// @param adjacency  of welded places, [W]
  /// @pre  middle < W
  /// @cost O(n log n) for n places found and their neighbours; O(W) where the surface is larger than any before
  SurfaceDisc find(const Adjacency& adjacency, const PlacePosition& position, std::uint32_t middle, float radius);

 private:
  std::vector<float> distance_;      // [W] means something where the mark is that of this search
  std::vector<std::uint32_t> mark_;  // [W]
  std::uint32_t search_ = 0;
};

}  // namespace pelt::mesh
