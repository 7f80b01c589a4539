// Weights painted, pulled, locked and bound with the mouse.
#include <imgui.h>

#include <cmath>

#include <gtest/gtest.h>

#include "edit/paint_edits.h"
#include "selecting_window.h"
#include "ui/bind_panel.h"
#include "ui/brush_tool.h"
#include "ui/paint_panel.h"
#include "ui/tools.h"
#include "ui/weight_tools_panel.h"
#include "ui/weights_panel.h"

namespace pelt::ui {
namespace {

class Painting : public Selecting {
 protected:
  void SetUp() override {
    Selecting::SetUp();
    workspace_.view.skeleton = false;
    act("mode.weights");
    show_tab(workspace_, kPaintTab);
    take_tool(workspace_, kPaintTool);
    workspace_.panel<BindPanel>().patient = true;
    select_joint("spine_2");
  }
  [[nodiscard]] BrushTool& tool() { return workspace_.panel<BrushTool>(); }
  void select_joint(const char* name) {
    const int found = joint(name);
    document_.view.select_only(found >= 0 ? found : chest_joint());
    frames(2);
  }
  // The joint that moves the chest.
  int chest_joint() {
    for (int j = 0; j < document_.character->skeleton->size(); ++j) {
      if (document_.character->skeleton->name[static_cast<std::size_t>(j)].starts_with("spine")) {
        return j;
      }
    }
    return 0;
  }
  // Of all vertices together.
  double sum_of(int of_joint) {
    double sum = 0;
    for (const rig::Part& part : document_.character->parts) {
      if (part.skin < 0) {
        continue;
      }
      const std::vector<int>& joints = document_.character->skins[static_cast<std::size_t>(part.skin)].joints;
      document_.character->primitive(part).influences->for_each_entry(
          [&](std::uint16_t k, float weight) { sum += joints[k] == of_joint ? double{weight} : 0.0; });
    }
    return sum;
  }
  int active() const { return document_.view.selected_joint(); }
  void drag_over_chest() {
    move(on_chest());
    button(true);
    move(below_chest());
    button(false);
    frames(2);
  }
  glm::vec2 below_chest() { return on_chest() + glm::vec2(0, 30); }
};

TEST_F(Painting, AStrokeIsOneStepThatGivesTheJointMoreAndUndoRestoresTheWeights) {
  const auto before = document_.content.character;
  const double had = sum_of(active());
  drag(on_chest(), below_chest());
  EXPECT_GT(sum_of(active()), had);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(workspace_.view.look, render::Look::kWeights) << "what is painted is seen";
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

TEST_F(Painting, AClickIsADab) {
  click_at(on_chest());
  EXPECT_EQ(document_.history.size(), 2u);
}

TEST_F(Painting, CtrlTakesAwayAndShiftSmooths) {
  drag(on_chest(), below_chest());
  const double had = sum_of(active());
  ImGui::GetIO().KeyCtrl = true;
  drag(on_chest(), below_chest());
  ImGui::GetIO().KeyCtrl = false;
  EXPECT_LT(sum_of(active()), had);
  const auto before = document_.content.character;
  ImGui::GetIO().KeyShift = true;
  drag(on_chest(), below_chest());
  ImGui::GetIO().KeyShift = false;
  EXPECT_NE(document_.content.character, before);
}

TEST_F(Painting, SymmetricPaintingGivesBothSidesTheSame) {
  document_.view.select_only(joint("shoulder_l"));
  tool().symmetric = true;
  frames(2);
  const double left = sum_of(joint("shoulder_l"));
  const double right = sum_of(joint("shoulder_r"));
  tool().radius = 15;
  drag(on_chest() + glm::vec2(-45, 0), on_chest() + glm::vec2(-45, 20));
  const double more = sum_of(joint("shoulder_l")) - left;
  EXPECT_GT(more, 1e-3);
  EXPECT_NEAR(sum_of(joint("shoulder_r")) - right, more, 1e-3 * more);
}

TEST_F(Painting, EscTakesTheStrokeBack) {
  const auto before = document_.content.character;
  move(on_chest());
  button(true);
  move(below_chest());
  EXPECT_NE(document_.content.character, before);
  ImGui::GetIO().KeyMap[ImGuiKey_Escape] = 1;
  press(1);
  button(false);
  EXPECT_EQ(document_.content.character, before);
  EXPECT_EQ(document_.history.size(), 1u);
}

TEST_F(Painting, BesideTheSkinTheDragOrbits) {
  const Rect& view = workspace_.layout.viewport;
  const float azimuth = workspace_.camera.azimuth;
  drag({view.x + view.w - 30, view.y + view.h - 40}, {view.x + view.w - 90, view.y + view.h - 40});
  EXPECT_NE(workspace_.camera.azimuth, azimuth);
  EXPECT_EQ(document_.history.size(), 1u);
}

TEST_F(Painting, LockedJointsKeepTheirWeightsBitForBit) {
  frame();
  click("paint.lock");
  EXPECT_TRUE(edit::is_locked(document_.content, active()));
  const auto before = document_.content.character;
  drag(on_chest(), below_chest());
  EXPECT_EQ(document_.content.character, before) << "the joint itself is locked";
  const int locked = active();
  const double had = sum_of(locked);
  for (int j = 0; j < document_.character->skeleton->size(); ++j) {
    if (j != locked && document_.character->skeleton->is_joint[static_cast<std::size_t>(j)] != 0) {
      document_.view.select_only(j);
      break;
    }
  }
  workspace_.view.weight_joint = active();
  frames(2);
  drag(on_chest(), below_chest());
  EXPECT_DOUBLE_EQ(sum_of(locked), had);
}

TEST_F(Painting, SmoothingLeavesLockedJointsAlone) {
  const int locked = active();
  edit::apply(document_, {edit::LockJoints{{locked}, true}, ""});
  const double had = sum_of(locked);
  const auto before = document_.content.character;
  show_tab(workspace_, kWeightsTab);
  workspace_.panel<WeightsPanel>().smoothing.area = WeightEditSection::kAll;
  workspace_.panel<WeightsPanel>().smoothing.is_chosen = true;
  frames(3);
  click("section.Smooth");
  frames(2);
  click("smooth.apply");
  frames(2);
  EXPECT_NE(document_.content.character, before);
  EXPECT_EQ(sum_of(locked), had);
}

TEST_F(Painting, FDraggedChangesTheSizeAndATapFrames) {
  const float before = tool().radius;
  move(on_chest());
  ImGui::GetIO().KeysDown['F'] = true;
  frame(nullptr, Chord{'F'});
  move(on_chest() + glm::vec2(30, 0));
  EXPECT_NEAR(tool().radius, before + 30, 0.5f);
  ImGui::GetIO().KeysDown['F'] = false;
  frames(2);
  move(on_chest() + glm::vec2(60, 0));
  EXPECT_NEAR(tool().radius, before + 30, 0.5f) << "let go";
  EXPECT_EQ(document_.history.size(), 1u);
}

TEST_F(Painting, FillGivesTheSelectedVerticesTheValue) {
  document_.view.selected_vertices = edit::VertexSelection{{0, {0, 1, 2, 3}}};
  tool().value = 0.25f;
  frames(2);
  click("paint.fill");
  const rig::Part& part = document_.character->parts[0];
  const std::vector<int>& joints = document_.character->skins[static_cast<std::size_t>(part.skin)].joints;
  const mesh::Influences& rows = document_.character->primitive(part).influences;
  for (std::size_t v = 0; v < 4; ++v) {
    double weight = 0;
    double sum = 0;
    for (std::size_t k = 0; k < rows.count(v); ++k) {
      sum += double{rows.weights(v)[k]};
      weight += joints[rows.joints(v)[k]] == active() ? double{rows.weights(v)[k]} : 0.0;
    }
    EXPECT_NEAR(weight, 0.25, 1e-6) << v;
    EXPECT_NEAR(sum, 1, 1e-6) << v;
  }
}

TEST_F(Painting, AVertexIsPulledInAPoseAndComesBackWithTheMouse) {
  const int elbow = joint("elbow_l");
  edit::apply(document_, {edit::SetDof{elbow, 0, 1.2f}, ""});
  frames(2);
  take_tool(workspace_, kPullTool);
  tool().radius = 10;
  const auto before = document_.content.character;
  const std::size_t steps = document_.history.size();
  Scene scene;
  scene.document = &document_;
  scene.world = evaluation_.world();
  scene.pose = &evaluation_.pose();
  Requests requests;
  const Projector project(Desk{scene, workspace_, requests, report_, theme_});
  const glm::vec2 at = *project(glm::vec3(evaluation_.world()[static_cast<std::size_t>(elbow)][3]));
  move(at);
  button(true);
  move(at + glm::vec2(12, 12));
  EXPECT_NE(document_.content.character, before);
  button(false);
  EXPECT_EQ(document_.history.size(), steps + 1);
  EXPECT_EQ(document_.history.undo_label().substr(0, 4), "Pull");
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

TEST_F(Painting, AToolSaysWhatItWouldChangeAndChangesIt) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.tool = "limit";
  panel.values["limit"] = {1};
  frames(3);
  const auto before = document_.content.character;
  EXPECT_TRUE(panel.difference.starts_with("Would change")) << panel.difference;
  EXPECT_EQ(document_.content.character, before) << "it only says so";
  click("tools.apply");
  frames(2);
  EXPECT_EQ(document_.character->primitive(document_.character->parts[0]).influences->max_count(), 1u);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(panel.difference, "Nothing would change.");
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

TEST_F(Painting, AToolForTwoJointsAsksForThem) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.tool = "swap";
  frames(3);
  EXPECT_TRUE(panel.is_refused) << panel.difference;
  document_.view.selected_joints = {joint("shoulder_l"), joint("shoulder_r")};
  frames(2);
  EXPECT_FALSE(panel.is_refused) << panel.difference;
}

TEST_F(Painting, AToolInTheAreaOfAJointFollowsTheSelection) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.tool = "limit";
  panel.values["limit"] = {1};
  panel.area = WeightToolsPanel::kJoint;
  document_.view.select_only(-1);
  frames(3);
  EXPECT_TRUE(panel.is_refused) << panel.difference;
  select_joint("spine_2");
  frames(2);
  EXPECT_FALSE(panel.is_refused) << panel.difference;
  const std::string of_spine = panel.difference;
  select_joint("elbow_l");
  frames(2);
  EXPECT_NE(panel.difference, of_spine);
}

TEST_F(Painting, TheBrushWorksOnTheShapeOfNow) {
  edit::apply(document_, {edit::SetDof{joint("elbow_l"), 0, 1.2f}, ""});
  frames(2);
  drag_over_chest();
  const std::vector<glm::vec3> first = tool().posed.place;
  edit::apply(document_, {edit::BindSkin{.binder = "point-to-line", .limit = 1}, ""});
  frames(2);
  drag_over_chest();
  EXPECT_NE(tool().posed.place, first);
}

TEST_F(Painting, PartnersAreThoseOfTheSkinOfNow) {
  tool().symmetric = true;
  drag_over_chest();
  ASSERT_FALSE(tool().partner_slots.empty());
  auto longer = std::make_shared<rig::Character>(*document_.content.character);
  const int skin = longer->mesh_nodes[static_cast<std::size_t>(tool().mesh_node)].skin;
  rig::Skin& of = longer->skins.edit(static_cast<std::size_t>(skin));
  of.joints.push_back(of.joints[0]);
  of.joint_from_mesh.push_back(of.joint_from_mesh[0]);
  rig::finish(*longer);
  const std::size_t listed = longer->skins[static_cast<std::size_t>(skin)].joints.size();
  edit::apply(document_, {edit::ReplaceCharacter{longer}, ""});
  frames(2);
  drag_over_chest();
  EXPECT_TRUE(tool().partner_slots.empty() || tool().partner_slots.size() == listed) << tool().partner_slots.size();
}

TEST_F(Painting, TheWorstSpotsAreListedAndAClickPosesTheCharacter) {
  show_tab(workspace_, kWeightToolsTab);
  WeightToolsPanel& panel = workspace_.panel<WeightToolsPanel>();
  panel.patient = true;
  frames(2);
  click("tools.spots");
  frames(3);
  ASSERT_NE(panel.spots, nullptr);
  ASSERT_FALSE(panel.spots->spots.empty());
  const edit::Content before = document_.content;
  click("tools.spot.0");
  frames(2);
  EXPECT_NE(document_.content, before) << "posed";
  EXPECT_EQ(edit::vertex_count(edit::VertexSelection(document_.view.selected_vertices)), 1u);
  EXPECT_EQ(active(), panel.spots->spots[0].joint);
}

TEST_F(Painting, ABinderIsRunAndItsWeightsAreOneStep) {
  show_tab(workspace_, kBindTab);
  frames(3);
  const auto before = document_.content.character;
  click("bind.bind");
  frames(4);
  EXPECT_NE(document_.content.character, before);
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(document_.history.undo_label().substr(0, 4), "Bind");
  EXPECT_NE(workspace_.panel<BindPanel>().made, nullptr);
  edit::undo(document_);
  EXPECT_EQ(document_.content.character, before);
}

}  // namespace
}  // namespace pelt::ui
