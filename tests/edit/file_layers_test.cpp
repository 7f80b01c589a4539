// Layers in a character's own file: `extras.pelt.layers`, src/gltf/extras_pelt.md.
#include "edit/file_layers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/evaluation.h"
#include "edit/layer_edits.h"
#include "edit/reload.h"
#include "edit/session.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

using test::apply;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kShapeTolerance = 1e-6;  // of the diagonal

rig::Character with_extras(rig::Character character, std::string extras) {
  character.kept.push_back({.place = "", .extensions = "", .extras = std::move(extras)});
  return character;
}

rig::Character with_layers(const std::string& layers) {
  return with_extras(test::arm(), R"({"pelt":{"layers":)" + layers + "}}");
}

std::string root_extras(const rig::Character& character) {
  const auto found = std::ranges::find(character.kept, "", &rig::KeptJson::place);
  return found == character.kept.end() ? "" : found->extras;
}

// What a file that is made of the character opens as.
rig::Character reopened(const rig::Character& character) {
  const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(character);
  EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
  Result<rig::Character> again = gltf::import_memory(*bytes, {});
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return *std::move(again);
}

Document layered_document(rig::Character character) {
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

rig::Character exported(const Document& document) {
  rig::Character character = *document.character;
  const Status put = put_layers(character, document.content);
  EXPECT_TRUE(put) << (put ? "" : put.error().message);
  return character;
}

// The same character where a metre is `unit`.
rig::Character in_units(rig::Character character, float unit) {
  for (Transform& rest : character.skeleton.edit().rest) {
    rest.translation *= unit;
  }
  for (rig::Skin& skin : character.skins.edit_each()) {
    for (glm::mat4& bind : skin.joint_from_mesh) {
      bind[3] = glm::vec4(glm::vec3(bind[3]) * unit, 1);
    }
  }
  for (mesh::Mesh& mesh : character.meshes.edit_each()) {
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      for (glm::vec3& position : primitive.positions.edit()) {
        position *= unit;
      }
      for (mesh::MorphTarget& target : primitive.morph_targets.edit_each()) {
        for (glm::vec3& delta : target.position_deltas.edit()) {
          delta *= unit;
        }
      }
    }
  }
  return character;
}

// Layers with other values, switched at random; pose layers, which share a slot, in any order; unknown kinds anywhere.
void shuffle_layers(Document& document, test::Random& random) {
  Content& content = document.content;
  for (std::size_t k = 0; k < layer_count(content); ++k) {
    SetLayer change{k, random.below(3) != 0, layer_at(content, k).values};
    for (std::size_t f = 0; f < change.values.size(); ++f) {
      const rig::LayerField& field = layer_kind_at(content, k)->fields[f];
      change.values[f] = random.real(field.minimum, field.maximum);
    }
    apply(document, change);
  }
  std::vector<rig::Layer>& poses = content.pose_layers.edit();
  std::swap(poses[random.below(static_cast<int>(poses.size()))], poses.back());
  for (std::vector<rig::Layer>* stack : {&poses, &content.deformer_layers.edit()}) {
    for (int n = random.below(3); n > 0; --n) {
      rig::Layer unknown{.kind = fmt::format("jiggle {}", n), .on = n == 1, .values = {}};
      unknown.kept = R"({"strength":0.25,"list":[1,{"a":null}]})";
      stack->insert(stack->begin() + random.below(static_cast<int>(stack->size()) + 1), std::move(unknown));
    }
    stack->back().kept = R"({"later":"member"})";
  }
}

