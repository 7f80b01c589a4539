#include <gtest/gtest.h>

#include "support/binding.h"

namespace pelt::bind {
namespace {

Problem elbow_to_bind(std::vector<glm::dvec3> positions) {
  Problem problem;
  problem.positions = std::move(positions);
  problem.bones = {test::bone_between({0, 0, 0}, {4, 0, 0}), test::bone_between({4, 0, 0}, {8, 0, 0}, 0)};
  finish(problem);
  return problem;
}

TEST(PointToLine, C32_1_TheElbow) {
  const Problem problem = elbow_to_bind({{3, 1, 0}, {5, 2, 0}});
  const OnBone upper = nearest_on_bone(problem.positions[0], problem.bones[0]);
  const OnBone lower = nearest_on_bone(problem.positions[0], problem.bones[1]);
  EXPECT_NEAR(upper.t, 0.75, 1e-12);
  EXPECT_NEAR(upper.distance, 1, 1e-12);
  EXPECT_NEAR(lower.t, 0, 1e-12);
  EXPECT_NEAR(lower.distance, 1.414214, 1e-6);
  EXPECT_NEAR(distance_to_bone(problem.positions[1], problem.bones[0]), 2.236068, 1e-6);
  EXPECT_NEAR(distance_to_bone(problem.positions[1], problem.bones[1]), 2, 1e-12);
  const Binding squared = test::bound(problem, "point-to-line", {{"power", 2}});
  EXPECT_NEAR(squared.rows.weight(0, 0), 0.666667, 1e-6);
  const Binding standard = test::bound(problem, "point-to-line");
  EXPECT_NEAR(standard.rows.weight(0, 0), 0.8, 1e-12);
  EXPECT_NEAR(standard.rows.weight(0, 1), 0.2, 1e-12);
}

TEST(PointToLine, C32_3_TheNearestBoneBindsAcrossTheGap) {
  const Problem problem = test::fingers_to_bind();
  const Binding hard = test::bound(problem, "point-to-line", {{"bones", 1}});
  for (int ring = 0; ring <= 20; ++ring) {
    int wrong = 0;
    for (int k = 0; k < 64; ++k) {
      const std::size_t w = static_cast<std::size_t>(ring) * 64 + static_cast<std::size_t>(k);
      const bool is_wrong = hard.rows.strongest(w) == 1;
      wrong += is_wrong ? 1 : 0;
      EXPECT_EQ(is_wrong, std::min(k, 64 - k) * 360.0 / 64 < 41.409622) << ring << ' ' << k;
    }
    EXPECT_EQ(wrong, 15) << ring;
  }
}

TEST(PointToLine, ABoneAtDistanceZeroTakesThePlace) {
  const Binding binding = test::bound(elbow_to_bind({{2, 0, 0}, {4, 0, 0}}), "point-to-line");
  EXPECT_EQ(binding.rows.weight(0, 0), 1);
  EXPECT_EQ(binding.rows.weight(1, 0), 0.5);
  EXPECT_EQ(binding.rows.weight(1, 1), 0.5);
}

}  // namespace
}  // namespace pelt::bind
