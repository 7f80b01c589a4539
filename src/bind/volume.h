#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <glm/glm.hpp>

#include "bind/volume_shape.h"
#include "core/shared.h"

namespace pelt::bind {

enum class VolumeKind : std::uint8_t { kCapsule, kCylinder, kEllipsoid, kSphere, kBox, kEvenCapsule, kMesh };
/// What they are called in files and on the command line.
inline constexpr std::array<std::string_view, 7> kVolumeKindWords = {
    "tapered-capsule", "cylinder", "ellipsoid", "sphere", "box", "capsule", "mesh"};
inline constexpr std::size_t kVolumeKindCount = 6;  ///< that can be fitted: all but kMesh

/// A body round a bone that tells which places belong to it. A bone may have several, one for each of its segments.
/// Metres, in the problem's space.
struct Volume {
  VolumeKind kind = VolumeKind::kCapsule;
  std::size_t bone = 0;
  glm::dvec3 center = {};
  glm::dmat3 axes =
      glm::dmat3(1.0);  ///< columns of length 1, at right angles to each other; the first is along the bone
  /// Half of the size along each axis. Capsules and cylinders use the first only: their axis goes from
  /// `center - half.x axes[0]`, the head, to `center + half.x axes[0]`; a sphere's radius is the first one, which is
  /// also the size of a mesh: so many metres are 1 of its shape's coordinates.
  glm::dvec3 half = {0.5, 0.1, 0.1};
  double head_radius = 0.1;        ///< of capsules, and of cylinders and even capsules all along
  double tail_radius = 0.1;        ///< of capsules that may taper
  Shared<VolumeShape> shape = {};  ///< of a mesh; the axes of one may be those of a mirror
  bool operator==(const Volume&) const = default;
};

/// Whether it is a segment with a radius, all round.
constexpr bool is_capsule(VolumeKind kind) {
  return kind == VolumeKind::kCapsule || kind == VolumeKind::kEvenCapsule;
}

/// How places are given to volumes.
struct Containment {
  bool soft = true;    ///< weights fall with the score; otherwise the best score takes the place alone
  double range = 2.0;  ///< soft: s_max, the score from which on a volume has nothing of a place
  int passes = 0;      ///< hard: how often weights are smoothed afterwards (§37, strength ½, uniform)
  bool operator==(const Containment&) const = default;
};

}  // namespace pelt::bind
