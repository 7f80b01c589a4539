#include "rig/own_bindings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rig/kinematics.h"
#include "support/two_skins.h"

namespace pelt::rig {
namespace {

constexpr float kDigits = 2e-6f;
constexpr int kTip = 1;

float farthest(const glm::mat4& a, const glm::mat4& b) {
  float out = 0;
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) {
      out = std::max(out, std::abs(a[c][r] - b[c][r]));
    }
  }
  return out;
}

std::vector<glm::mat4> world_of(const Character& character, const Pose& pose) {
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return world.world();
}

Pose bound(const Character& character) {
  Pose pose = bind_pose(character);
  add_own_bindings(character, pose);
  return pose;
}

// A third skin over the same joints, in the other skins' place at the root and bent a little at the tip.
Character three_skins() {
  Character character = test::two_skins();
  const std::vector<Transform> rest = character.skeleton->rest;
  character.skeleton.edit().rest[kTip].rotation = glm::angleAxis(0.25f, glm::vec3(0, 0, 1));
  test::add_skinned_mesh(character, "third", {0, kTip}, test::cylinder_primitive());
  character.skeleton.edit().rest[0] = rest[0];
  character.skeleton.edit().rest[kTip] = rest[kTip];
  finish(character);
  return character;
}

TEST(OwnBindings, AreNoneWhereAllSkinsWereBoundInOnePose) {
  const Character one = test::cylinder();
  EXPECT_TRUE(bound(one).own_bindings.empty());
  Character alike = test::cylinder();
  test::add_skinned_mesh(alike, "second", {kTip, 0}, test::cylinder_primitive());
  finish(alike);
  ASSERT_EQ(alike.skins.size(), 2u);
  const Pose pose = bound(alike);
  EXPECT_EQ(pose, bind_pose(alike));
  EXPECT_TRUE(pose.own_bindings.empty());
}

TEST(OwnBindings, C3_3_EachSkinStandsAsItWasBound) {
  const Character character = three_skins();
  const Pose pose = bound(character);
  EXPECT_EQ(pose.local, bind_pose(character).local) << "no joint is moved";
  ASSERT_EQ(pose.own_bindings.size(), 3u);
  EXPECT_TRUE(pose.own_bindings[0].empty()) << "the pose is that of the first skin";
  EXPECT_EQ(pose.own_bindings[1].size(), 2u);
  ASSERT_EQ(pose.own_bindings[2].size(), 2u);
  EXPECT_EQ(pose.own_bindings[2][0], glm::mat4(1.0f)) << "bound to the root as the first one is";
  EXPECT_GT(farthest(pose.own_bindings[2][kTip], glm::mat4(1.0f)), 0.1f);
  const std::vector<glm::mat4> world = world_of(character, pose);
  for (int s = 0; s < 3; ++s) {
    const Skin& skin = character.skins[s];
    std::vector<glm::mat4> all(skin.joints.size());
    posed_skin_matrices(character, pose, world, s, all);
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const glm::mat4 matrix = posed_skin_matrix(character, pose, world, s, k);
      EXPECT_LT(farthest(matrix, glm::mat4(1.0f)), kDigits) << "skin " << s << ", joint " << k;
      EXPECT_EQ(all[k], matrix);
      const auto world_from_joint = glm::dmat4(world[skin.joints[k]]);
      EXPECT_LT(farthest(glm::mat4(world_from_joint * posed_joint_from_mesh(character, pose, s, k)), glm::mat4(1.0f)),
                kDigits);
      EXPECT_LT(farthest(glm::mat4(posed_world_from_joint(character, pose, world, s, k) *
                                   glm::dmat4(skin.joint_from_mesh[k])),
                         glm::mat4(1.0f)),
                kDigits);
    }
  }
}

