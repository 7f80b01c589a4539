#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "deform/dual_quaternion_row.h"
#include "deform/fast_root.h"
#include "deform/vertex_frame.h"
#include "math/angle.h"
#include "one_vertex.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::deform {
namespace {

using test::angle_between;
using test::kPrintedDigits;
using test::OneVertex;
using test::skin_one;
using test::turned;

const glm::vec3 kDiagonal = glm::normalize(glm::vec3(1, 1, 0));

glm::mat4 stretched(float x, float y, float z) {
  return glm::scale(glm::mat4(1.0f), glm::vec3(x, y, z));
}

// How exactly a variant's normals are what they should be: h is too short by design.
double digits_of(NormalVariant variant, double digits = kPrintedDigits) {
  return variant == NormalVariant::kFastRenormalised ? digits + static_cast<double>(kFastRootError) : digits;
}

glm::vec3 normal_of(OneVertex vertex, NormalVariant variant) {
  vertex.variant = variant;
  return skin_one(vertex).normal;
}

TEST(Normals, C13_1_Stretch) {
  const OneVertex vertex = {.normal = kDiagonal, .matrices = {stretched(2, 1, 1)}, .weights = {1}};
  const glm::vec3 correct = normal_of(vertex, NormalVariant::kInverseTransposeOfBlend);
  const glm::vec3 naive = normal_of(vertex, NormalVariant::kBlend);
  EXPECT_VEC_NEAR(correct, glm::dvec3(0.447214, 0.894427, 0), kPrintedDigits);
  EXPECT_VEC_NEAR(naive, glm::dvec3(0.894427, 0.447214, 0), kPrintedDigits);
  EXPECT_NEAR(angle_between(correct, naive) / kDegree, 36.869898, 1e-5);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kInverseTransposePerJoint), correct, kPrintedDigits);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kPerJointNormalized), correct, kPrintedDigits);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kLargestWeight), naive, kPrintedDigits);
}

TEST(Normals, C13_2_FourVariantsDisagreeUnderStretch) {
  const OneVertex vertex = {
      .normal = kDiagonal, .matrices = {glm::mat4(1.0f), stretched(4, 1, 1)}, .weights = {0.5f, 0.5f}};
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kBlend), glm::dvec3(0.928477, 0.371391, 0), kPrintedDigits);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kInverseTransposePerJoint), glm::dvec3(0.529999, 0.847998, 0),
                  kPrintedDigits);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kPerJointNormalized), glm::dvec3(0.492699, 0.870200, 0),
                  kPrintedDigits);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kInverseTransposeOfBlend), glm::dvec3(0.371391, 0.928477, 0),
                  kPrintedDigits);
}

TEST(Normals, C13_3_BlendOfRotationsIsNoRotation) {
  OneVertex vertex = {
      .normal = glm::normalize(glm::vec3(1, 0, 1)), .matrices = {glm::mat4(1.0f), turned(90)}, .weights = {0.5f, 0.5f}};
  const glm::vec3 a = normal_of(vertex, NormalVariant::kBlend);
  const glm::vec3 d = normal_of(vertex, NormalVariant::kInverseTransposeOfBlend);
  EXPECT_VEC_NEAR(a, glm::dvec3(0.408248, 0.408248, 0.816497), kPrintedDigits);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kInverseTransposePerJoint), a, kPrintedDigits);
  EXPECT_VEC_NEAR(normal_of(vertex, NormalVariant::kPerJointNormalized), a, kPrintedDigits);
  EXPECT_VEC_NEAR(d, glm::dvec3(0.577350, 0.577350, 0.577350), kPrintedDigits);
  EXPECT_NEAR(angle_between(a, d) / kDegree, 19.471221, 1e-5);

  const std::uint16_t joints[] = {0, 1};
  const VertexRow row = {vertex.matrices.data(), joints, vertex.weights.data(), 2, 1.0f};
  EXPECT_NEAR(glm::length(glm::mat3(blended_matrix(row)) * glm::vec3(1, 0, 0)), 0.707107, kPrintedDigits);
}

TEST(Normals, C13_4_CancelledBlendFollowsTheHeaviestJoint) {
  for (const NormalVariantInfo& info : kVertexNormalVariants) {
    for (const bool tilted : {false, true}) {
      const glm::mat4 first = tilted ? turned(30, glm::vec3(0, 0, 1)) : glm::mat4(1.0f);
      const OneVertex vertex = {
          .normal = glm::vec3(1, 0, 0), .matrices = {first, first * turned(180)}, .weights = {0.5f, 0.5f}};
      const glm::vec3 normal = normal_of(vertex, info.variant);
      EXPECT_VEC_NEAR(normal, glm::vec3(first[0]), digits_of(info.variant)) << info.letter;
    }
  }
}

