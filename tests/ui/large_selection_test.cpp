// The window works as before when very much is selected. large_selection_cost_test.cpp measures the time.
#include <gtest/gtest.h>
#include <imgui.h>

#include <array>

#include "edit/selection_edits.h"
#include "headless_window.h"
#include "support/sheet.h"
#include "ui/modes.h"
#include "ui/pose_panel.h"
#include "ui/selecting.h"

namespace pelt::ui {
namespace {

class LargeSelection : public HeadlessWindow {
 protected:
  void play(int pictures) {
    for (int i = 0; i < pictures; ++i) {
      edit::apply(document_, {edit::SetTime{static_cast<float>(i) / static_cast<float>(pictures)}, {}, false});
      frame();
    }
  }
};

TEST_F(LargeSelection, PlayingOnTheGpuNeedsNoShapeOfTheCpu) {
  open(test::sheets(60, 4, std::array{0.0f}));
  edit::apply(document_, {edit::SetClip{0}, {}, false});
  enter_mode(workspace_, "weights");
  document_.view.selected_vertices = edit::all_vertices(*document_.character);
  frames(3);
  const int before = deformed_asked_;
  play(5);
  EXPECT_EQ(deformed_asked_, before) << "only the dots are deformed";
}

// large_selection_cost_test.cpp measures the time.
TEST_F(LargeSelection, ThousandsOfJointsFollowASliderInLinearTime) {
  constexpr int kJoints = 4000;
  open(test::sheets(4, kJoints, std::array{0.0f}));
  edit::apply(document_, {edit::SetClip{0}, {}, false});
  edit::apply(document_, {edit::SetTime{0.25f}, {}, false});
  for (int j = 0; j < kJoints; ++j) {
    document_.view.selected_joints.push_back(j);
  }
  Scene scene;
  scene.document = &document_;
  Requests requests;
  Desk desk{scene, workspace_, requests, report_, theme_};
  const int active = document_.view.selected_joint();
  const int dof = edit::joint_dofs(document_, active).find("bend");
  change_dof(desk, active, dof, 0.25f, "drag");
  ASSERT_EQ(requests.commands.size(), 1u);
  const float before = edit::dof_values(document_, 7)[dof];
  apply(requests, document_);
  EXPECT_EQ(document_.content.overrides->size(), static_cast<std::size_t>(kJoints));
  const float moved = 0.25f - workspace_.slider_drag.start;
  EXPECT_NEAR(edit::dof_values(document_, 7)[dof], before + moved, 1e-5f);
}

TEST_F(LargeSelection, ResettingThemIsOneCommand) {
  open(test::sheets(4, 1000, std::array{0.0f}));
  edit::apply(document_, {edit::SetClip{0}, {}, false});
  for (int j = 0; j < 12; ++j) {
    document_.view.selected_joints.push_back(j);
  }
  const Requests asked = frame(find_action("edit.reset-joint"));
  ASSERT_EQ(asked.commands.size(), 1u);
  EXPECT_NE(edit::label(document_, asked.commands.front().change).find("12 joints"), std::string::npos);
}

}  // namespace
}  // namespace pelt::ui