TEST(FileLayers, Law_RandomStacksComeBackWithTheShapeTheyMake) {
  test::Random random(51);
  const std::vector<rig::Character> characters = {
      test::arm(), test::elbow(), test::random_rig({.seed = 21, .joints = 9, .vertices = 90, .morph_targets = 3})};
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    for (const float unit : {1.0f, 0.01f, 100.0f}) {
      // Opened from a file first, so that both have what a file can hold.
      Document document = layered_document(reopened(in_units(characters[round % characters.size()], unit)));
      shuffle_layers(document, random);
      Document again = layered_document(reopened(exported(document)));
      ASSERT_EQ(again.content.pose_layers, document.content.pose_layers);
      ASSERT_EQ(again.content.deformer_layers, document.content.deformer_layers);
      EXPECT_THAT(file_layers(*again.file).remarks, IsEmpty());
      const Transform posed{{0, 0.1f * unit, 0}, glm::quat(random.rotation()), glm::vec3(1.0f)};
      Evaluation before;
      Evaluation after;
      for (Document* const one : {&document, &again}) {
        apply(*one, SetJointLocal{1, posed, false});
        if (!one->character->clips.empty()) {
          apply(*one, SetClip{0});
          apply(*one, SetTime{1.5f});
        }
      }
      before.update(document);
      after.update(again);
      const deform::DeformedCharacter& a = before.deformed(document);
      const deform::DeformedCharacter& b = after.deformed(again);
      ASSERT_EQ(a.parts.size(), b.parts.size());
      const double most = kShapeTolerance * static_cast<double>(a.bounds.diagonal());
      for (std::size_t p = 0; p < a.parts.size(); ++p) {
        for (std::size_t v = 0; v < a.parts[p].positions.size(); ++v) {
          ASSERT_LE(static_cast<double>(glm::distance(a.parts[p].positions[v], b.parts[p].positions[v])), most);
        }
      }
    }
  }
}

TEST(FileLayers, StandardStacksAreNotWritten) {
  const Document document = layered_document(test::arm());
  rig::Character character = *document.character;
  ASSERT_TRUE(put_layers(character, document.content));
  EXPECT_TRUE(character.kept.empty());
  EXPECT_EQ(*gltf::export_glb(character), *gltf::export_glb(*document.character));
  const Document other = layered_document(with_extras(test::arm(), R"({"b":1,"a":2.50,"layers":[]})"));
  rig::Character with_others = *other.character;
  ASSERT_TRUE(put_layers(with_others, other.content));
  EXPECT_EQ(with_others.kept[0].extras, R"({"b":1,"a":2.50,"layers":[]})") << "to the letter";
}

TEST(FileLayers, OnlyTheStackThatIsOtherIsWrittenAndOthersMembersStay) {
  Document document = layered_document(with_extras(test::arm(), R"({"mine":[1,2],"pelt":{"later":true}})"));
  const std::size_t clip = find_layer(document.content, "clip");
  apply(document, SetLayer{clip, true, {0.5f}});
  const rig::Character character = exported(document);
  EXPECT_EQ(
      character.kept[0].extras,
      R"({"mine":[1,2],"pelt":{"later":true,"layers":{"version":1,"pose":[{"kind":"base","on":true},)"
      R"({"kind":"clip","on":true,"weight":0.5},{"kind":"clip-layers","on":true,"weight":1.0},)"
      R"({"kind":"pose","on":true,"weight":1.0},{"kind":"sliders","on":true,"weight":1.0},{"kind":"pins","on":true,"weight":1.0},)"
      R"({"kind":"drivers","on":true,"weight":1.0},)"
      R"({"kind":"constraints","on":true,"weight":1.0},{"kind":"springs","on":true,"weight":1.0}]}}})");
  // And gone again, with nothing left behind.
  Document back = layered_document(character);
  EXPECT_EQ(back.content.pose_layers, document.content.pose_layers);
  apply(back, SetLayer{clip, true, {1.0f}});
  EXPECT_EQ(root_extras(exported(back)), R"({"mine":[1,2],"pelt":{"later":true}})");
  Document alone = layered_document(with_layers(R"({"pose":[{"kind":"clip","on":false}]})"));
  EXPECT_FALSE(layer_at(alone.content, clip).on);
  apply(alone, SetLayer{clip, true, {1.0f}});
  EXPECT_TRUE(exported(alone).kept.empty());
}

TEST(FileLayers, UnknownKindsAndMembersAreKept) {
  const std::string text =
      R"({"version":1,"deformers":[{"kind":"jiggle","on":false,"strength":[1,{"a":null}]}],"else":{"x":1}})";
  const Document document = layered_document(reopened(with_layers(text)));
  ASSERT_EQ(document.content.deformer_layers.size(), deform::standard_deformer_layers().size() + 1);
  EXPECT_NE(find_layer(document.content, "jiggle"), layer_count(document.content));
  EXPECT_EQ(layer_kind_at(document.content, find_layer(document.content, "jiggle")), nullptr);
  EXPECT_THAT(document.file->diagnostics, IsEmpty());
  const std::string written = root_extras(exported(document));
  EXPECT_THAT(written, HasSubstr(R"({"kind":"jiggle","on":false,"strength":[1,{"a":null}]})"));
  EXPECT_THAT(written, HasSubstr(R"("else":{"x":1})"));
}

