#include "gltf/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "gltf/bundled.h"
#include "gltf/import.h"
#include "gltf/opened.h"
#include "gltf/sample_character.h"
#include "support/output_folder.h"

namespace pelt {
namespace {

using nlohmann::json;

json json_of(const std::vector<std::uint8_t>& glb) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  return json::parse(glb.begin() + 20, glb.begin() + 20 + length);
}

json exported(const rig::Character& character) {
  const auto glb = gltf::export_glb(character);
  EXPECT_TRUE(glb) << (glb ? "" : glb.error().message);
  return glb ? json_of(*glb) : json();
}

std::string failure(const rig::Character& character) {
  const auto glb = gltf::export_glb(character);
  EXPECT_FALSE(glb);
  return glb ? "" : glb.error().message;
}

TEST(Export, SameCharacterGivesSameBytes) {
  const auto a = gltf::export_glb(test::sample_character());
  const auto b = gltf::export_glb(test::sample_character());
  ASSERT_TRUE(a && b);
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(a->size() % 4, 0U);
}

TEST(Export, AnEmptyCharacterIsAValidFile) {
  const json root = exported({});
  EXPECT_EQ(root["asset"]["version"], "2.0");
  EXPECT_EQ(root["asset"]["generator"], "Pelt");
  EXPECT_EQ(root.size(), 1U);
}

TEST(Export, WritesDegreesOfFreedomOfAuthoredJointsOnly) {
  const json nodes = exported(test::sample_character())["nodes"];
  EXPECT_FALSE(nodes[0].contains("extras"));
  const json& pelt = nodes[2]["extras"]["pelt"];
  EXPECT_EQ(pelt["rotation"], "axes");
  EXPECT_EQ(pelt["offset"], json::parse("[0.0, 1.0, 0.0]"));
  ASSERT_EQ(pelt["dofs"].size(), 3U);
  EXPECT_EQ(pelt["dofs"][0], json::parse(R"({"name": "bend", "kind": "rotation", "axis": [0.0, 0.0, 1.0],
                                             "lower": -0.5, "upper": 2.5, "default": 0.0})"));
  EXPECT_EQ(pelt["dofs"][2]["folded"], true);
  EXPECT_EQ(nodes[1]["extras"]["pelt"]["rotation"], "vector");
  EXPECT_EQ(nodes[1]["extras"]["pelt"]["swingLimit"], 0.75);
}

TEST(Export, MorphTargetsAreSparseWhereFewVerticesMove) {
  const json root = exported(test::sample_character());
  const json& targets = root["meshes"][0]["primitives"][0]["targets"];
  const auto accessor = [&](int target, const char* name) {
    return root["accessors"][targets[target][name].get<std::size_t>()];
  };
  EXPECT_EQ(accessor(0, "POSITION")["sparse"]["count"], 1);
  EXPECT_FALSE(accessor(0, "POSITION").contains("bufferView"));
  EXPECT_EQ(accessor(0, "POSITION")["max"], json::parse("[0.0, 0.0, 0.5]"));
  EXPECT_FALSE(accessor(1, "POSITION").contains("sparse"));
  EXPECT_FALSE(accessor(2, "POSITION").contains("sparse"));
  EXPECT_FALSE(accessor(2, "POSITION").contains("bufferView"));
  EXPECT_EQ(root["meshes"][0]["extras"]["targetNames"], json::parse(R"(["nudge", "swell", "still"])"));
}

TEST(Export, EqualTracksShareOneSampler) {
  const json root = exported(test::sample_character());
  const json& wave = root["animations"][0];
  EXPECT_EQ(wave["channels"][0]["sampler"], wave["channels"][1]["sampler"]);
  EXPECT_EQ(wave["samplers"].size(), 2U);
  // The step clip's keys are those of the cubic one.
  EXPECT_EQ(root["animations"][1]["samplers"][0]["input"], wave["samplers"][1]["input"]);
}

TEST(Export, WideJointIndicesAndAsManySetsAsTheLargestRowNeeds) {
  rig::Character character = test::sample_character();
  mesh::Influences influences;
  for (std::size_t v = 0; v < 6; ++v) {
    const std::vector<std::uint16_t> joints = {0, 1, 2, 3, static_cast<std::uint16_t>(v == 5 ? 300 : 4)};
    const std::vector<float> weights(5, 0.2f);
    mesh::append_row(influences, joints, weights);
  }
  character.meshes.edit(0).primitives.edit(0).influences = influences;
  const json root = exported(character);
  const json& attributes = root["meshes"][0]["primitives"][0]["attributes"];
  EXPECT_TRUE(attributes.contains("WEIGHTS_1"));
  EXPECT_FALSE(attributes.contains("WEIGHTS_2"));
  EXPECT_EQ(root["accessors"][attributes["JOINTS_0"].get<std::size_t>()]["componentType"], 5123);
}

TEST(Export, DeltasOfAnAttributeThatThePrimitiveLacksAreLeftOut) {
  rig::Character character = test::sample_character();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  const mesh::KeptAttribute heat{
      "_HEAT", mesh::NumberType::kFloat, false, 1, 1, std::vector<std::uint8_t>(6 * sizeof(float))};
  primitive.morph_targets.edit(1).kept.push_back(heat);
  EXPECT_FALSE(exported(character)["meshes"][0]["primitives"][0]["targets"][1].contains("_HEAT"));
  primitive.kept.edit().push_back(heat);
  EXPECT_TRUE(exported(character)["meshes"][0]["primitives"][0]["targets"][1].contains("_HEAT"));
}

TEST(Export, RefusesWhatGltfCannotHold) {
  rig::Character character = test::sample_character();
  character.meshes.edit(0).primitives.edit(0).positions.edit()[3].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(failure(character), "mesh 0, primitive 0: position 3 is not finite");

  character = test::sample_character();
  character.meshes.edit(0).primitives.edit(0).normals.edit().pop_back();
  EXPECT_EQ(failure(character), "mesh 0, primitive 0: normals: expected 6 elements, one per vertex, got 5");

  character = test::sample_character();
  character.meshes.edit(0).primitives.edit(0).indices.edit()[4] = 6;
  EXPECT_EQ(failure(character), "mesh 0, primitive 0: index 6 names no vertex, there are 6");

  character = test::sample_character();
  mesh::MorphTarget& target = character.meshes.edit(0).primitives.edit(0).morph_targets.edit(1);
  target.kept.push_back({"_HEAT", mesh::NumberType::kFloat, false, 1, 1, std::vector<std::uint8_t>(5 * sizeof(float))});
  EXPECT_EQ(failure(character),
            "mesh 0, primitive 0: morph target 1: _HEAT: expected 6 elements, one per vertex, got 5");

  character = test::sample_character();
  character.meshes.edit(0).primitives.edit(0).morph_targets.edit(1).position_deltas.edit().pop_back();
  EXPECT_EQ(failure(character),
            "mesh 0, primitive 0: morph target 1: position deltas: expected 6 elements, one per vertex, got 5");

  character = test::sample_character();
  character.mesh_nodes.edit()[1].joint = 3;
  EXPECT_EQ(failure(character), "mesh node 1: node 3 already carries a mesh, glTF allows one");

  character = test::sample_character();
  character.skins.edit(0).joint_from_mesh.pop_back();
  EXPECT_EQ(failure(character), "skin 0: inverse bind matrices: expected 2, got 1");

  character = test::sample_character();
  character.clips.edit(0).channels[1].values.pop_back();
  EXPECT_EQ(failure(character), "clip 0, channel 1: expected 12 values for 3 keys, got 11");
}

TEST(Export, AFailedSaveLeavesTheOldFile) {
  const auto folder = test::output_folder() / "export";
  std::filesystem::create_directories(folder);
  const auto path = folder / "kept.glb";
  ASSERT_TRUE(write_file_atomically(path, "old"));
  rig::Character character = test::sample_character();
  character.skins.edit(0).joints.clear();
  const Status status = gltf::export_file(character, path);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "kept.glb: skin 0: expected at least one joint, got none");
  EXPECT_EQ(*read_file(path), "old");
  EXPECT_TRUE(gltf::export_file(test::sample_character(), path));
  EXPECT_EQ(read_file(path)->substr(0, 4), "glTF");
}

