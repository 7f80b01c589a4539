#include "ui/diet_run.h"

#include <new>
#include <utility>

namespace pelt::ui {
namespace {

std::optional<DietRun::Result> measured(const edit::Document& document, const std::vector<edit::TrialPose>& trials,
                                        DietRun::Result found, const Progress& progress) {
  try {
    measure::DietMeter meter;
    const auto pose_of = [&](std::size_t n) { return edit::evaluate_pose(edit::posed(document, trials[n])); };
    const auto error = meter.measure(*document.character, found.settings, trials.size(), pose_of, progress);
    if (!error) {
      return std::nullopt;
    }
    found.error = *error;
    if (error->worst_pose >= 0) {
      found.worst_pose = trials[error->worst_pose];
    }
  } catch (const std::bad_alloc&) {
    found.failed = true;
  }
  return found;
}

}  // namespace

DietRun::DietRun(std::shared_ptr<Jobs> jobs, edit::Document document, const deform::SkinningSettings& settings,
                 std::vector<edit::TrialPose> trials, std::string what, std::optional<edit::BatteryOptions> battery)
    : slot_(std::move(jobs), Jobs::Kind::kLong, "Measuring a diet over " + what) {
  Result wanted{std::move(what), settings, trials.size(), {}, document, {}, false, battery};
  slot_.start([document = std::move(document), trials = std::move(trials), wanted = std::move(wanted)](
                  const Progress& progress) { return measured(document, trials, wanted, progress); });
}

float DietRun::fraction() const {
  const std::optional<Jobs::Row> row = slot_.row();
  return row ? row->fraction : 1.0f;
}

const DietRun::Result* DietRun::result() {
  if (std::optional<Result> found = slot_.take()) {
    result_ = std::move(found);
  }
  return result_ ? &*result_ : nullptr;
}

}  // namespace pelt::ui
