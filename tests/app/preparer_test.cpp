#include "app/preparer.h"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "support/fixtures.h"
#include "support/patience.h"

namespace pelt::app {
namespace {

std::shared_ptr<const rig::Character> cylinder() {
  return std::make_shared<rig::Character>(test::cylinder());
}

deform::SkinningSettings centres() {
  deform::SkinningSettings settings;
  settings.method = deform::find_method("cor");
  return settings;
}

/// Holds the work at its first report of progress until it is opened.
class Gate {
 public:
  void open() { open_ = true; }
  void pass() const {
    test::eventually([&] { return open_.load(); });
  }

 private:
  std::atomic<bool> open_ = false;
};

TEST(Preparer, FillsTheCacheAndWakesTheWindow) {
  const auto cache = std::make_shared<deform::SkinCache>();
  const auto character = cylinder();
  std::atomic<int> wakes = 0;
  Preparer preparer(std::make_shared<Jobs>([&] { ++wakes; }));
  EXPECT_FALSE(preparer.active());
  preparer.start(cache, character, centres());
  ASSERT_TRUE(test::eventually([&] { return !preparer.active(); }));
  EXPECT_TRUE(cache->ready(*character, centres()));
  EXPECT_FALSE(preparer.failed());
  EXPECT_TRUE(test::eventually([&] { return wakes > 0; }));
}

TEST(Preparer, StopsWhenAskedTo) {
  const auto cache = std::make_shared<deform::SkinCache>();
  const auto character = cylinder();
  Gate gate;
  Preparer preparer(std::make_shared<Jobs>([&] { gate.pass(); }));
  preparer.start(cache, character, centres());
  EXPECT_TRUE(preparer.active());
  preparer.cancel();
  gate.open();
  ASSERT_TRUE(test::eventually([&] { return !preparer.active(); }));
  EXPECT_FALSE(cache->ready(*character, centres()));
}

TEST(Preparer, OtherWorkComesAfterWhatGoesOn) {
  const auto cache = std::make_shared<deform::SkinCache>();
  const auto character = cylinder();
  deform::SkinningSettings other;
  other.method = deform::find_method("delta-mush");
  Gate gate;
  Preparer preparer(std::make_shared<Jobs>([&] { gate.pass(); }));
  preparer.start(cache, character, centres());
  preparer.start(cache, character, other);
  gate.open();
  EXPECT_TRUE(test::eventually([&] {
    preparer.start(cache, character, other);  // as the window does in every picture
    return cache->ready(*character, other);
  }));
  EXPECT_FALSE(cache->ready(*character, centres()));
}

TEST(Preparer, TheSameWorkGoesOn) {
  const auto cache = std::make_shared<deform::SkinCache>();
  const auto character = cylinder();
  Gate gate;
  Preparer preparer(std::make_shared<Jobs>([&] { gate.pass(); }));
  preparer.start(cache, character, centres());
  preparer.start(cache, character, centres());
  gate.open();
  ASSERT_TRUE(test::eventually([&] { return !preparer.active(); }));
  EXPECT_TRUE(cache->ready(*character, centres()));
}

TEST(Preparer, EndsInTheMiddleOfWork) {
  const auto cache = std::make_shared<deform::SkinCache>();
  const auto character = cylinder();
  Gate gate;
  auto jobs = std::make_shared<Jobs>([&] { gate.pass(); });
  {
    Preparer preparer(jobs);
    preparer.start(cache, character, centres());
  }
  gate.open();
  jobs.reset();  // waits for the running job
  EXPECT_FALSE(cache->ready(*character, centres()));
}

}  // namespace
}  // namespace pelt::app
