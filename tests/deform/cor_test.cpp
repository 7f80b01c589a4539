// Optimised centres of rotation, ALGORITHMS.md §23. Volumes, radii and bulge of F-CYL (C23.5) are in
// skin_meter_test.cpp; laws of all rows in laws_test.cpp.
#include "deform/skin_cor.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/rotation_centers.h"
#include "math/angle.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr double kSigma = 0.1;
constexpr std::uint16_t kTwoJoints[] = {0, 1};

mesh::Influences rows_of(std::span<const std::vector<float>> weights) {
  mesh::Influences rows;
  for (const std::vector<float>& row : weights) {
    std::vector<std::uint16_t> joints;
    for (std::size_t j = 0; j < row.size(); ++j) {
      joints.push_back(static_cast<std::uint16_t>(j));
    }
    mesh::append_row(rows, joints, row);
  }
  return rows;
}

/// s(p, v) of two joints: the sum over a single triangle of area 1.
double similarity(float p0, float p1, float v0, float v1) {
  const std::vector<glm::dvec3> points = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}};
  const std::vector<std::uint32_t> triangle = {0, 1, 2};
  const std::vector<std::vector<float>> weights(3, {v0, v1});
  const auto centers = RotationCenters::make(points, triangle, rows_of(weights), kSigma);
  const float p[] = {p0, p1};
  return centers->center(kTwoJoints, p).similarity;
}

TEST(RotationCenters, C23_1_Similarity) {
  EXPECT_NEAR(similarity(0.5f, 0.5f, 0.5f, 0.5f), 0.125, 1e-9);
  EXPECT_EQ(similarity(1, 0, 0.5f, 0.5f), 0.0);
  EXPECT_EQ(similarity(1, 0, 1, 0), 0.0);
  EXPECT_NEAR(similarity(0.6f, 0.4f, 0.4f, 0.6f), 0.00210996, 5e-9);
  EXPECT_NEAR(similarity(0.8f, 0.2f, 0.8f, 0.2f), 0.0512, 1e-8);
}

RotationCenters of_cylinder() {
  return *RotationCenters::make(test::cylinder_points(), test::cylinder_indices(),
                                test::cylinder_primitive().influences, kSigma);
}

TEST(RotationCenters, C23_2_OnTheAxisOfTheCylinder) {
  const RotationCenters centers = of_cylinder();
  struct Case {
    float w0;
    double x;
  };
  for (const Case& one : {Case{0.5f, 0.5}, {0.75f, 0.452803}, {0.8f, 0.443711}}) {
    const float near[] = {one.w0, 1 - one.w0};
    const float far[] = {1 - one.w0, one.w0};
    const glm::dvec3 p = centers.center(kTwoJoints, near).point;
    EXPECT_VEC_NEAR(p, glm::dvec3(one.x, 0, 0), 5e-7);
    EXPECT_LT(std::abs(p.y), 1e-9);
    EXPECT_LT(std::abs(p.z), 1e-9);
    const glm::dvec3 mirrored = centers.center(kTwoJoints, far).point;
    EXPECT_NEAR(mirrored.x, 1 - p.x, 1e-7);
    EXPECT_LT(std::abs(mirrored.y), 1e-9);
    EXPECT_LT(std::abs(mirrored.z), 1e-9);
  }
  const float alone[] = {1, 0};
  EXPECT_EQ(centers.center(kTwoJoints, alone).similarity, 0.0);
}

// On F-CYL centres depend on x alone: along the axis, from one ring with a centre to the next.
TEST(RotationCenters, MoveAlongTheSurfaceAsTheirDifferencesSay) {
  const mesh::Primitive cylinder = test::cylinder_primitive();
  const mesh::Primitive* const primitives[] = {&cylinder};
  const mesh::Influences* const rows[] = {&*cylinder.influences};
  const mesh::MeshSurface surface = mesh::make_mesh_surface(primitives, rows);
  std::vector<Prepared> prepared(1);
  ASSERT_TRUE(prepare_cor(surface, {}, {}, prepared));
  std::vector<WeightGradients> gradients = weight_gradients(surface);
  add_center_gradients(surface, prepared, gradients);
  ASSERT_EQ(gradients[0].center.size(), cylinder.positions.size());
  const auto center_of = [&](int ring) { return glm::dvec4(prepared[0].per_vertex[test::cylinder_vertex(ring, 0)]); };
  EXPECT_EQ(center_of(15).w, 0.0) << "it follows one joint";
  EXPECT_EQ(center_of(17).w, 1.0);
  for (int ring = 15; ring <= 25; ++ring) {
    double slope = 0;
    if (center_of(ring).w > 0) {
      const int before = center_of(ring - 1).w > 0 ? ring - 1 : ring;
      const int after = center_of(ring + 1).w > 0 ? ring + 1 : ring;
      slope = (center_of(after).x - center_of(before).x) / ((after - before) / 40.0);
      EXPECT_GT(slope, 0.1);
    }
    for (int k = 0; k < test::kCylinderAround; ++k) {
      const glm::mat3& change = gradients[0].center[test::cylinder_vertex(ring, k)];
      EXPECT_VEC_NEAR(change[0], glm::dvec3(slope, 0, 0), 1e-4) << ring;
      EXPECT_VEC_NEAR(change[1], glm::dvec3(0), 1e-4) << ring;
      EXPECT_VEC_NEAR(change[2], glm::dvec3(0), 1e-4) << ring;
    }
  }
}

