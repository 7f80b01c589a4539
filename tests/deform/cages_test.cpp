// ALGORITHMS.md §52: surfaces made of control points that were skinned.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/layers.h"
#include "deform/skinning_methods.h"
#include "mesh/nurbs.h"
#include "mesh/stencils.h"
#include "support/control_points.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

using Positions = std::vector<glm::vec3>;

SkinningSettings after(int method) {
  SkinningSettings settings;
  settings.method = method;
  settings.backend = Backend::kCpu;
  settings.refine = Refine::kAfterSkin;
  settings.parameters.direct_iterations = 3;
  return settings;
}
SkinningSettings before(int method) {
  SkinningSettings settings = after(method);
  settings.refine = Refine::kBeforeSkin;
  return settings;
}

Positions positions_of(const DeformedPart& part) {
  return {part.positions.begin(), part.positions.end()};
}

float largest(const Positions& a, const Positions& b) {
  EXPECT_EQ(a.size(), b.size());
  float most = 0;
  for (std::size_t v = 0; v < a.size() && v < b.size(); ++v) {
    most = std::max(most, glm::distance(a[v], b[v]));
  }
  return most;
}

// Of the length of a tube.
constexpr float kRounding = 4e-6f;

class SkinnedCages : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] int method() const { return static_cast<int>(GetParam()); }
  // Methods that smooth the posed surface move it in any pose.
  [[nodiscard]] bool smooths() const { return skinning_methods()[GetParam()].id == "delta-mush"; }
};

TEST_P(SkinnedCages, C52_7_TheBindPoseGivesTheBindShape) {
  for (const float unit : {0.01f, 1.0f, 100.0f}) {
    const rig::Character character = test::control_character(unit);
    const DeformedCharacter shape = deform_once(character, rig::rest_pose(character), after(method()));
    const float allowed = (smooths() ? 1e-4f : kRounding) * unit;
    EXPECT_LE(largest(positions_of(shape.parts[0]), character.meshes[0].primitives[0].positions.get()), allowed);
  }
}

TEST_P(SkinnedCages, C52_7_ARigidMotionMovesRigidly) {
  const rig::Character character = test::control_character();
  test::Random random(7);
  rig::Pose bent = test::random_pose(character, random, 0.6);
  bent.morph_weights[0] = 0.7f;
  rig::Pose moved = bent;
  const glm::quat turn(random.rotation());
  const glm::vec3 shift(0.3f, -0.2f, 0.5f);
  moved.local[0].rotation = turn * moved.local[0].rotation;
  moved.local[0].translation = turn * moved.local[0].translation + shift;
  const DeformedCharacter a = deform_once(character, bent, after(method()));
  const DeformedCharacter b = deform_once(character, moved, after(method()));
  Positions expected = positions_of(a.parts[0]);
  for (glm::vec3& position : expected) {
    position = turn * position + shift;
  }
  EXPECT_LE(largest(positions_of(b.parts[0]), expected), 2e-5f);
  for (std::size_t v = 0; v < a.parts[0].normals.size(); ++v) {
    EXPECT_LE(glm::distance(b.parts[0].normals[v], turn * a.parts[0].normals[v]), 2e-3f) << v;
  }
}

TEST_P(SkinnedCages, C52_4_OneMotionOfAllJointsMakesBothTheSame) {
  const rig::Character character = test::control_character();
  rig::Pose pose = rig::rest_pose(character);
  pose.local[0].rotation = glm::angleAxis(1.1f, glm::normalize(glm::vec3(1, 2, 3)));
  pose.local[0].translation = {0.5f, 0.25f, -1};
  const float difference = largest(positions_of(deform_once(character, pose, after(method())).parts[0]),
                                   positions_of(deform_once(character, pose, before(method())).parts[0]));
  // Smoothing reaches as far as neighbours stand apart, which for control points is farther.
  EXPECT_LE(difference, smooths() ? 1e-4f : kRounding);
  pose.local[1].rotation = glm::angleAxis(1.2f, glm::vec3(0, 0, 1));
  EXPECT_GT(largest(positions_of(deform_once(character, pose, after(method())).parts[0]),
                    positions_of(deform_once(character, pose, before(method())).parts[0])),
            1e-3f);
}

