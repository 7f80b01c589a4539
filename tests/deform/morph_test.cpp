#include "deform/morph.h"

#include <algorithm>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr double kMorphedDigits = 1e-6;

struct Morphed {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
};

Morphed morphed(const mesh::Primitive& primitive, std::vector<float> weights) {
  Morphed out = {std::vector<glm::vec3>(primitive.positions.size()), std::vector<glm::vec3>(primitive.normals.size()),
                 std::vector<glm::vec4>(primitive.tangents.size())};
  apply_morph_targets(primitive, weights, out.positions, out.normals, out.tangents);
  return out;
}

mesh::Primitive point(const glm::vec3& position, std::vector<glm::vec3> deltas) {
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.indices = {0};
  primitive.positions = {position};
  for (const glm::vec3& delta : deltas) {
    primitive.morph_targets.push_back(
        {.name = "", .position_deltas = {delta}, .normal_deltas = {}, .tangent_deltas = {}});
  }
  return primitive;
}

TEST(Morph, C17_1_BaseAndTargetExactly) {
  const rig::Character character = test::random_rig({.seed = 17, .morph_targets = 3});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const Morphed base = morphed(primitive, {0, 0, 0});
  EXPECT_EQ(base.positions, primitive.positions);
  EXPECT_EQ(base.normals, primitive.normals);
  EXPECT_EQ(base.tangents, primitive.tangents);
  const Morphed target = morphed(primitive, {0, 1, 0});
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    EXPECT_EQ(target.positions[v], primitive.positions[v] + primitive.morph_targets[1].position_deltas[v]);
    EXPECT_EQ(target.normals[v], primitive.normals[v] + primitive.morph_targets[1].normal_deltas[v]);
    EXPECT_EQ(target.tangents[v],
              primitive.tangents[v] + glm::vec4(primitive.morph_targets[1].tangent_deltas[v], 0.0f));
  }
}

TEST(Morph, C17_2_TwoTargets) {
  const mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0, 1, 0), glm::vec3(0, 0, 2)});
  EXPECT_VEC_NEAR(morphed(primitive, {0.5f, 0.25f}).positions[0], glm::dvec3(1, 0.5, 0.5), kMorphedDigits);
}

TEST(Morph, C17_3_NormalsAreUnitOnlyAfterSkinning) {
  rig::Character character = test::elbow();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  primitive.normals = {{0, 0, 1}};
  primitive.morph_targets = {{.name = "", .position_deltas = {}, .normal_deltas = {{1, 0, -1}}, .tangent_deltas = {}}};
  character.meshes.edit(0).morph_weights = {0.5f};
  character.mesh_nodes.edit()[0].morph_weights = {};
  rig::finish(character);
  const glm::vec3 normal = morphed(primitive, {0.5f}).normals[0];
  EXPECT_VEC_NEAR(normal, glm::dvec3(0.5, 0, 0.5), kMorphedDigits);
  EXPECT_NEAR(glm::length(normal), 0.707107, kMorphedDigits);
  const glm::vec3 skinned = deform_once(character, rig::rest_pose(character), {}).parts[0].normals[0];
  EXPECT_VEC_NEAR(skinned, glm::normalize(glm::dvec3(1, 0, 1)), kMorphedDigits);
}

TEST(Morph, C17_4_ShapesComeBeforeSkinning) {
  rig::Character character;
  test::add_node(character, "joint", -1, {});
  mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0.5f, 0, 0)});
  const std::uint16_t joint = 0;
  const float one = 1.0f;
  mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&one, 1});
  test::add_skinned_mesh(character, "point", {0}, primitive);
  character.meshes.edit(0).morph_weights = {1.0f};
  rig::finish(character);
  rig::Pose pose = rig::rest_pose(character);
  pose.local[0].rotation = glm::angleAxis(std::numbers::pi_v<float> / 2, glm::vec3(0, 0, 1));
  EXPECT_VEC_NEAR(deform_once(character, pose, {}).parts[0].positions[0], glm::dvec3(0, 1.5, 0), kMorphedDigits);
}

TEST(Morph, C17_5_DisplacementIsLinear) {
  const rig::Character character = test::random_rig({.seed = 175, .morph_targets = 1});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const Morphed once = morphed(primitive, {0.35f});
  const Morphed twice = morphed(primitive, {0.7f});
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    EXPECT_VEC_NEAR(twice.positions[v] - primitive.positions[v],
                    2.0 * glm::dvec3(once.positions[v] - primitive.positions[v]), kMorphedDigits);
  }
}

