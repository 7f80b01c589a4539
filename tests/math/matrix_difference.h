#pragma once

#include <algorithm>
#include <cmath>

namespace pelt::test {

/// Returns the largest difference between elements of two square matrices.
template <typename Matrix>
double difference(const Matrix& a, const Matrix& b) {
  double worst = 0;
  for (int c = 0; c < Matrix::length(); ++c) {
    for (int r = 0; r < Matrix::length(); ++r) {
      worst = std::max(worst, static_cast<double>(std::abs(a[c][r] - b[c][r])));
    }
  }
  return worst;
}

}  // namespace pelt::test
