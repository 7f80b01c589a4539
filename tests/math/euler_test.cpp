#include "math/euler.h"

#include <ostream>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt {

/// Found by the test framework only where the order itself is declared.
inline void PrintTo(EulerOrder order, std::ostream* out) {
  *out << name_of(order);
}

namespace {

double degrees(double radians) {
  return glm::degrees(radians);
}

glm::dvec3 radians(double x, double y, double z) {
  return glm::radians(glm::dvec3(x, y, z));
}

// Largest difference of the rotation matrices.
double difference(const glm::dquat& a, const glm::dquat& b) {
  const glm::dmat3 d = glm::mat3_cast(a) - glm::mat3_cast(b);
  double worst = 0;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      worst = std::max(worst, std::abs(d[c][r]));
    }
  }
  return worst;
}

TEST(Euler, C2_1_MatrixQuaternionAndExtraction) {
  const glm::dquat q = quat_from_euler(radians(30, 40, 50), EulerOrder::kXYZ);
  const glm::dmat3 m = glm::mat3_cast(q);
  const double expected[3][3] = {
      {0.492404, -0.456826, 0.740843}, {0.586824, 0.802872, 0.105040}, {-0.642788, 0.383022, 0.663414}};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(m[c][r], expected[r][c], 5e-7) << "row " << r << ", column " << c;
    }
  }
  EXPECT_NEAR(q.x, 0.080805, 5e-7);
  EXPECT_NEAR(q.y, 0.402198, 5e-7);
  EXPECT_NEAR(q.z, 0.303372, 5e-7);
  EXPECT_NEAR(q.w, 0.860042, 5e-7);
  const glm::dvec3 angles = euler_from_quat(q, EulerOrder::kXYZ);
  EXPECT_NEAR(degrees(angles.x), 30, 1e-9);
  EXPECT_NEAR(degrees(angles.y), 40, 1e-9);
  EXPECT_NEAR(degrees(angles.z), 50, 1e-9);
  // The reverse order Rx * Ry * Rz applies z first.
  const glm::dmat3 reverse = glm::mat3_cast(quat_from_euler(radians(30, 40, 50), EulerOrder::kZYX));
  EXPECT_NEAR(reverse[0][0], 0.492404, 5e-7);
  EXPECT_NEAR(reverse[1][0], -0.586824, 5e-7);
  EXPECT_NEAR(reverse[2][0], 0.642788, 5e-7);
}

TEST(Euler, C2_2_GimbalLock) {
  const auto q = [](double x, double y, double z) { return quat_from_euler(radians(x, y, z), EulerOrder::kXYZ); };
  EXPECT_LT(difference(q(10, 90, 30), q(0, 90, 20)), 1e-12);
  EXPECT_LT(difference(q(10, -90, 30), q(0, -90, 40)), 1e-12);
  const glm::dvec3 up = euler_from_quat(q(10, 90, 30), EulerOrder::kXYZ);
  EXPECT_NEAR(degrees(up.x), 0, 1e-9);
  EXPECT_NEAR(degrees(up.y), 90, 1e-5);
  EXPECT_NEAR(degrees(up.z), 20, 1e-5);
  EXPECT_LT(difference(quat_from_euler(up, EulerOrder::kXYZ), q(10, 90, 30)), 1e-7);
}

class EulerOrders : public testing::TestWithParam<EulerOrder> {};

TEST_P(EulerOrders, NamesTheAxisAppliedFirstFirst) {
  const EulerOrder order = GetParam();
  const auto [i, j, k] = axes_of(order);
  const glm::dvec3 angles = radians(20, -35, 70);
  glm::dmat3 expected(1.0);
  for (const int axis : {i, j, k}) {
    glm::dvec3 unit(0);
    unit[axis] = 1;
    expected = glm::dmat3(glm::rotate(glm::dmat4(1.0), angles[axis], unit)) * expected;
  }
  EXPECT_LT(difference(quat_from_euler(angles, order), glm::quat_cast(expected)), 1e-14);
  EXPECT_EQ(euler_order_from_name(name_of(order)), order);
}

TEST_P(EulerOrders, RoundTripsToTwelveDigits) {
  const EulerOrder order = GetParam();
  const int middle = axes_of(order)[1];
  test::Random random(11);
  for (int n = 0; n < 2000; ++n) {
    glm::dvec3 angles = random.dvector(-3.1, 3.1);
    angles[middle] = random.real(-1.5, 1.5);
    const glm::dvec3 back = euler_from_quat(quat_from_euler(angles, order), order);
    for (int axis = 0; axis < 3; ++axis) {
      // The outer angles are as sharp as the middle one's cosine allows.
      EXPECT_NEAR(back[axis], angles[axis], 1e-12) << "case " << n << ", axis " << axis;
    }
    const glm::dquat q = random.rotation();
    EXPECT_LT(difference(quat_from_euler(euler_from_quat(q, order), order), q), 1e-12);
  }
}

TEST_P(EulerOrders, SinglePrecisionKeepsTheRotationNearTheLock) {
  const EulerOrder order = GetParam();
  const int middle = axes_of(order)[1];
  test::Random random(12);
  for (int n = 0; n < 2000; ++n) {
    glm::dvec3 angles = random.dvector(-3.1, 3.1);
    angles[middle] = (n % 2 == 0 ? 1 : -1) * (std::numbers::pi / 2 - std::pow(10.0, random.real(-8.0, -2.0)));
    const glm::quat q(quat_from_euler(angles, order));
    const glm::vec3 back = euler_from_quat(q, order);
    EXPECT_LT(difference(quat_from_euler(glm::dvec3(back), order), glm::dquat(q)), 3e-6) << "case " << n;
    EXPECT_LE(std::abs(back[middle]), std::numbers::pi_v<float> / 2 + 1e-6f);
  }
}

TEST_P(EulerOrders, LockedMiddleAngleZeroesTheFirst) {
  const EulerOrder order = GetParam();
  const auto [i, j, k] = axes_of(order);
  for (const double sign : {-1.0, 1.0}) {
    glm::dvec3 angles(0.4);
    angles[k] = 1.1;
    angles[j] = sign * std::numbers::pi / 2;
    const glm::dquat q = quat_from_euler(angles, order);
    const glm::dvec3 back = euler_from_quat(q, order);
    EXPECT_EQ(back[i], 0.0);
    EXPECT_LT(difference(quat_from_euler(back, order), q), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EulerOrders, testing::ValuesIn(kEulerOrders),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST(Euler, UnknownOrderHasNoValue) {
  EXPECT_FALSE(euler_order_from_name("XYX").has_value());
  EXPECT_FALSE(euler_order_from_name("xyz").has_value());
  EXPECT_FALSE(euler_order_from_name("").has_value());
}

}  // namespace
}  // namespace pelt
