#pragma once

#include <optional>
#include <span>

#include "bind/binders.h"

namespace pelt::bind {

/// Bone heat, ALGORITHMS.md §34: each bone heats the places that see it, and heat spreads along the surface. What hangs
/// together and sees no bone moves rigidly with the nearest one. Shares above a millionth are kept; compatible ones
/// below a twentieth fade out, as the published programs do it.
std::span<const Field> heat_fields();
std::optional<Binding> bind_heat(const Problem& problem, std::span<const double> values, const Watcher& watcher);

}  // namespace pelt::bind
