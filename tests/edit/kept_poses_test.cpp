// Kept poses: what they hold, and that sessions, undo and newer versions of the character keep them.
#include "edit/kept_poses.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/commands.h"
#include "edit/edit_fixtures.h"
#include "edit/reload.h"
#include "edit/remap.h"
#include "edit/session.h"
#include "mesh/welded_surface.h"

namespace pelt::edit {
namespace {

using test::arm;
using test::kDegree;
using test::kElbow;
using test::kHand;
using testing::ElementsAre;

Document kept_arm() {
  Document document = make_document(std::make_shared<const rig::Character>(arm()));
  apply(document, {SetDof{kElbow, 0, 70 * kDegree}, {}, true});
  apply(document, {KeepPose{}, {}, true});
  apply(document, {SetDof{kElbow, 0, 20 * kDegree}, {}, true});
  return document;
}

std::vector<std::uint32_t> all_places(const mesh::WeldedSurface& surface) {
  std::vector<std::uint32_t> out(surface.place_count());
  for (std::uint32_t w = 0; w < out.size(); ++w) {
    out[w] = w;
  }
  return out;
}

TEST(KeptPosesOfADocument, HoldWhereTheSkinWasThoughPoseAndWeightsChange) {
  Document document = make_document(std::make_shared<const rig::Character>(arm()));
  apply(document, {SetDof{kElbow, 0, 70 * kDegree}, {}, true});
  const auto character = document.content.character;
  const auto surface = mesh::welded_surface(character->meshes[0]);
  const std::vector<std::uint32_t> places = all_places(*surface);
  const rig::Pose pose = evaluate_pose(document);
  rig::WorldMatrices world;
  world.evaluate(character->skeleton, pose);
  const std::vector<glm::vec3> wanted = posed_places(*character, 0, *surface, places, world.world());
  apply(document, {KeepPose{}, {}, true});
  ASSERT_EQ(document.content.kept_poses.size(), 1u);
  apply(document, {SetDof{kElbow, 0, 5 * kDegree}, {}, true});
  PaintWeights paint{.surface = surface};
  paint.dabs.push_back(
      {.mode = mesh::DabMode::kReplace, .places = places, .amounts = std::vector<float>(places.size(), 1.0f)});
  paint.dabs.back().joint = kElbow;
  apply(document, {paint, {}, true});
  ASSERT_NE(document.content.character, character);
  const KeptPose& kept = document.content.kept_poses[0];
  EXPECT_EQ(world_of(kept, *document.content.character), world.world());
  EXPECT_EQ(places_then(kept, 0, *surface, places), wanted);
  EXPECT_NE(posed_places(*document.content.character, 0, *surface, places, world.world()), wanted)
      << "or else nothing was painted";
  EXPECT_TRUE(places_then(kept, 7, *surface, places).empty()) << "of a mesh that there is not";
}

TEST(KeptPosesOfADocument, SeeShearAsThePoseDoes) {
  rig::Character sheared = arm();
  sheared.skeleton.edit().rest_residual.assign(sheared.skeleton->rest.size(), glm::mat4(1.0f));
  sheared.skeleton.edit().rest_residual[kElbow][1][0] = 0.5f;
  Document document = make_document(std::make_shared<const rig::Character>(std::move(sheared)));
  apply(document, {SetDof{kElbow, 0, 70 * kDegree}, {}, true});
  apply(document, {KeepPose{}, {}, true});
  rig::WorldMatrices world;
  world.evaluate(document.content.character->skeleton, evaluate_pose(document));
  EXPECT_EQ(world_of(document.content.kept_poses[0], *document.content.character), world.world());
}

TEST(KeptPosesOfADocument, AreStepsWithNames) {
  Document document = kept_arm();
  const Content one = document.content;
  EXPECT_EQ(label(document, Change(KeepPose{})), "Keep Pose 2");
  apply(document, {KeepPose{}, {}, true});
  EXPECT_EQ(label(document, Change(ForgetPose{0})), "Forget Pose 1");
  apply(document, {ForgetPose{0}, {}, true});
  ASSERT_EQ(document.content.kept_poses.size(), 1u);
  EXPECT_EQ(document.content.kept_poses[0].pose->name, "Pose 2");
  EXPECT_EQ(label(document, Change(KeepPose{})), "Keep Pose 1") << "the first name that is free";
  undo(document);
  undo(document);
  EXPECT_EQ(document.content, one);
  const KeptPose before = document.content.kept_poses[0];
  apply(document, {KeepPose{0}, {}, true});
  EXPECT_EQ(document.content.kept_poses[0].pose->name, "Pose 1");
  EXPECT_NE(document.content.kept_poses[0].places, before.places) << "it is the present pose";
  while (document.content.kept_poses.size() < kMostKeptPoses) {
    apply(document, {KeepPose{}, {}, true});
  }
  EXPECT_EQ(why_refused(document, KeepPose{}), "at most 16 poses are kept, and there are 16");
  EXPECT_EQ(why_refused(document, KeepPose{16}), "kept pose 16: expected one of 16");
  const Content full = document.content;
  apply(document, {KeepPose{}, {}, true});
  EXPECT_EQ(document.content, full);
}

TEST(KeptPosesOfADocument, OutliveASessionAndSayWhereTheirDataAreGone) {
  const Document document = kept_arm();
  const auto text = session_to_text(document, {.file = "arm.glb", .hash = "1"});
  ASSERT_TRUE(text) << text.error().message;
  ASSERT_EQ(text->files.size(), 1u);
  const auto head = session_head(text->json);
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_THAT(head->files, ElementsAre(text->files[0].name)) << "that an opener has to find";
  const auto whole = session_from_text(text->json, document.file,
                                       [&](const std::string&) -> Result<std::string> { return text->files[0].bytes; });
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->document.content.kept_poses, document.content.kept_poses);
  EXPECT_TRUE(whole->lost.empty());
  EXPECT_EQ(content_hash(whole->document.content), content_hash(document.content));
  Document forgotten = document;
  apply(forgotten, {ForgetPose{0}, {}, true});
  EXPECT_NE(content_hash(forgotten.content), content_hash(document.content));
  EXPECT_GE(exclusive_bytes(document.content, forgotten.content),
            document.content.kept_poses[0].places.at(0).size() * sizeof(glm::vec3));
  const auto without = session_from_text(text->json, document.file,
                                         [](const std::string&) -> Result<std::string> { return error("it is gone"); });
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_TRUE(without->document.content.kept_poses.empty());
  EXPECT_THAT(without->lost, ElementsAre("the kept pose Pose 1"));
  // Of a file whose vertices lie elsewhere they would pull to where nothing was.
  rig::Character other = *document.file;
  other.meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 0.5f;
  const auto moved = session_from_text(text->json, std::make_shared<const rig::Character>(other),
                                       [&](const std::string&) -> Result<std::string> { return text->files[0].bytes; });
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_TRUE(moved->document.content.kept_poses.empty());
  EXPECT_THAT(moved->lost, ElementsAre("the kept pose Pose 1"));
  // Under another parent the same transforms are another pose.
  rig::Character hung = *document.file;
  hung.skeleton.edit().parent[kHand] = test::kRoot;
  rig::finish(hung);
  const auto elsewhere =
      session_from_text(text->json, std::make_shared<const rig::Character>(hung),
                        [&](const std::string&) -> Result<std::string> { return text->files[0].bytes; });
  ASSERT_TRUE(elsewhere) << elsewhere.error().message;
  EXPECT_TRUE(elsewhere->document.content.kept_poses.empty());
  EXPECT_THAT(elsewhere->lost, testing::Contains("the kept pose Pose 1"));
}

TEST(KeptPosesOfADocument, FollowANewerVersionWhereItsVerticesAreWhereTheyWere) {
  Document document = kept_arm();
  const KeptPose kept = document.content.kept_poses[0];
  rig::Character renamed = *document.file;
  renamed.meshes.edit(0).name = "skin";
  EXPECT_TRUE(reload_character(document, std::make_shared<const rig::Character>(renamed)).lost.empty());
  ASSERT_EQ(document.content.kept_poses.size(), 1u);
  EXPECT_EQ(document.content.kept_poses[0], kept);
  rig::Character moved = renamed;
  moved.meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 0.5f;
  const ReloadReport report = reload_character(document, std::make_shared<const rig::Character>(moved));
  EXPECT_TRUE(document.content.kept_poses.empty());
  EXPECT_THAT(report.lost, testing::Contains("the kept pose Pose 1"));
}

TEST(KeptPosesOfADocument, FollowJointsThatChangeTheirPlaces) {
  const Document document = kept_arm();
  const rig::Character& character = *document.content.character;
  const KeptPoses& kept = document.content.kept_poses;
  std::vector<std::string> lost;
  EXPECT_TRUE(remapped(identity(character), kept, character, character, &lost).is(kept));
  EXPECT_TRUE(lost.empty());
  Remap numbers = identity(character);
  numbers.joints[kHand] = -1;
  EXPECT_TRUE(remapped(numbers, kept, character, character, &lost).empty()) << "a joint of the skin is gone";
  EXPECT_THAT(lost, ElementsAre("the kept pose Pose 1"));
  // Joints that come later are at rest, and none of the skin's.
  Document grown = document;
  apply(grown, {AddJoints{{{"tail", -1, Transform{}}}}, {}, true});
  ASSERT_EQ(grown.content.kept_poses.size(), 1u);
  const std::vector<glm::mat4> world = world_of(grown.content.kept_poses[0], *grown.content.character);
  ASSERT_EQ(world.size(), character.skeleton->parent.size() + 1);
  EXPECT_EQ(world.back(), glm::mat4(1.0f));
  apply(grown, {KeepPose{}, {}, true});
  apply(grown, {RemoveNewJoints{}, {}, true});
  EXPECT_EQ(grown.content.kept_poses.size(), 2u) << "the tail moved nothing";
}

}  // namespace
}  // namespace pelt::edit
