#include "ui/diet_run.h"

#include <new>
#include <utility>

namespace pelt::ui {

DietRun::DietRun(edit::Document document, const deform::SkinningSettings& settings, std::vector<edit::TrialPose> trials,
                 std::string what, std::optional<edit::BatteryOptions> battery, std::function<void()> wake)
    : thread_([this, document = std::move(document), settings, trials = std::move(trials), what = std::move(what),
               battery, wake = std::move(wake)](const std::stop_token& stop) {
        const auto show = [&] {
          if (wake != nullptr) {
            wake();
          }
        };
        Result found{what, settings, trials.size(), {}, document.state, {}, false, battery};
        try {
          measure::DietMeter meter;
          const auto pose_of = [&](std::size_t n) { return edit::evaluate_pose(edit::posed(document, trials[n])); };
          const auto progress = [&](float fraction, std::string_view) {
            {
              const std::lock_guard lock(mutex_);
              fraction_ = fraction;
            }
            show();
            return !stop.stop_requested();
          };
          const auto error = meter.measure(*document.character, settings, trials.size(), pose_of, progress);
          if (!error) {
            return;
          }
          found.error = *error;
          if (error->worst_pose >= 0) {
            found.worst_pose = trials[static_cast<std::size_t>(error->worst_pose)];
          }
        } catch (const std::bad_alloc&) {
          found.failed = true;
        }
        {
          const std::lock_guard lock(mutex_);
          result_ = std::move(found);
        }
        show();
      }) {}

float DietRun::fraction() const {
  const std::lock_guard lock(mutex_);
  return fraction_;
}

bool DietRun::active() const {
  return result() == nullptr;
}

const DietRun::Result* DietRun::result() const {
  const std::lock_guard lock(mutex_);
  return result_ ? &*result_ : nullptr;
}

}  // namespace pelt::ui
