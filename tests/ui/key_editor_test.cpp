#include "ui/key_editor.h"

#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <imgui.h>

#include "keys_of_a_tube.h"
#include "ui/clips_panel.h"
#include "ui/keys_panel.h"
#include "ui/modes.h"
#include "ui/widgets.h"

namespace pelt::ui {
namespace {

constexpr edit::ChannelId kTipTurn{1, rig::ChannelPath::kRotation};
constexpr edit::ChannelId kRootMove{0, rig::ChannelPath::kTranslation};

TEST_F(KeysOfATube, ADragMovesAKeyToAWholeFrameAsOneStep) {
  EXPECT_EQ(workspace_.tab, kKeysTab);
  const glm::vec2 second = key_at(1, "10");
  drag(second, second + seconds(0.26));
  EXPECT_EQ(times(kTipTurn), (std::vector<float>{0, 0.75f, 1, 1.5f, 2}));
  EXPECT_EQ(times(kRootMove), (std::vector<float>{0, 2}));
  EXPECT_EQ(document_.history.cursor(), 1U);
  EXPECT_EQ(edit::key_count(editor().selected), 1U);
  EXPECT_TRUE(is_selected(editor().selected, kTipTurn, 0.75f));
  act("edit.undo");
  EXPECT_EQ(times(kTipTurn), (std::vector<float>{0, 0.5f, 1, 1.5f, 2}));
}

// A clip in the making has one key and no length: the key shows, and time counts to the end of the work range.
TEST_F(KeysOfATube, TheFirstKeyOfANewClipShowsItsMark) {
  edit::apply(document_, {edit::AddClip{"new"}, "", true});
  ASSERT_EQ(document_.content.clip, 1);
  edit::apply(document_, {edit::KeyJoints{1, {1}}, "", true});
  frames(2);
  const glm::vec2 at = key_at(1, "0");
  // Corners of a mark, in the ink of text, beside the line of the playhead.
  int corners = 0;
  const ImDrawData* const drawn = ImGui::GetDrawData();
  for (int l = 0; l < drawn->CmdListsCount; ++l) {
    for (const ImDrawVert& vertex : drawn->CmdLists[l]->VtxBuffer) {
      const float apart = std::abs(vertex.pos.x - at.x);
      corners += vertex.col == color::kText && std::abs(vertex.pos.y - at.y) < 2 && apart > 2.5f && apart < 7 ? 1 : 0;
    }
  }
  EXPECT_GE(corners, 2) << "a diamond reaches to both sides";
  EXPECT_NE(words().find("0.00 / 2.00 s"), std::string::npos) << words();
  click("timeline.end");
  EXPECT_EQ(document_.view.time, 2);
}

TEST_F(KeysOfATube, EscTakesADragBack) {
  const glm::vec2 second = key_at(1, "10");
  move(second);
  button(true);
  move(second + seconds(0.3));
  move(second + seconds(0.5));  // over the next key, whose place it takes for now
  EXPECT_EQ(times(kTipTurn).size(), 4U);
  press(kEscapeCode);
  EXPECT_EQ(times(kTipTurn), (std::vector<float>{0, 0.5f, 1, 1.5f, 2}));
  button(false);
  EXPECT_EQ(times(kTipTurn), (std::vector<float>{0, 0.5f, 1, 1.5f, 2}));
  EXPECT_EQ(document_.history.cursor(), 0U);
  EXPECT_TRUE(editor().selected.empty());
}

TEST_F(KeysOfATube, ABoxSelectsAndShiftAddsAndCtrlTogglesAndTheSummaryHasAll) {
  const Rect tracks = report_["keys.tracks"];
  const glm::vec2 first = key_at(1, "0");
  drag({first.x - 6, first.y - 6}, {first.x + seconds(1.1).x, first.y + 6});
  EXPECT_EQ(edit::key_count(editor().selected), 3U);
  ImGui::GetIO().KeyShift = true;
  ImGui::GetIO().KeyMods = ImGuiKeyModFlags_Shift;
  click("key.1.40");
  EXPECT_EQ(edit::key_count(editor().selected), 4U);
  ImGui::GetIO().KeyShift = false;
  ImGui::GetIO().KeyCtrl = true;
  ImGui::GetIO().KeyMods = ImGuiKeyModFlags_Ctrl;
  click("key.1.10");
  EXPECT_EQ(edit::key_count(editor().selected), 3U);
  ImGui::GetIO().KeyCtrl = false;
  ImGui::GetIO().KeyMods = 0;
  click("key.-1.0");  // of both joints
  EXPECT_EQ(edit::key_count(editor().selected), 2U);
  move({tracks.x + tracks.w - 4, tracks.y + tracks.h - 4});
  now_ += 1;
  frames(40);  // no double click
  button(true);
  button(false);
  EXPECT_TRUE(editor().selected.empty());
}

TEST_F(KeysOfATube, HandlesScaleAboutTheOtherEnd) {
  editor().selected = {{kTipTurn, {0, 0.5f, 1}}};
  frames(2);
  const glm::vec2 handle = report_["keys.scale-end"].center();
  drag(handle, handle - seconds(0.5));
  EXPECT_EQ(times(kTipTurn), (std::vector<float>{0, 0.25f, 0.5f, 1.5f, 2}));
  EXPECT_EQ(document_.history.cursor(), 1U);
}

TEST_F(KeysOfATube, TheRulerScrubsToFramesWithoutAStep) {
  const Rect ruler = report_["keys.ruler"];
  const glm::vec2 zero = {static_cast<float>(ruler.x - editor().first * editor().per_second), ruler.center().y};
  drag(zero + seconds(0.4), zero + seconds(1.31));
  EXPECT_FLOAT_EQ(document_.view.time, 1.3f);
  EXPECT_EQ(document_.history.cursor(), 0U);
  act("keys.next");
  EXPECT_EQ(document_.view.time, 1.5f);
  act("keys.previous");
  EXPECT_EQ(document_.view.time, 1.0f);
}

TEST_F(KeysOfATube, KeysAreInsertedCopiedPastedAndRemovedByKeys) {
  document_.view.select_only(1);
  edit::apply(document_, {edit::SetTime{0.25f}, {}, false});
  frame(nullptr, Chord{'K'});
  frames(2);
  EXPECT_EQ(times(kTipTurn).size(), 6U);
  click("key.1.5");
  frame(nullptr, Chord{.key = 'C', .ctrl = true});
  edit::apply(document_, {edit::SetTime{0.75f}, {}, false});
  frame(nullptr, Chord{.key = 'V', .ctrl = true});
  frames(2);
  EXPECT_EQ(times(kTipTurn), (std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1, 1.5f, 2}));
  EXPECT_TRUE(std::ranges::equal(rig::key_value(channel(kTipTurn), 1), rig::key_value(channel(kTipTurn), 3)));
  EXPECT_TRUE(is_selected(editor().selected, kTipTurn, 0.75f));
  frame(nullptr, Chord{kKeyDelete});
  EXPECT_EQ(times(kTipTurn), (std::vector<float>{0, 0.25f, 0.5f, 1, 1.5f, 2}));
  // Elsewhere K is the elbow, and Ctrl+C the pose.
  enter_mode(workspace_, "pose");
  frame(nullptr, Chord{'K'});
  EXPECT_TRUE(taught_);
}

TEST_F(KeysOfATube, TheWheelZoomsAboutTheMouse) {
  const Rect tracks = report_["keys.tracks"];
  const glm::vec2 at = tracks.center();
  move(at);
  const auto time_at = [&] { return editor().first + static_cast<double>(at.x - tracks.x) / editor().per_second; };
  const double before = editor().per_second;
  const double time = time_at();
  ImGui::GetIO().MouseWheel = 2;
  frames(2);
  EXPECT_GT(editor().per_second, 1.3 * before);
  EXPECT_NEAR(time_at(), time, 1e-6);
}

TEST_F(KeysOfATube, CurvesMoveKeysAndTangents) {
  document_.view.select_only(0);
  click("keys.curves");
  ASSERT_TRUE(report_.contains("curve.Translation x.40"));
  const glm::vec2 end = report_["curve.Translation x.40"].center();
  drag(end, end + glm::vec2(0, 20));
  const float lower = rig::key_value(channel(kRootMove), 1)[0];
  EXPECT_LT(lower, 0.95f);
  EXPECT_EQ(rig::key_value(channel(kRootMove), 1)[1], 0);
  EXPECT_EQ(times(kRootMove), (std::vector<float>{0, 2}));
  EXPECT_EQ(document_.history.cursor(), 1U) << "value and time are one step";
  edit::apply(document_, {edit::SetInterpolation{0, {kRootMove}, rig::Interpolation::kCubicSpline}, {}, true});
  frames(2);
  ASSERT_TRUE(report_.contains("curve.Translation x.40.in"));
  const glm::vec2 handle = report_["curve.Translation x.40.in"].center();
  drag(handle, handle + glm::vec2(0, 15));
  EXPECT_GT(rig::key_tangent(channel(kRootMove), 1, rig::KeySide::kIn)[0], 0);
  EXPECT_EQ(rig::tangents_of(channel(kRootMove), 1), rig::Tangents::kFree);
  EXPECT_EQ(document_.history.cursor(), 3U);
}

TEST_F(KeysOfATube, ASlidersCurveIsAViewOfTheKey) {
  document_.view.select_only(1);
  click("keys.curves");
  const std::string slider = document_.character->skeleton->dofs[1].dofs[0].name;
  const std::string name = "curve." + slider + ".20";
  ASSERT_TRUE(report_.contains(name)) << name;
  const glm::vec2 point = report_[name].center();
  edit::apply(document_, {edit::SetTime{1}, {}, false});
  const float before = edit::dof_values(document_, 1)[0];
  drag(point, point + glm::vec2(0, 12));
  EXPECT_LT(edit::dof_values(document_, 1)[0], before);
  const double pixels = static_cast<double>(report_["keys.plane"].h);
  const double degrees = (editor().highest - editor().lowest) * 12 / pixels;
  EXPECT_NEAR(edit::dof_values(document_, 1)[0], before - glm::radians(degrees), 2e-3);
  EXPECT_EQ(times(kTipTurn).size(), 5U);
}

TEST_F(KeysOfATube, AutomaticKeysAndClipsFromTheTabs) {
  document_.view.select_only(1);
  click("keys.auto");
  EXPECT_TRUE(document_.view.timing.auto_key);
  click("tab.clips");
  click("clips.new");
  EXPECT_EQ(document_.content.clip, 1);
  frames(2);
  edit::apply(document_, {edit::SetTime{1}, {}, false});
  edit::apply(document_, {edit::SetDof{1, 0, 0.5f}, {}, true});
  EXPECT_EQ(document_.character->clips[1].channels.size(), 1U);
  click("clips.0");
  EXPECT_EQ(document_.content.clip, 0);
  click("clips.reverse");
  EXPECT_EQ(rig::key_value(channel(kRootMove), 0)[0], 1);
  EXPECT_TRUE(report_.contains("motion-path"));
  click("clips.on-the-spot");
  EXPECT_EQ(rig::key_value(channel(kRootMove), 1)[0], 1) << "where it began";
  click("clips.duplicate");
  EXPECT_EQ(document_.character->clips.size(), 3U);
  click("clips.remove");
  EXPECT_EQ(document_.character->clips.size(), 2U);
}

// Every widget keeps its place where the window is small, and where everything is twice as large.
TEST_F(KeysOfATube, WorksInASmallWindowAndTwiceAsLarge) {
  for (const auto& [size, scale] : {std::pair(glm::vec2(640, 480), 1.0f), std::pair(glm::vec2(1440, 900), 2.0f)}) {
    resize(size, scale);
    fit_time(editor());
    frames(3);
    const Rect tracks = report_["keys.tracks"];
    EXPECT_GT(tracks.w, 0.5f * size.x);
    EXPECT_GT(tracks.h, 60);
    EXPECT_GE(workspace_.layout.viewport.h, 100);
    const std::size_t steps = document_.history.cursor();
    const glm::vec2 key = key_at(1, "30");
    drag(key, key - seconds(0.2));
    EXPECT_EQ(document_.history.cursor(), steps + 1);
    act("edit.undo");
  }
}

// Where one second is less than what a number of that size can tell apart, ticks have an end all the same.
TEST_F(KeysOfATube, HugeTimesAndValuesAreDrawn) {
  rig::Character character = test::cylinder();
  rig::Clip clip;
  clip.name = "huge";
  clip.channels.push_back({.joint = 0,
                           .path = rig::ChannelPath::kTranslation,
                           .times = {1e15f, 1.0000001e15f, 1e18f},
                           .values = {1e30f, 1, 1e30f, 1.0000001e30f, 1, 1e30f, 1e30f, 1, 1e30f}});
  clip.start = 1e15f;
  clip.end = 1e18f;
  character.clips = {};
  character.clips.push_back(std::move(clip));
  rig::finish(character);
  open(std::move(character));
  edit::apply(document_, {edit::SetClip{0}, {}, false});
  for (const char* mode : {"pose", "animate"}) {
    enter_mode(workspace_, mode);
    for (const KeyView view : {KeyView::kDopeSheet, KeyView::kCurves}) {
      editor().view = view;
      for (const double per_second : {0.0, 0.05, 20000.0}) {
        editor().per_second = per_second;
        editor().first = per_second > 0 ? 1e15 : 0;
        document_.view.selected_joints = {0};
        frames(3);
      }
    }
  }
}

TEST_F(KeysOfATube, CopiedKeysKeepTheirDistancesAndEndWithTheirCharacter) {
  document_.view.timing.frame_rate = 30;  // the keys do not lie on frames of it
  editor().selected = {{kTipTurn, {0.5f, 1}}};
  act("keys.copy");
  document_.view.time = 1.31f;
  act("keys.paste");
  frames(2);
  const std::vector<float> now = times(kTipTurn);
  const float begin = std::round(1.31f * 30) / 30;
  EXPECT_NE(std::ranges::find_if(now, [&](float t) { return std::abs(t - begin) < 1e-5f; }), now.end());
  EXPECT_NE(std::ranges::find_if(now, [&](float t) { return std::abs(t - begin - 0.5f) < 1e-5f; }), now.end());
  EXPECT_FALSE(editor().copied.empty());
  forget_character(workspace_);
  EXPECT_TRUE(editor().copied.empty());
  EXPECT_TRUE(editor().selected.empty());
}

// What was copied last is pasted: a pose where no keys are selected.
TEST_F(KeysOfATube, CtrlCCopiesThePoseWhereNoKeysAreSelected) {
  editor().selected = {{kTipTurn, {0.5f}}};
  frame(nullptr, Chord{.key = 'C', .ctrl = true});
  EXPECT_FALSE(editor().copied.empty());
  editor().selected.clear();
  frame(nullptr, Chord{.key = 'C', .ctrl = true});
  EXPECT_TRUE(editor().copied.empty());
}

}  // namespace
}  // namespace pelt::ui
