#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "bind/problem.h"

namespace pelt::bind {

enum class VolumeKind : std::uint8_t { kCapsule, kCylinder, kEllipsoid, kSphere, kBox };
inline constexpr std::size_t kVolumeKindCount = 5;

/// A body round a bone that tells which places belong to it. A bone may have several, one for each of its segments.
/// Metres, in the problem's space.
struct Volume {
  VolumeKind kind = VolumeKind::kCapsule;
  std::size_t bone = 0;
  glm::dvec3 center = {};
  glm::dmat3 axes =
      glm::dmat3(1.0);  ///< columns of length 1, at right angles to each other; the first is along the bone
  /// Half of the size along each axis. Capsules and cylinders use the first only: their axis goes from
  /// `center - half.x axes[0]`, the head, to `center + half.x axes[0]`; a sphere's radius is the first one.
  glm::dvec3 half = {0.5, 0.1, 0.1};
  double head_radius = 0.1;  ///< of capsules, and of cylinders all along
  double tail_radius = 0.1;  ///< of capsules
  bool operator==(const Volume&) const = default;
};

/// How far out a point is: 0 at the middle, 1 on the surface, no distance. Axis t from 0 at the head to 1 at the tail:
///
///   capsule    d / r(t), t clamped to the axis, d the distance to it, r linear: a cone's frustum and two hemispheres
///   cylinder   max(rho / r, |2t - 1|), t not clamped
///   ellipsoid  |R^T (p - c) / half|, sphere likewise
///   box        max |R^T (p - c)| / half
///
/// A size of 0 counts as a very small one.
double score(const Volume& volume, const glm::dvec3& p);

/// The point of the surface on the ray from the volume's middle (from the nearest point of its axis for capsules)
/// through p; it scores 1. Where p is that middle, some point.
glm::dvec3 on_surface(const Volume& volume, const glm::dvec3& p);

/// A grid of surface points to draw: `along` + 1 rows from head to tail of `around` points each, row by row.
/// @pre  along >= 2, around >= 3
std::vector<glm::dvec3> surface_points(const Volume& volume, int along, int around);

/// A volume for each segment of each bone. The radius is the median distance of the places that are nearest to the
/// segment; a capsule takes one of them for each half of the axis. Where no place is nearest: that of the parent's
/// first volume where there is one, at most half of the segment's length.
/// @param size  the radii are multiplied by it
/// @cost O(W * segments)
std::vector<Volume> fitted_volumes(const Problem& problem, VolumeKind kind, double size = 1.0);

}  // namespace pelt::bind
