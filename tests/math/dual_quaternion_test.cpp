#include "math/dual_quaternion.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDigits = 5e-7;  // as ALGORITHMS.md prints them

using Quat = DualQuat<double>;

glm::dvec4 about(const glm::dvec3& unit_axis, double degrees) {
  const double half = degrees / 360 * kPi;
  return glm::dvec4(unit_axis * std::sin(half), std::cos(half));
}

void expect_near(const glm::dvec4& actual, const glm::dvec4& expected) {
  for (int c = 0; c < 4; ++c) {
    EXPECT_NEAR(actual[c], expected[c], kDigits) << c;
  }
}

/// (1 - w) identity + w q, normalised.
Quat blended(const Quat& q, double w) {
  Quat b = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  add_weighted(b, {{0, 0, 0, 1}, {0, 0, 0, 0}}, 1 - w);
  add_weighted(b, q, w);
  EXPECT_TRUE(normalize(b));
  return b;
}

TEST(DualQuaternion, C22_1_TranslationAfterQuarterTurn) {
  const Quat q = dual_quat(about({0, 0, 1}, 90), glm::dvec3(1, 2, 3));
  expect_near(q.real, {0, 0, 0.707107, 0.707107});
  expect_near(q.dual, {1.060660, 0.353553, 1.060660, -1.060660});
  EXPECT_LE(glm::distance(transform_point(q, glm::dvec3(1, 0, 0)), glm::dvec3(1, 3, 3)), 1e-12);
  EXPECT_LE(glm::distance(translation_of(q), glm::dvec3(1, 2, 3)), 1e-12);

  // F-ELBOW's forearm: -90 degrees about z at (4,0,0), which is a translation by (4,4,0).
  expect_near(dual_quat(about({0, 0, 1}, -90), glm::dvec3(4, 4, 0)).dual, {0, 2.828427, 0, 0});
}

TEST(DualQuaternion, MovesPointsAsItsMatrixDoes) {
  test::Random random(1);
  for (int i = 0; i < 100; ++i) {
    const glm::dquat r = random.rotation();
    const glm::dvec3 t = random.dvector(-3.0, 3.0);
    const glm::dvec3 p = random.dvector(-3.0, 3.0);
    const Quat q = dual_quat(glm::dvec4(r.x, r.y, r.z, r.w), t);
    EXPECT_LE(glm::distance(transform_point(q, p), r * p + t), 1e-14 * 100);
    EXPECT_NEAR(glm::dot(q.real, q.dual), 0.0, 1e-14);
    const glm::dvec4 unit = quat_product(q.real, quat_conjugate(q.real));
    EXPECT_LE(glm::distance(unit, glm::dvec4(0, 0, 0, 1)), 1e-14);
  }
}

TEST(DualQuaternion, C22_2_Elbow) {
  const Quat c = blended(dual_quat(about({0, 0, 1}, -90), glm::dvec3(4, 4, 0)), 0.2);
  const glm::dvec3 point = transform_point(c, glm::dvec3(3, 1, 0));
  EXPECT_NEAR(point.x, 3.337949, kDigits);
  EXPECT_NEAR(point.y, 1.249675, kDigits);
  EXPECT_NEAR(2 * std::atan2(c.real.z, c.real.w) * 180 / kPi, -17.086310, kDigits);
  EXPECT_NEAR(glm::distance(point, glm::dvec3(4, 0, 0)), std::sqrt(2.0), 1e-9);
}

TEST(DualQuaternion, C22_3_TwistKeepsTheRadius) {
  for (const double degrees : {30.0, 90.0, 150.0, 179.0}) {
    const double half = degrees / 360 * kPi;
    for (int i = 0; i <= 100; ++i) {
      const double w = i / 100.0;
      const Quat c = blended(dual_quat(about({1, 0, 0}, degrees), glm::dvec3(0.0)), w);
      const glm::dvec3 p = transform_point(c, glm::dvec3(0.5, 0.1, 0));
      EXPECT_NEAR(std::hypot(p.y, p.z), 0.1, 1e-9);
      EXPECT_NEAR(p.x, 0.5, 1e-9);
      EXPECT_NEAR(std::atan2(p.z, p.y), 2 * std::atan2(w * std::sin(half), 1 - w + w * std::cos(half)), 1e-9);
    }
  }
}

TEST(DualQuaternion, C22_4_LargestDeviationFromConstantSpeed) {
  struct Case {
    double degrees;
    double deviation;
  };
  for (const Case& one : {Case{60, 0.267480}, {90, 0.918815}, {120, 2.233973}, {180, 8.149137}}) {
    double largest = 0;
    for (int i = 0; i <= 100000; ++i) {
      const double w = i / 100000.0;
      const glm::dvec4 c = blended(dual_quat(about({0, 0, 1}, one.degrees), glm::dvec3(0.0)), w).real;
      largest = std::max(largest, std::abs(2 * std::atan2(c.z, c.w) * 180 / kPi - w * one.degrees));
    }
    EXPECT_NEAR(largest, one.deviation, kDigits) << one.degrees;
  }
}

TEST(DualQuaternion, OppositeRotationsCancel) {
  Quat b = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  add_weighted(b, {{0, 0, 0, 1}, {0, 0, 0, 0}}, 0.5);
  add_weighted(b, {{0, 0, 0, -1}, {0, 0, 0, 0}}, 0.5);
  EXPECT_FALSE(normalize(b));
  EXPECT_EQ(b.real, glm::dvec4(0.0));
}

TEST(DualQuaternion, SideIsSteadyAtHalfATurn) {
  const glm::vec4 identity(0, 0, 0, 1);
  EXPECT_EQ(side_of(identity, glm::vec4(1, 0, 0, -4e-8f)), 1.0f);
  EXPECT_EQ(side_of(identity, glm::vec4(1, 0, 0, 4e-8f)), 1.0f);
  EXPECT_EQ(side_of(identity, glm::vec4(std::sqrt(0.99f), 0, 0, -0.1f)), -1.0f);
}

}  // namespace
}  // namespace pelt
