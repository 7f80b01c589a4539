#pragma once

// Tools for tests of the time that work takes, and for tests that repeat random work. Tests of time run beside others
// and on machines of any speed, so they count the processor time of their own process and allow far more than the work
// needs.

#include <ctime>
#include <initializer_list>
#include <vector>

// A function of the address sanitizer: null in a program that is linked without it.
extern "C" void __asan_init() __attribute__((weak));

namespace pelt::test {

/// Returns true in a program whose modules run under sanitizers. The linker decides that: a test is compiled once, and
/// linked to the modules of the release and to those under sanitizers.
inline bool sanitized() {
  return __asan_init != nullptr;
}

/// How often a random test repeats what it does: less under the sanitizers, which see a fault on a path at its first
/// walk.
inline int rounds(int without_sanitizers) {
  return sanitized() ? (without_sanitizers + 3) / 4 : without_sanitizers;
}

/// Returns all values, and under the sanitizers the last one alone.
template <typename T>
std::vector<T> last_or_all(std::initializer_list<T> all) {
  return sanitized() ? std::vector<T>{*(all.end() - 1)} : std::vector<T>(all);
}

/// @return seconds that all processors together spent on `work` in this process
template <typename Work>
double processor_seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace pelt::test
