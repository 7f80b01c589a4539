#include "app/posed_bounds.h"

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::app {
namespace {

void expect_contains(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  const Bounds box = PosedBounds(character).evaluate(world.world());
  const Bounds exact = deform::deform_once(character, pose, {}).bounds;
  const float slack = 1e-4f * exact.diagonal();
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LE(box.lower[axis], exact.lower[axis] + slack);
    EXPECT_GE(box.upper[axis], exact.upper[axis] - slack);
  }
}

TEST(PosedBounds, AreExactInTheBindPoseOfTheCylinder) {
  const rig::Character cylinder = test::cylinder();
  rig::WorldMatrices world;
  world.evaluate(cylinder.skeleton, rig::rest_pose(cylinder));
  const Bounds box = PosedBounds(cylinder).evaluate(world.world());
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

TEST(PosedBounds, OfACharacterWithoutMeshAreEmpty) {
  rig::Character bare;
  test::add_node(bare, "bone", -1, {});
  rig::finish(bare);
  const std::vector<glm::mat4> world(1, glm::mat4(1.0f));
  EXPECT_TRUE(PosedBounds(bare).evaluate(world).empty());
}

}  // namespace
}  // namespace pelt::app
