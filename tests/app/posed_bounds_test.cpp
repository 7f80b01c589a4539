#include "app/posed_bounds.h"

#include <vector>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/layers.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"
#include "support/control_points.h"
#include "support/fixtures.h"
#include "support/two_skins.h"

namespace pelt::app {
namespace {

Bounds box_of(const rig::Character& character, const rig::Pose& pose, const deform::SkinningSettings& settings = {}) {
  PosedBounds bounds;
  bounds.update(character);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return bounds.evaluate(character, pose, world.world(), settings);
}

void expect_contains(const rig::Character& character, const rig::Pose& pose,
                     const deform::SkinningSettings& settings = {}) {
  const Bounds box = box_of(character, pose, settings);
  const Bounds exact = deform::deform_once(character, pose, settings).bounds;
  const float slack = 1e-4f * exact.diagonal();
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LE(box.lower[axis], exact.lower[axis] + slack);
    EXPECT_GE(box.upper[axis], exact.upper[axis] - slack);
  }
}

void expect_equal(const Bounds& a, const Bounds& b) {
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
}

TEST(PosedBounds, AreExactInTheBindPoseOfTheCylinder) {
  const rig::Character cylinder = test::cylinder();
  const Bounds box = box_of(cylinder, rig::rest_pose(cylinder));
  EXPECT_NEAR(box.lower.x, 0, 1e-5f);
  EXPECT_NEAR(box.upper.x, 1, 1e-5f);
  EXPECT_NEAR(box.upper.y, 0.1f, 1e-5f);
}

TEST(PosedBounds, ContainTheShapeOfRandomRigsInRandomPoses) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    test::RandomRigOptions options;
    options.seed = seed;
    const rig::Character character = test::random_rig(options);
    test::Random random(seed);
    expect_contains(character, test::random_pose(character, random, 2.0, 0.2f));
  }
}

// Every set of layers, shapes in weights beyond 1 and below 0, parts with and without a skin, in any unit.
TEST(PosedBounds, Law_ContainTheShapeUnderEverySetOfLayers) {
  const SharedArray<rig::Layer>& standard = deform::standard_deformer_layers();
  for (const float unit : {0.01f, 1.0f, 100.0f}) {
    for (unsigned mask = 0; mask < (1u << standard.size()); ++mask) {
      SCOPED_TRACE(::testing::Message() << "layers " << mask << ", unit " << unit);
      test::Random random(mask);
      rig::Character character =
          test::random_rig({.seed = 1 + mask % 7, .joints = 9, .vertices = 600, .morph_targets = 3});
      for (glm::vec3& position : character.meshes.edit(0).primitives.edit(0).positions.edit()) {
        position *= unit;
      }
      rig::Pose pose = test::random_pose(character, random, 1.5, 0.2f);
      for (float& weight : pose.morph_weights) {
        weight = random.real(-1.5f, 2.0f);
      }
      std::vector<rig::Layer> layers(standard.begin(), standard.end());
      for (std::size_t k = 0; k < layers.size(); ++k) {
        layers[k].on = (mask >> k & 1) != 0;
        if (layers[k].kind.starts_with("push")) {
          layers[k].values = {random.real(-0.1f, 0.1f) * unit, random.real(0.3f, 1.0f)};
        }
      }
      deform::SkinningSettings settings;
      deform::take_part(layers, layers.size(), pose, settings);
      expect_contains(character, pose, settings);
    }
  }
}

TEST(PosedBounds, AreOfEachSkinAsItWasBound) {
  const rig::Character character = test::two_skins();
  rig::Pose pose = rig::bind_pose(character);
  rig::add_own_bindings(character, pose);
  ASSERT_FALSE(pose.own_bindings.empty());
  const Bounds box = box_of(character, pose);
  const Bounds exact = deform::deform_once(character, pose, {}).bounds;
  expect_contains(character, pose);
  EXPECT_LT(box.diagonal(), exact.diagonal() * 1.0001f) << "where they were bound, the box has no air";
  pose = rig::rest_pose(character);
  pose.skinned = false;
  expect_contains(character, pose);
}

TEST(PosedBounds, HoldWhatFollowsNoJointOrNoSkin) {
  rig::Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  primitive.positions.edit()[5] = {0, 7, 0};
  primitive.influences.edit().put_row(5, {});
  rig::Pose pose = rig::rest_pose(character);
  pose.local[0].translation += glm::vec3(40, 0, 0);
  expect_contains(character, pose);
  EXPECT_NEAR(box_of(character, pose).upper.y, 7, 1e-4f) << "it stays where the file has it";

  primitive.influences = {};  // the node places it
  pose.local[character.parts[0].joint].translation += glm::vec3(0, 0, -30);
  expect_contains(character, pose);
  EXPECT_LT(box_of(character, pose).lower.z, -29);
}

TEST(PosedBounds, Law_FollowEditsOfWeightsAsIfMadeAnew) {
  test::Random random(12);
  rig::Character character = test::random_rig({.seed = 4, .joints = 9, .vertices = 1500, .morph_targets = 1});
  const rig::Pose pose = test::random_pose(character, random, 1.5, 0.2f);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  PosedBounds bounds;
  bounds.update(character);
  std::vector<rig::Character> history;
  for (int edit = 0; edit < 60; ++edit) {
    const int kind = random.below(8);
    if (kind == 0 && !history.empty()) {
      character = history[random.below(static_cast<int>(history.size()))];
    } else if (kind == 1) {
      character.meshes.edit(0).primitives.edit(0).positions.edit()[7] += random.vector(-3, 3);
    } else if (kind == 2) {
      character.meshes.edit(0).primitives.edit(0).morph_targets.edit(0).position_deltas.edit()[3] *= 2.0f;
    } else {
      history.push_back(character);
      mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
      for (int n = 0; n < 20; ++n) {
        const std::uint16_t joint[] = {static_cast<std::uint16_t>(random.below(5))};
        const float weight[] = {static_cast<float>(random.below(4))};  // 0: follows none
        rows.set_row(static_cast<std::size_t>(random.below(static_cast<int>(rows.vertex_count()))), joint, weight);
      }
    }
    bounds.update(character);
    expect_equal(bounds.evaluate(character, pose, world.world(), {}), box_of(character, pose));
    expect_contains(character, pose);
  }
}

TEST(PosedBounds, OfACharacterWithoutMeshAreEmpty) {
  rig::Character bare;
  test::add_node(bare, "bone", -1, {});
  rig::finish(bare);
  EXPECT_TRUE(box_of(bare, rig::rest_pose(bare)).empty());
}

TEST(PosedBounds, ContainSurfacesOfControlPoints) {
  const rig::Character character = test::control_character();
  deform::SkinningSettings settings;
  settings.refine = deform::Refine::kAfterSkin;
  test::Random random(52);
  for (int trial = 0; trial < 6; ++trial) {
    const rig::Pose pose = test::random_pose(character, random, 2.0, 0.2f);
    expect_contains(character, pose, settings);
    expect_contains(character, pose);
  }
}

}  // namespace
}  // namespace pelt::app
