// Tests the cost of finding the stretch that very many joints share.
#include "deform/common_stretch.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/effort.h"

namespace pelt::deform {
namespace {

// Sixty thousand joints stretch differently. Comparing each with each would take a minute.
TEST(CommonStretchCost, OfVeryManyUnlikeJointsIsFoundAtOnce) {
  constexpr int kJoints = 60'000;
  std::vector<glm::dmat3> linear;
  for (int j = 0; j < kJoints; ++j) {
    linear.emplace_back(1.0);
    linear.back()[0][0] = std::exp(0.5 * j / kJoints);
    linear.back()[2][2] = 2;
  }
  glm::dmat3 stretch(0.0);
  EXPECT_LT(test::processor_seconds([&] { stretch = common_stretch(linear); }), 5);
  EXPECT_NEAR(stretch[0][0], std::exp(0.25), 5e-3);
}

}  // namespace
}  // namespace pelt::deform
