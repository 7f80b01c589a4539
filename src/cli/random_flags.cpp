#include "cli/random_flags.h"

#include "cli/command_line.h"

namespace pelt::cli {

edit::BatteryOptions RandomPosesFlags::battery() const {
  edit::BatteryOptions options = edit::kStandardBattery;
  options.random = count > 0 ? count : options.random;
  options.seed = static_cast<std::uint32_t>(seed);
  return options;
}

void add_random_flags(Command& command, RandomPosesFlags& flags) {
  command.add_option("--random", flags.count, "N random poses within limits")->type_name("N")->between(1, 100'000);
  command.add_option("--seed", flags.seed, "Of the random poses (default 1)")->type_name("S");
}

}  // namespace pelt::cli
