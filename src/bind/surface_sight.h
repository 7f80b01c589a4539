#pragma once

#include <vector>

#include "bind/problem.h"
#include "mesh/triangle_bvh.h"

namespace pelt::bind {

/// What can be seen along straight lines from the places of a surface.
class SurfaceSight {
 public:
  /// Which crossings stop the view: all, or those through a triangle's outer side.
  enum class Blocks : std::uint8_t { kBothSides, kOuterSide };

  /// Borrows the problem. @cost O(T log T)
  explicit SurfaceSight(const Problem& problem);

  /// Whether a triangle lies between place w and a point. Triangles of the place itself, those that the line grazes and
  /// those that only its ends touch do not count.
  [[nodiscard]] bool is_blocked(std::size_t w, const glm::dvec3& target, Blocks blocks) const;

 private:
  SurfaceSight(const Problem& problem, const glm::dvec3& origin);

  const Problem& problem_;
  glm::dvec3 origin_;  // of the tree, so that single precision suffices far from the world's
  mesh::TriangleBvh tree_;
};

}  // namespace pelt::bind