// Variant f adds (M1 v - M0 v) grad(w1)^T to the blend z z^T, M0 = I and M1 = diag(-1,-1,1). A weight that changes
// along z, or not at all, leaves cof(F) x = 0. One that changes along y does not: F has the columns 0, gradient *
// (-2,-3,0) for v = (1, 1.5, 0), and z, so that the surface has a normal along the cross product of the two.
TEST(Normals, C13_4_CancelledBlendOfExactOnes) {
  const glm::mat4 tilt = turned(30, glm::normalize(glm::vec3(1, 2, 2)));
  const OneVertex vertex = {.position = glm::vec3(1, 1.5f, 0),
                            .normal = glm::vec3(1, 0, 0),
                            .matrices = {tilt, tilt * turned(180)},
                            .weights = {0.5f, 0.5f}};
  const struct {
    glm::vec3 gradient;
    glm::vec3 normal;
  } rows[] = {{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 5}, {1, 0, 0}}, {{0, 5, 0}, {-3, 2, 0}}, {{0, -5, 0}, {3, -2, 0}}};
  for (const auto& row : rows) {
    const glm::vec3 gradients[] = {-row.gradient, row.gradient};
    for (const char* method : {"lbs", "lbs-sum"}) {
      EXPECT_VEC_NEAR(test::exact_normal(vertex, method, gradients), glm::mat3(tilt) * glm::normalize(row.normal), 2e-6)
          << method << " " << row.gradient.y << " " << row.gradient.z;
    }
    for (const char* method : {"dqs", "lbs-dqs"}) {
      EXPECT_NEAR(glm::length(test::exact_normal(vertex, method, gradients)), 1, kPrintedDigits) << method;
    }
  }
}

TEST(Normals, C13_5_LargestWeight) {
  const OneVertex vertex = {
      .normal = glm::vec3(1, 0, 0), .matrices = {glm::mat4(1.0f), turned(90)}, .weights = {0.6f, 0.4f}};
  EXPECT_NEAR(
      angle_between(normal_of(vertex, NormalVariant::kBlend), normal_of(vertex, NormalVariant::kLargestWeight)) /
          kDegree,
      33.690068, 1e-5);
}

TEST(Normals, C13_6_TwistedCylinderLeavesItsBlendedNormals) {
  // Ring 18 of F-CYL, x = 0.45, angle 0. Its weight grows along x, which no variant a to e knows of; the surface normal
  // is cof(F) n with F = sum of w A + (M v) grad(w)^T.
  const glm::dvec3 v(0.45, 0.1, 0);
  const glm::dvec3 n(0, 1, 0);
  const double w = test::cylinder_weight(v.x);
  const glm::dvec3 gradient(1 / 0.2, 0, 0);
  const struct {
    double twist;
    double angle;
  } rows[] = {{60, 7.895}, {90, 17.548}, {120, 29.551}, {150, 40.410}};
  for (const auto& row : rows) {
    const glm::dmat4 m = glm::rotate(glm::dmat4(1.0), row.twist * kDegree, glm::dvec3(1, 0, 0));
    glm::dmat3 f = glm::dmat3(1 - w) + glm::dmat3(m) * w;
    f += glm::outerProduct(glm::dvec3(m * glm::dvec4(v, 1)) - v, gradient);
    const glm::dvec3 surface = glm::normalize(glm::determinant(f) * (glm::transpose(glm::inverse(f)) * n));
    const OneVertex vertex = {.position = glm::vec3(v),
                              .normal = glm::vec3(n),
                              .matrices = {glm::mat4(1.0f), glm::mat4(m)},
                              .weights = {static_cast<float>(1 - w), static_cast<float>(w)}};
    const glm::vec3 blended = normal_of(vertex, NormalVariant::kBlend);
    EXPECT_NEAR(angle_between(blended, glm::vec3(surface)) / kDegree, row.angle, 6e-4) << row.twist;
    const glm::vec3 gradients[] = {glm::vec3(-gradient), glm::vec3(gradient)};
    EXPECT_NEAR(angle_between(test::exact_normal(vertex, "lbs", gradients), glm::vec3(surface)), 0, kPrintedDigits);
    EXPECT_NEAR(angle_between(test::exact_normal(vertex, "lbs-sum", gradients), glm::vec3(surface)), 0, kPrintedDigits);
  }
}

