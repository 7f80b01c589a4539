#pragma once

// The drivers of a hostile file.

#include <cstddef>
#include <string>
#include <vector>

#include "motion/drivers.h"
#include "support/fixtures.h"

namespace pelt::test {

/// A few more drivers than are allowed, with more inputs than are allowed, on a deep skeleton.
struct HungryDrivers {
  rig::Character character;
  std::vector<motion::Driver> drivers;

  HungryDrivers() {
    constexpr int kDepth = 3000;
    for (int j = 0; j < kDepth; ++j) {
      add_node(character, "j" + std::to_string(j), j - 1, {.translation = {0, 0.01f, 0}});
    }
    rig::finish(character);
    for (std::size_t d = 0; d < motion::kMostDrivers + 5; ++d) {
      std::string expression = "0";
      for (int i = 0; i < 12; ++i) {
        expression += " + distance(j" + std::to_string(kDepth - 1 - i) + ", j" + std::to_string((d + 1) % 7) + ")";
      }
      drivers.push_back({"j" + std::to_string(d) + ".bend", expression});
    }
  }
};

}  // namespace pelt::test
