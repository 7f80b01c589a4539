// What is selected is what is seen: vertices steer the Weights mode alone, clicks lose nothing, menus are about what is
// under the pointer.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>

#include "edit/selection_edits.h"
#include "rig/joint_names.h"
#include "selecting_window.h"
#include "ui/modes.h"
#include "ui/pose_panel.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/weights_panel.h"

namespace pelt::ui {
namespace {

class SelectingInModes : public Selecting {
 protected:
  /// Rigid meshes, each on a node of its own.
  void open_robot() {
    open(*gltf::import_bundled("robot"));
    act("view.front");
    act("view.home");
    frames(2);
  }
  /// The mannequin with a ball on a string beside it: joints in a tree of their own, which no vertex follows.
  void open_with_ball() {
    rig::Character two = *document_.character;
    const int ball = test::add_node(two, "ball", -1, {.translation = {0.6f, 0.3f, 0}});
    const int string = test::add_node(two, "string", ball, {.translation = {0.2f, 0.2f, 0}});
    two.skeleton.edit().is_joint.clear();
    two.skeleton.edit().source_node.clear();
    rig::Skin& skin = two.skins.edit(0);
    for (const int j : {ball, string}) {
      skin.joints.push_back(j);
      skin.joint_from_mesh.emplace_back(1.0f);
    }
    rig::finish(two);
    open(std::move(two));
  }
  /// For asking what an action says.
  Desk desk() {
    asked_scene_.document = &document_;
    return Desk{asked_scene_, workspace_, asked_requests_, report_, theme_};
  }
  /// No double click with the one before.
  void click_at(glm::vec2 at, int which = 0) {
    frames(20);
    Selecting::click_at(at, which);
  }
  void mode(std::string_view id) {
    enter_mode(workspace_, id);
    frames(2);
  }
  std::size_t vertices() const { return edit::vertex_count(document_.view.selected_vertices); }
  glm::vec2 background() { return {report_["viewport"].x + 400, report_["viewport"].y + 30}; }
  /// All vertices of one part.
  edit::VertexSelection part(int p) const {
    edit::VertexSelection all = edit::all_vertices(*document_.character);
    std::erase_if(all, [&](const edit::PartVertices& of_part) { return of_part.part != p; });
    return all;
  }
  int part_on(const char* node) const {
    const auto found = std::ranges::find(document_.character->parts, joint(node), &rig::Part::joint);
    return static_cast<int>(found - document_.character->parts.begin());
  }

