#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edit/method_battery.h"
#include "edit/skin_numbers.h"
#include "rig/lint.h"

namespace pelt::ui {

/// Numbers of the pose shown, one row per pane; no rows: measuring failed, ring_error says why.
struct PoseNumbers {
  std::vector<edit::SkinNumbers> panes;
  int ring_joint = -1;
  std::string ring_error;
  std::uint64_t pose_version = 0;
};

/// What there is to say of the open character.
struct LintReport {
  std::shared_ptr<const rig::Character> character;  ///< that was looked at
  rig::Findings findings;
};

/// What is measured in the background; each result stays until a newer one comes.
struct Measurements {
  std::optional<PoseNumbers> numbers;
  std::optional<edit::SkinSeries> series;
  std::optional<edit::MethodBattery> battery;
  int battery_serial = 0;  ///< counts the batteries that have arrived
  struct Work {
    bool active = false;
    float fraction = 0;
    std::string what;
  };
  std::optional<LintReport> lint;
  Work lint_work;
  Work series_work;
  Work battery_work;
  std::string error;  ///< why the last measurement failed
};

}  // namespace pelt::ui
