#include "motion/held_drivers.h"

#include <algorithm>
#include <cmath>

#include "motion/drivers.h"
#include "motion/memory.h"
#include "motion/pose_layers.h"

namespace pelt::motion {

/// What a memory knows of frames.
class HeldDrivers {
 public:
  explicit HeldDrivers(MotionMemory* memory) : memory_(memory) {}

  /// The last frame known up to `frame`, -1 where there is none.
  int last_known(int frame, std::vector<double>& held) {
    if (memory_ == nullptr) {
      return -1;
    }
    const std::scoped_lock lock(memory_->mutex_);
    const int last = std::min(frame, static_cast<int>(memory_->held_.size()) - 1);
    if (last >= 0) {
      held = memory_->held_[last];
    }
    return last;
  }
  /// Frames in order; one that another thread has said meanwhile is the same.
  void keep(int frame, const std::vector<double>& held) {
    if (memory_ == nullptr) {
      return;
    }
    const std::scoped_lock lock(memory_->mutex_);
    if (static_cast<int>(memory_->held_.size()) == frame) {
      memory_->held_.push_back(held);
    }
  }

 private:
  MotionMemory* memory_;
};

std::vector<double> held_before_playhead(const PoseSources& sources) {
  const DriverRig& drivers = *sources.drivers;
  std::vector<double> held(drivers.rows.size(), 0.0);
  if (sources.clip < 0) {
    return held;
  }
  // A playhead on a frame, give or take a rounding, has only the frames before it behind it.
  constexpr double kRounding = 1e-3;
  const double frames = std::ceil(sources.clip_seconds() * kDriverFrameRate - kRounding) - 1;
  const int last = static_cast<int>(std::clamp(frames, -1.0, double{kMostHeldFrames - 1}));
  HeldDrivers memory(sources.memory);
  const float start = sources.character.clips[sources.clip].start;
  for (int frame = memory.last_known(last, held) + 1; frame <= last; ++frame) {
    const PoseSources then = sources.at(start + static_cast<float>(frame / kDriverFrameRate));
    rig::Pose pose = layered_pose(sources.layers_before, then);
    rig::PoseBuilder builder(sources.character.skeleton, pose);
    held = apply_driver_rig(
        drivers, then, [&](std::size_t row) { return held[row]; }, builder);
    memory.keep(frame, held);
  }
  return held;
}

}  // namespace pelt::motion
