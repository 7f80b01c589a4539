// Posing with the mouse: limbs dragged with inverse kinematics, pins, the ring about the view, relaxing.
#include <imgui.h>

#include <cmath>

#include <gtest/gtest.h>

#include "edit/reach_edits.h"
#include "math/transform.h"
#include "selecting_window.h"
#include "ui/pose_panel.h"
#include "ui/reach_tool.h"
#include "ui/rotation_rings.h"
#include "ui/tools.h"

namespace pelt::ui {
namespace {

class Posing : public Selecting {
 protected:
  void SetUp() override {
    Selecting::SetUp();
    workspace_.tab = kPoseTab;
    frames(2);
  }
  [[nodiscard]] glm::vec3 place(const char* name) { return glm::vec3(evaluation_.world()[joint(name)][3]); }
  [[nodiscard]] ReachTool& tool() { return workspace_.panel<ReachTool>(); }
  // Nearer to the joint at the far end of a bone.
  [[nodiscard]] glm::vec2 near_tail(const char* name, const char* child) {
    const Projector project = projector();
    return glm::mix(bone(name), *project(place(child)), 0.4f);
  }
  [[nodiscard]] Projector projector() {
    asked_scene_.document = &document_;
    asked_scene_.world = evaluation_.world();
    asked_scene_.pose = &evaluation_.pose();
    return Projector(Desk{asked_scene_, workspace_, requests_, report_, theme_});
  }
  void select_joints(std::initializer_list<const char*> names) {
    document_.view.selected_joints.clear();
    for (const char* name : names) {
      document_.view.selected_joints.push_back(joint(name));
    }
    frames(2);
  }
  void wheel(float turns) {
    ImGui::GetIO().MouseWheel = turns;
    frame();
    ImGui::GetIO().MouseWheel = 0;
    frame();
  }
  Scene asked_scene_;
  Requests requests_;
};

TEST_F(Posing, AHandIsDraggedWhereTheMouseGoesAndTheArmFollows) {
  take_tool(workspace_, kReachTool);
  frames(2);
  const glm::vec2 from = near_tail("forearm_twist_l", "wrist_l");
  const glm::vec2 wrist = *projector()(place("wrist_l"));
  const glm::vec2 by(-40, -60);
  const std::size_t steps = document_.history.cursor();
  drag(from, from + by);
  frames(2);
  EXPECT_EQ(document_.history.undo_label(), "Drag wrist_l");
  EXPECT_EQ(document_.history.cursor(), steps + 1);
  EXPECT_TRUE(has("wrist_l")) << "what is dragged is selected";
  EXPECT_LT(glm::distance(*projector()(place("wrist_l")), wrist + by), 3.0f) << "pixels";
  EXPECT_TRUE(document_.content.overrides->contains(joint("shoulder_l")));
  EXPECT_FALSE(document_.content.overrides->contains(joint("clavicle_l")));
}

TEST_F(Posing, TheWheelMakesTheChainOfADragLongerAndEscTakesItBack) {
  take_tool(workspace_, kReachTool);
  frames(2);
  const edit::Content before = document_.content;
  const float distance = workspace_.camera.distance;
  const glm::vec2 from = near_tail("forearm_twist_l", "wrist_l");
  move(from);
  EXPECT_EQ(tool().chain.root, joint("shoulder_l"));
  button(true);
  move(from + glm::vec2(-30, -30));
  wheel(1);
  EXPECT_EQ(tool().chain.root, joint("clavicle_l"));
  EXPECT_EQ(workspace_.camera.distance, distance) << "it does not zoom meanwhile";
  EXPECT_NE(document_.content, before);
  wheel(-1);
  EXPECT_EQ(tool().chain.root, joint("shoulder_l"));
  ImGui::GetIO().KeyMap[ImGuiKey_Escape] = 1;
  press(1);
  button(false);
  EXPECT_EQ(document_.content, before);
}

TEST_F(Posing, PinnedFeetHoldTheHipsAndKeysPinAndUnpin) {
  select_joints({"ankle_l", "ankle_r"});
  tap({'P', false, true});
  EXPECT_TRUE(edit::is_pinned(document_.content, joint("ankle_l")));
  const glm::vec3 foot = place("ankle_l");
  take_tool(workspace_, kReachTool);
  frames(2);
  const glm::vec3 hips = place("hips");
  const glm::vec2 from = *projector()(hips);
  move(from);
  ASSERT_EQ(tool().joint, joint("hips"));
  drag(from, from + glm::vec2(0, 30));
  frames(2);
  EXPECT_LT(place("hips").y, hips.y - 0.02f);
  EXPECT_LT(glm::distance(place("ankle_l"), foot), 1e-3f);
  EXPECT_TRUE(report_.contains("pin.ankle_l"));
  select_joints({"ankle_l", "ankle_r"});
  tap({'P', false, true});
  EXPECT_TRUE(document_.content.pins.empty());
  frames(2);
  EXPECT_LT(glm::distance(place("ankle_l"), foot), 1e-3f) << "it stays where it was held";
}

TEST_F(Posing, TheBarOfTheToolHasTheDirectionAndTheSymmetry) {
  take_tool(workspace_, kReachTool);
  frames(2);
  ASSERT_TRUE(tool().keep_direction);
  click("handle.keep-direction");
  EXPECT_FALSE(tool().keep_direction);
  EXPECT_FALSE(report_.contains("handle.axes")) << "rings and handles alone have axes";
  click("handle.symmetric");
  EXPECT_TRUE(document_.view.symmetric_posing);
  const glm::vec2 from = near_tail("forearm_twist_l", "wrist_l");
  drag(from, from + glm::vec2(-40, -60));
  EXPECT_TRUE(document_.content.overrides->contains(joint("shoulder_r"))) << "the other arm comes along";
}

TEST_F(Posing, PinsAreBakedByTheMenuWhereAClipPlays) {
  const Action* const bake = find_action("pose.bake-pins");
  ASSERT_NE(bake, nullptr);
  EXPECT_STREQ(bake->menu, "Edit/Pins");
  edit::apply(document_, {edit::SetClip{-1}, "", true});
  select_joints({"ankle_l"});
  tap({'P', false, true});
  act("pose.bake-pins");
  ASSERT_TRUE(workspace_.notice.has_value());
  EXPECT_TRUE(workspace_.notice->text.starts_with("Not now: ")) << workspace_.notice->text;
  EXPECT_EQ(document_.content.pins.size(), 1u);
  edit::apply(document_, {edit::SetClip{1}, "", true});
  frames(2);
  act("pose.bake-pins");
  EXPECT_TRUE(document_.content.pins.empty());
  EXPECT_EQ(document_.history.undo_label(), "Bake the pins to keys");
}

TEST_F(Posing, WhatADragSaysStaysInThePicture) {
  take_tool(workspace_, kReachTool);
  const Rect view = workspace_.layout.viewport;
  bool was_left = false;
  bool was_right = false;
  for (const char* name : {"wrist_l", "wrist_r"}) {
    for (const float share : {-0.4f, 0.4f}) {
      act("view.home");
      workspace_.camera.pivot -=
          glm::vec3(glm::inverse(workspace_.camera.view_from_world())[0]) * (share * workspace_.camera.distance);
      frames(2);
      move(*projector()(place(name)));
      if (!report_.contains("reach.name")) {
        continue;  // behind something, or out of the picture
      }
      const Rect text = report_["reach.name"];
      const float at = (*projector()(place(name))).x;
      EXPECT_LE(text.x + text.w, view.x + view.w) << name << share;
      was_left = was_left || text.x < at;
      was_right = was_right || text.x > at;
    }
  }
  EXPECT_TRUE(was_right);
  EXPECT_TRUE(was_left) << "at the right edge it stands to the left";
}

TEST_F(Posing, ThePoleTurnsTheElbowAndLeavesTheHand) {
  take_tool(workspace_, kReachTool);
  frames(2);
  const glm::vec2 from = near_tail("forearm_twist_l", "wrist_l");
  drag(from, from + glm::vec2(-60, -50));
  frames(2);
  ASSERT_TRUE(report_.contains("reach.pole"));
  const glm::vec3 wrist = place("wrist_l");
  const glm::vec3 elbow = place("elbow_l");
  const glm::vec2 pole = report_["reach.pole"].center();
  drag(pole, pole + glm::vec2(0, -50));
  frames(2);
  EXPECT_GT(glm::distance(place("elbow_l"), elbow), 0.02f);
  EXPECT_LT(glm::distance(place("wrist_l"), wrist), 5e-3f);
}

TEST_F(Posing, TheOuterRingTurnsSelectedJointsAboutTheViewEachAboutItsOwnPivot) {
  // The hand hangs on the shoulder: it comes along, and is not turned twice.
  select_joints({"hip_r", "wrist_l", "shoulder_l"});
  frames(2);
  const glm::vec3 shoulder = place("shoulder_l");
  const glm::vec3 hip = place("hip_r");
  const std::vector<glm::mat4> before(evaluation_.world().begin(), evaluation_.world().end());
  workspace_.camera.pivot = shoulder;
  frames(2);
  asked_scene_.document = &document_;
  asked_scene_.world = evaluation_.world();
  const Desk desk{asked_scene_, workspace_, requests_, report_, theme_};
  const std::vector<Ring> rings = all_rings(desk);
  ASSERT_EQ(rings.back().dof, kViewRing);
  const render::Camera& camera = workspace_.camera;
  const Rect view = workspace_.layout.viewport;
  const float pixels = view.h / (2 * camera.distance * std::tan(camera.yfov / 2)) * rings.back().radius;
  const auto on_ring = [&](float angle) {
    return view.center() + pixels * glm::vec2(std::cos(angle), -std::sin(angle));
  };
  move(on_ring(0.5f));
  ASSERT_EQ(workspace_.viewport.hovered_ring, kViewRing);
  drag(on_ring(0.5f), on_ring(0.8f));
  frames(2);
  const glm::vec3 eye = glm::normalize(camera.eye() - shoulder);
  for (const char* name : {"shoulder_l", "wrist_l", "hip_r"}) {
    const int j = joint(name);
    const glm::mat3 turned = glm::mat3(evaluation_.world()[j]) * glm::inverse(glm::mat3(before[j]));
    const glm::vec3 turn = rotation_vector(normalized_or_identity(glm::quat_cast(turned)));
    EXPECT_NEAR(glm::length(turn), 0.3f, 0.03f) << name;
    EXPECT_GT(glm::dot(glm::normalize(turn), eye), 0.999f) << name;
  }
  EXPECT_LT(glm::distance(place("shoulder_l"), shoulder), 1e-5f);
  EXPECT_LT(glm::distance(place("hip_r"), hip), 1e-5f);
}

TEST_F(Posing, ASliderRelaxesAndGoesBackToItsMiddle) {
  edit::apply(document_, {edit::SetDof{joint("elbow_l"), 0, 1.0f}, "", true});
  select_joints({"elbow_l"});
  resize({1440, 2400}, 1);
  frames(3);
  ASSERT_TRUE(report_.contains("pose.breakdown"));
  const Rect slider = report_["pose.breakdown"];
  const std::size_t steps = document_.history.cursor();
  const glm::vec2 middle = slider.center();
  drag(middle, {slider.x + slider.w * 0.25f, middle.y});
  frames(2);
  const float relaxed = edit::dof_values(document_, joint("elbow_l"))[0];
  EXPECT_LT(relaxed, 0.8f);
  EXPECT_GT(relaxed, 0.2f);
  EXPECT_EQ(document_.history.cursor(), steps + 1);
  EXPECT_EQ(document_.history.undo_label(), "Relax elbow_l");
  EXPECT_EQ(workspace_.panel<PosePanel>().breakdown, 0);
  EXPECT_TRUE(workspace_.panel<PosePanel>().breakdown_from.empty());
}

}  // namespace
}  // namespace pelt::ui
