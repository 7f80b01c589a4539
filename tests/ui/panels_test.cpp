#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "deform/skinning_methods.h"
#include "edit/evaluation.h"
#include "edit/held_edits.h"
#include "gltf/import.h"
#include "headless_window.h"
#include "support/effort.h"
#include "support/fixtures.h"
#include "support/patience.h"
#include "support/requirements.h"
#include "ui/actions.h"
#include "ui/compare_panel.h"
#include "ui/display_panel.h"
#include "ui/info_panel.h"
#include "ui/modes.h"
#include "ui/pose_panel.h"
#include "ui/rotation_rings.h"
#include "ui/shapes_panel.h"
#include "ui/skinning_panel.h"
#include "ui/tree_panel.h"
#include "ui/viewport.h"
#include "ui/weights_panel.h"
#include "ui/widgets.h"
#include "ui/window.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

TEST_F(HeadlessWindow, LeavingAChangedPoseAsksFirst) {
  unsaved_ = true;
  act("file.quit");
  frames(3);
  EXPECT_FALSE(quit_) << "the question comes first";
  click("leave.cancel");
  frames(3);
  EXPECT_FALSE(quit_);
  EXPECT_FALSE(report_.contains("leave.cancel"));
  // By the keyboard as well.
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Escape] = 1;
  act("file.quit");
  frames(3);
  io.KeysDown[1] = true;
  frames(2);
  io.KeysDown[1] = false;
  frames(2);
  EXPECT_FALSE(quit_);
  EXPECT_FALSE(report_.contains("leave.cancel"));
  act("learn.candy-wrapper");
  frames(3);
  EXPECT_FALSE(taught_);
  click("leave.discard");
  EXPECT_TRUE(taught_);
  act("file.quit");
  frames(3);
  workspace_.session_path = "kept.pelt";
  click("leave.save");
  EXPECT_TRUE(quit_) << "as soon as it is saved";
  // A pose that was kept asks nothing.
  quit_ = false;
  act("file.quit");
  EXPECT_TRUE(quit_);
}

TEST_F(HeadlessWindow, TheEnterThatChoosesAFileDoesNotAnswerForThePose) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 1;
  unsaved_ = true;
  workspace_.session_path = "kept.pelt";
  act("file.open");
  enter(workspace_.browser, std::filesystem::path(PELT_SOURCE_DIR) / "assets");
  frames(3);
  io.AddInputCharactersUTF8("manneq");
  frames(2);
  press(1);
  EXPECT_FALSE(workspace_.browser.visible);
  EXPECT_TRUE(unsaved_) << "nobody has said so";
  ASSERT_TRUE(report_.contains("leave.save"));
  press(1);
  EXPECT_FALSE(unsaved_) << "Enter is Save once it was asked";
}

TEST_F(HeadlessWindow, PosesTravelByTheClipboard) {
  edit::apply(document_, {edit::SetDof{1, 0, 0.5f}, {}, true});
  const edit::Content posed = document_.content;
  act("edit.copy-pose");
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("\"pelt\": \"pose\""), std::string::npos);
  edit::apply(document_, {edit::ResetJoints{{}, edit::ResetScope::kAll, edit::ResetTo::kRest}, {}, true});
  ASSERT_TRUE(document_.content.overrides->empty());
  act("edit.paste-pose");
  EXPECT_EQ(document_.content.overrides->at(1).local, posed.overrides->at(1).local);
  edit::undo(document_);
  EXPECT_TRUE(document_.content.overrides->empty()) << "one step";
  ImGui::SetClipboardText("a shopping list");
  act("edit.paste-pose");
  ASSERT_TRUE(workspace_.error);
  EXPECT_TRUE(workspace_.error->text.starts_with("The clipboard holds no pose: ")) << workspace_.error->text;
  EXPECT_TRUE(document_.content.overrides->empty());
}

TEST_F(HeadlessWindow, WhatACrashLeftIsOfferedAndAnswered) {
  workspace_.recoverable = {{"/state/a.pelt", "fox.glb, 14:32", "fox.pelt is newer"},
                            {"/state/b.pelt", "cat.glb, 12:00"}};
  frames(3);
  EXPECT_NE(words().find("fox.pelt is newer"), std::string::npos) << "how the session stands to it";
  click("recover.discard");
  EXPECT_EQ(asked_.discard, "/state/a.pelt");
  ASSERT_EQ(workspace_.recoverable.size(), 1u) << "the next is asked about";
  frames(3);
  click("recover.open");
  EXPECT_EQ(asked_.open_file, "/state/b.pelt");
  EXPECT_TRUE(workspace_.recoverable.empty());
}

TEST_F(HeadlessWindow, ASessionsCharacterElsewhereIsOpenedOnlyWhenTheUserAgrees) {
  const PendingSession session{"/mail/session.pelt", "/mail/fox.glb", false, "Its character is a stranger"};
  workspace_.outside = session;
  frames(3);
  EXPECT_NE(words().find("Its character is a stranger. Open it only"), std::string::npos);
  click("outside.cancel");
  EXPECT_TRUE(asked_.open_file.empty());
  EXPECT_TRUE(workspace_.outside.file.empty());
  workspace_.outside = session;
  frames(3);
  click("outside.open");
  EXPECT_EQ(asked_.open_file, "/mail/session.pelt");
  EXPECT_EQ(asked_.located, "/mail/fox.glb") << "what was found before is still known";
  EXPECT_TRUE(asked_.agreed);
  workspace_.missing = {"/mail/session.pelt", "", true};
  frames(3);
  click("missing.find");
  EXPECT_TRUE(workspace_.browser.visible);
  EXPECT_EQ(workspace_.locating.file, "/mail/session.pelt");
  EXPECT_TRUE(workspace_.locating.agreed);
}

TEST_F(HeadlessWindow, EditsOfAnotherVersionOfTheFileAreOfferedAsATransfer) {
  const auto offer = [&] {
    asked_ = {};
    auto held = std::make_shared<edit::HeldEdits>();
    held->weights.push_back({.mesh = 0, .primitive = 0, .surface = {}, .vertices = {1, 2, 3}});
    document_.origin.held = held;
    workspace_.offers_held = true;
    frames(3);
  };
  offer();
  EXPECT_NE(words().find("1 edit of mesh "), std::string::npos);
  EXPECT_NE(words().find("weights of 3 vertices. They can be transferred by position"), std::string::npos);
  click("held.transfer");
  EXPECT_EQ(asked_.carry_over_held, std::optional<bool>(true));
  EXPECT_FALSE(workspace_.offers_held);
  offer();
  click("held.leave");
  EXPECT_EQ(asked_.carry_over_held, std::optional<bool>(false));
  // The answer that Enter gives leaves the file's own.
  ImGui::GetIO().KeyMap[ImGuiKey_Enter] = 1;
  offer();
  press(1);
  EXPECT_EQ(asked_.carry_over_held, std::optional<bool>(false));
}

// Whatever opens another character asks for what is not saved, and then opens what was asked for.
TEST_F(HeadlessWindow, QuestionsAboutASessionAskForUnsavedWorkAsWell) {
  unsaved_ = true;
  workspace_.outside = {"/mail/session.pelt", "/mail/fox.glb"};
  frames(3);
  click("outside.open");
  frames(3);
  EXPECT_TRUE(asked_.open_file.empty()) << "what is not saved comes first";
  ASSERT_TRUE(report_.contains("leave.discard"));
  click("leave.discard");
  EXPECT_EQ(asked_.open_file, "/mail/session.pelt");
  EXPECT_EQ(asked_.located, "/mail/fox.glb");
  EXPECT_TRUE(asked_.agreed);

  asked_ = {};
  workspace_.recoverable = {{"/state/b.pelt", "cat.glb, 12:00"}};
  frames(3);
  click("recover.open");
  frames(3);
  EXPECT_TRUE(asked_.open_file.empty());
  workspace_.session_path = "kept.pelt";
  click("leave.save");
  EXPECT_EQ(asked_.open_file, "/state/b.pelt") << "as soon as it is saved";
  EXPECT_FALSE(asked_.agreed);
}

TEST_F(HeadlessWindow, TheQuestionOnLeavingKnowsOfAnExport) {
  unsaved_ = true;
  exported_ = "Exported to fox.glb less than a minute ago; the session is not saved. Not in that file: the pose.";
  frame(find_action("file.quit"));
  frames(2);
  EXPECT_FALSE(quit_);
  EXPECT_NE(words().find(exported_ + " Quitting loses it."), std::string::npos) << words();
  click("leave.discard");
  EXPECT_TRUE(quit_);
}

TEST_F(HeadlessWindow, ACharacterIsLocatedAlthoughSomethingIsNotSaved) {
  const std::filesystem::path folder = std::filesystem::path(PELT_SOURCE_DIR) / "assets";
  ImGui::GetIO().KeyMap[ImGuiKey_Enter] = 1;
  const auto locate = [&] {
    asked_ = {};
    workspace_.missing = {"/mail/session.pelt"};
    frames(3);
    click("missing.find");
    enter(workspace_.browser, folder);
    frames(3);
    ImGui::GetIO().AddInputCharactersUTF8("mannequin.glb");
    frames(2);
    press(1);
    EXPECT_FALSE(workspace_.browser.visible);
  };
  unsaved_ = true;
  locate();
  EXPECT_TRUE(asked_.open_file.empty());
  click("leave.discard");
  EXPECT_EQ(asked_.open_file, "/mail/session.pelt");
  EXPECT_EQ(asked_.located, (folder / "mannequin.glb").string());

  given_up_ = true;
  locate();
  EXPECT_EQ(asked_.open_file, "/mail/session.pelt") << "who has given it up for this session is not asked twice";
  EXPECT_EQ(asked_.located, (folder / "mannequin.glb").string());
  asked_ = {};
  act("file.quit");
  frames(3);
  EXPECT_FALSE(quit_) << "that was for this session alone";
}

