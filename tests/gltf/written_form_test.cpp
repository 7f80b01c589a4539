// How a file is written: what of the source's form stays, and how compact it is.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gltf/export.h"
#include "gltf/import.h"
#include "gltf/opened.h"
#include "gltf/sample_character.h"
#include "rig/clip_error.h"
#include "rig/key_folding.h"
#include "support/effort.h"
#include "support/fixtures.h"
#include "support/glb_builder.h"
#include "support/requirements.h"

namespace pelt {
namespace {

using nlohmann::json;
using testing::SizeIs;

json written_json(const rig::Character& character, const gltf::ExportOptions& options = {}) {
  const auto exported = gltf::export_character(character, options);
  EXPECT_TRUE(exported) << (exported ? "" : exported.error().message);
  if (!exported) {
    return {};
  }
  const std::vector<std::uint8_t>& glb = exported->files.front().bytes;
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, sizeof(length));
  return json::parse(glb.begin() + 20, glb.begin() + 20 + length);
}

const json& accessor_of(const json& root, const json& number) {
  return root["accessors"][number.get<std::size_t>()];
}

test::QuadFile named_quad() {
  test::QuadFile file = test::skinned_quad();
  file.root["asset"]["minVersion"] = "2.0";
  file.attributes()["COLOR_0"] = file.floats({1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5f, 0.5f, 0.5f}, "VEC3");
  json& targets = file.root["meshes"][0]["primitives"][0]["targets"];
  targets.push_back({{"POSITION", file.floats({0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4}, "VEC3")}});
  for (std::size_t i = 0; i < file.root["accessors"].size(); ++i) {
    file.root["accessors"][i]["name"] = "accessor " + std::to_string(i);
  }
  return file;
}

TEST(WrittenForm, AccessorsKeepTheirNames) {
  const json source = json::parse(named_quad().root.dump());
  for (const gltf::ExportOptions& options :
       {gltf::ExportOptions{}, gltf::ExportOptions{.quantize = true}, gltf::ExportOptions{.meshopt = true}}) {
    const json root = written_json(test::opened(named_quad()), options);
    const json& before = source["meshes"][0]["primitives"][0];
    const json& after = root["meshes"][0]["primitives"][0];
    const auto same = [&](const json& a, const json& b) {
      EXPECT_EQ(accessor_of(source, a)["name"], accessor_of(root, b)["name"]);
    };
    for (const auto& [name, accessor] : before["attributes"].items()) {
      SCOPED_TRACE(name);
      same(accessor, after["attributes"][name]);
    }
    same(before["indices"], after["indices"]);
    for (std::size_t i = 0; i < 2; ++i) {
      same(before["targets"][i]["POSITION"], after["targets"][i]["POSITION"]);
    }
    same(source["skins"][0]["inverseBindMatrices"], root["skins"][0]["inverseBindMatrices"]);
    same(source["animations"][0]["samplers"][0]["input"], root["animations"][0]["samplers"][0]["input"]);
    same(source["animations"][0]["samplers"][0]["output"], root["animations"][0]["samplers"][0]["output"]);
    EXPECT_EQ(root["asset"]["minVersion"], "2.0");
  }
  const json plain = written_json(test::opened(test::skinned_quad()));
  EXPECT_FALSE(plain["asset"].contains("minVersion"));
  EXPECT_FALSE(plain["accessors"][0].contains("name"));
}

TEST(WrittenForm, EqualTracksOfOtherNamesShareTheirBytes) {
  test::QuadFile file = test::skinned_quad();
  const int twin = file.push("accessors", file.root["accessors"][file.rotations]);
  file.accessor_entry(twin)["name"] = "twin";
  file.root["animations"][0]["samplers"].push_back({{"input", file.times}, {"output", twin}});
  file.root["animations"][0]["channels"].push_back({{"sampler", 1}, {"target", {{"node", 0}, {"path", "rotation"}}}});
  const json root = written_json(test::opened(file));
  const json& samplers = root["animations"][0]["samplers"];
  ASSERT_THAT(samplers, SizeIs(2));
  json first = accessor_of(root, samplers[0]["output"]);
  json second = accessor_of(root, samplers[1]["output"]);
  EXPECT_EQ(second["name"], "twin");
  second.erase("name");
  EXPECT_EQ(first, second);
}

TEST(WrittenForm, ColoursWithoutAlphaStayWithoutAlpha) {
  for (const bool quantize : {false, true}) {
    const json root = written_json(test::opened(named_quad()), {.quantize = quantize});
    const json& color = accessor_of(root, root["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"]);
    EXPECT_EQ(color["type"], "VEC3");
    EXPECT_EQ(root["bufferViews"][color["bufferView"].get<std::size_t>()]["byteStride"], quantize ? 8 : 12);
  }
  rig::Character character = test::opened(named_quad());
  character.meshes.edit(0).primitives.edit(0).colors.edit()[2].a = 0.5f;
  const json root = written_json(character);
  EXPECT_EQ(accessor_of(root, root["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"])["type"], "VEC4")
      << "what has alpha now must say so";
}

TEST(WrittenForm, SamplersSayNoMoreThanTheSource) {
  const json kept = json::parse(R"([{"name": "pixels", "magFilter": 9728, "minFilter": 9985},
                                    {"wrapS": 33071},
                                    {"minFilter": 9984, "wrapT": 33648},
                                    {}])");
  test::QuadFile file = test::skinned_quad();
  file.root["samplers"] = kept;
  for (int s = 0; s < 4; ++s) {
    file.push("textures", {{"sampler", s}});
  }
  file.push("textures", json::object());
  const json root = written_json(test::opened(file));
  EXPECT_EQ(root["samplers"], kept);
  EXPECT_EQ(root["textures"][3]["sampler"], 3);
  EXPECT_FALSE(root["textures"][4].contains("sampler"));
}

