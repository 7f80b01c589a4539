// Direct manipulation of weights, ALGORITHMS.md §40.
#include "mesh/reachable_weights.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "support/fixtures.h"

namespace pelt::mesh {
namespace {

ReachProblem reach_problem(std::vector<glm::dvec3> ghosts, const glm::dvec3& target, std::vector<double> old) {
  ReachProblem problem;
  problem.weights = std::move(old);
  problem.poses.push_back({.ghosts = std::move(ghosts), .target = target});
  return problem;
}

void expect_reach(const Reach& reach, const std::vector<double>& weights, double residual) {
  EXPECT_TRUE(reach.can_move);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    EXPECT_NEAR(reach.weights[k], weights[k], 1e-9) << k;
  }
  EXPECT_NEAR(reach.residual[0], residual, 1e-9);
}

TEST(ReachableWeights, C40_1_TwoGhosts) {
  const std::vector<glm::dvec3> ghosts = {{3, 1, 0}, {5, 1, 0}};
  expect_reach(reachable_weights(reach_problem(ghosts, {3.4, 1, 0}, {0.5, 0.5})), {0.8, 0.2}, 0);
  expect_reach(reachable_weights(reach_problem(ghosts, {3.4, 2, 0}, {0.5, 0.5})), {0.8, 0.2}, 1);
  expect_reach(reachable_weights(reach_problem(ghosts, {6, 1, 0}, {0.5, 0.5})), {0, 1}, 1);
  expect_reach(reachable_weights(reach_problem(ghosts, {6, 1, 0}, {1, 0})), {0, 1}, 1);
}

TEST(ReachableWeights, C40_2_ThreeGhosts) {
  const std::vector<glm::dvec3> ghosts = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
  for (const std::vector<double>& old : {std::vector<double>{1, 0, 0}, {0, 1, 0}, {0.2, 0.3, 0.5}}) {
    expect_reach(reachable_weights(reach_problem(ghosts, {0.5, 1, 0}, old)), {.25, .25, .5}, 0);
    expect_reach(reachable_weights(reach_problem(ghosts, {2, 2, 0}, old)), {0, .5, .5}, std::sqrt(2));
  }
}

TEST(ReachableWeights, C40_4_CoincidentGhostsChangeNothing) {
  const Reach reach =
      reachable_weights(reach_problem({{1, 2, 3}, {1, 2, 3 + 5e-7}, {1, 2, 3}}, {5, 5, 5}, {0.1, 0.2, 0.7}));
  EXPECT_FALSE(reach.can_move);
  EXPECT_EQ(reach.weights, (std::vector<double>{0.1, 0.2, 0.7}));
  ReachProblem locked = reach_problem({{0, 0, 0}, {1, 0, 0}}, {1, 0, 0}, {0.5, 0.5});
  locked.locked = {0, 1};
  EXPECT_FALSE(reachable_weights(locked).can_move);
}

TEST(ReachableWeights, TheNearestOfEqualWeightsToTheOld) {
  // Four corners of a square: (1, 1, -1, -1) by pairs moves nothing.
  const std::vector<glm::dvec3> square = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
  const Reach middle = reachable_weights(reach_problem(square, {0.5, 0.5, 0}, {0.7, 0.1, 0.1, 0.1}));
  expect_reach(middle, {0.4, 0.4, 0.1, 0.1}, 0);
  // Two joints at one place share as before: the nearest, not the same share.
  const Reach twins = reachable_weights(reach_problem({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {0.5, 0, 0}, {0.6, 0.4, 0}));
  expect_reach(twins, {0.35, 0.15, 0.5}, 0);
}

TEST(ReachableWeights, WhatChangesMoreReadilyChangesMoreOfTwins) {
  ReachProblem twins = reach_problem({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {0.5, 0, 0}, {0.6, 0.4, 0});
  twins.ease = {0.6, 0.4, 1};
  expect_reach(reachable_weights(twins), {0.3, 0.2, 0.5}, 0);
  twins.ease = {0.01, 0.04, 1};
  expect_reach(reachable_weights(twins), {0.5, 0, 0.5}, 0);
}

TEST(ReachableWeights, ThinDirectionsMoveNothing) {
  // The third joint is nearly where the second is, and alone could take the vertex out of the line.
  ReachProblem problem = reach_problem({{0, 0, 0}, {1, 0, 0}, {1, 0.01, 0}}, {0.75, 0.005, 0}, {0.5, 0.5, 0});
  expect_reach(reachable_weights(problem), {0.25, 0.25, 0.5}, 0);
  problem.thin = 0.05;
  const Reach reach = reachable_weights(problem);
  EXPECT_LT(reach.residual[0], 0.01);
  EXPECT_NEAR(reach.weights[0], 0.25, 0.01);
  EXPECT_NEAR(reach.weights[1] - reach.weights[2], 0.5, 0.01) << "as far apart as they were";
}

TEST(ReachableWeights, SeveralPosesByLeastSquares) {
  // One wants 0.3 of the second joint, the other 0.7 on a segment twice as long, which counts four times.
  ReachProblem problem = reach_problem({{0, 0, 0}, {1, 0, 0}}, {0.3, 0, 0}, {1, 0});
  problem.poses.push_back({.ghosts = {{0, 5, 0}, {0, 7, 0}}, .target = {0, 6.4, 0}});
  expect_reach(reachable_weights(problem), {1 - 0.62, 0.62}, 0.32);
  problem.poses[0].importance = 4;
  expect_reach(reachable_weights(problem), {0.5, 0.5}, 0.2);
  // Both at once where there is a way.
  ReachProblem both = reach_problem({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, {0.25, 0, 0}, {1, 0, 0});
  both.poses.push_back({.ghosts = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}, .target = {0, 0, 0.5}});
  const Reach reach = reachable_weights(both);
  expect_reach(reach, {0.25, 0.25, 0.5}, 0);
  EXPECT_NEAR(reach.residual[1], 0, 1e-9);
}

// Whether no step along the edges of the simplex is better: (e_k - w) . gradient >= 0 among the free.
void expect_best(const ReachProblem& problem, const Reach& reach, double scale) {
  double room = 1;
  for (std::size_t k = 0; k < problem.weights.size(); ++k) {
    if (problem.locked[k] != 0) {
      EXPECT_EQ(reach.weights[k], problem.weights[k]);
      room -= problem.weights[k];
    }
    EXPECT_GE(reach.weights[k], 0);
  }
  EXPECT_NEAR(std::accumulate(reach.weights.begin(), reach.weights.end(), 0.0), 1, 1e-12);
  std::vector<double> slope(problem.weights.size(), 0.0);
  for (std::size_t p = 0; p < problem.poses.size(); ++p) {
    for (std::size_t k = 0; k < slope.size(); ++k) {
      slope[k] += problem.poses[p].importance *
                  glm::dot(problem.poses[p].ghosts[k], reach.reached[p] - problem.poses[p].target);
    }
  }
  double own = 0;
  for (std::size_t k = 0; k < slope.size(); ++k) {
    own += problem.locked[k] != 0 ? 0 : slope[k] * reach.weights[k];
  }
  for (std::size_t k = 0; k < slope.size(); ++k) {
    if (problem.locked[k] == 0) {
      EXPECT_GE(room * slope[k] - own, -1e-6 * scale) << k;
    }
  }
}

TEST(ReachableWeights, Law_NoOtherWeightsComeNearer) {
  test::Random random(40);
  for (int n = 0; n < 400; ++n) {
    const int count = 2 + random.below(15);
    ReachProblem problem;
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      problem.weights.push_back(random.below(3) == 0 ? 0 : random.real(0.0, 1.0));
      sum += problem.weights.back();
      problem.locked.push_back(random.below(6) == 0 ? 1 : 0);
    }
    if (sum == 0) {
      continue;
    }
    for (double& weight : problem.weights) {
      weight /= sum;
    }
    const double scale = std::pow(10.0, random.real(-3.0, 3.0));
    problem.coincident = 1e-6 * scale;
    for (int p = 0; p <= random.below(3); ++p) {
      ReachPose pose;
      for (int k = 0; k < count; ++k) {
        pose.ghosts.push_back(scale * random.dvector(-1, 1));
      }
      pose.target = scale * random.dvector(-1.2, 1.2);
      pose.importance = random.real(0.1, 3.0);
      problem.poses.push_back(std::move(pose));
    }
    SCOPED_TRACE(n);
    const Reach reach = reachable_weights(problem);
    if (reach.can_move) {
      expect_best(problem, reach, scale * scale);
    }
  }
}

TEST(ReachableWeights, Law_AmongWeightsThatReachTheSameNoneIsNearerToTheOld) {
  test::Random random(41);
  int checked = 0;
  for (int n = 0; n < 200; ++n) {
    // Eight ghosts in space: at least three directions move nothing.
    std::vector<glm::dvec3> ghosts;
    std::vector<double> old;
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      ghosts.push_back(random.dvector(-1, 1));
      old.push_back(random.below(3) == 0 ? 0 : random.real(0.0, 1.0));
      sum += old.back();
    }
    for (double& weight : old) {
      weight /= sum > 0 ? sum : 1;
    }
    const Reach reach = reachable_weights(reach_problem(ghosts, 0.3 * random.dvector(-1, 1), old));
    ASSERT_TRUE(reach.can_move);
    for (int m = 0; m < 20; ++m) {
      // Five of them, and the combination of these that moves nothing and sums to 0.
      std::vector<int> five;
      while (five.size() < 5) {
        const int k = random.below(8);
        if (std::ranges::find(five, k) == five.end()) {
          five.push_back(k);
        }
      }
      std::vector<double> null(8, 0.0);
      double size = 0;
      for (int skip = 0; skip < 5; ++skip) {
        glm::dmat4 minor;
        for (int c = 0, column = 0; c < 5; ++c) {
          if (c != skip) {
            minor[column++] = glm::dvec4(ghosts[five[c]], 1);
          }
        }
        null[five[skip]] = (skip % 2 == 0 ? 1 : -1) * glm::determinant(minor);
        size = std::max(size, std::abs(null[five[skip]]));
      }
      if (size < 1e-3) {
        continue;
      }
      double slope = 0;
      for (int k = 0; k < 8; ++k) {
        null[k] /= size;
        slope += null[k] * (reach.weights[k] - old[k]);
      }
      if (slope > 0) {
        for (double& value : null) {
          value = -value;
        }
      }
      // Going down must run out of the simplex at once, or be level.
      double room = 1;
      for (int k = 0; k < 8; ++k) {
        room = null[k] < 0 ? std::min(room, reach.weights[k] / -null[k]) : room;
      }
      EXPECT_LE(std::abs(slope) * room, 1e-6) << n;
      ++checked;
    }
  }
  EXPECT_GT(checked, 2000);
}

TEST(PulledWeights, C40_3_SkinningAgainPutsTheVertexThere) {
  // F-CYL with its tip bent; the mid ring is pulled outwards and back to where it was.
  Mesh mesh;
  mesh.primitives.push_back(test::cylinder_primitive());
  const auto surface = welded_surface(mesh);
  const Influences& rows = mesh.primitives[0].influences;
  const std::vector<const Influences*> influences = {&rows};
  glm::dmat4 bent(1.0);
  bent[0] = {0, 1, 0, 0};
  bent[1] = {-1, 0, 0, 0};
  bent[3] = {0.5, -0.5, 0, 1};
  const std::vector<glm::dmat4> matrices = {glm::dmat4(1.0), bent};
  const auto skinned = [&](const Influences& of, std::uint32_t v) {
    glm::dvec3 at(0);
    for (std::size_t k = 0; k < of.joints(v).size(); ++k) {
      at += static_cast<double>(of.weights(v)[k]) *
            glm::dvec3(matrices[of.joints(v)[k]] * glm::dvec4(mesh.primitives[0].positions[v], 1));
    }
    return at;
  };
  const std::vector<PullPose> poses = {{.skin_matrices = matrices, .displacement = {0.02, 0.03, 0}}};
  std::vector<std::uint32_t> places;
  for (int k = 0; k < test::kCylinderAround; ++k) {
    places.push_back(surface->place[test::cylinder_vertex(20, k)]);
  }
  std::vector<float> amounts(places.size(), 0.5f);
  amounts[0] = 0;
  const std::vector<InfluencesPatch> patches =
      pulled_weights(*surface, influences, {.places = places, .amounts = amounts, .poses = poses});
  const Influences after = patched(rows, patches[0]);
  for (int k = 0; k < test::kCylinderAround; ++k) {
    const std::uint32_t v = test::cylinder_vertex(20, k);
    // Two ghosts: the reachable set is the segment between them.
    const glm::dvec3 p(mesh.primitives[0].positions[v]);
    const glm::dvec3 a = p;
    const glm::dvec3 b(bent * glm::dvec4(p, 1));
    const glm::dvec3 wanted = skinned(rows, v) + static_cast<double>(amounts[k]) * poses[0].displacement;
    const double t = std::clamp(glm::dot(wanted - a, b - a) / glm::dot(b - a, b - a), 0.0, 1.0);
    const glm::dvec3 expected = k == 0 ? skinned(rows, v) : a + t * (b - a);
    EXPECT_NEAR(glm::distance(skinned(after, v), expected), 0, 1e-5 * 1.02) << k;
  }
  EXPECT_TRUE(same_row(after.row(0), rows.row(0)));
}

// A thumb that moves with the hand, or nearly so, does not get what the hand gives or takes.
TEST(PulledWeights, AJointThatHardlyMovesTheVertexGoesOnHardlyMovingIt) {
  Mesh mesh;
  mesh.primitives.push_back(test::cylinder_primitive());
  const std::uint32_t v = test::cylinder_vertex(20, 3);
  Influences before;
  for (std::uint32_t row = 0; row < mesh.primitives[0].vertex_count(); ++row) {
    const std::vector<std::uint16_t> joints = {0, 1, 2};
    const std::vector<float> weights = {0.6f, 0.38f, 0.02f};
    before.push_row({joints, weights});
  }
  mesh.primitives.edit(0).influences = before;
  const auto surface = welded_surface(mesh);
  const std::vector<const Influences*> influences = {&before};
  for (const double apart : {0.0, 1e-5, 0.02, 0.2}) {
    std::vector<glm::dmat4> matrices(3, glm::dmat4(1.0));
    matrices[1][3] = {0, 0.1, 0, 1};
    matrices[2][3] = {0, 0.1 * (1 - apart), 0.1 * apart, 1};
    const std::vector<PullPose> poses = {{.skin_matrices = matrices, .displacement = {0, 0.03, -0.01}}};
    const std::vector<std::uint32_t> places = {surface->place[v]};
    const std::vector<float> amounts = {1};
    const Influences after = patched(
        before, pulled_weights(*surface, influences, {.places = places, .amounts = amounts, .poses = poses})[0]);
    for (std::size_t k = 0; k < after.count(v); ++k) {
      const float expected = after.joints(v)[k] == 0 ? 0.3f : after.joints(v)[k] == 1 ? 0.66f : 0.04f;
      EXPECT_NEAR(after.weights(v)[k], expected, 0.05f) << apart << ", joint " << after.joints(v)[k];
    }
  }
}

// Along a weight that fades the skin stays whole: neighbours differ by little, in weights and in place.
TEST(PulledWeights, NeighboursGoTogetherWhereAJointFadesOut) {
  const std::vector<glm::dvec3> ghosts = {{0, 0, 0}, {0.3, 0, 0}, {0.15, 0.1, 0}};
  glm::dvec3 last(0);
  double least = 1;
  double most = 0;
  for (int k = 0; k <= 400; ++k) {
    const double fading = 0.3 * std::pow(k / 400.0, 2);
    ReachProblem problem = reach_problem(ghosts, {}, {0.4, 0.6 - fading, fading});
    for (std::size_t j = 0; j < 3; ++j) {
      problem.poses[0].target += problem.weights[j] * ghosts[j];
      problem.ease.push_back(std::max(problem.weights[j], 1e-3));
    }
    const glm::dvec3 from = problem.poses[0].target;
    problem.poses[0].target.y += 0.03;
    problem.thin = 0.05;
    const glm::dvec3 moved = reachable_weights(problem).reached[0] - from;
    if (k > 0) {
      EXPECT_LT(glm::length(moved - last), 0.002) << fading;
    }
    last = moved;
    least = std::min(least, moved.y);
    most = std::max(most, moved.y);
  }
  EXPECT_LT(least, 0.005) << "where it hardly has weight, a joint is left alone";
  EXPECT_NEAR(most, 0.03, 1e-9) << "and where it has some, the vertex arrives";
}

TEST(PulledWeights, AJointThatIsOfferedEnlargesTheHull) {
  Mesh mesh;
  mesh.primitives.push_back(test::cylinder_primitive());
  const auto surface = welded_surface(mesh);
  const Influences& rows = mesh.primitives[0].influences;
  const std::vector<const Influences*> influences = {&rows};
  std::vector<glm::dmat4> matrices(3, glm::dmat4(1.0));
  matrices[2][3] = {0, 1, 0, 1};
  const std::vector<PullPose> poses = {{.skin_matrices = matrices, .displacement = {0, 0.25, 0}}};
  const std::vector<std::uint32_t> places = {surface->place[test::cylinder_vertex(20, 3)]};
  const std::vector<float> amounts = {1};
  const std::vector<std::uint16_t> more = {2};
  Pull pull = {.places = places, .amounts = amounts, .poses = poses};
  EXPECT_TRUE(pulled_weights(*surface, influences, pull)[0].empty());
  pull.more = more;
  const Influences after = patched(rows, pulled_weights(*surface, influences, pull)[0]);
  const std::uint32_t v = test::cylinder_vertex(20, 3);
  ASSERT_EQ(after.count(v), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.weights(v)[k], after.joints(v)[k] == 2 ? 0.25 : 0.375, 1e-6);
  }
}

