#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "core/result.h"

namespace pelt::bind {

class ShapeMeasure;

/// A mesh of the user's own as the form of a volume, in coordinates of its own: any unit, any origin.
///
/// Inside is where the surface goes round a point more than half a time (winding.h), so that a mesh with holes or one
/// that crosses itself has an inside as well. A point's score is 1 on the surface and 0 where it lies deepest: inside
/// 1 - d / r, outside 1 + d / r, d the distance to the surface and r the largest one inside. Of a ball that is the
/// score of a sphere, and of a capsule that of a capsule.
struct VolumeShape {
  std::string name = {};  ///< of the mesh or file
  std::vector<glm::vec3> positions = {};
  std::vector<std::array<std::uint32_t, 3>> triangles = {};
  std::shared_ptr<const ShapeMeasure> measure = nullptr;  ///< derived: search trees and r

  bool operator==(const VolumeShape& other) const {
    return name == other.name && positions == other.positions && triangles == other.triangles;
  }

  [[nodiscard]] double score(const glm::dvec3& p) const;
  /// The nearest point of the surface.
  [[nodiscard]] glm::dvec3 nearest(const glm::dvec3& p) const;
  /// Beyond this distance from the origin every score is above `range`.
  [[nodiscard]] double reach(double range) const;
  /// The distance r.
  [[nodiscard]] double depth() const;
  /// What of the mesh is no plain body, and how it is taken then, as a sentence without the full stop; empty for a
  /// closed one that does not cross itself.
  [[nodiscard]] std::string remark() const;
};

inline constexpr std::size_t kMostShapeTriangles = 200'000;

/// Fails, with the name, on an index out of range, on a number that is not finite, on more than kMostShapeTriangles,
/// and on what encloses nothing: a plane, a sheet.
/// @cost O(T log T), and some thousand searches for the deepest point
Result<VolumeShape> make_volume_shape(std::string name, std::vector<glm::vec3> positions,
                                      std::vector<std::array<std::uint32_t, 3>> triangles);

}  // namespace pelt::bind