// Dual quaternions and centres on the axis leave a twisted cylinder a cylinder: the exact normal is the one that they
// turn.
TEST(Normals, C13_6_TwistedCylinderOfDualQuaternions) {
  const glm::vec3 gradients[] = {glm::vec3(-1 / 0.2f, 0, 0), glm::vec3(1 / 0.2f, 0, 0)};
  for (const double degrees : {60.0, 90.0, 120.0, 150.0}) {
    const double half = degrees * kDegree / 2;
    const double angle = 2 * std::atan2(0.25 * std::sin(half), 0.75 + 0.25 * std::cos(half));
    const OneVertex vertex = {.position = {0.45f, 0.1f, 0},
                              .normal = {0, 1, 0},
                              .matrices = {glm::mat4(1.0f), turned(degrees, glm::vec3(1, 0, 0))},
                              .weights = {0.75f, 0.25f}};
    const glm::dvec3 turned_normal(0, std::cos(angle), std::sin(angle));
    EXPECT_VEC_NEAR(test::exact_normal(vertex, "dqs", gradients), turned_normal, kPrintedDigits);
    const test::OneCenter center = {.point = {0.452803f, 0, 0},
                                    .gradient = glm::outerProduct(glm::vec3(0.9f, 0, 0), glm::vec3(1, 0, 0))};
    EXPECT_VEC_NEAR(test::exact_normal(vertex, "cor", gradients, {}, center), turned_normal, kPrintedDigits);
    const double even = degrees * kDegree / 4;  // a quarter of the way at constant speed
    EXPECT_VEC_NEAR(test::exact_normal(vertex, "dqs-exact", gradients), glm::dvec3(0, std::cos(even), std::sin(even)),
                    kPrintedDigits);
  }
}

/// The mean motion that no joint pulls any way, in double precision: sum w log(mean* q) = 0 in dual numbers.
DualQuat<double> mean_motion(DualQuat<double> mean, std::span<const DualQuat<double>> joints,
                             std::span<const double> weights) {
  const auto product = [](const DualQuat<double>& a, const DualQuat<double>& b) {
    return DualQuat<double>{quat_product(a.real, b.real), quat_product(a.real, b.dual) + quat_product(a.dual, b.real)};
  };
  for (int i = 0; i < 100; ++i) {
    mean.dual -= mean.real * glm::dot(mean.real, mean.dual);
    glm::dvec3 turn(0.0);
    glm::dvec3 shift(0.0);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const DualQuat<double> way = product({quat_conjugate(mean.real), quat_conjugate(mean.dual)}, joints[j]);
      const glm::dvec3 v(way.real);
      const double f = std::atan2(glm::length(v), way.real.w) / std::max(glm::length(v), 1e-300);
      turn += v * (f * weights[j]);
      shift += (glm::dvec3(way.dual) * f + v * ((way.real.w * f - 1) / glm::dot(v, v) * way.dual.w)) * weights[j];
    }
    const double angle = glm::length(turn);
    if (!(angle > 1e-15)) {
      break;
    }
    const double along = glm::dot(turn, shift);
    const double sine = std::sin(angle) / angle;
    const double slope = (std::cos(angle) - sine) / (angle * angle);
    mean = product(mean, {glm::dvec4(turn * sine, std::cos(angle)),
                          glm::dvec4(shift * sine + turn * (slope * along), -sine * along)});
    EXPECT_TRUE(normalize(mean));
  }
  return mean;
}

/// Where a method takes a point whose weights and centre are known there, in double precision.
glm::dvec3 image_of(std::string_view method, std::span<const glm::vec4> palette, std::span<const double> weights,
                    const glm::dvec3& p, double share, const glm::dvec3& center) {
  if (method == "cor") {  // the centre as linear blending takes it, and round it the other way of turning
    const glm::dvec3 out = image_of("lbs", palette, weights, center, share, center);
    return out + image_of("dqs", palette, weights, p, share, center) -
           image_of("dqs", palette, weights, center, share, center);
  }
  std::vector<DualQuat<double>> joints;
  glm::dvec3 linear(0.0);
  glm::dvec3 stretched(0.0);
  DualQuat<double> sum = {glm::dvec4(0.0), glm::dvec4(0.0)};
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const glm::vec4* entry = &palette[j * kDualQuatVec4s];
    const DualQuat<double> q = {glm::dvec4(entry[0]), glm::dvec4(entry[1])};
    const glm::dvec4 at(p, 1);
    const glm::dvec3 k(glm::dot(glm::dvec4(entry[2]), at), glm::dot(glm::dvec4(entry[3]), at),
                       glm::dot(glm::dvec4(entry[4]), at));
    linear += transform_point(q, k) * weights[j];
    stretched += k * weights[j];
    const double side = side_of(glm::dvec4(palette[0]), q.real);
    add_weighted(sum, q, weights[j] * side);
    joints.push_back({q.real * side, q.dual * side});
  }
  EXPECT_TRUE(normalize(sum));
  if (method == "dqs-exact") {
    return transform_point(mean_motion(sum, joints, weights), stretched);
  }
  const glm::dvec3 turned = transform_point(sum, stretched);
  return method == "dqs" ? turned : method == "lbs-dqs" ? linear * (1 - share) + turned * share : linear;
}

