#include "ui/plot.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace pelt::ui {
namespace {

TEST(PlotAxis, TicksAreRoundNumbersWithinTheRange) {
  const PlotAxis axis = make_axis(0.013, 0.98, 6);
  EXPECT_DOUBLE_EQ(axis.step, 0.2);
  EXPECT_EQ(axis.decimals, 1);
  EXPECT_NEAR(axis.first_tick(), 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(axis.lower, 0.013);
  EXPECT_DOUBLE_EQ(axis.upper, 0.98);
  EXPECT_DOUBLE_EQ(make_axis(0, 1000, 6).step, 200);
  EXPECT_EQ(make_axis(0, 1000, 6).decimals, 0);
}

TEST(PlotAxis, AnglesTickAtPartsOfTheFullTurn) {
  EXPECT_DOUBLE_EQ(make_axis(-180, 180, 5, true).step, 90);
  EXPECT_DOUBLE_EQ(make_axis(-180, 180, 9, true).step, 45);
  EXPECT_DOUBLE_EQ(make_axis(0, 140, 8, true).step, 30);
  EXPECT_DOUBLE_EQ(make_axis(-180, 180, 5, true).first_tick(), -180);
}

TEST(PlotAxis, ThereAreNeverMoreTicksThanAskedFor) {
  for (const double extent : {1e-6, 0.3, 1.0, 7.0, 99.0, 12345.0}) {
    for (const int most : {2, 3, 5, 9}) {
      for (const bool degrees : {false, true}) {
        const PlotAxis axis = make_axis(-extent / 3, extent, most, degrees);
        const double ticks = std::floor((axis.upper - axis.first_tick()) / axis.step + 1e-6) + 1;
        EXPECT_LE(ticks, most) << extent << " " << most << " " << degrees;
      }
    }
  }
}

TEST(PlotAxis, ARangeWithoutExtentGetsOne) {
  const PlotAxis flat = make_axis(3, 3, 5);
  EXPECT_DOUBLE_EQ(flat.lower, 2.5);
  EXPECT_DOUBLE_EQ(flat.upper, 3.5);
  const PlotAxis none = make_axis(std::numeric_limits<double>::quiet_NaN(), 1, 5);
  EXPECT_DOUBLE_EQ(none.lower, -0.5);
  EXPECT_DOUBLE_EQ(none.upper, 0.5);
}

}  // namespace
}  // namespace pelt::ui
