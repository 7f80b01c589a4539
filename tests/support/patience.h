#pragma once

// How long a test waits for another thread or program.

#include <chrono>
#include <thread>

namespace pelt::test {

/// Only what fails waits so long: it is far more than any machine needs, however busy it is.
inline constexpr std::chrono::seconds kPatience(600);

/// Looks every so often whether the condition holds. @returns  whether it does within kPatience
template <typename Condition>
bool eventually(const Condition& condition, std::chrono::milliseconds often = std::chrono::milliseconds(2)) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(often);
  }
  return true;
}

}  // namespace pelt::test