// Against the derivative of the whole map, taken numerically, along a surface where weights change any way.
TEST(Normals, ExactOnesAreThoseOfTheMapOfSpace) {
  constexpr double kStep = 1e-5;
  test::Random random(136);
  MethodParameters parameters;
  parameters.dual_quaternion_share = 0.3f;
  const SkinningMethod& packing = skinning_methods()[find_method("dqs")];
  for (const SkinningMethod& method : skinning_methods()) {
    if ((method.normals & one_of(NormalVariant::kExact)) == 0) {
      continue;
    }
    for (int round = 0; round < 50; ++round) {
      const glm::dvec3 p(random.vector(-1, 1));
      const std::vector<double> weights = {0.5, 0.3, 0.2};
      OneVertex vertex = {
          .position = glm::vec3(p), .normal = glm::vec3(random.unit()), .matrices = {}, .weights = {0.5f, 0.3f, 0.2f}};
      std::vector<glm::vec3> gradients = {random.vector(-1, 1), random.vector(-1, 1)};
      gradients.push_back(-gradients[0] - gradients[1]);
      for (int j = 0; j < 3; ++j) {
        const glm::vec3 scale = round % 2 == 0 ? glm::vec3(1.0f) : random.vector(0.5f, 2.0f);
        vertex.matrices.push_back(to_matrix({random.vector(-1, 1), glm::quat(random.rotation(1.0)), scale}));
      }
      const test::OneCenter center = {random.vector(-1, 1),
                                      {random.vector(-1, 1), random.vector(-1, 1), random.vector(-1, 1)}};
      std::vector<glm::vec4> palette;
      pack_palette(packing, loose_binding(std::vector<glm::vec3>(3, glm::vec3(0.0f))), vertex.matrices, palette);
      const auto image_at = [&](const glm::dvec3& step) {
        std::vector<double> there = weights;
        for (std::size_t j = 0; j < 3; ++j) {
          there[j] += glm::dot(glm::dvec3(gradients[j]), step);
        }
        return image_of(method.id, palette, there, p + step, static_cast<double>(parameters.dual_quaternion_share),
                        glm::dvec3(center.point) + glm::dmat3(center.gradient) * step);
      };
      glm::dmat3 f;
      for (int axis = 0; axis < 3; ++axis) {
        glm::dvec3 step(0.0);
        step[axis] = kStep;
        f[axis] = (image_at(step) - image_at(-step)) / (2 * kStep);
      }
      if (std::abs(glm::determinant(f)) < 0.05) {
        continue;  // folded: there is no surface to speak of
      }
      const glm::dvec3 n(vertex.normal);
      const glm::dvec3 surface =
          glm::cross(f[1], f[2]) * n.x + glm::cross(f[2], f[0]) * n.y + glm::cross(f[0], f[1]) * n.z;
      const glm::vec3 normal = test::exact_normal(vertex, method.id, gradients, parameters, center);
      // Up to the side, which the blended matrix alone decides.
      EXPECT_LE(glm::length(glm::cross(glm::dvec3(normal), glm::normalize(surface))), 1e-5) << method.id;
    }
  }
}

