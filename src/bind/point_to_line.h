#pragma once

#include <optional>
#include <span>

#include "bind/binders.h"

namespace pelt::bind {

/// By distance to the segments of the bones, ALGORITHMS.md §32: w ~ d^-m over the K nearest bones, or the nearest
/// alone. A bone at distance 0 takes the place alone (several share it). Blind to the surface: binds across gaps.
std::span<const Field> point_to_line_fields();
std::optional<Binding> bind_point_to_line(const Problem& problem, std::span<const double> values,
                                          const Watcher& watcher);

}  // namespace pelt::bind
