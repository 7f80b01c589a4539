// Tests the cost of putting very many constraints in order.
#include <algorithm>

#include <gtest/gtest.h>

#include "reversed_followers.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

// A chain of followers in the worst order, and a cycle through all of them. Twice as many take four times as long,
// since each pair is compared; eight times would be a search for each.
TEST(ConstraintsCost, C18_3_AThousandInReverseAreOrderedInTime) {
  const auto seconds = [](int count, bool cycle) {
    const test::ReversedFollowers followers(count, cycle);
    double best = 1e9;
    for (int n = 0; n < 2; ++n) {
      best = std::min(best, test::processor_seconds(
                                [&] { motion::make_constraint_rig(followers.character, followers.constraints); }));
    }
    return best;
  };
  for (const bool cycle : {false, true}) {
    EXPECT_LT(seconds(1000, cycle), 40 * seconds(250, cycle)) << "16 for four times as many; 64 were it cubic";
  }
}

}  // namespace
}  // namespace pelt::edit