TEST_F(HeadlessWindow, ABannerListsWhatItIsAbout) {
  workspace_.error = Notice{Severity::kWarning, "fox.pelt holds more", 0, "the pose of hand\nthe shape smile"};
  frames(2);
  const std::string said = words();
  EXPECT_NE(said.find("fox.pelt holds more"), std::string::npos) << said;
  EXPECT_NE(said.find("the pose of hand"), std::string::npos) << said;
  EXPECT_NE(said.find("the shape smile"), std::string::npos) << said;
  const float two = report_["error.list"].h;
  std::string many = "the pose of joint 0";
  for (int i = 1; i < 30; ++i) {
    many += "\nthe pose of joint " + std::to_string(i);
  }
  workspace_.error->details = many;
  frames(2);
  const std::string counted = words();
  EXPECT_NE(counted.find("and 22 more"), std::string::npos) << counted;
  EXPECT_EQ(counted.find("joint 8"), std::string::npos) << "only what there is room for";
  EXPECT_GT(report_["error.list"].h, 3 * two);
  resize({640, 480}, 2);
  frames(3);
  const Rect view = workspace_.layout.viewport;
  ASSERT_TRUE(report_.contains("error"));
  EXPECT_GE(report_["error"].x, view.x);
  EXPECT_LE(report_["error"].y + report_["error"].h, view.y + view.h);
  now_ = 3600;
  frames(2);
  ASSERT_TRUE(workspace_.error) << "it stays";
  click("error.close");
  EXPECT_FALSE(workspace_.error);
}

TEST_F(HeadlessWindow, TheQuestionForThePoseFitsASmallWindow) {
  resize({500, 400}, 2);
  unsaved_ = true;
  act("file.quit");
  frames(3);
  ASSERT_TRUE(report_.contains("leave.save"));
  ASSERT_TRUE(report_.contains("leave.cancel"));
  EXPECT_GE(report_["leave.save"].x, 0);
  EXPECT_LE(report_["leave.cancel"].x + report_["leave.cancel"].w, 500);
}

TEST_F(HeadlessWindow, ABatteryThatHasComeIsRevealedOnce) {
  workspace_.tab = kCompareTab;
  frames(2);
  edit::MethodBattery battery;
  battery.character = document_.character;
  measurements_.battery = battery;
  ++measurements_.battery_serial;
  frame();
  EXPECT_GT(workspace_.panel<ComparePanel>().reveal_battery, 0);
  EXPECT_TRUE(revealing(workspace_, measurements_)) << "the window goes on drawing";
  frames(10);
  EXPECT_EQ(workspace_.panel<ComparePanel>().reveal_battery, 0) << "though there is no joint to list";
  EXPECT_FALSE(revealing(workspace_, measurements_)) << "and comes to rest";
  reveal_plot(workspace_.panel<ComparePanel>());
  EXPECT_FALSE(revealing(workspace_, measurements_)) << "a plot that is being measured";
  measurements_.series.emplace();
  EXPECT_TRUE(revealing(workspace_, measurements_));
  for (const float height : {200.0f, 240.0f, 280.0f}) {
    resize({1440, height}, 2);
    reveal_battery(workspace_.panel<ComparePanel>());
    frames(6);
    ASSERT_FALSE(workspace_.layout.right.empty());
    EXPECT_FALSE(report_.contains("compare.count.0")) << "no room for the panel";
    EXPECT_FALSE(revealing(workspace_, measurements_)) << "and no drawing without end at " << height;
  }
  resize({1440, 900}, 1);
  reveal_plot(workspace_.panel<ComparePanel>());
  workspace_.tab = kPoseTab;
  EXPECT_FALSE(revealing(workspace_, measurements_)) << "out of sight";
  workspace_.tab = kCompareTab;
  workspace_.panel<ComparePanel>().reveal_plot = 0;
  measurements_.series.reset();
  measurements_.battery->character = std::make_shared<const rig::Character>();
  ++measurements_.battery_serial;
  frame();
  EXPECT_EQ(workspace_.panel<ComparePanel>().reveal_battery, 0) << "of another character";
  measurements_.battery.reset();
  frame();
  click("battery.run");
  measurements_.battery = battery;
  ++measurements_.battery_serial;
  frame();
  EXPECT_GT(workspace_.panel<ComparePanel>().reveal_battery, 0) << "the mouse rests on the button that asked for it";
  frames(10);
  click("compare.over.0");
  measurements_.battery = battery;
  ++measurements_.battery_serial;
  frame();
  EXPECT_EQ(workspace_.panel<ComparePanel>().reveal_battery, 0) << "somebody works in the panel";
}

TEST_F(HeadlessWindow, NumbersThatCannotBeMeasuredAreNotWaitedFor) {
  workspace_.tab = kCompareTab;
  frames(2);
  EXPECT_FALSE(report_.contains("compare.number.volume_ratio.0")) << "nobody measures here";
  measurements_.numbers = PoseNumbers{{}, -1, "not enough memory to measure this", evaluation_.version()};
  frames(2);
  EXPECT_FALSE(report_.contains("compare.number.volume_ratio.0"));
  measurements_.numbers->panes.resize(1);
  frames(2);
  EXPECT_TRUE(report_.contains("compare.number.volume_ratio.0"));
}

TEST_F(HeadlessWindow, APlotFollowsThePanes) {
  document_.view.select_only(1);
  workspace_.tab = kCompareTab;
  edit::SkinSeries series;
  series.axis = edit::sweep_of(document_, 1, 0);
  series.axis_id = "forearm.bend";
  series.axis_unit = "deg";
  series.x = {0, 1};
  series.character = document_.character;
  series.panes = {document_.content.skinning};
  series.numbers.resize(1, std::vector<edit::SkinNumbers>(2));
  measurements_.series = series;
  EXPECT_FALSE(frame().measure_series.has_value());
  edit::apply(document_, {edit::SetPanes{2}, {}, true});
  const Requests again = frame();
  ASSERT_TRUE(again.measure_series.has_value()) << "the curves are of other panes";
  EXPECT_EQ(again.measure_series->joint, 1);
  EXPECT_FALSE(frame().measure_series.has_value()) << "once: a plot that the user cancels stays so";
}

TEST_F(HeadlessWindow, DrawsEveryTabAtEverySizeAndScale) {
  document_.view.select_only(1);
  const glm::vec2 sizes[] = {{1440, 900}, {640, 480}, {320, 240}, {2560, 1440}};
  for (const float scale : {1.0f, 1.5f, 2.0f}) {
    for (const glm::vec2 size : sizes) {
      resize(size, scale);
      for (const Tab& tab : tabs()) {
        workspace_.tab = tab.id;
        frames(2);
        EXPECT_FALSE(workspace_.layout.viewport.empty());
        for (const auto& [name, rect] : report_) {
          EXPECT_TRUE(std::isfinite(rect.x + rect.y + rect.w + rect.h)) << name;
        }
        EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 0);
      }
    }
  }
}

TEST_F(HeadlessWindow, CompareTabOpensPanesAndAsksForTheirNumbers) {
  workspace_.tab = kCompareTab;
  EXPECT_TRUE(frame().measure_numbers);
  frames(2);
  click("compare.count.2");
  EXPECT_EQ(edit::pane_count(document_.content), 3);
  ASSERT_TRUE(report_.contains("pane.2.caption"));
  click("pane.2.caption");
  EXPECT_EQ(document_.view.active_pane, 2);
  click("compare.pane.2.backend.1");
  EXPECT_EQ(edit::skinning_of(document_.content, 2).backend, deform::Backend::kCpu);
  EXPECT_EQ(document_.content.skinning.backend, deform::Backend::kGpu);
  act("compare.wipe");
  EXPECT_TRUE(workspace_.view.wipe);
  ASSERT_TRUE(report_.contains("wipe.handle"));
  EXPECT_FALSE(report_.contains("pane.2")) << "a wipe has two sides";
  const glm::vec2 handle = report_["wipe.handle"].center();
  const float before = workspace_.view.wipe_position;
  const float azimuth = workspace_.camera.azimuth;
  drag(handle, handle + glm::vec2(0.25f * workspace_.layout.viewport.w, 0));
  EXPECT_NEAR(workspace_.view.wipe_position, before + 0.25f, 0.01f);
  EXPECT_EQ(workspace_.camera.azimuth, azimuth) << "the handle does not orbit";
  act("compare.panes");
  act("compare.panes");
  EXPECT_EQ(edit::pane_count(document_.content), 1);
  EXPECT_FALSE(workspace_.view.wipe);
}

TEST_F(HeadlessWindow, APaneThatIsUndoneIsNotComparedWith) {
  act("compare.wipe");
  ASSERT_EQ(edit::pane_count(document_.content), 2);
  EXPECT_TRUE(workspace_.view.wipe);
  act("compare.difference");
  EXPECT_EQ(workspace_.view.compare.reference, render::Reference::kPane);
  frame(find_action("edit.undo"));
  ASSERT_EQ(edit::pane_count(document_.content), 1);
  EXPECT_FALSE(workspace_.view.wipe) << "not even in one picture";
  EXPECT_EQ(workspace_.view.look, render::Look::kDifference);
  EXPECT_EQ(workspace_.view.compare.reference, render::Reference::kBindShape);
  EXPECT_GT(workspace_.view.compare.range, 0);
  edit::apply(document_, {edit::SetPanes{4}, {}, false});
  workspace_.view.compare = {.reference = render::Reference::kPane, .pane = 3};
  frame();
  EXPECT_EQ(workspace_.view.compare.pane, 3);
  edit::apply(document_, {edit::SetPanes{2}, {}, false});
  frame();
  EXPECT_EQ(workspace_.view.compare.reference, render::Reference::kPane);
  EXPECT_EQ(workspace_.view.compare.pane, 0);
}

