#include "deform/delta_mush.h"

#include <cmath>

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "core/parallel.h"
#include "deform/deform.h"
#include "double_precision.h"
#include "math/angle.h"
#include "mesh/measures.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

using test::apply;
using test::kExact;

const SkinningMethod& row(std::string_view id) {
  return skinning_methods()[find_method(id)];
}

// Joint 1 of F-CYL, turned about an axis through its place.
glm::dmat4 joint_1(double degrees, const glm::dvec3& axis) {
  const glm::dmat4 there = glm::translate(glm::dmat4(1.0), glm::dvec3(0.5, 0, 0));
  return there * glm::rotate(glm::dmat4(1.0), degrees * kDegree, axis) * glm::inverse(there);
}

// F-CYL in double precision.
struct Cylinder {
  std::vector<glm::dvec3> rest = test::cylinder_points();
  std::vector<std::uint32_t> triangles = test::cylinder_indices();
  std::vector<double> ones = std::vector<double>(rest.size(), 1.0);

  template <typename Weight>
  [[nodiscard]] std::vector<glm::dvec3> lbs(const glm::dmat4& m0, const glm::dmat4& m1, const Weight& weight) const {
    std::vector<glm::dvec3> out;
    for (const glm::dvec3& p : rest) {
      const double w = weight(p.x);
      out.push_back(apply(m0, p) * (1 - w) + apply(m1, p) * w);
    }
    return out;
  }
  [[nodiscard]] std::vector<glm::dvec3> mushed(const DeltaMush& mush, const std::vector<glm::dvec3>& posed) const {
    std::vector<glm::dvec3> out(rest.size());
    mush.apply(posed, ones, true, out);
    return out;
  }
  [[nodiscard]] double largest_stretch(const std::vector<glm::dvec3>& points) const {
    double largest = 0;
    for (std::size_t t = 0; t < triangles.size(); t += 3) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint32_t a = triangles[t + c];
        const std::uint32_t b = triangles[t + (c + 1) % 3];
        largest = std::max(largest, glm::distance(points[a], points[b]) / glm::distance(rest[a], rest[b]));
      }
    }
    return largest;
  }
};

double largest_distance(const std::vector<glm::dvec3>& a, const std::vector<glm::dvec3>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) {
    largest = std::max(largest, glm::distance(a[v], b[v]));
  }
  return largest;
}

double hard_weight(double x) {
  return x > 0.5 ? 1.0 : 0.0;
}

TEST(DeltaMush, C24_1_RestIdentity) {
  const Cylinder cylinder;
  for (const int iterations : {0, 1, 10, 50}) {
    const DeltaMush mush(cylinder.rest, cylinder.triangles, iterations, 0.5);
    EXPECT_LE(largest_distance(cylinder.mushed(mush, cylinder.rest), cylinder.rest), kExact) << iterations;
  }
}

TEST(DeltaMush, C24_1_RestIdentityInSinglePrecision) {
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const SkinningSettings settings = {.method = find_method("delta-mush")};
  const DeformedCharacter out = deform_once(character, rig::rest_pose(character), settings);
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    EXPECT_LE(glm::distance(out.parts[0].positions[v], primitive.positions[v]), 1e-6f * out.bounds.diagonal());
  }
}

TEST(DeltaMush, C24_2_RigidEquivariance) {
  const Cylinder cylinder;
  const DeltaMush mush(cylinder.rest, cylinder.triangles, 10, 0.5);
  const glm::dmat4 bend = joint_1(70, {0, 0, 1});
  const std::vector<glm::dvec3> expected = cylinder.mushed(mush, cylinder.lbs(glm::dmat4(1.0), bend, hard_weight));
  test::Random random(242);
  for (int round = 0; round < 5; ++round) {
    const glm::dmat4 motion =
        glm::translate(glm::dmat4(1.0), random.dvector(-1, 1)) * glm::mat4_cast(random.rotation());
    const std::vector<glm::dvec3> moved = cylinder.mushed(mush, cylinder.lbs(motion, motion * bend, hard_weight));
    std::vector<glm::dvec3> image;
    for (const glm::dvec3& p : expected) {
      image.push_back(apply(motion, p));
    }
    EXPECT_LE(largest_distance(moved, image), kExact);
  }
}

