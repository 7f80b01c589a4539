#include "math/polar.h"

#include <limits>

#include <gtest/gtest.h>

#include "matrix_difference.h"
#include "support/fixtures.h"

namespace pelt {
namespace {

using test::difference;

constexpr double kRounding = 1e-13;

glm::dmat3 diagonal(const glm::dvec3& d) {
  return {d.x, 0, 0, 0, d.y, 0, 0, 0, d.z};
}

void expect_rotation(const glm::dmat3& r) {
  EXPECT_LE(difference(glm::transpose(r) * r, glm::dmat3(1.0)), kRounding);
  EXPECT_NEAR(glm::determinant(r), 1.0, kRounding);
}

glm::dmat3 random_matrix(test::Random& random) {
  return {random.dvector(-2.0, 2.0), random.dvector(-2.0, 2.0), random.dvector(-2.0, 2.0)};
}

TEST(SingularValues, TwoRotationsAndDescendingValuesGiveTheMatrixBack) {
  test::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const glm::dmat3 a = random_matrix(random);
    const SingularValues s = singular_values(a);
    expect_rotation(s.u);
    expect_rotation(s.v);
    EXPECT_GE(s.sigma.x, s.sigma.y);
    EXPECT_GE(s.sigma.y, std::abs(s.sigma.z));
    EXPECT_EQ(s.sigma.z < 0, glm::determinant(a) < 0);
    EXPECT_LE(difference(s.u * diagonal(s.sigma) * glm::transpose(s.v), a), kRounding);
  }
}

TEST(SingularValues, SingularMatricesHaveRotationsToo) {
  test::Random random(2);
  for (int i = 0; i < 100; ++i) {
    const glm::dmat3 left = glm::mat3_cast(random.rotation());
    const glm::dmat3 right = glm::mat3_cast(random.rotation());
    for (const glm::dvec3& values : {glm::dvec3(3, 2, 0), glm::dvec3(3, 0, 0), glm::dvec3(2, 2, 0)}) {
      const glm::dmat3 a = left * diagonal(values) * glm::transpose(right);
      const SingularValues s = singular_values(a);
      expect_rotation(s.u);
      expect_rotation(s.v);
      EXPECT_LE(difference(diagonal(s.sigma), diagonal(values)), 1e-12);
      EXPECT_LE(difference(s.u * diagonal(s.sigma) * glm::transpose(s.v), a), 1e-12);
    }
  }
  EXPECT_EQ(difference(singular_values(glm::dmat3(0.0)).u, glm::dmat3(1.0)), 0.0);
  EXPECT_EQ(singular_values(glm::dmat3(0.0)).sigma, glm::dvec3(0.0));
}

TEST(SingularValues, SizeDoesNotMatter) {
  test::Random random(3);
  const glm::dmat3 a = random_matrix(random);
  for (const double scale : {1e-200, 1e-30, 1e30, 1e200}) {
    const SingularValues s = singular_values(a * scale);
    expect_rotation(s.u);
    EXPECT_LE(difference(s.u * diagonal(s.sigma / scale) * glm::transpose(s.v), a), kRounding);
  }
}

TEST(Polar, C22_6_Shear) {
  // [[1,1,0],[0,1,0],[0,0,1]] by rows.
  const Polar p = polar({1, 0, 0, 1, 1, 0, 0, 0, 1});
  EXPECT_NEAR(glm::degrees(std::atan2(p.rotation[0][1], p.rotation[0][0])), -26.565051, 5e-7);
  EXPECT_NEAR(p.rotation[2][2], 1.0, kRounding);
  EXPECT_LE(difference(p.stretch, {0.894427, 0.447214, 0, 0.447214, 1.341641, 0, 0, 0, 1}), 5e-7);
}

TEST(Polar, SymmetricPositiveStretchOfAnyMatrixThatDoesNotMirror) {
  test::Random random(4);
  for (int i = 0; i < 1000; ++i) {
    glm::dmat3 a = random_matrix(random);
    const double side = glm::determinant(a) < 0 ? -1.0 : 1.0;
    const Polar p = polar(a);
    expect_rotation(p.rotation);
    EXPECT_LE(difference(p.stretch, glm::transpose(p.stretch)), kRounding);
    EXPECT_LE(difference(p.rotation * p.stretch, a), kRounding);
    const glm::dvec3 direction = random.unit();
    EXPECT_GT(side * glm::dot(direction, p.stretch * direction), 0.0);
  }
}

TEST(Polar, RotationsAndMirrorsAreLeftAlone) {
  test::Random random(5);
  for (int i = 0; i < 100; ++i) {
    const glm::dmat3 r = glm::mat3_cast(random.rotation());
    EXPECT_LE(difference(polar(r).rotation, r), kRounding);
    EXPECT_LE(difference(polar(r).stretch, glm::dmat3(1.0)), kRounding);
    const glm::dmat3 mirror = r * diagonal({-1, 1, 1});
    EXPECT_LE(difference(polar(mirror).rotation, -mirror), kRounding);
    EXPECT_LE(difference(polar(mirror).stretch, glm::dmat3(-1.0)), kRounding);
  }
  EXPECT_EQ(polar(glm::dmat3(1.0)).rotation, glm::dmat3(1.0));
  EXPECT_EQ(polar(glm::dmat3(1.0)).stretch, glm::dmat3(1.0));
}

// Zero scale under a rotation, in numbers as single precision leaves them: the noise neither mirrors nor turns.
TEST(Polar, SingularMatricesTurnAsLittleAsTheyCan) {
  test::Random random(6);
  for (int i = 0; i < 200; ++i) {
    const glm::dmat3 noise = random_matrix(random) * 1e-7;
    const Polar flat = polar(diagonal({2, 3, 0}) + noise);
    EXPECT_LE(difference(flat.rotation, glm::dmat3(1.0)), 1e-6);
    const Polar line = polar(diagonal({0, 3, 0}) + noise);
    EXPECT_LE(difference(line.rotation, glm::dmat3(1.0)), 1e-6);
    EXPECT_LE(difference(line.stretch, diagonal({0, 3, 0})), 1e-6);
  }
  EXPECT_EQ(polar(glm::dmat3(0.0)).rotation, glm::dmat3(1.0));
  EXPECT_EQ(polar(glm::dmat3(0.0)).stretch, glm::dmat3(0.0));
}

TEST(Polar, WhatIsNotFiniteStaysInTheStretch) {
  const Polar p = polar(glm::dmat3(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(p.rotation, glm::dmat3(1.0));
  EXPECT_TRUE(std::isnan(p.stretch[0][0]));
}

}  // namespace
}  // namespace pelt
