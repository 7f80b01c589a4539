// A bare mesh becomes a character with the mouse: a skeleton is added, its joints are placed, it is bound and posed.
#include <algorithm>

#include <imgui.h>

#include <gtest/gtest.h>

#include "bind/rest_world.h"
#include "edit/skeleton_edits.h"
#include "selecting_window.h"
#include "support/bare.h"
#include "support/surfaces.h"
#include "ui/bind_panel.h"
#include "ui/pose_panel.h"
#include "ui/skeleton_section.h"
#include "ui/tools.h"

namespace pelt::ui {
namespace {

constexpr int kEscapeOfPlacing = 1;

class BareMesh : public Selecting {
 protected:
  void SetUp() override {
    HeadlessWindow::SetUp();
    ImGui::GetIO().KeyMap[ImGuiKey_Escape] = kEscapeOfPlacing;
    open(test::bare(mesh::Mesh(gltf::import_bundled("mannequin")->meshes[0])));
    act("view.front");
    act("view.home");
    act("mode.weights");
    show_tab(workspace_, kBindTab);
    workspace_.panel<BindPanel>().patient = true;
    skeleton().patient = true;
    frames(3);
  }
  [[nodiscard]] SkeletonSection& skeleton() { return workspace_.panel<SkeletonSection>(); }
  [[nodiscard]] glm::vec3 place(const char* name) const {
    return glm::vec3(bind::rest_world(*document_.content.character)[static_cast<std::size_t>(joint(name))][3]);
  }
  [[nodiscard]] int joint_count() const { return document_.character->skeleton->size(); }
  void add_humanoid() {
    click("skeleton.add");
    frames(4);
    ASSERT_EQ(joint_count(), 22) << skeleton().error;
  }
};

TEST_F(BareMesh, GetsAHumanoidThatCanBePlacedBoundAndPosed) {
  const auto bare = document_.content.character;
  EXPECT_NE(words().find("There is no joint to bind to: add a skeleton above."), std::string::npos);
  add_humanoid();
  EXPECT_EQ(document_.history.undo_label(), "Add a humanoid skeleton");
  EXPECT_EQ(current_tool(workspace_).id, kPlaceTool);
  EXPECT_TRUE(workspace_.view.skeleton);
  EXPECT_TRUE(skeleton().notes.empty()) << skeleton().notes.front();

  const glm::vec3 elbow = place("forearm.L");
  const glm::vec3 hand = place("hand.L");
  ASSERT_TRUE(report_.contains("place.forearm.L"));
  const glm::vec2 from = report_["place.forearm.L"].center();
  drag(from, from + glm::vec2(0, 6));
  EXPECT_LT(place("forearm.L").y, elbow.y - 0.005f) << "it follows the mouse down";
  EXPECT_NEAR(place("forearm.L").x, elbow.x, 0.02f);
  EXPECT_NEAR(place("forearm.L").z, elbow.z, 0.05f) << "in the middle of the arm";
  EXPECT_LT(glm::distance(place("hand.L"), hand), 1e-5f) << "what hangs on it stays";
  const glm::vec3 other = place("forearm.R");
  EXPECT_LT(glm::distance(other * glm::vec3(-1, 1, 1), place("forearm.L")), 0.01f) << "its partner goes along";
  EXPECT_EQ(document_.history.size(), 3u) << "a drag is one step";

  click("bind.bind");
  frames(4);
  ASSERT_EQ(document_.content.character->skins.size(), 1u) << workspace_.panel<BindPanel>().error;
  EXPECT_EQ(document_.content.character->skins[0].joints.size(), 21u);
  EXPECT_FALSE(report_.contains("place.forearm.L")) << "a bound joint is posed, not placed";
  EXPECT_EQ(current_tool(workspace_).id, kSelectTool);

  const auto at_rest = evaluation_.deformed(document_).parts[0].positions;
  act("mode.pose");
  document_.view.select_only(joint("forearm.L"));
  frames(3);
  ASSERT_TRUE(report_.contains("ring.view"));
  const glm::vec2 ring = report_["ring.view"].center();
  drag(ring, ring + glm::vec2(10, 40));
  frames(2);
  EXPECT_NE(evaluation_.deformed(document_).parts[0].positions, at_rest) << "the arm bends";

  edit::travel(document_, 0);
  act("mode.weights");
  show_tab(workspace_, kBindTab);
  frames(2);
  EXPECT_EQ(document_.content.character, bare);
  EXPECT_TRUE(report_.contains("skeleton.add"));
}

TEST_F(BareMesh, AnotherSkeletonCanBePutInAfterBinding) {
  add_humanoid();
  click("bind.bind");
  frames(4);
  ASSERT_EQ(document_.content.character->skins.size(), 1u);
  ASSERT_TRUE(report_.contains("section.Put in a skeleton")) << "it stays, folded";
  EXPECT_FALSE(report_.contains("skeleton.add"));
  click("section.Put in a skeleton");
  EXPECT_NE(words().find("This mesh is bound."), std::string::npos);
  skeleton().kind = 1;
  skeleton().chain_joints = 3;
  frames(2);
  click("skeleton.add");
  frames(4);
  ASSERT_EQ(joint_count(), 25) << skeleton().error;
  EXPECT_EQ(placeable_joints(document_), (std::vector<int>{22, 23, 24}));
  EXPECT_EQ(current_tool(workspace_).id, kPlaceTool);
  EXPECT_TRUE(report_.contains("skeleton.place"));
  click("bind.bind");
  frames(4);
  const rig::Character& bound = *document_.content.character;
  ASSERT_EQ(bound.skins.size(), 1u) << workspace_.panel<BindPanel>().error;
  const std::vector<int>& listed = bound.skins[0].joints;
  bound.meshes[0].primitives[0].influences->for_each_entry([&](std::uint16_t k, float weight) {
    EXPECT_TRUE(weight == 0 || listed[k] >= 22) << "the new joints hold all of it";
  });
  EXPECT_TRUE(placeable_joints(document_).empty());
}

TEST_F(BareMesh, AnEscTakesAPlaceBack) {
  add_humanoid();
  const glm::vec3 knee = place("shin.L");
  const glm::vec2 from = report_["place.shin.L"].center();
  move(from);
  button(true);
  move(from + glm::vec2(0, 30));
  EXPECT_GT(glm::distance(place("shin.L"), knee), 0.02f);
  press(kEscapeOfPlacing);
  button(false);
  EXPECT_EQ(place("shin.L"), knee);
  EXPECT_EQ(document_.history.size(), 2u);
}

TEST_F(BareMesh, GetsAChainInstead) {
  add_humanoid();
  click("skeleton.remove");
  frames(3);
  ASSERT_EQ(joint_count(), 1);
  skeleton().kind = 1;
  skeleton().chain_joints = 4;
  frames(2);
  click("skeleton.add");
  frames(4);
  ASSERT_EQ(joint_count(), 5) << skeleton().error;
  EXPECT_EQ(document_.character->skeleton->name[4], "chain_4");
  EXPECT_EQ(document_.history.undo_label(), "Add a chain of 4");
}

TEST_F(BareMesh, AJointBesideItsMiddleGoesBackToIt) {
  add_humanoid();
  document_.view.select_only(joint("forearm.L"));
  frames(3);
  click("skeleton.middle");
  frames(2);
  const glm::vec3 middle = place("forearm.L");
  edit::apply(document_, {edit::PlaceJoints{{joint("forearm.L")}, {middle + glm::vec3(0, 0, 0.02f)}}, ""});
  frames(3);
  EXPECT_GT(glm::distance(place("forearm.L"), middle), 0.015f);
  click("skeleton.middle");
  frames(2);
  EXPECT_LT(glm::distance(place("forearm.L"), middle), 0.01f) << "half a cube of the volume";
}

TEST_F(BareMesh, OfAnotherCharacterNothingIsSaidThatWasSaidOfThisOne) {
  add_humanoid();
  skeleton().notes = {"no hand was found"};
  skeleton().error = "it went wrong";
  EXPECT_NE(words().find("no hand was found"), std::string::npos);
  forget_character(workspace_);
  open(test::bare(test::sphere(2)));
  const std::string said = words();
  EXPECT_EQ(said.find("it went wrong"), std::string::npos);
  EXPECT_EQ(skeleton().volume, nullptr);
  skeleton().kind = 1;
  frames(2);
  click("skeleton.add");
  frames(4);
  EXPECT_EQ(joint_count(), 1 + skeleton().chain_joints) << skeleton().error;
  EXPECT_TRUE(skeleton().notes.empty());
}

TEST_F(BareMesh, IsToldInPoseModeWhereItIsBound) {
  act("mode.pose");
  workspace_.tab = kPoseTab;
  frames(2);
  ASSERT_TRUE(report_.contains("pose.bind"));
  click("pose.bind");
  frames(2);
  EXPECT_EQ(workspace_.mode, "weights");
  EXPECT_EQ(workspace_.tab, kBindTab);
  open(test::cylinder());
  act("mode.pose");
  frames(2);
  EXPECT_FALSE(report_.contains("pose.bind")) << "it is bound";
}

TEST_F(BareMesh, ManyIslandsAreOneLineOfTheReportThatOpens) {
  mesh::Primitive surface = test::sphere(3);
  for (int k = 0; k < 6; ++k) {  // specks in the air
    const auto first = static_cast<std::uint32_t>(surface.positions.size());
    const mesh::Primitive speck = test::sphere(0);
    for (std::size_t v = 0; v < speck.positions.size(); ++v) {
      surface.positions.push_back(speck.positions[v] * 0.01f + glm::vec3(1.2f, 0.1f * static_cast<float>(k), 0.3f));
      surface.normals.push_back(speck.normals[v]);
    }
    for (const std::uint32_t index : speck.indices) {
      surface.indices.push_back(first + index);
    }
  }
  open(test::bare(std::move(surface)));
  skeleton().kind = 1;
  frames(2);
  click("skeleton.add");
  frames(4);
  click("bind.bind");
  frames(4);
  const BindPanel& panel = workspace_.panel<BindPanel>();
  ASSERT_NE(panel.made, nullptr) << panel.error;
  const auto& remarks = panel.made->binding.remarks;
  const auto rigid = std::ranges::find(remarks, bind::RemarkKind::kIslandRigid, &bind::Remark::kind);
  ASSERT_NE(rigid, remarks.end());
  EXPECT_NE(words().find("6 islands ("), std::string::npos) << words();
  const std::string first = fmt::format("bind.remark.{}", rigid - remarks.begin());
  EXPECT_FALSE(report_.contains(first));
  const std::string folded = fmt::format("bind.remarks.{}", static_cast<int>(bind::RemarkKind::kIslandRigid));
  ASSERT_TRUE(report_.contains(folded));
  click(folded);
  frames(2);
  ASSERT_TRUE(report_.contains(first));
  click(first);
  EXPECT_EQ(edit::vertex_count(edit::VertexSelection(document_.view.selected_vertices)), 6u) << "an octahedron";
}

TEST_F(BareMesh, HasAllItsWidgetsInASmallWindowAndALargeScale) {
  for (const auto& [size, scale] : {std::pair(glm::vec2(640, 480), 1.0f), std::pair(glm::vec2(1440, 900), 2.0f)}) {
    resize(size, scale);
    frames(3);
    EXPECT_TRUE(report_.contains("skeleton.add")) << scale;
    EXPECT_TRUE(report_.contains("skeleton.kind.1")) << scale;
  }
  add_humanoid();
  for (const auto& [size, scale] : {std::pair(glm::vec2(640, 480), 1.0f), std::pair(glm::vec2(1440, 900), 2.0f)}) {
    resize(size, scale);
    frames(3);
    const Rect remove = report_["skeleton.remove"];
    const Rect place = report_["skeleton.place"];
    const Rect middle = report_["skeleton.middle"];
    EXPECT_GT(place.w, 0) << scale;
    EXPECT_GE(middle.x, place.x + place.w) << "beside, not over each other";
    EXPECT_GE(remove.y, place.y + place.h);
    EXPECT_LE(remove.x + remove.w, size.x);
  }
}

}  // namespace
}  // namespace pelt::ui
