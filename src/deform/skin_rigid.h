#pragma once

#include "deform/skinning_methods.h"

namespace pelt::deform {

/// Simple skin, ALGORITHMS.md §6: each vertex follows its strongest joint alone, at weight 1 whatever the file's
/// weights sum to. Equals skin_lbs() with one-hot weights bit for bit.
/// @cost O(V), no allocation, safe to call concurrently for disjoint ranges
void skin_rigid(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);

}  // namespace pelt::deform
