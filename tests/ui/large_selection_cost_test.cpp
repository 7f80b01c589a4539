// Tests that the window stays quick when very much is selected.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "edit/selection_edits.h"
#include "headless_window.h"
#include "support/effort.h"
#include "support/sheet.h"
#include "ui/modes.h"
#include "ui/pose_panel.h"
#include "ui/selecting.h"

namespace pelt::ui {
namespace {

class LargeSelectionCost : public HeadlessWindow {
 protected:
  double seconds_of(int pictures) {
    return test::processor_seconds([&] { frames(pictures); });
  }
};

TEST_F(LargeSelectionCost, PicturesOfAMillionVerticesCostAsMuchAsOfTenThousand) {
  open(test::sheets(1000, 4, std::array{0.0f}));
  enter_mode(workspace_, "weights");
  resize({1440, 2400}, 1);
  frames(3);
  click("section.Selection");
  frames(2);
  ASSERT_TRUE(report_.contains("selection.keep"));
  constexpr int kPictures = 60;
  const edit::VertexSelection all = edit::all_vertices(*document_.character);
  const auto selected = [&](const edit::VertexSelection& selection) {
    document_.view.selected_vertices = selection;
    frames(2);
    return std::min(seconds_of(kPictures), seconds_of(kPictures));
  };
  // These are exactly the vertices that are drawn of the selected million.
  edit::VertexSelection few;
  constexpr std::size_t kDrawn = 10'000;
  const std::size_t step = (edit::vertex_count(all) + kDrawn - 1) / kDrawn;
  ASSERT_GE(step, 100u);
  for (const edit::PartVertices& of_part : all) {
    few.push_back({of_part.part, {}});
    for (std::size_t i = 0; i < of_part.vertices.size(); i += step) {
      few.back().vertices.push_back(of_part.vertices[i]);
    }
  }
  const double ten_thousand = selected(few);
  const double million = selected(all);
  std::cout << kPictures << " pictures: " << 1e3 * ten_thousand << " ms with ten thousand vertices, " << 1e3 * million
            << " ms with a million\n";
  // Only ten thousand dots are drawn. One look at each of a million vertices would take as long again.
  EXPECT_LT(million, 1.4 * ten_thousand);
}

TEST_F(LargeSelectionCost, ThousandsOfJointsFollowASliderInLinearTime) {
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
  const double evaluating = test::processor_seconds([&] { edit::evaluate_base_pose(document_); });
  const double seconds = test::processor_seconds([&] { change_dof(desk, active, dof, 0.25f, "drag"); });
  std::cout << "one pose: " << 1e3 * evaluating << " ms, the begin of a drag: " << 1e3 * seconds << " ms\n";
  EXPECT_LT(seconds, 20 * evaluating + 0.04);
  const double applied = test::processor_seconds([&] { apply(requests, document_); });
  EXPECT_LT(applied, 20 * evaluating + 0.1);
  EXPECT_EQ(document_.content.overrides->size(), static_cast<std::size_t>(kJoints));
}

}  // namespace
}  // namespace pelt::ui
