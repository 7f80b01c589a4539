#pragma once

#include "deform/skinning_methods.h"

namespace pelt::deform {

/// Dual quaternion skinning by linear blending, with scale in a phase of its own, ALGORITHMS.md §22.
///
/// Keeps volume under twist and lets the outside of a bend bulge. A joint that has turned by more than half a turn
/// against the heaviest one is blended the other way round, so a vertex jumps when a joint passes that angle.
/// Source: Kavan, Collins, Zara, O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion Blending", ACM TOG
///         27(4), 2008, algorithms 1 and 2.
/// @pre  the palette is that of pack_dual_quats()
/// @cost O(V*K), no allocation, safe to call concurrently for disjoint ranges
void skin_dqs(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);

}  // namespace pelt::deform
