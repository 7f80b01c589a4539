// Selections with a name mean the same vertices in every scene, after a mend, and in a session.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/file.h"
#include "edit/reload.h"
#include "edit/remap.h"
#include "edit/session.h"
#include "edit_fixtures.h"
#include "random_changes.h"
#include "rig/lint_fix.h"

namespace pelt {
namespace {

using namespace edit;  // NOLINT: the names that the tests are about
using test::apply;

constexpr int kHatNode = 1;  // of Character::mesh_nodes
const SessionSource kSource = {"arm.glb", "sha256:0"};

Document hat_document() {
  return make_document(std::make_shared<const rig::Character>(test::arm_with_hat()));
}

ReplaceCharacter mend(const Document& document) {
  ReplaceCharacter change;
  change.character =
      std::make_shared<const rig::Character>(rig::fixed(*own_character(document), {}, &change.renumbered));
  return change;
}

using Places = std::set<std::tuple<float, float, float>>;

// Where the named vertices of the hat are, those that no triangle uses left out.
Places hat_places(const Document& document, const std::string& name) {
  Places places;
  const auto found = document.content.selections->find(name);
  if (found == document.content.selections->end()) {
    return places;
  }
  for (const NodeVertices& of_node : found->second.vertices) {
    const mesh::Primitive& primitive = *primitive_at(*own_character(document), of_node);
    for (const std::uint32_t v : of_node.vertices) {
      if (of_node.mesh_node == kHatNode && std::ranges::count(primitive.indices.get(), v) > 0) {
        const glm::vec3& at = primitive.positions[v];
        places.emplace(at.x, at.y, at.z);
      }
    }
  }
  return places;
}

OpenedSession reopened(const Document& document) {
  const Result<SessionText> text = session_to_text(document, kSource);
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  Result<OpenedSession> again =
      session_from_text(text->json, document.file, [&](const std::string& name) -> Result<std::string> {
        return std::ranges::find(text->files, name, &SessionFile::name)->bytes;
      });
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return *std::move(again);
}

TEST(NamedSelections, ASceneShowsThemUnderItsOwnParts) {
  Document document = hat_document();
  ASSERT_EQ(document.character->parts.size(), 2u);
  document.view.selected_vertices = {{1, {2, 7}}};
  apply(document, NameSelection{"brim", selected(document, true)});
  ASSERT_EQ(document.content.selections->at("brim").vertices, (NamedVertices{{kHatNode, 0, {2, 7}}}));
  show_scene(document, 1);
  ASSERT_EQ(document.character->parts.size(), 1u);
  const NamedVertices& named = document.content.selections->at("brim").vertices;
  EXPECT_EQ(shown_vertices(*document.character, named), (VertexSelection{{0, {2, 7}}}));
  EXPECT_EQ(content_hash(reopened(document).document.content), content_hash(document.content));
  // What the scene does not show cannot be selected, and is not forgotten.
  const NamedVertices both = {{0, 0, {1}}, {kHatNode, 0, {3}}};
  apply(document, NameSelection{"both", {{}, both}});
  EXPECT_EQ(document.content.selections->at("both").vertices, both);
  EXPECT_EQ(shown_vertices(*document.character, both), (VertexSelection{{0, {3}}}));
  show_scene(document, 0);
  EXPECT_EQ(shown_vertices(*document.character, both), (VertexSelection{{0, {1}}, {1, {3}}}));
}

TEST(NamedSelections, SeenVerticesAloneAreNamed) {
  Document document = hat_document();
  document.view.selected_joints = {3};
  document.view.selected_vertices = {{1, {2}}};
  EXPECT_TRUE(selected(document, false).vertices.empty());
  EXPECT_EQ(vertex_count(selected(document, true).vertices), 1u);
  EXPECT_EQ(selected(document, false).joints, (std::vector<int>{3}));
}

TEST(NamedSelections, MendingGivesThemTheirNewNumbers) {
  Document document = hat_document();
  apply(document, NameSelection{"corner", {{}, {{kHatNode, 0, {3, 4, 7}}}}});
  apply(document, NameSelection{"unused", {{}, {{kHatNode, 0, {0, 5}}}}});
  const Places before = hat_places(document, "corner");
  ASSERT_EQ(before.size(), 3u);
  const std::uint64_t hash = content_hash(document.content);
  const ReplaceCharacter change = mend(document);
  ASSERT_EQ(change.character->meshes[1].primitives[0].vertex_count(), 4u);
  EXPECT_NE(notice(document, change).find("unused"), std::string::npos);
  EXPECT_EQ(notice(document, change).find("corner"), std::string::npos);
  apply(document, change);
  EXPECT_EQ(hat_places(document, "corner"), before);
  EXPECT_EQ(document.content.selections->at("corner").vertices, (NamedVertices{{kHatNode, 0, {1, 2, 3}}}));
  EXPECT_FALSE(document.content.selections->contains("unused"));
  EXPECT_EQ(content_hash(reopened(document).document.content), content_hash(document.content)) << "it can be saved";
  undo(document);
  EXPECT_EQ(content_hash(document.content), hash);
}

TEST(NamedSelections, WhatNobodyFindsAgainIsLostAndSaid) {
  Document document = hat_document();
  apply(document, NameSelection{"brim", {{3}, {{0, 0, {1}}, {kHatNode, 0, {2}}}}});
  auto other = std::make_shared<rig::Character>(*document.character);
  std::ranges::reverse(other->meshes.edit(1).primitives.edit(0).indices.edit());
  const ReplaceCharacter change{other, {}};
  EXPECT_EQ(notice(document, change), "vertices with a name have other numbers now and are lost: brim");
  apply(document, change);
  EXPECT_EQ(document.content.selections->at("brim"), (NamedSelection{{3}, {{0, 0, {1}}}}));
  EXPECT_TRUE(notice(document, ReplaceCharacter{document.character, {}}).empty());
}

TEST(NamedSelections, AMendedCharacterKeepsThemWhenItsFileIsReadAgain) {
  Document document = hat_document();
  apply(document, mend(document));
  apply(document, NameSelection{"corner", {{}, {{kHatNode, 0, {1, 3}}}}});
  const Places before = hat_places(document, "corner");
  rig::Character newer = test::arm_with_hat();
  newer.materials.push_back({});
  const ReloadReport report = reload_character(document, std::make_shared<const rig::Character>(std::move(newer)));
  EXPECT_TRUE(report.lost.empty()) << report.lost.front();
  EXPECT_EQ(hat_places(document, "corner"), before);
}

TEST(NamedSelections, ASessionOfVersion1CallsPartsByNumber) {
  const std::filesystem::path path =
      std::filesystem::path(PELT_SOURCE_DIR) / "tests/edit/sessions/version_1_selections.pelt";
  const Result<std::string> text = read_file(path);
  ASSERT_TRUE(text) << text.error().message;
  const auto source = std::make_shared<const rig::Character>(test::arm_with_hat());
  const auto none = [](const std::string&) -> Result<std::string> { return error("none"); };
  const Result<OpenedSession> opened = session_from_text(*text, source, none);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->document.character->scene, 1);
  EXPECT_TRUE(opened->lost.empty());
  EXPECT_EQ(opened->document.content.selections->at("brim"), (NamedSelection{{3}, {{kHatNode, 0, {2, 3, 7}}}}));
  // A part that the scene does not show is told.
  std::string other = *text;
  other.replace(other.find("\"part\": 0"), 9, "\"part\": 1");
  const Result<OpenedSession> lost = session_from_text(other, source, none);
  ASSERT_TRUE(lost) << lost.error().message;
  EXPECT_EQ(lost->lost, (std::vector<std::string>{"some of the selection brim"}));
}

TEST(NamedSelections, ASessionRefusesOneNodeTwice) {
  Document document = hat_document();
  apply(document, NameSelection{"both", {{}, {{0, 0, {1}}, {kHatNode, 0, {1}}}}});
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(session_to_text(document, kSource)->json);
  nlohmann::ordered_json& vertices = json["selections"]["both"]["vertices"];
  ASSERT_EQ(vertices.size(), 2u);
  vertices[1] = vertices[0];
  const Result<OpenedSession> again = session_from_text(json.dump(), document.file, {});
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("each node and primitive once"), std::string::npos) << again.error().message;
}

