#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

namespace pelt::bind {

/// How often a surface goes round a point: 1 within a closed one, 0 outside of it, in between at holes.
///
/// Sum of the solid angles of the triangles over 4 pi; triangles far off are taken together as one dipole, which is
/// good to a few hundredths. Source: A. Jacobson et al. 2013 and G. Barill et al. 2018, see voxels.h.
class WindingTree {
 public:
  /// @param turned  [T] or empty: triangles to be taken the other way round
  WindingTree(std::span<const glm::dvec3> positions, std::span<const std::array<std::uint32_t, 3>> triangles,
              std::span<const char> turned);
  /// @param reaches  so many radii away triangles count as one; more is slower and better
  /// @cost O(log T)
  [[nodiscard]] double at(const glm::dvec3& p, double reaches = 2.3) const;
  /// So many radii keep winding numbers within 0.05.
  static constexpr double kCloseReaches = 3;
  /// Whether more than half inside, of surfaces that face either way.
  [[nodiscard]] bool is_inside(const glm::dvec3& p) const { return std::abs(at(p, kCloseReaches)) > 0.5; }

 private:
  struct Node {
    glm::dvec3 middle = {};   ///< of the area
    glm::dvec3 area = {};     ///< sum of the triangles' normals times areas
    double reach = 0;         ///< from the middle to the farthest corner
    std::uint32_t first = 0;  ///< of triangles_ in a leaf, else the left child; the right one follows it
    std::uint32_t count = 0;  ///< of a leaf, 0 for an inner node
  };
  void build(std::uint32_t node, std::uint32_t begin, std::uint32_t end);

  std::vector<std::array<glm::dvec3, 3>> triangles_;
  std::vector<Node> nodes_;
};

}  // namespace pelt::bind
