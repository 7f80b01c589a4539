#include "rig/joint_matrices.h"

#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

JointMatrices of(const Character& character, const Pose& pose, int joint) {
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return joint_matrices(character, pose, world.world(), joint);
}

void expect_near(const glm::mat4& actual, const glm::mat4& expected, float tolerance = 1e-6f) {
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      EXPECT_NEAR(actual[c][r], expected[c][r], tolerance) << "column " << c << ", row " << r;
    }
  }
}

// F-CYL: the tip stands at (0.5, 0, 0) below the root.
TEST(JointMatrices, OfATipThatBends) {
  const Character cylinder = test::cylinder();
  Pose pose = rest_pose(cylinder);
  pose.local[0].translation = {0, 2, 0};
  pose.local[1].rotation = glm::angleAxis(1.57079633f, glm::vec3(0, 0, 1));
  const JointMatrices tip = of(cylinder, pose, 1);
  const glm::mat4 turn(glm::vec4(0, 1, 0, 0), glm::vec4(-1, 0, 0, 0), glm::vec4(0, 0, 1, 0), glm::vec4(0, 0, 0, 1));
  expect_near(tip.local, glm::translate(glm::mat4(1.0f), glm::vec3(0.5f, 0, 0)) * turn);
  expect_near(tip.world, glm::translate(glm::mat4(1.0f), glm::vec3(0.5f, 2, 0)) * turn);
  ASSERT_EQ(tip.skins.size(), 1u);
  EXPECT_EQ(tip.skins[0].skin, 0);
  EXPECT_EQ(tip.skins[0].slot, 1);
  expect_near(tip.skins[0].joint_from_mesh, glm::translate(glm::mat4(1.0f), glm::vec3(-0.5f, 0, 0)));
  expect_near(tip.skins[0].skin_matrix, tip.world * tip.skins[0].joint_from_mesh);
  // M takes the origin to (0.5, 2) - (0, 0.5): 1.5 is its largest element beside the turn's.
  EXPECT_NEAR(tip.skins[0].residual, 1.5, 1e-6);
  EXPECT_NEAR(tip.skins[0].off_rigid, 0, 1e-6);
}

TEST(JointMatrices, ResidualVanishesInTheBindPoseAndScaleIsNotRigid) {
  const Character cylinder = test::cylinder();
  Pose pose = rest_pose(cylinder);
  EXPECT_LT(of(cylinder, pose, 1).skins[0].residual, 1e-6);
  pose.local[1].scale = {2, 1, 1};
  EXPECT_NEAR(of(cylinder, pose, 1).skins[0].off_rigid, 3, 1e-6);  // 2 squared, less 1
  EXPECT_NEAR(of(cylinder, pose, 0).skins[0].off_rigid, 0, 1e-6);
}

TEST(JointMatrices, EachSkinHasItsOwnAndNodesHaveNone) {
  Character character = test::cylinder();
  Skin other = character.skins[0];
  other.name = "other";
  other.joints = {1};
  other.joint_from_mesh = {glm::mat4(1.0f)};
  character.skins.push_back(other);
  finish(character);
  const Pose pose = rest_pose(character);
  const JointMatrices tip = of(character, pose, 1);
  ASSERT_EQ(tip.skins.size(), 2u);
  EXPECT_EQ(tip.skins[1].skin, 1);
  EXPECT_EQ(tip.skins[1].slot, 0);
  EXPECT_NEAR(tip.skins[1].residual, 0.5, 1e-6);
  EXPECT_EQ(of(character, pose, 0).skins.size(), 1u);
  EXPECT_TRUE(of(character, pose, 2).skins.empty()) << "the mesh's node";
}

}  // namespace
}  // namespace pelt::rig
