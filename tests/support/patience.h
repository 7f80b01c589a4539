#pragma once

// The time that a test waits for another thread or program.

#include <chrono>
#include <thread>

namespace pelt::test {

/// Limit of every wait. Only a failing test waits so long, so the limit is far above the needs of a busy machine.
inline constexpr std::chrono::seconds kPatience(600);

/// Checks the condition again and again. @param often  pause between two checks
/// @returns  true once the condition holds, false if it does not within kPatience
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
