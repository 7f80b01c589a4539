// Marks, tables and overlays: where they are and what they do.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "deform/skinning_methods.h"
#include "gltf/bundled.h"
#include "headless_window.h"
#include "ui/compare_panel.h"
#include "ui/display_panel.h"
#include "ui/pose_panel.h"
#include "ui/weights_panel.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

class Widgets : public HeadlessWindow {
 protected:
  /// A battery that has been measured: two joints, of which each method is best at one.
  void measure_battery() {
    edit::MethodBattery battery;
    battery.character = document_.character;
    battery.options = workspace_.battery;
    battery.tried_from = document_;
    battery.methods = {deform::find_method("lbs"), deform::find_method("dqs"), deform::find_method("delta-mush")};
    battery.joints = {0, 1};
    battery.poses = {{"bent", edit::SetDof{1, 0, 0.5f}}};
    const auto cell = [](double ratio) {
      edit::BatteryCell made;
      made.volume_ratio = ratio;
      made.volume_pose = 0;
      return made;
    };
    battery.cells = {{cell(0.5), cell(0.9), cell(0.8)}, {cell(0.99), cell(0.7), cell(0.6)}};
    measurements_.battery = battery;
    ++measurements_.battery_serial;
    frames(3);
  }
  std::string joint(int index) { return document_.character->skeleton->label(index); }
};

TEST_F(Widgets, AnEmptyBoxHasAnEdgeThatIsSeenOnEveryGround) {
  const auto luminance = [](ImU32 color) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(color);
    const auto linear = [](float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); };
    return 0.2126f * linear(c.x) + 0.7152f * linear(c.y) + 0.0722f * linear(c.z);
  };
  // WCAG 2.1, 1.4.11: three to one for the parts of a control.
  for (const ImU32 ground : {color::kPanel, color::kField, color::kBackground}) {
    EXPECT_GE((luminance(color::kEdge) + 0.05f) / (luminance(ground) + 0.05f), 3.0f);
  }
}

TEST_F(Widgets, ASliderShowsNoMarkOutsideItsLimits) {
  const auto vertices = [&](std::span<const float> marks) {
    Scene scene;
    Requests requests;
    Desk desk{scene, workspace_, requests, report_, theme_};
    ImGui::NewFrame();
    ImGui::Begin("slider");
    float value = 0;
    bool ended = false;
    value_slider(desk, "value", value, {.lower = -1.5f, .upper = 1.5f, .marks = marks}, 200, ended);
    ImGui::End();
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  };
  vertices({});
  const int without = vertices({});
  EXPECT_GT(vertices(std::array{1.0f}), without);
  EXPECT_GT(vertices(std::array{1.50001f}), without) << "limits are rounded";
  EXPECT_EQ(vertices(std::array{2.0f, -2.0f}), without);
}

TEST_F(Widgets, TheSliderOfALessonTellsOfTheMarksItHas) {
  for (const auto& [file, joint, dof, marks] :
       {std::tuple{"@elbow", "forearm", "bend", "Marks at 60\u00b0: linear"},
        std::tuple{"@cylinder", "tip", "twist", "Marks at 60\u00b0 and 180\u00b0: linear"}}) {
    const std::string slider = fmt::format("dof.{}.{}", joint, dof);
    Result<rig::Character> character = gltf::open_character(file);
    ASSERT_TRUE(character) << character.error().message;
    open(*std::move(character));
    document_.view.select_only(document_.character->skeleton->find(joint));
    frames(3);
    ASSERT_TRUE(report_.contains(slider));
    move({report_[slider].x - 40, report_[slider].center().y});
    EXPECT_THAT(words(), testing::HasSubstr(marks)) << file;
  }
}

TEST_F(Widgets, ABoxIsTickedByItsLabelToo) {
  workspace_.tab = kDisplayTab;
  frames(3);
  const bool before = workspace_.view.skeleton;
  const Rect box = report_["display.skeleton"];
  move({box.x + box.w - 4, box.center().y});
  button(true);
  button(false);
  EXPECT_NE(workspace_.view.skeleton, before);
  workspace_.tab = kWeightsTab;
  frames(3);
  click("weights.count");
  EXPECT_EQ(workspace_.view.look, render::Look::kInfluences);
}