TEST(Normals, RecomputedOnesKeepHardEdgesAndCrossSeams) {
  // A box with three vertices at each corner, and each face in two halves that share no vertex.
  mesh::Primitive box;
  mesh::Influences influences;
  const std::uint16_t joint = 0;
  const float whole = 1.0f;
  const auto corner = [&](const glm::vec3& position, const glm::vec3& normal) {
    box.positions.push_back(position);
    box.normals.push_back(normal);
    box.indices.push_back(static_cast<std::uint32_t>(box.indices.size()));
    mesh::append_row(influences, {&joint, 1}, {&whole, 1});
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (const float side : {-1.0f, 1.0f}) {
      glm::vec3 n(0.0f);
      glm::vec3 x(0.0f);
      n[axis] = side;
      x[(axis + 1) % 3] = 1.0f;
      const glm::vec3 y = glm::cross(n, x);
      for (const glm::vec3& p : {n - x - y, n + x - y, n + x + y, n - x - y, n + x + y, n - x + y}) {
        corner(p, n);
      }
    }
  }
  box.influences = influences;
  const glm::mat4 matrices[] = {turned(40, glm::normalize(glm::vec3(1, 2, 3)))};
  const SkinningMethod& lbs = skinning_methods()[find_method("lbs")];
  const DeformedPart out = skin_once(lbs, box, influences, matrices, {}, NormalVariant::kRecomputed);
  for (std::size_t v = 0; v < box.positions.size(); ++v) {
    EXPECT_LE(angle_between(out.normals[v], glm::mat3(matrices[0]) * box.normals[v]), 1e-6) << v;
  }
  // Bent along a seam of equal normals, both sides keep one normal.
  mesh::Primitive strip;
  strip.positions = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  strip.normals.assign(6, glm::vec3(0, 0, 1));
  strip.indices = {0, 1, 2, 3, 4, 5};
  for (std::uint16_t v = 0; v < 6; ++v) {
    const std::uint16_t follows = v == 4 ? 1 : 0;
    mesh::append_row(strip.influences.edit(), {&follows, 1}, {&whole, 1});
  }
  const glm::mat4 bend[] = {glm::mat4(1.0f), turned(60, glm::vec3(0, 1, 0))};
  const DeformedPart bent = skin_once(lbs, strip, strip.influences, bend, {}, NormalVariant::kRecomputed);
  // Triangles of equal area, turned by 0 and by 60 degrees.
  for (const std::size_t v : {1u, 2u, 3u, 5u}) {
    EXPECT_LE(angle_between(bent.normals[v], glm::vec3(std::sin(kDegree * 30), 0, std::cos(kDegree * 30))), 1e-6) << v;
  }
}

TEST(Normals, C13_7_NormalsStayPerpendicularToTangents) {
  test::Random random(137);
  for (int round = 0; round < 1000; ++round) {
    glm::mat3 a(0.0f);
    do {
      a = glm::mat3(random.vector(-1, 1), random.vector(-1, 1), random.vector(-1, 1));
    } while (std::abs(determinant_of(a)) < 0.05f);
    const glm::vec3 n(random.unit());
    const glm::vec3 t = random.vector(-1, 1);
    EXPECT_NEAR(glm::dot(inverse_transpose_times(a, n), a * t), glm::dot(n, t), 2e-5);
  }
}

// The bit trick with one Newton step is never above the root, and below it by 0.0017523 of it at most. Its error
// repeats with every factor of four, so two octaves tell all.
TEST(Normals, C13_BoundOfTheFastRoot) {
  double largest = 0;
  for (const float from : {1.0f, 1e-12f, 1e12f}) {
    const std::uint32_t first = std::bit_cast<std::uint32_t>(from);
    for (std::uint32_t bits = first; bits < first + (2u << 23); bits += 61) {
      const float x = std::bit_cast<float>(bits);
      const double error = static_cast<double>(fast_inverse_root(x)) * std::sqrt(static_cast<double>(x)) - 1;
      ASSERT_LE(error, double{std::numeric_limits<float>::epsilon()}) << x;
      largest = std::max(largest, -error);
    }
  }
  EXPECT_NEAR(largest, 0.0017523, 2e-7);
  EXPECT_LE(largest, static_cast<double>(kFastRootError));
  EXPECT_NEAR(fast_length_error(1.0f), -0.0016926, 1e-5f);
  EXPECT_NEAR(fast_length_error(0.5f), fast_length_error(1.0f), 1e-6f) << "half the length is a quarter of the square";
}

