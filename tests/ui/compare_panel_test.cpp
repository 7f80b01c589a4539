// The Compare tab: when its plot and its battery are measured or judged again.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "headless_window.h"
#include "ui/compare_panel.h"
#include "ui/pane_overlay.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

class CompareTab : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    resize({1440, 1600}, 1);
    document_.view.select_only(1);
    workspace_.tab = kCompareTab;
    frames(2);
  }
};

TEST_F(CompareTab, APlotFollowsThePinnedVertex) {
  document_.view.pinned_part = 0;
  document_.view.pinned_vertex = 0;
  edit::SkinSeries series;
  series.axis = edit::sweep_of(document_, 1, 0);
  series.axis_id = "forearm.bend";
  series.axis_unit = "deg";
  series.x = {0, 1};
  series.character = document_.character;
  series.panes = {document_.content.skinning};
  series.pinned = {0, 0};
  series.numbers.resize(1, std::vector<edit::SkinNumbers>(2));
  measurements_.series = series;
  EXPECT_FALSE(frame().measure_series.has_value());
  EXPECT_THAT(words(), Not(HasSubstr("Out of date")));
  document_.view.pinned_part = -1;
  document_.view.pinned_vertex = -1;
  EXPECT_TRUE(frame().measure_series.has_value()) << "one curve is of another vertex";
  EXPECT_FALSE(frame().measure_series.has_value()) << "once";
  EXPECT_THAT(words(), HasSubstr("Out of date: another vertex is pinned."));
  measurements_.series->pinned = {-1, -1};
  EXPECT_THAT(words(), Not(HasSubstr("Out of date")));
  edit::apply(document_, {edit::SetPanes{2}, {}, true});
  EXPECT_THAT(words(), HasSubstr("Out of date: the panes have changed."));
}

TEST_F(CompareTab, ABatteryIsJudgedOnce) {
  const auto cell = [](double ratio) {
    edit::BatteryCell made;
    made.volume_ratio = ratio;
    made.volume_pose = 0;
    return made;
  };
  edit::MethodBattery battery;
  battery.character = document_.character;
  battery.options = workspace_.battery;
  battery.methods = {deform::find_method("lbs"), deform::find_method("dqs")};
  battery.joints = {0, 1};
  battery.poses = {{"bent", edit::SetDof{1, 0, 0.5f}}};
  battery.cells = {{cell(0.5), cell(0.9)}, {cell(0.7), cell(0.8)}};
  measurements_.battery = battery;
  ++measurements_.battery_serial;
  frames(3);
  const std::string first = words();
  EXPECT_THAT(first, HasSubstr("40.0 %"));
  EXPECT_THAT(first, HasSubstr("15.0 %"));
  // The same battery is not looked through again ...
  measurements_.battery->cells = {{cell(0.9), cell(0.5)}, {cell(0.9), cell(0.5)}};
  EXPECT_THAT(words(), HasSubstr("40.0 %"));
  // ... and the next one is.
  ++measurements_.battery_serial;
  const std::string second = words();
  EXPECT_THAT(second, HasSubstr("10.0 %"));
  EXPECT_THAT(second, HasSubstr("50.0 %"));
  EXPECT_THAT(second, Not(HasSubstr("40.0 %")));
  EXPECT_EQ(workspace_.panel<ComparePanel>().battery.judgement.best, 0);
  EXPECT_EQ(workspace_.panel<ComparePanel>().battery.judgement.best_of_row, (std::vector<int>{0, 0}));
}

// Captions of panes break at separators, then between words, before a word is cut.
TEST_F(HeadlessWindow, ACaptionTakesLinesBeforeAWordIsCut) {
  frame();
  const auto width = [](const char* words) { return ImGui::CalcTextSize(words).x; };
  const std::vector<std::string> parts = {"Best", "Linear blend", "GPU", "d", "4 infl."};
  const auto lines = [&](const char* room) { return caption_lines(parts, width(room)).lines; };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines("Best \u00b7 Linear blend \u00b7 GPU \u00b7 d \u00b7 4 infl."),
            Lines{"Best \u00b7 Linear blend \u00b7 GPU \u00b7 d \u00b7 4 infl."});
  EXPECT_EQ(lines("Linear blend \u00b7 GPU \u00b7 d \u00b7 4 infl."),
            (Lines{"Best", "Linear blend \u00b7 GPU \u00b7 d \u00b7 4 infl."}));
  EXPECT_EQ(lines("Linear blend \u00b7 GPU \u00b7 d \u00b7"),
            (Lines{"Best", "Linear blend \u00b7 GPU \u00b7 d", "4 infl."}));
  EXPECT_FALSE(caption_lines(parts, width("Linear blend \u00b7")).is_cut);
  const CaptionLines narrow = caption_lines(parts, width("Linear ble"));
  EXPECT_FALSE(narrow.is_cut);
  EXPECT_EQ(narrow.lines, (Lines{"Best", "Linear", "blend", "GPU \u00b7 d", "4 infl."}));
  EXPECT_TRUE(caption_lines(parts, width("Lin")).is_cut) << "no room for a word";
}

}  // namespace
}  // namespace pelt::ui
