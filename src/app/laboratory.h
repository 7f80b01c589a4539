#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session.h"
#include "core/jobs.h"
#include "rig/lint_fix.h"
#include "ui/workspace.h"

namespace pelt::app {

/// Measures the open character in the background, so that the window answers meanwhile.
class Laboratory {
 public:
  explicit Laboratory(std::shared_ptr<Jobs> jobs);
  ~Laboratory();
  Laboratory(const Laboratory&) = delete;
  Laboratory& operator=(const Laboratory&) = delete;

  /// Takes what has come to an end into session.measurements, and starts what was asked for. Numbers of the pose follow
  /// one another without waiting: the pose that is newest when the last ones are done is measured next.
  /// @returns what the user is told of what came to an end and is not in the measurements; empty: nothing
  std::string update(Session& session, const ui::Requests& requests);
  /// Drops the work on a character that is replaced.
  void forget(Session& session);

 private:
  struct Meter;
  using Delivery = std::function<void(ui::Measurements&)>;
  void start_numbers(const Session& session);
  void start_series(const Session& session, const edit::SeriesAxis& axis);
  void start_battery(const Session& session, const std::vector<int>& methods, const edit::BatteryOptions& options);
  void start_lint(const Session& session);
  void start_fix(const Session& session, const std::vector<std::string>& codes);

  std::shared_ptr<Meter> numbers_meter_;  ///< used by its thread alone
  std::shared_ptr<Meter> series_meter_;
  glm::ivec2 numbers_pinned_ = glm::ivec2(-1);  ///< part and vertex that the numbers were measured with
  bool battery_runs_ = false;
  std::shared_ptr<const rig::Character> long_of_;  ///< that long_work_ measures
  std::shared_ptr<const rig::Character> lint_of_;  ///< that was looked at last
  JobSlot<Delivery> numbers_;
  JobSlot<Delivery> long_work_;  ///< a plot or a battery
  JobSlot<Delivery> lint_;
  /// A mended copy and what it is a copy of.
  struct Mended {
    std::shared_ptr<const rig::Character> from;
    std::shared_ptr<const rig::Character> character;  ///< null: not enough memory
    std::vector<rig::RenumberedVertices> renumbered;
    std::string what;   ///< in words
    std::string label;  ///< names the step in the history
  };
  JobSlot<Mended> mending_;
};

/// The file of a teaching rig.
std::string_view lesson_file(ui::TeachingRig rig);
/// Sets the stage once that file is open: linear blending beside dual quaternions, the joint bent or twisted, its
/// numbers and its plot in front. Returns what the plot runs over.
/// @pre the document's character is the rig
edit::SeriesAxis begin_lesson(Session& session, ui::TeachingRig rig);

/// The findings without threads, for pictures.
void lint_now(Session& session);

/// The same without threads, for pictures: numbers of the pose shown and, where there is an axis, the plot.
void measure_now(Session& session, const std::optional<edit::SeriesAxis>& axis);

}  // namespace pelt::app
