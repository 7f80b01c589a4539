// Smoothing in the Weights tab and names in the tree, with the mouse and the keyboard.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "edit/commands.h"
#include "headless_window.h"
#include "rig/surface_variants.h"
#include "ui/tree_panel.h"
#include "ui/weights_panel.h"

namespace pelt::ui {
namespace {

using testing::HasSubstr;

enum NameKeys { kLeaveName = 1, kGiveName };

class WeightEdits : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = kLeaveName;
    ImGui::GetIO().KeyMap[ImGuiKey_Enter] = kGiveName;
    resize({1440, 1800}, 1);
    open(test::cylinder());
  }
  void open_section() {
    show_tab(workspace_, kWeightsTab);
    frames(3);
    click("section.Smooth");
    ASSERT_TRUE(report_.contains("smooth.apply"));
  }
  void pin(int vertex) {
    document_.view.pinned_part = 0;
    document_.view.pinned_vertex = vertex;
    frames(2);
  }
  void choose_area(WeightEditSection::Area area) {
    workspace_.panel<WeightsPanel>().smoothing.area = area;
    frames(2);
  }
  std::size_t changed_since(const rig::Character& before) {
    std::size_t count = 0;
    mesh::for_changed_rows(before.meshes[0].primitives[0].influences,
                           document_.character->meshes[0].primitives[0].influences, [&](std::size_t) { ++count; });
    return count;
  }
  void type(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    frames(2);
  }
  void double_click(const std::string& widget) {
    click(widget);
    button(true);
    button(false);
    frames(2);
  }
  std::string name(int joint) { return document_.character->skeleton->name[joint]; }
};

TEST_F(WeightEdits, TheSectionIsFoldedAndSaysWhyNothingCanBeDone) {
  show_tab(workspace_, kWeightsTab);
  frames(3);
  EXPECT_FALSE(report_.contains("smooth.apply"));
  open_section();
  choose_area(WeightEditSection::kVertex);
  EXPECT_THAT(words(), HasSubstr("Click a vertex of the skin"));
  click("smooth.apply");
  EXPECT_FALSE(edit::can_undo(document_)) << "disabled";
  choose_area(WeightEditSection::kJoint);
  EXPECT_THAT(words(), HasSubstr("Select a joint"));
  EXPECT_FALSE(report_.contains("smooth.radius"));
  document_.view.select_only(2);  // the mesh's node
  EXPECT_THAT(words(), HasSubstr("No mesh hangs on a skin that lists"));
  click("smooth.apply");
  EXPECT_FALSE(edit::can_undo(document_));
}

TEST_F(WeightEdits, SmoothsRoundThePinnedVertex) {
  open_section();
  choose_area(WeightEditSection::kVertex);
  pin(static_cast<int>(test::cylinder_vertex(16, 3)));
  const auto before = document_.character;
  click("smooth.apply");
  EXPECT_EQ(document_.history.size(), 2u);
  EXPECT_EQ(document_.history.undo_label(), "Smooth weights of cylinder");
  const std::size_t few = changed_since(*before);
  EXPECT_GT(few, 1u);
  EXPECT_LT(few, 60u) << "a disc, not the ring";
  EXPECT_EQ(document_.view.pinned_vertex, static_cast<int>(test::cylinder_vertex(16, 3))) << "it stays pinned";
  click("smooth.apply");
  EXPECT_EQ(document_.history.size(), 3u) << "each click is a step";
  act("edit.undo");
  act("edit.undo");
  EXPECT_EQ(document_.character, before);
  workspace_.panel<WeightsPanel>().smoothing.radius = 0.5f;
  click("smooth.apply");
  EXPECT_GT(changed_since(*before), few);
}

TEST_F(WeightEdits, SmoothsWhereAJointHasWeightAndEverywhere) {
  open_section();
  document_.view.select_only(1);
  choose_area(WeightEditSection::kJoint);
  const auto before = document_.character;
  click("smooth.apply");
  // Rings 17 to 24 have both joints, of those the step of the ramp alone changes: at its end, and not at its begin,
  // where the tip has nothing yet.
  const std::size_t of_joint = changed_since(*before);
  EXPECT_GT(of_joint, 0u);
  act("edit.undo");
  choose_area(WeightEditSection::kAll);
  click("smooth.apply");
  EXPECT_GT(changed_since(*before), of_joint);
}

// The scope is that of the tab Tools, in the same words.
TEST_F(WeightEdits, TheScopeFollowsTheSelectionAsInTheTabTools) {
  open_section();
  const WeightEditSection& smoothing = workspace_.panel<WeightsPanel>().smoothing;
  EXPECT_EQ(smoothing.area, WeightEditSection::kAll);
  EXPECT_THAT(words(), HasSubstr("On the whole mesh."));
  document_.view.selected_vertices = edit::VertexSelection{{0, {3, 5, 8}}};
  frames(2);
  EXPECT_EQ(smoothing.area, WeightEditSection::kSelection);
  EXPECT_THAT(words(), HasSubstr("On 3 selected vertices."));
  document_.view.selected_vertices = {};
  frames(2);
  EXPECT_EQ(smoothing.area, WeightEditSection::kAll);
  // The click that pins a vertex selects it.
  choose_area(WeightEditSection::kVertex);
  document_.view.selected_vertices = edit::VertexSelection{{0, {3}}};
  pin(3);
  EXPECT_EQ(smoothing.area, WeightEditSection::kVertex);
  EXPECT_THAT(words(), HasSubstr("Round vertex 3, within the radius."));
  EXPECT_TRUE(report_.contains("smooth.scope"));
}