// Weights that are known give the targets of two poses, and come back; places are given in falling order, so that a
// target of another place would be found out.
TEST(PulledWeights, TargetsOfSeveralPosesAreReachedTogether) {
  Mesh mesh;
  mesh.primitives.push_back(test::cylinder_primitive());
  const auto surface = welded_surface(mesh);
  const Influences& rows = mesh.primitives[0].influences;
  const std::vector<const Influences*> influences = {&rows};
  std::vector<std::vector<glm::dmat4>> matrices(2, std::vector<glm::dmat4>(3, glm::dmat4(1.0)));
  matrices[0][1][3] = {0, 0.5, 0, 1};
  matrices[0][2][3] = {0.1, 0.5, 0, 1};  // in one pose alone the joints could not be told apart so well
  matrices[1][1][3] = {0.3, 0, 0.2, 1};
  matrices[1][2][3] = {0, -0.4, 0, 1};
  const std::vector<std::uint16_t> more = {0, 1, 2};
  std::vector<std::uint32_t> places;
  std::vector<std::array<double, 3>> wanted;
  std::vector<std::vector<glm::dvec3>> targets(2);
  for (int k = 5; k >= 0; --k) {
    places.push_back(surface->place[test::cylinder_vertex(20, k)]);
    wanted.push_back({0.2 + 0.05 * k, 0.5 - 0.03 * k, 0.3 - 0.02 * k});
    for (std::size_t p = 0; p < 2; ++p) {
      glm::dvec3 at(0);
      for (std::size_t j = 0; j < 3; ++j) {
        at += wanted.back()[j] * glm::dvec3(matrices[p][j] * glm::dvec4(surface->position(places.back()), 1));
      }
      targets[p].push_back(at);
    }
  }
  const std::vector<float> amounts(places.size(), 0.1f);  // counts for displacements alone
  const std::vector<PullPose> poses = {{.skin_matrices = matrices[0], .targets = targets[0]},
                                       {.skin_matrices = matrices[1], .targets = targets[1]}};
  const Influences after = patched(
      rows,
      pulled_weights(*surface, influences, {.places = places, .amounts = amounts, .poses = poses, .more = more})[0]);
  for (int k = 0; k < 6; ++k) {
    const std::uint32_t v = test::cylinder_vertex(20, k);
    ASSERT_EQ(after.count(v), 3u) << k;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(after.weights(v)[i], wanted[static_cast<std::size_t>(5 - k)][after.joints(v)[i]], 1e-6) << k;
    }
  }
}

}  // namespace
}  // namespace pelt::mesh