TEST_F(HeadlessWindow, StrainsBeginOnAFixedScale) {
  workspace_.tab = kCompareTab;
  frames(2);
  click("compare.measure");
  click("compare.measure.2");
  EXPECT_EQ(workspace_.view.compare.measure, measure::Measure::kAreaStrain);
  EXPECT_EQ(workspace_.view.compare.range, measure::info(measure::Measure::kAreaStrain).default_range);
  click("compare.range.0");
  EXPECT_EQ(workspace_.view.compare.range, 0) << "the user's choice";
  click("compare.measure");
  click("compare.measure.0");
  EXPECT_EQ(workspace_.view.compare.range, 0) << "distances have no outliers that hide all others";
}

TEST_F(HeadlessWindow, TheSkinningTabChoosesItsPane) {
  workspace_.tab = kSkinningTab;
  frames(2);
  EXPECT_FALSE(report_.contains("skinning.pane.0")) << "there is but one";
  edit::apply(document_, {edit::SetPanes{3}, {}, false});
  frames(2);
  click("skinning.pane.2");
  EXPECT_EQ(document_.view.active_pane, 2);
  EXPECT_FALSE(report_.contains("skinning.pane.3"));
}

TEST_F(HeadlessWindow, LinesBreakAtSpacesAndNumbersStayWhole) {
  frame();
  const float room = ImGui::CalcTextSize("at most 31.7").x;
  EXPECT_EQ(in_lines("at most 31.76\u2009mm, RMS 1.6", room), "at most\n31.76\u2009mm,\nRMS 1.6");
  EXPECT_EQ(in_lines("at most", room), "at most");
  EXPECT_EQ(in_lines("one\ntwo  three", 1000), "one\ntwo  three");
  EXPECT_EQ(in_lines("incomprehensibilities is a word", room), "incomprehensibilities\nis a word");
  EXPECT_EQ(in_lines("", room), "");
}

TEST_F(HeadlessWindow, AClickOnANumberTypesIt) {
  document_.view.select_only(1);
  frames(2);
  click("dof.forearm.bend.field");
  ImGui::GetIO().AddInputCharactersUTF8("-30");
  frames(3);
  const int bend = edit::joint_dofs(document_, 1).find("bend");
  EXPECT_NEAR(edit::dof_values(document_, 1)[bend], glm::radians(-30.0f), 1e-5f);
}

TEST_F(HeadlessWindow, PlotsAndBatteriesAreRequested) {
  document_.view.select_only(1);
  workspace_.tab = kCompareTab;
  frames(2);
  const Requests plot = frame(find_action("compare.plot-joint"));
  ASSERT_TRUE(plot.measure_series.has_value());
  EXPECT_EQ(plot.measure_series->joint, 1);
  EXPECT_LT(plot.measure_series->from, plot.measure_series->to);
  const Requests battery = frame(find_action("compare.battery"));
  ASSERT_TRUE(battery.run_battery.has_value());
  EXPECT_EQ(battery.battery.random, edit::kBatteryRandomPoses);
  EXPECT_GE(battery.run_battery->size(), 2u);
  resize({900, 600}, 1);
  frame(find_action("compare.battery"));
  frames(4);
  EXPECT_TRUE(report_.contains("battery.run")) << "it is below what fits, and is scrolled to";
  const Requests lesson = frame(find_action("learn.candy-wrapper"));
  EXPECT_EQ(lesson.teach, TeachingRig::kCandyWrapper);
}

TEST_F(HeadlessWindow, EveryGlyphOfTheActionTableIsInTheFont) {
  for (const Action& action : actions()) {
    for (const std::string& text : {std::string(action.label), name_of(action.key)}) {
      const char* at = text.data();
      const char* end = at + text.size();
      while (at < end) {
        unsigned code = static_cast<unsigned char>(*at);
        int length = 1;
        if (code >= 0xE0) {
          code =
              (code & 0x0F) << 12 | (static_cast<unsigned>(at[1]) & 0x3F) << 6 | (static_cast<unsigned>(at[2]) & 0x3F);
          length = 3;
        } else if (code >= 0xC0) {
          code = (code & 0x1F) << 6 | (static_cast<unsigned>(at[1]) & 0x3F);
          length = 2;
        }
        EXPECT_NE(theme_.regular->FindGlyphNoFallback(static_cast<ImWchar>(code)), nullptr) << text << " " << code;
        at += length;
      }
    }
  }
  // Among them theta, root, three quarters, square and minus of the closed forms.
  for (const ImWchar sign :
       std::initializer_list<ImWchar>{0x3B8, 0x221A, 0xBE, 0xB2, 0x2212, 0x3A3, 0x207B, 0x1D40, 0xB0, 0x2081, 0xF04B}) {
    EXPECT_NE(theme_.regular->FindGlyphNoFallback(sign), nullptr) << sign;
  }
}

TEST_F(HeadlessWindow, DraggedSliderSetsTheDofAndIsOneUndoStep) {
  document_.view.select_only(1);
  frames(2);
  const rig::JointDofs dofs = edit::joint_dofs(document_, 1);
  const int bend = dofs.find("bend");
  ASSERT_GE(bend, 0);
  const std::string name = "dof." + document_.character->skeleton->label(1) + ".bend";
  ASSERT_TRUE(report_.contains(name));
  const Rect slider = report_[name];
  const float before = edit::dof_values(document_, 1)[bend];
  drag(slider.center(), {slider.x + slider.w * 0.75f, slider.center().y});
  const float after = edit::dof_values(document_, 1)[bend];
  const rig::Dof& dof = dofs.dofs[bend];
  // The knob's centre travels the track less 6 pixels at either end.
  const float expected = dof.lower + (slider.w * 0.75f - 6) / (slider.w - 12) * (dof.upper - dof.lower);
  EXPECT_NEAR(after, expected, 0.02f);
  EXPECT_NE(after, before);
  ASSERT_EQ(document_.history.cursor(), 1u) << "a drag is one step";
  act("edit.undo");
  EXPECT_NEAR(edit::dof_values(document_, 1)[bend], before, 1e-5f);
  act("edit.redo");
  EXPECT_NEAR(edit::dof_values(document_, 1)[bend], after, 1e-5f);
}

TEST_F(HeadlessWindow, ADoubleClickOnADofIsItsResetInOneStep) {
  document_.view.select_only(1);
  frames(2);
  const int bend = edit::joint_dofs(document_, 1).find("bend");
  ASSERT_GE(bend, 0);
  const auto value = [&] { return edit::dof_values(document_, 1)[bend]; };
  const float base = value();
  const Rect slider = report_["dof." + document_.character->skeleton->label(1) + ".bend"];
  drag(slider.center(), {slider.x + slider.w * 0.75f, slider.center().y});
  const float dragged = value();
  ASSERT_NE(dragged, base);
  frames(60);  // a second: the next press is none of this drag
  const glm::vec2 at(slider.x + slider.w * 0.3f, slider.center().y);
  move(at);
  for (int i = 0; i < 3; ++i) {
    button(true);
    button(false);
    EXPECT_EQ(document_.history.cursor(), 2u) << "the drag, and all the clicks together";
    EXPECT_EQ(value() == base, i > 0) << "a third click does not move it again";
  }
  act("edit.undo");
  EXPECT_EQ(value(), dragged);
  act("edit.undo");
  EXPECT_EQ(value(), base);
}

TEST_F(HeadlessWindow, TwoDragsAreTwoSteps) {
  document_.view.select_only(1);
  frames(2);
  const Rect slider = report_["dof." + document_.character->skeleton->label(1) + ".bend"];
  drag(slider.center(), {slider.x + slider.w * 0.7f, slider.center().y});
  drag({slider.x + slider.w * 0.7f, slider.center().y}, {slider.x + slider.w * 0.3f, slider.center().y});
  EXPECT_EQ(document_.history.cursor(), 2u);
}

TEST_F(HeadlessWindow, ResetButtonTakesOneDofBack) {
  document_.view.select_only(1);
  edit::apply(document_, {edit::SetDof{1, edit::joint_dofs(document_, 1).find("bend"), 0.5f}, {}, true});
  frames(2);
  click("dof." + document_.character->skeleton->label(1) + ".bend.reset");
  const int bend = edit::joint_dofs(document_, 1).find("bend");
  EXPECT_NEAR(edit::dof_values(document_, 1)[bend], 0, 1e-6f);
}

TEST_F(HeadlessWindow, TreeSelectsAJoint) {
  click("tree.joint." + document_.character->skeleton->label(1));
  EXPECT_EQ(document_.view.selected_joint(), 1);
}

TEST_F(HeadlessWindow, TreeChoosesVariantSceneAndCamera) {
  rig::Character character = test::elbow();
  character.variants = {"day", "night"};
  character.scenes.resize(2);
  character.scenes.edit()[0].roots = {0};
  character.cameras.push_back({.name = "eye", .joint = 0});
  open(std::move(character));
  workspace_.panel<TreePanel>().collapsed_groups.clear();
  workspace_.panel<TreePanel>().rows_valid = false;
  frames(2);
  click("tree.variant.night");
  EXPECT_EQ(workspace_.view.variant, 1);
  click("tree.variant.night");
  EXPECT_EQ(workspace_.view.variant, -1);
  const render::Camera before = workspace_.camera;
  click("tree.camera.eye");
  EXPECT_NE(workspace_.camera, before);
  EXPECT_EQ(workspace_.camera.azimuth, 0);
  // The pose takes it along until the user moves it.
  const glm::vec3 eye = workspace_.camera.eye();
  Transform moved = rig::rest_pose(*document_.character).local[0];
  moved.translation.x += 0.5f;
  edit::apply(document_, {edit::SetJointLocal{0, moved}, {}, false});
  frames(2);
  EXPECT_NEAR(workspace_.camera.eye().x, eye.x + 0.5f, 1e-5f);
  act("view.right");
  const render::Camera own = workspace_.camera;
  moved.translation.x += 0.5f;
  edit::apply(document_, {edit::SetJointLocal{0, moved}, {}, false});
  frames(2);
  EXPECT_EQ(workspace_.camera, own);
  // One that is rolled is shown so, until it is orbited away from or a side is looked at.
  moved.rotation = glm::angleAxis(1.0f, glm::vec3(0, 0, 1));
  edit::apply(document_, {edit::SetJointLocal{0, moved}, {}, false});
  click("tree.camera.eye");
  EXPECT_NEAR(workspace_.camera.roll, 1.0f, 1e-5f);
  const glm::vec2 center = report_["viewport"].center();
  drag(center, center + glm::vec2(0.3f * workspace_.layout.viewport.h, 0));
  EXPECT_EQ(workspace_.camera.roll, 0);
  EXPECT_FALSE(workspace_.looked_through.has_value());
  click("tree.camera.eye");
  act("view.front");
  EXPECT_EQ(workspace_.camera.roll, 0);
  click("tree.scene.scene 1");
  EXPECT_EQ(document_.character->scene, 1);
  EXPECT_TRUE(document_.character->parts.empty());
}

