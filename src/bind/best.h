#pragma once

#include <optional>
#include <span>

#include "bind/binders.h"

namespace pelt::bind {

/// The one to begin with: heat seen through the volume (volume_heat.h), and for each island what suits it better.
/// ALGORITHMS.md §36. A fixed decision, in this order:
///
/// 1. A skeleton of which most lies outside is moved into the volume for as long as it is bound (skeleton_shift.h).
/// 2. An island of at least a tenth of the diagonal that lies on another one, nine tenths of it no farther than a
///    fortieth of the diagonal above and facing alike, is a layer: it takes the weights of the surface below, so that
///    neither comes through the other.
/// 3. One from where no bone is reached takes the weights of the nearest surface, else of the nearest bone.
/// 4. One of less than a twentieth of the diagonal in which no bone begins moves rigidly, by its mean weights.
std::span<const Field> best_fields();
std::optional<Binding> bind_best(const Problem& problem, std::span<const double> values, const Watcher& watcher);

}  // namespace pelt::bind
