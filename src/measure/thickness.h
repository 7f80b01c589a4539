#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "measure/surface.h"

namespace pelt::measure {

/// The point of the skin opposite to a triangle: where the inward normal through its centroid leaves the body. One ray
/// of the shape diameter function: Shapira, Shamir, Cohen-Or, "Consistent mesh partitioning and skeletonisation using
/// the shape diameter function", The Visual Computer 24(4), 2008.
struct Opposite {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t triangle = kNone;  ///< kNone: open or without area
  double u = 0;                    ///< barycentric, of that triangle's second corner
  double v = 0;                    ///< of its third
};

/// One per triangle. @param positions  [V] of the bind shape @cost one ray per triangle, on all threads
std::vector<Opposite> find_opposites(const Surface& surface, std::span<const glm::vec3> positions);

/// Six times the signed volume of the tetrahedron between triangle t and its opposite point, which keeps its
/// barycentric coordinates in any deformation; 0 where there is none.
double six_local_volumes(const Surface& surface, const Opposite& opposite, std::span<const glm::vec3> positions,
                         std::size_t t);

}  // namespace pelt::measure