/// What the Khronos validator says of each file, in one run.
/// @param folder  in which `npm install gltf-validator` was called
std::vector<json> validator_issues(const std::string& folder, const std::vector<std::filesystem::path>& paths) {
  std::string command = fmt::format(
      "cd '{}' && node -e \"const v=require('gltf-validator'),fs=require('fs');"
      "(async()=>{{for(const f of process.argv.slice(1))console.log(JSON.stringify("
      "(await v.validateBytes(new Uint8Array(fs.readFileSync(f)))).issues))}})()\"",
      folder);
  for (const std::filesystem::path& path : paths) {
    command += fmt::format(" '{}'", path.string());
  }
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> chunk{};
  while (const std::size_t count = pipe != nullptr ? std::fread(chunk.data(), 1, chunk.size(), pipe) : 0) {
    output.append(chunk.data(), count);
  }
  EXPECT_EQ(pclose(pipe), 0) << output;
  std::vector<json> issues;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    issues.push_back(json::parse(line, nullptr, false));
  }
  issues.resize(paths.size());
  return issues;
}

TEST(Export, KhronosValidatorFindsNoError) {
  const char* folder = std::getenv("PELT_GLTF_VALIDATOR");
  if (folder == nullptr) {
    GTEST_SKIP() << "PELT_GLTF_VALIDATOR is not set";
  }
  std::vector<rig::Character> characters = {test::sample_character()};
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    auto character = gltf::open_character("@" + std::string(file.name.substr(0, file.name.rfind('.'))));
    ASSERT_TRUE(character) << character.error().message;
    characters.push_back(*std::move(character));
  }
  for (const rig::Character& character : characters) {
    SCOPED_TRACE(character.name);
    const auto path = test::output_folder() / "validated.glb";
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(gltf::export_file(character, path));
    const json issues = validator_issues(folder, {path}).front();
    ASSERT_TRUE(issues.is_object());
    EXPECT_EQ(issues["numErrors"], 0) << issues.dump(1);
    // The sample hangs its skinned mesh below a transformed node on purpose; nothing else may be remarked on.
    for (const json& message : issues["messages"]) {
      EXPECT_THAT(
          message["code"].get<std::string>(),
          testing::AnyOf("NODE_SKINNED_MESH_NON_ROOT", "NODE_SKINNED_MESH_LOCAL_TRANSFORMS", "UNUSED_MESH_WEIGHTS"));
    }
  }
}