TEST(DeltaMush, C24_3_NoSmoothingIsLinearBlending) {
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const glm::mat4 matrices[] = {glm::mat4(1.0f), glm::mat4(joint_1(120, {1, 0, 0}))};
  const DeformedPart lbs = skin_once(row("lbs"), primitive, primitive.influences, matrices);
  for (const bool deltas : {false, true}) {
    for (const MethodParameters& parameters : {MethodParameters{.mush_iterations = 0, .mush_deltas = deltas},
                                               MethodParameters{.mush_lambda = 0, .mush_deltas = deltas}}) {
      const DeformedPart out = skin_once(row("delta-mush"), primitive, primitive.influences, matrices, {},
                                         NormalVariant::kRecomputed, parameters);
      EXPECT_EQ(out.positions, lbs.positions);
    }
  }

  const Cylinder exact;
  const std::vector<glm::dvec3> posed = exact.lbs(glm::dmat4(1.0), joint_1(120, {1, 0, 0}), test::cylinder_weight);
  EXPECT_LE(largest_distance(exact.mushed(DeltaMush(exact.rest, exact.triangles, 0, 0.5), posed), posed), kExact);
  EXPECT_LE(largest_distance(exact.mushed(DeltaMush(exact.rest, exact.triangles, 10, 0), posed), posed), kExact);
}

TEST(DeltaMush, C24_4_EqualMatricesMoveRigidly) {
  const Cylinder cylinder;
  const DeltaMush mush(cylinder.rest, cylinder.triangles, 10, 0.5);
  test::Random random(244);
  const glm::dmat4 motion = glm::translate(glm::dmat4(1.0), random.dvector(-1, 1)) * glm::mat4_cast(random.rotation());
  const std::vector<glm::dvec3> image = cylinder.lbs(motion, motion, test::cylinder_weight);
  EXPECT_LE(largest_distance(cylinder.mushed(mush, image), image), kExact);

  // Scaled or mirrored as a whole, detail follows too.
  for (const double size : {0.01, -3.0}) {
    const glm::dmat4 scaled = motion * glm::scale(glm::dmat4(1.0), glm::dvec3(size, std::abs(size), std::abs(size)));
    const std::vector<glm::dvec3> scaled_image = cylinder.lbs(scaled, scaled, test::cylinder_weight);
    const std::vector<double> sizes(cylinder.rest.size(), size);
    std::vector<glm::dvec3> out(cylinder.rest.size());
    mush.apply(scaled_image, sizes, true, out);
    EXPECT_LE(largest_distance(out, scaled_image), kExact * std::abs(size)) << size;
  }
}

TEST(DeltaMush, C24_5_SoftensHardWeights) {
  const Cylinder cylinder;
  const std::vector<glm::dvec3> posed = cylinder.lbs(glm::dmat4(1.0), joint_1(90, {0, 0, 1}), hard_weight);
  const struct {
    int iterations;
    double stretch;
    double tolerance;
  } rows[] = {{0, 6.4031, 5e-5}, {5, 2.460, 0.02 * 2.460}, {10, 1.933, 0.02 * 1.933}, {20, 1.574, 0.02 * 1.574}};
  for (const auto& expected : rows) {
    const DeltaMush mush(cylinder.rest, cylinder.triangles, expected.iterations, 0.5);
    EXPECT_NEAR(cylinder.largest_stretch(cylinder.mushed(mush, posed)), expected.stretch, expected.tolerance)
        << expected.iterations;
  }
}

TEST(DeltaMush, RestoresNoVolume) {
  // ALGORITHMS.md §24: half a turn of twist leaves 0.8667 of the volume, delta mush 0.8435.
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const glm::mat4 matrices[] = {glm::mat4(1.0f), glm::mat4(joint_1(180, {1, 0, 0}))};
  const double rest = mesh::signed_volume(primitive.positions, primitive.indices);
  const DeformedPart lbs = skin_once(row("lbs"), primitive, primitive.influences, matrices);
  EXPECT_NEAR(mesh::signed_volume(lbs.positions, primitive.indices) / rest, 0.8667, 5e-5);
  const DeformedPart out = skin_once(row("delta-mush"), primitive, primitive.influences, matrices);
  EXPECT_NEAR(mesh::signed_volume(out.positions, primitive.indices) / rest, 0.8435, 5e-5);
}

