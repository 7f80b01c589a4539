// Tests how long the binder `best` takes, and how early its first preview comes.
#include "bind/best.h"

#include <ctime>

#include <gtest/gtest.h>

#include "support/binding.h"
#include "support/effort.h"

namespace pelt::bind {
namespace {

// No bone sees a ball in the air. An earlier version compared its places with all of its own triangles for minutes.
TEST(BestCost, PartsThatSeeNoBoneAreBoundInTime) {
  Problem problem = test::cylinder_to_bind();
  test::add_ball(problem, {0.5, 0.3, 0}, 0.04, 90);
  finish(problem);
  EXPECT_LT(test::processor_seconds([&] { test::bound(problem, "best"); }), 8);
}

// A tube of many bones.
Problem long_tube(int bands, int around) {
  Problem problem;
  test::add_tube(problem, 0, 6, bands, around, {}, 0.1, true);
  for (int b = 0; b < 60; ++b) {
    problem.bones.push_back(test::bone_between({b * 0.1, 0, 0}, {b * 0.1 + 0.1, 0, 0}, b - 1));
  }
  finish(problem);
  return problem;
}

// The first preview costs a small part of the whole: 0.3 s of 2.1 s of processor time at 102 000 places and 60 bones.
TEST(Best, TheFirstPreviewComesEarly) {
  const Problem problem = long_tube(312, 64);
  const Binder& binder = *find_binder("best");
  const auto clock = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double start = clock();
  double first = 0;
  const Watcher watcher{{}, [&](const Binding&) { first = first > 0 ? first : clock() - start; }};
  ASSERT_TRUE(run(binder, problem, standard_values(binder), watcher));
  const double all = clock() - start;
  EXPECT_GT(first, 0);
  EXPECT_LT(first, 0.4 * all);
}

}  // namespace
}  // namespace pelt::bind
