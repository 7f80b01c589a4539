// Esc during a drag takes back what the drag did, and nothing else.

#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <imgui.h>

#include "headless_window.h"
#include "rig/clip.h"
#include "ui/display_panel.h"
#include "ui/pose_panel.h"

namespace pelt::ui {
namespace {

constexpr int kEscapeKey = 1;
constexpr float kRounding = 1e-5f;  // radians, metres

/// A tube that twists in a clip, its tip selected.
class Drags : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = kEscapeKey;
    rig::Character character = test::cylinder();
    rig::Clip clip;
    clip.name = "twist";
    clip.channels.push_back({.joint = 0,
                             .path = rig::ChannelPath::kTranslation,
                             .interpolation = rig::Interpolation::kLinear,
                             .times = {0, 10},
                             .values = {0, 0, 0, 1, 0, 0}});
    clip.start = 0;
    clip.end = 10;
    character.clips.push_back(clip);
    rig::finish(character);
    open(character);
    document_.view.select_only(document_.character->skeleton->find("tip"));
    edit::apply(document_, {edit::SetClip{0}, {}, false});
    workspace_.tab = kPoseTab;
    frames(3);
  }
  void hold(glm::vec2 from, glm::vec2 to) {
    move(from);
    button(true);
    move(glm::mix(from, to, 0.5f));
    move(to);
  }
  glm::vec2 along(const char* slider, float share) {
    const Rect rect = report_[slider];
    return {rect.x + rect.w * share, rect.center().y};
  }
  /// Near a corner of the picture, away from the character.
  glm::vec2 beside() {
    const Rect view = workspace_.layout.viewport;
    return {view.x + view.w - 40, view.y + view.h - 40};
  }
};

TEST_F(Drags, EscapeInASlidersDragLeavesTheCameraAlone) {
  const edit::Content before = document_.content;
  hold(along("dof.tip.bend", 0.5f), along("dof.tip.bend", 0.8f));
  ASSERT_NE(document_.content, before);
  workspace_.camera.azimuth += 0.25f;  // a turntable
  workspace_.view.grid = !workspace_.view.grid;
  const render::Camera camera = workspace_.camera;
  const render::ViewSettings view = workspace_.view;
  press(kEscapeKey);
  button(false);
  EXPECT_EQ(document_.content, before);
  EXPECT_EQ(workspace_.camera, camera);
  EXPECT_EQ(workspace_.view, view);
}

TEST_F(Drags, EscapeInAnOrbitKeepsWhatTurnedMeanwhile) {
  const render::Camera before = workspace_.camera;
  hold(beside(), beside() - glm::vec2(60, 30));
  ASSERT_NE(workspace_.camera.elevation, before.elevation);
  workspace_.camera.azimuth += 0.25f;
  workspace_.camera.yfov *= 0.5f;
  frame();
  move(beside() - glm::vec2(120, 60));
  press(kEscapeKey);
  button(false);
  EXPECT_NEAR(workspace_.camera.azimuth, before.azimuth + 0.25f, kRounding);
  EXPECT_EQ(workspace_.camera.elevation, before.elevation);
  EXPECT_EQ(workspace_.camera.yfov, before.yfov * 0.5f);
}

TEST_F(Drags, EscapeKeepsTheTimeThatPassed) {
  hold(along("dof.tip.bend", 0.5f), along("dof.tip.bend", 0.8f));
  button(false);
  const std::map<int, edit::JointOverride> posed = document_.content.overrides;
  ASSERT_FALSE(posed.empty());
  workspace_.playback.playing = true;
  hold(beside(), beside() - glm::vec2(60, 30));
  edit::apply(document_, {edit::SetTime{3}, {}, false});  // as the clip goes on
  move(beside() - glm::vec2(120, 60));
  press(kEscapeKey);
  button(false);
  EXPECT_EQ(document_.content.overrides, posed) << "the slider's drag was finished";
  EXPECT_EQ(document_.view.time, 3);
  EXPECT_TRUE(workspace_.playback.playing);

  hold(along("dof.tip.bend", 0.8f), along("dof.tip.bend", 0.2f));
  ASSERT_NE(document_.content.overrides, posed);
  edit::apply(document_, {edit::SetTime{4}, {}, false});
  press(kEscapeKey);
  button(false);
  EXPECT_EQ(document_.content.overrides, posed);
  EXPECT_EQ(document_.view.time, 4);
}

