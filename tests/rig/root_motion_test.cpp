#include "rig/root_motion.h"

#include <gtest/gtest.h>

#include "rig/keys.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

// A turned and scaled root, hips that walk, and a hand below them.
Character walker(Interpolation interpolation) {
  Character character;
  test::add_node(character, "root", -1,
                 {.translation = {1, 2, 3},
                  .rotation = glm::angleAxis(0.7f, glm::normalize(glm::vec3(1, 2, 3))),
                  .scale = glm::vec3(0.5f)});
  test::add_node(character, "hips", 0, {.translation = {0, 1, 0}});
  test::add_node(character, "hand", 1, {.translation = {0.5f, 0.2f, 0}});
  test::Random random(48);
  Clip clip;
  clip.name = "walk";
  Channel way{.joint = 1, .path = ChannelPath::kTranslation, .times = {}, .values = {}};
  for (int k = 0; k < 7; ++k) {
    way.times.push_back(0.25f * static_cast<float>(k + 1));
    const glm::vec3 at = glm::vec3(0.6f * static_cast<float>(k), 1, 0.2f) + random.vector(-0.1f, 0.1f);
    way.values.insert(way.values.end(), {at.x, at.y, at.z});
  }
  clip.channels.push_back(with_interpolation(way, interpolation));
  clip.start = 0.25f;
  clip.end = 1.75f;
  character.clips.push_back(std::move(clip));
  finish(character);
  return character;
}

glm::vec3 place(const Character& character, const Clip& clip, int joint, float time) {
  Pose pose = rest_pose(character);
  apply(clip, time, character.morph_offset, pose);
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return world[joint][3];
}

TEST(RootMotion, C47_18_TravelIsTakenOutAndGoesToTheJointAbove) {
  for (const Interpolation kind : {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
    const Character character = walker(kind);
    const Clip& clip = character.clips[0];
    EXPECT_EQ(traveller(character, clip), 1);
    const Result<Clip> spot = without_travel(character, clip);
    const Result<Clip> moved = with_travel_above(character, clip);
    ASSERT_TRUE(spot);
    ASSERT_TRUE(moved);
    const glm::vec3 start = place(character, clip, 1, clip.start);
    float farthest = 0;
    for (int i = 0; i <= 60; ++i) {
      const float time = clip.start + clip.duration() * static_cast<float>(i) / 60;
      const glm::vec3 before = place(character, clip, 1, time);
      const glm::vec3 on_spot = place(character, *spot, 1, time);
      farthest = std::max(farthest, glm::length(before - start));
      EXPECT_NEAR(on_spot.x, start.x, 2e-6f);
      EXPECT_NEAR(on_spot.z, start.z, 2e-6f);
      EXPECT_NEAR(on_spot.y, before.y, 2e-6f);
      for (const int joint : {1, 2}) {
        EXPECT_LT(glm::length(place(character, *moved, joint, time) - place(character, clip, joint, time)), 3e-6f);
      }
      // The joint above goes over the ground alone.
      EXPECT_NEAR(place(character, *moved, 0, time).y, 2, 2e-6f);
    }
    EXPECT_GT(farthest, 1);
    const float times[] = {clip.start, clip.end};
    EXPECT_EQ(travelled_way(character, clip, times).back(), place(character, clip, 1, clip.end));
  }
}

TEST(RootMotion, WhatCannotBeTakenOutIsNamed) {
  Character character = walker(Interpolation::kLinear);
  Clip still;
  EXPECT_EQ(traveller(character, still), -1);
  EXPECT_EQ(without_travel(character, still).error().message,
            "the clip moves no joint from its place, so there is no way to take out");
  Clip turning = character.clips[0];
  turning.channels.push_back(
      {.joint = 0, .path = ChannelPath::kRotation, .times = {0, 1}, .values = {0, 0, 0, 1, 0, 1, 0, 0}, .width = 4});
  EXPECT_EQ(without_travel(character, turning).error().message,
            "root moves, which is above hips: the way of hips alone says little");
  Clip of_root = character.clips[0];
  of_root.channels[0].joint = 0;
  EXPECT_EQ(with_travel_above(character, of_root).error().message, "root has no joint above it that could go its way");
}

}  // namespace
}  // namespace pelt::rig
