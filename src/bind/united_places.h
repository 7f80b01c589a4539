#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bind/binding.h"
#include "bind/problem.h"

namespace pelt::bind {

/// A surface that hangs together where its islands touch.
struct UnitedPlaces {
  Problem problem;                   ///< fewer places; the same triangles in the same order, the same bones
  std::vector<std::uint32_t> place;  ///< [W] of the surface that it was made from: which place here it is
};

/// Makes one place of those of different islands that lie nearer to each other than a ten thousandth of the diagonal
/// and face alike (within 60 degrees), so that a soup of triangles spreads heat as the whole surface would, and
/// nothing tears open where shells meet. No triangle loses a corner: of one island at most one place is part of
/// another.
/// @param turned  [T] triangles that go round the wrong way
/// @cost O(W), nothing but a copy where there is one island
UnitedPlaces united_places(const Problem& problem, std::span<const char> turned);

/// The binding of a united surface for the surface that it was made from. Its remarks name islands of that one: the
/// first of those that hang together.
Binding parted(const Problem& problem, const UnitedPlaces& united, Binding binding);

}  // namespace pelt::bind
