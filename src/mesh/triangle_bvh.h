#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "math/transform.h"

namespace pelt::mesh {

/// A tree of boxes over the triangles of a mesh, halved at the median of their centroids. Borrows nothing.
class TriangleBvh {
 public:
  /// @param positions  [V] @param indices  3 per triangle; triangles with a corner that is not finite are left out
  /// @cost O(F log F)
  TriangleBvh(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices);

  /// Calls `visit(t)` for every triangle in a box that meets `box`, in an order that depends on the mesh alone.
  template <typename Visit>
  void for_each_near(const Bounds& box, Visit&& visit) const {
    walk([&](const Bounds& node) { return meets(node, box); }, visit);
  }
  /// The same for boxes that the ray meets at a distance from 0 to `limit`, which `visit` may lower.
  template <typename Visit>
  void for_each_along(const glm::dvec3& origin, const glm::dvec3& direction, const double& limit, Visit&& visit) const {
    walk([&](const Bounds& node) { return meets(node, origin, direction, limit); }, visit);
  }

  /// The same for boxes that come within `limit` of a point, which `visit` may lower. @param slack  added to the limit
  template <typename Visit>
  void for_each_within(const glm::dvec3& point, double slack, const double& limit, Visit&& visit) const {
    walk([&](const Bounds& node) { return distance(node, point) <= limit + slack; }, visit);
  }

 private:
  struct Node {
    Bounds bounds;
    std::uint32_t first = 0;  ///< of triangles_ in a leaf, else the left child; the right one follows it
    std::uint32_t count = 0;  ///< triangles of a leaf, 0 for an inner node
  };

  static bool meets(const Bounds& a, const Bounds& b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
  }
  static bool meets(const Bounds& box, const glm::dvec3& origin, const glm::dvec3& direction, double limit);
  static double distance(const Bounds& box, const glm::dvec3& point) {
    return glm::length(point - glm::clamp(point, glm::dvec3(box.lower), glm::dvec3(box.upper)));
  }

  template <typename Enter, typename Visit>
  void walk(Enter&& enter, Visit&& visit) const {
    if (nodes_.empty()) {
      return;
    }
    std::uint32_t stack[64];  // halving leaves fewer than 32 levels, each of which keeps one sibling waiting
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const Node& node = nodes_[stack[--depth]];
      if (!enter(node.bounds)) {
        continue;
      }
      if (node.count == 0) {
        stack[depth++] = node.first + 1;
        stack[depth++] = node.first;
        continue;
      }
      for (std::uint32_t i = 0; i < node.count; ++i) {
        visit(triangles_[node.first + i]);
      }
    }
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> triangles_;
};

/// Pairs of triangles that cut through each other, in parts of one surface that share no vertex (welded ones are one).
///
/// Tested by the overlap of the two segments in which each triangle meets the other's plane (Möller, "A Fast
/// Triangle-Triangle Intersection Test", Journal of Graphics Tools 2(2), 1997), in double precision without exact
/// predicates: contact without crossing and overlap within one plane do not count, and a pair that penetrates by less
/// than rounding may go either way.
/// @param positions  [V] @param indices  3 per triangle
/// @param welded     [V] vertices with equal entries are one
/// @cost O(F log F) for surfaces that do not cross everywhere
std::int64_t count_self_intersections(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices,
                                      std::span<const std::uint32_t> welded);

}  // namespace pelt::mesh
