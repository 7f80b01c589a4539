#include "cli/kernel_benchmark.h"

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>
#include <glm/gtc/quaternion.hpp>

#include "deform/fast_kernels.h"

namespace pelt::cli {
namespace {

KernelTiming timing(std::string method, std::string kernel, std::size_t vertex_count, double ns_per_vertex,
                    double times_peer = 0) {
  KernelTiming out;
  out.method = std::move(method);
  out.kernel = std::move(kernel);
  out.vertex_count = vertex_count;
  out.influences = 4;
  out.attributes = "pn";
  out.ns_per_vertex = ns_per_vertex;
  out.times_peer = times_peer;
  return out;
}

std::optional<BenchmarkGoal> goal_named(const std::vector<BenchmarkGoal>& goals, std::string_view text) {
  const auto found = std::ranges::find(goals, text, &BenchmarkGoal::text);
  return found != goals.end() ? std::optional(*found) : std::nullopt;
}

TEST(KernelGoals, AreJudgedByTheFasterRowOfTheSameLoad) {
  std::vector<KernelTiming> timings = {timing("lbs", "plain", 100'000, 12), timing("lbs", "AVX2 float", 100'000, 5),
                                       timing("lbs", "AVX2 16-bit", 100'000, 4),
                                       timing("lbs", "AVX2 16-bit, normals a", 100'000, 2, 1.4)};
  // Another load and another number of threads say nothing about it.
  timings.push_back(timing("lbs", "AVX2 float", 100'000, 1));
  timings.back().influences = 1;
  timings.push_back(timing("lbs", "AVX2 float", 100'000, 1));
  timings.back().all_threads = true;
  const std::vector<BenchmarkGoal> goals = kernel_goals(timings);

  const auto plain = goal_named(goals, "AVX2: times the plain kernel, 100000 vertices");
  ASSERT_TRUE(plain);
  EXPECT_DOUBLE_EQ(plain->reached, 3.0);
  EXPECT_TRUE(plain->met());
  const auto peer = goal_named(goals, "AVX2: times the peer, 100000 vertices");
  ASSERT_TRUE(peer);
  EXPECT_DOUBLE_EQ(peer->reached, 1.4);
  EXPECT_DOUBLE_EQ(peer->wanted, 1.45);
  EXPECT_FALSE(peer->met());
  EXPECT_FALSE(goal_named(goals, "AVX-512: times the plain kernel, 100000 vertices")) << "not measured";
}

TEST(KernelGoals, EachRatioHasItsDirection) {
  if (deform::fast_kernels().empty()) {
    GTEST_SKIP() << "this machine has no fast kernels";
  }
  const std::string best(deform::fast_kernels().front().name);
  std::vector<KernelTiming> timings;
  for (const std::size_t count : {std::size_t{100'000}, std::size_t{1'000'000}}) {
    timings.push_back(timing("", "copy", count, 2.5));
    timings.push_back(timing("", "copy past the caches", count, 1.5));
    timings.push_back(timing("", "floor", count, 1.9));
    timings.push_back(timing("", "floor past the caches", count, 1.5));
    timings.push_back(timing("lbs", best + " float", count, 2.5));
    timings.push_back(timing("lbs", best + " 16-bit, normals a", count, 2.0));
    timings.push_back(timing("dqs", best + " float", count, 2.75));
    timings.push_back(timing("dqs", "plain", count, 27.5));
  }
  const std::vector<BenchmarkGoal> goals = kernel_goals(timings);
  struct Expected {
    std::string_view text;
    double reached;
    bool at_most;
    bool met;
  };
  for (const Expected& expected : {
           Expected{"share of the floor, 1000000 vertices, one thread", 0.75, false, false},
           Expected{"exact over plain normals, 100000 vertices", 1.25, true, false},
           Expected{"exact over plain normals, 1000000 vertices", 1.25, true, false},
           Expected{"dual quaternions over linear blending, 100000 vertices", 1.1, true, true},
           Expected{"dual quaternions: times the plain kernel, 100000 vertices", 10, false, false},
       }) {
    const auto goal = goal_named(goals, expected.text);
    ASSERT_TRUE(goal) << expected.text;
    EXPECT_NEAR(goal->reached, expected.reached, 1e-12) << expected.text;
    EXPECT_EQ(goal->at_most, expected.at_most) << expected.text;
    EXPECT_EQ(goal->met(), expected.met) << expected.text;
  }
}

TEST(KernelGoals, NothingMeasuredNothingSaid) {
  EXPECT_TRUE(kernel_goals({}).empty());
  EXPECT_TRUE(world_goals({}).empty());
}

/// World matrices by 4 x 4 products of T, R and S written out, in double precision. @param stretch  1: right
void other_local_to_world(const float* translations, const float* rotations, const float* scales, const int* parents,
                          int joint_count, float* out, double stretch) {
  std::vector<glm::dmat4> world;
  for (int j = 0; j < joint_count; ++j) {
    const float* t = translations + 3 * j;
    const float* q = rotations + 4 * j;
    const float* s = scales + 3 * j;
    glm::dmat4 own = glm::mat4_cast(glm::dquat(double{q[3]}, double{q[0]}, double{q[1]}, double{q[2]}));
    for (int c = 0; c < 3; ++c) {
      own[c] *= double{s[c]} * stretch;
    }
    own[3] = glm::dvec4(double{t[0]}, double{t[1]}, double{t[2]}, 1.0);
    world.push_back(parents[j] < 0 ? own : world[parents[j]] * own);
    for (int i = 0; i < 16; ++i) {
      out[16 * j + i] = static_cast<float>(world.back()[i / 4][i % 4]);
    }
  }
}

TEST(WorldBenchmark, PeersAreCheckedBeforeTheyAreTimed) {
  WorldBenchmarkOptions options = {.joint_count = 6, .seconds = 0.001, .peer = nullptr, .peer_name = "other"};
  const auto alone = measure_local_to_world(options);
  ASSERT_TRUE(alone);
  ASSERT_EQ(alone->size(), 2u);
  EXPECT_EQ(alone->front().times_ours, 1.0);
  EXPECT_GT(alone->back().ns_per_joint, 0.0);
  EXPECT_EQ(world_goals(*alone).size(), 1u) << "nothing is said of a peer that is not there";

  options.peer = [](const float* t, const float* r, const float* s, const int* parents, int count, float* out) {
    other_local_to_world(t, r, s, parents, count, out, 1);
  };
  const auto right = measure_local_to_world(options);
  ASSERT_TRUE(right) << right.error().message;
  ASSERT_EQ(right->size(), 3u);
  const std::vector<BenchmarkGoal> goals = world_goals(*right);
  ASSERT_EQ(goals.size(), 2u);
  EXPECT_EQ(goals[0].wanted, 2.5);
  EXPECT_FALSE(goals[0].at_most);
  EXPECT_EQ(goals[1].wanted, 1.3);
  EXPECT_TRUE(goals[1].at_most);
  EXPECT_NEAR(goals[1].reached * right->back().times_ours, 1.0, 1e-12);

  options.peer = [](const float* t, const float* r, const float* s, const int* parents, int count, float* out) {
    other_local_to_world(t, r, s, parents, count, out, 1.01);
  };
  const auto wrong = measure_local_to_world(options);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("other: the world matrix of joint 0 differs from ours by"), std::string::npos)
      << wrong.error().message;
}

}  // namespace
}  // namespace pelt::cli
