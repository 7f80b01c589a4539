#include "math/transform.h"

#include <numbers>

#include <gtest/gtest.h>

#include "matrix_difference.h"
#include "support/fixtures.h"

namespace pelt {
namespace {

using test::difference;

glm::quat turn_about(const glm::vec3& axis, float degrees) {
  return glm::angleAxis(glm::radians(degrees), axis);
}

TEST(Conventions, C1_1_HalfTurnBetweenFacings) {
  const glm::dquat half_turn = quat_from_rotation_vector(glm::dvec3(0, std::numbers::pi, 0));
  const auto close = [](const glm::dvec3& a, const glm::dvec3& b) { return glm::length(a - b) < 1e-12; };
  EXPECT_TRUE(close(half_turn * glm::dvec3(0.7, 1.4, 0), {-0.7, 1.4, 0}));
  EXPECT_TRUE(close(half_turn * glm::dvec3(0, 1.4, -1), {0, 1.4, 1}));
  EXPECT_TRUE(close(half_turn * (half_turn * glm::dvec3(0.3, -2, 5)), {0.3, -2, 5}));
  EXPECT_NEAR(glm::determinant(glm::mat3_cast(half_turn)), 1, 1e-12);
}

TEST(Conventions, C1_2_RowProductIsTransposedColumnProduct) {
  test::Random random(2);
  for (int n = 0; n < 100; ++n) {
    const glm::dmat3 m(random.dvector(-2.0, 2.0), random.dvector(-2.0, 2.0), random.dvector(-2.0, 2.0));
    const glm::dvec3 v = random.dvector(-2.0, 2.0);
    EXPECT_LT(glm::length(v * m - glm::transpose(m) * v), 1e-12);
  }
}

TEST(Conventions, C1_4_ChildOfScaledAndTurnedParent) {
  const glm::mat4 parent = to_matrix({{1, 2, 3}, turn_about({0, 1, 0}, 90), glm::vec3(2)});
  const glm::mat4 child = parent * to_matrix({{0, 1, 0}, turn_about({1, 0, 0}, 90), glm::vec3(1)});
  EXPECT_LT(glm::length(glm::vec3(child[3]) - glm::vec3(1, 4, 3)), 1e-6f);
  EXPECT_LT(glm::length(glm::vec3(child * glm::vec4(0, 0, 1, 1)) - glm::vec3(1, 2, 3)), 1e-6f);
}

TEST(Conventions, C1_5_ScaleOverRotationShears) {
  const glm::mat4 world =
      to_matrix({{}, kIdentityQuat, {2, 1, 1}}) * to_matrix({{}, turn_about({0, 0, 1}, 45), glm::vec3(1)});
  EXPECT_NEAR(glm::dot(world[0], world[1]), -1.5, 1e-6);
  EXPECT_NEAR(glm::length(world[0]), 1.581139, 1e-6);
  EXPECT_NEAR(glm::length(world[1]), 1.581139, 1e-6);
  const Decomposition parts = decompose(world);
  EXPECT_TRUE(parts.has_residual);
  EXPECT_GT(difference(to_matrix(parts.transform), world), 0.1);
  EXPECT_LT(difference(to_matrix(parts.transform) * parts.residual, world), 1e-6);
}

TEST(Transform, QuaternionsAreBuiltInFileOrder) {
  const glm::quat q = quat_xyzw(1.0f, 2.0f, 3.0f, 4.0f);
  EXPECT_EQ(q.x, 1.0f);
  EXPECT_EQ(q.y, 2.0f);
  EXPECT_EQ(q.z, 3.0f);
  EXPECT_EQ(q.w, 4.0f);
}

TEST(Transform, NormalisingNothingGivesIdentity) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(normalized_or_identity(quat_xyzw(0.0f, 0.0f, 0.0f, 0.0f)), kIdentityQuat);
  EXPECT_EQ(normalized_or_identity(quat_xyzw(kNan, 0.0f, 0.0f, 1.0f)), kIdentityQuat);
  EXPECT_EQ(normalized_or_identity(quat_xyzw(INFINITY, 0.0f, 0.0f, 1.0f)), kIdentityQuat);
  EXPECT_EQ(normalized_or_identity(quat_xyzw(1e-25f, 0.0f, 0.0f, 0.0f)), quat_xyzw(1.0f, 0.0f, 0.0f, 0.0f));
  EXPECT_EQ(normalized_or_identity(quat_xyzw(0.0f, 3e38f, 0.0f, 0.0f)), quat_xyzw(0.0f, 1.0f, 0.0f, 0.0f));
}

TEST(Decompose, ReturnsWhatToMatrixTook) {
  test::Random random(5);
  for (int n = 0; n < 2000; ++n) {
    const Transform t{random.vector(-10, 10), glm::quat(random.rotation()), random.vector(0.01f, 20.0f)};
    const Decomposition parts = decompose(to_matrix(t));
    EXPECT_FALSE(parts.has_residual) << "case " << n;
    EXPECT_EQ(parts.transform.translation, t.translation);
    EXPECT_GT(std::abs(glm::dot(parts.transform.rotation, t.rotation)), 1 - 1e-6f);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(parts.transform.scale[c], t.scale[c], 1e-6f * t.scale[c]);
    }
  }
}