// Whatever is done, in whatever scene: names lead to vertices that there are, sessions hold them, a mend leaves them
// where they were.
TEST(NamedSelections, Law_MeanTheSameThroughMendsAndScenes) {
  int mends = 0;
  int named = 0;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    test::Random random(seed);
    Document document = hat_document();
    apply(document, NameSelection{"brim", {{}, {{kHatNode, 0, {2, 3, 4}}}}});
    for (int i = 0; i < 60; ++i) {
      if (random.below(4) == 0) {
        show_scene(document, random.below(2));
      } else if (random.below(6) == 0) {
        travel(document, random.below(static_cast<int>(document.history.size())));
      } else {
        // A character is mended more often than all else.
        const Change change = random.below(3) == 0   ? Change(test::made<ReplaceCharacter>(document, random))
                              : random.below(3) == 0 ? Change(test::made<NameSelection>(document, random))
                                                     : test::random_change(document, random);
        std::map<std::string, Places> before;
        for (const auto& [name, selection] : *document.content.selections) {
          before[name] = hat_places(document, name);
        }
        const auto* const replaced = change.get_if<ReplaceCharacter>();
        apply(document, change);
        for (const auto& [name, places] : before) {
          if (replaced != nullptr && !replaced->renumbered.empty()) {
            mends += places.empty() ? 0 : 1;
            ASSERT_EQ(hat_places(document, name), places) << name;
          }
        }
      }
      for (const auto& [name, selection] : *document.content.selections) {
        NamedVertices valid = selection.vertices;
        keep_valid(valid, *own_character(document));
        ASSERT_EQ(valid, selection.vertices) << name;
        VertexSelection shown = shown_vertices(*document.character, selection.vertices);
        const VertexSelection before = shown;
        keep_valid(shown, *document.character);
        ASSERT_EQ(shown, before) << name;
        named += selection.vertices.empty() ? 0 : 1;
      }
      if (i % 10 == 9) {
        const OpenedSession again = reopened(document);
        ASSERT_EQ(content_hash(again.document.content), content_hash(document.content)) << i;
        ASSERT_TRUE(again.lost.empty()) << again.lost.front();
      }
    }
  }
  EXPECT_GT(mends, 10);
  EXPECT_GT(named, 300);
}

}  // namespace
}  // namespace pelt
