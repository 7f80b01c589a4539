#include "edit/evaluation.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "edit_fixtures.h"
#include "support/two_skins.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::kElbow;
using test::kHand;
using test::kShoulder;

std::vector<glm::mat4> world_of(const Document& document) {
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, evaluate_pose(document));
  return world.world();
}

TEST(Evaluation, UnchangedDocumentRecomputesNothing) {
  const Document document = arm_document();
  Evaluation evaluation;
  EXPECT_TRUE(evaluation.update(document));
  const std::uint64_t version = evaluation.version();
  const deform::DeformedCharacter& deformed = evaluation.deformed(document);
  const glm::vec3* memory = deformed.parts.at(0).positions.data();
  const double seconds = evaluation.cpu_seconds();
  EXPECT_FALSE(evaluation.update(document));
  EXPECT_EQ(evaluation.version(), version);
  EXPECT_EQ(evaluation.deformed(document).parts.at(0).positions.data(), memory);
  EXPECT_EQ(evaluation.cpu_seconds(), seconds);
  EXPECT_GT(seconds, 0.0);
  EXPECT_LT(seconds, 100.0);
  const glm::vec3* const bound = evaluation.bound(document).parts.at(0).positions.data();
  EXPECT_EQ(evaluation.bound(document).parts.at(0).positions.data(), bound);
}

TEST(Evaluation, ChangesThatDoNotTouchTheShapeAreNoNews) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.update(document);
  const std::uint64_t version = evaluation.version();
  document.view.select_only(3);
  EXPECT_FALSE(evaluation.update(document));
  apply(document, SetEulerOrder{1, EulerOrder::kZYX});
  EXPECT_FALSE(evaluation.update(document)) << "another reading of the same pose";
  EXPECT_EQ(evaluation.version(), version);
}

// Neither `--bind-pose` nor the button shows one skin as another one was bound.
TEST(Evaluation, C3_3_TheBindPoseIsThatOfEachSkin) {
  const auto character = std::make_shared<const rig::Character>(test::two_skins());
  const auto farthest_from_bind_shape = [&](const Document& document, std::size_t part) {
    Evaluation evaluation;
    const deform::DeformedCharacter& shape = evaluation.deformed(document);
    float farthest = 0;
    for (std::size_t v = 0; v < shape.parts[part].positions.size(); ++v) {
      farthest = std::max(farthest, glm::distance(shape.parts[part].positions[v],
                                                  character->primitive(character->parts[part]).positions[v]));
    }
    return farthest;
  };
  Document fresh = make_document(character);
  EXPECT_GT(farthest_from_bind_shape(fresh, 1), 0.1f);
  Document by_base = fresh;
  apply(by_base, SetBasePose{BasePose::kBind});
  Document by_button = fresh;
  apply(by_button, SetDof{1, 0, 0.5f});
  apply(by_button, ResetJoints{{}, ResetScope::kAll, ResetTo::kBind});
  for (const std::size_t part : {0u, 1u}) {
    for (const char* method : {"lbs", "dqs", "ddm", "delta-mush"}) {
      apply(by_base, SetSkinning{{.method = deform::find_method(method)}});
      EXPECT_LT(farthest_from_bind_shape(by_base, part), 5e-6f) << method;
    }
    EXPECT_LT(farthest_from_bind_shape(by_button, part), 5e-6f);
  }
  apply(by_button, ResetJoints{{}, ResetScope::kAll, ResetTo::kRest});
  EXPECT_EQ(evaluate_pose(by_button), evaluate_pose(fresh));
}

// C4.3: changing one joint changes exactly the matrices of its subtree, bitwise.
TEST(Evaluation, C4_3_OneJointChangesItsSubtreeOnly) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.update(document);
  for (const int changed : {1, 2, 0, 6, 3}) {
    const std::vector<glm::mat4> before = evaluation.world();
    apply(document,
          SetJointLocal{
              changed,
              {{0.1f, 0.2f, 0.01f * static_cast<float>(changed)}, glm::angleAxis(0.4f, glm::vec3(0, 0, 1)), {1, 1, 1}},
              false});
    ASSERT_TRUE(evaluation.update(document));
    EXPECT_EQ(evaluation.world(), world_of(document)) << "as if everything had been computed";
    EXPECT_EQ(evaluation.computed_joints(), document.character->skeleton->subtree(changed).size());
    for (int j = 0; j < document.character->skeleton->size(); ++j) {
      const std::size_t i = j;
      EXPECT_EQ(evaluation.world()[i] != before[i], document.character->skeleton->is_within(j, changed))
          << "joint " << j << " after changing " << changed;
    }
  }
}