// The definition, without the deformer: control points as a primitive of their own, then their sums.
TEST_P(SkinnedCages, IsTheSurfaceOfSkinnedControlPoints) {
  const rig::Character character = test::control_character();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  mesh::Primitive points;
  points.positions = primitive.cage->positions;
  points.influences = primitive.cage->influences;
  points.indices = primitive.cage->triangles;
  rig::Character alone = character;
  alone.meshes.edit(0).primitives.edit(0) = points;
  test::Random random(11);
  rig::Pose pose = test::random_pose(character, random, 0.8);
  std::ranges::fill(pose.morph_weights, 0.0f);
  const DeformedCharacter posed = deform_once(alone, pose, before(method()));
  const Positions expected = mesh::apply(primitive.cage_rows, positions_of(posed.parts[0]));
  EXPECT_LE(largest(positions_of(deform_once(character, pose, after(method())).parts[0]), expected), 1e-6f);
}

TEST_P(SkinnedCages, C52_7_StaysWithinTheBoundsOfItsPosedControlPoints) {
  const rig::Character character = test::control_character();
  test::Random random(3);
  for (int trial = 0; trial < 4; ++trial) {
    const rig::Pose pose = test::random_pose(character, random, 1.5, 0.1f);
    SkinCache cache;
    const std::shared_ptr<const deform::Cages> cages = cache.cages(character);
    const Bounds hull = deform_once(cages->character, pose, before(method())).bounds;
    const DeformedCharacter shape = deform_once(character, pose, after(method()));
    EXPECT_TRUE(glm::all(glm::lessThanEqual(hull.lower - kRounding, shape.bounds.lower)));
    EXPECT_TRUE(glm::all(glm::lessThanEqual(shape.bounds.upper, hull.upper + kRounding)));
    const Bounds own = bounds_of(shape.parts[0].positions);
    EXPECT_EQ(shape.bounds.lower, own.lower);
    EXPECT_EQ(shape.bounds.upper, own.upper);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, SkinnedCages, testing::Range(std::size_t{0}, skinning_methods().size()),
                         [](const auto& row) {
                           std::string name(skinning_methods()[row.param].id);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

int lbs() {
  return find_method("lbs");
}

TEST(ControlPoints, C52_6_TheTwoDifferByTheCovarianceOfPlaceAndWeight) {
  // Of any joint turned by R about a pivot: (R - 1) Cov(w, p) of each vertex, exactly under linear blending.
  rig::Character character = test::control_character();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  rig::Pose pose = rig::rest_pose(character);
  const glm::dquat turn = glm::angleAxis(1.3, glm::normalize(glm::dvec3(0.2, 1, 0.5)));
  pose.local[2].rotation = glm::quat(turn);
  const DeformedCharacter a = deform_once(character, pose, after(lbs()));
  const DeformedCharacter b = deform_once(character, pose, before(lbs()));
  const mesh::Stencils& rows = primitive.cage_rows;
  const auto weight_of_c = [&](std::size_t c) {
    double weight = 0;
    const mesh::InfluenceRow row = primitive.cage->influences->row(c);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      weight += row.joints[k] == 2 ? static_cast<double>(row.weights[k]) : 0.0;
    }
    return weight;
  };
  double most = 0;
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    double mean_weight = 0;
    glm::dvec3 mean(0);
    glm::dvec3 product(0);
    for (std::size_t i = rows.offset[v]; i < rows.offset[v + 1]; ++i) {
      const double share = rows.weight[i];
      const glm::dvec3 point(primitive.cage->positions[rows.source[i]]);
      mean_weight += share * weight_of_c(rows.source[i]);
      mean += share * point;
      product += share * weight_of_c(rows.source[i]) * point;
    }
    const glm::dvec3 covariance = product - mean_weight * mean;
    const glm::dvec3 expected = turn * covariance - covariance;
    const glm::dvec3 found = glm::dvec3(a.parts[0].positions[v]) - glm::dvec3(b.parts[0].positions[v]);
    ASSERT_LE(glm::distance(found, expected), 1e-6) << v;
    most = std::max(most, glm::length(expected));
  }
  EXPECT_GT(most, 0.01);
}

TEST(ControlPoints, MorphTargetsMoveThem) {
  const rig::Character character = test::control_character();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  rig::Pose pose = rig::rest_pose(character);
  pose.morph_weights[0] = 0.5f;
  Positions points = primitive.cage->positions;
  for (std::size_t c = 0; c < points.size(); ++c) {
    points[c] += 0.5f * primitive.cage->morph_deltas[0][c];
  }
  const Positions expected = mesh::apply(primitive.cage_rows, points);
  EXPECT_LE(largest(positions_of(deform_once(character, pose, after(lbs())).parts[0]), expected), 1e-6f);
  EXPECT_GT(largest(primitive.positions.get(), expected), 0.01f);
}

TEST(ControlPoints, NormalsAreThoseOfThePosedSurface) {
  const rig::Character character = test::control_character();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  test::Random random(5);
  rig::Pose pose = test::random_pose(character, random, 0.7);
  SkinCache cache;
  const DeformedCharacter points = deform_once(cache.cages(character)->character, pose, before(lbs()));
  // The exact ones: of the surface that the posed points make.
  mesh::NurbsSurface surface = mesh::surface_of(primitive.cage);
  surface.cage.positions = positions_of(points.parts[0]);
  surface.cage.morph_targets.clear();
  const mesh::Primitive exact = mesh::tessellate(surface, 4, 4).primitive;
  const DeformedCharacter shape = deform_once(character, pose, after(lbs()));
  const DeformedCharacter mesh_shape = deform_once(character, pose, before(lbs()));
  double worst = 0;
  double worst_of_mesh = 0;
  for (std::size_t v = 17; v + 17 < primitive.vertex_count(); ++v) {  // open ends have triangles on one side alone
    const auto angle = [&](const glm::vec3& normal) {
      return std::acos(std::clamp(static_cast<double>(glm::dot(normal, exact.normals[v])), -1.0, 1.0));
    };
    worst = std::max(worst, angle(shape.parts[0].normals[v]));
    worst_of_mesh = std::max(worst_of_mesh, angle(mesh_shape.parts[0].normals[v]));
    EXPECT_NEAR(glm::dot(shape.parts[0].normals[v], glm::vec3(shape.parts[0].tangents[v])), 0, 1e-4) << v;
  }
  EXPECT_LT(worst, 0.25);  // radians; a cell spans a sixteenth of a turn
  EXPECT_GT(worst_of_mesh, worst);
}

TEST(ControlPoints, PartsWithoutSomeAreSkinnedAsEver) {
  const rig::Character character = test::control_character(1, true);
  test::Random random(2);
  const rig::Pose pose = test::random_pose(character, random, 0.7);
  const DeformedCharacter a = deform_once(character, pose, after(lbs()));
  const DeformedCharacter b = deform_once(character, pose, before(lbs()));
  EXPECT_EQ(positions_of(a.parts[1]), positions_of(b.parts[1]));
  EXPECT_NE(positions_of(a.parts[0]), positions_of(b.parts[0]));
  EXPECT_FALSE(has_cages(test::cylinder()));
  EXPECT_TRUE(has_cages(character));
}

TEST(ControlPoints, TwoPartsShareThem) {
  rig::Character character = test::control_character();
  mesh::Mesh& mesh = character.meshes.edit(0);
  mesh.primitives.push_back(mesh.primitives[0]);
  rig::finish(character);
  SkinCache cache;
  const std::shared_ptr<const deform::Cages> cages = cache.cages(character);
  EXPECT_EQ(cages->part, (std::vector<int>{0, 0}));
  EXPECT_EQ(cages->character.meshes[0].primitives[1].vertex_count(), 0u);
  test::Random random(2);
  const DeformedCharacter shape = deform_once(character, test::random_pose(character, random, 0.7), after(lbs()));
  EXPECT_EQ(positions_of(shape.parts[0]), positions_of(shape.parts[1]));
}

TEST(ControlPoints, TheSameCallComputesNothingAgainAndEveryChangeShows) {
  rig::Character character = test::control_character();
  test::Random random(9);
  const rig::Pose rest = rig::rest_pose(character);
  const rig::Pose bent = test::random_pose(character, random, 0.7);
  CpuDeformer deformer;
  DeformedCharacter out;
  const auto run = [&](const rig::Pose& pose, const SkinningSettings& settings) {
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    return deformer.deform(character, pose, world.world(), settings, out);
  };
  const auto expect_fresh = [&](const rig::Pose& pose, const SkinningSettings& settings) {
    EXPECT_EQ(positions_of(out.parts[0]), positions_of(deform_once(character, pose, settings).parts[0]));
  };
  EXPECT_TRUE(run(rest, after(lbs())));
  EXPECT_FALSE(run(rest, after(lbs())));
  const std::uint64_t serial = deformer.serial();
  EXPECT_TRUE(run(bent, after(lbs())));
  expect_fresh(bent, after(lbs()));
  const std::vector<VertexRange> written = deformer.written_since(serial, 0);
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0], (VertexRange{0, character.meshes[0].primitives[0].vertex_count()}));
  EXPECT_TRUE(run(bent, before(lbs())));
  expect_fresh(bent, before(lbs()));
  EXPECT_TRUE(run(bent, after(find_method("dqs"))));
  expect_fresh(bent, after(find_method("dqs")));
  // Weights of the mesh do not move what its control points make; weights of those do.
  const Positions with_points = positions_of(out.parts[0]);
  const std::uint16_t joint[] = {2};
  const float weight[] = {1.0f};
  character.meshes.edit(0).primitives.edit(0).influences.edit().set_row(40, joint, weight);
  run(bent, after(find_method("dqs")));
  EXPECT_EQ(positions_of(out.parts[0]), with_points);
  character.meshes.edit(0).primitives.edit(0).cage.edit().influences.edit().set_row(30, joint, weight);
  EXPECT_TRUE(run(bent, after(find_method("dqs"))));
  EXPECT_NE(positions_of(out.parts[0]), with_points);
  expect_fresh(bent, after(find_method("dqs")));
}