TEST(Decompose, ShearGoesIntoTheResidual) {
  test::Random random(6);
  for (int n = 0; n < 2000; ++n) {
    glm::mat4 m(1.0f);
    for (int c = 0; c < 4; ++c) {
      m[c] = glm::vec4(random.vector(-2, 2), c == 3 ? 1.0f : 0.0f);
    }
    if (std::abs(glm::determinant(m)) < 0.05f) {
      continue;
    }
    const Decomposition parts = decompose(m);
    EXPECT_TRUE(parts.has_residual);
    EXPECT_NEAR(glm::length(parts.transform.rotation), 1, 1e-6);
    EXPECT_LT(difference(to_matrix(parts.transform) * parts.residual, m), 2e-5) << "case " << n;
    EXPECT_EQ(parts.transform.scale.x < 0, glm::determinant(m) < 0);
  }
}

TEST(Decompose, MirrorBecomesNegativeX) {
  for (int axis = 0; axis < 3; ++axis) {
    Transform t{{1, 2, 3}, turn_about({0.6f, 0, 0.8f}, 50), {1, 2, 3}};
    t.scale[axis] = -t.scale[axis];
    const Decomposition parts = decompose(to_matrix(t));
    EXPECT_LT(parts.transform.scale.x, 0);
    EXPECT_GT(parts.transform.scale.y, 0);
    EXPECT_GT(parts.transform.scale.z, 0);
    EXPECT_FALSE(parts.has_residual);
    EXPECT_LT(difference(to_matrix(parts.transform), to_matrix(t)), 1e-6);
  }
}

TEST(Decompose, FlatMatricesKeepWhatIsThere) {
  for (int flat = 0; flat < 8; ++flat) {
    Transform t{{1, 2, 3}, turn_about({0, 0.6f, 0.8f}, 70), {1.5f, 2, 3}};
    for (int axis = 0; axis < 3; ++axis) {
      if ((flat >> axis) % 2 == 1) {
        t.scale[axis] = 0;
      }
    }
    const Decomposition parts = decompose(to_matrix(t));
    EXPECT_FALSE(parts.has_residual);
    EXPECT_NEAR(glm::length(parts.transform.rotation), 1, 1e-6);
    EXPECT_LT(difference(to_matrix(parts.transform), to_matrix(t)), 1e-6) << "flat axes " << flat;
  }
}

TEST(Decompose, ParallelColumnsAreReproducedThroughTheResidual) {
  glm::mat4 m(1.0f);
  m[1] = m[0] * 2.0f;
  const Decomposition parts = decompose(m);
  EXPECT_TRUE(parts.has_residual);
  EXPECT_LT(difference(to_matrix(parts.transform) * parts.residual, m), 1e-6);
}

