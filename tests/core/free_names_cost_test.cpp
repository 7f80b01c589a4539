// Tests the cost of very many equal wishes for a name.
#include "core/free_names.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/effort.h"

namespace pelt {
namespace {

constexpr int kWishes = 80'000;

// Least processor time of three tries to give all wishes a name, seconds.
template <typename Wish>
double seconds_to_give(const Wish& wish) {
  double least = 1e9;
  for (int round = 0; round < 3; ++round) {
    least = std::min(least, test::processor_seconds([&] {
                       FreeNames names(40);
                       for (int n = 0; n < kWishes; ++n) {
                         names.give(wish(n), "clip");
                       }
                     }));
  }
  return least;
}

// A file may give all of its things the same name. The comparison is with as many different wishes, whose names take
// the same memory; were each equal wish compared with those before it, they would take a thousand times as long.
TEST(FreeNames, ManyEqualWishesCostALookUpEach) {
  const double different = seconds_to_give([](int n) { return fmt::format("P {}", n + 2); });
  const double different_and_long = seconds_to_give([](int n) { return fmt::format("{:x>28} {}", "", n + 2); });
  EXPECT_LT(seconds_to_give([](int) { return std::string("P"); }), 9 * different);
  EXPECT_LT(seconds_to_give([](int) { return std::string(100, 'x'); }), 9 * different_and_long);
}

}  // namespace
}  // namespace pelt
