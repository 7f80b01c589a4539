// Tests that a few vertices of a million cost as much as a few vertices of a small mesh.
#include "deform/vertex_sample.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "rig/kinematics.h"
#include "support/effort.h"
#include "support/sheet.h"

namespace pelt::deform {
namespace {

TEST(VertexSample, PlayingCostsAFewVerticesOnly) {
  const rig::Character character = test::sheets(1000, 8, std::array{0.0f});
  VertexSample sample(std::vector<VertexChoice>{{0, {5, 500'000, 999'999}}});
  const rig::Pose rest = rig::rest_pose(character);
  const auto show = [&](const rig::Pose& pose) {
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    sample.deform(character, pose, world.world(), {});
  };
  show(rest);
  const double seconds = test::processor_seconds([&] {
    for (int i = 0; i < 100; ++i) {
      rig::Pose pose = rest;
      pose.local[1].translation.x += 0.01f * static_cast<float>(i);
      show(pose);
    }
  });
  EXPECT_LT(seconds, 0.05);
}

}  // namespace
}  // namespace pelt::deform
