#include "bind/biharmonic.h"

#include <atomic>

#include <gtest/gtest.h>

#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

// 1/h^3 times the squares of the second differences of n + 1 values, h apart: of a line that bends freely at its ends.
SymmetricRows line_that_bends(int n, double h) {
  const auto size = static_cast<std::size_t>(n) + 1;
  std::vector<std::vector<double>> dense(size, std::vector<double>(size, 0.0));
  const double difference[] = {1, -2, 1};
  for (std::size_t middle = 1; middle + 1 < size; ++middle) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        dense[middle - 1 + i][middle - 1 + k] += difference[i] * difference[k] / (h * h * h);
      }
    }
  }
  SymmetricRows out;
  for (const std::vector<double>& row : dense) {
    for (std::uint32_t column = 0; column < size; ++column) {
      if (row[column] != 0) {
        out.column.push_back(column);
        out.value.push_back(row[column]);
      }
    }
    out.offset.push_back(static_cast<std::uint32_t>(out.column.size()));
  }
  return out;
}

// Constants bend nothing, so that values near the middle between the bounds meet none.
constexpr double kUnboundedScale = 0.01;
double into_the_middle(double value) {
  return 0.5 + kUnboundedScale * (value - 0.5);
}

std::vector<double> minimum(const SymmetricRows& a, const std::vector<std::pair<std::size_t, double>>& given,
                            bool bounded) {
  std::vector<char> is_given(a.size(), 0);
  std::vector<double> x(a.size(), 0.5);
  for (const auto& [i, value] : given) {
    is_given[i] = 1;
    x[i] = bounded ? value : into_the_middle(value);
  }
  const std::optional<BoundedReport> report = bounded_minimum(a, is_given, x);
  EXPECT_TRUE(report && report->converged);
  for (double& value : x) {
    value = bounded ? value : 0.5 + (value - 0.5) / kUnboundedScale;
  }
  return x;
}

// A row of cubes along x, one thick, of edge 1 / per_metre.
VolumeElements bar_of_cubes(int count, int per_metre) {
  Voxels voxels;
  voxels.grid = {{count + 2, 3, 3}, 1.0 / per_metre, {-1.0 / per_metre, 0, 0}};
  voxels.cell.assign(voxels.grid.count(), Voxel::kOutside);
  for (int x = 1; x <= count; ++x) {
    voxels.cell[voxels.grid.index({x, 1, 1})] = Voxel::kInside;
  }
  return elements_of(voxels);
}

// Along a bar some of whose cross sections are given; all nodes of a section have the same value.
std::vector<double> along_bar(const VolumeElements& bar, const std::vector<std::pair<int, double>>& sections,
                              bool bounded) {
  std::vector<std::pair<std::size_t, double>> given;
  for (const auto& [x, value] : sections) {
    for (const glm::ivec2 at : {glm::ivec2(1, 1), glm::ivec2(1, 2), glm::ivec2(2, 1), glm::ivec2(2, 2)}) {
      given.emplace_back(static_cast<std::size_t>(bar.node({x + 1, at.x, at.y})), value);
    }
  }
  const std::vector<double> x = minimum(bending(bar), given, bounded);
  std::vector<double> out;
  for (int k = 1; k < bar.grid.size.x; ++k) {
    out.push_back(x[static_cast<std::size_t>(bar.node({k, 1, 1}))]);
    EXPECT_NEAR(x[static_cast<std::size_t>(bar.node({k, 2, 2}))], out.back(), 1e-9);
  }
  return out;
}

TEST(Biharmonic, C35_1_ALineBetweenTwoHandles) {
  const std::vector<double> free_ends = minimum(line_that_bends(40, 1.0 / 40), {{0, 0.0}, {40, 1.0}}, true);
  const std::vector<double> flat_ends = along_bar(bar_of_cubes(40, 40), {{0, 0.0}, {40, 1.0}}, true);
  for (std::size_t k = 0; k <= 40; ++k) {
    const double x = static_cast<double>(k) / 40;
    EXPECT_NEAR(free_ends[k], x, 1e-9);
    EXPECT_NEAR(flat_ends[k], 3 * x * x - 2 * x * x * x, 1e-3) << x;
  }
}

