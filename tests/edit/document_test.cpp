#include "edit/document.h"

#include <gtest/gtest.h>

#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::kElbow;

TEST(Document, OpeningAnotherCharacterForgetsTheOldOne) {
  Document document = arm_document();
  document.content.skinning.method = 0;
  apply(document, SetDof{kElbow, 0, 0.5f});
  document.view.select_only(kElbow);
  const std::uint64_t character_version = document.character_version;
  const std::uint64_t state_version = document.state_version;
  open_character(document, std::make_shared<rig::Character>(test::cylinder()));
  EXPECT_TRUE(document.content.overrides->empty());
  EXPECT_EQ(document.content.skinning.method, 0);
  EXPECT_EQ(document.view.selected_joint(), -1);
  EXPECT_FALSE(can_undo(document));
  EXPECT_GT(document.character_version, character_version);
  EXPECT_GT(document.state_version, state_version);
}

TEST(Surface, AnotherOneKeepsPoseHistoryAndSelection) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  document.view.select_only(kElbow);
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 1;
  const Content before = document.content;
  const std::shared_ptr<const rig::Character> own = document.character;
  const std::uint64_t version = document.character_version;
  show_surface(document, std::make_shared<rig::Character>(*own), {.subdivisions = 1}, 0.25);
  EXPECT_GT(document.character_version, version);
  EXPECT_EQ(document.surface, rig::SurfaceChoice{.subdivisions = 1});
  EXPECT_EQ(document.detail_error, 0.25);
  EXPECT_EQ(document.content, before);
  EXPECT_EQ(document.view.selected_joint(), kElbow);
  EXPECT_EQ(document.view.pinned_vertex, -1);
  EXPECT_EQ(own_character(document), own);
  EXPECT_NE(document.character, own);
  EXPECT_TRUE(can_undo(document));
  show_surface(document, own, {}, 0);
  EXPECT_TRUE(shows_own_surface(document));
  EXPECT_EQ(own_character(document), own);
}

TEST(Surface, AnExplosionKeepsThePinnedVertex) {
  Document document = arm_document();
  const std::shared_ptr<const rig::Character> own = document.character;
  const auto exploded = std::make_shared<rig::Character>(*own);
  const auto count = static_cast<int>(own->primitive(own->parts[0]).vertex_count());
  mesh::Primitive& primitive = exploded->meshes.edit(0).primitives.edit(0);
  primitive.positions.push_back(primitive.positions.back());
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 1;
  show_surface(document, exploded, {.explode = 1}, 0);
  EXPECT_EQ(document.view.pinned_vertex, 1);
  document.view.pinned_vertex = count;  // one that came with it
  show_surface(document, exploded, {.explode = 0.5f}, 0);
  EXPECT_EQ(document.view.pinned_vertex, count);
  show_surface(document, own, {}, 0);
  EXPECT_EQ(document.view.pinned_part, -1) << "and went with it";
  EXPECT_EQ(document.view.pinned_vertex, -1);
  document.view.pinned_part = 1;  // a part that only the explosion had
  document.view.pinned_vertex = 0;
  show_surface(document, exploded, {.explode = 1}, 0);
  EXPECT_EQ(document.view.pinned_part, -1);
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 1;
  show_surface(document, exploded, {.detail = 1, .explode = 1}, 0);
  EXPECT_EQ(document.view.pinned_vertex, -1) << "another surface altogether";
}

TEST(Document, AnotherSceneKeepsPoseHistoryAndTheSelectedJoint) {
  rig::Character character = test::arm();
  character.scenes = {{.name = "all", .roots = {0, 9}}, {.name = "bones", .roots = {0}}};
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  const auto before = document.character;
  ASSERT_EQ(before->parts.size(), 1u);
  apply(document, SetDof{kElbow, 0, 0.5f});
  Content state = document.content;
  document.view.select_only(kElbow);
  document.view.pinned_part = 0;
  document.view.pinned_vertex = 1;
  const std::uint64_t character_version = document.character_version;
  const std::uint64_t state_version = document.state_version;
  show_scene(document, 1);
  EXPECT_EQ(document.file, own_character(document)) << "nothing was edited";
  EXPECT_EQ(document.character->scene, 1);
  EXPECT_TRUE(document.character->parts.empty());
  EXPECT_EQ(before->scene, 0) << "others may hold the character";
  EXPECT_TRUE(shows_own_surface(document));
  state.character = document.content.character;
  EXPECT_EQ(document.content, state);
  EXPECT_EQ(document.history.content(0, document.content).character, state.character) << "seen in this scene as well";
  EXPECT_TRUE(can_undo(document));
  EXPECT_EQ(document.view.selected_joint(), kElbow);
  EXPECT_EQ(document.view.pinned_part, -1);
  EXPECT_EQ(document.view.pinned_vertex, -1);
  EXPECT_GT(document.character_version, character_version);
  EXPECT_GT(document.state_version, state_version);
  // The file's own surface follows.
  const auto own = document.character;
  show_surface(document, std::make_shared<rig::Character>(*own), {.subdivisions = 1}, 0);
  show_scene(document, 0);
  EXPECT_EQ(document.character->parts.size(), 1u);
  EXPECT_EQ(own_character(document)->parts.size(), 1u);
  EXPECT_EQ(document.surface, rig::SurfaceChoice{.subdivisions = 1});
}

TEST(Document, SecondsCountFromTheStartOfTheClip) {
  Document document = arm_document();
  document.view.time = 5;
  EXPECT_EQ(clip_seconds(document), 0.0) << "without a clip";
  apply(document, SetClip{0});
  apply(document, SetTime{2.5f});
  EXPECT_EQ(clip_seconds(document), 1.5) << "of a clip that starts at 1 s";
}

TEST(Document, StepsThatAreTravelledOverShareTheirCharacter) {
  rig::Character character = test::arm();
  character.scenes = {{.name = "all", .roots = {0, 9}}, {.name = "bones", .roots = {0}}};
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  for (const float angle : {0.25f, 0.5f, 0.75f}) {
    apply(document, SetDof{kElbow, 0, angle});
  }
  show_scene(document, 1);
  show_scene(document, 0);
  travel(document, 0);
  for (const std::size_t place : {1u, 2u}) {
    EXPECT_EQ(document.history.step(place).character, nullptr) << "one character is one, step " << place;
  }
}

TEST(Document, StepsOfOneCharacterHaveOneAfterTwoOtherScenes) {
  rig::Character character = test::arm();
  character.scenes = {{.name = "all", .roots = {0, 9}}, {.name = "bones", .roots = {0}}};
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetDof{kElbow, 0, 0.5f});
  show_scene(document, 1);
  show_scene(document, 0);
  const auto shown = own_character(document);
  const std::uint64_t version = document.character_version;
  undo(document);
  EXPECT_EQ(own_character(document), shown) << "a slider is nothing of the character";
  EXPECT_EQ(document.character_version, version);
}

}  // namespace
}  // namespace pelt::edit