TEST(Cor, C23_3_TwistKeepsTheRadius) {
  const RotationCenters centers = of_cylinder();
  for (const double degrees : {60.0, 90.0, 150.0, 179.0}) {
    const double half = degrees * kDegree / 2;
    const glm::dvec4 turn(std::sin(half), 0, 0, std::cos(half));
    const glm::dmat3 turned = rotation_matrix(turn);
    for (int ring = 17; ring <= 23; ++ring) {
      const double x = ring / 40.0;
      const auto w1 = static_cast<float>(test::cylinder_weight(x));
      const float weights[] = {1 - w1, w1};
      const RotationCenters::Center center = centers.center(kTwoJoints, weights);
      ASSERT_GT(center.similarity, 0);
      const auto w = static_cast<double>(w1);
      const glm::dvec4 q = glm::normalize(glm::dvec4(0, 0, 0, 1) * (1 - w) + turn * w);
      const glm::dmat3 linear = glm::dmat3(1.0) * (1 - w) + turned * w;  // the axis stays where it is
      const glm::dmat4x3 moved =
          about_center(q, glm::dmat3(1.0), glm::dmat4x3(linear[0], linear[1], linear[2], glm::dvec3(0)), center.point);
      for (int k = 0; k < test::kCylinderAround; ++k) {
        const glm::dvec3 p = moved * glm::dvec4(test::cylinder_points()[test::cylinder_vertex(ring, k)], 1);
        EXPECT_NEAR(std::hypot(p.y, p.z), 0.1, 1e-9);
        EXPECT_NEAR(p.x, x, 1e-9);
      }
    }
  }
}

TEST(Cor, C23_4_VerticesKeepTheirDistanceToWhereTheCentreGoes) {
  const rig::Character character = test::random_rig({.seed = 4, .influences = 6});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const mesh::Influences& rows = primitive.influences;
  test::Random random(4);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, test::random_pose(character, random, 1.0, 0.1f));
  std::vector<glm::mat4> matrices(character.skins[0].joints.size());
  rig::skin_matrices(character.skins[0], world.world(), matrices);
  const DeformedPart out =
      skin_once(skinning_methods()[find_method("cor")], primitive, rows, matrices, joint_pivots(character.skins[0]));

  std::vector<Prepared> prepared(1);
  const mesh::Primitive* const primitives[] = {&primitive};
  const mesh::Influences* const influences[] = {&rows};
  ASSERT_TRUE(prepare_cor(mesh::make_mesh_surface(primitives, influences), {}, {}, prepared));
  SkinInput input;
  input.influences = &rows;
  input.skin_matrices = matrices;
  input.prepared = &prepared[0];
  std::vector<glm::vec4> posed(rows.vertex_count());
  pose_centers(input, posed);
  const double diagonal = static_cast<double>(bounds_of(out.positions).diagonal());
  int with_center = 0;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const glm::vec4 center = prepared[0].per_vertex[v];
    glm::dvec3 linear(0.0);
    glm::dvec3 linear_center(0.0);
    const mesh::InfluenceRow row = rows.row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      const glm::dmat4 m(matrices[row.joints[k]]);
      const auto w = static_cast<double>(row.weights[k]);
      linear += glm::dvec3(m * glm::dvec4(glm::dvec3(primitive.positions[v]), 1)) * w;
      linear_center += glm::dvec3(m * glm::dvec4(glm::dvec3(center), 1)) * w;
    }
    const glm::dvec3 p(out.positions[v]);
    EXPECT_EQ(posed[v].w, center.w);
    if (center.w > 0) {
      EXPECT_VEC_NEAR(glm::vec3(posed[v]), linear_center, 1e-6 * diagonal);
      ++with_center;
      EXPECT_NEAR(glm::distance(p, linear_center),
                  glm::distance(glm::dvec3(primitive.positions[v]), glm::dvec3(center)), 1e-6 * diagonal);
    } else {
      EXPECT_EQ(rows.count(v), 1u);
      EXPECT_LE(glm::distance(p, linear), 1e-6 * diagonal);
    }
  }
  EXPECT_GT(with_center, 100);

  // Weights as stored move the centre as they move the vertex.
  mesh::Influences lighter = rows;
  test::set_stored_sums(lighter, 0.8f);
  input.influences = &lighter;
  input.weights_as_stored = true;
  std::vector<glm::vec4> light(rows.vertex_count());
  pose_centers(input, light);
  for (std::size_t v = 0; v < light.size(); ++v) {
    EXPECT_VEC_NEAR(glm::vec3(light[v]), 0.8 * glm::dvec3(posed[v]), 1e-6 * diagonal);
  }
}

