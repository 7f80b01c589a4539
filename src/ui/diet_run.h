#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs.h"
#include "edit/pose_battery.h"
#include "measure/diet.h"

namespace pelt::ui {

/// Measures a diet over many poses in the background. Destroying it stops the work.
class DietRun {
 public:
  struct Result {
    std::string what;  ///< "the clip", "the battery"
    deform::SkinningSettings settings;
    std::size_t poses = 0;
    std::optional<edit::TrialPose> worst_pose;  ///< nothing where no vertex moved
    edit::Document tried_from;                  ///< without history; what each pose adds to
    measure::DietError error;
    bool failed = false;                                         ///< for want of memory; the rest says nothing then
    std::optional<edit::BatteryOptions> battery = std::nullopt;  ///< that made the poses; nothing: a clip did
  };

  /// @param document  without history; a copy, in which the poses are tried
  /// @param battery   what made the trials; nothing: a clip did
  DietRun(std::shared_ptr<Jobs> jobs, edit::Document document, const deform::SkinningSettings& settings,
          std::vector<edit::TrialPose> trials, std::string what, std::optional<edit::BatteryOptions> battery);

  /// 0..1
  [[nodiscard]] float fraction() const;
  /// False once the result is there, or the work was cancelled.
  [[nodiscard]] bool active() const { return slot_.active(); }
  /// What was found; null before. Stays as it is.
  [[nodiscard]] const Result* result();

 private:
  std::optional<Result> result_;
  JobSlot<Result> slot_;
};

}  // namespace pelt::ui
