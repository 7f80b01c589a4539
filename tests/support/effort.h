#pragma once

// How long something may take, for tests of what once took far too long. They run beside others and on machines of any
// speed, so they count what this process itself computes and allow far more than is needed. Where a test that counts is
// not about time alone, it also runs under the sanitizers and allows kSlowness times as much.

#include <ctime>

namespace pelt::test {

#ifdef __SANITIZE_ADDRESS__
constexpr double kSlowness = 5;  ///< each access is watched
#else
constexpr double kSlowness = 1;
#endif

/// How often a random test repeats what it does: less under the sanitizers, which see a fault on a path at its first
/// walk. Such tests stand under BOTH in their CMakeLists.txt, so that test_plain repeats them in full.
constexpr int rounds(int without_sanitizers) {
  return kSlowness > 1 ? (without_sanitizers + 3) / 4 : without_sanitizers;
}

/// @return seconds that all processors together spent on `work` in this process
template <typename Work>
double processor_seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace pelt::test
