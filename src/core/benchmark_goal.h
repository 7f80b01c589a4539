#pragma once

#include <string>

namespace pelt {

/// A ratio that a benchmark is to reach.
struct BenchmarkGoal {
  std::string text;
  double wanted = 0;
  double reached = 0;
  bool at_most = false;  ///< else at least `wanted`
  [[nodiscard]] bool met() const { return at_most ? reached <= wanted : reached >= wanted; }
};

}  // namespace pelt
