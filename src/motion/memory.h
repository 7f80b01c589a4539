#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace pelt::motion {

struct SpringState;

/// What layers that look back in time have computed for one set of sources: the same character, clip, pose by hand,
/// drivers and springs, and the same layers before them. Whoever changes any of these takes a new memory; the playhead
/// alone may differ. Only saves time: a pose made without it is the same, bit by bit. May be used on several threads.
class MotionMemory {
 public:
  MotionMemory();
  ~MotionMemory();
  MotionMemory(const MotionMemory&) = delete;
  MotionMemory& operator=(const MotionMemory&) = delete;
  /// How many steps of springs were computed since the beginning, each a whole pose.
  [[nodiscard]] long steps_made();

 private:
  friend class HeldDrivers;
  friend class SpringRun;
  std::mutex mutex_;
  std::vector<std::vector<double>> held_;                           // by frame: what counted of each driver
  std::map<long, std::shared_ptr<const SpringState>> checkpoints_;  // by step
  // Of the steps that were asked for last, so that each of several playheads goes on from where it was: that of the
  // window, and of its ghosts.
  struct Recent {
    long step = -1;
    std::shared_ptr<const SpringState> state;
  };
  std::array<Recent, 48> recent_;
  std::size_t next_recent_ = 0;
  long steps_made_ = 0;
};

}  // namespace pelt::motion
