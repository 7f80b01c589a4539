#include "deform/direct_delta_mush.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "deform/deform.h"
#include "double_precision.h"
#include "mesh/adjacency.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

using test::apply;
using test::kExact;

constexpr double kAlpha = 0.8;

glm::dmat4 random_motion(test::Random& random) {
  return glm::translate(glm::dmat4(1.0), random.dvector(-1, 1)) * glm::mat4_cast(random.rotation());
}

// F-CYL in double precision, its weights 0 and 1.
struct HardCylinder {
  std::vector<glm::dvec3> rest = test::cylinder_points();
  std::vector<std::uint32_t> triangles = test::cylinder_indices();
  mesh::Influences influences;
  DirectRows rows;

  explicit HardCylinder(int iterations = 20, double lambda = 3, double kappa = 1) {
    for (const glm::dvec3& p : rest) {
      const std::uint16_t joint = p.x > 0.5 ? 1 : 0;
      const float one = 1.0f;
      mesh::append_row(influences, {&joint, 1}, {&one, 1});
    }
    rows = *make_direct_rows(rest, triangles, flat(influences), iterations, lambda, kappa, {});
  }
  [[nodiscard]] glm::dvec3 posed(std::size_t v, std::span<const glm::dmat4> matrices, double alpha = kAlpha,
                                 glm::dmat3* rotation = nullptr) const {
    DirectSum<double> sum(rows.center[v], alpha);
    for (std::uint32_t k = rows.offset[v]; k < rows.offset[v + 1]; ++k) {
      sum.add(direct_joint(matrices[rows.joint[k]]), rows.moments[k]);
    }
    if (rotation != nullptr) {
      *rotation = sum.rotation();
    }
    return sum.rotation() * (rest[v] - rows.center[v]) * sum.size() + sum.image();
  }
};

TEST(DirectDeltaMush, SmoothsByTheInverseOfTheTexts) {
  // Multiplying by (I + lambda L)^p must give back what was smoothed: an octahedron with weights that overlap.
  const std::vector<glm::dvec3> rest = {{1, 0, 0}, {-1, 0, 0}, {0, 1.5, 0}, {0, -1, 0}, {0, 0, 2}, {0, 0, -1}};
  const std::vector<std::uint32_t> triangles = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  mesh::Influences influences;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {0.125f * static_cast<float>(v), 1 - 0.125f * static_cast<float>(v)};
    mesh::append_row(influences, joints, weights);
  }
  constexpr int kIterations = 3;
  constexpr double kLambda = 1.5;
  constexpr double kKappa = 0.5;
  const DirectRows rows = *make_direct_rows(rest, triangles, flat(influences), kIterations, kLambda, kKappa, {});
  const mesh::Adjacency adjacency = mesh::make_adjacency(rest.size(), triangles);
  const auto unsmooth = [&](std::vector<double> x, double strength) {
    for (int i = 0; i < kIterations; ++i) {
      std::vector<double> y = x;
      for (std::size_t v = 0; v < x.size(); ++v) {
        double mean = 0;
        for (const std::uint32_t n : adjacency.neighbors(v)) {
          mean += x[n] / static_cast<double>(adjacency.neighbors(v).size());
        }
        y[v] += strength * (x[v] - mean);
      }
      x = y;
    }
    return x;
  };
  for (const int joint : {0, 1}) {
    std::vector<double> mass(rest.size(), 0.0);
    std::vector<double> weight(rest.size(), 0.0);
    std::vector<double> x_moment(rest.size(), 0.0);
    std::vector<double> yz_moment(rest.size(), 0.0);
    std::vector<double> given(rest.size(), 0.0);
    for (std::size_t v = 0; v < rest.size(); ++v) {
      const mesh::InfluenceRow row = influences.row(v);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        given[v] += row.joints[k] == joint ? static_cast<double>(row.weights[k]) : 0;
      }
      for (std::uint32_t k = rows.offset[v]; k < rows.offset[v + 1]; ++k) {
        if (rows.joint[k] == joint) {
          const DirectMoments<double>& m = rows.moments[k];
          const glm::dvec3 p = rows.center[v];
          mass[v] = m.mass;
          weight[v] = m.smoothed_weight;
          x_moment[v] = m.first.x + p.x * m.mass;
          yz_moment[v] = m.second[4] + p.y * m.first.z + p.z * m.first.y + p.y * p.z * m.mass;
        }
      }
    }
    mass = unsmooth(mass, kLambda);
    x_moment = unsmooth(x_moment, kLambda);
    yz_moment = unsmooth(yz_moment, kLambda);
    weight = unsmooth(weight, kKappa);
    for (std::size_t v = 0; v < rest.size(); ++v) {
      EXPECT_NEAR(mass[v], given[v], 1e-11);
      EXPECT_NEAR(weight[v], given[v], 1e-11);
      EXPECT_NEAR(x_moment[v], given[v] * rest[v].x, 1e-11);
      EXPECT_NEAR(yz_moment[v], given[v] * rest[v].y * rest[v].z, 1e-11);
    }
  }
}