TEST(DeltaMush, DeltasOffIsTheSmoothedSurface) {
  const std::vector<glm::dvec3> rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::uint32_t triangle[] = {0, 1, 2};
  const DeltaMush mush(rest, triangle, 1, 0.5);
  const std::vector<double> ones(3, 1.0);
  std::vector<glm::dvec3> out(3);
  mush.apply(rest, ones, false, out);
  // Half the vertex, half the mean of the two others.
  EXPECT_VEC_NEAR(out[0], glm::dvec3(0.25, 0.25, 0), kExact);
  EXPECT_VEC_NEAR(out[1], glm::dvec3(0.5, 0.25, 0), kExact);
  EXPECT_VEC_NEAR(out[2], glm::dvec3(0.25, 0.5, 0), kExact);
}

TEST(DeltaMush, ShellsAndStrayVerticesKeepToThemselves) {
  // Two triangles that touch nowhere, a vertex of no triangle, and a triangle without area.
  const std::vector<glm::dvec3> rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0},
                                        {5, 1, 0}, {9, 9, 9}, {0, 0, 3}, {1, 0, 3}, {2, 0, 3}};
  const std::uint32_t triangles[] = {0, 1, 2, 3, 4, 5, 7, 8, 9};
  const DeltaMush mush(rest, triangles, 30, 0.5);
  const glm::dmat4 motion = glm::translate(glm::dmat4(1.0), glm::dvec3(1, 2, 3)) *
                            glm::rotate(glm::dmat4(1.0), 1.0, glm::normalize(glm::dvec3(1, 1, 1)));
  std::vector<glm::dvec3> posed = rest;
  for (const std::size_t v : {3u, 4u, 5u, 6u, 7u, 8u, 9u}) {
    posed[v] = apply(motion, rest[v]);
  }
  const std::vector<double> ones(rest.size(), 1.0);
  std::vector<glm::dvec3> out(rest.size());
  mush.apply(posed, ones, true, out);
  EXPECT_LE(largest_distance(out, posed), 1e-7);
}

TEST(DeltaMush, SeamsStayClosed) {
  // F-CYL cut along a ring into two primitives of one mesh: the same as in one piece.
  const rig::Character whole = test::cylinder();
  rig::Character cut = whole;
  const mesh::Primitive& primitive = whole.meshes[0].primitives[0];
  SharedList<mesh::Primitive>& halves = cut.meshes.edit(0).primitives;
  halves.push_back(primitive);
  halves.edit(0).indices.clear();
  halves.edit(1).indices.clear();
  for (std::size_t t = 0; t < primitive.indices.size(); t += 3) {
    std::vector<std::uint32_t>& side = halves.edit(t < primitive.indices.size() / 2 ? 0 : 1).indices.edit();
    side.insert(side.end(), primitive.indices.begin() + static_cast<std::ptrdiff_t>(t),
                primitive.indices.begin() + static_cast<std::ptrdiff_t>(t) + 3);
  }
  rig::finish(cut);
  rig::Pose pose = rig::rest_pose(whole);
  pose.local[1].rotation = glm::angleAxis(1.5f, glm::vec3(0, 0, 1));
  const SkinningSettings settings = {.method = find_method("delta-mush")};
  const DeformedCharacter a = deform_once(whole, pose, settings);
  const DeformedCharacter b = deform_once(cut, pose, settings);
  ASSERT_EQ(b.parts.size(), 2u);
  for (const DeformedPart& half : b.parts) {
    ASSERT_EQ(half.positions.size(), a.parts[0].positions.size());
    for (std::size_t v = 0; v < half.positions.size(); ++v) {
      EXPECT_LE(glm::distance(half.positions[v], a.parts[0].positions[v]), 1e-6f);
    }
  }
}

TEST(DeltaMush, PreparationCanBeCancelled) {
  const rig::Character character = test::cylinder();
  SkinCache cache;
  const SkinningSettings settings = {.method = find_method("delta-mush")};
  EXPECT_FALSE(cache.prepare(character, settings, [](float, std::string_view) { return false; }));
  EXPECT_FALSE(cache.ready(character, settings));
}

}  // namespace
}  // namespace pelt::deform