struct Broken {
  const char* layers;
  const char* remark;
};

constexpr Broken kBroken[] = {
    {"3", "extras.pelt.layers: expected an object, got 3; the standard layers are used"},
    {"[]", "extras.pelt.layers: expected an object, got an array of 0; the standard layers are used"},
    {R"({"pose":{}})", "extras.pelt.layers, pose: expected an array, got an object of 0; the standard layers are used"},
    {R"({"pose":[7]})", "extras.pelt.layers, pose 0: expected an object, got 7; the standard layers are used"},
    {R"({"pose":[{"on":true}]})",
     "extras.pelt.layers, pose 0: expected an object with \"kind\", got an object of 1; the standard layers are used"},
    {R"({"pose":[{"kind":4,"on":true}]})",
     "extras.pelt.layers, pose 0, kind: expected text, got 4; the standard layers are used"},
    {R"({"pose":[{"kind":"clip","on":1}]})",
     "extras.pelt.layers, pose 0, on: expected true or false, got 1; the standard layers are used"},
    {R"({"pose":[{"kind":"clip","on":true,"weight":"NaN"}]})",
     "extras.pelt.layers, pose 0, weight: expected a finite number, got \"NaN\"; the standard layers are used"},
    {R"({"pose":[{"kind":"clip","on":true,"weight":1e300}]})",
     "extras.pelt.layers, pose 0, weight: expected a finite number, got 1e+300; the standard layers are used"},
    {R"({"pose":[{"kind":"clip","on":true},{"kind":"clip","on":true}]})",
     "extras.pelt.layers, pose 1: expected each kind of layers once, got an object of 2; the standard layers are used"},
    {R"({"pose":[],"deformers":[{"kind":"normals","on":true},{"kind":"skin","on":true}]})",
     "extras.pelt.layers, deformers 1: expected layers in the order in which they work, got an object of 2; the "
     "standard layers are used"},
    {R"({"version":2,"pose":[{"kind":"clip","on":false}]})",
     "extras.pelt.layers: made by a newer version of Pelt (its form is 2, this program reads up to 1); the standard "
     "layers are used"},
    {R"({"version":0})",
     "extras.pelt.layers, version: expected a number from 1 to 1000000, got 0; the standard layers "
     "are used"},
};

TEST(FileLayers, WhatCannotBeUsedIsSaidAndStaysInTheFile) {
  for (const Broken& broken : kBroken) {
    SCOPED_TRACE(broken.layers);
    rig::Character character = with_layers(broken.layers);
    const FileLayers read = file_layers(character);
    EXPECT_TRUE(read.refused);
    EXPECT_THAT(read.remarks, ElementsAre(broken.remark));
    EXPECT_EQ(read.pose_layers, motion::standard_pose_layers());
    EXPECT_EQ(read.deformer_layers, deform::standard_deformer_layers());
    note_file_layers(character);
    note_file_layers(character);
    ASSERT_EQ(character.diagnostics.size(), 1U) << "said once";
    EXPECT_EQ(character.diagnostics[0].code, "layers");
    Document document = layered_document(character);
    EXPECT_EQ(root_extras(exported(document)), character.kept[0].extras) << "nobody has said anything better";
    const std::size_t skin = find_layer(document.content, "skin");
    apply(document, SetLayer{skin, false, {}});
    const Document again = layered_document(reopened(exported(document)));
    EXPECT_EQ(again.content.deformer_layers, document.content.deformer_layers);
    EXPECT_FALSE(file_layers(*again.file).refused);
  }
}