TEST(Evaluation, C4_3_WhatIsComputedIsWhatChanged) {
  Document document = arm_document();
  const std::size_t joints = document.character->skeleton->size();
  Evaluation evaluation;
  evaluation.update(document);
  EXPECT_EQ(evaluation.computed_joints(), joints) << "the first time";
  evaluation.update(document);
  EXPECT_EQ(evaluation.computed_joints(), 0u);
  apply(document, SetDof{kElbow, 0, 0.5f});
  evaluation.update(document);
  EXPECT_EQ(evaluation.computed_joints(), 2u) << "elbow and hand";
  apply(document, SetMorph{0, 1.0f});
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_EQ(evaluation.computed_joints(), 0u) << "no joint";
  undo(document);
  undo(document);
  apply(document, SetDof{kHand, 0, 0.5f});
  evaluation.update(document);
  EXPECT_EQ(evaluation.world(), world_of(document)) << "several joints at once";
  apply(document, SetDof{kElbow, 0, 0.5f});
  EXPECT_TRUE(evaluation.update(document));
  open_character(document, std::make_shared<rig::Character>(test::arm()));
  evaluation.update(document);
  EXPECT_EQ(evaluation.computed_joints(), joints) << "another character";
  // Two joints, one of them not below the first root.
  apply(document, ReplacePose{{{kElbow, {{{1, 2, 3}}, {}}}, {9, {{{1, 2, 3}}, {}}}}, {}});
  evaluation.update(document);
  EXPECT_EQ(evaluation.world(), world_of(document));
}

TEST(Evaluation, VersionsAloneSayThatTheDocumentChanged) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.update(document);
  const rig::Pose pose = evaluation.pose();
  document.content.morph_overrides.edit()[0] = 1;  // behind the document's back
  EXPECT_FALSE(evaluation.update(document));
  EXPECT_EQ(evaluation.pose(), pose);
  ++document.state_version;
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_EQ(evaluation.pose().morph_weights[0], 1);
}

// The joints are where they were, and yet the pose is another one.
TEST(Evaluation, NoticesAPoseOfTheSameLocalTransforms) {
  rig::Character two = test::two_skins();
  two.skeleton.edit().rest = rig::bind_pose(two).local;
  Document document = make_document(std::make_shared<const rig::Character>(std::move(two)));
  Evaluation evaluation;
  evaluation.update(document);
  const rig::Pose before = evaluation.pose();
  apply(document, SetBasePose{BasePose::kBind});
  EXPECT_TRUE(evaluation.update(document));
  ASSERT_EQ(evaluation.pose().local, before.local);
  EXPECT_NE(evaluation.pose().own_bindings, before.own_bindings);

  rig::Character sheared = test::arm();
  sheared.skeleton.edit().rest = rig::bind_pose(sheared).local;
  sheared.skeleton.edit().rest_residual.assign(sheared.skeleton->rest.size(), glm::mat4(1.0f));
  sheared.skeleton.edit().rest_residual[kElbow][1][0] = 0.5f;
  document = make_document(std::make_shared<const rig::Character>(sheared));
  Evaluation of_sheared;
  of_sheared.update(document);
  const std::vector<Transform> local = of_sheared.pose().local;
  apply(document, SetBasePose{BasePose::kBind});
  EXPECT_TRUE(of_sheared.update(document));
  ASSERT_EQ(of_sheared.pose().local, local);
  EXPECT_EQ(of_sheared.world(), world_of(document)) << "bound without shear";
  EXPECT_EQ(of_sheared.computed_joints(), sheared.skeleton->rest.size());
}

