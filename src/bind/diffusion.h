#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bind/binding.h"
#include "bind/problem.h"

namespace pelt::bind {

/// What holds a place to bones while weights spread over the surface.
struct Hold {
  double strength = 0;        ///< 1/m^2, H of ALGORITHMS.md §34; 0: the place takes what comes
  std::vector<Share> shares;  ///< of which bones, summing to 1
};

/// Weights in the equilibrium of heat that spreads over a surface and flows in from bones: (-L + M H) w = M H p for
/// each bone, ALGORITHMS.md §34. L is the cotangent Laplacian of the welded places (an edge whose cotangents sum to
/// less than nothing conducts nothing, so that no weight leaves [0, 1]), M their area. Places that nothing holds, on
/// islands that nothing holds, get empty rows, as do all where the equation has no solution; a place without area keeps
/// its own hold.
/// @param holds  [W]
/// @return nothing where the progress asked to stop
/// @cost one sparse factorisation, and one solution for each bone; no more than a few bones' weights at once
std::optional<Rows> diffused(const Problem& problem, std::span<const Hold> holds, const Progress& progress);

}  // namespace pelt::bind
