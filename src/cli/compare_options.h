#pragma once

// What `pelt compare` is asked; internal to its files.

#include <optional>
#include <string>
#include <vector>

#include "cli/compare_report.h"
#include "cli/options.h"
#include "cli/random_flags.h"

namespace pelt::cli {

/// JOINT.DOF=FROM:TO[:STEPS], split like `--set`.
struct SweepFlag {
  std::string joint;
  std::string dof;
  double from = 0;  ///< degrees, metres or factor as typed
  double to = 0;
  int steps = 13;
};

struct CompareOptions {
  EvaluationOptions evaluation;
  std::vector<PaneFlag> sides;        ///< on the CPU unless they say otherwise
  std::optional<PaneFlag> reference;  ///< one of `sides`; without it lbs where it is among them, or the first
  bool pair = false;                  ///< --a and --b; the first is the reference
  StrainsAgainst against = StrainsAgainst::kBind;
  bool json = false;
  std::string csv;  ///< file, "-" for standard output; empty: none
  std::optional<FrameRange> frames;
  bool battery = false;
  bool battery_of_clips = false;  ///< edit::kClipBattery instead of the standard one
  std::optional<SweepFlag> sweep;
  std::string poses;  ///< folder of pose files; empty: none
  RandomPosesFlags random;
  std::optional<std::string> ring;  ///< joint
  bool intersections = false;
};

}  // namespace pelt::cli
