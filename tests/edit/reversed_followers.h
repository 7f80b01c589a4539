#pragma once

// Constraints in the worst order that a file can list them in.

#include <vector>

#include <fmt/format.h>

#include "motion/constraints.h"
#include "support/fixtures.h"

namespace pelt::test {

/// `count` joints that each follow the one before. The one that follows nothing that is moved comes last; in a cycle it
/// follows the last joint.
struct ReversedFollowers {
  rig::Character character;
  std::vector<motion::Constraint> constraints;

  ReversedFollowers(int count, bool cycle) {
    for (int j = 0; j <= count; ++j) {
      add_node(character, fmt::format("j{}", j), -1, {});
    }
    rig::finish(character);
    for (int c = count; c-- > 0;) {
      constraints.push_back({.joint = fmt::format("j{}", c + 1), .target = fmt::format("j{}", c)});
    }
    if (cycle) {
      constraints.back().target = constraints.front().joint;
    }
  }
};

}  // namespace pelt::test
