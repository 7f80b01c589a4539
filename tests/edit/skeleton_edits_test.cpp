#include "edit/skeleton_edits.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "bind/rest_world.h"
#include "edit/commands.h"
#include "edit/evaluation.h"
#include "edit/reload.h"
#include "edit/session.h"
#include "rig/character_parts.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"
#include "support/surfaces.h"

namespace pelt::edit {
namespace {

// A ball of radius 1 on a node 3 m up, and no skeleton.
std::shared_ptr<const rig::Character> bare_ball(float height = 3) {
  rig::Character character;
  mesh::Mesh mesh;
  mesh.name = "ball";
  mesh.primitives.push_back(test::sphere(2));
  character.meshes.push_back(std::move(mesh));
  test::add_node(character, "ball", -1, {.translation = {0, height, 0}});
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  character.scenes.push_back({"all", {0}});
  rig::finish(character);
  return std::make_shared<const rig::Character>(std::move(character));
}

AddJoints two_joints() {
  return {{{"lower", -1, {.translation = {0, 2.2f, 0}}}, {"upper", 0, {.translation = {0, 0.8f, 0}}}}, "two"};
}

glm::vec3 rest_place(const Document& document, int joint) {
  return glm::vec3(bind::rest_world(*own_character(document))[static_cast<std::size_t>(joint)][3]);
}

OpenedSession ball_from_session(const Document& document) {
  const Result<SessionText> text = session_to_text(document, {"ball.glb", "hash", false}, "");
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  Result<OpenedSession> again =
      session_from_text(text->json, document.file, [&](const std::string& name) -> Result<std::string> {
        return std::ranges::find(text->files, name, &SessionFile::name)->bytes;
      });
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return *std::move(again);
}

TEST(AddJoints, StandBehindTheOthersAndGoWithUndo) {
  Document document = make_document(bare_ball());
  const auto before = document.content.character;
  EXPECT_EQ(label(document, Change(two_joints())), "Add two");
  apply(document, {two_joints(), ""});
  const std::shared_ptr<const rig::Character> with_them = own_character(document);  // undo lets it go
  const rig::Character& now = *with_them;
  ASSERT_EQ(now.skeleton->size(), 3);
  EXPECT_EQ(now.skeleton->name[1], "lower");
  EXPECT_EQ(now.skeleton->parent[2], 1);
  EXPECT_EQ(now.skeleton->source_node[2], 2);
  EXPECT_EQ(now.scenes[0].roots, (std::vector<int>{0, 1}));
  EXPECT_EQ(rest_place(document, 2), glm::vec3(0, 3, 0));
  EXPECT_EQ(document.view.selected_joint(), 1);
  EXPECT_EQ(now.parts.size(), before->parts.size());
  EXPECT_FALSE(now.skeleton->dofs[1].dofs.empty()) << "it can be posed";
  undo(document);
  EXPECT_EQ(document.content.character, before);
  EXPECT_EQ(document.view.selected_joint(), -1) << "a joint that is gone is not selected";
  redo(document);
  EXPECT_TRUE(rig::equal(*own_character(document), now));
}

TEST(AddJoints, SaysWhatCannotBeAdded) {
  const Document document = make_document(bare_ball());
  EXPECT_EQ(why_refused(document, AddJoints{}), "expected 1 to 1000 joints to add, got 0");
  EXPECT_EQ(why_refused(document, AddJoints{{{"a", 0, {}}}}), "joint 0 to add: expected a parent before it, got 0");
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_NE(why_refused(document, AddJoints{{{"a", -1, {.translation = {inf, 0, 0}}}}}).find("not finite"),
            std::string::npos);
  Document same = document;
  apply(same, {AddJoints{{{"a", 0, {}}}}, ""});
  EXPECT_EQ(same.history.size(), 1u);
}

// A session with more would not be read back.
TEST(AddJoints, NoMoreThanASessionHolds) {
  const std::vector<rig::NewJoint> all_but_one(kMostAddedJoints - 1, rig::NewJoint{"j", -1, {}});
  const std::shared_ptr<const rig::Character> file = bare_ball();
  Document document = make_document(file);
  document.content.character = std::make_shared<const rig::Character>(rig::with_new_joints(*file, all_but_one));
  EXPECT_EQ(why_refused(document, AddJoints{{{"a", -1, {}}}}), "");
  EXPECT_EQ(why_refused(document, AddJoints{{{"a", -1, {}}, {"b", -1, {}}}}),
            "a character can have 100000 joints added to it, and has 99999");
}

TEST(PlaceJoints, WhatHangsOnAJointStaysWhereItIs) {
  Document document = make_document(bare_ball());
  apply(document, {two_joints(), ""});
  apply(document, {PlaceJoints{{1}, {{0.5f, 2.5f, 0.25f}}}, "drag"});
  apply(document, {PlaceJoints{{1}, {{0.25f, 2.5f, 0.25f}}}, "drag"});
  end_merge(document);
  EXPECT_EQ(document.history.size(), 3u) << "a drag is one step";
  EXPECT_EQ(rest_place(document, 1), glm::vec3(0.25f, 2.5f, 0.25f));
  EXPECT_EQ(rest_place(document, 2), glm::vec3(0, 3, 0));
  EXPECT_EQ(rest_place(document, 0), glm::vec3(0, 3, 0));
  undo(document);
  EXPECT_EQ(rest_place(document, 1), glm::vec3(0, 2.2f, 0));
}

TEST(PlaceJoints, OnlyJointsThatWereAddedAndAreNotBound) {
  Document document = make_document(bare_ball());
  apply(document, {two_joints(), ""});
  EXPECT_NE(why_refused(document, PlaceJoints{{0}, {{0, 0, 0}}}).find("1 to 2"), std::string::npos);
  EXPECT_NE(why_refused(document, PlaceJoints{{1}, {}}).find("expected 1 places, got 0"), std::string::npos);
  apply(document, {BindSkin{.binder = "point-to-line", .request = {.joints = {1, 2}}}, ""});
  ASSERT_EQ(own_character(document)->skins.size(), 1u);
  EXPECT_EQ(why_refused(document, PlaceJoints{{1}, {{0, 0, 0}}}), "lower is bound: undo the binding to place it");
  EXPECT_EQ(why_refused(document, RemoveNewJoints{}), "added joints are bound: undo the binding to take them away");
  EXPECT_NE(document.history.undo_label().find("Bind"), std::string::npos);
}

TEST(PlaceJoints, LetsGoWhatWasPosedByHand) {
  Document document = make_document(bare_ball());
  apply(document, {two_joints(), ""});
  for (const int j : {0, 1, 2}) {
    Transform turned = own_character(document)->skeleton->rest[static_cast<std::size_t>(j)];
    turned.rotation = glm::angleAxis(0.5f, glm::vec3(0, 0, 1));
    apply(document, {SetJointLocal{j, turned}, ""});
  }
  ASSERT_EQ(document.content.overrides->size(), 3u);
  apply(document, {PlaceJoints{{2}, {{0.5f, 3, 0}}}, ""});
  ASSERT_EQ(document.content.overrides->size(), 1u) << "of the file's own nodes it stays";
  EXPECT_TRUE(document.content.overrides->contains(0));
  rig::WorldMatrices world;
  world.evaluate(own_character(document)->skeleton, evaluate_pose(document));
  EXPECT_LT(glm::distance(glm::vec3(world[2][3]), glm::vec3(0.5f, 3, 0)), 1e-6f) << "it is shown where it was put";
}

TEST(RemoveNewJoints, TakesAwayWhatWasDoneWithThem) {
  Document document = make_document(bare_ball());
  EXPECT_EQ(why_refused(document, RemoveNewJoints{}), "no joints were added");
  const auto before = document.content.character;
  apply(document, {two_joints(), ""});
  apply(document, {LockJoints{{2}, true}, ""});
  apply(document, {RemoveNewJoints{}, ""});
  EXPECT_TRUE(rig::equal(*own_character(document), *before));
  EXPECT_TRUE(document.content.locked_joints.empty());
  EXPECT_EQ(document.view.selected_joint(), -1);
  undo(document);
  EXPECT_EQ(own_character(document)->skeleton->size(), 3);
  EXPECT_EQ(document.content.locked_joints.size(), 1u);
}

TEST(AddJoints, LiveInASessionWithTheSkinThatIsBoundToThem) {
  Document document = make_document(bare_ball());
  apply(document, {two_joints(), ""});
  apply(document, {PlaceJoints{{2}, {{0.1f, 3.3f, 0}}}, ""});
  apply(document, {RenameJoint{1, "root of all"}, ""});
  OpenedSession placed = ball_from_session(document);
  EXPECT_TRUE(rig::equal(*placed.document.content.character, *own_character(document)));
  apply(document, {BindSkin{.binder = "point-to-line", .request = {.joints = {1, 2}}}, ""});
  Transform turned = own_character(document)->skeleton->rest[2];
  turned.rotation = glm::angleAxis(0.5f, glm::vec3(0, 0, 1));
  apply(document, {SetJointLocal{2, turned}, ""});
  const OpenedSession again = ball_from_session(document);
  EXPECT_TRUE(again.lost.empty()) << again.lost.front();
  EXPECT_TRUE(rig::equal(*again.document.content.character, *own_character(document)));
  EXPECT_EQ(again.document.content.overrides, document.content.overrides);
  EXPECT_EQ(first_new_joint(again.document), 1) << "the file is the bare one still";
  EXPECT_EQ(again.document.view.selected_joint(), 1);
}

TEST(AddJoints, StayWhenTheFileIsReadAgain) {
  Document document = make_document(bare_ball());
  apply(document, {two_joints(), ""});
  apply(document, {PlaceJoints{{2}, {{0.1f, 3.3f, 0}}}, ""});
  const ReloadReport report = reload_character(document, bare_ball(4));
  EXPECT_TRUE(report.lost.empty()) << report.lost.front();
  ASSERT_EQ(own_character(document)->skeleton->size(), 3);
  EXPECT_EQ(rest_place(document, 0), glm::vec3(0, 4, 0));
  EXPECT_LT(glm::distance(rest_place(document, 2), glm::vec3(0.1f, 3.3f, 0)), 1e-6f);
  undo(document);
  undo(document);
  EXPECT_EQ(own_character(document)->skeleton->size(), 1);
  EXPECT_EQ(rest_place(document, 0), glm::vec3(0, 4, 0));
}

// What is bound follows its joint as the shape is made.
TEST(AddJoints, TheBoundMeshFollowsThem) {
  Document document = make_document(bare_ball());
  apply(document, {two_joints(), ""});
  Evaluation evaluation;
  const auto shape = [&] { return evaluation.deformed(document).parts[0].positions; };
  const auto at_rest = shape();
  apply(document, {BindSkin{.binder = "point-to-line", .request = {.joints = {1, 2}}}, ""});
  const auto bound = shape();
  for (std::size_t v = 0; v < bound.size(); ++v) {
    EXPECT_LT(glm::distance(bound[v], at_rest[v]), 1e-5f) << "binding alone moves nothing";
  }
  Transform raised = own_character(document)->skeleton->rest[1];
  raised.translation.y += 1;
  apply(document, {SetJointLocal{1, raised}, ""});
  const auto moved = shape();
  for (std::size_t v = 0; v < moved.size(); ++v) {
    EXPECT_LT(glm::distance(moved[v], at_rest[v] + glm::vec3(0, 1, 0)), 1e-5f);
  }
}

}  // namespace
}  // namespace pelt::edit