TEST(DirectDeltaMush, C24_1_RestIdentity) {
  const HardCylinder cylinder;
  const glm::dmat4 identity[] = {glm::dmat4(1.0), glm::dmat4(1.0)};
  for (std::size_t v = 0; v < cylinder.rest.size(); ++v) {
    EXPECT_LE(glm::distance(cylinder.posed(v, identity), cylinder.rest[v]), kExact);
  }
}

TEST(DirectDeltaMush, C24_2_RigidEquivariance) {
  const HardCylinder cylinder;
  test::Random random(242);
  for (int round = 0; round < 5; ++round) {
    const glm::dmat4 pose[] = {random_motion(random), random_motion(random)};
    const glm::dmat4 motion = random_motion(random);
    const glm::dmat4 moved[] = {motion * pose[0], motion * pose[1]};
    for (std::size_t v = 0; v < cylinder.rest.size(); ++v) {
      EXPECT_LE(glm::distance(cylinder.posed(v, moved), apply(motion, cylinder.posed(v, pose))), kExact);
    }
  }
}

TEST(DirectDeltaMush, C24_4_EqualMatricesMoveRigidly) {
  const HardCylinder cylinder;
  test::Random random(244);
  const glm::dmat4 motion = random_motion(random);
  const glm::dmat4 matrices[] = {motion, motion};
  for (const double alpha : {0.0, 0.5, 1.0}) {
    for (std::size_t v = 0; v < cylinder.rest.size(); ++v) {
      EXPECT_LE(glm::distance(cylinder.posed(v, matrices, alpha), apply(motion, cylinder.rest[v])), kExact);
    }
  }
}

TEST(DirectDeltaMush, C24_4_ScaledAndMirroredAsAWhole) {
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const SkinningMethod& method = skinning_methods()[find_method("ddm")];
  test::Random random(245);
  for (const double size : {0.01, -3.0}) {
    const glm::dmat4 motion = glm::mat4_cast(random.rotation()) *
                              glm::scale(glm::dmat4(1.0), glm::dvec3(size, std::abs(size), std::abs(size)));
    const glm::mat4 matrices[] = {glm::mat4(motion), glm::mat4(motion)};
    const DeformedPart out = skin_once(method, primitive, primitive.influences, matrices);
    const glm::dmat3 turn = glm::transpose(glm::inverse(glm::dmat3(motion)));
    for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
      EXPECT_LE(glm::distance(glm::dvec3(out.positions[v]), apply(motion, glm::dvec3(primitive.positions[v]))),
                1e-6 * std::abs(size));
      EXPECT_LE(test::angle_between(out.normals[v], glm::vec3(glm::normalize(turn * glm::dvec3(primitive.normals[v])))),
                1e-5);
    }
  }
}