// Law of variant h, over all methods that offer it: the direction of a, a length from 1 - 0.00176 to 1, and tangents
// that do not know of it.
TEST(Normals, C13_FastRenormalisationIsVariantAButForItsLength) {
  test::Random random(8);
  int methods = 0;
  double shortest = 1;
  for (const SkinningMethod& method : skinning_methods()) {
    if (normals_under(method, NormalVariant::kFastRenormalised) != NormalVariant::kFastRenormalised) {
      continue;
    }
    ++methods;
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const rig::Character character = test::random_rig({.seed = seed, .scaled = seed % 2 == 0});
      const rig::Pose pose = test::random_pose(character, random, 2.5, 0.2f, 0.5f);
      SkinningSettings settings;
      settings.method = find_method(method.id);
      settings.normals = NormalVariant::kBlend;
      const DeformedPart a = deform_once(character, pose, settings).parts[0];
      settings.normals = NormalVariant::kFastRenormalised;
      const DeformedPart h = deform_once(character, pose, settings).parts[0];
      for (std::size_t v = 0; v < a.normals.size(); ++v) {
        const double length = static_cast<double>(glm::length(h.normals[v]));
        ASSERT_LE(length, 1 + 1e-6) << method.id;
        ASSERT_GE(length, 1 - static_cast<double>(kFastRootError)) << method.id;
        shortest = std::min(shortest, length);
        EXPECT_VEC_NEAR(glm::dvec3(h.normals[v]) / length, a.normals[v], 1e-5) << method.id;
        EXPECT_VEC_NEAR(glm::vec3(h.tangents[v]), glm::vec3(a.tangents[v]), 1e-4) << method.id;
      }
    }
  }
  EXPECT_EQ(methods, 7) << "all but the two that smooth";
  EXPECT_LT(shortest, 0.9985) << "the approximation is really used";
}

TEST(Normals, C13_7_TranslationChangesNoNormal) {
  test::Random random(7);
  for (const NormalVariantInfo& info : kVertexNormalVariants) {
    OneVertex vertex = {.normal = glm::vec3(random.unit()),
                        .matrices = {turned(20), turned(70, glm::vec3(1, 0, 0))},
                        .weights = {0.25f, 0.75f}};
    const glm::vec3 before = normal_of(vertex, info.variant);
    vertex.matrices[0][3] = glm::vec4(3, -2, 1, 1);
    vertex.matrices[1][3] = glm::vec4(0, 100, 1, 1);
    EXPECT_EQ(normal_of(vertex, info.variant), before) << info.letter;
  }
  // Where weights change along the surface, a motion of one joint alone bends it; one of all does not.
  const glm::vec3 normal(random.unit());
  const glm::vec3 along = any_tangent(normal);
  for (const glm::vec3& gradient : {glm::vec3(0.0f), along, glm::cross(normal, along) * 0.5f - along}) {
    const glm::vec3 gradients[] = {-gradient, gradient};
    for (const char* method : {"lbs", "lbs-sum", "dqs", "lbs-dqs"}) {
      OneVertex vertex = {.position = random.vector(-1, 1),
                          .normal = normal,
                          .matrices = {turned(20), turned(70, glm::vec3(1, 0, 0))},
                          .weights = {0.25f, 0.75f}};
      const glm::vec3 before = test::exact_normal(vertex, method, gradients);
      vertex.matrices[0][3] = vertex.matrices[1][3] = glm::vec4(3, -2, 1, 1);
      EXPECT_LE(angle_between(test::exact_normal(vertex, method, gradients), before), 1e-5) << method;
    }
  }
}

TEST(Normals, ScaleOfTheFileDoesNotMatter) {
  // Centimetre files and quantised ones carry scales of 0.01 to 0.0001 in their matrices.
  for (const NormalVariantInfo& info : kVertexNormalVariants) {
    const OneVertex vertex = {
        .normal = kDiagonal, .matrices = {turned(10), stretched(4, 1, 1)}, .weights = {0.4f, 0.6f}};
    const glm::vec3 expected = normal_of(vertex, info.variant);
    for (const float scale : {1e-5f, 1e-3f, 1e3f, 1e5f}) {
      OneVertex scaled = vertex;
      for (glm::mat4& m : scaled.matrices) {
        m = stretched(scale, scale, scale) * m;
      }
      EXPECT_VEC_NEAR(normal_of(scaled, info.variant), expected, 2e-6) << info.letter << " " << scale;
    }
  }
}

TEST(Normals, SingularMatricesGoOverIntoTheCofactor) {
  // Squashed flat along z: the normal along z stays, and others turn towards it.
  const OneVertex squashed = {.normal = glm::vec3(0, 0, 1), .matrices = {stretched(1, 1, 0)}, .weights = {1}};
  for (const NormalVariant variant : {NormalVariant::kInverseTransposePerJoint, NormalVariant::kPerJointNormalized,
                                      NormalVariant::kInverseTransposeOfBlend}) {
    EXPECT_VEC_NEAR(normal_of(squashed, variant), glm::dvec3(0, 0, 1), kPrintedDigits);
  }
  // A point: nothing is left but the normal of the bind shape.
  for (const NormalVariantInfo& info : kVertexNormalVariants) {
    const OneVertex point = {.normal = kDiagonal, .matrices = {stretched(0, 0, 0)}, .weights = {1}};
    EXPECT_VEC_NEAR(normal_of(point, info.variant), kDiagonal, kPrintedDigits) << info.letter;
  }
}