TEST(FileLayers, ValuesOutOfRangeAreClampedWithASentence) {
  rig::Character character = with_layers(R"({"pose":[{"kind":"base","on":false},{"kind":"clip","on":true,"weight":7}],)"
                                         R"("deformers":[{"kind":"push","on":true,"distance":-3}]})");
  note_file_layers(character);
  ASSERT_EQ(character.diagnostics.size(), 2U);
  EXPECT_EQ(character.diagnostics[0].message, "extras.pelt.layers, pose 1, weight: expected 0 to 1, got 7, 1 is used");
  EXPECT_EQ(character.diagnostics[1].message,
            "extras.pelt.layers, deformers 0, distance: expected -0.1 to 0.1, got -3, -0.1 is used");
  const Document document = layered_document(character);
  EXPECT_TRUE(layer_at(document.content, find_layer(document.content, "base")).on) << "it has no switch";
  EXPECT_EQ(layer_at(document.content, find_layer(document.content, "push")).values[0], -0.1f);
}

TEST(FileLayers, SoManyThatNobodyMeantThemAreRefused) {
  std::string list;
  for (int i = 0; i < 10'000; ++i) {
    list += fmt::format(R"({}{{"kind":"k{}","on":true}})", i == 0 ? "" : ",", i);
  }
  const FileLayers read = file_layers(with_layers(R"({"deformers":[)" + list + "]}"));
  EXPECT_TRUE(read.refused);
  EXPECT_THAT(read.remarks, ElementsAre(HasSubstr("deformers 1000: expected at most 1000 layers")));
  // Nested deeper than anything reads.
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(file_layers(with_layers(R"({"pose":)" + deep + "}")).pose_layers, motion::standard_pose_layers());
}

TEST(FileLayers, ExtrasWithoutRoomAreSaid) {
  for (const char* extras : {R"("a text")", R"({"pelt":5})"}) {
    SCOPED_TRACE(extras);
    Document document = layered_document(with_extras(test::arm(), extras));
    rig::Character character = *document.character;
    EXPECT_TRUE(put_layers(character, document.content));
    apply(document, SetLayer{find_layer(document.content, "skin"), false, {}});
    const Status put = put_layers(character, document.content);
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().message, "the file's extras are no object, and its layers are not written");
    EXPECT_EQ(character.kept[0].extras, extras);
  }
}

TEST(FileLayers, ANewerVersionOfTheFileBringsItsLayersWhereNobodyChangedThem) {
  const auto file = [](const char* weight) {
    return std::make_shared<const rig::Character>(
        with_layers(fmt::format(R"({{"pose":[{{"kind":"clip","on":true,"weight":{}}}]}})", weight)));
  };
  const auto weight = [](const Document& document) {
    return layer_at(document.content, find_layer(document.content, "clip")).values[0];
  };
  Document document = make_document(file("0.25"));
  EXPECT_EQ(weight(document), 0.25f);
  const std::size_t push = find_layer(document.content, "push");
  apply(document, SetLayer{push, true, {0.01f, 1}});
  reload_character(document, file("0.75"));
  EXPECT_EQ(weight(document), 0.75f);
  EXPECT_TRUE(layer_at(document.content, push).on);
  apply(document, SetLayer{find_layer(document.content, "clip"), true, {0.5f}});
  reload_character(document, file("0.125"));
  EXPECT_EQ(weight(document), 0.5f) << "by hand";
  undo(document);
  EXPECT_EQ(weight(document), 0.125f) << "before that it was what the file says";
}

TEST(FileLayers, ASessionWins) {
  const auto file = std::make_shared<const rig::Character>(with_layers(R"({"pose":[{"kind":"clip","on":false}]})"));
  Document document = make_document(file);
  const std::size_t clip = find_layer(document.content, "clip");
  ASSERT_FALSE(layer_at(document.content, clip).on);
  apply(document, SetLayer{clip, true, {1.0f}});
  const Result<SessionText> text = session_to_text(document, {"arm.glb", "sha256:0"});
  ASSERT_TRUE(text);
  const auto opened = [&](const std::string& session) {
    return session_from_text(session, file, [](const std::string&) -> Result<std::string> { return error("none"); });
  };
  const Result<OpenedSession> again = opened(text->json);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->document.content.pose_layers, motion::standard_pose_layers());
  // One that says nothing of layers leaves them as the file has them.
  const Result<OpenedSession> silent =
      opened(R"({"pelt":"session","version":1,"source":{"file":"arm.glb","hash":"sha256:0"}})");
  ASSERT_TRUE(silent);
  EXPECT_FALSE(layer_at(silent->document.content, clip).on);
}

}  // namespace
}  // namespace pelt::edit