TEST_F(Drags, EscapeTakesScrubbingAndSpeedBack) {
  workspace_.playback.playing = true;
  edit::apply(document_, {edit::SetTime{2}, {}, false});
  frames(2);
  hold(along("timeline.scrub", 0.2f), along("timeline.scrub", 0.7f));
  ASSERT_NE(document_.view.time, 2);
  ASSERT_FALSE(workspace_.playback.playing);
  press(kEscapeKey);
  button(false);
  EXPECT_EQ(document_.view.time, 2);
  EXPECT_TRUE(workspace_.playback.playing) << "it played before";
  hold(along("timeline.speed", 0.2f), along("timeline.speed", 0.9f));
  ASSERT_NE(workspace_.playback.speed, 1);
  press(kEscapeKey);
  button(false);
  EXPECT_EQ(workspace_.playback.speed, 1);
}

TEST_F(Drags, EscapeGoesBackToTheFilesCamera) {
  rig::Character character = *document_.character;
  rig::Camera camera;
  camera.joint = test::add_node(character, "camera", 0, {.translation = {0, 0, 4}});
  character.cameras.push_back(camera);
  rig::finish(character);
  open(character);
  edit::apply(document_, {edit::SetClip{0}, {}, false});
  frames(2);
  workspace_.scene_camera = 0;
  workspace_.looked_through = workspace_.camera;
  frames(2);
  ASSERT_TRUE(workspace_.looked_through);
  hold(beside(), beside() - glm::vec2(120, 60));
  ASSERT_FALSE(workspace_.looked_through) << "the hand took over";
  edit::apply(document_, {edit::SetTime{10}, {}, false});
  press(kEscapeKey);
  button(false);
  ASSERT_TRUE(workspace_.looked_through) << "and has given it back";
  EXPECT_NEAR(workspace_.camera.eye().x, 1, 1e-4f) << "where the clip has it by now";
  EXPECT_NEAR(workspace_.camera.elevation, 0, kRounding);
}

TEST_F(Drags, AnotherCharacterEndsWhatEscapeKnows) {
  workspace_.tab = kDisplayTab;
  workspace_.view.look = render::Look::kWeights;
  workspace_.view.weight_joint = 1;
  frames(3);
  hold(along("display.exposure", 0.5f), along("display.exposure", 0.8f));
  ASSERT_GT(workspace_.view.exposure, 0);
  forget_character(workspace_);
  rig::Character other;  // without joints
  rig::finish(other);
  open(other);
  move(along("display.exposure", 0.7f));
  const float exposure = workspace_.view.exposure;
  press(kEscapeKey);
  EXPECT_EQ(workspace_.view.weight_joint, -1) << "a joint of a character that is gone";
  move(along("display.exposure", 0.3f));
  button(false);
  EXPECT_GE(workspace_.view.exposure, exposure) << "the drag is over all the same";
}

TEST_F(Drags, ANewerVersionEndsWhatEscapeKnows) {
  workspace_.tab = kDisplayTab;
  workspace_.view.weight_joint = 1;
  workspace_.view.toggled_nodes = {0, 2};
  frames(3);
  hold(along("display.exposure", 0.5f), along("display.exposure", 0.8f));
  follow_newer_version(workspace_, edit::Remap{.joints = {2, 0, -1}}, *document_.character);
  EXPECT_EQ(workspace_.view.weight_joint, 0);
  EXPECT_EQ(workspace_.view.toggled_nodes, std::vector<int>{2});
  press(kEscapeKey);
  button(false);
  EXPECT_EQ(workspace_.view.weight_joint, 0);
  EXPECT_EQ(workspace_.view.toggled_nodes, std::vector<int>{2});
}

}  // namespace
}  // namespace pelt::ui
