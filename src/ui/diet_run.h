#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "edit/pose_battery.h"
#include "measure/diet.h"

namespace pelt::ui {

/// Measures a diet over many poses on a thread of its own. Destroying it stops the work and waits for the pose at hand.
class DietRun {
 public:
  struct Result {
    std::string what;  ///< "the clip", "the battery"
    deform::SkinningSettings settings;
    std::size_t poses = 0;
    std::optional<edit::TrialPose> worst_pose;  ///< nothing where no vertex moved
    edit::State tried_from;                     ///< the document's, to which each pose adds
    measure::DietError error;
    bool failed = false;                                         ///< for want of memory; the rest says nothing then
    std::optional<edit::BatteryOptions> battery = std::nullopt;  ///< that made the poses; nothing: a clip did
  };

  /// @param document  a copy, in which the poses are tried
  /// @param battery   what made the trials; nothing: a clip did
  /// @param wake      called from the other thread when there is something new to show
  DietRun(edit::Document document, const deform::SkinningSettings& settings, std::vector<edit::TrialPose> trials,
          std::string what, std::optional<edit::BatteryOptions> battery, std::function<void()> wake);

  /// 0..1
  [[nodiscard]] float fraction() const;
  /// False once the result is there.
  [[nodiscard]] bool active() const;
  /// What was found; null before. Stays as it is.
  [[nodiscard]] const Result* result() const;

 private:
  mutable std::mutex mutex_;
  float fraction_ = 0;
  std::optional<Result> result_;
  std::jthread thread_;  // last: joined before what it uses goes away
};

}  // namespace pelt::ui