TEST_F(HeadlessWindow, AMaterialsRowSelectsTheNodeThatWearsIt) {
  rig::Character character = test::elbow();
  character.materials.resize(2);
  character.materials.edit()[1].name = "hide";
  character.meshes.edit(0).primitives.edit(0).material = 1;
  const int wearer = character.parts[0].joint;
  open(std::move(character));
  workspace_.panel<TreePanel>().collapsed_groups.clear();
  workspace_.panel<TreePanel>().rows_valid = false;
  document_.view.select_only(-1);
  frames(2);
  click("tree.material 0");
  EXPECT_EQ(document_.view.selected_joint(), -1) << "nothing wears it";
  click("tree.hide");
  EXPECT_EQ(document_.view.selected_joint(), wearer);
}

TEST_F(HeadlessWindow, ShapesOfOneNameMoveTogetherUnlessAskedNotTo) {
  rig::Character character = test::random_rig({.joints = 3, .vertices = 6, .morph_targets = 2});
  character.meshes.push_back(character.meshes[0]);
  character.meshes.edit(1).morph_names = {"target_1", "own"};
  character.mesh_nodes.push_back({.joint = 0, .mesh = 1, .skin = 0, .morph_weights = {}});
  rig::finish(character);
  open(std::move(character));
  workspace_.tab = kShapesTab;
  frames(2);
  const auto flat = [&](const rig::MeshNode& node, int target) {
    return document_.character->morph_offset[node.joint] + target;
  };
  const int here = flat(document_.character->mesh_nodes[0], 1);
  const int there = flat(document_.character->mesh_nodes[1], 0);
  const auto weight = [&](int index) {
    evaluation_.update(document_);
    return evaluation_.pose().morph_weights[index];
  };
  ASSERT_TRUE(report_.contains("shape.own"));
  const Rect slider = report_["shape.target_1"];
  drag(slider.center(), {slider.x + slider.w * 0.7f, slider.center().y});
  EXPECT_GT(weight(here), 0.5f);
  EXPECT_EQ(weight(there), weight(here));
  EXPECT_EQ(weight(flat(document_.character->mesh_nodes[1], 1)), 0);
  EXPECT_EQ(document_.history.cursor(), 1u) << "one step, however many meshes";
  click("shape.target_1.reset");
  EXPECT_EQ(weight(here), 0);
  EXPECT_EQ(weight(there), 0);
  EXPECT_EQ(document_.history.cursor(), 2u);
  click("shapes.together");
  const Rect other = report_["shape.target_1"];  // now the second mesh's, which is drawn last
  drag(other.center(), {other.x + other.w * 0.7f, other.center().y});
  EXPECT_NE(weight(there), weight(here));
  ASSERT_EQ(weight(here), 0);
  click("shapes.together");
  click("shape.target_1.reset");
  EXPECT_EQ(weight(there), 0) << "one that is moved is enough to reset them all";
}

TEST_F(HeadlessWindow, TheTabsOfEveryModeStandInOneRowWithTheirWords) {
  for (const bool narrow : {false, true}) {
    resize(narrow ? glm::vec2(900, 600) : glm::vec2(1440, 900), narrow ? 2.0f : 1.0f);
    for (const Mode& mode : modes()) {
      enter_mode(workspace_, mode.id);
      frames(2);
      const Rect panel = report_["panel.tabs"];
      float end = panel.x;
      for (const Tab* row : tabs_of(mode)) {
        const std::string_view id = row->id;
        const std::string name = "tab." + std::string(id);
        ASSERT_TRUE(report_.contains(name)) << name;
        const Rect tab = report_[name];
        EXPECT_GE(tab.x + 1, end) << name;
        end = tab.x + tab.w;
        EXPECT_LE(end, panel.x + panel.w + 1) << name;
        const ImFont& font = *theme_.small;
        EXPECT_GE(tab.w, font.CalcTextSizeA(font.FontSize, FLT_MAX, 0, find_tab(id)->label).x) << name;
        click(name);
        EXPECT_EQ(workspace_.tab, id);
        EXPECT_EQ(workspace_.mode, mode.id) << "a tab of its own leaves the mode alone";
      }
    }
  }
}

// Neither a word beside a checkbox nor a button may be cut by the panel's edge.
TEST_F(HeadlessWindow, NothingReachesBeyondThePanelOfTabs) {
  document_.view.select_only(1);
  for (const float scale : {1.0f, 2.0f}) {
    for (const glm::vec2 size : {glm::vec2(1440, 900), glm::vec2(900, 600), glm::vec2(640, 480)}) {
      resize(size, scale);
      for (const Tab& tab : tabs()) {
        workspace_.tab = tab.id;
        frames(2);
        const Rect panel = report_["panel.tabs"];
        for (const auto& [name, rect] : report_) {
          if (panel.w > 0 && rect.x >= panel.x && rect.y >= panel.y && rect.y < panel.y + panel.h) {
            EXPECT_LE(rect.x + rect.w, panel.x + panel.w + 0.5f)
                << name << " in tab " << tab.id << " of " << size.x << " by " << size.y << " at " << scale;
          }
        }
      }
    }
  }
}

TEST_F(HeadlessWindow, EscapeClosesTheDropDownBeforeTheDialog) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Escape] = 1;
  const auto escape = [&] {
    for (const bool down : {true, false}) {
      io.KeysDown[1] = down;
      frames(2);
    }
  };
  resize({900, 600}, 2);  // where the choices take more rows
  act("file.export");
  frames(3);
  for (const char* choice : {"export.influences", "export.meshopt", "export.strip-joints", "export.embed"}) {
    ASSERT_TRUE(report_.contains(choice)) << choice;
    EXPECT_LE(report_[choice].x + report_[choice].w, 900) << choice;
    EXPECT_LE(report_[choice].y + report_[choice].h, report_["browser.accept"].y) << choice;
  }
  click("export.weights");
  ASSERT_TRUE(report_.contains("export.weights.1"));
  escape();
  EXPECT_FALSE(report_.contains("export.weights.1"));
  EXPECT_TRUE(workspace_.browser.visible);
  EXPECT_TRUE(report_.contains("export.weights"));
  EXPECT_EQ(static_cast<int>(workspace_.browser.export_choices.weights), 0) << "nothing was chosen";
  escape();
  EXPECT_FALSE(workspace_.browser.visible);
}

TEST_F(HeadlessWindow, TheBackendIsOneSwitchEverywhere) {
  workspace_.tab = kSkinningTab;
  frames(2);
  click("skinning.backend.1");
  EXPECT_EQ(document_.content.skinning.backend, deform::Backend::kCpu);
  act("skinning.backend");
  EXPECT_EQ(document_.content.skinning.backend, deform::Backend::kGpu);
  EXPECT_EQ(document_.history.cursor(), 2u);
}

TEST_F(HeadlessWindow, WeightsOnADietFollowTheirWidgets) {
  resize({1440, 1600}, 1);
  open(test::random_rig({.seed = 4, .joints = 30, .influences = 4}));
  document_.view.select_only(-1);
  workspace_.tab = kSkinningTab;
  frames(2);
  ASSERT_TRUE(workspace_.panel<SkinningPanel>().figures);
  EXPECT_EQ(workspace_.panel<SkinningPanel>().figures->now.bytes_per_vertex, 20);

  click("skinning.format");
  click("skinning.format.2");
  EXPECT_EQ(document_.content.skinning.weight_format, deform::WeightFormat::kUnorm8);
  EXPECT_EQ(workspace_.panel<SkinningPanel>().figures->now.bytes_per_vertex, 8);
  EXPECT_EQ(workspace_.panel<SkinningPanel>().figures->full.bytes_per_vertex, 20);
  EXPECT_NEAR(workspace_.panel<SkinningPanel>().figures->error->max, 0, 1e-5)
      << "at binding any weights give the bind shape";

  const std::size_t steps = document_.history.cursor();
  const Rect slider = report_["skinning.influences"];
  drag({slider.x + slider.w - 3, slider.center().y}, {slider.x + 3, slider.center().y});
  EXPECT_EQ(document_.content.skinning.influence_limit, 1);
  EXPECT_EQ(document_.history.cursor(), steps + 1) << "a drag is one step";
  EXPECT_EQ(workspace_.panel<SkinningPanel>().figures->now.bytes_per_vertex, 2);
  EXPECT_EQ(workspace_.panel<SkinningPanel>().figures->histogram.mean(), 1);

  click("skinning.partition");
  EXPECT_TRUE(document_.content.skinning.partition);
  EXPECT_GT(workspace_.panel<SkinningPanel>().figures->now.rigid_triangles +
                workspace_.panel<SkinningPanel>().figures->now.skinned_triangles,
            0);

  edit::apply(document_, {edit::SetDof{3, 0, 0.5f}, {}, true});
  frames(2);
  EXPECT_GT(workspace_.panel<SkinningPanel>().figures->error->max, 1e-4);
  click("skinning.diet.worst");
  EXPECT_EQ(document_.view.pinned_part, 0);

  click("skinning.diet.map");
  EXPECT_EQ(workspace_.view.look, render::Look::kDifference);
  EXPECT_EQ(workspace_.view.compare.reference, render::Reference::kFullPrecision);
  click("skinning.diet.map");
  EXPECT_EQ(workspace_.view.look, render::Look::kShaded);
}