TEST(AffineInverse, UndoesTheMatrixFromBothSides) {
  test::Random random(8);
  for (int n = 0; n < 2000; ++n) {
    glm::mat4 m = to_matrix({random.vector(-5, 5), glm::quat(random.rotation()), random.vector(0.2f, 4.0f)});
    m[1] += m[0] * random.real(-0.5f, 0.5f);
    if (n % 2 == 1) {
      m[2] = -m[2];
    }
    bool singular = true;
    const glm::mat4 inverse = affine_inverse(m, &singular);
    EXPECT_FALSE(singular);
    EXPECT_LT(difference(glm::dmat4(inverse) * glm::dmat4(m), glm::dmat4(1.0)), 2e-5);
    EXPECT_LT(difference(glm::dmat4(m) * glm::dmat4(inverse), glm::dmat4(1.0)), 2e-5);
    EXPECT_EQ(glm::vec4(inverse[0][3], inverse[1][3], inverse[2][3], inverse[3][3]), glm::vec4(0, 0, 0, 1));
  }
}

TEST(AffineInverse, TinyAndHugeScalesAreNotSingular) {
  for (const float scale : {1e-12f, 1e-4f, 1e4f, 1e12f}) {
    bool singular = true;
    const glm::mat4 m = to_matrix({{1, 2, 3}, turn_about({0, 1, 0}, 30), glm::vec3(scale)});
    const glm::mat4 inverse = affine_inverse(m, &singular);
    EXPECT_FALSE(singular) << scale;
    EXPECT_LT(difference(glm::dmat4(m) * glm::dmat4(inverse), glm::dmat4(1.0)), 1e-5);
  }
}

TEST(AffineInverse, SaysWhereThereIsNone) {
  for (const float scale : {0.0f, 1e-42f}) {
    bool singular = false;
    const glm::mat4 inverse =
        affine_inverse(to_matrix({{1, 2, 3}, turn_about({0, 1, 0}, 30), {1, scale, 1}}), &singular);
    EXPECT_TRUE(singular);
    EXPECT_EQ(glm::vec3(inverse * glm::vec4(7, 8, 9, 1)), glm::vec3(0));
    EXPECT_EQ(inverse[3][3], 1.0f);
  }
}

TEST(Cofactor, IsDeterminantTimesInverseTranspose) {
  test::Random random(9);
  for (int n = 0; n < 200; ++n) {
    const glm::dmat3 a(random.dvector(-2.0, 2.0), random.dvector(-2.0, 2.0), random.dvector(-2.0, 2.0));
    EXPECT_LT(difference(cofactor(a), glm::determinant(a) * glm::inverse(glm::transpose(a))), 1e-9);
  }
  // Flattened along z, only the z normal is left.
  EXPECT_EQ(cofactor(glm::dmat3(1, 0, 0, 0, 1, 0, 0, 0, 0)) * glm::dvec3(3, 4, 5), glm::dvec3(0, 0, 5));
}

TEST(SwingTwist, C2_3_KnownAngles) {
  const glm::dvec3 x(1, 0, 0);
  const glm::dquat q = glm::angleAxis(glm::radians(40.0), glm::dvec3(0, 0, 1)) * glm::angleAxis(glm::radians(70.0), x);
  const SwingTwist<double> parts = swing_twist(q, x);
  EXPECT_NEAR(glm::degrees(twist_angle(parts.twist, x)), 70, 1e-9);
  EXPECT_NEAR(glm::degrees(glm::length(rotation_vector(parts.swing))), 40, 1e-9);
}

TEST(SwingTwist, C2_3_ProductIsTheRotation) {
  test::Random random(3);
  for (int n = 0; n < 10000; ++n) {
    const glm::dquat q = random.rotation();
    const glm::dvec3 axis = random.unit();
    const SwingTwist<double> parts = swing_twist(q, axis);
    const glm::dquat product = parts.swing * parts.twist;
    EXPECT_NEAR(std::abs(glm::dot(product, q)), 1, 1e-12);
    // The swing has no part about the axis, the twist no other.
    EXPECT_NEAR(glm::dot(glm::dvec3(parts.swing.x, parts.swing.y, parts.swing.z), axis), 0, 1e-12);
    EXPECT_LT(glm::length(parts.twist * axis - axis), 1e-12);
  }
}

