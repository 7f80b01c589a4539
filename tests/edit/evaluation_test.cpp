#include "edit/evaluation.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "edit_fixtures.h"
#include "support/two_skins.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;

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
}

TEST(Evaluation, ChangesThatDoNotTouchTheShapeAreNoNews) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.update(document);
  const std::uint64_t version = evaluation.version();
  document.selected_joint = 3;
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
  apply(by_button, ResetJoints{-1, ResetScope::kAll, ResetTo::kBind});
  for (const std::size_t part : {0u, 1u}) {
    for (const char* method : {"lbs", "dqs", "ddm", "delta-mush"}) {
      apply(by_base, SetSkinning{{.method = deform::find_method(method)}});
      EXPECT_LT(farthest_from_bind_shape(by_base, part), 5e-6f) << method;
    }
    EXPECT_LT(farthest_from_bind_shape(by_button, part), 5e-6f);
  }
  apply(by_button, ResetJoints{-1, ResetScope::kAll, ResetTo::kRest});
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
    for (int j = 0; j < document.character->skeleton->size(); ++j) {
      const auto i = static_cast<std::size_t>(j);
      EXPECT_EQ(evaluation.world()[i] != before[i], document.character->skeleton->is_within(j, changed))
          << "joint " << j << " after changing " << changed;
    }
  }
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
    deform::SkinningSettings settings = document.state.skinning;
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
        deform::deform_once(*document.character, evaluate_pose(document), skinning_of(document.state, pane));
    EXPECT_EQ(evaluation.deformed(document, pane).parts.at(0).positions, expected.parts.at(0).positions);
    EXPECT_EQ(evaluation.skinning(pane), skinning_of(document.state, pane));
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

TEST(Evaluation, AnUnchangedPaneCostsNothing) {
  Document document = make_document(std::make_shared<rig::Character>(test::cylinder()));
  apply(document, SetPanes{2});
  Evaluation evaluation;
  evaluation.deformed(document, 0);
  const double seconds = evaluation.cpu_seconds(0);
  deform::SkinningSettings settings = skinning_of(document.state, 1);
  settings.influence_limit = 1;
  apply(document, SetSkinning{settings, 1});
  evaluation.deformed(document, 0);
  EXPECT_EQ(evaluation.cpu_seconds(0), seconds) << "not computed again";
}

TEST(Evaluation, ConstraintsFollowTheSliderButNotTheBindPose) {
  rig::Character character = test::arm();
  character.constraints = {{.kind = rig::ConstraintKind::kRotation, .joint = 5, .source = 2, .weight = 0.5f}};
  Document document = make_document(std::make_shared<rig::Character>(std::move(character)));
  Evaluation evaluation;
  evaluation.update(document);
  apply(document, SetDof{2, test::dof(document, 2, "bend"), 80 * test::kDegree});
  EXPECT_TRUE(evaluation.update(document));
  const glm::quat followed = evaluation.pose().local[5].rotation;
  EXPECT_NEAR(glm::angle(followed), 40 * test::kDegree, 1e-5f);
  apply(document, SetBasePose{BasePose::kBind});
  evaluation.update(document);
  EXPECT_EQ(evaluation.pose().local[5], rig::bind_pose(*document.character).local[5]);
}

TEST(Evaluation, NoticesAnotherCharacter) {
  Document document = arm_document();
  Evaluation evaluation;
  evaluation.deformed(document);
  open_character(document, std::make_shared<rig::Character>(test::cylinder()));
  EXPECT_TRUE(evaluation.update(document));
  EXPECT_EQ(evaluation.world().size(), 3u);
  EXPECT_EQ(evaluation.deformed(document).parts.at(0).positions.size(), 1314u);
}

}  // namespace
}  // namespace pelt::edit
