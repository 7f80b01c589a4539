// Tests the cost of pictures while the library holds many poses.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "headless_window.h"
#include "support/effort.h"
#include "ui/library_panel.h"
#include "ui/modes.h"

namespace pelt::ui {
namespace {

using LibraryWindowCost = HeadlessWindow;

TEST_F(LibraryWindowCost, FiveHundredPosesCostWhatIsInSight) {
  show_tab(workspace_, kLibraryTab);
  const auto fill = [&](int count) {
    edit::StorePoses change;
    for (int i = 0; i < count; ++i) {
      change.poses.emplace_back(edit::stored_pose(document_, "pose with a name " + std::to_string(i)));
    }
    edit::apply(document_, {change, {}, true});
    frames(3);
  };
  const auto seconds_of_a_picture = [&] {
    double best = 1e9;
    for (int run = 0; run < 20; ++run) {
      best = std::min(best, test::processor_seconds([&] { frame(); }));
    }
    return best;
  };
  fill(24);
  const double few = seconds_of_a_picture();
  fill(476);
  ASSERT_EQ(document_.content.library.size(), 500u);
  const double many = seconds_of_a_picture();
  EXPECT_LT(many - few, 2e-3) << "a twentieth of that is needed";
  RecordProperty("microseconds", static_cast<int>(1e6 * (many - few)));
}

}  // namespace
}  // namespace pelt::ui