TEST(WrittenForm, TracksOfOneKindShareAView) {
  rig::Character character = test::sample_character();
  const std::size_t before = written_json(character)["bufferViews"].size();
  const rig::Clip clip = character.clips[0];
  for (int i = 1; i <= 40; ++i) {
    character.clips.push_back(clip);
    for (rig::Channel& channel : character.clips.edit_back().channels) {
      for (float& time : channel.times) {
        time += static_cast<float>(i);
      }
      for (float& value : channel.values) {
        value *= 1.0f + 1e-5f * static_cast<float>(i);
      }
    }
  }
  const json root = written_json(character);
  EXPECT_GT(root["accessors"].size(), 100u);
  EXPECT_EQ(root["bufferViews"].size(), before);
}

/// What section 3.6.2 of glTF 2.0 asks of accessors that share a view.
void expect_sound_views(const json& root) {
  std::map<std::size_t, std::set<std::size_t>> accessors_of_view;
  const std::map<int, std::size_t> sizes = {{5120, 1}, {5121, 1}, {5122, 2}, {5123, 2}, {5125, 4}, {5126, 4}};
  const std::map<std::string, std::size_t> widths = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                                                     {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
  for (std::size_t a = 0; a < root["accessors"].size(); ++a) {
    const json& accessor = root["accessors"][a];
    if (!accessor.contains("bufferView")) {
      continue;
    }
    const auto v = accessor["bufferView"].get<std::size_t>();
    const json& view = root["bufferViews"][v];
    accessors_of_view[v].insert(a);
    const std::size_t component = sizes.at(accessor["componentType"]);
    const std::size_t size = component * widths.at(accessor["type"]);
    const auto stride = view.value("byteStride", size);
    const std::size_t offset = accessor.value("byteOffset", std::size_t{0});
    EXPECT_EQ(offset % component, 0u);
    EXPECT_LE(offset + stride * (accessor["count"].get<std::size_t>() - 1) + size, view["byteLength"]);
    if (view.value("target", 0) == 34962) {
      EXPECT_EQ(offset % 4, 0u);
      EXPECT_EQ(stride % 4, 0u);
      EXPECT_TRUE(view.contains("byteStride"));
    } else {
      EXPECT_FALSE(view.contains("byteStride"));
    }
  }
}

TEST(WrittenForm, ElementsOfOtherSizesHaveTheirOwnViews) {
  rig::Character character = test::opened(test::skinned_quad());
  mesh::Primitive& few = character.meshes.edit(0).primitives.edit(0);
  few.morph_targets.clear();
  few.indices = {0, 1, 2};
  mesh::Primitive many = few;
  while (many.vertex_count() <= 0xffff) {
    many.positions.append(few.positions);
  }
  many.normals.clear();
  many.influences = {};
  for (std::size_t v = 0; v < many.vertex_count(); ++v) {
    const std::uint16_t joint = 1;
    const float one = 1;
    mesh::append_row(many.influences.edit(), {&joint, 1}, {&one, 1});
  }
  many.indices = {0, 1, static_cast<std::uint32_t>(many.vertex_count() - 1)};
  character.meshes.edit(0).primitives.push_back(many);
  for (const bool meshopt : {false, true}) {
    expect_sound_views(written_json(character, {.meshopt = meshopt}));
    const auto exported = gltf::export_character(character, {.meshopt = meshopt});
    ASSERT_TRUE(exported);
    const auto after = gltf::import_memory(exported->files.front().bytes, {});
    ASSERT_TRUE(after) << after.error().message;
    for (std::size_t p = 0; p < 2; ++p) {
      // Triangles that are packed may begin at another corner.
      EXPECT_THAT(after->meshes[0].primitives[p].indices,
                  testing::UnorderedElementsAreArray(character.meshes[0].primitives[p].indices));
    }
  }
}

TEST(WrittenForm, ViewsOfTheCorpusAreSoundAndFew) {
  const std::filesystem::path corpus = std::filesystem::path(PELT_CORPUS_DIR) / "characters";
  if (!std::filesystem::exists(corpus)) {
    GTEST_SKIP() << "no corpus at " << corpus;
  }
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    const auto character = gltf::import_file(entry.path(), {.decode_images = false});
    if (!character) {
      continue;  // a folder
    }
    SCOPED_TRACE(entry.path().filename().string());
    for (const bool smaller : test::last_or_all({false, true})) {
      const json root =
          written_json(*character, {.weights = smaller ? mesh::WeightFormat::kUnorm8 : mesh::WeightFormat::kFloat,
                                    .quantize = smaller,
                                    .short_rotations = smaller});
      expect_sound_views(root);
      const std::size_t images = root.contains("images") ? root["images"].size() : 0;
      EXPECT_LE(root["bufferViews"].size(), 24 + images) << "one for each kind of data";
    }
  }
}