TEST_F(HeadlessWindow, ADietIsMeasuredOverABattery) {
  resize({1440, 1600}, 1);
  edit::apply(document_, {edit::SetSkinning{{.influence_limit = 1}}, {}, true});
  workspace_.tab = kSkinningTab;
  frames(2);
  click("skinning.diet.clip");
  EXPECT_EQ(workspace_.panel<SkinningPanel>().run, nullptr) << "there is no clip";
  workspace_.battery = {.random = 3, .seed = 7};
  click("skinning.diet.battery");
  ASSERT_NE(workspace_.panel<SkinningPanel>().run, nullptr);
  ASSERT_TRUE(test::eventually(
      [&] {
        frames(1);
        return !workspace_.panel<SkinningPanel>().run->active();
      },
      std::chrono::milliseconds(10)));
  const DietRun::Result* result = workspace_.panel<SkinningPanel>().run->result();
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->poses, edit::make_battery(document_, workspace_.battery).size()) << "what methods are tried in";
  EXPECT_GT(result->error.max, 0);
  ASSERT_TRUE(result->worst_pose);
  frames(2);
  click("skinning.diet.worst-pose");
  frames(2);
  EXPECT_NEAR(workspace_.panel<SkinningPanel>().figures->error->max, result->error.max, 1e-9)
      << "the pose shown is that one now";
  EXPECT_EQ(document_.view.pinned_vertex, result->error.worst_vertex);
}

TEST_F(HeadlessWindow, MethodParametersAreWidgets) {
  resize({1440, 1600}, 1);
  workspace_.tab = kSkinningTab;
  const auto methods = deform::skinning_methods();
  for (std::size_t m = 0; m < methods.size(); ++m) {
    edit::apply(document_, {edit::SetSkinning{{.method = static_cast<int>(m)}}, {}, true});
    frames(2);
    for (const deform::MethodParameter& parameter : methods[m].parameters) {
      EXPECT_TRUE(report_.contains(fmt::format("skinning.parameter.{}", parameter.id)))
          << methods[m].id << " " << parameter.id;
    }
  }
}

TEST_F(HeadlessWindow, NormalsThatAMethodDoesNotDistinguishCannotBeChosen) {
  workspace_.tab = kSkinningTab;
  const int rigid = deform::find_method("rigid");
  edit::apply(document_, {edit::SetSkinning{{.method = rigid}}, {}, true});
  frames(2);
  click("skinning.normals");
  click("skinning.normals.5");
  EXPECT_EQ(document_.content.skinning.normals, deform::NormalVariant::kInverseTransposeOfBlend);
  click("skinning.normals.0");
  EXPECT_EQ(document_.content.skinning.normals, deform::NormalVariant::kBlend);
}

TEST_F(HeadlessWindow, ClickOnTheSkinSelectsTheJointThatMovesItMost) {
  open(test::cylinder());
  workspace_.camera.azimuth = 0.4f;
  workspace_.camera.elevation = 0.3f;
  framed_ = false;
  frames(2);
  // A point of the wall near the free end, on the side of the camera: moved by the tip.
  const deform::DeformedPart& part = evaluation_.deformed(document_).parts[0];
  glm::vec3 target = part.positions[0];
  for (int around = 0; around < test::kCylinderAround; ++around) {
    const glm::vec3 at = part.positions[test::cylinder_vertex(test::kCylinderRings - 4, around)];
    if (glm::distance(at, workspace_.camera.eye()) < glm::distance(target, workspace_.camera.eye()) || around == 0) {
      target = at;
    }
  }
  const Rect view = workspace_.layout.viewport;
  const glm::vec4 clip =
      workspace_.camera.clip_from_view(view.w / view.h) * workspace_.camera.view_from_world() * glm::vec4(target, 1.0f);
  const glm::vec2 pixel(view.x + (clip.x / clip.w * 0.5f + 0.5f) * view.w,
                        view.y + (0.5f - clip.y / clip.w * 0.5f) * view.h);
  move(pixel);
  button(true);
  button(false);
  ASSERT_GE(document_.view.selected_joint(), 0);
  EXPECT_EQ(document_.character->skeleton->label(document_.view.selected_joint()), "tip");

  act("edit.deselect");  // its rings would be in the way
  workspace_.tab = kWeightsTab;
  frames(2);
  move(pixel);
  EXPECT_TRUE(workspace_.viewport.hovered_vertex.has_value());
  // Longer than a double click apart.
  for (int i = 0; i < 40; ++i) {
    frame();
  }
  button(true);
  button(false);
  EXPECT_EQ(document_.view.pinned_part, 0);
  EXPECT_GE(document_.view.pinned_vertex, 0);
  act("edit.deselect");
  EXPECT_EQ(document_.view.pinned_vertex, -1);
}

TEST_F(HeadlessWindow, ThePinnedVertexIsToldStepByStep) {
  resize({1440, 1600}, 1);
  workspace_.tab = kWeightsTab;
  frames(2);
  EXPECT_FALSE(report_.contains("vertex.result")) << "nothing is pinned";
  document_.view.pinned_part = 0;
  document_.view.pinned_vertex = 0;
  frames(2);
  for (const char* row : {"vertex.bind", "vertex.local.upper_arm", "vertex.ghost.upper_arm", "vertex.local.forearm",
                          "vertex.ghost.forearm", "vertex.sum", "vertex.result", "vertex.stored", "vertex.off"}) {
    EXPECT_TRUE(report_.contains(row)) << row;
  }
  EXPECT_FALSE(report_.contains("vertex.normal")) << "the elbow's one vertex has no normal";
  EXPECT_LT(report_["vertex.bind"].y, report_["vertex.local.upper_arm"].y);
  EXPECT_LT(report_["vertex.ghost.upper_arm"].y, report_["vertex.ghost.forearm"].y) << "heaviest first";
  EXPECT_LT(report_["vertex.ghost.forearm"].y, report_["vertex.sum"].y);
  click("weights.influence.forearm");
  EXPECT_EQ(document_.view.selected_joint(), 1);
  click("weights.ghosts");
  EXPECT_FALSE(workspace_.view.ghost_points);
  click("weights.unpin");
  EXPECT_EQ(document_.view.pinned_vertex, -1);
  EXPECT_FALSE(report_.contains("vertex.result"));

  open(test::cylinder());
  document_.view.pinned_part = 0;
  document_.view.pinned_vertex = 0;
  frames(2);
  EXPECT_TRUE(report_.contains("vertex.normal"));
  EXPECT_TRUE(report_.contains("vertex.normal.bind"));
}

TEST_F(HeadlessWindow, AJointHasItsMatricesAndItsSkinIsBoundAnew) {
  resize({1440, 2000}, 1);
  open(test::cylinder());
  stats_.batches = {{.part = 0, .batch = 0, .joints = 2, .triangles = 1, .vertices = 1, .palette = {1, 0}}};
  workspace_.tab = kPoseTab;
  document_.view.select_only(1);
  edit::apply(document_, {edit::SetDof{1, 0, 0.7f}, {}, true});
  frames(2);
  EXPECT_FALSE(report_.contains("matrices.world")) << "folded at first";
  click("section.Matrices");
  for (const char* name : {"matrices.local", "matrices.world", "matrices.inverse-bind", "matrices.skin-matrix",
                           "matrices.residual", "matrices.off-rigid", "matrices.palette"}) {
    EXPECT_TRUE(report_.contains(name)) << name;
  }
  EXPECT_FALSE(report_.contains("matrices.skin")) << "there is one";
  const std::shared_ptr<const rig::Character> before = document_.character;
  click("matrices.rebind");
  EXPECT_NE(document_.character, before);
  EXPECT_EQ(document_.history.undo_label(), "Re-bind cylinder");
  act("edit.undo");
  EXPECT_EQ(document_.character, before);
  // A joint without extent cannot be bound.
  edit::apply(document_, {edit::SetJointLocal{1, {.translation = {0.5f, 0, 0}, .scale = {0, 1, 1}}, false}, {}, true});
  frames(2);
  click("matrices.rebind");
  EXPECT_EQ(document_.character, before);
  document_.view.select_only(2);
  frames(2);
  EXPECT_TRUE(report_.contains("matrices.world"));
  EXPECT_FALSE(report_.contains("matrices.inverse-bind")) << "no skin lists the mesh's node";
}

TEST_F(HeadlessWindow, APinnedVertexHasARowOfNumbers) {
  resize({1440, 1600}, 1);
  workspace_.tab = kCompareTab;
  edit::SkinNumbers numbers;
  measurements_.numbers = PoseNumbers{{numbers}, 1, {}, 0};
  frames(2);
  EXPECT_FALSE(report_.contains("compare.number.pinned_distance.0"));
  measurements_.numbers->panes[0].pinned = 1;
  measurements_.numbers->panes[0].bind_pinned = 2;
  frames(2);
  EXPECT_TRUE(report_.contains("compare.number.pinned_distance.0"));
}

TEST_F(HeadlessWindow, FastRenormalisationShowsItsError) {
  resize({1440, 2000}, 1);
  open(test::cylinder());
  workspace_.tab = kSkinningTab;
  frames(2);
  EXPECT_FALSE(report_.contains("skinning.fast-normals"));
  edit::apply(document_, {edit::SetSkinning{{.normals = deform::NormalVariant::kFastRenormalised}}, {}, true});
  frames(2);
  EXPECT_TRUE(report_.contains("skinning.fast-normals"));
  EXPECT_TRUE(report_.contains("skinning.fast-normals.worst"));
  edit::apply(
      document_,
      {edit::SetSkinning{{.method = deform::find_method("ddm"), .normals = deform::NormalVariant::kFastRenormalised}},
       {},
       true});
  frames(2);
  EXPECT_FALSE(report_.contains("skinning.fast-normals")) << "a method that does not offer it shows another variant";
}

