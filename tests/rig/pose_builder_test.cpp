#include "rig/pose_builder.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "rig/character.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

Transform any_local(test::Random& random) {
  return {random.vector(-1, 1), glm::quat(random.rotation()), random.vector(0.5f, 2.0f)};
}

// W_j of the whole pose in one pass, in double precision.
std::vector<glm::dmat4> full_kinematics(const Skeleton& skeleton, const Pose& pose) {
  std::vector<glm::dmat4> local;
  for (int j = 0; j < skeleton.size(); ++j) {
    local.emplace_back(local_matrix(pose, j));
  }
  std::vector<glm::dmat4> world(local.size());
  local_to_world<double>(skeleton.parent, local, world);
  return world;
}

bool same_bits(const glm::dmat4& a, const glm::dmat4& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

TEST(PoseBuilder, Law_WorldEqualsFullKinematicsWhateverHappenedBefore) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    test::Random random(seed);
    Character character = test::random_rig({.seed = seed, .joints = 60, .vertices = 3});
    if (seed % 2 == 0) {  // sheared nodes
      character.skeleton.edit().rest_residual.assign(character.skeleton->parent.size(), glm::mat4(1.0f));
      character.skeleton.edit().rest_residual[7][1][0] = 0.25f;
    }
    Pose pose = rest_pose(character);
    ASSERT_EQ(pose.residual.empty(), seed % 2 != 0);
    PoseBuilder builder(character.skeleton, pose);
    for (int i = 0; i < 600; ++i) {
      const int j = random.below(character.skeleton->size());
      const int what = random.below(100);
      if (what < 35) {
        builder.set_local(j, any_local(random));
      } else if (what < 37) {
        builder.edit().local[j] = any_local(random);
      } else {
        const glm::dmat4 world = builder.world(j);
        ASSERT_TRUE(same_bits(world, full_kinematics(character.skeleton, pose)[j]))
            << "seed " << seed << ", step " << i << ", joint " << j;
      }
    }
  }
}

// A chain of 1000 joints with a second one hung on its joint 500.
TEST(PoseBuilder, CostsWhatLiesAboveAndDidNotHoldAnyMore) {
  Character character;
  for (int j = 0; j < 1000; ++j) {
    test::add_node(character, "", j - 1, {.translation = {0, 0.01f, 0}});
  }
  for (int j = 1000; j < 1100; ++j) {
    test::add_node(character, "", j == 1000 ? 500 : j - 1, {.translation = {0.01f, 0, 0}});
  }
  finish(character);
  Pose pose = rest_pose(character);
  PoseBuilder builder(character.skeleton, pose);
  const auto cost_of = [&](int j) {
    const std::size_t before = builder.computed();
    builder.world(j);
    return builder.computed() - before;
  };
  builder.set_local(999, {});
  EXPECT_EQ(builder.computed(), 0u) << "nobody asked";
  EXPECT_EQ(cost_of(99), 100u) << "nothing below it";
  EXPECT_EQ(cost_of(99), 0u);
  EXPECT_EQ(cost_of(999), 900u) << "what is above was there";
  EXPECT_EQ(cost_of(1099), 100u) << "the other branch alone";
  builder.set_local(999, {});
  EXPECT_EQ(cost_of(998), 0u) << "nothing above it changed";
  EXPECT_EQ(cost_of(999), 1u);
  builder.set_local(700, {});
  EXPECT_EQ(cost_of(1099), 0u) << "a cousin";
  EXPECT_EQ(cost_of(699), 0u);
  EXPECT_EQ(cost_of(700), 1u);
  EXPECT_EQ(cost_of(999), 299u);
  builder.set_local(0, {});
  EXPECT_EQ(cost_of(0), 1u);
  EXPECT_EQ(cost_of(1099), 600u);
  builder.edit();
  EXPECT_EQ(cost_of(10), 11u);
}

}  // namespace
}  // namespace pelt::rig
