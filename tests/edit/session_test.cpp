// Sessions: what is written reads back exactly, and what does not apply any more is said.
#include "edit/session.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/file.h"
#include "edit/layer_edits.h"
#include "edit_fixtures.h"
#include "random_changes.h"
#include "reopened.h"
#include "rig/character_parts.h"
#include "rig/lint_fix.h"
#include "support/control_points.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::files_of;
using test::kElbow;
using test::kHand;
using test::kSessionSource;

TEST(Session, NothingDoneIsNothingSaid) {
  const Document document = arm_document();
  const Result<SessionText> text = session_to_text(document, kSessionSource);
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->files.empty());
  EXPECT_EQ(text->json.find("\"joints\""), std::string::npos);
  EXPECT_EQ(text->json.find("\"meshes\""), std::string::npos);
  const OpenedSession again = test::reopened(document);
  EXPECT_EQ(again.document.content, document.content);
  EXPECT_EQ(again.document.view, document.view);
  EXPECT_TRUE(again.lost.empty());
}

TEST(Session, WhatIsSelectedComesBackInItsOrder) {
  Document document = arm_document();
  for (const std::vector<int>& joints : {std::vector<int>{kHand}, {kHand, 0, kElbow}, {}}) {
    document.view.selected_joints = joints;
    EXPECT_EQ(test::reopened(document).document.view.selected_joints, joints);
  }
  apply(document, NameSelection{"both", {{kElbow, kHand}, {{0, 0, {0, 1}}}}});
  const OpenedSession again = test::reopened(document);
  EXPECT_EQ(*again.document.content.selections, *document.content.selections);
  // Vertices that the source does not have, runs that overlap and odd numbers.
  const std::string text = session_to_text(document, kSessionSource)->json;
  const auto with = [&](std::string_view runs) {
    std::string other = text;
    const std::size_t at = other.find("[0, 2]");
    EXPECT_NE(at, std::string::npos) << other;
    other.replace(at, 6, runs);
    return session_from_text(other, document.file, [](const std::string&) { return error("none"); });
  };
  const Result<OpenedSession> many = with("[0, 4000000000]");
  ASSERT_TRUE(many);
  const auto& vertices = many->document.content.selections->at("both").vertices;
  EXPECT_EQ(vertices.front().vertices.size(),
            document.character->primitive(document.character->parts[0]).vertex_count());
  EXPECT_FALSE(with("[0, 2, 1, 2]"));
  EXPECT_FALSE(with("[0]"));
  EXPECT_FALSE(with("[-1, 2]"));
}

TEST(Session, WritingTwiceGivesTheSameText) {
  test::Random random(3);
  Document document = arm_document();
  for (int i = 0; i < 60; ++i) {
    apply(document, test::random_change(document, random));
  }
  const Result<SessionText> text = session_to_text(document, kSessionSource, R"({"look": "clay"})");
  ASSERT_TRUE(text);
  const Result<OpenedSession> again = session_from_text(text->json, document.file, files_of(*text));
  ASSERT_TRUE(again);
  const Result<SessionText> second = session_to_text(again->document, kSessionSource, R"({"look": "clay"})");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->json, text->json);
}

// A difference of two sessions shows what was done: one line for each joint.
TEST(Session, AJointIsALine) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  const std::string before = session_to_text(document, kSessionSource)->json;
  apply(document, SetDof{kHand, 0, 0.25f});
  const std::string after = session_to_text(document, kSessionSource)->json;
  std::vector<std::string_view> lines;
  std::size_t new_lines = 0;
  for (std::size_t at = 0; at < after.size(); at = after.find('\n', at) + 1) {
    const std::string_view line(after.data() + at, after.find('\n', at) - at);
    new_lines += before.find(line) == std::string::npos ? 1 : 0;
  }
  EXPECT_LE(new_lines, 2u) << "that of the hand, and the comma behind the elbow\n" << after;
  EXPECT_NE(after.find("\n      \"hand_l\": {\"local\": "), std::string::npos) << after;
}