TEST_F(HeadlessWindow, TheSkinningTabMeasuresLoopOrderAndCountsLostNormals) {
  resize({1440, 2400}, 1);
  open(test::cylinder());
  workspace_.tab = kSkinningTab;
  frames(2);
  EXPECT_TRUE(report_.contains("skinning.update"));
  EXPECT_TRUE(report_.contains("skinning.draw"));
  EXPECT_FALSE(workspace_.panel<SkinningPanel>().loop_order) << "on request";
  click("skinning.loop-order");
  ASSERT_TRUE(workspace_.panel<SkinningPanel>().loop_order);
  EXPECT_GT(workspace_.panel<SkinningPanel>().loop_order->ratio(), 0);

  EXPECT_TRUE(report_.contains("skinning.lost-normals"));
  ASSERT_TRUE(workspace_.panel<SkinningPanel>().normal_count.normals);
  EXPECT_EQ(workspace_.panel<SkinningPanel>().normal_count.normals->count, 0);
  // Half a turn: the ring of weights one half loses its normals under variant a, none points along the axis.
  edit::apply(document_, {edit::SetSkinning{{.normals = deform::NormalVariant::kBlend}}, {}, true});
  edit::apply(
      document_,
      {edit::SetJointLocal{1, {.translation = {0.5f, 0, 0}, .rotation = glm::quat(0, 1, 0, 0)}, false}, {}, true});
  move({5, 5});
  frames(2);
  ASSERT_TRUE(workspace_.panel<SkinningPanel>().normal_count.normals);
  EXPECT_EQ(workspace_.panel<SkinningPanel>().normal_count.normals->count, 32);
  click("skinning.lost-normals");
  EXPECT_EQ(document_.view.pinned_vertex, static_cast<int>(test::cylinder_vertex(20, 0)));
}

TEST_F(HeadlessWindow, RigidPartsArePulledApartAndColoured) {
  resize({1440, 2400}, 1);
  open(test::cylinder());
  workspace_.tab = kSkinningTab;
  frames(2);
  const Rect slider = report_["surface.explode"];
  move({slider.x + 7, slider.center().y});
  button(true);
  ImGui::GetIO().MousePos = ImVec2(slider.center().x, slider.center().y);
  const Requests requests = frame();
  ASSERT_TRUE(requests.surface);
  EXPECT_NEAR(requests.surface->explode, 1.0f, 0.1f);
  button(false);
  click("surface.rigid-colors");
  EXPECT_EQ(workspace_.view.look, render::Look::kBatches);
  EXPECT_TRUE(document_.content.skinning.partition);
  click("surface.rigid-colors");
  EXPECT_EQ(workspace_.view.look, render::Look::kShaded);
  EXPECT_FALSE(document_.content.skinning.partition);
}

TEST_F(HeadlessWindow, LeftDragOrbitsAndShiftPans) {
  frames(2);
  const render::Camera before = workspace_.camera;
  const Rect view = workspace_.layout.viewport;
  const glm::vec2 corner(view.x + view.w - 40, view.y + view.h - 40);  // away from character and rings
  drag(corner, corner - glm::vec2(120, 60));
  EXPECT_NE(workspace_.camera.azimuth, before.azimuth);
  EXPECT_EQ(workspace_.camera.pivot, before.pivot);
  const render::Camera orbited = workspace_.camera;
  ImGui::GetIO().KeyShift = true;
  drag(corner, corner - glm::vec2(120, 60));
  ImGui::GetIO().KeyShift = false;
  EXPECT_EQ(workspace_.camera.azimuth, orbited.azimuth);
  EXPECT_NE(workspace_.camera.pivot, orbited.pivot);
  EXPECT_FALSE(document_.history.can_undo()) << "the camera is not part of the document";
}

TEST_F(HeadlessWindow, BlenderSchemeOrbitsWithTheMiddleButtonOnly) {
  workspace_.preferences.mouse = MouseScheme::kBlender;
  const Rect view = workspace_.layout.viewport;
  const glm::vec2 corner(view.x + view.w - 40, view.y + view.h - 40);
  const render::Camera before = workspace_.camera;
  drag(corner, corner - glm::vec2(120, 60));
  EXPECT_EQ(workspace_.camera, before);
  move(corner);
  ImGui::GetIO().MouseDown[2] = true;
  frames(2);
  move(corner - glm::vec2(60, 30));
  move(corner - glm::vec2(120, 60));
  ImGui::GetIO().MouseDown[2] = false;
  frames(2);
  EXPECT_NE(workspace_.camera.azimuth, before.azimuth);
}

TEST_F(HeadlessWindow, FramingKeepsClearOfTheToolbarAlsoAsPanesComeAndGo) {
  resize({640, 480}, 1);
  frames(3);
  const auto top_of_character = [&] {
    const glm::vec2 pane = pane_size(workspace_, document_);
    const render::Camera& camera = workspace_.camera;
    const glm::mat4 clip = camera.clip_from_view(pane.x / pane.y) * camera.view_from_world();
    float top = pane.y;
    for (const glm::vec3& point : evaluation_.deformed(document_).parts[0].positions) {
      const glm::vec4 at = clip * glm::vec4(point, 1.0f);
      top = std::min(top, (0.5f - 0.5f * at.y / at.w) * pane.y);
    }
    return top + report_["viewport"].y;
  };
  const Rect& toolbar = workspace_.viewport.toolbar;
  ASSERT_FALSE(toolbar.empty());
  EXPECT_GE(top_of_character(), toolbar.y + toolbar.h - 1);
  edit::apply(document_, {edit::SetPanes{4}, {}, true});  // half as high, as wide for their height as before
  frames(3);
  EXPECT_GE(top_of_character(), toolbar.y + toolbar.h - 1);
  edit::apply(document_, {edit::SetPanes{1}, {}, true});
  for (const float scale : {1.25f, 1.0f}) {
    resize({760, 560}, scale);
    frame();
    ASSERT_FALSE(toolbar.empty());
    EXPECT_GE(top_of_character(), toolbar.y + toolbar.h - 1) << "in the first picture at the other scale";
  }
  // The box that is framed around a joint.
  document_.view.select_only(1);
  act("view.frame");
  const render::Camera framed = workspace_.camera;
  render::Camera uncovered = framed;
  Bounds box;
  const glm::vec3 room(0.06f * evaluation_.deformed(document_).bounds.diagonal());
  for (const int j : document_.character->skeleton->subtree(1)) {
    const glm::vec3 at(evaluation_.world()[j][3]);
    box.add(at - room);
    box.add(at + room);
  }
  const FramingRoom all = framing_room(workspace_, document_);
  ASSERT_GT(all.covered, 0);
  render::frame(uncovered, box, all.pane.x / all.pane.y, all.covered);
  EXPECT_NEAR(framed.distance, uncovered.distance, 1e-4f * uncovered.distance);
}

TEST_F(HeadlessWindow, APinnedVertexIsFramedWhereNoJointIsSelected) {
  document_.view.pinned_part = 0;
  document_.view.pinned_vertex = 0;
  const glm::vec3 point = evaluation_.deformed(document_).parts[0].positions.at(0);
  act("view.frame");
  EXPECT_LT(glm::distance(workspace_.camera.pivot, point), 1e-5f);
  document_.view.select_only(1);
  act("view.frame");
  EXPECT_GT(glm::distance(workspace_.camera.pivot, point), 1e-3f);
}

TEST_F(HeadlessWindow, AMapWithoutAScaleHasNoLegend) {
  act("compare.difference");
  EXPECT_FALSE(report_.contains("legend")) << "its reference is still being prepared";
  stats_.difference = render::DifferenceScale{};
  frame();
  EXPECT_TRUE(report_.contains("legend"));
}

TEST_F(HeadlessWindow, WheelZoomsTowardsTheCursor) {
  const Rect view = workspace_.layout.viewport;
  const float before = workspace_.camera.distance;
  move(view.center());
  ImGui::GetIO().MouseWheel = 2;
  frame();
  EXPECT_LT(workspace_.camera.distance, before);
}

TEST_F(HeadlessWindow, RingsAreTheDofAxesOfThePosedJoint) {
  document_.view.select_only(1);
  edit::apply(document_, {edit::SetDof{1, edit::joint_dofs(document_, 1).find("twist"), 0.7f}, {}, true});
  frames(2);
  evaluation_.update(document_);
  Scene scene;
  scene.document = &document_;
  scene.pose = &evaluation_.pose();
  scene.world = evaluation_.world();
  Requests requests;
  const Desk desk{scene, workspace_, requests, report_, theme_};
  const std::vector<float> values = edit::dof_values(document_, 1);
  for (const Ring& ring : rotation_rings(desk)) {
    // Turning the DOF a little must turn the joint about the ring's axis.
    edit::Document turned = document_;
    constexpr float kStep = 1e-3f;
    edit::apply(turned, {edit::SetDof{1, ring.dof, values[ring.dof] + kStep}, {}, true});
    edit::Evaluation after;
    after.update(turned);
    const glm::mat3 delta = glm::mat3(after.world()[1]) * glm::inverse(glm::mat3(evaluation_.world()[1]));
    const glm::vec3 axis(delta[1][2] - delta[2][1], delta[2][0] - delta[0][2], delta[0][1] - delta[1][0]);
    EXPECT_NEAR(glm::length(axis) / 2, kStep, 1e-5f);
    EXPECT_GT(glm::dot(glm::normalize(axis), ring.axis), 0.999f) << "dof " << ring.dof;
  }
}