// A joint takes along what each skin has on it: from where it stood to where it stands, whatever was bound to it.
TEST(OwnBindings, MoveWithTheirJoints) {
  const Character character = three_skins();
  Pose pose = bound(character);
  const std::vector<glm::mat4> before = world_of(character, pose);
  pose.local[0].rotation = glm::angleAxis(0.75f, glm::normalize(glm::vec3(1, 2, 3)));
  pose.local[0].translation += glm::vec3(0.5f, 0.25f, 0);
  pose.local[kTip].rotation = glm::angleAxis(-0.5f, glm::normalize(glm::vec3(3, 1, 2)));
  const std::vector<glm::mat4> world = world_of(character, pose);
  for (int s = 0; s < 3; ++s) {
    const Skin& skin = character.skins[s];
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const std::size_t j = skin.joints[k];
      const glm::mat4 moved = world[j] * glm::inverse(before[j]);
      EXPECT_LT(farthest(posed_skin_matrix(character, pose, world, s, k), moved), kDigits)
          << "skin " << s << ", joint " << k;
    }
  }
}

// Without them, and at places where they add nothing, the plain functions say it, bit by bit.
TEST(OwnBindings, AddNothingWhereThereAreNone) {
  const Character character = three_skins();
  for (const Pose& pose : {bind_pose(character), bound(character)}) {
    const std::vector<glm::mat4> world = world_of(character, pose);
    for (const auto& [s, k] : {std::pair(0, 0u), std::pair(0, 1u), std::pair(2, 0u)}) {
      const Skin& skin = character.skins[s];
      EXPECT_EQ(posed_skin_matrix(character, pose, world, s, k), skin_matrix(skin, world, k));
      EXPECT_EQ(posed_joint_from_mesh(character, pose, s, k), glm::dmat4(skin.joint_from_mesh[k]));
      EXPECT_EQ(posed_world_from_joint(character, pose, world, s, k), glm::dmat4(world[skin.joints[k]]));
    }
  }
}

// How the second skin's inverse bind matrix of the tip may differ before it counts as bound in another pose.
TEST(OwnBindings, RoundingIsNoPoseOfItsOwn) {
  const auto differs = [](float distance, const std::function<void(glm::mat4&)>& change) {
    Character character = test::cylinder();
    character.skeleton.edit().rest[0].translation.x += distance;
    character.skins.edit(0).joint_from_mesh = test::inverse_binds_of_rest(character.skeleton, {0, kTip});
    test::add_skinned_mesh(character, "second", {0, kTip}, test::cylinder_primitive());
    finish(character);
    change(character.skins.edit(1).joint_from_mesh[kTip]);
    return !bound(character).own_bindings.empty();
  };
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      EXPECT_FALSE(differs(0, [&](glm::mat4& m) { m[c][r] += 0.8e-5f; })) << c << ", " << r;
      EXPECT_TRUE(differs(0, [&](glm::mat4& m) { m[c][r] += 3e-5f; })) << c << ", " << r;
      EXPECT_TRUE(differs(0, [&](glm::mat4& m) { m[c][r] -= 3e-5f; })) << c << ", " << r;
    }
    EXPECT_FALSE(differs(0, [&](glm::mat4& m) { m[3][c] += 0.8e-5f; })) << c;
    EXPECT_TRUE(differs(0, [&](glm::mat4& m) { m[3][c] += 1.2e-5f; })) << c;
    // Relative to the joint's distance from the origin, where that is more than a metre.
    EXPECT_FALSE(differs(1000, [&](glm::mat4& m) { m[3][c] += 0.8e-2f; })) << c;
    EXPECT_TRUE(differs(1000, [&](glm::mat4& m) { m[3][c] += 1.2e-2f; })) << c;
  }
}

TEST(OwnBindings, AJointThatWasFlattenedHasNone) {
  Character character = test::two_skins();
  character.skins.edit(1).joint_from_mesh[0] = glm::mat4(0.0f);  // of the tip
  const Pose pose = bound(character);
  ASSERT_EQ(pose.own_bindings.size(), 2u);
  ASSERT_EQ(pose.own_bindings[1].size(), 2u);
  EXPECT_EQ(pose.own_bindings[1][0], glm::mat4(1.0f));
  EXPECT_NE(pose.own_bindings[1][1], glm::mat4(1.0f)) << "the root has one";
}

}  // namespace
}  // namespace pelt::rig
