// Tests the cost of the battery of poses for a rig of very many joints.
#include "edit/pose_battery.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::edit {
namespace {

TEST(PoseBattery, CostsNoMoreThanItsJoints) {
  // The chain is so long that anything quadratic in joints would take minutes.
  rig::Character character;
  constexpr int kJoints = 20'000;
  for (int j = 0; j < kJoints; ++j) {
    test::add_node(character, "j" + std::to_string(j), j % 100 == 0 ? -1 : j - 1, {.translation = {0, 0.01f, 0}});
  }
  rig::finish(character);
  const Document document = make_document(std::make_shared<rig::Character>(std::move(character)));
  const double seconds = test::processor_seconds([&] {
    const Document random = posed(document, random_poses(1, 1)[0]);
    EXPECT_EQ(random.content.overrides->size(), static_cast<std::size_t>(kJoints));
    EXPECT_EQ(make_battery(document, {}).size(), std::size_t{6} * kJoints);
  });
  EXPECT_LT(seconds, 20);
}

}  // namespace
}  // namespace pelt::edit