TEST_F(HeadlessWindow, DraggedRingTurnsItsDofByTheAngleOfTheMouse) {
  open(test::cylinder());
  document_.view.select_only(document_.character->skeleton->find("tip"));
  ASSERT_GE(document_.view.selected_joint(), 0);
  // Along the axis the ring is a circle on the screen.
  frames(1);
  Scene scene;
  scene.document = &document_;
  scene.pose = &evaluation_.pose();
  scene.world = evaluation_.world();
  Requests requests;
  const Desk desk{scene, workspace_, requests, report_, theme_};
  for (const Ring& ring : rotation_rings(desk)) {
    render::Camera& camera = workspace_.camera;
    camera.pivot = ring.center;
    camera.azimuth = std::atan2(ring.axis.x, ring.axis.z);
    camera.elevation = std::asin(std::clamp(ring.axis.y, -1.0f, 1.0f));
    frames(2);
    const std::vector<Ring> rings = rotation_rings(desk);
    float radius = 0;
    for (const Ring& other : rings) {
      radius = other.dof == ring.dof ? other.radius : radius;
    }
    const Rect view = workspace_.layout.viewport;
    // Pixels per metre at the pivot, which is in the middle of the picture.
    const float pixels = view.h / (2 * camera.distance * std::tan(camera.yfov / 2)) * radius;
    const auto on_ring = [&](float angle) {
      return view.center() + pixels * glm::vec2(std::cos(angle), -std::sin(angle));
    };
    const std::size_t slot = ring.dof;
    const float before = edit::dof_values(document_, document_.view.selected_joint())[slot];
    const std::size_t steps = document_.history.cursor();
    drag(on_ring(0.5f), on_ring(0.9f));
    // Seen against the axis, counter-clockwise on the screen is a positive turn.
    EXPECT_NEAR(edit::dof_values(document_, document_.view.selected_joint())[slot] - before, 0.4f, 0.03f)
        << "dof " << ring.dof;
    EXPECT_EQ(document_.history.cursor(), steps + 1);
    act("edit.undo");
  }
}

// Esc during the drag of a ring leaves pose and history as they were; what the mouse does until it is released is lost.
TEST_F(HeadlessWindow, EscapeCancelsADragInAnyTab) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Escape] = 1;
  open(test::cylinder());
  document_.view.select_only(document_.character->skeleton->find("tip"));
  for (const std::string_view tab : {kPoseTab, kInfoTab, kSkinningTab}) {
    workspace_.tab = tab;
    workspace_.view.skeleton = false;
    frames(3);
    Scene scene;
    scene.document = &document_;
    scene.pose = &evaluation_.pose();
    scene.world = evaluation_.world();
    Requests requests;
    const Desk desk{scene, workspace_, requests, report_, theme_};
    const Ring ring = rotation_rings(desk).front();
    render::Camera& camera = workspace_.camera;
    camera.pivot = ring.center;
    camera.azimuth = std::atan2(ring.axis.x, ring.axis.z);
    camera.elevation = std::asin(std::clamp(ring.axis.y, -1.0f, 1.0f));
    frames(2);
    const Rect view = workspace_.layout.viewport;
    const float pixels =
        view.h / (2 * camera.distance * std::tan(camera.yfov / 2)) * rotation_rings(desk).front().radius;
    const auto on_ring = [&](float angle) {
      return view.center() + pixels * glm::vec2(std::cos(angle), -std::sin(angle));
    };
    const edit::Content before = document_.content;
    move(on_ring(0.5f));
    EXPECT_GE(workspace_.viewport.hovered_ring, 0) << "the gizmo shows in every tab";
    button(true);
    move(on_ring(0.9f));
    EXPECT_NE(document_.content, before);
    io.KeysDown[1] = true;
    frames(1);
    io.KeysDown[1] = false;
    EXPECT_EQ(document_.content, before);
    move(on_ring(1.3f));
    button(false);
    EXPECT_EQ(document_.content, before);
    EXPECT_FALSE(document_.history.can_undo());
    EXPECT_EQ(document_.view.selected_joint(), 1) << "no click either";
  }
}

TEST_F(HeadlessWindow, MirrorsFromThePanelAndTheMenu) {
  rig::Character character;
  test::add_node(character, "hips", -1, {});
  for (const char* side : {"l", "r"}) {
    const float x = side[0] == 'l' ? 1.0f : -1.0f;
    const int arm = test::add_node(character, std::string("arm_") + side, 0, {.translation = {x, 0, 0}});
    test::add_node(character, std::string("hand_") + side, arm, {.translation = {x, 0, 0}});
  }
  rig::finish(character);
  open(std::move(character));
  workspace_.tab = kPoseTab;
  resize({1400, 1400}, 1);
  frames(3);
  for (const int joint : {1, 2}) {
    edit::apply(document_, {edit::SetDof{joint, 0, 0.5f}, {}, true});
  }
  document_.view.select_only(2);
  frames(2);
  click("pose.mirror.left-to-right");
  EXPECT_EQ(document_.content.overrides->size(), 3u) << "the hand alone is selected";
  EXPECT_TRUE(document_.content.overrides->contains(4));
  EXPECT_EQ(document_.history.undo_label(), "Mirror left to right from hand_l");
  act("edit.undo");
  act("edit.mirror-limb");
  act("edit.mirror-left-to-right");
  EXPECT_EQ(document_.content.overrides->size(), 4u);
  act("edit.undo");
  act("edit.mirror");
  EXPECT_TRUE(document_.content.overrides->contains(3));
  EXPECT_FALSE(document_.content.overrides->contains(1));
  EXPECT_EQ(document_.history.undo_label(), "Swap left and right");
}

TEST_F(HeadlessWindow, TreeHidesWhatAllJointsHaveBeforeTheirNames) {
  rig::Character character;
  for (const char* name : {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Head", "mixamorig:LeftArm"}) {
    test::add_node(character, name, character.skeleton->size() - 1, {});
  }
  rig::finish(character);
  open(std::move(character));
  EXPECT_EQ(workspace_.panel<TreePanel>().prefix, "mixamorig:");
  EXPECT_TRUE(report_.contains("tree.joint.mixamorig:Hips")) << "the name itself is whole";
  workspace_.panel<TreePanel>().filter = "mixa";
  workspace_.panel<TreePanel>().rows_valid = false;
  frames(2);
  EXPECT_TRUE(report_.contains("tree.joint.mixamorig:Hips")) << "and is what is searched";
  open(test::cylinder());
  EXPECT_EQ(workspace_.panel<TreePanel>().prefix, "");
}

TEST_F(HeadlessWindow, LongNamesKeepBothEnds) {
  const auto width = [](const char* what) { return ImGui::CalcTextSize(what).x; };
  EXPECT_EQ(fitted_in_the_middle("upperarm_twist_01_l", 1000), "upperarm_twist_01_l");
  for (float room = width("u\u2026l"); room < width("upperarm_twist_01_l") - 1; room += 3) {
    const std::string cut = fitted_in_the_middle("upperarm_twist_01_l", room);
    EXPECT_LE(width(cut.c_str()), room);
    EXPECT_TRUE(cut.starts_with("u")) << cut;
    EXPECT_TRUE(cut.ends_with("l")) << cut;
    EXPECT_NE(cut.find("\u2026"), std::string::npos);
  }
  // Characters of several bytes stay whole.
  const std::string cut = fitted_in_the_middle("\u5de6\u8155\u5de6\u8155\u5de6\u8155", width("\u5de6\u8155\u2026"));
  EXPECT_EQ(cut.size() % 3, 0u);
  EXPECT_EQ(fitted_in_the_middle("abc", 0), "\u2026");
}

// A clip that leaves the place it begins in is framed as a whole while it plays, and as it is seen while it rests.
TEST_F(HeadlessWindow, WhatPlaysStaysInThePicture) {
  rig::Character character = test::elbow();
  rig::Clip leap;
  leap.name = "leap";
  leap.end = 1;
  leap.channels.push_back({.joint = 0, .times = {0, 1}, .values = {0, 0, 0, 0, 60, 0}});
  character.clips.push_back(std::move(leap));
  open(std::move(character));
  edit::apply(document_, {edit::SetClip{0}, {}, true});
  act("view.frame");
  const float still = workspace_.camera.distance;
  workspace_.playback.playing = true;
  act("view.frame");
  EXPECT_GT(workspace_.camera.distance, 3 * still);
  EXPECT_NEAR(workspace_.camera.pivot.y, 30, 2);
}

TEST_F(HeadlessWindow, SplitterDragChangesThePanelAndStays) {
  const Rect splitter = report_["splitter.left"];
  drag(splitter.center(), splitter.center() + glm::vec2(80, 0));
  EXPECT_NEAR(workspace_.layout.left.w, splitter.x + 80, 4);
  EXPECT_NEAR(workspace_.preferences.panels.left, splitter.x + 80, 4);
}

TEST_F(HeadlessWindow, AClickOnASplitterKeepsTheWantedWidth) {
  workspace_.preferences.panels = {.left = 400, .right = 500};
  resize({900, 600}, 1);
  frames(2);
  ASSERT_LT(workspace_.layout.right.w, 490) << "there is no room for it";
  for (const char* name : {"splitter.left", "splitter.right"}) {
    // The pointer comes and presses between two pictures.
    move(report_["viewport"].center());
    const glm::vec2 at = report_[name].center();
    ImGui::GetIO().MousePos = ImVec2(at.x, at.y);
    frame();
    ImGui::GetIO().MousePos = ImVec2(at.x + 1, at.y);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    button(false);
  }
  EXPECT_EQ(workspace_.preferences.panels, (PanelSizes{.left = 400, .right = 500}));
}

TEST_F(HeadlessWindow, ALensIsLentByTheFilesCameraAndGivenBack) {
  rig::Character character = test::elbow();
  character.cameras.push_back({.name = "eye", .joint = 0, .yfov = 0.4f});
  open(std::move(character));
  workspace_.panel<TreePanel>().collapsed_groups.clear();
  workspace_.panel<TreePanel>().rows_valid = false;
  workspace_.camera.yfov = 0.9f;
  frames(2);
  click("tree.camera.eye");
  ASSERT_NEAR(workspace_.camera.yfov, 0.4f, 1e-6f);
  click("tree.camera.eye");  // once more: the lens is not the user's now
  leave_scene_camera(workspace_);
  EXPECT_EQ(workspace_.camera.yfov, 0.9f);
  EXPECT_FALSE(workspace_.looked_through.has_value());
  click("tree.camera.eye");
  workspace_.camera.yfov = 1.1f;
  frame();
  leave_scene_camera(workspace_);
  EXPECT_EQ(workspace_.camera.yfov, 1.1f) << "chosen since";
}

TEST_F(HeadlessWindow, TabKeyHidesAndShowsThePanels) {
  act("view.panels");
  EXPECT_FALSE(report_.contains("panel.tabs"));
  act("view.panels");
  EXPECT_TRUE(report_.contains("panel.tabs"));
}

TEST_F(HeadlessWindow, BrowserAsksForTheFileThatIsClicked) {
  act("file.open");
  enter(workspace_.browser, std::filesystem::path(PELT_SOURCE_DIR));
  frames(3);
  ASSERT_TRUE(report_.contains("browser.entry.assets"));
  ASSERT_TRUE(report_.contains("browser.cancel"));
  click("browser.cancel");
  frames(2);
  EXPECT_FALSE(workspace_.browser.visible);
}

TEST_F(HeadlessWindow, BrowserIsDrivenByTyping) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 1;
  io.KeyMap[ImGuiKey_Backspace] = 2;
  std::string opened;
  const auto press = [&](int key) {
    for (const bool down : {true, false}) {
      io.KeysDown[key] = down;
      for (int i = 0; i < 2; ++i) {
        const Requests requests = frame();
        opened += requests.open_file;
      }
    }
  };
  const std::filesystem::path folder = std::filesystem::path(PELT_SOURCE_DIR) / "assets";
  act("file.open");
  enter(workspace_.browser, folder);
  frames(3);
  press(2);
  EXPECT_EQ(workspace_.browser.folder, folder.parent_path()) << "with nothing to take back it leads up";
  io.AddInputCharactersUTF8("assets");
  frames(2);
  press(1);
  EXPECT_EQ(workspace_.browser.folder, folder);
  EXPECT_TRUE(workspace_.browser.filter.empty());
  io.AddInputCharactersUTF8("MANNEq");
  frames(2);
  press(2);
  EXPECT_EQ(workspace_.browser.filter, "MANNE");
  EXPECT_EQ(workspace_.browser.folder, folder);
  press(1);
  EXPECT_EQ(opened, (folder / "mannequin.glb").string());
  EXPECT_FALSE(workspace_.browser.visible);
}

