#include "measure/compare.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace pelt::measure {
namespace {

TEST(Difference, FindsTheWorstVertex) {
  deform::DeformedCharacter a;
  a.parts.resize(2);
  a.parts[0].positions = {{0, 0, 0}, {1, 0, 0}};
  a.parts[1].positions = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  a.parts[1].normals = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  deform::DeformedCharacter b = a;
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
  deform::DeformedCharacter a;
  a.parts.resize(1);
  a.parts[0].positions = {{0, 0, 0}, {1, 0, 0}};
  deform::DeformedCharacter b = a;
  b.parts[0].positions[0].x = std::numeric_limits<float>::quiet_NaN();
  const Difference out = difference(a, b);
  EXPECT_EQ(out.non_finite, 1);
  EXPECT_EQ(out.max, 0.0);
  EXPECT_EQ(out.rms, 0.0);
}

TEST(Compare, AFieldInAFewNumbers) {
  const std::vector<std::vector<float>> field = {{0.5f, 0.25f}, {}, {-2.0f, 2.0f}};
  const FieldSummary summary = summary_of(field);
  EXPECT_EQ(summary.worst, -2.0) << "the first of equals";
  EXPECT_EQ(summary.worst_part, 2);
  EXPECT_EQ(summary.worst_vertex, 0);
  EXPECT_DOUBLE_EQ(summary.rms, std::sqrt((0.25 + 0.0625 + 4 + 4) / 4));
  EXPECT_EQ(summary_of({}).worst_vertex, -1);
}

}  // namespace
}  // namespace pelt::measure
