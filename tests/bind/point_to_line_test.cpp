#include <gtest/gtest.h>

#include "bind/point_to_line.h"
#include "support/binding.h"
#include "support/fixtures.h"

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

// F-ELBOW bound bent: the upper arm along x, the forearm along y.
Problem bent_elbow(std::vector<glm::dvec3> positions) {
  Problem problem = elbow_to_bind(std::move(positions));
  problem.bones[1].tails = {{4, 4, 0}};
  finish(problem);
  return problem;
}

TEST(PointToLine, C32_2_ThePlaneOfARightAngle) {
  const std::vector<BisectingPlane> planes = bisecting_planes(bent_elbow({{5, 1, 0}, {3, -1, 0}, {5, -1, 0}}));
  ASSERT_EQ(planes.size(), 1u);
  EXPECT_EQ(planes[0].child, 1u);
  EXPECT_EQ(planes[0].tail, 0);
  EXPECT_NEAR(planes[0].normal.x, 0.707107, 1e-6);
  EXPECT_NEAR(planes[0].normal.y, 0.707107, 1e-6);
  EXPECT_NEAR(side_of(planes[0], {5, 1, 0}), 1.414214, 1e-6);
  EXPECT_NEAR(side_of(planes[0], {3, -1, 0}), -1.414214, 1e-6);
  EXPECT_NEAR(side_of(planes[0], {5, -1, 0}), 0, 1e-12);
}

// The inner side of the bend is nearer to the forearm and belongs to the upper arm before the bisector.
TEST(PointToLine, PlanesPartABentElbowAlongItsCrease) {
  const Problem problem = bent_elbow({{3.2, 0.7, 0}, {3.2, 0.9, 0}, {4.5, -0.4, 0}, {4.5, -0.6, 0}, {4.5, -0.5, 0}});
  const Binding planes = test::bound(problem, "point-to-line", {{"planes", 1}});
  EXPECT_EQ(planes.rows.weight(0, 0), 1);
  EXPECT_EQ(planes.rows.weight(1, 1), 1);
  EXPECT_EQ(planes.rows.weight(2, 1), 1);
  EXPECT_EQ(planes.rows.weight(3, 0), 1);
  EXPECT_EQ(planes.rows.weight(4, 0), 0.5) << "on the plane both are open";
  const Binding distances = test::bound(problem, "point-to-line");
  EXPECT_LT(distances.rows.weight(0, 0), 0.8);
  EXPECT_EQ(distances.rows.weight(2, 1), 0.5);
}

TEST(PointToLine, PlanesOfSeveralJointsNeverLeaveAPlaceWithoutABone) {
  test::Random random(32);
  Problem problem;
  for (int i = 0; i < 400; ++i) {
    problem.positions.push_back(random.dvector(-2, 2));
  }
  for (int b = 0; b < 12; ++b) {
    const int parent = b == 0 ? -1 : random.below(b);
    const glm::dvec3 head = parent < 0 ? glm::dvec3(0.0) : problem.bones[static_cast<std::size_t>(parent)].tails[0];
    problem.bones.push_back(test::bone_between(head, head + random.dvector(-1, 1), parent));
  }
  finish(problem);
  const Binding binding = test::bound(problem, "point-to-line", {{"planes", 1}});
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    EXPECT_FALSE(binding.rows[w].empty());
  }
}

TEST(PointToLine, C32_4_RigidMotionsChangeNothing) {
  test::Random random(324);
  Problem problem = test::fingers_to_bind();
  problem.bones.push_back(test::bone_between({2, 0.45, 0}, {2.5, 1, 0.3}, 1));
  finish(problem);
  Problem moved = problem;
  const glm::dmat3 turn = glm::mat3_cast(random.rotation());
  const glm::dvec3 by = random.dvector(-9, 9);
  const auto move = [&](glm::dvec3& p) { p = turn * p + by; };
  std::ranges::for_each(moved.positions, move);
  for (Bone& bone : moved.bones) {
    move(bone.head);
    std::ranges::for_each(bone.tails, move);
  }
  finish(moved);
  for (const double planes : {0.0, 1.0}) {
    const Rows here = test::bound(problem, "point-to-line", {{"planes", planes}}).rows;
    const Rows there = test::bound(moved, "point-to-line", {{"planes", planes}}).rows;
    EXPECT_LT(test::largest_difference(here, there), 1e-9);
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