TEST(Session, WeightsLieBesideItUnderTheirContentsName) {
  Document document = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  apply(document, SmoothWeights{.vertices = {test::cylinder_vertex(24, 3), test::cylinder_vertex(16, 3)}});
  const Result<SessionText> text = session_to_text(document, kSessionSource);
  ASSERT_TRUE(text) << text.error().message;
  ASSERT_EQ(text->files.size(), 2u) << "the rows, and the surface that they were edited on";
  const Result<SessionHead> head = session_head(text->json);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->files, (std::vector<std::string>{text->files[0].name, text->files[1].name}));
  EXPECT_EQ(head->source.file, "arm.glb");
  EXPECT_LT(text->files[0].bytes.size(), 200u) << "rows that changed, not all";

  SessionText damaged = *text;
  damaged.files[0].bytes[8] ^= 1;
  const Result<OpenedSession> refused = session_from_text(damaged.json, document.file, files_of(damaged));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("damaged"), std::string::npos);
  damaged.files.clear();
  EXPECT_FALSE(session_from_text(damaged.json, document.file, files_of(damaged)));
}

TEST(Session, ARepairIsKept) {
  rig::Character character = test::cylinder();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  primitive.positions.edit().push_back({9, 9, 9});  // that no triangle uses
  primitive.normals.edit().push_back({0, 1, 0});
  const std::uint16_t joints[] = {0};
  const float weights[] = {0.75f};
  mesh::append_row(primitive.influences.edit(), joints, weights);
  for (auto* array : {&primitive.texcoords[0], &primitive.texcoords[1]}) {
    if (!array->empty()) {
      array->edit().emplace_back();
    }
  }
  character.skeleton.edit().is_joint.clear();
  const int more = test::add_node(character, "spare", 0, {});
  character.skins.edit(0).joints.insert(character.skins.edit(0).joints.begin(), more);
  character.skins.edit(0).joint_from_mesh.insert(character.skins.edit(0).joint_from_mesh.begin(), glm::mat4(1));
  primitive.influences.edit().renumber_joints([](std::uint16_t k) { return static_cast<std::uint16_t>(k + 1); });
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  const std::vector<std::string> all = {"unused-joint", "unused-vertex", "weight-sum"};
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(rig::fixed(*document.file, all))});
  const rig::Character& fixed = *document.content.character;
  ASSERT_LT(fixed.meshes[0].primitives[0].vertex_count(), document.file->meshes[0].primitives[0].vertex_count());
  ASSERT_EQ(fixed.skins[0].joints.size(), 2u);
  const OpenedSession again = test::reopened(document);
  EXPECT_EQ(content_hash(again.document.content), content_hash(document.content));
  EXPECT_TRUE(again.lost.empty());
}

TEST(Session, ControlPointsThatAreSkinnedAndThatWereGivenUp) {
  Document document = make_document(std::make_shared<const rig::Character>(test::control_character()));
  deform::SkinningSettings settings = document.content.skinning;
  settings.refine = deform::Refine::kAfterSkin;
  apply(document, SetSkinning{settings, 0});
  Transform bent = document.character->skeleton->rest[1];
  bent.rotation = glm::angleAxis(0.5f, glm::vec3(0, 0, 1));
  apply(document, SetJointLocal{1, bent});
  OpenedSession again = test::reopened(document);
  EXPECT_EQ(again.document.content.skinning.refine, deform::Refine::kAfterSkin);
  EXPECT_TRUE(again.document.content.character->meshes[0].primitives[0].has_cage());
  EXPECT_EQ(notice(document, RebindSkin{0}),
            "control points are given up: the mesh takes the shape that it has here, which they would not make");
  apply(document, RebindSkin{0});
  ASSERT_FALSE(document.content.character->meshes[0].primitives[0].has_cage());
  again = test::reopened(document);
  EXPECT_EQ(content_hash(again.document.content), content_hash(document.content));
  EXPECT_FALSE(again.document.content.character->meshes[0].primitives[0].has_cage());
  EXPECT_TRUE(again.lost.empty());
}

