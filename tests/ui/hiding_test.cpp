// Faces and parts hidden by keys, menus, the tree's eye and the status bar, in the whole window without a display.
#include "ui/hiding.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>

#include "edit/hiding.h"
#include "gltf/bundled.h"
#include "headless_window.h"
#include "rig/surface_variants.h"
#include "ui/modes.h"
#include "ui/tree_panel.h"

namespace pelt::ui {
namespace {

class HidingInTheWindow : public HeadlessWindow {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    open(*gltf::import_bundled("mannequin"));
    enter_mode(workspace_, "weights");
    act("view.front");
    act("view.home");
    frames(2);
  }
  void tap(Chord chord) {
    const Action* action = find_action(chord, workspace_.mode);
    ASSERT_NE(action, nullptr) << name_of(chord);
    frame(action);
    frame();
  }
  void right_click(glm::vec2 at) {
    move(at);
    for (const bool down : {true, false}) {
      ImGui::GetIO().MouseDown[1] = down;
      frames(2);
    }
  }
  glm::vec2 on_chest() const {
    const Rect& view = workspace_.layout.viewport;
    return {view.x + view.w * 0.5f, view.y + view.h * 0.38f};
  }
  const rig::SharedHiding& hiding() const { return workspace_.view.hiding; }
  std::int64_t hidden_faces() const {
    return hiding() == nullptr ? 0 : rig::hidden_face_count(*hiding(), *document_.character);
  }
};

TEST_F(HidingInTheWindow, KeysHideTheSelectionTheRestAndShowAll) {
  move(on_chest());
  button(true);
  button(false);
  ASSERT_EQ(edit::vertex_count(document_.view.selected_vertices), 1u);
  const edit::VertexSelection first = document_.view.selected_vertices;
  tap({'H', false, true, true});
  const std::int64_t few = hidden_faces();
  EXPECT_GT(few, 0);
  EXPECT_TRUE(document_.view.selected_vertices.empty()) << "what is hidden is selected no longer";
  // The same click finds what lies behind.
  move(on_chest() + glm::vec2(1, 0));
  button(true);
  button(false);
  EXPECT_NE(document_.view.selected_vertices, first);
  tap({'A', true});
  EXPECT_EQ(document_.view.selected_vertices,
            edit::shown(edit::all_vertices(*document_.character), *document_.character, {{}, hiding()}));
  tap({'H', false, false, true});
  EXPECT_EQ(hiding(), nullptr);
  document_.view.selected_vertices = first;
  tap({'H', false, true});
  EXPECT_GT(hidden_faces(), 100 * few);
  EXPECT_EQ(document_.view.selected_vertices, first) << "it is what stays";
  EXPECT_FALSE(edit::can_undo(document_)) << "hiding is no step";
}

TEST_F(HidingInTheWindow, TheStatusBarTellsAndShowsAll) {
  document_.view.selected_vertices = {{0, {0, 1, 2, 3}}};
  EXPECT_FALSE(report_.contains("status.hidden"));
  act("view.hide-faces");
  ASSERT_TRUE(report_.contains("status.hidden"));
  EXPECT_NE(words().find("faces hidden"), std::string::npos);
  click("status.hidden");
  EXPECT_EQ(hiding(), nullptr);
  frame();
  EXPECT_FALSE(report_.contains("status.hidden"));
}

TEST_F(HidingInTheWindow, TheContextMenuHidesAndIsolatesThePartBelow) {
  open(*gltf::import_bundled("robot"));
  enter_mode(workspace_, "weights");
  act("view.front");
  act("view.home");
  frames(2);
  const int parts = static_cast<int>(document_.character->parts.size());
  right_click(on_chest());
  ASSERT_TRUE(report_.contains("context.view.hide-part"));
  click("context.view.hide-part");
  ASSERT_NE(hiding(), nullptr);
  ASSERT_EQ(hiding()->parts.size(), 1u);
  const int part = hiding()->parts.front();
  act("view.show-all");
  EXPECT_EQ(hiding(), nullptr);
  right_click(on_chest());
  click("context.view.isolate-part");
  ASSERT_NE(hiding(), nullptr);
  EXPECT_EQ(hiding()->parts.size(), static_cast<std::size_t>(parts - 1));
  EXPECT_FALSE(hiding()->hides_part(part));
  EXPECT_EQ(workspace_.context_part, -1) << "the menu is closed";
}

TEST_F(HidingInTheWindow, TheTreeListsPartsWithAnEye) {
  rig::Character two = *gltf::import_bundled("mannequin");
  // One more part of the same mesh.
  mesh::Mesh& mesh = two.meshes.edit(two.parts[0].mesh);
  mesh.primitives.push_back(mesh::Primitive(mesh.primitives[0]));
  rig::finish(two);
  open(std::move(two));
  frames(2);
  act("view.home");
  ASSERT_TRUE(workspace_.panel<TreePanel>().rows.size() > 0);
  const auto fold = [&] {  // a click on a row selects its node, which unfolds the nodes above
    workspace_.panel<TreePanel>().collapsed_groups = {0, 1};
    workspace_.panel<TreePanel>().rows_valid = false;
    frames(2);
  };
  fold();
  ASSERT_TRUE(report_.contains("tree.part.1"));
  const Rect row = report_["tree.part.1"];
  move(row.center());
  // The eye stands before the number at the row's end.
  bool found = false;
  for (float x = row.x + row.w - 4; x > row.x + row.w * 0.4f && !found; x -= 4) {
    move({x, row.center().y});
    button(true);
    button(false);
    found = hiding() != nullptr;
    fold();
  }
  ASSERT_TRUE(found);
  EXPECT_EQ(hiding()->parts, std::vector<int>{1});
  button(true);
  button(false);
  EXPECT_EQ(hiding(), nullptr) << "the eye opens again";
  right_click(row.center());
  ASSERT_TRUE(report_.contains("context.view.isolate-part"));
  EXPECT_FALSE(report_.contains("context.select.grow")) << "the menu is about the part";
  click("context.view.isolate-part");
  ASSERT_NE(hiding(), nullptr);
  EXPECT_TRUE(hiding()->hides_part(0));
  EXPECT_FALSE(hiding()->hides_part(1));
}

TEST_F(HidingInTheWindow, AnotherSurfaceShowsAllAndSaysSo) {
  document_.view.selected_vertices = {{0, {0, 1, 2, 3}}};
  act("view.hide-faces");
  ASSERT_NE(hiding(), nullptr);
  const rig::SurfaceChoice choice{.subdivisions = 1};
  edit::show_surface(
      document_, std::make_shared<const rig::Character>(*rig::with_surface(*document_.character, choice)), choice, 0);
  frames(2);
  EXPECT_EQ(hiding(), nullptr);
  ASSERT_TRUE(workspace_.notice);
  EXPECT_EQ(workspace_.notice->text, "What was hidden is shown again: the surface is another one");
}

TEST_F(HidingInTheWindow, AnotherCharacterShowsAll) {
  document_.view.selected_vertices = {{0, {0, 1, 2, 3}}};
  act("view.hide-faces");
  ASSERT_NE(hiding(), nullptr);
  forget_character(workspace_);
  EXPECT_EQ(hiding(), nullptr);
}

}  // namespace
}  // namespace pelt::ui
