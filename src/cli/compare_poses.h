#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare_options.h"
#include "edit/document.h"
#include "edit/pose_battery.h"

namespace pelt::cli {

/// The sets of poses that the flags ask for, one after the other; none where one pose is compared.
struct ComparedPoses {
  std::vector<edit::TrialPose> poses;  ///< those of the sweep come first
  std::size_t swept_count = 0;
  double swept_unit = 1;  ///< radians or metres of one unit that people read
  int swept_joint = -1;   ///< -1: no sweep

  /// The swept value of a pose, degrees or metres; nothing for one of no sweep.
  [[nodiscard]] std::optional<double> value(std::size_t p) const;
};

Result<ComparedPoses> compared_poses(const CompareOptions& options, const edit::Document& document);

}  // namespace pelt::cli
