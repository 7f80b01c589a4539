#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "deform/diet.h"

namespace pelt::ui {

/// Measures a diet over many poses on a thread of its own. Destroying it stops the work and waits for the pose at hand.
class DietRun {
 public:
  struct Result {
    std::string what;  ///< "clip walk", "battery"
    deform::SkinningSettings settings;
    std::size_t poses = 0;
    std::string worst_pose;  ///< its label; empty where nothing moved
    deform::DietError error;
  };

  /// @param labels  one per pose
  DietRun(std::shared_ptr<const rig::Character> character, const deform::SkinningSettings& settings,
          std::vector<rig::Pose> poses, std::vector<std::string> labels, std::string what);

  /// 0..1
  [[nodiscard]] float fraction() const;
  /// False once the result is there.
  [[nodiscard]] bool active() const;
  /// What was found; nothing before.
  [[nodiscard]] std::optional<Result> result() const;

 private:
  mutable std::mutex mutex_;
  float fraction_ = 0;
  std::optional<Result> result_;
  std::jthread thread_;  // last: joined before what it uses goes away
};

}  // namespace pelt::ui