// Two nodes show one mesh under skins of their own; a repair takes a joint from both lists.
TEST(Session, JointsThatLeftTheSkinsOfOneMesh) {
  rig::Character character = test::cylinder();
  const int more = test::add_node(character, "spare", 0, {});
  character.skeleton.edit().is_joint.clear();
  rig::Skin& skin = character.skins.edit(0);
  skin.joints.insert(skin.joints.begin(), more);
  skin.joint_from_mesh.insert(skin.joint_from_mesh.begin(), glm::mat4(1));
  character.meshes.edit(0).primitives.edit(0).influences.edit().renumber_joints(
      [](std::uint16_t k) { return static_cast<std::uint16_t>(k + 1); });
  character.skins.push_back(character.skins[0]);
  rig::MeshNode second = character.mesh_nodes[0];
  second.joint = test::add_node(character, "again", -1, {});
  second.skin = 1;
  character.mesh_nodes.push_back(second);
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  const std::vector<std::string> unused = {"unused-joint"};
  apply(document, ReplaceCharacter{std::make_shared<const rig::Character>(rig::fixed(*document.file, unused))});
  ASSERT_EQ(document.content.character->skins[0].joints.size(), 2u);
  ASSERT_EQ(document.content.character->skins[1].joints.size(), 2u);
  const OpenedSession again = test::reopened(document);
  EXPECT_EQ(content_hash(again.document.content), content_hash(document.content));
}

TEST(Session, WhatIsNotKnownIsKept) {
  const Document document = arm_document();
  std::string text = session_to_text(document, kSessionSource)->json;
  text.insert(text.find("\"pose\""), "\"springs\": {\"stiffness\": 0.1, \"big\": 12345678901234567890},\n  ");
  const std::string layer = R"({"kind": "jiggle", "on": false, "strength": 0.25, "list": [1, {"a": null}]})";
  const std::size_t layers = text.find("\"deformer_layers\": [") + std::string_view("\"deformer_layers\": [").size();
  text.insert(layers, "\n    " + layer + ",");
  const Result<OpenedSession> opened = session_from_text(text, document.file, {});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->document.content.deformer_layers[0].kind, "jiggle");
  const std::string again = session_to_text(opened->document, kSessionSource)->json;
  EXPECT_NE(again.find("\"springs\": {\"stiffness\": 0.1"), std::string::npos) << again;
  EXPECT_NE(again.find("12345678901234567890"), std::string::npos);
  EXPECT_NE(again.find(layer), std::string::npos) << again;
}

TEST(Session, AChangedSourceLosesOnlyWhatIsGone) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kHand, 0, 0.25f});
  apply(document, SetMorph{0, 0.5f});
  apply(document, SetClip{0});
  apply(document, RenameJoint{1, "left shoulder"});
  apply(document, SmoothWeights{});
  const Result<SessionText> text = session_to_text(document, kSessionSource);
  ASSERT_TRUE(text) << text.error().message;
  rig::Character newer = test::arm();
  newer.skeleton.edit().name[kHand] = "palm";
  newer.clips.edit(0).name = "greeting";
  newer.meshes.edit(0).morph_names[0] = "grin";
  newer.meshes.edit(0).primitives.edit(0).positions.edit()[0].x += 0.5f;
  rig::finish(newer);
  const Result<OpenedSession> opened =
      session_from_text(text->json, std::make_shared<const rig::Character>(std::move(newer)), files_of(*text));
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->lost, (std::vector<std::string>{"edits of body, primitive 0: its vertices lie elsewhere",
                                                    "the clip wave", "the pose of hand_l", "the shape smile"}));
  EXPECT_EQ(dof_values(opened->document, kElbow)[0], 0.5f);
  EXPECT_EQ(opened->document.character->skeleton->name[1], "left shoulder");
}