/// An attribute of glTF that is only kept, with the forms that glTF 2.0 (3.7.2.1, 3.7.2.2) and KHR_mesh_quantization
/// allow it.
struct KeptForms {
  const char* name;
  bool is_delta;
  std::vector<std::string> shapes;
  std::set<std::pair<int, bool>> numbers;  ///< component type, normalised
};
const std::vector<KeptForms>& kept_forms() {
  static const std::vector<KeptForms> all = {
      {"TEXCOORD_2",
       false,
       {"VEC2"},
       {{5126, false},
        {5120, false},
        {5120, true},
        {5121, false},
        {5121, true},
        {5122, false},
        {5122, true},
        {5123, false},
        {5123, true}}},
      {"TEXCOORD_2",
       true,
       {"VEC2"},
       {{5126, false}, {5120, false}, {5120, true}, {5121, true}, {5122, false}, {5122, true}, {5123, true}}},
      {"COLOR_1", false, {"VEC3", "VEC4"}, {{5126, false}, {5121, true}, {5123, true}}},
      {"COLOR_0", true, {"VEC3", "VEC4"}, {{5126, false}, {5120, true}, {5121, true}, {5122, true}, {5123, true}}},
      {"COLOR_1", true, {"VEC3", "VEC4"}, {{5126, false}, {5120, true}, {5121, true}, {5122, true}, {5123, true}}},
      {"TANGENT", false, {"VEC4"}, {{5126, false}, {5120, true}, {5122, true}}},
      {"TANGENT", true, {"VEC3"}, {{5126, false}, {5120, true}, {5122, true}}},
      {"JOINTS_0", false, {"VEC4"}, {{5121, false}, {5123, false}}},
      {"WEIGHTS_0", false, {"VEC4"}, {{5126, false}, {5121, true}, {5123, true}}},
  };
  return all;
}

