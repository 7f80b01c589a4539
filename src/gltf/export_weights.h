#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace pelt::gltf {

/// Scales a normalised row and makes it one that is read as it is written: the reader puts the heaviest first, and
/// normalising or scaling may have made equal what was not. What was written once is then written the same again.
/// @param from_joints, from_weights  [K] heaviest first, weights sum to 1
/// @param sum_as_stored  false: the row is to sum to 1, and stored_sum is 1
/// @param joints, weights  out, what is to be written
/// @param read  room to work in, kept between calls
void settle_row(std::span<const std::uint16_t> from_joints, std::span<const float> from_weights, float stored_sum,
                bool sum_as_stored, std::vector<std::uint16_t>& joints, std::vector<float>& weights,
                mesh::FlatInfluences& read);

}  // namespace pelt::gltf
