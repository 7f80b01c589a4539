#include <gtest/gtest.h>

#include "bind/diffusion.h"
#include "bind/volume_heat.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

// §34's closed form on an open tube: half way round every point is as far from its bone as any, and w = 1 - e^-x
// sqrt(c) / r over 2. The volume of the open tube lets every place see its bone.
TEST(VolumeHeat, HasTheClosedFormOfATube) {
  const Problem problem = test::tube_to_bind();
  for (const double c : {1.0, 4.0}) {
    const Binding binding = test::bound(problem, "volume-heat", {{"sharpness", c}});
    for (std::size_t w = 0; w < problem.place_count(); ++w) {
      const double x = problem.positions[w].x;
      if (std::abs(x) <= 0.5) {
        const double expected = 1 - 0.5 * std::exp(-std::sqrt(c) * std::abs(x) / 0.1);
        EXPECT_NEAR(binding.rows.weight(w, x < 0 ? 0 : 1), expected, c == 1 ? 4e-4 : 2e-3) << x;
      }
    }
  }
}

TEST(VolumeHeat, DoesNotBindAcrossTheGap) {
  const Problem problem = test::fingers_to_bind();
  const Binding binding = test::bound(problem, "volume-heat");
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    EXPECT_EQ(binding.rows.weight(w, w < 21 * 64 + 2 ? 1 : 0), 0) << w;
    EXPECT_EQ(binding.cause[w], Cause::kSolved);
  }
}

TEST(VolumeHeat, FacesInsideOutChangeNothingAndAreNamed) {
  Problem problem = test::fingers_to_bind();
  const Binding before = test::bound(problem, "volume-heat");
  for (auto& triangle : problem.triangles) {
    if (triangle[0] >= 21 * 64 + 2) {
      std::swap(triangle[1], triangle[2]);
    }
  }
  const Binding after = test::bound(problem, "volume-heat");
  EXPECT_LT(test::largest_difference(before.rows, after.rows), 1e-9);
  const auto told = std::ranges::find(after.remarks, RemarkKind::kInsideOut, &Remark::kind);
  ASSERT_NE(told, after.remarks.end());
  EXPECT_EQ(told->island, 1);
}

// Two tubes: at first only one has a bone, then neither.
TEST(VolumeHeat, WhatSeesNoBoneIsReachedThroughTheVolume) {
  Problem problem;
  test::add_tube(problem, 0, 1, 20, 32, {}, 0.05, true);
  test::add_tube(problem, 0, 1, 20, 32, {0, 0.5, 0}, 0.05, true);
  problem.bones = {test::bone_between({0.1, 0, 0}, {0.9, 0, 0}), test::bone_between({0.2, 0.5, 0}, {0.3, 0.5, 0})};
  finish(problem);
  problem.bones.pop_back();  // the second tube has no bone any more
  const Binding alone = test::bound(problem, "volume-heat");
  EXPECT_EQ(alone.cause[21 * 32 + 2], Cause::kNearest);
  const auto told = std::ranges::find(alone.remarks, RemarkKind::kIslandSeesNoBone, &Remark::kind);
  ASSERT_NE(told, alone.remarks.end());
  EXPECT_EQ(told->island, 1);
  EXPECT_EQ(told->places, 21u * 32 + 2);
  problem.bones = {test::bone_between({0.1, 0.2, 0}, {0.9, 0.2, 0})};  // outside of both
  const Binding outside = test::bound(problem, "volume-heat");
  EXPECT_EQ(outside.cause[0], Cause::kGeodesic);
  const auto named = std::ranges::find(outside.remarks, RemarkKind::kBoneOutside, &Remark::kind);
  ASSERT_NE(named, outside.remarks.end());
  EXPECT_NEAR(named->amount, 0.15, 0.01);
}

TEST(VolumeHeat, ABoneHasASegmentToEachThatItCarries) {
  Problem problem = test::cylinder_to_bind();
  problem.bones = {test::bone_between({0, 0, 0}, {0.5, 0.05, 0}), test::bone_between({0.5, 0.1, 0}, {1, 0.1, 0}, 0),
                   test::bone_between({0.5, 0, 0}, {1, 0, 0}, 0)};
  finish(problem);
  const std::vector<Bone> bones = branched_bones(problem);
  EXPECT_EQ(bones[0].tails, (std::vector<glm::dvec3>{{0.5, 0.1, 0}, {0.5, 0, 0}}));
  EXPECT_EQ(bones[1], problem.bones[1]);
}

// Weights are a mean of their neighbours' where nothing holds them, and of the holds elsewhere.
TEST(Diffusion, IslandsWithoutAHoldStayEmpty) {
  const Problem problem = test::fingers_to_bind();
  std::vector<Hold> holds(problem.place_count());
  holds[3] = {100, {{0, 1}}};
  holds[700] = {100, {{0, 0.25}, {1, 0.75}}};
  const Rows rows = *diffused(problem, holds, {});
  for (std::size_t w = 0; w < 21 * 64 + 2; ++w) {
    EXPECT_NEAR(rows.weight(w, 0) + rows.weight(w, 1), 1, 1e-12);
    EXPECT_LE(rows.weight(w, 1), 0.75 + 1e-9);
  }
  EXPECT_GT(rows.weight(700, 1), 0.38);
  EXPECT_LT(rows.weight(3, 1), 0.35);
  EXPECT_TRUE(rows[21 * 64 + 2].empty());
}

}  // namespace
}  // namespace pelt::bind