// A clip that moves a material moves no joint, but what is drawn.
TEST(Evaluation, ClipsOfLooksAreNewsAtEveryTime) {
  rig::Character character = test::arm();
  std::vector<Shared<rig::Clip>>& clips = character.clips.edit_items();
  clips.insert(clips.begin(), clips.front());
  rig::Clip& clip = character.clips.edit(0);
  clip.channels.clear();
  clip.properties.push_back({.owner = rig::PropertyOwner::kMaterial,
                             .index = 0,
                             .property = "pbrMetallicRoughness/roughnessFactor",
                             .keys = {.times = {1, 3}, .values = {0, 1}, .width = 1}});
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  Evaluation evaluation;
  evaluation.update(document);
  apply(document, SetClip{0});
  EXPECT_TRUE(evaluation.update(document));
  apply(document, SetTime{2});
  EXPECT_TRUE(evaluation.update(document));
  apply(document, SetClip{-1});
  EXPECT_TRUE(evaluation.update(document)) << "looks are the file's again";
  apply(document, SetEulerOrder{kShoulder, EulerOrder::kZYX});
  EXPECT_FALSE(evaluation.update(document)) << "and stay so";
  apply(document, SetClip{1});
  evaluation.update(document);
  apply(document, SetEulerOrder{kShoulder, EulerOrder::kXYZ});
  EXPECT_FALSE(evaluation.update(document)) << "a clip of joints alone stands still at one time";
}

// Settings that wait for the cache leave a pane as it was, by linear blending where it was not.
TEST(Evaluation, UnpreparedSettingsWaitWhereTheyAreHeld) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  apply(document, SetDof{1, test::dof(document, 1, "twist"), 1.0f});
  const deform::SkinningSettings dqs = {.method = deform::find_method("dqs")};
  const deform::SkinningSettings mush = {.method = deform::find_method("delta-mush"), .backend = deform::Backend::kCpu};
  apply(document, SetSkinning{dqs});
  Evaluation evaluation;
  evaluation.hold_unprepared(true);
  evaluation.update(document);
  EXPECT_FALSE(evaluation.waits(0));
  EXPECT_TRUE(evaluation.available(document, dqs));
  EXPECT_FALSE(evaluation.available(document, mush));
  apply(document, SetSkinning{mush});
  EXPECT_FALSE(evaluation.update(document)) << "nothing is shown otherwise";
  EXPECT_TRUE(evaluation.waits(0));
  EXPECT_EQ(evaluation.skinning(0), dqs);
  apply(document, SetPanes{2});
  apply(document, SetSkinning{mush, 1});
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_TRUE(evaluation.waits(1));
  EXPECT_EQ(evaluation.skinning(1), deform::SkinningSettings{.backend = deform::Backend::kCpu});
  EXPECT_FALSE(evaluation.update(document)) << "still waiting";
  ASSERT_TRUE(evaluation.cache()->prepare(*document.character, mush, {}));
  const std::uint64_t version = evaluation.version();
  EXPECT_TRUE(evaluation.update(document)) << "though the document is the same";
  EXPECT_GT(evaluation.version(), version);
  for (int pane = 0; pane < 2; ++pane) {
    EXPECT_FALSE(evaluation.waits(pane));
    EXPECT_EQ(evaluation.skinning(pane), mush);
  }
  EXPECT_FALSE(evaluation.update(document));
  EXPECT_TRUE(evaluation.available(document, mush));
  // In another character a pane has nothing to go on with.
  open_character(document, std::make_shared<rig::Character>(test::cylinder()));
  evaluation.update(document);
  EXPECT_TRUE(evaluation.waits(0));
  EXPECT_EQ(evaluation.skinning(0), deform::SkinningSettings{.backend = deform::Backend::kCpu});
  evaluation.hold_unprepared(false);
  EXPECT_TRUE(evaluation.available(document, mush));
  ++document.state_version;
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_FALSE(evaluation.waits(0)) << "nothing is held back";
  EXPECT_EQ(evaluation.skinning(0), mush);
}

TEST(Evaluation, FollowsEveryKindOfChange) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.update(document);
  const auto expect_news = [&](const Change& change) {
    const std::uint64_t version = evaluation.version();
    apply(document, change);
    EXPECT_TRUE(evaluation.update(document));
    EXPECT_GT(evaluation.version(), version);
    EXPECT_EQ(evaluation.pose(), evaluate_pose(document));
    EXPECT_EQ(evaluation.world(), world_of(document));
    deform::SkinningSettings settings = document.content.skinning;
    const deform::DeformedCharacter expected =
        deform::deform_once(*document.character, evaluate_pose(document), settings);
    EXPECT_EQ(evaluation.deformed(document).parts.at(0).positions, expected.parts.at(0).positions);
  };
  expect_news(SetDof{2, 0, 0.5f});
  expect_news(SetMorph{0, 1.0f});
  expect_news(SetClip{0});
  expect_news(SetTime{2.5f});
  expect_news(SetBasePose{BasePose::kBind});
  deform::SkinningSettings settings;
  settings.method = 0;
  expect_news(SetSkinning{settings});
  const std::uint64_t version = evaluation.version();
  undo(document);
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_GT(evaluation.version(), version);
}

