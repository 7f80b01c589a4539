// Tests the cost of very many equal wishes for a name.
#include "core/free_names.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/effort.h"

namespace pelt {
namespace {

// A file may give all of its things the same name. Four times as many take four times as long, not sixteen times.
TEST(FreeNames, ManyEqualWishesCostALookUpEach) {
  const auto seconds = [](int count, const std::string& wish) {
    return test::processor_seconds([&] {
      FreeNames names(40);
      for (int n = 0; n < count; ++n) {
        names.give(wish, "clip");
      }
    });
  };
  for (const std::string& wish : {std::string("P"), std::string(100, 'x')}) {
    double few = seconds(20'000, wish);
    double many = seconds(80'000, wish);
    for (int n = 0; n < 2; ++n) {
      few = std::min(few, seconds(20'000, wish));
      many = std::min(many, seconds(80'000, wish));
    }
    EXPECT_LT(many, 9 * few);
  }
}

}  // namespace
}  // namespace pelt