TEST(SwingTwist, UndefinedTwistIsIdentity) {
  const glm::dquat half_turn(0, 0, 1, 0);
  const SwingTwist<double> parts = swing_twist(half_turn, glm::dvec3(1, 0, 0));
  EXPECT_EQ(parts.twist, glm::dquat(1, 0, 0, 0));
  EXPECT_EQ(parts.swing, half_turn);
}

TEST(RotationVector, ExpAndLogAreInverse) {
  test::Random random(4);
  for (int n = 0; n < 2000; ++n) {
    const glm::dvec3 r =
        random.unit() * (n % 4 == 0 ? std::pow(10.0, random.real(-12.0, -3.0)) : random.real(0.0, 3.14));
    EXPECT_LT(glm::length(rotation_vector(quat_from_rotation_vector(r)) - r), 1e-12 * std::max(1.0, glm::length(r)));
    const glm::dquat q = quat_from_rotation_vector(r);
    EXPECT_LT(glm::length(rotation_vector(-q) - r), 1e-12);
  }
  EXPECT_EQ(quat_from_rotation_vector(glm::vec3(0)), kIdentityQuat);
  EXPECT_NEAR(glm::length(rotation_vector(glm::dquat(0, 1, 0, 0))), std::numbers::pi, 1e-12);
}

TEST(ShortestRotation, TakesOneVectorToTheOther) {
  test::Random random(10);
  for (int n = 0; n < 1000; ++n) {
    const glm::vec3 a(random.unit());
    const glm::vec3 b = n % 3 == 0   ? -a
                        : n % 3 == 1 ? glm::vec3(random.unit())
                                     : glm::normalize(-a + random.vector(-1e-4f, 1e-4f));
    const glm::quat q = shortest_rotation(a, b);
    EXPECT_NEAR(glm::length(q), 1, 1e-6);
    EXPECT_LT(glm::length(q * a - b), 1e-6f) << "case " << n;
  }
  const glm::vec3 up(0, 1, 0);
  EXPECT_EQ(shortest_rotation(up, up), kIdentityQuat);
}

TEST(ShortestRotation, OfDirectionsOfAnyLength) {
  test::Random random(11);
  for (int n = 0; n < 1000; ++n) {
    const glm::dvec3 a = random.unit();
    const glm::dvec3 b = n % 3 == 0 ? -a : n % 3 == 1 ? random.unit() : glm::normalize(-a + 1e-7 * random.unit());
    const glm::dquat q = shortest_rotation(a * 1e-5, b * 1e6);
    // What is nearer to opposite than 4.5e-8 radians counts as opposite.
    EXPECT_LT(glm::length(q * a - b), 5e-8) << "case " << n;
    EXPECT_NEAR(2 * std::acos(std::min(1.0, std::abs(q.w))), std::acos(std::clamp(glm::dot(a, b), -1.0, 1.0)), 1e-6);
  }
  EXPECT_EQ(shortest_rotation(glm::dvec3(0), glm::dvec3(0, 1, 0)), glm::dquat(1, 0, 0, 0));
}

TEST(Bounds, SkipsWhatIsNotFinite) {
  Bounds bounds;
  EXPECT_TRUE(bounds.empty());
  EXPECT_EQ(bounds.diagonal(), 0.0f);
  EXPECT_EQ(bounds.center(), glm::vec3(0));
  bounds.add(glm::vec3(NAN, 0, 0));
  bounds.add(glm::vec3(0, INFINITY, 0));
  bounds.add(Bounds());
  EXPECT_TRUE(bounds.empty());
  bounds.add(glm::vec3(-1, 0, 0));
  bounds.add(glm::vec3(1, 2, 1));
  EXPECT_EQ(bounds.center(), glm::vec3(0, 1, 0.5f));
  EXPECT_EQ(bounds.diagonal(), 3.0f);
  bounds.add(glm::vec3(2e35f, 0, 0));
  EXPECT_EQ(bounds.upper.x, 2e35f);
  EXPECT_TRUE(std::isfinite(bounds.diagonal()));
}

}  // namespace
}  // namespace pelt
