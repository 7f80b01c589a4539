#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bind/problem.h"
#include "mesh/triangle_bvh.h"

namespace pelt::bind {

/// A point of the surface.
struct SurfacePoint {
  std::size_t triangle = 0;
  glm::dvec3 corner = {};  ///< barycentric: how much each corner has of it
  glm::dvec3 where = {};
  double distance = 0;  ///< metres, from what was asked for
};

/// The point of a triangle that is nearest to p.
SurfacePoint nearest_on_triangle(const Problem& problem, std::size_t t, const glm::dvec3& p);

/// Finds the nearest points of a surface.
class SurfaceSearch {
 public:
  /// Borrows the problem.
  explicit SurfaceSearch(const Problem& problem);
  /// The nearest point within `limit` that is accepted; nothing where there is none.
  [[nodiscard]] std::optional<SurfacePoint> nearest(const glm::dvec3& p, double limit,
                                                    const std::function<bool(const SurfacePoint&)>& accept) const;

 private:
  const Problem& problem_;
  mesh::TriangleBvh tree_;
};

}  // namespace pelt::bind
