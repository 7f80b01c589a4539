#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "core/result.h"

namespace pelt::cli {

/// Seconds of each run, for about `seconds` of them and five at least; the first one, which allocates, is not counted.
/// @param once  does run `n` and gives the seconds that it took
template <typename Once>
Result<std::vector<double>> timed_runs(double seconds, const Once& once) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int run = 0; times.size() < 5 || Clock::now() < end; ++run) {
    PELT_TRY_TO(const double took, once(run));
    if (run > 0) {
      times.push_back(took);
    }
  }
  return times;
}

/// Their median, which a busy machine disturbs least. Changes their order. @pre not empty
inline double median_of(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace pelt::cli