TEST_F(WeightEdits, SlidersAreThoseOfTheFields) {
  open_section();
  for (const edit::WeightSmoothingField& field : edit::weight_smoothing_fields()) {
    EXPECT_TRUE(report_.contains(fmt::format("smooth.{}", field.id))) << field.id;
  }
  const Rect strength = report_["smooth.strength"];
  drag(strength.center(), {strength.x + strength.w, strength.center().y});
  EXPECT_EQ(workspace_.panel<WeightsPanel>().smoothing.smoothing.strength, 1);
  const Rect iterations = report_["smooth.iterations"];
  drag(iterations.center(), {iterations.x + iterations.w, iterations.center().y});
  EXPECT_EQ(workspace_.panel<WeightsPanel>().smoothing.smoothing.iterations, 100);
  click("smooth.cotangents");
  EXPECT_TRUE(workspace_.panel<WeightsPanel>().smoothing.smoothing.cotangents);
  EXPECT_FALSE(edit::can_undo(document_));
}

TEST_F(WeightEdits, AVertexOfAnotherSurfaceIsNotTheFilesOwn) {
  open_section();
  const rig::SurfaceChoice choice = {.subdivisions = 1};
  auto made = rig::with_surface(*edit::own_character(document_), choice);
  ASSERT_TRUE(made.has_value());
  edit::show_surface(document_, std::make_shared<const rig::Character>(*made), choice, 0);
  choose_area(WeightEditSection::kVertex);
  pin(3);
  click("section.Vertex");  // folded: its words are many
  EXPECT_THAT(words(), HasSubstr("The vertex is one of the surface shown"));
  click("smooth.apply");
  EXPECT_FALSE(edit::can_undo(document_));
  choose_area(WeightEditSection::kAll);
  click("smooth.apply");
  EXPECT_TRUE(edit::shows_own_surface(document_));
  EXPECT_TRUE(edit::can_undo(document_));
}

TEST_F(WeightEdits, ADoubleClickInTheTreeRenames) {
  double_click("tree.joint.tip");
  ASSERT_TRUE(report_.contains("tree.rename"));
  type("end");
  press(kGiveName);
  EXPECT_EQ(name(1), "end");
  EXPECT_FALSE(report_.contains("tree.rename"));
  EXPECT_TRUE(report_.contains("tree.joint.end"));
  EXPECT_EQ(document_.view.selected_joint(), 1);
  act("edit.undo");
  EXPECT_EQ(name(1), "tip");
  EXPECT_TRUE(report_.contains("tree.joint.tip"));
}

TEST_F(WeightEdits, EscAndAClickElsewhereKeepTheName) {
  document_.view.select_only(1);
  frames(2);
  act("edit.rename-joint");
  frames(2);
  ASSERT_TRUE(report_.contains("tree.rename"));
  type("end");
  press(kLeaveName);
  EXPECT_EQ(name(1), "tip");
  EXPECT_FALSE(report_.contains("tree.rename"));
  act("edit.rename-joint");
  frames(2);
  type("end");
  click("tree.joint.root");
  frames(2);
  EXPECT_EQ(name(1), "tip");
  EXPECT_FALSE(report_.contains("tree.rename"));
  EXPECT_FALSE(edit::can_undo(document_));
}

TEST_F(WeightEdits, ANameThatAnotherJointHasIsSaidWhileItIsTyped) {
  document_.view.select_only(1);
  frames(2);
  act("edit.rename-joint");
  frames(2);
  type("root");
  EXPECT_THAT(words(), HasSubstr("1 other joint is so called"));
  press(kGiveName);
  EXPECT_EQ(name(1), "root") << "allowed";
}

TEST_F(WeightEdits, TheRowIsFoundWhereverItWasFolded) {
  document_.view.select_only(1);
  frames(2);
  workspace_.panel<TreePanel>().filter = "cylinder";
  workspace_.panel<TreePanel>().collapsed_nodes.insert(0);
  workspace_.panel<TreePanel>().rows_valid = false;
  frames(2);
  ASSERT_FALSE(report_.contains("tree.joint.tip"));
  act("edit.rename-joint");
  frames(2);
  EXPECT_TRUE(report_.contains("tree.rename"));
}

TEST_F(WeightEdits, WithoutATreeThereIsNoRenaming) {
  document_.view.select_only(1);
  act("view.panels");
  frames(2);
  ASSERT_TRUE(workspace_.layout.left.empty());
  const Action* action = find_action("edit.rename-joint");
  frame(action);
  EXPECT_FALSE(workspace_.panel<TreePanel>().renaming.has_value());
}

}  // namespace
}  // namespace pelt::ui