/// The formula as §23 writes it, over all triangles.
RotationCenters::Center by_every_triangle(std::span<const glm::dvec3> points, std::span<const std::uint32_t> triangles,
                                          const mesh::Influences& rows, std::size_t joint_count, double sigma,
                                          std::span<const std::uint16_t> joints, std::span<const float> weights) {
  std::vector<double> p(joint_count, 0.0);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    p[joints[i]] = static_cast<double>(weights[i]);
  }
  RotationCenters::Center out;
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    std::vector<double> mean(joint_count, 0.0);
    glm::dvec3 centroid(0.0);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t v = triangles[t + c];
      centroid += points[v] / 3.0;
      const mesh::InfluenceRow row = rows.row(v);
      for (std::size_t i = 0; i < row.joints.size(); ++i) {
        mean[row.joints[i]] += static_cast<double>(row.weights[i]) / 3;
      }
    }
    const glm::dvec3& a = points[triangles[t]];
    const double area = glm::length(glm::cross(points[triangles[t + 1]] - a, points[triangles[t + 2]] - a)) / 2;
    for (std::size_t j = 0; j < joint_count; ++j) {
      for (std::size_t k = 0; k < joint_count; ++k) {
        if (j != k) {
          const double x = p[j] * mean[k] - p[k] * mean[j];
          const double s = p[j] * p[k] * mean[j] * mean[k] * std::exp(-x * x / (sigma * sigma));
          out.similarity += s * area;
          out.point += centroid * (s * area);
        }
      }
    }
  }
  out.point /= out.similarity;
  return out;
}

// A soup of triangles of very different weights: hardly two in one cell, so the sum is exact to the formula.
TEST(RotationCenters, EqualTheFormulaWhereNothingIsMerged) {
  const rig::Character character = test::random_rig({.seed = 8, .joints = 8, .vertices = 60, .influences = 5});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const std::vector<glm::dvec3> points(primitive.positions.begin(), primitive.positions.end());
  const mesh::Influences& rows = primitive.influences;
  const auto centers = RotationCenters::make(points, primitive.indices, rows, 0.01);
  const auto exact = RotationCenters::make(points, primitive.indices, rows, 0.001);
  for (const auto& [fast, sigma] : {std::pair(&*centers, 0.01), std::pair(&*exact, 0.001)}) {
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      const std::span<const std::uint16_t> joints = rows.joints(v);
      const std::span<const float> weights = rows.weights(v);
      const RotationCenters::Center expected =
          by_every_triangle(points, primitive.indices, rows, 8, sigma, joints, weights);
      const RotationCenters::Center actual = fast->center(joints, weights);
      if (expected.similarity > 1e-20) {
        EXPECT_NEAR(actual.similarity / expected.similarity, 1.0, 1e-9);
        EXPECT_VEC_NEAR(actual.point, expected.point, 1e-9);
      }
    }
  }
}