TEST(WrittenForm, ShortRotationsAreReadBackAsTheyWereRounded) {
  const rig::Character before = rig::with_short_rotations(test::sample_character());
  const gltf::ExportOptions options{.short_rotations = true};
  const auto exported = gltf::export_character(before, options);
  ASSERT_TRUE(exported);
  const auto after = gltf::import_memory(exported->files.front().bytes, {});
  ASSERT_TRUE(after);
  int shorts = 0;
  const json root = written_json(before, options);
  for (std::size_t c = 0; c < before.clips.size(); ++c) {
    for (std::size_t i = 0; i < before.clips[c].channels.size(); ++i) {
      EXPECT_EQ(before.clips[c].channels[i].values, after->clips[c].channels[i].values);
      const rig::Channel& channel = before.clips[c].channels[i];
      const json& sampler =
          root["animations"][c]["samplers"][root["animations"][c]["channels"][i]["sampler"].get<std::size_t>()];
      const bool narrow = accessor_of(root, sampler["output"])["componentType"] == 5122;
      EXPECT_EQ(narrow, channel.path == rig::ChannelPath::kRotation &&
                            channel.interpolation != rig::Interpolation::kCubicSpline);
      shorts += narrow ? 1 : 0;
    }
  }
  EXPECT_GT(shorts, 0);
  const auto again = gltf::export_character(*after, options);
  ASSERT_TRUE(again);
  EXPECT_EQ(exported->files.front().bytes, again->files.front().bytes);
}

TEST(WrittenForm, FoldedClipsOfTheCorpusStayWithinTheTolerance) {
  const std::filesystem::path corpus = std::filesystem::path(PELT_CORPUS_DIR) / "characters";
  if (!std::filesystem::exists(corpus)) {
    GTEST_SKIP() << "no corpus at " << corpus;
  }
  const rig::KeyTolerance tolerance{.distance = 5e-4, .angle = 0.2 * std::numbers::pi / 180};
  for (const auto& [name, is_dense] :
       test::last_or_all({std::pair{"fox.glb", false}, std::pair{"cesium_man.gltf", true},
                          std::pair{"robot_player.glb", true}, std::pair{"dragon.glb", false}})) {
    SCOPED_TRACE(name);
    const auto character = gltf::import_file(corpus / name, {.decode_images = false});
    ASSERT_TRUE(character) << character.error().message;
    for (const bool drop : {false, true}) {
      const rig::Character folded = rig::with_folded_keys(*character, tolerance, drop);
      const rig::ClipError error = rig::clip_error(*character, folded);
      EXPECT_LE(error.distance, tolerance.distance);
      EXPECT_LE(error.angle, tolerance.angle);
      EXPECT_LT(rig::key_count(folded), rig::key_count(*character) / (is_dense ? 2 : 1));
      EXPECT_LT(gltf::export_glb(folded)->size(), gltf::export_glb(*character)->size());
      for (std::size_t c = 0; c < folded.clips.size(); ++c) {
        const auto first = [](const rig::Channel& channel) { return channel.times.front(); };
        const auto last = [](const rig::Channel& channel) { return channel.times.back(); };
        EXPECT_EQ(std::ranges::min(folded.clips[c].channels, {}, first).times.front(), character->clips[c].start);
        EXPECT_EQ(std::ranges::max(folded.clips[c].channels, {}, last).times.back(), character->clips[c].end);
      }
    }
  }
}

}  // namespace
}  // namespace pelt