TEST_F(Widgets, TheBatteryHasATableOfItsOwn) {
  open(test::cylinder());
  EXPECT_FALSE(report_.contains("panel.battery"));
  const Rect before = workspace_.layout.viewport;
  measure_battery();
  ASSERT_TRUE(report_.contains("panel.battery")) << "it opens by itself";
  const Rect panel = report_["panel.battery"];
  EXPECT_EQ(panel.w, 1440) << "over the whole window";
  EXPECT_FALSE(meet(panel, workspace_.layout.viewport));
  EXPECT_GE(workspace_.layout.viewport.h, 0.5f * before.h);
  for (const char* method : {"lbs", "dqs", "delta-mush"}) {
    ASSERT_TRUE(report_.contains(fmt::format("battery.{}.{}", joint(0), method))) << method;
  }
  // Sorted by the first method, the worst joint first; by a click on another head, by that.
  EXPECT_LT(report_["battery." + joint(0)].y, report_["battery." + joint(1)].y);
  const Rect column = report_[fmt::format("battery.{}.dqs", joint(0))];
  const float heads = panel.y + 6 + ImGui::GetFrameHeight() + 14;
  move({column.center().x, heads});
  button(true);
  button(false);
  frames(3);
  EXPECT_GT(report_["battery." + joint(0)].y, report_["battery." + joint(1)].y);
  click(fmt::format("battery.{}.dqs", joint(1)));
  EXPECT_EQ(document_.view.selected_joint(), 1);
  EXPECT_EQ(document_.history.cursor(), 1u) << "the pose is shown";
  click("battery.close");
  EXPECT_FALSE(report_.contains("panel.battery"));
  frames(5);
  EXPECT_FALSE(report_.contains("panel.battery")) << "and stays closed";
  EXPECT_EQ(workspace_.layout.viewport, before);
}

TEST_F(Widgets, TheTableFitsASmallWindow) {
  open(test::cylinder());
  for (const auto& [size, scale] : {std::pair{glm::vec2(640, 480), 1.0f}, std::pair{glm::vec2(1280, 800), 2.0f}}) {
    resize(size, scale);
    measure_battery();
    ASSERT_TRUE(report_.contains("panel.battery"));
    EXPECT_LE(report_["panel.battery"].h, 0.45f * size.y);
    for (const char* button : {"battery.copy", "battery.close"}) {
      ASSERT_TRUE(report_.contains(button)) << button;
      EXPECT_LE(report_[button].x + report_[button].w, size.x) << button;
    }
    EXPECT_TRUE(report_.contains("battery." + joint(0)));
  }
}

TEST_F(Widgets, ThePlotFollowsTheSliderMovedLast) {
  open(test::cylinder());
  document_.view.select_only(1);
  workspace_.tab = kCompareTab;
  frames(3);
  const int other = workspace_.panel<ComparePanel>().dof == 1 ? 0 : 1;
  measurements_.series.emplace();
  measurements_.series->character = document_.character;
  measurements_.series->axis = edit::sweep_of(document_, 1, workspace_.panel<ComparePanel>().dof);
  measurements_.series->panes = {document_.content.skinning};
  frames(3);
  // The slider is in another tab; back here the plot goes over it.
  workspace_.tab = kPoseTab;
  frames(3);
  const std::string name = document_.character->skeleton->dofs[1].dofs[other].name;
  const Rect slider = report_["dof.tip." + name];
  ASSERT_GT(slider.w, 0);
  drag(slider.center(), {slider.x + slider.w * 0.8f, slider.center().y});
  workspace_.tab = kCompareTab;
  const Requests requests = frame();
  EXPECT_EQ(workspace_.panel<ComparePanel>().dof, other);
  ASSERT_TRUE(requests.measure_series.has_value());
  EXPECT_EQ(requests.measure_series->joint, 1);
  EXPECT_EQ(requests.measure_series->dof, other);
  measurements_.series->axis = *requests.measure_series;
  EXPECT_FALSE(frame().measure_series.has_value()) << "once";
}

