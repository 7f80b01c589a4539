#include <gtest/gtest.h>

#include "bind/diffusion.h"
#include "bind/united_places.h"
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

// Every triangle has places of its own, a crack apart: they are bound as if they hung together.
TEST(VolumeHeat, SoupsAreBoundAsWhatTheyWereMadeFrom) {
  const Problem whole = test::cylinder_to_bind();
  Problem soup;
  soup.bones = whole.bones;
  std::vector<std::uint32_t> source;
  for (const auto& [a, b, c] : whole.triangles) {
    const glm::dvec3 middle = (whole.positions[a] + whole.positions[b] + whole.positions[c]) / 3.0;
    const auto first = static_cast<std::uint32_t>(soup.positions.size());
    for (const std::uint32_t w : {a, b, c}) {
      source.push_back(w);
      soup.positions.push_back(glm::mix(middle, whole.positions[w], 1 - 1e-3));
    }
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  finish(soup);
  ASSERT_EQ(soup.island_count(), soup.triangles.size());
  for (const char* id : {"best", "volume-heat"}) {
    const Rows expected = test::bound(whole, id).rows;
    const Binding binding = test::bound(soup, id);
    std::vector<double> least(whole.place_count(), 1);
    std::vector<double> most(whole.place_count(), 0);
    for (std::size_t w = 0; w < soup.place_count(); ++w) {
      const double weight = binding.rows.weight(w, 1);
      least[source[w]] = std::min(least[source[w]], weight);
      most[source[w]] = std::max(most[source[w]], weight);
      EXPECT_NEAR(weight, expected.weight(source[w], 1), 0.02) << id << ' ' << whole.positions[source[w]].x;
    }
    for (std::size_t w = 0; w < whole.place_count(); ++w) {
      EXPECT_LT(most[w] - least[w], 0.02) << id << ' ' << whole.positions[w].x;
    }
    EXPECT_LE(binding.remarks.size(), 3u) << id;
  }
}

// Two sheets that lie on each other and look away from each other stay two.
TEST(VolumeHeat, WhatFacesTheOtherWayIsNotUnited) {
  Problem problem;
  for (const double y : {0.0, 1e-6}) {
    const auto first = static_cast<std::uint32_t>(problem.positions.size());
    for (int i = 0; i <= 10; ++i) {
      for (int k = 0; k <= 4; ++k) {
        problem.positions.emplace_back(0.1 * i, y, 0.1 * k);
      }
    }
    for (std::uint32_t i = 0; i < 10; ++i) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        const std::uint32_t a = first + 5 * i + k;
        std::array<std::uint32_t, 3> one = {a, a + 1, a + 6};
        std::array<std::uint32_t, 3> two = {a, a + 6, a + 5};
        if (y == 0) {
          std::swap(one[1], one[2]);
          std::swap(two[1], two[2]);
        }
        problem.triangles.push_back(one);
        problem.triangles.push_back(two);
      }
    }
  }
  problem.bones = {test::bone_between({0, -0.1, 0}, {1, -0.1, 0}), test::bone_between({0, 0.1, 0}, {1, 0.1, 0})};
  finish(problem);
  const std::vector<char> none(problem.triangles.size(), 0);
  const UnitedPlaces opposed = united_places(problem, none);
  EXPECT_EQ(opposed.problem.place_count(), problem.place_count());
  std::vector<char> alike = none;
  std::fill(alike.begin(), alike.begin() + static_cast<std::ptrdiff_t>(alike.size() / 2), 1);
  const UnitedPlaces united = united_places(problem, alike);
  EXPECT_EQ(united.problem.place_count(), problem.place_count() / 2);
  EXPECT_EQ(united.problem.island_count(), 1u);
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    EXPECT_LT(glm::distance(united.problem.positions[united.place[w]], problem.positions[w]), 2e-6);
  }
  // Remarks about the one island name the first of those that it was made of, and count the places of all.
  Binding binding;
  binding.cause.assign(united.problem.place_count(), Cause::kSolved);
  for (std::size_t w = 0; w < united.problem.place_count(); ++w) {
    binding.rows.push(std::array{Share{0, 1.0}});
  }
  binding.remarks = {
      {.kind = RemarkKind::kIslandRigid, .island = 0, .places = united.problem.place_count(), .other = 0},
      {.kind = RemarkKind::kFallback, .places = 3}};
  const Binding apart = parted(problem, united, binding);
  EXPECT_EQ(apart.rows.size(), problem.place_count());
  EXPECT_EQ(apart.remarks[0].island, 0);
  EXPECT_EQ(apart.remarks[0].other, 0);
  EXPECT_EQ(apart.remarks[0].places, problem.place_count());
  EXPECT_EQ(apart.remarks[1], binding.remarks[1]);
}

// What is said to have been done instead was done.
TEST(VolumeHeat, BonesOutsideAreBoundByWaysOnlyWhereTheyAre) {
  const auto outside = [](const Binding& binding) {
    std::vector<Remark> remarks;
    std::ranges::copy_if(binding.remarks, std::back_inserter(remarks),
                         [](const Remark& remark) { return remark.kind == RemarkKind::kBoneOutside; });
    return remarks;
  };
  Problem problem = test::cylinder_to_bind();
  problem.bones.push_back(test::bone_between({0.4, -0.4, 0}, {0.6, -0.4, 0}));
  const Binding seen = test::bound(problem, "volume-heat");
  EXPECT_EQ(std::ranges::count(seen.cause, Cause::kGeodesic), 0);
  ASSERT_EQ(outside(seen).size(), 1u);
  EXPECT_EQ(outside(seen)[0].instead, Cause::kSolved);
  for (Bone& bone : problem.bones) {
    bone.head.y -= 0.3;
    bone.tails[0].y -= 0.3;
  }
  const Binding unseen = test::bound(problem, "volume-heat");
  EXPECT_GT(std::ranges::count(unseen.cause, Cause::kGeodesic), 0);
  ASSERT_EQ(outside(unseen).size(), 3u);
  EXPECT_EQ(outside(unseen)[0].instead, Cause::kGeodesic);
  EXPECT_EQ(outside(unseen)[1].instead, Cause::kGeodesic);
  EXPECT_EQ(outside(unseen)[2].instead, Cause::kSolved) << "nothing is nearest to it";
}

}  // namespace
}  // namespace pelt::bind