TEST(Biharmonic, C35_2_ALineWithThreeHandles) {
  const SymmetricRows line = line_that_bends(80, 1.0 / 40);
  const std::vector<double> spline = minimum(line, {{0, 1.0}, {40, 0.0}, {80, 0.0}}, false);
  EXPECT_NEAR(spline[20], 0.40625, 1e-4);
  EXPECT_NEAR(spline[60], -0.09375, 1e-4);
  const std::vector<double> bounded = minimum(line, {{0, 1.0}, {40, 0.0}, {80, 0.0}}, true);
  for (std::size_t k = 0; k <= 80; ++k) {
    const double x = static_cast<double>(k) / 40;
    EXPECT_NEAR(bounded[k], x < 1 ? 1 - 1.5 * x + 0.5 * x * x * x : 0.0, 0.01) << x;
  }
  EXPECT_EQ(bounded[60], 0);
  const VolumeElements bar = bar_of_cubes(80, 40);
  EXPECT_NEAR(along_bar(bar, {{0, 1.0}, {40, 0.0}, {80, 0.0}}, false)[20], 0.59375, 1e-3);
  EXPECT_NEAR(along_bar(bar, {{0, 1.0}, {40, 0.0}, {80, 0.0}}, true)[20], 0.5, 0.01);
}

// F-CYL with three bones along its axis.
Problem three_bones() {
  Problem problem = test::cylinder_to_bind();
  problem.bones = {test::bone_between({0, 0, 0}, {0.3, 0, 0}), test::bone_between({0.3, 0, 0}, {0.55, 0, 0}, 0),
                   test::bone_between({0.55, 0, 0}, {1, 0, 0}, 1)};
  finish(problem);
  return problem;
}

BiharmonicSystem system_of(const Problem& problem, int voxels) {
  return biharmonic_system(*voxelised(problem, voxels), problem.bones);
}

std::vector<double> weights_of(const BiharmonicSystem& system, std::size_t bone) {
  std::vector<double> weights(system.elements.node_count(), 0.5);
  const std::optional<BoundedReport> report = biharmonic_weights(system, bone, weights);
  EXPECT_TRUE(report && report->converged);
  return weights;
}

TEST(Biharmonic, C35_3_WeightsOnTheNodesOfACylinder) {
  const BiharmonicSystem system = system_of(test::cylinder_to_bind(), 32);
  const std::vector<double> weights[] = {weights_of(system, 0), weights_of(system, 1)};
  std::size_t shared = 0;
  for (std::size_t n = 0; n < system.elements.node_count(); ++n) {
    EXPECT_NEAR(weights[0][n] + weights[1][n], 1, 1e-6);
    for (std::uint16_t b = 0; b < 2; ++b) {
      EXPECT_GE(weights[b][n], 0);
      EXPECT_LE(weights[b][n], 1);
      const bool is_on = std::ranges::find(system.on[n], b) != system.on[n].end();
      if (!system.on[n].empty()) {
        EXPECT_EQ(weights[b][n], is_on ? 1 / static_cast<double>(system.on[n].size()) : 0);
        shared += system.on[n].size() == 2 ? 1 : 0;
      }
      double highest = 0;
      for (int k = 0; k < 27; ++k) {
        const std::int32_t other =
            system.elements.node(system.elements.at[n] + glm::ivec3(k % 3, k / 3 % 3, k / 9) - 1);
        highest = other >= 0 && k != 13 ? std::max(highest, weights[b][static_cast<std::size_t>(other)]) : highest;
      }
      EXPECT_TRUE(is_on || weights[b][n] <= highest + 1e-6) << n;
    }
  }
  EXPECT_GE(shared, 8u);  // round the joint, which lies in the middle of a cube, of both bones
}

TEST(Biharmonic, C35_4_BendsLessThanWhatIsCutOff) {
  const BiharmonicSystem system = system_of(three_bones(), 24);
  for (std::size_t b = 0; b < 3; ++b) {
    const std::vector<double> bounded = weights_of(system, b);
    std::vector<std::pair<std::size_t, double>> given;
    for (std::size_t n = 0; n < system.elements.node_count(); ++n) {
      if (system.given[n] != 0) {
        given.emplace_back(n, bounded[n]);
      }
    }
    std::vector<double> cut = minimum(system.bending, given, false);
    const double unbounded_energy = energy(system.bending, cut);
    EXPECT_LT(std::ranges::min(cut), -0.001);
    for (double& value : cut) {
      value = std::clamp(value, 0.0, 1.0);
    }
    EXPECT_LT(energy(system.bending, bounded), energy(system.bending, cut));
    EXPECT_GT(energy(system.bending, bounded), unbounded_energy);
  }
}