TEST(DirectDeltaMush, C24_6_RotationsAreProper) {
  const HardCylinder cylinder;
  test::Random random(246);
  for (int round = 0; round < 10; ++round) {
    // Opposite half turns, where blends cancel out, and any other pose.
    const glm::dmat4 half_turn = glm::rotate(glm::dmat4(1.0), std::numbers::pi, random.unit());
    const glm::dmat4 pose[] = {round < 5 ? glm::dmat4(1.0) : random_motion(random),
                               round < 5 ? half_turn : random_motion(random)};
    for (std::size_t v = 0; v < cylinder.rest.size(); ++v) {
      glm::dmat3 rotation(0.0);
      const glm::dvec3 point = cylinder.posed(v, pose, kAlpha, &rotation);
      EXPECT_TRUE(std::isfinite(glm::dot(point, point)));
      EXPECT_NEAR(glm::determinant(rotation), 1.0, 1e-12);
    }
  }
}

TEST(DirectDeltaMush, SoftensHardWeights) {
  // As delta mush in C24.5: 6.4 with the linear blend.
  const HardCylinder cylinder;
  const glm::dmat4 there = glm::translate(glm::dmat4(1.0), glm::dvec3(0.5, 0, 0));
  const glm::dmat4 bend =
      there * glm::rotate(glm::dmat4(1.0), std::numbers::pi / 2, glm::dvec3(0, 0, 1)) * glm::inverse(there);
  const glm::dmat4 pose[] = {glm::dmat4(1.0), bend};
  double largest = 0;
  for (std::size_t t = 0; t < cylinder.triangles.size(); t += 3) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t a = cylinder.triangles[t + c];
      const std::uint32_t b = cylinder.triangles[t + (c + 1) % 3];
      largest = std::max(largest, glm::distance(cylinder.posed(a, pose), cylinder.posed(b, pose)) /
                                      glm::distance(cylinder.rest[a], cylinder.rest[b]));
    }
  }
  EXPECT_LT(largest, 2.0);
  RecordProperty("largest_stretch", std::to_string(largest));
}

TEST(DirectDeltaMush, SinglePrecisionAgreesWithDouble) {
  const HardCylinder cylinder;
  mesh::Primitive primitive = test::cylinder_primitive();
  const SkinningMethod& method = skinning_methods()[find_method("ddm")];
  test::Random random(5);
  for (int round = 0; round < 5; ++round) {
    const glm::mat4 matrices[] = {glm::mat4(random_motion(random)), glm::mat4(random_motion(random))};
    const glm::dmat4 pose[] = {glm::dmat4(matrices[0]), glm::dmat4(matrices[1])};
    const DeformedPart out = skin_once(method, primitive, cylinder.influences, matrices);
    const double diagonal = static_cast<double>(bounds_of(out.positions).diagonal());
    for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
      EXPECT_LE(
          glm::distance(glm::dvec3(out.positions[v]), cylinder.posed(v, pose, double{MethodParameters().direct_alpha})),
          1e-5 * diagonal);
    }
  }
}

TEST(DirectDeltaMush, KappaStaysBelowLambda) {
  const rig::Character character = test::cylinder();
  const SkinningSettings settings = {.method = find_method("ddm"),
                                     .parameters = {.direct_lambda = 1.0f, .direct_kappa = 9.0f}};
  const DeformedCharacter out = deform_once(character, rig::rest_pose(character), settings);
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    EXPECT_LE(glm::distance(out.parts[0].positions[v], primitive.positions[v]), 1e-6f * out.bounds.diagonal());
  }
}

TEST(DirectDeltaMush, PreparationCanBeCancelled) {
  const rig::Character character = test::cylinder();
  SkinCache cache;
  const SkinningSettings settings = {.method = find_method("ddm")};
  int calls = 0;
  EXPECT_FALSE(cache.prepare(character, settings, [&](float, std::string_view) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(cache.ready(character, settings));
  EXPECT_TRUE(cache.prepare(character, settings, {}));
  EXPECT_TRUE(cache.ready(character, settings));
}

}  // namespace
}  // namespace pelt::deform