TEST_F(HeadlessWindow, EnterWithoutAHitLeavesTheKeyboardInTheFilter) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 1;
  io.KeyMap[ImGuiKey_Backspace] = 2;
  const std::filesystem::path folder = std::filesystem::path(PELT_SOURCE_DIR) / "assets";
  act("file.open");
  enter(workspace_.browser, folder);
  frames(3);
  io.AddInputCharactersUTF8("qqq");
  frames(2);
  press(1);
  frames(2);
  press(2);
  EXPECT_EQ(workspace_.browser.folder, folder);
  EXPECT_TRUE(workspace_.browser.visible);
  io.AddInputCharactersUTF8("mann");
  frames(2);
  EXPECT_TRUE(workspace_.browser.filter.ends_with("mann")) << workspace_.browser.filter;
}

TEST_F(HeadlessWindow, ArrowsChooseTheNameToSaveUnder) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 1;
  io.KeyMap[ImGuiKey_DownArrow] = 2;
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pelt-arrows";
  std::filesystem::create_directories(folder);
  for (const char* name : {"a.json", "b.json"}) {
    std::ofstream(folder / name) << "{}";
  }
  act("file.save-pose-as");
  enter(workspace_.browser, folder);
  frames(4);
  press(2);
  frames(3);
  EXPECT_EQ(workspace_.browser.name, "a.json");
  press(1);
  EXPECT_EQ(workspace_.browser.replaced, (folder / "a.json").string());
  press(2);
  frames(3);
  EXPECT_EQ(workspace_.browser.name, "b.json");
  EXPECT_TRUE(workspace_.browser.replaced.empty()) << "that was about the other file";
  std::filesystem::remove_all(folder);
}

TEST_F(HeadlessWindow, ASliderGoesBackToItsUsualValueByADoubleClick) {
  workspace_.tab = kDisplayTab;
  frames(2);
  const Rect slider = report_["display.exposure"];
  drag(slider.center(), {slider.x + slider.w * 0.8f, slider.center().y});
  EXPECT_GT(workspace_.view.exposure, 1);
  for (int i = 0; i < 2; ++i) {
    button(true);
    button(false);
  }
  EXPECT_EQ(workspace_.view.exposure, 0);
}

TEST_F(HeadlessWindow, ErrorIsShownUntilItIsClosed) {
  workspace_.error = Notice{Severity::kError, "skin 2: inverse bind matrices: expected 24, got 23", 0};
  frames(3);
  click("error.close");
  EXPECT_FALSE(workspace_.error.has_value());
}

TEST_F(HeadlessWindow, CharacterWithoutAnythingIsDrawn) {
  rig::Character empty;
  test::add_node(empty, "lonely", -1, {});
  rig::finish(empty);
  open(empty);
  document_.view.select_only(0);
  for (const Tab& tab : tabs()) {
    workspace_.tab = tab.id;
    frames(2);
  }
  EXPECT_TRUE(report_.contains("tree.joint.lonely"));
}

TEST_F(HeadlessWindow, DrawsEveryCharacterOfTheCorpus) {
  const std::filesystem::path corpus = PELT_CORPUS_DIR;
  PELT_NEEDS_CORPUS("");
  int opened = 0;
  for (const char* folder : {"characters", "features", "derived", "unrigged"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".glb" && extension != ".gltf") {
        continue;
      }
      gltf::ImportOptions options;
      options.decode_images = false;
      auto character = gltf::import_file(entry.path(), options);
      if (!character) {
        continue;  // extensions that are not supported yet; the importer's own tests say which
      }
      ++opened;
      SCOPED_TRACE(entry.path().filename().string());
      open(*std::move(character));
      const rig::Character& shown = *document_.character;
      edit::apply(document_, {edit::SetClip{static_cast<int>(shown.clips.size()) - 1}, {}, false});
      for (const render::LookInfo& look : render::kLooks) {
        if (test::sanitized() && opened % static_cast<int>(std::size(render::kLooks)) != static_cast<int>(look.look)) {
          continue;  // one look of each character
        }
        workspace_.view.look = look.look;
        workspace_.view.joint_names = true;
        workspace_.view.skeleton = true;
        workspace_.tab = tabs()[static_cast<std::size_t>(look.look) % tabs().size()].id;
        document_.view.select_only(shown.skeleton->size() - 1);
        document_.view.pinned_part = shown.parts.empty() ? -1 : 0;
        document_.view.pinned_vertex = shown.parts.empty() ? -1 : 0;
        frames(2);
        ASSERT_TRUE(report_.contains("viewport"));
      }
    }
  }
  EXPECT_GT(opened, 10);
}

TEST_F(HeadlessWindow, AFindingIsShownWhereItIs) {
  open(test::cylinder());
  workspace_.tab = kInfoTab;
  EXPECT_TRUE(frame().lint);
  rig::Finding one{.code = "weight-sum", .severity = Severity::kWarning, .where = "mesh 0", .message = "odd"};
  one.place.mesh = one.place.primitive = 0;
  one.place.vertices = {3, 5};
  rig::Finding other{.code = "zero-length-bone", .severity = Severity::kInfo, .where = "node 1", .message = "short"};
  other.place.node = 1;
  rig::Finding bind{
      .code = "inverse-bind-mismatch", .severity = Severity::kWarning, .where = "skin 0", .message = "off"};
  measurements_.lint = LintReport{document_.character, {one, other, bind}};
  frames(2);
  const render::Camera before = workspace_.camera;
  click("finding.0");
  EXPECT_EQ(workspace_.panel<InfoPanel>().finding, 0);
  EXPECT_NE(workspace_.camera, before);
  const std::span<const glm::vec3> posed = evaluation_.deformed(document_).parts[0].positions;
  EXPECT_LT(glm::length(workspace_.camera.pivot - 0.5f * (posed[3] + posed[5])), 1e-3f);
  click("finding.1");
  EXPECT_EQ(document_.view.selected_joint(), 1);
  click("findings.warnings");
  EXPECT_FALSE(report_.contains("finding.0"));
  // Errors and warnings are ticked, and can be left out.
  const auto asked_for = [&] {
    click("findings.fix");
    frames(2);
    click("fix.weight-sum");
    EXPECT_TRUE(report_.contains("fix.go"));
    move(report_["fix.go"].center());
    ImGui::GetIO().MouseDown[0] = true;
    frames(2);
    ImGui::GetIO().MouseDown[0] = false;
    std::vector<std::string> asked;
    for (int i = 0; i < 3; ++i) {
      const std::vector<std::string> now = frame().fix;
      asked.insert(asked.end(), now.begin(), now.end());
    }
    return asked;
  };
  EXPECT_THAT(asked_for(), testing::ElementsAre("inverse-bind-mismatch"));
  // Another character: nothing is known of it yet.
  open(test::elbow());
  EXPECT_EQ(workspace_.panel<InfoPanel>().finding, -1);
  EXPECT_TRUE(frame().lint);
}

}  // namespace
}  // namespace pelt::ui