TEST(Biharmonic, C35_5_TheOrderOfBonesDoesNotMatter) {
  const Problem problem = three_bones();
  Problem other = problem;
  other.bones = {problem.bones[2], problem.bones[0], problem.bones[1]};
  for (Bone& bone : other.bones) {
    bone.parent = -1;
  }
  const Rows one = test::bound(problem, "biharmonic", {{"voxels", 24}}).rows;
  const Rows two = test::bound(other, "biharmonic", {{"voxels", 24}}).rows;
  for (std::size_t w = 0; w < one.size(); ++w) {
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_NEAR(one.weight(w, b), two.weight(w, (b + 1) % 3), 1e-6) << w;
    }
  }
}

// All bones at once, their sum held at 1 by an augmented Lagrangian: 1/2 sum w_b^T A w_b + 1/2 m |sum w_b - 1|^2 +
// l^T (sum w_b - 1). The linear term stands in the row of an entry that is given as 1. Entries 3 n + b, that one last.
std::vector<double> weights_together(const BiharmonicSystem& system) {
  const SymmetricRows& a = system.bending;
  const auto count = static_cast<std::uint32_t>(a.size());
  const std::uint32_t one = 3 * count;
  const double hold = 1000;  // A's diagonal is about 10
  std::vector<double> multiplier(count, 0.0);
  std::vector<double> x(one + 1, 0.5);
  std::vector<char> given(one + 1, 1);
  x[one] = 1;
  for (std::size_t b = 0; b < 3; ++b) {
    const std::vector<double> alone = weights_of(system, b);
    for (std::uint32_t n = 0; n < count; ++n) {
      x[3 * n + b] = alone[n];
      given[3 * n + b] = system.given[n];
    }
  }
  for (int turn = 0; turn < 12; ++turn) {
    SymmetricRows all;
    for (const EliminationBlock& block : a.blocks) {
      all.blocks.push_back({3 * block.begin, 3 * block.end, block.parent});
    }
    all.blocks.back().end += 1;
    for (std::uint32_t i = 0; i < one; ++i) {
      const std::uint32_t n = i / 3;
      for (std::uint32_t k = a.offset[n]; k < a.offset[n + 1]; ++k) {
        for (std::uint32_t b = 0; b < 3; ++b) {
          const double value = (b == i % 3 ? a.value[k] : 0.0) + (a.column[k] == n ? hold : 0.0);
          if (value != 0) {
            all.column.push_back(3 * a.column[k] + b);
            all.value.push_back(value);
          }
        }
      }
      all.column.push_back(one);
      all.value.push_back(multiplier[n] - hold);
      all.offset.push_back(static_cast<std::uint32_t>(all.column.size()));
    }
    for (std::uint32_t i = 0; i < one; ++i) {
      all.column.push_back(i);
      all.value.push_back(multiplier[i / 3] - hold);
    }
    all.column.push_back(one);
    all.value.push_back(1);
    all.offset.push_back(static_cast<std::uint32_t>(all.column.size()));
    EXPECT_TRUE(bounded_minimum(all, given, x)->converged);
    double farthest = 0;
    for (std::uint32_t n = 0; n < count; ++n) {
      const double off = x[3 * n] + x[3 * n + 1] + x[3 * n + 2] - 1;
      multiplier[n] += hold * off;
      farthest = std::max(farthest, std::abs(off));
    }
    if (farthest < 1e-6) {
      return x;
    }
  }
  ADD_FAILURE() << "sums are not 1";
  return x;
}

// What it costs to solve each bone for itself, against the definition, in which the sum is held at 1 meanwhile.
TEST(Biharmonic, DividingByTheSumIsNearToHoldingIt) {
  const BiharmonicSystem system = system_of(three_bones(), 16);
  const std::vector<double> together = weights_together(system);
  const std::vector<double> alone[] = {weights_of(system, 0), weights_of(system, 1), weights_of(system, 2)};
  double farthest = 0;
  double sum_of_all = 0;
  for (std::size_t n = 0; n < system.elements.node_count(); ++n) {
    const double sum = alone[0][n] + alone[1][n] + alone[2][n];
    for (std::size_t b = 0; b < 3; ++b) {
      const double off = std::abs(alone[b][n] / sum - together[3 * n + b]);
      farthest = std::max(farthest, off);
      sum_of_all += off;
    }
  }
  const double mean = sum_of_all / static_cast<double>(3 * system.elements.node_count());
  RecordProperty("farthest", std::to_string(farthest));
  RecordProperty("mean", std::to_string(mean));
  EXPECT_LT(farthest, 0.015);
  EXPECT_GT(farthest, 0.01);
  EXPECT_LT(mean, 0.001);
}

