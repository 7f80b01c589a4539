// Tests the cost of limits learned from clips while another limit is dragged.
#include <gtest/gtest.h>

#include <iostream>

#include "joints_tab.h"
#include "rig/learned_limits.h"
#include "support/effort.h"

namespace pelt::ui {
namespace {

TEST_F(JointsTab, DraggingALimitLearnsNothingAnew) {
  open(long_motion());
  workspace_.tab = kJointsTab;
  document_.view.select_only(elbow_);
  frames(3);
  const double learning = test::processor_seconds([&] {
    EXPECT_EQ(rig::learn_limits(*document_.character, elbow_, dofs(elbow_)).clip_count,
              static_cast<int>(document_.character->clips.size()));
  });
  const Rect slider = report_["joints.bend.upper"];
  ASSERT_FALSE(slider.empty());
  const glm::vec2 from(slider.x + slider.w * 0.95f, slider.center().y);
  const double idle = test::processor_seconds([&] { frames(40); });
  const float before = dofs(elbow_).dofs[0].upper;
  const double dragged = test::processor_seconds([&] {
    move(from);
    button(true);
    for (int i = 1; i <= 16; ++i) {
      move(from - glm::vec2(static_cast<float>(i), 0));
    }
    button(false);
  });
  EXPECT_NE(dofs(elbow_).dofs[0].upper, before);
  std::cout << "learning once: " << 1e3 * learning << " ms, 40 pictures: " << 1e3 * idle
            << " ms, a drag of 38: " << 1e3 * dragged << " ms\n";
  // Learning at each of the sixteen moves would cost that much beside the pictures themselves.
  EXPECT_LT(dragged, 12 * learning + 3 * idle);
}

}  // namespace
}  // namespace pelt::ui
