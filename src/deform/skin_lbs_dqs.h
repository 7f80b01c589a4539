#pragma once

#include "deform/skinning_methods.h"

namespace pelt::deform {

/// A mix of linear and dual quaternion blending: the point that lies `dual_quaternion_share` of the way from the one to
/// the other, ALGORITHMS.md §22. The share evens out the bulge of the one against the collapse of the other.
/// @pre  the palette is that of pack_dual_quats()
/// @cost O(V*K), no allocation, safe to call concurrently for disjoint ranges
void skin_lbs_dqs(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);

}  // namespace pelt::deform