// A fine tube with smooth but uneven weights of three joints: hundreds of triangles in each cell.
TEST(RotationCenters, MergingMovesCentresByLessThanATenThousandth) {
  constexpr int kRings = 160;
  constexpr int kAround = 48;
  test::Random random(6);
  std::vector<glm::dvec3> points;
  std::vector<std::vector<float>> weights;
  std::vector<std::uint32_t> triangles;
  for (int i = 0; i < kRings; ++i) {
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround;
      const double x = i / (kRings - 1.0);
      const double radius = 0.2 + 0.05 * std::sin(3 * angle + 4 * x);
      points.emplace_back(x, radius * std::cos(angle), radius * std::sin(angle));
      const double a = std::exp(-8 * x * x) * (1.1 + std::cos(angle)) + 0.01 * random.real(0.0, 1.0);
      const double b = std::exp(-8 * (x - 0.5) * (x - 0.5));
      const double c = std::exp(-8 * (x - 1) * (x - 1)) * (1.2 + std::sin(angle)) + 0.01 * random.real(0.0, 1.0);
      weights.push_back({static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)});
    }
  }
  for (int i = 0; i + 1 < kRings; ++i) {
    for (int k = 0; k < kAround; ++k) {
      const auto at = [](int ring, int around) {
        return static_cast<std::uint32_t>(ring * kAround + around % kAround);
      };
      triangles.insert(triangles.end(),
                       {at(i, k), at(i + 1, k + 1), at(i + 1, k), at(i, k), at(i, k + 1), at(i + 1, k + 1)});
    }
  }
  const mesh::Influences rows = rows_of(weights);
  const auto centers = RotationCenters::make(points, triangles, rows, kSigma);
  double worst = 0;
  for (std::size_t v = 0; v < rows.vertex_count(); v += 97) {
    const std::span<const std::uint16_t> joints = rows.joints(v);
    const std::span<const float> row = rows.weights(v);
    const glm::dvec3 expected = by_every_triangle(points, triangles, rows, 3, kSigma, joints, row).point;
    worst = std::max(worst, glm::distance(centers->center(joints, row).point, expected));
  }
  EXPECT_LE(worst, 1e-4);  // of a length of 1
  RecordProperty("worst", std::to_string(worst));
}

TEST(RotationCenters, SeamsAndPrimitivesDoNotMatter) {
  const mesh::Primitive whole = test::cylinder_primitive();
  // Two primitives without shared vertices, every triangle with three of its own.
  mesh::Primitive halves[2];
  for (std::size_t i = 0; i < whole.indices.size(); ++i) {
    mesh::Primitive& half = halves[i < whole.indices.size() / 2 ? 0 : 1];
    const std::uint32_t v = whole.indices[i];
    half.indices.push_back(static_cast<std::uint32_t>(half.positions.size()));
    half.positions.push_back(whole.positions[v]);
    const mesh::Influences& rows = whole.influences;
    mesh::append_row(half.influences.edit(), rows.joints(v), rows.weights(v));
  }
  std::vector<Prepared> of_whole(1);
  std::vector<Prepared> of_halves(2);
  const mesh::Primitive* const one[] = {&whole};
  const mesh::Influences* const one_rows[] = {&*whole.influences};
  const mesh::Primitive* const two[] = {&halves[0], &halves[1]};
  const mesh::Influences* const two_rows[] = {&*halves[0].influences, &*halves[1].influences};
  ASSERT_TRUE(prepare_cor(mesh::make_mesh_surface(one, one_rows), {}, {}, of_whole));
  ASSERT_TRUE(prepare_cor(mesh::make_mesh_surface(two, two_rows), {}, {}, of_halves));
  for (std::size_t i = 0; i < whole.indices.size(); ++i) {
    const bool second = i >= whole.indices.size() / 2;
    const std::size_t at = second ? i - whole.indices.size() / 2 : i;
    ASSERT_EQ(of_halves[second ? 1 : 0].per_vertex[at], of_whole[0].per_vertex[whole.indices[i]]);
  }
}

TEST(RotationCenters, StopsWhenAskedTo) {
  const mesh::Primitive whole = test::cylinder_primitive();
  const mesh::Primitive* const one[] = {&whole};
  const mesh::Influences* const rows[] = {&*whole.influences};
  std::vector<Prepared> prepared(1);
  float last = -1;
  int calls = 0;
  EXPECT_TRUE(prepare_cor(
      mesh::make_mesh_surface(one, rows), {},
      [&](float fraction, std::string_view) {
        EXPECT_GE(fraction, last);
        last = fraction;
        ++calls;
        return true;
      },
      prepared));
  EXPECT_GE(calls, 2);
  for (int stop = 0; stop < calls; ++stop) {
    int left = stop;
    EXPECT_FALSE(prepare_cor(
        mesh::make_mesh_surface(one, rows), {}, [&](float, std::string_view) { return left-- > 0; }, prepared));
  }
}

TEST(Cor, ScaledJointsStretchBeforeTheyTurn) {
  // Two joints of equal weight, both scaled twofold along x and turned: what all joints do, the vertex does.
  const glm::mat4 m = to_matrix({{1, 2, 3}, glm::angleAxis(0.7f, glm::normalize(glm::vec3(1, 2, 0))), {2, 1, 1}});
  mesh::Primitive whole = test::cylinder_primitive();
  const DeformedPart out =
      skin_once(skinning_methods()[find_method("cor")], whole, whole.influences, std::vector<glm::mat4>(2, m));
  for (std::size_t v = 0; v < whole.positions.size(); ++v) {
    EXPECT_VEC_NEAR(out.positions[v], glm::vec3(m * glm::vec4(whole.positions[v], 1)), 3e-6);
  }
}

}  // namespace
}  // namespace pelt::deform
