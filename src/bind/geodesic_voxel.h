#pragma once

#include <optional>
#include <span>

#include "bind/binders.h"

namespace pelt::bind {

/// By the shortest ways to the bones through the volume, as voxels have it, ALGORITHMS.md §36: w ~ (1 / ((1 - a) d +
/// a d^2))^2 over the nearest bones, d the way's length in diagonals.
std::span<const Field> geodesic_voxel_fields();
std::optional<Binding> bind_geodesic_voxel(const Problem& problem, std::span<const double> values,
                                           const Watcher& watcher);

/// Previews of what a binder on `voxels` cubes will make of a volume, coarse to fine, by ways through 32 cubes along
/// the longest side and 64 where that is half of them or less: nothing else is as fast and follows the volume. Does
/// nothing where nobody watches. @return false where the progress asked to stop
bool show_ways_first(const Problem& problem, int voxels, const Watcher& watcher);

/// How much a bone weighs before all of a place are made to sum to 1. @param distance  in diagonals
double geodesic_weight(double distance, double alpha);

}  // namespace pelt::bind