// Where the gradient of 1/2 x^T A x leads nowhere: 0 where free, inwards at neither bound.
void expect_minimum(const SymmetricRows& a, std::span<const char> given, std::span<const double> x) {
  std::vector<double> pull(a.size());
  multiply(a, x, pull);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (given[i] == 0) {
      ASSERT_GE(x[i], 0);
      ASSERT_LE(x[i], 1);
      EXPECT_GE(pull[i], x[i] < 1 ? -1e-7 : -1e9) << i;
      EXPECT_LE(pull[i], x[i] > 0 ? 1e-7 : 1e9) << i;
    }
  }
}

TEST(BoundedQuadratic, IsAMinimumWithinTheBounds) {
  test::Random random(35);
  constexpr std::size_t kSize = 90;
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<std::vector<double>> root(kSize, std::vector<double>(kSize));
    for (std::vector<double>& row : root) {
      for (double& value : row) {
        value = random.real(-1.0, 1.0);
      }
    }
    SymmetricRows a;
    std::vector<char> given(kSize, 0);
    std::vector<double> x(kSize);
    for (std::uint32_t i = 0; i < kSize; ++i) {
      for (std::uint32_t k = 0; k < kSize; ++k) {
        double sum = i == k ? 1 : 0;
        for (std::size_t r = 0; r < kSize; ++r) {
          sum += root[r][i] * root[r][k];
        }
        a.column.push_back(k);
        a.value.push_back(sum);
      }
      a.offset.push_back(static_cast<std::uint32_t>(a.column.size()));
      given[i] = static_cast<char>(random.below(4) == 0);
      x[i] = random.real(-0.5, 1.5);
    }
    const std::vector<double> before = x;
    const std::optional<BoundedReport> report = bounded_minimum(a, given, x);
    ASSERT_TRUE(report && report->converged);
    expect_minimum(a, given, x);
    for (std::size_t i = 0; i < kSize; ++i) {
      EXPECT_TRUE(given[i] == 0 || x[i] == before[i]);
    }
  }
}

TEST(BoundedQuadratic, IsAMinimumOnAVolumeWhereverItBegins) {
  const BiharmonicSystem system = system_of(three_bones(), 24);
  const std::vector<double> usual = weights_of(system, 1);
  expect_minimum(system.bending, system.given, usual);
  for (const double begin : {0.0, 1.0}) {
    std::vector<double> weights(usual.size(), begin);
    ASSERT_TRUE(biharmonic_weights(system, 1, weights)->converged);
    for (std::size_t n = 0; n < usual.size(); ++n) {
      EXPECT_NEAR(weights[n], usual[n], 1e-7);
    }
  }
}

// Two tubes far apart; in the end only one of them has a bone.
TEST(Biharmonic, BindsNothingAcrossAGapAndSaysWhatNoBoneReaches) {
  Problem problem;
  test::add_tube(problem, 0, 1, 20, 16, {}, 0.06, true);
  test::add_tube(problem, 0, 1, 20, 16, {0, 0.4, 0}, 0.06, true);
  problem.bones = {test::bone_between({0, 0, 0}, {1, 0, 0}), test::bone_between({0, 0.4, 0}, {1, 0.4, 0})};
  finish(problem);
  constexpr std::size_t kPlacesOfOne = 21 * 16 + 2;
  const Binding both = test::bound(problem, "biharmonic", {{"voxels", 32}});
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    EXPECT_EQ(both.rows.weight(w, w < kPlacesOfOne ? 0 : 1), 1) << w;
    EXPECT_EQ(both.cause[w], Cause::kSolved);
  }
  problem.bones.pop_back();
  const Binding alone = test::bound(problem, "biharmonic", {{"voxels", 32}});
  EXPECT_EQ(alone.cause[0], Cause::kSolved);
  EXPECT_EQ(alone.cause[kPlacesOfOne], Cause::kNearest);
  const auto told = std::ranges::find(alone.remarks, RemarkKind::kIslandSeesNoBone, &Remark::kind);
  ASSERT_NE(told, alone.remarks.end());
  EXPECT_EQ(told->island, 1);
  EXPECT_EQ(told->places, kPlacesOfOne);
  problem.bones = {test::bone_between({0, 0.2, 0}, {0.4, 0.2, 0})};  // outside of both
  const Binding outside = test::bound(problem, "biharmonic", {{"voxels", 32}});
  const auto named = std::ranges::find(outside.remarks, RemarkKind::kBoneOutside, &Remark::kind);
  ASSERT_NE(named, outside.remarks.end());
  EXPECT_NEAR(named->amount, 0.14, 0.04);
}

