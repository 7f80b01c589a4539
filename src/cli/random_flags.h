#pragma once

#include "edit/pose_battery.h"

namespace pelt::cli {

class Command;

/// `--random` and `--seed`: the random poses of a battery, or alone.
struct RandomPosesFlags {
  int count = 0;  ///< 0: not said
  int seed = 1;
  [[nodiscard]] edit::BatteryOptions battery() const;
};

void add_random_flags(Command& command, RandomPosesFlags& flags);

}  // namespace pelt::cli
