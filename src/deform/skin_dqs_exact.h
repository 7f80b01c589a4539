#pragma once

#include "deform/skinning_methods.h"

namespace pelt::deform {

/// Dual quaternion skinning with exact blending: the mean motion that no influence pulls any way, found by iteration
/// from the linear blend. Two joints are blended at constant speed, where skin_dqs() runs ahead by up to 8 degrees.
///
/// Scale, antipodality and what happens where rotations cancel out are those of skin_dqs().
/// Source: Kavan, Collins, Zara, O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion Blending", ACM TOG
///         27(4), 2008, algorithm 3 (DIB).
/// @pre  the palette is that of pack_dual_quats()
/// @cost O(V*K) times 2 to 16 iterations, no allocation, safe to call concurrently for disjoint ranges
void skin_dqs_exact(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);

}  // namespace pelt::deform
