#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/weight_rows.h"

namespace pelt::mesh {

/// A plane to look into as a mirror: n . p = offset.
struct MirrorPlane {
  glm::dvec3 normal = {1, 0, 0};  ///< unit, towards the left of a character
  double offset = 0;
  [[nodiscard]] double height(const glm::dvec3& p) const { return glm::dot(normal, p) - offset; }
  [[nodiscard]] glm::dvec3 mirrored(const glm::dvec3& p) const { return p - 2 * height(p) * normal; }
};

inline constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

/// [W] the place at the mirror image of each: the nearest one within the tolerance, where each is the other's; itself
/// on the plane; kNoPlace where there is none. Its own inverse. @cost O(W log W) for places that do not lie in heaps
std::vector<std::uint32_t> mirrored_places(const WeldedSurface& surface, const MirrorPlane& plane, double tolerance);

enum class MirrorWay { kLeftToRight, kRightToLeft, kExchange };

/// Weights of one side for the other.
struct WeightMirroring {
  MirrorWay way = MirrorWay::kLeftToRight;
  MirrorPlane plane = {};
  std::span<const std::uint32_t> partner = {};  ///< [W] of mirrored_places()
  std::span<const std::uint16_t> partner_joint =
      {};                                      ///< by slot, its own inverse: the joint on the other side or itself
  std::span<const std::uint16_t> locked = {};  ///< slots that keep their weights bit for bit
};

/// Places without a partner stay. On the plane a row becomes the mean of itself and its mirror image, or where sides
/// are exchanged its mirror image. Exchanging twice gives the same bits where copies of places had equal rows and
/// nothing is locked; the other ways are idempotent.
/// @param places  which may change, ascending, each once
/// @return [P] for patched()
std::vector<InfluencesPatch> mirrored_weights(const WeldedSurface& surface,
                                              std::span<const Influences* const> influences,
                                              std::span<const std::uint32_t> places, const WeightMirroring& how);

}  // namespace pelt::mesh
