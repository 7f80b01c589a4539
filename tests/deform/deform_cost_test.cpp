// Tests the cost of a picture in which nothing has changed.
#include "deform/deform.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "rig/kinematics.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

TEST(CpuDeformerCost, C11_3_NothingChangedCostsNothing) {
  const rig::Character character = test::random_rig({.seed = 113, .vertices = 600000, .morph_targets = 1});
  test::Random random(113);
  const std::array poses = {test::random_pose(character, random, 2.0), test::random_pose(character, random, 2.0)};
  CpuDeformer deformer;
  DeformedCharacter out;
  double full = 1e9;
  double unchanged = 1e9;
  for (int round = 0; round < 10; ++round) {
    const rig::Pose& pose = poses[static_cast<std::size_t>(round % 2)];
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    bool computed = false;
    const auto seconds = [&] {
      return test::processor_seconds([&] { computed = deformer.deform(character, pose, world.world(), {}, out); });
    };
    full = std::min(full, seconds());
    EXPECT_TRUE(computed);
    const auto positions = out.parts[0].positions;
    const auto normals = out.parts[0].normals;
    unchanged = std::min(unchanged, seconds());
    EXPECT_FALSE(computed);
    EXPECT_TRUE(positions == out.parts[0].positions && normals == out.parts[0].normals);
  }
  EXPECT_LT(unchanged, 0.01 * full);
}

}  // namespace
}  // namespace pelt::deform