TEST(Morph, NegativeAndLargeWeightsExtrapolate) {
  const mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0, 1, 0)});
  EXPECT_EQ(morphed(primitive, {-2}).positions[0], glm::vec3(1, -2, 0));
  EXPECT_EQ(morphed(primitive, {3}).positions[0], glm::vec3(1, 3, 0));
}

TEST(Morph, FewerWeightsThanTargets) {
  const mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0, 1, 0), glm::vec3(0, 0, 1)});
  EXPECT_EQ(morphed(primitive, {1}).positions[0], glm::vec3(1, 1, 0));
  EXPECT_EQ(morphed(primitive, {}).positions[0], glm::vec3(1, 0, 0));
}

// Targets that move a few vertices, a random many, all, and one nothing but normals.
mesh::Primitive with_local_targets() {
  const rig::Character character = test::random_rig({.seed = 176, .morph_targets = 4});
  mesh::Primitive primitive = character.meshes[0].primitives[0];
  const std::size_t count = primitive.positions.size();
  const auto keep = [&](std::size_t target, const auto& kept) {
    mesh::MorphTarget& deltas = primitive.morph_targets.edit(target);
    for (SharedArray<glm::vec3>* of : {&deltas.position_deltas, &deltas.normal_deltas, &deltas.tangent_deltas}) {
      for (std::size_t v = 0; v < of->size(); ++v) {
        if (!kept(v)) {
          of->edit()[v] = glm::vec3(0.0f);
        }
      }
    }
  };
  keep(0, [&](std::size_t v) { return v + 3 > count; });
  keep(1, [](std::size_t v) { return v % 70 < 5; });
  primitive.morph_targets.edit(3).position_deltas.clear();
  primitive.morph_targets.edit(3).tangent_deltas.clear();
  return primitive;
}

TEST(MorphedShape, IsTheReferenceAfterAnyHistory) {
  const mesh::Primitive primitive = with_local_targets();
  ASSERT_NE(primitive.positions.size() % 32, 0u) << "the last vertices are to be fewer than are computed together";
  MorphedShape shape(primitive);
  EXPECT_TRUE(std::ranges::equal(shape.positions(), primitive.positions));
  std::mt19937 random(176);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> weights(round % 5);
    for (float& weight : weights) {
      weight = 0.5f * static_cast<float>(static_cast<int>(random() % 5) - 2);
    }
    const std::vector<glm::vec3> before(shape.positions().begin(), shape.positions().end());
    const bool changed = shape.set_weights(weights);
    const Morphed expected = morphed(primitive, weights);
    ASSERT_TRUE(std::ranges::equal(shape.positions(), expected.positions)) << "round " << round;
    ASSERT_TRUE(std::ranges::equal(shape.normals(), expected.normals)) << "round " << round;
    ASSERT_TRUE(std::ranges::equal(shape.tangents(), expected.tangents)) << "round " << round;
    EXPECT_TRUE(changed || std::ranges::equal(before, shape.positions())) << "round " << round;
    EXPECT_FALSE(shape.set_weights(weights)) << "nothing is new";
  }
}

// The deformer keeps the shape, and the kernels their own layout of it, from pose to pose.
TEST(MorphedShape, PosesInARowAreWhatEachIsAlone) {
  rig::Character character = test::random_rig({.seed = 176, .morph_targets = 4});
  character.meshes.edit(0).primitives.edit(0).morph_targets = with_local_targets().morph_targets;
  rig::Pose pose = rig::rest_pose(character);
  ASSERT_GE(pose.morph_weights.size(), 4u);
  CpuDeformer deformer;
  DeformedCharacter kept;
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    for (float& weight : pose.morph_weights) {
      weight = 0.4f * static_cast<float>(std::max(0, static_cast<int>(random() % 4) - 1));
    }
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    deformer.deform(character, pose, world.world(), {}, kept);
    const DeformedCharacter alone = deform_once(character, pose, {});
    ASSERT_EQ(kept.parts[0].positions, alone.parts[0].positions) << "round " << round;
    ASSERT_EQ(kept.parts[0].normals, alone.parts[0].normals) << "round " << round;
    ASSERT_EQ(kept.parts[0].tangents, alone.parts[0].tangents) << "round " << round;
    EXPECT_EQ(kept.bounds.lower, alone.bounds.lower);
    EXPECT_EQ(kept.bounds.upper, alone.bounds.upper);
  }
}

}  // namespace
}  // namespace pelt::deform
