#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ui/bind_comparison.h"

namespace pelt::ui {

/// The table of candidates: rows sorted by a column, the best of each column framed, and a sentence on how to read it.
/// @param done  rows that have weights, in the order of the panes
/// @return the row that was clicked
std::optional<std::size_t> draw_candidate_table(BindComparison& comparison, std::span<const std::size_t> done,
                                                Desk& desk);

}  // namespace pelt::ui