TEST(Session, FaultsAreNamed) {
  const Document document = arm_document();
  const std::string text = session_to_text(document, kSessionSource)->json;
  const auto message = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const Result<OpenedSession> opened = session_from_text(changed, document.file, {});
    return opened ? std::string() : opened.error().message;
  };
  EXPECT_EQ(message("\"version\": 2", "\"version\": 4"),
            "the session was saved by a newer version of Pelt (its form is 4, this program reads up to 3)");
  EXPECT_EQ(message("\"base\": \"rest\"", "\"base\": \"asleep\""),
            "session, pose, base: expected rest, bind or zero, got \"asleep\"");
  EXPECT_EQ(message("\"backend\": \"gpu\"", "\"backend\": 5"), "session, panes 0, backend: expected text, got 5");
  EXPECT_EQ(message("\"palette\": 64", "\"palette\": 5"),
            "session, panes 0, palette: expected 0 or a number from 12 to 256, got 5");
  EXPECT_EQ(message("\"session\"", "\"pose\""), "not a session: expected an object with \"pelt\": \"session\"");
}

TEST(Session, OpensInTheSceneThatItShowed) {
  rig::Character character = test::arm();
  character.scenes = {{"whole", {0, 9}}, {"bones", {0}}};
  rig::finish(character);
  const auto source = std::make_shared<const rig::Character>(std::move(character));
  Document document = make_document(source);
  show_scene(document, 1);
  ASSERT_NE(document.character->parts.size(), source->parts.size());
  apply(document, RenameJoint{1, "left shoulder"});
  const Result<SessionText> text = session_to_text(document, kSessionSource);
  ASSERT_TRUE(text) << text.error().message;
  const Result<OpenedSession> opened = session_from_text(text->json, source, files_of(*text));
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->document.character->scene, 1);
  EXPECT_EQ(opened->document.file->scene, 1);
  EXPECT_EQ(content_hash(opened->document.content), content_hash(document.content));
}

// A document to which one of each kind was done: what a session of version 1 has to say for ever.
Document much_edited_arm() {
  Document document = arm_document();
  apply(document, SmoothWeights{.strength = 0.5f});
  apply(document, RenameJoint{1, "left shoulder"});
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, RebindSkin{0});
  apply(document, SetEulerOrder{kHand, EulerOrder::kZYX});
  apply(document, SetDof{kHand, 0, 0.25f});
  apply(document, SetMorph{0, 0.5f});
  apply(document, SetClip{0});
  apply(document, SetTime{2});
  const std::size_t push = find_layer(document.content, "push");
  apply(document, SetLayer{push, true, {0.01f, 0.5f}});
  apply(document, SetPanes{2});
  deform::SkinningSettings settings;
  settings.method = 4;
  settings.backend = deform::Backend::kCpu;
  settings.influence_limit = 3;
  apply(document, SetSkinning{settings, 1});
  auto mended = std::make_shared<rig::Character>(*document.content.character);
  mended->meshes.edit(0).primitives.edit(0).positions.edit()[0] = {0.125f, 1, 0};
  apply(document, ReplaceCharacter{mended});
  document.view.select_only(kHand);
  return document;
}

// Saved by the first program that had sessions, and opened by all that follow.
TEST(Session, Version1IsReadForEver) {
  const std::filesystem::path path = std::filesystem::path(PELT_SOURCE_DIR) / "tests/edit/sessions/version_1.pelt";
  const Result<std::string> text = read_file(path);
  ASSERT_TRUE(text) << text.error().message;
  const SessionFiles beside = [&](const std::string& name) {
    return read_file(std::filesystem::path(path.string() + ".d") / name);
  };
  const Document expected = much_edited_arm();
  const Result<OpenedSession> opened = session_from_text(*text, expected.file, beside);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->lost.empty());
  const Content& content = opened->document.content;
  EXPECT_TRUE(rig::equal(*content.character, *expected.content.character));
  EXPECT_EQ(content.overrides, expected.content.overrides);
  EXPECT_EQ(content.morph_overrides, expected.content.morph_overrides);
  EXPECT_EQ(content.euler_orders, expected.content.euler_orders);
  EXPECT_EQ(content.clip, 0);
  EXPECT_EQ(content.skinning, expected.content.skinning);
  EXPECT_EQ(content.panes, expected.content.panes);
  EXPECT_EQ(layer_at(content, find_layer(content, "push")).values, (std::vector<float>{0.01f, 0.5f}));
  EXPECT_EQ(opened->document.view, expected.view);
}

