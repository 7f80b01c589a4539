#pragma once

// Tools for tests of the time that work takes, and for tests that repeat random work. Tests of time run beside others
// and on machines of any speed, so they count the processor time of their own process and allow far more than the work
// needs.

#include <ctime>
#include <initializer_list>
#include <vector>

namespace pelt::test {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// How often a random test repeats what it does: less under the sanitizers, which see a fault on a path at its first
/// walk. Such tests stand under BOTH in their CMakeLists.txt, so that test_plain repeats them in full.
constexpr int rounds(int without_sanitizers) {
  return kSanitized ? (without_sanitizers + 3) / 4 : without_sanitizers;
}

/// Returns all values, and under the sanitizers the last one alone. Tests that use it stand under BOTH.
template <typename T>
std::vector<T> last_or_all(std::initializer_list<T> all) {
  return kSanitized ? std::vector<T>{*(all.end() - 1)} : std::vector<T>(all);
}

/// @return seconds that all processors together spent on `work` in this process
template <typename Work>
double processor_seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace pelt::test