TEST(ControlPoints, LayersPushTheSurfaceOnce) {
  const rig::Character character = test::control_character();
  test::Random random(4);
  const rig::Pose pose = test::random_pose(character, random, 0.4);
  const DeformedCharacter plain = deform_once(character, pose, after(lbs()));
  for (const DeformerLayerKind& kind : deformer_layer_kinds()) {
    if (kind.move == nullptr) {
      continue;
    }
    SkinningSettings settings = after(lbs());
    rig::Layer layer = rig::standard_layer(kind.about);
    layer.values[0] = 0.02f;
    settings.layers = {layer};
    const DeformedCharacter pushed = deform_once(character, pose, settings);
    double mean = 0;
    for (std::size_t v = 0; v < pushed.parts[0].positions.size(); ++v) {
      mean += static_cast<double>(glm::distance(pushed.parts[0].positions[v], plain.parts[0].positions[v]));
    }
    mean /= static_cast<double>(pushed.parts[0].positions.size());
    EXPECT_GT(mean, 0.012) << kind.about.id;
    EXPECT_LT(mean, 0.028) << kind.about.id;
  }
}

TEST(ControlPoints, WhatMethodsPrepareIsPreparedForThemToo) {
  const rig::Character character = test::control_character();
  const SkinningSettings settings = after(find_method("ddm"));
  SkinCache cache;
  ASSERT_TRUE(cache.prepare(character, before(find_method("ddm")), {}));
  EXPECT_FALSE(cache.ready(character, settings)) << "the control points are not prepared";
  ASSERT_TRUE(cache.prepare(character, settings, {}));
  EXPECT_TRUE(cache.ready(character, settings));
  const std::size_t prepared = cache.cages(character)->cache->work().prepared;
  EXPECT_EQ(prepared, 1u);
  cache.cages(character)->cache->get(cache.cages(character)->character, 0, before(find_method("ddm")));
  EXPECT_EQ(cache.cages(character)->cache->work().prepared, prepared);
}

}  // namespace
}  // namespace pelt::deform