TEST(Biharmonic, WhatIsTooLargeIsSolvedOnACoarserGridAndSaysSo) {
  const Problem problem = test::cylinder_to_bind();
  const std::optional<FittingVoxels> fitting = fitting_voxels(problem, 48, 500, {});
  EXPECT_LE(fitting->voxels.inside_count + fitting->voxels.surface_count, 500u);
  EXPECT_GT(fitting->voxels.inside_count + fitting->voxels.surface_count, 250u);
  const Binding coarser = *biharmonic_binding(problem, 48, 500, {});
  const auto told = std::ranges::find(coarser.remarks, RemarkKind::kCoarseVolume, &Remark::kind);
  ASSERT_NE(told, coarser.remarks.end());
  EXPECT_EQ(told->amount, fitting->n);
  EXPECT_EQ(coarser.rows, test::bound(problem, "biharmonic", {{"voxels", fitting->n}}).rows);
}

// Cubes follow a turn of the shape only roughly.
TEST(Biharmonic, ATurnOfTheShapeChangesWeightsLittle) {
  const Problem problem = test::cylinder_to_bind();
  Problem turned = problem;
  const glm::dmat3 turn = glm::mat3_cast(test::Random(10).rotation());
  for (glm::dvec3& p : turned.positions) {
    p = turn * p;
  }
  for (Bone& bone : turned.bones) {
    bone.head = turn * bone.head;
    bone.tails[0] = turn * bone.tails[0];
  }
  finish(turned);
  const Binding one = test::bound(problem, "biharmonic", {{"voxels", 32}});
  const Binding two = test::bound(turned, "biharmonic", {{"voxels", 32}});
  double sum = 0;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    sum += std::abs(one.rows.weight(w, 0) - two.rows.weight(w, 0));
  }
  EXPECT_LT(sum / static_cast<double>(problem.place_count()), 0.03);
}

TEST(Biharmonic, ShowsCoarseResultsOnTheWayAndStopsBetween) {
  const Problem problem = test::cylinder_to_bind();
  int shown = 0;
  const Watcher watcher{{}, [&](const Binding& binding) {
                          ++shown;
                          EXPECT_EQ(binding.rows.size(), problem.place_count());
                        }};
  const Binder& binder = *find_binder("biharmonic");
  const double voxels = 24;
  ASSERT_TRUE(run(binder, problem, std::span(&voxels, 1), watcher));
  EXPECT_EQ(shown, 1);  // 12, 24
  std::atomic<bool> was_asked = false;
  const Watcher impatient{[&](float fraction, std::string_view what) {
                            const bool stop = what == "weights of each bone" && fraction > 0.2f;  // of the second grid
                            was_asked = was_asked || stop;
                            return !stop;
                          },
                          {}};
  EXPECT_FALSE(run(binder, problem, std::span(&voxels, 1), impatient));
  EXPECT_TRUE(was_asked);
}

// Between the nodes of the grid weights run on, they do not stand still in each of its cubes.
TEST(Biharmonic, WeightsRunOnWithinACube) {
  const Problem problem = test::tube_to_bind(100, 8);
  const Binding binding = test::bound(problem, "biharmonic", {{"voxels", 24}});
  const auto weight_at = [&](std::size_t ring) { return static_cast<double>(binding.rows.weight(ring * 8, 1)); };
  for (std::size_t ring = 46; ring < 54; ++ring) {
    EXPECT_GT(weight_at(ring + 1) - weight_at(ring), 1e-3) << ring;
  }
}

}  // namespace
}  // namespace pelt::bind
