// Tests how the cost of weights by containment grows.
#include "bind/containment.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "bind/volumes.h"
#include "support/binding.h"
#include "support/effort.h"

namespace pelt::bind {
namespace {

// Volumes are dragged by hand with the weights following: 20 000 places and 60 bones took 8 ms of processor time.
// The test checks how the time grows, which is the same on machines of any speed.
TEST(Containment, CostsWhatItsPlacesCost) {
  const auto seconds = [](int bands) {
    Problem problem;
    test::add_tube(problem, 0, 6, bands, 64, {}, 0.1, false);
    for (int b = 0; b < 60; ++b) {
      problem.bones.push_back(test::bone_between({b * 0.1, 0, 0}, {b * 0.1 + 0.1, 0, 0}, b - 1));
    }
    finish(problem);
    const std::vector<Volume> volumes = fitted_volumes(problem, VolumeKind::kCapsule);
    const ContainmentSolver solver(problem);
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
      least = std::min(least, test::processor_seconds([&] { EXPECT_TRUE(solver.bind(volumes, {})); }));
    }
    return least;
  };
  EXPECT_LT(seconds(312), 8 * seconds(78)) << "four times as many places; a square would cost sixteen";
}

}  // namespace
}  // namespace pelt::bind
