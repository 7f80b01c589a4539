// The list of steps: what it says, and that one travels by mouse and keys.
#include <gtest/gtest.h>
#include <imgui.h>

#include "headless_window.h"
#include "ui/history_panel.h"

namespace pelt::ui {
namespace {

constexpr int kUpKey = 2;
constexpr int kDownKey = 3;

class HistoryPanel : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    ImGui::GetIO().KeyMap[ImGuiKey_UpArrow] = kUpKey;
    ImGui::GetIO().KeyMap[ImGuiKey_DownArrow] = kDownKey;
    joint_ = document_.character->skeleton->find("forearm");
  }
  void pose(float angle) {
    edit::apply(
        document_,
        {edit::SetJointLocal{joint_, {.rotation = glm::angleAxis(angle, glm::vec3(0, 0, 1))}, false}, {}, true});
    frames(2);
  }
  int joint_ = -1;
};

TEST_F(HistoryPanel, OpensFromTheMenuAndListsEachStep) {
  pose(0.5f);
  pose(0.75f);
  EXPECT_FALSE(report_.contains("history"));
  click("menu.Edit");
  click("menu.edit.history");
  frames(2);
  ASSERT_TRUE(report_.contains("history"));
  for (const char* row : {"history.0", "history.1", "history.2"}) {
    EXPECT_TRUE(report_.contains(row)) << row;
  }
  EXPECT_FALSE(report_.contains("history.3"));
  EXPECT_LT(report_["history.0"].y, report_["history.1"].y) << "the oldest first";
  EXPECT_EQ(history_label(document_, 0), "As opened");
  EXPECT_EQ(history_label(document_, 2), document_.history.undo_label());
  act("edit.history");
  EXPECT_FALSE(report_.contains("history"));
}

TEST_F(HistoryPanel, AClickTravels) {
  pose(0.5f);
  const edit::Content first = document_.content;
  pose(0.75f);
  const edit::Content second = document_.content;
  act("edit.history");
  frames(2);
  click("history.1");
  EXPECT_EQ(document_.content, first);
  EXPECT_EQ(document_.history.cursor(), 1u);
  EXPECT_EQ(document_.history.size(), 3u) << "the later step stays in the list";
  EXPECT_TRUE(report_.contains("history.2"));
  click("history.2");
  EXPECT_EQ(document_.content, second);
  click("history.0");
  EXPECT_TRUE(document_.content.overrides->empty());
}

TEST_F(HistoryPanel, ArrowKeysGoFromStepToStep) {
  pose(0.5f);
  pose(0.75f);
  act("edit.history");
  frames(2);
  press(kUpKey);
  EXPECT_EQ(document_.history.cursor(), 1u);
  press(kUpKey);
  press(kUpKey);
  EXPECT_EQ(document_.history.cursor(), 0u) << "and no farther";
  press(kDownKey);
  EXPECT_EQ(document_.history.cursor(), 1u);
  // The keys are the list's only while it is in front.
  click("panel.tree");
  press(kDownKey);
  EXPECT_EQ(document_.history.cursor(), 1u);
}

TEST_F(HistoryPanel, ALongListFollowsTheStep) {
  for (int i = 1; i <= 300; ++i) {
    edit::apply(
        document_,
        {edit::SetJointLocal{joint_, {.translation = {0.001f * static_cast<float>(i), 0, 0}}, false}, {}, true});
  }
  act("edit.history");
  frames(3);
  EXPECT_TRUE(report_.contains("history.300")) << "the present one is in sight";
  EXPECT_FALSE(report_.contains("history.0"));
  edit::travel(document_, 100);
  frames(3);
  EXPECT_TRUE(report_.contains("history.100"));
  EXPECT_FALSE(report_.contains("history.300"));
}

TEST_F(HistoryPanel, FitsTheSmallestWindowAtTwiceTheSize) {
  pose(0.5f);
  resize({640, 480}, 2);
  act("edit.history");
  frames(2);
  const Rect rect = report_["history"];
  EXPECT_GE(rect.x, 0);
  EXPECT_GE(rect.y, 0);
  EXPECT_LE(rect.x + rect.w, 640);
  EXPECT_LE(rect.y + rect.h, 480);
  click("history.0");
  EXPECT_EQ(document_.history.cursor(), 0u);
}

}  // namespace
}  // namespace pelt::ui
