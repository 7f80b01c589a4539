#include "deform/kernel_benchmark.h"

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

namespace pelt::deform {
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

std::optional<KernelGoal> goal_named(const std::vector<KernelGoal>& goals, std::string_view text) {
  const auto found = std::ranges::find(goals, text, &KernelGoal::text);
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
  const std::vector<KernelGoal> goals = kernel_goals(timings);

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

TEST(KernelGoals, SomeAreUpperLimits) {
  KernelGoal goal{"exact over plain normals", 1.1, 1.05, true};
  EXPECT_TRUE(goal.met());
  goal.reached = 1.11;
  EXPECT_FALSE(goal.met());
}

TEST(KernelGoals, NothingMeasuredNothingSaid) {
  EXPECT_TRUE(kernel_goals({}).empty());
}

}  // namespace
}  // namespace pelt::deform
