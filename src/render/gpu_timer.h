#pragma once

#include <array>
#include <cstdint>

#include "render/gl_objects.h"

namespace pelt::render {

/// Time the GPU spends between begin() and end(), known a few pictures later; 0 where the driver has no timers. A
/// software renderer times its rasterising threads.
class GpuTimer {
 public:
  /// Measures nothing while too many results are outstanding. @pre no other timer is running
  void begin();
  void end();
  /// Of the latest picture whose result has arrived; never waits.
  [[nodiscard]] double milliseconds();

 private:
  static constexpr std::size_t kInFlight = 4;
  std::array<Query, kInFlight> queries_;
  std::uint64_t begun_ = 0;  ///< queries started so far
  std::uint64_t read_ = 0;   ///< queries whose result was fetched
  bool running_ = false;
  double milliseconds_ = 0;
};

}  // namespace pelt::render
