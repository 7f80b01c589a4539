#pragma once

#include <cmath>

namespace pelt::mesh {

/// What the weights of a row are divided by so that they sum to 1, given their sum. Rounding each weight of a
/// normalised row to a float moves the sum by 2^-24 at most: such a row is left as it is, and reading and writing it
/// again changes nothing.
inline double row_divisor(double sum) {
  constexpr double kRounding = 6e-8;
  return std::abs(sum - 1) <= kRounding ? 1 : sum;
}

}  // namespace pelt::mesh