TEST(Export, KeptAttributesHaveFormsThatGltfAllows) {
  const char* folder = std::getenv("PELT_GLTF_VALIDATOR");
  const auto written = test::output_folder() / "kept forms";
  std::filesystem::create_directories(written);
  std::vector<std::filesystem::path> paths;
  for (const KeptForms& kept : kept_forms()) {
    for (const char* shape : {"SCALAR", "VEC2", "VEC3", "VEC4"}) {
      for (const auto& [type, normalized] : std::vector<std::pair<int, bool>>{{5120, false},
                                                                              {5120, true},
                                                                              {5121, false},
                                                                              {5121, true},
                                                                              {5122, false},
                                                                              {5122, true},
                                                                              {5123, false},
                                                                              {5123, true},
                                                                              {5125, false},
                                                                              {5126, false}}) {
        SCOPED_TRACE(fmt::format("{} {} {} {}", kept.name, shape, type, normalized));
        test::QuadFile file = test::skinned_quad();
        json& attributes = file.attributes();
        file.root["nodes"][2].erase("skin");
        attributes.erase("NORMAL");
        const int pairs = file.floats({0, 0, 1, 0, 0, 1, 1, 1}, "VEC2");
        attributes["TEXCOORD_0"] = attributes["TEXCOORD_1"] = attributes["TEXCOORD_2"] = pairs;
        attributes["COLOR_0"] = attributes["COLOR_1"] = file.positions;
        attributes["TANGENT"] = file.floats({1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}, "VEC4");
        // All zeros, which are sound joints and weights.
        const std::size_t width = shape[0] == 'S' ? 1 : static_cast<std::size_t>(shape[3] - '0');
        const std::size_t size = type == 5125 || type == 5126 ? 4 : type >= 5122 ? 2 : 1;
        const auto stride = static_cast<int>((size * width + 3) / 4 * 4);
        json& to = kept.is_delta ? file.primitive()["targets"][0] : attributes;
        to[kept.name] = file.push(
            "accessors",
            {{"bufferView", file.view(std::vector<std::uint8_t>(4 * static_cast<std::size_t>(stride), 0), stride)},
             {"componentType", type},
             {"count", 4},
             {"type", shape},
             {"normalized", normalized}});
        const bool is_allowed = kept.numbers.count({type, normalized}) != 0 &&
                                std::count(kept.shapes.begin(), kept.shapes.end(), shape) != 0;
        const rig::Character character = test::opened(file);
        const mesh::Primitive& primitive = character.meshes[0].primitives[0];
        const auto& all = kept.is_delta ? primitive.morph_targets[0].kept : primitive.kept;
        const bool is_kept =
            std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == kept.name; });
        EXPECT_EQ(is_kept, is_allowed);
        // That of joints and weights which no skin reads is always there.
        EXPECT_EQ(character.diagnostics.size() == 1, is_allowed);
        if (folder != nullptr) {
          paths.push_back(written / fmt::format("{}.glb", paths.size()));
          ASSERT_TRUE(gltf::export_file(character, paths.back()));
        }
      }
    }
  }
  if (folder == nullptr) {
    return;
  }
  const std::vector<json> issues = validator_issues(folder, paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    ASSERT_TRUE(issues[i].is_object()) << paths[i];
    for (const json& message : issues[i]["messages"]) {
      // What the zeros mean is not asked.
      EXPECT_FALSE(message["severity"] == 0 && message["code"].get<std::string>().starts_with("MESH_PRIMITIVE"))
          << paths[i] << message;
    }
  }
}

TEST(Export, KhronosValidatorFindsNoErrorInWhatIsWrittenFromTheCorpus) {
  const char* folder = std::getenv("PELT_GLTF_VALIDATOR");
  const std::filesystem::path corpus = PELT_CORPUS_DIR;
  if (folder == nullptr || !std::filesystem::exists(corpus / "README.md")) {
    GTEST_SKIP() << "PELT_GLTF_VALIDATOR is not set, or there is no corpus at " << corpus;
  }
  const auto written = test::output_folder() / "validated";
  std::filesystem::create_directories(written);
  std::vector<std::filesystem::path> paths;
  for (const char* part : {"characters", "features", "derived"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus / part)) {
      if (entry.path().extension() != ".glb" && entry.path().extension() != ".gltf") {
        continue;
      }
      const auto character = gltf::import_file(entry.path(), {.decode_images = false});
      if (!character) {
        continue;  // the corpus tests say which may not open
      }
      for (const bool smaller : {false, true}) {
        gltf::ExportOptions options{.sums_as_stored = false, .quantize = smaller, .short_rotations = smaller};
        options.weights = smaller ? mesh::WeightFormat::kUnorm8 : mesh::WeightFormat::kFloat;
        paths.push_back(written / fmt::format("{}.glb", paths.size()));
        EXPECT_TRUE(gltf::export_file(*character, paths.back(), options)) << entry.path();
      }
    }
  }
  const std::vector<json> issues = validator_issues(folder, paths);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    ASSERT_TRUE(issues[i].is_object()) << paths[i];
    EXPECT_EQ(issues[i]["numErrors"], 0) << paths[i] << issues[i].dump(1);
  }
}

}  // namespace
}  // namespace pelt
