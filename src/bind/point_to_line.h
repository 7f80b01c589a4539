#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/binders.h"

namespace pelt::bind {

/// By distance to the segments of the bones, ALGORITHMS.md §32: w ~ d^-m over the K nearest bones, or the nearest
/// alone. A bone at distance 0 takes the place alone (several share it). Blind to the surface: binds across gaps.
std::span<const Field> point_to_line_fields();
std::optional<Binding> bind_point_to_line(const Problem& problem, std::span<const double> values,
                                          const Watcher& watcher);

/// The plane through a bone's pivot that halves the angle between the bone and its parent: places before it belong to
/// the parent, places beyond it to the child. For the variant of Sun et al., and to be drawn.
struct BisectingPlane {
  std::size_t child = 0;
  std::size_t parent = 0;
  int tail = -1;           ///< which segment of the parent leads to the child; -1: none does
  glm::dvec3 pivot = {};   ///< the child's head
  glm::dvec3 normal = {};  ///< of length 1, from the parent to the child: the sum of both directions
};

/// One for each bone with a parent, by child, but for bones without a direction or that turn straight back.
std::vector<BisectingPlane> bisecting_planes(const Problem& problem);

/// Metres before (below 0) or beyond the plane.
inline double side_of(const BisectingPlane& plane, const glm::dvec3& p) {
  return glm::dot(p - plane.pivot, plane.normal);
}

}  // namespace pelt::bind