// Names of any bytes, and what strangers wrote where a data URI belongs.
TEST(Session, FilesInOnePieceReadBackExactly) {
  const SessionText text = *session_to_text(arm_document(), {"\xff.glb", "h"});
  const PackedFiles files = {{"\xff.glb", "data:;base64,AAAA"},
                             {"percent:41", "data:\"x\\\";base64,AAAA"},
                             {"a b/%41\n\"", "\n\xc3\xa4"},
                             {"d41d8cd98f00b204e9800998ecf8427e.bin", "data:a"}};
  const PackedFiles data = {{"d41d8cd98f00b204e9800998ecf8427e.bin", "data:b"}};
  const Result<std::string> whole = packed_session(text, files, data);
  ASSERT_TRUE(whole) << whole.error().message;
  const Result<SessionHead> head = session_head(*whole);
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_TRUE(head->is_in_one_piece);
  EXPECT_EQ(head->source.file, "\xff.glb");
  EXPECT_EQ(head->packed, files);
  EXPECT_EQ(head->packed_data, data);
  const Result<SessionHead> bundled = session_head(*packed_session(text, {}, {}));
  ASSERT_TRUE(bundled);
  EXPECT_TRUE(bundled->is_in_one_piece);
  EXPECT_FALSE(packed_session(text, {{"a", "\xff"}}, {})) << "no text can hold it";
  EXPECT_FALSE(session_head(text.json)->is_in_one_piece);
}

// What a session of this version has no words for is refused by its name.
TEST(Session, WhatItCannotHoldIsNamed) {
  const auto message = [](const auto& change) {
    Document document = arm_document();
    change(document.content);
    const Result<SessionText> text = session_to_text(document, kSessionSource);
    return text ? std::string() : text.error().message;
  };
  EXPECT_EQ(message([](Content&) {}), "");
  EXPECT_EQ(message([](Content& content) { content.morph_overrides.edit()[1000] = 1; }),
            "a session cannot hold the weights of shapes");
  EXPECT_EQ(message([](Content& content) { content.selections.edit()["nothing"]; }),
            "a session cannot hold the selections that have a name");
  EXPECT_EQ(
      message([](Content& content) { content.skinning.influence_limit = 4, content.skinning.prune_threshold = 2; }),
      "a session cannot hold the skinning of the first pane");
  const auto of_character = [&](const auto& change) {
    return message([&](Content& content) {
      auto edited = std::make_shared<rig::Character>(*content.character);
      change(*edited);
      content.character = std::move(edited);
    });
  };
  const std::string begin = "a session cannot hold what was changed in the character: ";
  EXPECT_EQ(of_character([](rig::Character& edited) {
              edited.meshes.edit(0).primitives.edit(0).topology = mesh::Topology::kPoints;
            }),
            begin + "mesh 0 (body)");
  EXPECT_EQ(of_character([](rig::Character& edited) { edited.skeleton.edit().rest[1].translation.x += 1; }),
            begin + "its joints");
  EXPECT_EQ(of_character([](rig::Character& edited) { edited.skins.edit(0).name = "other"; }), begin + "its skins");
  EXPECT_EQ(of_character([](rig::Character& edited) { edited.generator = "other"; }),
            begin + "none of its joints, skins, meshes and clips, but something else");
}

TEST(Session, IsToldByItsBeginning) {
  EXPECT_TRUE(is_session(session_to_text(arm_document(), kSessionSource)->json));
  EXPECT_TRUE(is_session("{\n \"pelt\" : \"session\""));
  EXPECT_FALSE(is_session("{\"pelt\": \"pose\"}"));
  EXPECT_FALSE(is_session("glTF"));
  EXPECT_FALSE(is_session(""));
}

}  // namespace
}  // namespace pelt::edit
