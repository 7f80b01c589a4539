#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/binders.h"

namespace pelt::bind {

/// A point on one or several bones: those that meet in it.
struct BoneSample {
  glm::dvec3 position = {};
  std::vector<std::uint16_t> bones;  ///< ascending
};

/// Points along all bones: segments are halved until a piece is at most half as long as its ends and its middle are
/// from the nearest place, or a sixty-fourth of the segment. Bones that meet share their point.
std::vector<BoneSample> bone_samples(const Problem& problem);

/// How ways through the tetrahedra become weights.
struct DelaunayWays {
  bool hard = false;      ///< the bone reached over the fewest edges, by the shortest way among these
  std::size_t bones = 4;  ///< soft: so many of the nearest ones, w ~ length^-2
};

/// Binds by ways along the edges of the Delaunay tetrahedra of places and samples that lie inside of the surface,
/// ALGORITHMS.md §33. Places that no way reaches are bound to the nearest bone.
/// @param surface  what tells inside from outside, mostly the problem itself
/// @return nothing where progress asks it to stop
std::optional<Binding> bind_to_samples(const Problem& problem, const Problem& surface,
                                       std::span<const BoneSample> samples, const DelaunayWays& how,
                                       const Progress& progress = {});

/// The row of the table. Above kDelaunayPlaces places it works on some of them and says so.
inline constexpr std::size_t kDelaunayPlaces = 100'000;
std::span<const Field> delaunay_fields();
std::optional<Binding> bind_delaunay(const Problem& problem, std::span<const double> values, const Watcher& watcher);

}  // namespace pelt::bind
