#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bind/binding.h"
#include "bind/problem.h"

namespace pelt::bind {

/// Some of the places, evenly spread: one of each island in each cube of a grid, the one nearest to the middle of those
/// in the cube. Cubes are as large as it takes to leave at most `count` places, and at least half of that where islands
/// and the surface allow it. Unlike collapsed edges, which keep what bends, these stay dense where weights change.
/// @return ascending
std::vector<std::uint32_t> thinned_places(const Problem& problem, std::size_t count);

/// The places alone, with the same bones and without triangles.
Problem problem_of_places(const Problem& problem, std::span<const std::uint32_t> places);

/// Weights of all places from those of some: these keep theirs, others mix those of the three nearest by ways along
/// edges, by the inverse square of the length. Adds a remark of kCoarseSurface.
/// @param binding  [places]
Binding spread(const Problem& problem, std::span<const std::uint32_t> places, const Binding& binding);

}  // namespace pelt::bind
