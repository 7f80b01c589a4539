#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "bind/volume.h"

namespace pelt::bind {

/// A bone that may carry vertices: the segments from the pivot of its joint to each tail. Index letter b.
struct Bone {
  int joint = -1;                 ///< skeleton index, for whoever reports; binders don't look at it
  int parent = -1;                ///< the nearest bone above it among those of the problem, less than its own index
  glm::dvec3 head = {};           ///< the pivot
  std::vector<glm::dvec3> tails;  ///< at least one; equal to `head` where the bone has no length
  bool operator==(const Bone&) const = default;
};

/// What a binder gets: one surface of welded places and the bones that may carry it, all in one space, in the shape in
/// which the skin is to be bound. Any soup of triangles: open, in several shells, crossing itself, inside out.
///
/// W places, T triangles, B bones. Build positions, triangles and bones, then call finish().
struct Problem {
  std::vector<glm::dvec3> positions;                    ///< [W] distinct
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< [T] no corner twice
  std::vector<Bone> bones;                              ///< [B] at least one
  std::vector<std::string> left_out;                    ///< what is no part of it and why, for remarks
  /// Made by hand, by ascending bone, for the binder by volumes: it fits its own to bones without.
  std::vector<Volume> volumes;

  // Derived by finish().
  std::vector<std::uint32_t> island;       ///< [W] what hangs together by triangles, numbered by the lowest place
  std::vector<std::uint32_t> island_size;  ///< places of each island
  double diagonal = 0;                     ///< of the box of all places; 0 where they coincide

  [[nodiscard]] std::size_t place_count() const { return positions.size(); }
  [[nodiscard]] std::size_t bone_count() const { return bones.size(); }
  [[nodiscard]] std::size_t island_count() const { return island_size.size(); }
};

/// Fills what is derived. @pre  indices in range @cost O(W + T)
void finish(Problem& problem);

/// Where a point of a segment is nearest to p.
struct OnSegment {
  double t = 0;         ///< 0 at a, 1 at b
  double distance = 0;  ///< metres
};
OnSegment nearest_on_segment(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b);

/// The nearest of a bone's segments.
struct OnBone {
  std::size_t tail = 0;  ///< the segment from the head to which of the tails
  double t = 0;
  double distance = 0;
};
OnBone nearest_on_bone(const glm::dvec3& p, const Bone& bone);
inline double distance_to_bone(const glm::dvec3& p, const Bone& bone) {
  return nearest_on_bone(p, bone).distance;
}

/// Which of the bones is nearest, the first among equals. @pre  at least one bone
std::size_t nearest_bone(const glm::dvec3& p, std::span<const Bone> bones);

}  // namespace pelt::bind
