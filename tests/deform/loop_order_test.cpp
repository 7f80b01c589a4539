#include "deform/loop_order.h"

#include <cmath>

#include <gtest/gtest.h>

#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

TEST(LoopOrder, IsMeasuredOnWhatIsSkinned) {
  const rig::Character character = test::random_rig({.seed = 2, .vertices = 2000});
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, rig::rest_pose(character));
  const std::optional<LoopOrder> order = measure_loop_order(character, world.world(), 0.01);
  ASSERT_TRUE(order);
  EXPECT_GT(order->vertex_major, 0);
  EXPECT_GT(order->bone_major, 0);
  EXPECT_NEAR(order->ratio(), order->bone_major / order->vertex_major, 1e-12);
  // The same on any machine within a factor that says the units are nanoseconds per vertex.
  EXPECT_LT(order->vertex_major, 1e5);
}

TEST(LoopOrder, NothingIsSkinned) {
  rig::Character character;
  test::add_node(character, "node", -1, {});
  rig::finish(character);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, rig::rest_pose(character));
  EXPECT_FALSE(measure_loop_order(character, world.world(), 0.01));
}

}  // namespace
}  // namespace pelt::deform
