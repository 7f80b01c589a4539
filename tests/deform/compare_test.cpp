#include "deform/compare.h"

#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace pelt::deform {
namespace {

TEST(Difference, FindsTheWorstVertex) {
  DeformedCharacter a;
  a.parts.resize(2);
  a.parts[0].positions = {{0, 0, 0}, {1, 0, 0}};
  a.parts[1].positions = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  a.parts[1].normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  DeformedCharacter b = a;
  b.parts[0].positions[1].y = 3;
  b.parts[1].positions[2].z = 5;
  b.parts[1].normals[1] = {0, 1, 0};
  const Difference out = difference(a, b);
  EXPECT_DOUBLE_EQ(out.max, 4.0);
  EXPECT_EQ(out.worst_part, 1);
  EXPECT_EQ(out.worst_vertex, 2);
  EXPECT_DOUBLE_EQ(out.rms, std::sqrt((9.0 + 16.0) / 5));
  EXPECT_DOUBLE_EQ(out.max_normal_angle, std::numbers::pi / 2);
  EXPECT_EQ(out.non_finite, 0);
}

TEST(Difference, CountsWhatIsNotFinite) {
  DeformedCharacter a;
  a.parts.resize(1);
  a.parts[0].positions = {{0, 0, 0}, {1, 0, 0}};
  DeformedCharacter b = a;
  b.parts[0].positions[0].x = std::numeric_limits<float>::quiet_NaN();
  const Difference out = difference(a, b);
  EXPECT_EQ(out.non_finite, 1);
  EXPECT_EQ(out.max, 0.0);
  EXPECT_EQ(out.rms, 0.0);
}

}  // namespace
}  // namespace pelt::deform