TEST(Normals, ZeroLengthInputGivesFiniteUnitOutput) {
  for (const NormalVariantInfo& info : kVertexNormalVariants) {
    const OneVertex vertex = {.normal = glm::vec3(0),
                              .tangent = glm::vec4(0, 0, 0, 1),
                              .matrices = {turned(10), turned(50)},
                              .weights = {0.5f, 0.5f},
                              .variant = info.variant};
    const test::OneResult out = skin_one(vertex);
    EXPECT_EQ(out.normal, glm::vec3(0, 1, 0)) << info.letter;
    EXPECT_NEAR(glm::length(glm::vec3(out.tangent)), 1.0, kPrintedDigits) << info.letter;
    EXPECT_NEAR(glm::dot(glm::vec3(out.tangent), out.normal), 0.0, kPrintedDigits) << info.letter;
  }
}

// A morphed normal may be as short as it likes: to the last bits of single precision it has a direction or is none.
TEST(Normals, NextToNoLengthGivesFiniteUnitOutput) {
  for (const NormalVariantInfo& info : kVertexNormalVariants) {
    for (const int exponent : {-13, -14, -16, -18, -19, -20, -21, -22, -23, -24, -30, -38, -42, -45}) {
      const auto size = static_cast<float>(std::pow(10.0, exponent));
      OneVertex vertex = {.normal = glm::vec3(kDiagonal) * size,
                          .tangent = glm::vec4(size, 0, 0, 1),
                          .matrices = {turned(10), turned(50)},
                          .weights = {0.5f, 0.5f},
                          .variant = info.variant};
      const test::OneResult out = skin_one(vertex);
      const double shortest =
          info.variant == NormalVariant::kFastRenormalised ? double{kFastRootError} : kPrintedDigits;
      EXPECT_LE(glm::length(out.normal), 1 + kPrintedDigits) << info.letter << exponent;
      EXPECT_GE(glm::length(out.normal), 1 - shortest) << info.letter << exponent;
      EXPECT_NEAR(glm::length(glm::vec3(out.tangent)), 1.0, kPrintedDigits) << info.letter << exponent;
      EXPECT_NEAR(glm::dot(glm::vec3(out.tangent), out.normal), 0.0, kPrintedDigits) << info.letter << exponent;
      vertex.normal = glm::vec3(kDiagonal);
      EXPECT_VEC_NEAR(out.normal, exponent < -15 ? glm::vec3(0, 1, 0) : skin_one(vertex).normal, shortest)
          << info.letter << exponent;
    }
  }
}

// Two by two squares through (0,0,0), all on one joint.
mesh::Primitive sheet(const glm::vec3& normal, const glm::vec3& tangent) {
  mesh::Primitive primitive = test::grid(2, 2);
  const glm::vec3 bitangent = glm::cross(normal, tangent);
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    const glm::vec3 p = primitive.positions[v];
    primitive.positions.edit()[v] = tangent * p.x + bitangent * p.y;
    primitive.normals.edit()[v] = normal;
    primitive.tangents.edit()[v] = glm::vec4(tangent, 1);
    const std::uint16_t joint = 0;
    const float whole = 1.0f;
    mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&whole, 1});
  }
  return primitive;
}

// Each method under each variant that has a meaning with it, and that it does not leave to another one.
template <typename Visit>
void for_each_combination(const Visit& visit) {
  for (const SkinningMethod& method : skinning_methods()) {
    for (const NormalVariantInfo& info : kNormalVariants) {
      if (normals_under(method, info.variant) == info.variant) {
        SCOPED_TRACE(std::string(method.id) + ", normals " + info.letter);
        visit(method, info.variant);
      }
    }
  }
}

TEST(Tangents, C14_1_Shear) {
  glm::mat4 shear(1.0f);
  shear[1][0] = 1.0f;
  const mesh::Primitive primitive = sheet(glm::vec3(0, 1, 0), glm::vec3(1, 0, 0));
  for_each_combination([&](const SkinningMethod& method, NormalVariant variant) {
    const DeformedPart out = skin_once(method, primitive, primitive.influences, {&shear, 1}, {}, variant);
    const bool naive = variant == NormalVariant::kBlend || variant == NormalVariant::kLargestWeight ||
                       variant == NormalVariant::kFastRenormalised;
    for (std::size_t v = 0; v < out.normals.size(); ++v) {
      EXPECT_VEC_NEAR(out.normals[v], naive ? kDiagonal : glm::vec3(0, 1, 0), digits_of(variant));
      EXPECT_EQ(out.tangents[v].w, 1.0f);
      EXPECT_NEAR(glm::dot(out.normals[v], glm::vec3(out.tangents[v])), 0.0, kPrintedDigits);
      if (!naive) {
        EXPECT_VEC_NEAR(glm::vec3(out.tangents[v]), glm::dvec3(1, 0, 0), kPrintedDigits);
      }
    }
  });
}