TEST(Evaluation, PanesAreDeformedEachByItsOwnSettings) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  apply(document, SetPanes{2});
  apply(document, SetDof{1, test::dof(document, 1, "twist"), 1.0f});
  Evaluation evaluation;
  for (int pane = 0; pane < 2; ++pane) {
    const deform::DeformedCharacter expected =
        deform::deform_once(*document.character, evaluate_pose(document), skinning_of(document.content, pane));
    EXPECT_EQ(evaluation.deformed(document, pane).parts.at(0).positions, expected.parts.at(0).positions);
    EXPECT_EQ(evaluation.skinning(pane), skinning_of(document.content, pane));
  }
  EXPECT_NE(evaluation.deformed(document, 0).parts.at(0).positions,
            evaluation.deformed(document, 1).parts.at(0).positions);
  deform::SkinningSettings rigid;
  rigid.method = 0;
  const deform::DeformedCharacter& other = evaluation.deformed_under(document, rigid);
  EXPECT_EQ(other.parts.at(0).positions,
            deform::deform_once(*document.character, evaluate_pose(document), rigid).parts.at(0).positions);
  EXPECT_EQ(&evaluation.deformed_under(document, {}), &other) << "the memory is used again";
  EXPECT_EQ(other.parts.at(0).positions, evaluation.deformed(document, 0).parts.at(0).positions);
  EXPECT_TRUE(std::ranges::equal(evaluation.bound(document).parts.at(0).positions,
                                 document.character->primitive(document.character->parts[0]).positions));
}

TEST(Evaluation, AnyPanesSettingsAreNews) {
  Document document = arm_document();
  apply(document, SetPanes{3});
  Evaluation evaluation;
  evaluation.update(document);
  for (int pane = 0; pane < 3; ++pane) {
    deform::SkinningSettings settings = skinning_of(document.content, pane);
    settings.influence_limit = 1;
    apply(document, SetSkinning{settings, pane});
    EXPECT_TRUE(evaluation.update(document)) << pane;
    EXPECT_EQ(evaluation.skinning(pane), settings);
  }
}

TEST(Evaluation, AnUnchangedPaneCostsNothing) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  apply(document, SetPanes{2});
  Evaluation evaluation;
  evaluation.deformed(document, 0);
  const double seconds = evaluation.cpu_seconds(0);
  deform::SkinningSettings settings = skinning_of(document.content, 1);
  settings.influence_limit = 1;
  apply(document, SetSkinning{settings, 1});
  evaluation.deformed(document, 0);
  EXPECT_EQ(evaluation.cpu_seconds(0), seconds) << "not computed again";
}

TEST(Evaluation, ConstraintsFollowTheSliderButNotTheBindPose) {
  rig::Character character = test::arm();
  // Bound straight, at rest bent by 30 degrees: the constraint counts from there.
  character.skeleton.edit().rest[kElbow].rotation = glm::angleAxis(30 * test::kDegree, glm::vec3(0, 0, 1));
  character.constraints = {{.kind = rig::ConstraintKind::kRotation, .joint = 5, .source = kElbow, .weight = 0.5f}};
  Document document = make_document(std::make_shared<rig::Character>(std::move(character)));
  Evaluation evaluation;
  evaluation.update(document);
  apply(document, SetDof{kElbow, test::dof(document, kElbow, "bend"), 80 * test::kDegree});
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_NEAR(glm::angle(evaluation.pose().local[5].rotation), 25 * test::kDegree, 1e-5f);
  apply(document, SetBasePose{BasePose::kBind});
  evaluation.update(document);
  const Transform bound = rig::bind_pose(*document.character).local[5];
  EXPECT_EQ(evaluation.pose().local[5], bound) << "30 degrees from the rest pose";
  apply(document, SetDof{kElbow, test::dof(document, kElbow, "bend"), 80 * test::kDegree});
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_NEAR(glm::angle(evaluation.pose().local[kElbow].rotation), 80 * test::kDegree, 1e-5f);
  EXPECT_EQ(evaluation.pose().local[5], bound) << "nor does a slider move it there";
}

