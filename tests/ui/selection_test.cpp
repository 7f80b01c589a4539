// Modes, tools and what is selected, in the whole window without a display.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>

#include "edit/selection_edits.h"
#include "gltf/bundled.h"
#include "selecting_window.h"
#include "ui/modes.h"
#include "ui/pose_panel.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/weights_panel.h"

namespace pelt::ui {
namespace {

TEST_F(Selecting, ClicksWithShiftAndCtrlInTheViewportAndTheTree) {
  click_at(bone("elbow_l"));
  EXPECT_EQ(selected(), (Joints{joint("elbow_l")}));
  ImGui::GetIO().KeyShift = true;
  click_at(bone("elbow_r"));
  EXPECT_EQ(selected(), (Joints{joint("elbow_l"), joint("elbow_r")}));
  ImGui::GetIO().KeyShift = false;
  ImGui::GetIO().KeyCtrl = true;
  click_at(bone("elbow_l"));
  EXPECT_EQ(selected(), (Joints{joint("elbow_r")}));
  click("tree.joint.head");
  EXPECT_EQ(selected(), (Joints{joint("elbow_r"), joint("head")}));
  ImGui::GetIO().KeyCtrl = false;
  click("tree.joint.spine_01");
  ImGui::GetIO().KeyShift = true;
  click("tree.joint.chest");
  EXPECT_EQ(selected(), (Joints{joint("spine_01"), joint("spine_02"), joint("spine_03"), joint("chest")}))
      << "rows between, the one clicked last active";
  click_at({report_["viewport"].x + 400, report_["viewport"].y + 30});
  EXPECT_EQ(selected().size(), 4u) << "a miss with Shift";
  ImGui::GetIO().KeyShift = false;
  click_at({report_["viewport"].x + 400, report_["viewport"].y + 30});
  EXPECT_TRUE(selected().empty());
}

TEST_F(Selecting, ABoxTakesTheJointsInItAndEscTakesItBack) {
  take_tool(workspace_, kBoxTool);
  const render::Camera before = workspace_.camera;
  const glm::vec2 hand = bone("wrist_l");
  drag(hand + glm::vec2(60, -30), hand + glm::vec2(-25, 60));
  EXPECT_EQ(workspace_.camera, before) << "the drag is the tool's";
  EXPECT_TRUE(has("wrist_l") && has("thumb_01_l")) << selected().size();
  EXPECT_FALSE(has("elbow_l") || has("wrist_r"));
  const std::size_t count = selected().size();
  EXPECT_GT(count, 5u);
  // Ctrl takes the same ones out again.
  ImGui::GetIO().KeyCtrl = true;
  drag(hand + glm::vec2(60, -30), hand + glm::vec2(-25, 60));
  EXPECT_TRUE(selected().empty());
  ImGui::GetIO().KeyCtrl = false;
  ImGui::GetIO().KeyAlt = true;
  drag({700, 300}, {760, 320});
  EXPECT_NE(workspace_.camera, before) << "Alt orbits";
  ImGui::GetIO().KeyAlt = false;
  document_.view.select_only(3);
  ImGui::GetIO().KeyMap[ImGuiKey_Escape] = 1;
  move({500, 200});
  button(true);
  move({700, 500});
  EXPECT_TRUE(report_.contains("viewport.box"));
  ImGui::GetIO().KeysDown[1] = true;
  frames(2);
  ImGui::GetIO().KeysDown[1] = false;
  EXPECT_FALSE(report_.contains("viewport.box"));
  button(false);
  EXPECT_EQ(selected(), (Joints{3})) << "Esc leaves what was selected";
}

TEST_F(Selecting, AKeyHoldsAToolForAsLongAsItIsDown) {
  edit::apply(document_, {edit::SetClip{-1}, {}, false});
  const auto with_desk = [&](auto f) {
    Scene scene;
    scene.document = &document_;
    scene.now = now_;
    Requests requests;
    Desk desk{scene, workspace_, requests, report_, theme_};
    f(desk);
  };
  const Chord box = std::ranges::find(tools(), kBoxTool, &Tool::id)->key;
  with_desk([&](Desk& desk) { EXPECT_TRUE(ui::press(box, desk)); });
  EXPECT_EQ(current_tool(workspace_).id, kBoxTool);
  with_desk([&](Desk& desk) { release_tool(box.key, desk); });
  EXPECT_EQ(current_tool(workspace_).id, kBoxTool) << "tapped, it stays";
  take_tool(workspace_, kSelectTool);
  with_desk([&](Desk& desk) { ui::press(box, desk); });
  drag({500, 200}, {700, 500});
  now_ += 1;
  with_desk([&](Desk& desk) { release_tool(box.key, desk); });
  EXPECT_EQ(current_tool(workspace_).id, kSelectTool) << "held and used, the one before comes back";
  // A mode without the tool falls back on its first, and the tool is there again in the next.
  take_tool(workspace_, kChainTool);
  enter_mode(workspace_, "weights");
  EXPECT_EQ(current_tool(workspace_).id, kSelectTool);
  enter_mode(workspace_, "pose");
  EXPECT_EQ(current_tool(workspace_).id, kChainTool);
}

TEST_F(Selecting, ChainsBranchesMirrorsAndUpAndDown) {
  click_at(bone("clavicle_l"));
  take_tool(workspace_, kChainTool);
  click_at(bone("elbow_l"));
  EXPECT_EQ(selected(), (Joints{joint("clavicle_l"), joint("shoulder_l"), joint("elbow_l")}));
  take_tool(workspace_, kSelectTool);
  tap({'M', true});
  EXPECT_EQ(selected(), (Joints{joint("clavicle_r"), joint("shoulder_r"), joint("elbow_r")}));
  document_.view.select_only(joint("elbow_l"));
  tap({kKeyUp});
  EXPECT_EQ(selected(), (Joints{joint("shoulder_l")}));
  tap({kKeyDown});
  EXPECT_EQ(selected(), (Joints{joint("elbow_l")}));
  tap({kKeyUp, false, true});
  EXPECT_EQ(selected(), (Joints{joint("elbow_l"), joint("shoulder_l")}));
  tap({'L', true});
  EXPECT_TRUE(has("thumb_03_l"));
  EXPECT_EQ(document_.view.selected_joint(), joint("shoulder_l"));
  tap({'A', true});
  EXPECT_GT(selected().size(), 50u);
}

TEST_F(Selecting, ASliderTurnsAllThatIsSelectedByAsMuchInOneStep) {
  const int left = joint("elbow_l");
  const int right = joint("elbow_r");
  const int dof = edit::joint_dofs(document_, left).find("bend");
  ASSERT_GE(dof, 0);
  edit::apply(document_, {edit::SetDof{right, dof, 0.5f}, {}, false});
  document_.view.selected_joints = {right, left};
  workspace_.tab = kPoseTab;
  frames(3);
  const float a = edit::dof_values(document_, left)[dof];
  const std::size_t steps = document_.history.cursor();
  const Rect slider = report_["dof.elbow_l.bend"];
  ASSERT_FALSE(slider.empty());
  const glm::vec2 middle(slider.x + slider.w * 0.3f, slider.center().y);
  drag(middle, middle + glm::vec2(slider.w * 0.06f, 0));
  const float moved = edit::dof_values(document_, left)[dof] - a;
  EXPECT_GT(std::abs(moved), 0.05f);
  EXPECT_NEAR(edit::dof_values(document_, right)[dof], 0.5f + moved, 1e-5f);
  frames(2);
  act("edit.undo");
  EXPECT_EQ(document_.history.cursor(), steps);
  EXPECT_NEAR(edit::dof_values(document_, right)[dof], 0.5f, 1e-6f);
  // Reset both in one step.
  act("edit.redo");
  act("edit.reset-joint");
  EXPECT_TRUE(document_.content.overrides->empty());
  act("edit.reset-joint");
  act("edit.undo");
  EXPECT_EQ(document_.content.overrides->size(), 2u);
}

TEST_F(Selecting, VerticesInTheWeightsMode) {
  enter_mode(workspace_, "weights");
  workspace_.view.skeleton = false;
  frames(2);
  const glm::vec2 chest = on_chest();
  click_at(chest);
  ASSERT_EQ(edit::vertex_count(document_.view.selected_vertices), 1u);
  EXPECT_GE(document_.view.pinned_vertex, 0);
  tap({kKeyUp});
  const std::size_t ring = edit::vertex_count(document_.view.selected_vertices);
  EXPECT_GT(ring, 3u);
  tap({kKeyDown});
  EXPECT_LT(edit::vertex_count(document_.view.selected_vertices), ring);
  take_tool(workspace_, kBoxTool);
  drag(chest - glm::vec2(40), chest + glm::vec2(40));
  const std::size_t seen = edit::vertex_count(document_.view.selected_vertices);
  EXPECT_GT(seen, ring);
  workspace_.select_through = true;
  drag(chest - glm::vec2(40), chest + glm::vec2(40));
  const std::size_t all = edit::vertex_count(document_.view.selected_vertices);
  EXPECT_GT(all, seen + seen / 2) << "the back as well";
  // It has a name, and smoothing can be about it.
  edit::apply(document_, {edit::NameSelection{"chest", edit::selected(document_, true)}, {}, true});
  act("edit.deselect");
  EXPECT_TRUE(document_.view.selected_vertices.empty());
  EXPECT_EQ(document_.view.pinned_vertex, -1) << "with the pinned one, at once";
  resize({1440, 2400}, 1);
  frames(3);
  click("section.Selection");
  frames(2);
  click("selection.named.chest");
  EXPECT_EQ(edit::vertex_count(document_.view.selected_vertices), all);
  workspace_.panel<WeightsPanel>().smoothing.area = WeightEditSection::kSelection;
  click("section.Smooth");
  frames(2);
  const auto before = document_.character;
  click("smooth.apply");
  ASSERT_NE(document_.character, before);
  std::size_t changed = 0;
  for (std::size_t p = 0; p < before->parts.size(); ++p) {
    const mesh::Influences& now = document_.character->primitive(document_.character->parts[p]).influences;
    const mesh::Influences& was = before->primitive(before->parts[p]).influences;
    for (std::size_t v = 0; v < was.vertex_count(); ++v) {
      const bool same = std::ranges::equal(now.weights(v), was.weights(v));
      const auto part =
          std::ranges::find(document_.view.selected_vertices, static_cast<int>(p), &edit::PartVertices::part);
      const bool in = part != document_.view.selected_vertices.end() &&
                      std::ranges::binary_search(part->vertices, static_cast<std::uint32_t>(v));
      changed += same ? 0 : 1;
      EXPECT_TRUE(same || in) << p << " " << v;
    }
  }
  EXPECT_GT(changed, 0u);
}

TEST_F(Selecting, FramingIsAboutAllThatIsSelected) {
  document_.view.selected_joints = {joint("wrist_l"), joint("wrist_r")};
  act("view.frame");
  const float both = workspace_.camera.distance;
  document_.view.select_only(joint("thumb_03_l"));
  act("view.frame");
  EXPECT_LT(workspace_.camera.distance, 0.5f * both);
  enter_mode(workspace_, "weights");
  document_.view.selected_vertices = edit::all_vertices(*document_.character);
  act("view.frame");
  EXPECT_GT(workspace_.camera.distance, both);
}

TEST_F(Selecting, RightClickOpensTheMenuOfWhatIsThere) {
  document_.view.selected_joints = {joint("head"), joint("elbow_l")};
  frames(2);
  click_at(bone("elbow_l"), 1);
  EXPECT_EQ(selected().size(), 2u) << "it is among what is selected";
  ASSERT_TRUE(report_.contains("context.select.branch"));
  click("context.select.mirror");
  EXPECT_EQ(selected(), (Joints{joint("head"), joint("elbow_r")}));
  EXPECT_FALSE(report_.contains("context.select.mirror"));
  click_at(bone("neck"), 1);
  EXPECT_EQ(selected(), (Joints{joint("neck")}));
  // The mannequin has one mesh: nothing else can be hidden, and hiding takes that one.
  ASSERT_EQ(document_.character->mesh_nodes.size(), 1u);
  click("context.view.isolate");
  EXPECT_TRUE(workspace_.view.toggled_nodes.empty());
  act("view.hide");
  EXPECT_EQ(workspace_.view.toggled_nodes, (Joints{document_.character->mesh_nodes[0].joint}));
  act("view.show-all");
  EXPECT_TRUE(workspace_.view.toggled_nodes.empty());
  ASSERT_TRUE(report_.contains("tree.joint.chest"));
  click_at(report_["tree.joint.chest"].center(), 1);
  EXPECT_EQ(selected(), (Joints{joint("chest")}));
  EXPECT_TRUE(report_.contains("context.edit.rename-joint"));
}

TEST_F(Selecting, ModesKeepTheirTabs) {
  EXPECT_EQ(workspace_.mode, "pose");
  click("mode.look");
  EXPECT_EQ(workspace_.tab, tabs_of(modes().front()).front()->id);
  click("tab.display");
  click("mode.weights");
  EXPECT_EQ(workspace_.tab, kWeightsTab);
  click("mode.look");
  EXPECT_EQ(workspace_.tab, "display") << "as it was left";
  show_tab(workspace_, "info");
  EXPECT_EQ(workspace_.mode, "look") << "it has that tab as well";
  show_tab(workspace_, kPoseTab);
  EXPECT_EQ(workspace_.mode, "pose");
  for (const Mode& mode : modes()) {
    const Action* action = find_action("mode." + std::string(mode.id));
    ASSERT_NE(action, nullptr) << mode.id;
    EXPECT_EQ(action->key, mode.key);
    EXPECT_LE(tabs_of(mode).size(), 6u) << "with Info, which every mode has; findings_test sees that they have room";
    EXPECT_FALSE(tabs_of(mode).empty() || tools_of(mode).empty());
    frame(action);
    EXPECT_EQ(workspace_.mode, mode.id);
  }
  for (const Tab& tab : tabs()) {
    EXPECT_TRUE(std::ranges::any_of(modes(), [&](const Mode& mode) { return has_tab(mode, tab.id); })) << tab.id;
  }
  // Where the row does not fit, a list opens.
  resize({640, 480}, 1);
  frames(3);
  EXPECT_FALSE(report_.contains("mode.rig"));
  click("modes");
  ASSERT_TRUE(report_.contains("mode.rig"));
  click("mode.rig");
  EXPECT_EQ(workspace_.mode, "rig");
}

}  // namespace
}  // namespace pelt::ui