TEST(Tangents, C14_2_Mirror) {
  const glm::mat4 mirror = stretched(-1, 1, 1);
  const mesh::Primitive primitive = sheet(glm::vec3(0, 0, 1), glm::vec3(1, 0, 0));
  // Turned by a half turn and mirrored along its normal, the surface keeps its outside.
  const glm::mat4 through = stretched(1, 1, -1);
  for_each_combination([&](const SkinningMethod& method, NormalVariant variant) {
    const DeformedPart out = skin_once(method, primitive, primitive.influences, {&mirror, 1}, {}, variant);
    for (std::size_t v = 0; v < out.normals.size(); ++v) {
      EXPECT_VEC_NEAR(out.normals[v], glm::dvec3(0, 0, 1), digits_of(variant));
      EXPECT_VEC_NEAR(glm::vec3(out.tangents[v]), glm::dvec3(-1, 0, 0), kPrintedDigits);
      EXPECT_EQ(out.tangents[v].w, -1.0f);
      EXPECT_VEC_NEAR(glm::cross(out.normals[v], glm::vec3(out.tangents[v])) * out.tangents[v].w, glm::dvec3(0, 1, 0),
                      digits_of(variant));
    }
    const DeformedPart turned_through = skin_once(method, primitive, primitive.influences, {&through, 1}, {}, variant);
    for (const glm::vec3& normal : turned_through.normals) {
      EXPECT_VEC_NEAR(normal, glm::dvec3(0, 0, -1), digits_of(variant));
    }
  });
}

TEST(Tangents, ParallelToTheNormalIsRebuilt) {
  for (const glm::vec3 axis : {glm::vec3(1, 0, 0), glm::vec3(0, 1, 0), glm::vec3(0, 0, 1)}) {
    const OneVertex vertex = {.normal = axis, .tangent = glm::vec4(axis, -1), .matrices = {turned(33)}, .weights = {1}};
    const test::OneResult out = skin_one(vertex);
    EXPECT_NEAR(glm::length(glm::vec3(out.tangent)), 1.0, kPrintedDigits);
    EXPECT_NEAR(glm::dot(glm::vec3(out.tangent), out.normal), 0.0, kPrintedDigits);
    EXPECT_EQ(out.tangent.w, -1.0f);
  }
}

TEST(Tangents, C14_3_UnitAndPerpendicularInEveryPose) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const rig::Character character = test::random_rig({.seed = seed, .morph_targets = 2, .scaled = seed % 2 == 0});
    const auto cache = std::make_shared<SkinCache>();
    test::Random random(seed);
    for (int round = 0; round < 10; ++round) {
      rig::Pose pose = test::random_pose(character, random, std::numbers::pi, 0.2f, 0.5f);
      if (round % 2 == 1) {
        pose = test::mirrored(std::move(pose), random);
      }
      rig::WorldMatrices world;
      world.evaluate(character.skeleton, pose);
      for (std::size_t method = 0; method < skinning_methods().size(); ++method) {
        for (const NormalVariantInfo& info : kNormalVariants) {
          if (normals_under(skinning_methods()[method], info.variant) != info.variant) {
            continue;
          }
          const SkinningSettings settings = {
              .method = static_cast<int>(method), .normals = info.variant, .parameters = {.direct_iterations = 2}};
          SCOPED_TRACE(std::string(skinning_methods()[method].id) + ", normals " + info.letter);
          DeformedCharacter out;
          CpuDeformer(cache).deform(character, pose, world.world(), settings, out);
          for (std::size_t v = 0; v < out.parts[0].normals.size(); ++v) {
            const glm::vec3 n = out.parts[0].normals[v];
            const glm::vec4 t = out.parts[0].tangents[v];
            ASSERT_NEAR(glm::length(n), 1.0, digits_of(info.variant));
            ASSERT_NEAR(glm::length(glm::vec3(t)), 1.0, kPrintedDigits);
            ASSERT_NEAR(glm::dot(glm::vec3(t), n), 0.0, kPrintedDigits);
            ASSERT_EQ(std::abs(t.w), 1.0f);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pelt::deform
