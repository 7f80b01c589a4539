#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bind/problem.h"

namespace pelt::bind {

/// Generalised winding numbers of a soup of triangles: 1 inside of a closed surface that faces outwards, 0 outside, and
/// in between where it is open.
///
/// Far triangles count as one dipole at their common centre.
/// Source: A. Jacobson, L. Kavan, O. Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding
///         Numbers", SIGGRAPH 2013; G. Barill et al., "Fast Winding Numbers for Soups and Clouds", SIGGRAPH 2018.
class SolidAngleTree {
 public:
  /// Borrows the problem. @cost O(T log T)
  explicit SolidAngleTree(const Problem& problem);
  /// To 0.05, which suffices to tell sides. Safe to call concurrently. @cost about O(log T)
  [[nodiscard]] double winding(const glm::dvec3& p) const;
  /// Whether more than half inside, of surfaces that face either way.
  [[nodiscard]] bool is_inside(const glm::dvec3& p) const { return winding(p) > 0.5 || winding(p) < -0.5; }

 private:
  struct Node {
    glm::dvec3 center = {};  // of the areas
    glm::dvec3 normal = {};  // sum of area normals
    double radius = 0;       // round the centre, holds all corners
    std::uint32_t first = 0;
    std::uint32_t count = 0;  // of triangles_; an inner node's children are `left` and the one after it
    std::uint32_t left = 0;   // 0 for a leaf
  };
  void build(std::uint32_t at);

  const Problem& problem_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> triangles_;
};

}  // namespace pelt::bind