TEST_F(Widgets, PanesKeepInSightWhatWasInThePicture) {
  const auto visible = [&] {
    const glm::vec2 pane = pane_size(workspace_, document_);
    return workspace_.camera.distance * std::min(1.0f, pane.x / pane.y);
  };
  workspace_.camera.distance *= 0.7f;  // by hand
  frames(2);
  const float distance = workspace_.camera.distance;
  const float before = visible();
  for (const int count : {2, 3, 4}) {
    document_.content.skinning = {};
    edit::apply(document_, {edit::SetPanes{count}, {}, true});
    frames(3);
    EXPECT_NEAR(visible(), before, 1e-3f * before) << count;
  }
  edit::apply(document_, {edit::SetPanes{1}, {}, true});
  frames(3);
  EXPECT_NEAR(workspace_.camera.distance, distance, 1e-3f * distance) << "and gives it back";
}

TEST_F(Widgets, AllPanesAreFramedForWhatAnyOfThemShows) {
  // Bent by a right angle, dual quaternions bulge farther out than linear blending reaches.
  open(test::cylinder());
  edit::apply(document_, {edit::SetDof{1, 2, 1.5f}, {}, true});
  edit::apply(document_, {edit::SetPanes{2}, {}, true});
  deform::SkinningSettings bulging = document_.content.skinning;
  bulging.method = deform::find_method("dqs");
  edit::apply(document_, {edit::SetSkinning{bulging, 1}, {}, true});
  frames(2);
  act("view.home");
  frames(2);
  const render::Camera both = workspace_.camera;
  document_.view.active_pane = 1;
  act("view.home");
  frames(2);
  EXPECT_EQ(workspace_.camera, both) << "whichever is the active one";
  edit::apply(document_, {edit::SetSkinning{document_.content.skinning, 1}, {}, true});
  frames(2);
  act("view.home");
  EXPECT_NE(workspace_.camera, both) << "the bulge counted";
}

TEST_F(Widgets, ALegendStaysInItsPane) {
  workspace_.view.look = render::Look::kWeights;
  workspace_.view.weight_joint = 0;
  for (const auto& [size, scale] : {std::pair{glm::vec2(1440, 900), 1.0f}, std::pair{glm::vec2(1280, 800), 2.0f},
                                    std::pair{glm::vec2(900, 600), 1.0f}}) {
    resize(size, scale);
    for (const int count : {2, 4}) {
      edit::apply(document_, {edit::SetPanes{count}, {}, true});
      for (int active = 0; active < count; ++active) {
        document_.view.active_pane = active;
        frames(3);
        if (!report_.contains("legend")) {
          continue;  // no room for it
        }
        const Rect legend = report_["legend"];
        const Rect pane = report_[fmt::format("pane.{}", active)];
        EXPECT_GE(legend.x, pane.x) << size.x << " " << count << " " << active;
        EXPECT_LE(legend.x + legend.w, pane.x + pane.w) << size.x << " " << count << " " << active;
        EXPECT_GE(legend.y, pane.y) << size.x << " " << count << " " << active;
        EXPECT_LE(legend.y + legend.h, pane.y + pane.h) << size.x << " " << count << " " << active;
      }
    }
  }
  resize({1440, 900}, 1);
  frames(3);
  EXPECT_TRUE(report_.contains("legend"));
}

TEST_F(Widgets, KeyHelpStandsBesideTheCharacter) {
  for (const auto& [size, scale] : {std::pair{glm::vec2(1440, 900), 1.0f}, std::pair{glm::vec2(640, 480), 1.0f},
                                    std::pair{glm::vec2(1440, 900), 2.0f}}) {
    resize(size, scale);
    frames(2);
    act("help.keys");
    frames(3);
    ASSERT_TRUE(report_.contains("help")) << size.x;
    EXPECT_FALSE(meet(report_["help"], workspace_.layout.viewport)) << size.x;
    EXPECT_GE(workspace_.layout.viewport.w, 72 * scale);
    click("help.close");
    EXPECT_FALSE(report_.contains("help"));
    EXPECT_TRUE(report_.contains("tab.pose")) << "where the tabs were";
  }
}

}  // namespace
}  // namespace pelt::ui
