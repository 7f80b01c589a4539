#include "ui/diet_run.h"

#include <utility>

namespace pelt::ui {

DietRun::DietRun(std::shared_ptr<const rig::Character> character, const deform::SkinningSettings& settings,
                 std::vector<rig::Pose> poses, std::vector<std::string> labels, std::string what)
    : thread_([this, character = std::move(character), settings, poses = std::move(poses), labels = std::move(labels),
               what = std::move(what)](const std::stop_token& stop) {
        deform::DietMeter meter;
        auto error = meter.measure(*character, settings, poses, [&](float fraction, std::string_view) {
          const std::lock_guard lock(mutex_);
          fraction_ = fraction;
          return !stop.stop_requested();
        });
        if (!error) {
          return;
        }
        Result found{what, settings, poses.size(), {}, *std::move(error)};
        if (found.error.worst_pose >= 0) {
          found.worst_pose = labels[static_cast<std::size_t>(found.error.worst_pose)];
        }
        const std::lock_guard lock(mutex_);
        result_ = std::move(found);
      }) {}

float DietRun::fraction() const {
  const std::lock_guard lock(mutex_);
  return fraction_;
}

bool DietRun::active() const {
  const std::lock_guard lock(mutex_);
  return !result_.has_value();
}

std::optional<DietRun::Result> DietRun::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

}  // namespace pelt::ui