 private:
  Scene asked_scene_;
  Requests asked_requests_;
};

TEST_F(SelectingInModes, VerticesThatAreNotSeenSteerNothing) {
  open_robot();
  mode("weights");
  document_.view.selected_vertices = part(part_on("torso"));
  const edit::VertexSelection before = document_.view.selected_vertices;
  ASSERT_FALSE(before.empty());
  EXPECT_TRUE(enabled(*find_action("select.grow"), desk()));
  mode("pose");
  EXPECT_FALSE(enabled(*find_action("select.grow"), desk()));
  EXPECT_FALSE(enabled(*find_action("select.all-vertices"), desk()));
  // The menu of a joint hides what hangs on that joint.
  click_at(bone("head"), 1);
  ASSERT_EQ(selected(), (Joints{joint("head")}));
  click("context.view.hide");
  EXPECT_EQ(std::ranges::count(workspace_.view.toggled_nodes, joint("head")), 1);
  EXPECT_EQ(std::ranges::count(workspace_.view.toggled_nodes, joint("torso")), 0);
  workspace_.view.toggled_nodes.clear();
  // A click beside it, Esc and Deselect each let go of the joint, and of nothing else.
  click_at(background());
  EXPECT_TRUE(selected().empty());
  document_.view.select_only(joint("head"));
  press_escape();
  EXPECT_TRUE(selected().empty());
  document_.view.select_only(joint("head"));
  act("edit.deselect");
  EXPECT_TRUE(selected().empty());
  EXPECT_EQ(document_.view.selected_vertices, before);
  // A name is given to what is seen.
  document_.view.select_only(joint("head"));
  resize({1440, 2400}, 1);
  frames(3);
  click("section.Selection");
  frames(2);
  workspace_.panel<SelectionSection>().name = "top";
  frames(2);
  click("selection.keep");
  ASSERT_TRUE(document_.content.selections->contains("top"));
  EXPECT_EQ(document_.content.selections->at("top"), (edit::NamedSelection{{joint("head")}, {}}));
  mode("weights");
  EXPECT_EQ(document_.view.selected_vertices, before) << "there they are again";
}

TEST_F(SelectingInModes, EscLetsGoOfVerticesWithThePinThenOfJoints) {
  mode("weights");
  workspace_.view.skeleton = false;
  frames(2);
  document_.view.select_only(joint("head"));
  click_at(on_chest());
  ASSERT_GT(vertices(), 0u);
  ASSERT_GE(document_.view.pinned_vertex, 0);
  press_escape();
  EXPECT_EQ(vertices(), 0u);
  EXPECT_EQ(document_.view.pinned_vertex, -1);
  EXPECT_EQ(selected(), (Joints{joint("head")}));
  press_escape();
  EXPECT_TRUE(selected().empty());
}

TEST_F(SelectingInModes, IsolatingAndHidingAreEachSeen) {
  open_robot();
  document_.view.select_only(joint("head"));
  frames(2);
  click_at(bone("head"), 1);
  click("context.view.isolate");
  for (const rig::MeshNode& node : document_.character->mesh_nodes) {
    // What carries the head stays, and what hangs on it.
    const bool stays = document_.character->skeleton->is_within(joint("head"), node.joint) ||
                       document_.character->skeleton->is_within(node.joint, joint("head"));
    // A node is out of sight with any node above it.
    const bool hidden = std::ranges::any_of(workspace_.view.toggled_nodes, [&](int toggled) {
      return document_.character->skeleton->is_within(node.joint, toggled);
    });
    EXPECT_EQ(hidden, !stays) << document_.character->skeleton->label(node.joint);
  }
  EXPECT_GT(workspace_.view.toggled_nodes.size(), 2u);
  act("view.show-all");
  EXPECT_TRUE(workspace_.view.toggled_nodes.empty());
  act("view.hide");
  EXPECT_EQ(std::ranges::count(workspace_.view.toggled_nodes, joint("head")), 1);
  EXPECT_EQ(std::ranges::count(workspace_.view.toggled_nodes, joint("torso")), 0);
}

TEST_F(SelectingInModes, TheMenuIsOfWhatIsUnderThePointer) {
  open_robot();
  mode("weights");
  document_.view.selected_vertices = part(part_on("torso"));
  click_at(bone("head"), 1);
  EXPECT_EQ(selected(), (Joints{joint("head")}));
  ASSERT_TRUE(report_.contains("context.select.branch")) << "of a joint, also in this mode";
  EXPECT_FALSE(report_.contains("context.select.grow"));
  click("context.view.hide");
  EXPECT_EQ(std::ranges::count(workspace_.view.toggled_nodes, joint("head")), 1);
  EXPECT_EQ(std::ranges::count(workspace_.view.toggled_nodes, joint("torso")), 0);
  act("view.show-all");
  workspace_.view.skeleton = false;
  frames(2);
  click_at(on_chest(), 1);
  ASSERT_TRUE(report_.contains("context.select.grow"));
  EXPECT_FALSE(report_.contains("context.select.branch"));
  click("context.view.hide");
  EXPECT_EQ(std::ranges::count(workspace_.view.toggled_nodes, joint("torso")), 1);
}

TEST_F(SelectingInModes, MenusShowKeysThatCountHere) {
  EXPECT_EQ(key_here(*find_action("select.branch"), desk()), "Ctrl+L");
  EXPECT_EQ(key_here(*find_action("select.connected"), desk()), "");
  mode("weights");
  EXPECT_EQ(key_here(*find_action("select.branch"), desk()), "");
  EXPECT_EQ(key_here(*find_action("select.connected"), desk()), "Ctrl+L");
  EXPECT_EQ(key_here(*find_action("file.save"), desk()), "Ctrl+S");
  EXPECT_EQ(key_here(*find_action("file.save-picture"), desk()), "") << "it has none";
}

TEST_F(SelectingInModes, ADoubleClickResetsAllThatTheFirstClickMoved) {
  const int left = joint("elbow_l");
  const int right = joint("elbow_r");
  const int dof = edit::joint_dofs(document_, left).find("bend");
  const float base_left = edit::dof_values(document_, left)[dof];
  const float base_right = edit::dof_values(document_, right)[dof];
  edit::apply(document_, {edit::SetDof{right, dof, 0.5f}, {}, true});
  edit::apply(document_, {edit::SetDof{left, dof, 0.25f}, {}, true});
  edit::end_merge(document_);
  document_.view.selected_joints = {right, left};
  workspace_.tab = kPoseTab;
  frames(60);
  const std::size_t steps = document_.history.cursor();
  const Rect slider = report_["dof.elbow_l.bend"];
  ASSERT_FALSE(slider.empty());
  move({slider.x + slider.w * 0.3f, slider.center().y});
  const auto value = [&](int j) { return edit::dof_values(document_, j)[dof]; };
  button(true);
  button(false);
  ASSERT_NE(value(right), 0.5f) << "the first click moves both";
  button(true);
  button(false);
  EXPECT_EQ(value(left), base_left);
  EXPECT_EQ(value(right), base_right);
  EXPECT_EQ(document_.history.cursor(), steps + 1);
  act("edit.undo");
  EXPECT_EQ(value(left), 0.25f);
  EXPECT_EQ(value(right), 0.5f);
  // The sign beside the slider does the same.
  frames(60);
  click("dof.elbow_l.bend.reset");
  EXPECT_EQ(value(left), base_left);
  EXPECT_EQ(value(right), base_right);
  EXPECT_EQ(document_.history.undo_label(), "Reset 2 joints");
  act("edit.undo");
  EXPECT_EQ(value(left), 0.25f);
  EXPECT_EQ(value(right), 0.5f);
}

TEST_F(SelectingInModes, TheChainToolLosesNothing) {
  open_with_ball();
  document_.view.select_only(joint("clavicle_l"));
  take_tool(workspace_, kChainTool);
  frames(2);
  click_at(bone("elbow_l"));
  const Joints arm = {joint("clavicle_l"), joint("shoulder_l"), joint("elbow_l")};
  ASSERT_EQ(selected(), arm);
  click_at(bone("elbow_l"));
  EXPECT_EQ(selected(), arm) << "the second click of two";
  ImGui::GetIO().KeyShift = true;
  click_at(bone("elbow_l"));
  EXPECT_EQ(selected(), arm);
  ImGui::GetIO().KeyShift = false;
  ASSERT_FALSE(report_["bone.ball"].empty());
  click_at(bone("ball"));
  EXPECT_EQ(selected(), (Joints{joint("ball")})) << "of another tree: alone";
}

TEST_F(SelectingInModes, WithoutAPartnerTheSelectionStays) {
  rig::Character odd = *document_.character;
  odd.skeleton.edit().name[joint("elbow_l")] = "claw_l";
  open(std::move(odd));
  document_.view.select_only(joint("claw_l"));
  tap({'M', true});
  EXPECT_EQ(selected(), (Joints{joint("claw_l")}));
  ASSERT_TRUE(workspace_.notice.has_value());
  EXPECT_EQ(workspace_.notice->text, "No selected joint has a partner on the other side");
}

TEST_F(SelectingInModes, AllJointsAreThoseThatAreDrawnAndTheActiveOneStaysIt) {
  open_with_ball();
  const int elbow = joint("elbow_l");
  document_.view.select_only(elbow);
  tap({'A', true});
  EXPECT_TRUE(has("ball"));
  const std::size_t all = selected().size();
  EXPECT_EQ(document_.view.selected_joint(), elbow);
  workspace_.view.deforming_only = true;
  frames(2);
  tap({'A', true});
  const std::vector<char> deforming = rig::deforming_joints(*document_.character);
  for (const int j : selected()) {
    EXPECT_NE(deforming[j], 0) << document_.character->skeleton->label(j);
  }
  EXPECT_LT(selected().size(), all);
  EXPECT_EQ(document_.view.selected_joint(), elbow);
}

TEST_F(SelectingInModes, AJointUnderARingCanBeClicked) {
  // A joint whose bone lies under a ring of the active one.
  int under = -1;
  glm::vec2 at(0);
  for (const char* active : {"chest", "spine_02", "clavicle_l", "neck"}) {
    document_.view.select_only(joint(active));
    frames(2);
    for (const auto& [name, rect] : WidgetReport(report_)) {
      if (!name.starts_with("bone.") || name == std::string("bone.") + active) {
        continue;
      }
      move(rect.center());
      if (workspace_.viewport.hovered_ring >= 0) {
        under = joint(name.substr(5).c_str());
        at = rect.center();
        break;
      }
    }
    if (under >= 0) {
      break;
    }
  }
  ASSERT_GE(under, 0) << "some bone lies under a ring";
  const int active = document_.view.selected_joint();
  const std::size_t steps = document_.history.cursor();
  ImGui::GetIO().KeyShift = true;
  click_at(at);
  EXPECT_EQ(selected().size(), 2u);
  EXPECT_EQ(selected().front(), active);
  ImGui::GetIO().KeyShift = false;
  EXPECT_EQ(document_.history.cursor(), steps) << "nothing was turned";
}

TEST_F(SelectingInModes, ARingOverTheBackgroundLetsNothingGo) {
  document_.view.select_only(joint("wrist_l"));
  frames(2);
  bool tried = false;
  for (int x = -90; x <= 90 && !tried; x += 2) {
    move(bone("wrist_l") + glm::vec2(static_cast<float>(x), 60));
    tried = workspace_.viewport.hovered_ring >= 0 && workspace_.viewport.hovered_joint < 0;
  }
  ASSERT_TRUE(tried) << "a ring is there";
  const Joints before = selected();
  button(true);
  button(false);
  EXPECT_FALSE(selected().empty());
  EXPECT_EQ(before.size(), selected().size());
}

TEST_F(SelectingInModes, AClickTakesAllVerticesOfAPlace) {
  open_robot();
  mode("weights");
  workspace_.view.skeleton = false;
  frames(2);
  click_at(on_chest());
  const std::size_t at_once = vertices();
  ASSERT_GT(at_once, 1u) << "edges of the robot are hard: each place has several vertices";
  const edit::VertexSelection place = document_.view.selected_vertices;
  // The menu is about the same ones.
  document_.view.selected_vertices.clear();
  frames(2);
  click_at(on_chest(), 1);
  EXPECT_EQ(document_.view.selected_vertices, place);
  tap({'A', true});
  const std::size_t all = vertices();
  frames(2);
  ImGui::GetIO().KeyCtrl = true;
  click_at(background());  // closes the menu
  click_at(on_chest());
  EXPECT_EQ(vertices(), all - at_once) << "none of them stays";
  // One of them alone, by whatever way: all go with it.
  document_.view.selected_vertices = {
      {document_.view.pinned_part, {static_cast<std::uint32_t>(document_.view.pinned_vertex)}}};
  click_at(on_chest());
  EXPECT_EQ(vertices(), 0u);
  click_at(on_chest());
  EXPECT_EQ(document_.view.selected_vertices, place);
}

TEST_F(SelectingInModes, RequestsOfVerticesThatThereAreNotAreLeftOut) {
  Requests requests;
  requests.select_vertices = edit::VertexSelection{{0, {0, 1u << 30}}, {99, {0}}};
  requests.pin = glm::ivec2(0, 1 << 30);
  apply(requests, document_);
  EXPECT_EQ(document_.view.selected_vertices, (edit::VertexSelection{{0, {0}}}));
  EXPECT_EQ(document_.view.pinned_vertex, -1);
}

TEST_F(SelectingInModes, ANameSelectsWhatItIsAbout) {
  edit::apply(document_, {edit::NameSelection{"joints", {{joint("head"), joint("neck")}, {}}}, {}, true});
  edit::apply(document_, {edit::NameSelection{"vertices", {{}, {{0, 0, {1, 2, 3}}}}}, {}, true});
  resize({1440, 2400}, 1);
  mode("weights");
  document_.view.select_only(joint("elbow_l"));
  frames(2);
  click("section.Selection");
  frames(2);
  click("selection.named.vertices");
  EXPECT_EQ(vertices(), 3u);
  EXPECT_EQ(selected(), (Joints{joint("elbow_l")})) << "whose weights are looked at";
  EXPECT_FALSE(workspace_.notice.has_value());
  click("selection.named.joints");
  EXPECT_EQ(selected(), (Joints{joint("head"), joint("neck")}));
  EXPECT_EQ(vertices(), 3u);
  // Where they are not seen it is said.
  mode("pose");
  document_.view.selected_vertices.clear();
  document_.view.select_only(joint("head"));
  frames(2);
  click("section.Selection");
  frames(2);
  click("selection.named.vertices");
  EXPECT_EQ(vertices(), 3u);
  ASSERT_TRUE(workspace_.notice.has_value());
  EXPECT_NE(workspace_.notice->text.find("the Weights mode shows them"), std::string::npos);
}

TEST_F(SelectingInModes, ARefusedChangeSaysWhy) {
  Requests requests;
  rig::JointDofs bad = edit::joint_dofs(document_, joint("elbow_l"));
  bad.dofs[0].name = std::string(41, 'x');
  requests.commands.push_back({edit::SetJointSliders{joint("elbow_l"), bad}, {}, true});
  const Outcome outcome = apply(requests, document_);
  EXPECT_EQ(outcome.notice, "");
  EXPECT_EQ(outcome.error.substr(0, 26), "Nothing changes: elbow_l: ") << outcome.error;
  EXPECT_NE(outcome.error.find("at most 40 bytes"), std::string::npos) << outcome.error;
  EXPECT_FALSE(edit::can_undo(document_));
}

TEST_F(SelectingInModes, ATabComesBackInItsMode) {
  for (const Mode& mode : modes()) {
    for (const Tab* tab : tabs_of(mode)) {
      enter_mode(workspace_, "pose");
      show_tab_in(workspace_, tab->id, mode.id);
      EXPECT_EQ(workspace_.mode, mode.id) << tab->id;
      EXPECT_EQ(workspace_.tab, tab->id);
    }
  }
  // A mode that there is not, or that has not the tab: one that has it.
  show_tab_in(workspace_, kWeightsTab, "animate");
  EXPECT_EQ(workspace_.mode, "weights");
  show_tab_in(workspace_, kPoseTab, "rig");
  EXPECT_EQ(workspace_.mode, "pose");
}

}  // namespace
}  // namespace pelt::ui