TEST(Evaluation, NoticesAnotherCharacter) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.deformed(document);
  open_character(document, std::make_shared<rig::Character>(test::cylinder()));
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_EQ(evaluation.world().size(), 3u);
  EXPECT_EQ(evaluation.deformed(document).parts.at(0).positions.size(), 1314u);
  EXPECT_EQ(evaluation.bound(document).parts.at(0).positions.size(), 1314u);
}

// Only the character's version says so: pose and settings are the same.
TEST(Evaluation, NoticesAnotherSurface) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.deformed(document);
  const auto own = document.character;
  auto finer = std::make_shared<rig::Character>(*own);
  mesh::Primitive& primitive = finer->meshes.edit(0).primitives.edit(0);
  primitive.positions.edit()[1].z += 1;
  show_surface(document, finer, {.subdivisions = 1}, 0);
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_EQ(evaluation.deformed(document).parts.at(0).positions[1].z, 1);
}

// Characters come and go, and one may stand where another stood.
TEST(Evaluation, NoticesAnotherCharacterAtTheSameAddress) {
  rig::Character character = test::arm();
  const std::shared_ptr<const rig::Character> place(&character, [](const rig::Character*) {});
  Document document = make_document(place);
  Evaluation evaluation;
  const deform::SkinningSettings rigid = {.method = deform::find_method("rigid")};
  evaluation.deformed(document);
  evaluation.deformed_under(document, rigid);
  rig::Character other = test::arm();
  other.meshes.edit(0).primitives.edit(0).positions.edit()[1].z += 1;
  other.skeleton.edit().parent[kHand] = test::kRoot;  // the same local transforms, placed otherwise
  rig::finish(other);
  character = std::move(other);
  open_character(document, place);
  evaluation.update(document);
  EXPECT_EQ(evaluation.world(), world_of(document));
  EXPECT_EQ(evaluation.deformed(document).parts.at(0).positions[1].z, 1);
  EXPECT_EQ(evaluation.deformed_under(document, rigid).parts.at(0).positions[1].z, 1);
}

TEST(Evaluation, AShapeUnderOtherSettingsFollowsTheDocument) {
  Document document = arm_document();
  const deform::SkinningSettings rigid = {.method = deform::find_method("rigid")};
  Evaluation evaluation;
  const glm::vec3 before = evaluation.deformed_under(document, rigid).parts.at(0).positions[1];
  apply(document, SetDof{kElbow, 0, 0.5f});
  EXPECT_NE(evaluation.deformed_under(document, rigid).parts.at(0).positions[1], before);
}

TEST(Evaluation, NoticesASkinThatIsBoundElsewhere) {
  Document document = arm_document();
  Evaluation evaluation;
  const glm::vec3 before = evaluation.deformed(document).parts.at(0).positions[1];
  auto other = std::make_shared<rig::Character>(*document.character);
  other->skins.edit(0).joint_from_mesh[kElbow][3].x += 0.5f;  // the slot that vertex 1 follows
  apply(document, ReplaceCharacter{other});
  EXPECT_TRUE(evaluation.update(document));
  const glm::vec3 after = evaluation.deformed(document).parts.at(0).positions[1];
  EXPECT_LT(glm::distance(after, before + glm::vec3(0.5f, 0, 0)), 1e-6f);
  undo(document);
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_EQ(evaluation.deformed(document).parts.at(0).positions[1], before);
}

TEST(Evaluation, TheBindShapeFollowsNormalsAndShapes) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  Evaluation evaluation;
  evaluation.bound(document);
  auto other = std::make_shared<rig::Character>(*document.character);
  other->meshes.edit(0).primitives.edit(0).normals.edit()[7] *= -1.0f;
  apply(document, ReplaceCharacter{other});
  EXPECT_EQ(evaluation.bound(document).parts[0].normals, Evaluation().bound(document).parts[0].normals);
  undo(document);
  EXPECT_EQ(evaluation.bound(document).parts[0].normals, Evaluation().bound(document).parts[0].normals);
}

}  // namespace
}  // namespace pelt::edit
