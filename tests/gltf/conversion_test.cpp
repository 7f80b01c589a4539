// What `pelt convert` may do to a character on its way into a file, and what a file keeps that nothing here
// understands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "deform/deform.h"
#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "gltf/sample_character.h"
#include "rig/conversions.h"
#include "rig/lint_fix.h"
#include "support/fixtures.h"
#include "support/glb_builder.h"
#include "support/output_folder.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json parsed(const std::vector<std::uint8_t>& file) {
  if (file[0] == '{') {
    return json::parse(file.begin(), file.end());
  }
  std::uint32_t length = 0;
  std::memcpy(&length, file.data() + 12, 4);
  return json::parse(file.begin() + 20, file.begin() + 20 + length);
}

rig::Character read_back(const rig::Character& character, const gltf::ExportOptions& options = {}) {
  const auto exported = gltf::export_character(character, options);
  EXPECT_TRUE(exported) << (exported ? "" : exported.error().message);
  auto again =
      exported ? gltf::import_memory(exported->files.front().bytes, {}) : Result<rig::Character>(exported.error());
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return again ? *std::move(again) : rig::Character();
}

/// The rest pose, each clip's middle, and a pose that turns every joint.
std::vector<rig::Pose> some_poses(const rig::Character& character) {
  std::vector<rig::Pose> poses = {rig::rest_pose(character)};
  for (std::size_t c = 0; c < std::min<std::size_t>(character.clips.size(), 2); ++c) {
    const rig::Clip& clip = character.clips[c];
    poses.push_back(rig::rest_pose(character));
    rig::apply(clip, clip.start + 0.37f * clip.duration(), character.morph_offset, poses.back());
  }
  poses.push_back(rig::rest_pose(character));
  test::Random random(7);
  for (Transform& local : poses.back().local) {
    local.rotation = glm::normalize(local.rotation * glm::quat(random.rotation(0.5)));
  }
  for (float& weight : poses.back().morph_weights) {
    weight += 0.3f;
  }
  return poses;
}

/// Where a node is in the first character: a node that carries a mesh for another one counts as that.
int original_node(const rig::Character& original, const rig::Character& made, int joint) {
  const int node = made.skeleton->source_node[joint];
  return node < original.skeleton->size() ? node : original_node(original, made, made.skeleton->parent[joint]);
}

/// Largest distance of deformed positions over the size of the rest pose, over poses of `a`. Nodes that `b` has beyond
/// those of `a` keep their rest transform.
double largest_difference(const rig::Character& a, const rig::Character& b, const std::vector<rig::Pose>& poses) {
  double worst = 0;
  double size = 0;
  const auto node_of = [&](int joint) { return a.skeleton->source_node[joint]; };
  for (const rig::Pose& pose : poses) {
    rig::Pose other = rig::rest_pose(b);
    for (std::size_t j = 0; j < pose.local.size(); ++j) {
      const std::size_t k = b.skeleton->from_source_node(node_of(static_cast<int>(j)));
      other.local[k] = pose.local[j];
      if (!other.residual.empty()) {
        other.residual[k] = pose.residual.empty() ? glm::mat4(1.0f) : pose.residual[j];
      }
    }
    for (const rig::MeshNode& from : a.mesh_nodes) {
      for (const rig::MeshNode& to : b.mesh_nodes) {
        if (original_node(a, b, to.joint) == node_of(from.joint)) {
          const auto weights = a.morph_weights(pose, from.joint);
          std::copy(weights.begin(), weights.end(), other.morph_weights.begin() + b.morph_offset[to.joint]);
        }
      }
    }
    const auto shape_a = deform::deform_once(a, pose, {});
    const auto shape_b = deform::deform_once(b, other, {});
    EXPECT_EQ(a.parts.size(), b.parts.size());
    size = size > 0 ? size : static_cast<double>(shape_a.bounds.diagonal());
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      const auto same = std::find_if(b.parts.begin(), b.parts.end(), [&](const rig::Part& part) {
        return original_node(a, b, part.joint) == node_of(a.parts[p].joint) && part.primitive == a.parts[p].primitive;
      });
      if (same == b.parts.end()) {
        ADD_FAILURE() << "part " << p << " is gone";
        continue;
      }
      const std::span<const glm::vec3> from = shape_a.parts[p].positions;
      const std::span<const glm::vec3> to = shape_b.parts[same - b.parts.begin()].positions;
      EXPECT_EQ(from.size(), to.size());
      for (std::size_t v = 0; v < std::min(from.size(), to.size()); ++v) {
        worst = std::max(worst, static_cast<double>(glm::length(from[v] - to[v])));
      }
    }
  }
  return size > 0 ? worst / size : worst;
}

constexpr double kSame = 1e-6;  // of the size

std::vector<rig::Character> characters() {
  std::vector<rig::Character> out = {test::sample_character()};
  for (const char* name : {"@mannequin", "@robot"}) {
    auto character = gltf::open_character(name);
    EXPECT_TRUE(character) << name;
    if (character) {
      out.push_back(*std::move(character));
    }
  }
  return out;
}

TEST(Convert, DeformedPositionsSurviveEveryLosslessWayOfWriting) {
  for (const rig::Character& character : characters()) {
    SCOPED_TRACE(character.name);
    const std::vector<rig::Pose> poses = some_poses(character);
    for (const gltf::ExportOptions& options :
         {gltf::ExportOptions{}, gltf::ExportOptions{.sums_as_stored = false},
          gltf::ExportOptions{.form = gltf::FileForm::kEmbedded}, gltf::ExportOptions{.meshopt = true}}) {
      EXPECT_LE(largest_difference(character, read_back(character, options), poses), kSame);
    }
  }
}

// Positions are off by half a step of 1/65535 of the box's side per axis, so by sqrt(3)/2 of one, which is at most the
// diagonal; morph deltas by half of 1/32767 times what they count for.
TEST(Convert, QuantizedPositionsStayWithinTheStatedBound) {
  for (const rig::Character& character : characters()) {
    SCOPED_TRACE(character.name);
    const rig::Character again = read_back(character, {.quantize = true});
    EXPECT_THAT(again.extensions_required, testing::Contains("KHR_mesh_quantization"));
    const bool morphs = character.morph_offset.back() > 0;
    const double bound = 0.5 * std::sqrt(3.0) * (1.0 / 65535 + (morphs ? 2.0 / 32767 : 0.0));
    // The sample's limbs scale the mesh by two on the way to the world.
    EXPECT_LE(largest_difference(character, again, some_poses(character)), 2 * bound);
    EXPECT_LE(largest_difference(character, rig::on_unit_grid(character).character, some_poses(character)), kSame);
  }
}

TEST(Convert, WhatWasWrittenOnceIsWrittenTheSameAgain) {
  std::vector<rig::Character> originals = characters();
  // Rows whose weights move by a bit whenever they are normalised, and rows with equal weights.
  originals.push_back(test::random_rig({.seed = 41, .vertices = 4000, .influences = 8}));
  test::Random random(42);
  mesh::Influences& unsettled = originals.back().meshes.edit(0).primitives.edit(0).influences.edit();
  for (std::size_t v = 0; v < unsettled.vertex_count(); ++v) {
    unsettled.set_stored_sum(v, random.real(0.5f, 1.5f));  // of which one in a hundred never settles by itself
  }
  const fs::path corpus = PELT_CORPUS_DIR;
  for (const char* folder : {"characters", "features", "derived"}) {
    if (!fs::exists(corpus / folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(corpus / folder)) {
      if (entry.path().extension() == ".gltf" || entry.path().filename() == "dragon.glb") {
        auto character = gltf::import_file(entry.path(), {.decode_images = false});
        EXPECT_TRUE(character) << entry.path();
        if (character) {
          originals.push_back(*std::move(character));
        }
      }
    }
  }
  for (const rig::Character& character : originals) {
    SCOPED_TRACE(character.name);
    for (const gltf::ExportOptions& options :
         {gltf::ExportOptions{}, gltf::ExportOptions{.sums_as_stored = false, .meshopt = true},
          gltf::ExportOptions{.weights = mesh::WeightFormat::kUnorm8, .quantize = true}}) {
      const auto once = gltf::export_character(character, options);
      ASSERT_TRUE(once);
      const auto again = gltf::import_memory(once->files.front().bytes, {}, {.decode_images = false});
      ASSERT_TRUE(again);
      const auto twice = gltf::export_character(*again, options);
      ASSERT_TRUE(twice);
      EXPECT_TRUE(once->files.front().bytes == twice->files.front().bytes);
    }
  }
}

TEST(Convert, QuantizedDirectionsAreWrittenTheSameAgainAndKeepWithinTheirBound) {
  rig::Character character = test::sample_character();
  mesh::Primitive& primitive = character.meshes.edit(0).primitives.edit(0);
  test::Random random(77);
  float widest = 0;
  for (int round = 0; round < 40; ++round) {
    for (glm::vec3& normal : primitive.normals.edit()) {
      normal = glm::vec3(random.unit());
    }
    const rig::Character once = read_back(character, {.quantize = true});
    const rig::Character twice = read_back(once, {.quantize = true});
    const std::vector<glm::vec3>& normals = once.meshes[0].primitives[0].normals;
    ASSERT_EQ(normals, twice.meshes[0].primitives[0].normals);
    for (std::size_t v = 0; v < normals.size(); ++v) {
      widest = std::max(widest, 2 * std::asin(glm::distance(normals[v], primitive.normals[v]) / 2));
    }
  }
  EXPECT_LE(widest, glm::radians(0.4f));
}

// Half a step of a morph delta is 1 / 65534 of the box's side.
TEST(Convert, DeltasBelowHalfAStepWriteNothing) {
  rig::Character character = test::sample_character();
  mesh::MorphTarget& target = character.meshes.edit(0).primitives.edit(0).morph_targets.edit(0);
  for (const auto& [delta, is_written] : {std::pair{1e-6f, false}, std::pair{1e-2f, true}}) {
    target.position_deltas.assign(target.position_deltas.size(), glm::vec3(0));
    target.position_deltas.edit()[0] = {delta, delta, 0};
    const auto file = gltf::export_character(character, {.quantize = true});
    ASSERT_TRUE(file);
    const json root = parsed(file->files[0].bytes);
    const json& written = root["meshes"][0]["primitives"][0]["targets"][0]["POSITION"];
    EXPECT_EQ(root["accessors"][written.get<std::size_t>()].contains("sparse"), is_written);
  }
}

TEST(Convert, AMeshThatWasQuantizedGetsNoSecondNode) {
  const auto character = gltf::open_character("@robot");
  ASSERT_TRUE(character);
  const rig::Character once = read_back(*character, {.quantize = true});
  EXPECT_GT(once.skeleton->size(), character->skeleton->size());
  EXPECT_EQ(read_back(once, {.quantize = true}).skeleton->size(), once.skeleton->size());
}

TEST(Convert, C15_5_IntegerWeightsSumExactlyOverAllSets) {
  rig::Character character = test::random_rig({.seed = 15, .vertices = 300, .influences = 7});
  for (const auto& [format, type, total] :
       {std::tuple{mesh::WeightFormat::kUnorm8, 5121, 255}, std::tuple{mesh::WeightFormat::kUnorm16, 5123, 65535}}) {
    const auto exported = gltf::export_character(character, {.weights = format});
    ASSERT_TRUE(exported);
    const json root = parsed(exported->files.front().bytes);
    const json& attributes = root["meshes"][0]["primitives"][0]["attributes"];
    for (const char* name : {"WEIGHTS_0", "WEIGHTS_1"}) {
      const json& accessor = root["accessors"][attributes[name].get<std::size_t>()];
      EXPECT_EQ(accessor["componentType"], type);
      EXPECT_EQ(accessor["normalized"], true);
    }
    const rig::Character again = read_back(character, {.weights = format});
    const mesh::Influences& rows = again.meshes[0].primitives[0].influences;
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      double units = 0;
      const mesh::InfluenceRow row = rows.row(v);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        units += std::round(static_cast<double>(row.weights[k]) * total);
      }
      ASSERT_EQ(units, total) << v;
    }
  }
}

TEST(Convert, UnusedJointsLeaveTheSkinAndNothingMoves) {
  rig::Character character = test::random_rig({.seed = 3, .vertices = 200, .influences = 3});
  rig::Skin& skin = character.skins.edit(0);
  const std::size_t joints = skin.joints.size();
  // A joint in front of all others that no vertex follows.
  skin.joints.insert(skin.joints.begin(), skin.joints.back());
  skin.joint_from_mesh.insert(skin.joint_from_mesh.begin(), glm::mat4(1.0f));
  character.meshes.edit(0).primitives.edit(0).influences.edit().renumber_joints(
      [&](std::uint16_t slot) { return slot + 1; });
  rig::finish(character);
  const rig::Character stripped = rig::without_unused_joints(character);
  EXPECT_LE(stripped.skins[0].joints.size(), joints);
  EXPECT_EQ(largest_difference(character, stripped, some_poses(character)), 0);
  for (const rig::Character& other : characters()) {
    EXPECT_EQ(largest_difference(other, rig::without_unused_joints(other), some_poses(other)), 0) << other.name;
  }
}

TEST(Convert, ABakedPoseIsTheRestPoseAndOtherPosesStay) {
  for (const rig::Character& character : characters()) {
    SCOPED_TRACE(character.name);
    const std::vector<rig::Pose> poses = some_poses(character);
    const rig::Character baked = rig::with_rest_pose(character, poses.back());
    EXPECT_EQ(largest_difference(character, baked, poses), 0);
    EXPECT_EQ(rig::rest_pose(baked).local, poses.back().local);
    EXPECT_EQ(rig::rest_pose(baked).morph_weights, poses.back().morph_weights);

    // Bound there, the shape is the same, and the rest pose is the bind pose.
    const auto bound = rig::bound_in_rest_pose(baked);
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_LE(largest_difference(baked, *bound, {rig::rest_pose(baked)}), kSame);
    EXPECT_LE(rig::rest_bind_difference(*bound), 1e-5f);
  }
}

TEST(Convert, RebuiltBindsOfACharacterBoundInItsRestPoseMoveNothing) {
  const auto character = gltf::open_character("@mannequin");
  ASSERT_TRUE(character);
  const auto bound = rig::bound_in_rest_pose(*character);
  ASSERT_TRUE(bound);
  EXPECT_LE(largest_difference(*character, *bound, some_poses(*character)), kSame);

  rig::Character flat = test::sample_character();
  flat.skeleton.edit().rest[2].scale = glm::vec3(1, 0, 1);
  rig::finish(flat);
  const auto refused = rig::bound_in_rest_pose(flat);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "skin 0: joint \"tip\" has no extent along some axis in the pose, so it cannot be bound there");
}

TEST(Convert, AMeshOnTwoSkinsIsBoundToEach) {
  rig::Character character = test::random_rig({.seed = 5, .vertices = 100, .influences = 2});
  const int node = test::add_node(character, "twin", -1, {});
  rig::Skin skin = character.skins[0];
  for (glm::mat4& matrix : skin.joint_from_mesh) {
    matrix[3] += glm::vec4(0, 0.5f, 0, 0);
  }
  character.skins.push_back(skin);
  character.mesh_nodes.push_back({.joint = node, .mesh = 0, .skin = 1, .morph_weights = {}});
  character.scenes.clear();
  character.skeleton.edit().source_node.clear();
  rig::finish(character);
  const auto bound = rig::bound_in_rest_pose(character);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->meshes.size(), character.meshes.size() + 1);
  EXPECT_LE(largest_difference(character, *bound, {rig::rest_pose(character)}), kSame);
}

constexpr const char* kStrange = R"({
  "asset": {"version": "2.0", "copyright": "someone", "extras": {"made": 1}},
  "extensionsUsed": ["X_root", "X_node", "X_mesh", "X_prim", "X_mat", "X_info", "X_tex", "X_skin", "X_anim", "X_scene", "X_views", "KHR_texture_transform"],
  "extensionsRequired": ["X_node"],
  "extensions": {"X_root": {"head": 1, "exact": 0.12345678901234567, "text": "\u00e4"}},
  "extras": [1, "two", null],
  "scene": 0,
  "scenes": [{"nodes": [1], "extensions": {"X_scene": {}}}],
  "nodes": [{"name": "b", "mesh": 0, "extensions": {"X_node": {"target": 1}}, "extras": "text"},
            {"name": "a", "children": [0], "extras": {"k": 1.5, "extensions": {"no": 1}}}],
  "meshes": [{"extras": {"targetNames": [], "own": true}, "extensions": {"X_mesh": [1]},
              "primitives": [{"attributes": {"POSITION": 0}, "material": 0, "extras": 7,
                              "extensions": {"X_prim": {"mappings": [{"material": 0}]}, "X_views": {"bufferView": 0}}}]}],
  "materials": [{"extras": {"m": {}}, "extensions": {"X_mat": {"texture": {"index": 0, "extensions": {"KHR_texture_transform": {"rotation": 1}}}}},
                 "normalTexture": {"index": 0, "extensions": {"X_info": {"v": 2}}, "extras": false}}],
  "textures": [{"extensions": {"X_tex": {"q": 1}}, "extras": {"t": 1}}],
  "skins": [{"joints": [0], "extensions": {"X_skin": {}}, "extras": {"s": 1}}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "max": [1, 1, 0], "min": [0, 0, 0]}],
  "bufferViews": [{"buffer": 0, "byteLength": 36, "extras": 1}],
  "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]
})";

TEST(Kept, WhatIsNotUnderstoodIsWrittenBackWhereItWas) {
  const std::string text = kStrange;
  const auto character = gltf::import_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {});
  ASSERT_TRUE(character) << character.error().message;
  const auto exported = gltf::export_character(*character, {});
  ASSERT_TRUE(exported) << exported.error().message;
  const json before = json::parse(text);
  const json after = parsed(exported->files.front().bytes);
  for (const char* place : {"/asset/copyright",
                            "/asset/extras",
                            "/extensions",
                            "/extras",
                            "/scenes/0/extensions",
                            "/nodes/0/name",
                            "/nodes/0/extensions",
                            "/nodes/0/extras",
                            "/nodes/1/extras",
                            "/meshes/0/extensions",
                            "/meshes/0/primitives/0/extras",
                            "/meshes/0/primitives/0/extensions/X_prim",
                            "/materials/0/extras",
                            "/materials/0/extensions",
                            "/materials/0/normalTexture/extensions",
                            "/materials/0/normalTexture/extras",
                            "/textures/0/extensions",
                            "/textures/0/extras",
                            "/skins/0/extensions",
                            "/skins/0/extras"}) {
    SCOPED_TRACE(place);
    const json::json_pointer pointer(place);
    ASSERT_TRUE(after.contains(pointer));
    EXPECT_EQ(before[pointer], after[pointer]);
  }
  EXPECT_EQ(after["meshes"][0]["extras"]["own"], true);
  EXPECT_EQ(after["extensionsRequired"], json::parse(R"(["X_node"])"));
  EXPECT_THAT(after["extensionsUsed"].get<std::vector<std::string>>(),
              testing::UnorderedElementsAre("X_root", "X_node", "X_mesh", "X_prim", "X_mat", "X_info", "X_tex",
                                            "X_skin", "X_scene", "KHR_texture_transform"));

  // A view has another number now.
  EXPECT_FALSE(after["meshes"][0]["primitives"][0]["extensions"].contains("X_views"));
  ASSERT_EQ(exported->notes.size(), 2U);
  EXPECT_EQ(exported->notes[0].code, "extension-lost");
  EXPECT_EQ(exported->notes[0].place, "mesh 0, primitive 0");
  EXPECT_EQ(exported->notes[0].message,
            "X_views is not understood and cannot be kept: it refers to accessors, buffer views or samplers, which are "
            "numbered anew");

  EXPECT_EQ(exported->notes[1].code, "extras-lost");
  EXPECT_EQ(exported->notes[1].place, "bufferView 0");

  // Twice through is once through.
  const auto again = gltf::import_memory(exported->files.front().bytes, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(gltf::export_glb(*again).has_value(), true);
  EXPECT_EQ(*gltf::export_glb(*again), exported->files.front().bytes);
}

constexpr const char* kStrangeInside = R"({
  "asset": {"version": "2.0"},
  "extensionsUsed": ["KHR_lights_punctual", "KHR_materials_clearcoat", "KHR_materials_ior", "KHR_texture_transform",
                     "KHR_materials_sheen", "KHR_animation_pointer", "X_coat", "X_lamp", "X_channel", "X_sampler"],
  "extensions": {"KHR_lights_punctual": {"extras": {"list": 1}, "lights": [
      {"type": "point", "name": "unused", "extras": {"watt": 60}, "extensions": {"X_lamp": {"node": 0}}},
      {"type": "spot", "name": "used", "spot": {"innerConeAngle": 0.25, "outerConeAngle": 0.5, "extras": "cone"}},
      {"type": "directional", "intensity": 3}]}},
  "cameras": [{"name": "spare", "type": "perspective", "perspective": {"yfov": 0.5, "znear": 1, "extras": [1]}},
              {"name": "carried", "type": "orthographic", "extras": {"lens": "x"},
               "orthographic": {"xmag": 1, "ymag": 2, "znear": 1, "zfar": 9}}],
  "scene": 0,
  "scenes": [{"nodes": [0, 1]}],
  "nodes": [{"camera": 1, "extensions": {"KHR_lights_punctual": {"light": 1, "extras": 3}}}, {"mesh": 0}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
  "materials": [{"pbrMetallicRoughness": {"extras": "all default"},
                 "extensions": {
      "KHR_materials_clearcoat": {"clearcoatFactor": 0.5, "extras": {"c": 1}, "extensions": {"X_coat": {"thick": 2}},
        "clearcoatTexture": {"index": 0, "extras": 5, "extensions": {"KHR_texture_transform": {"rotation": 1, "extras": 6}}}},
      "KHR_materials_ior": {"extras": 1.5}}},
                {"name": "moved"}],
  "textures": [{"name": "cloth", "sampler": 1}],
  "samplers": [{"wrapS": 33071}, {"extras": {"filter": "own"}, "wrapS": 33071}],
  "animations": [{
    "samplers": [{"input": 1, "output": 2, "extras": "first"}, {"input": 1, "output": 2, "extras": "second", "extensions": {"X_sampler": {}}},
                 {"input": 1, "output": 3}],
    "channels": [
      {"sampler": 1, "target": {"node": 0, "path": "translation", "extras": "where"}, "extras": {"by": "hand"}},
      {"sampler": 0, "target": {"node": 1, "path": "scale", "extensions": {"X_channel": {}}}},
      {"sampler": 2, "extras": 3, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
        {"pointer": "/materials/1/extensions/KHR_materials_sheen/sheenRoughnessFactor", "extras": 4}}}}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "max": [1, 1, 0], "min": [0, 0, 0]},
                {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "max": [1], "min": [0]},
                {"bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR"}],
  "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 8, "byteLength": 8}],
  "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]
})";

TEST(Kept, WhatLiesInsideKnownObjectsIsWrittenBackToo) {
  const std::string text = kStrangeInside;
  const auto character = gltf::import_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {});
  ASSERT_TRUE(character) << character.error().message;
  const auto exported = gltf::export_character(*character, {});
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_THAT(exported->notes, testing::IsEmpty());
  const json before = json::parse(text);
  const json after = parsed(exported->files.front().bytes);
  for (const char* place :
       {"/cameras", "/extensions/KHR_lights_punctual", "/nodes/0/extensions", "/nodes/0/camera",
        "/materials/0/pbrMetallicRoughness", "/materials/0/extensions", "/textures/0/name",
        "/animations/0/channels/0/extras", "/animations/0/channels/0/target", "/animations/0/channels/1/target",
        "/animations/0/channels/2/extras", "/animations/0/channels/2/target"}) {
    SCOPED_TRACE(place);
    const json::json_pointer pointer(place);
    ASSERT_TRUE(after.contains(pointer));
    EXPECT_EQ(before[pointer], after[pointer]);
  }
  EXPECT_EQ(after["samplers"][after["textures"][0]["sampler"].get<std::size_t>()]["extras"],
            before["samplers"][1]["extras"]);
  // Two samplers of the same keys stay two, since each has something of its own.
  const json& animation = after["animations"][0];
  EXPECT_EQ(animation["samplers"][animation["channels"][0]["sampler"].get<std::size_t>()]["extras"], "second");
  EXPECT_EQ(animation["samplers"][animation["channels"][1]["sampler"].get<std::size_t>()]["extras"], "first");
  // A pointer may only name what is there, be it empty.
  EXPECT_EQ(after["materials"][1]["extensions"]["KHR_materials_sheen"], json::object());
  EXPECT_THAT(after["extensionsUsed"].get<std::vector<std::string>>(),
              testing::UnorderedElementsAreArray(before["extensionsUsed"].get<std::vector<std::string>>()));

  const auto again = gltf::import_memory(exported->files.front().bytes, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(*gltf::export_glb(*again), exported->files.front().bytes);
}

TEST(Kept, NothingThatNamesNodesSurvivesTheirRenumbering) {
  const std::string text = kStrange;
  auto character = gltf::import_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, {});
  ASSERT_TRUE(character);
  character->skeleton.edit().source_node = {5, 6};
  const auto exported = gltf::export_character(*character, {});
  ASSERT_TRUE(exported);
  const json after = parsed(exported->files.front().bytes);
  EXPECT_FALSE(after.contains("extensions"));
  EXPECT_TRUE(after["materials"][0]["extensions"].contains("X_mat"));
  EXPECT_FALSE(after.contains("extensionsRequired"));
}

/// A skinned quad with attributes of many kinds that nothing here reads.
test::QuadFile quad_with_more() {
  test::QuadFile file = test::skinned_quad();
  json& attributes = file.attributes();
  const std::vector<float> uv = {0, 0, 1, 0, 0, 1, 1, 1};
  attributes["TEXCOORD_0"] = file.floats(uv, "VEC2");
  attributes["TEXCOORD_1"] = file.floats(uv, "VEC2");
  attributes["TEXCOORD_2"] = file.push(
      "accessors", {{"bufferView", file.view(std::vector<std::uint8_t>{1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 255, 8}, 4)},
                    {"componentType", 5121},
                    {"count", 4},
                    {"type", "VEC2"},
                    {"normalized", true}});
  attributes["TEXCOORD_3"] = file.floats({-7.25f, 1e-30f, 3, 4, 5, 6, 7, 1e30f}, "VEC2");
  attributes["COLOR_0"] = file.floats(std::vector<float>(16, 0.5f), "VEC4");
  attributes["COLOR_1"] = file.accessor(
      std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 65535}, test::kU16, "VEC4", true);
  attributes["_BITS"] = file.push(
      "accessors",
      {{"bufferView", file.view(std::vector<std::int8_t>{-128, 127, 0, 0, 1, -1, 0, 0, 2, -2, 0, 0, 3, -3}, 4)},
       {"componentType", 5120},
       {"count", 4},
       {"type", "VEC2"},
       {"normalized", true}});
  attributes["_ID"] =
      file.push("accessors", {{"bufferView", file.view(std::vector<std::uint16_t>{1, 0, 2, 0, 3, 0, 65535}, 4)},
                              {"componentType", 5123},
                              {"count", 4},
                              {"type", "SCALAR"}});
  attributes["_HEAT"] = file.floats({0.1f, 0.2f, -0.3f, 1e-40f}, "SCALAR");
  file.primitive()["targets"][0]["_HEAT"] = file.floats({0, 0, 0, 0.7f}, "SCALAR");
  file.primitive()["targets"][0]["TEXCOORD_3"] = file.floats({0, 0, 0, 0, 0.5f, 0, 0, 0}, "VEC2");
  file.push("images", {{"uri", "data:image/png;base64,AAAA"}});
  file.push("textures", {{"source", 0}});
  file.push("materials", {{"normalTexture", {{"index", 0}, {"texCoord", 2}}}});
  file.primitive()["material"] = 0;
  return file;
}

TEST(Kept, AttributesThatNothingReadsAreWrittenBackBitForBit) {
  const std::vector<std::uint8_t> source = quad_with_more().glb();
  const auto character = gltf::import_memory(source, {});
  ASSERT_TRUE(character) << character.error().message;
  const mesh::Primitive& before = character->meshes[0].primitives[0];
  ASSERT_EQ(before.kept.size(), 6u);
  ASSERT_EQ(before.morph_targets[0].kept.size(), 2u);
  const json file = parsed(source);
  for (const gltf::ExportOptions& options :
       {gltf::ExportOptions{}, gltf::ExportOptions{.quantize = true}, gltf::ExportOptions{.meshopt = true},
        gltf::ExportOptions{.form = gltf::FileForm::kEmbedded, .weights = mesh::WeightFormat::kUnorm8}}) {
    const auto written = gltf::export_character(*character, options);
    ASSERT_TRUE(written);
    const json again = parsed(written->files[0].bytes);
    const auto accessor = [](const json& root, const json& names, const std::string& name) {
      json out = root["accessors"][names[name].get<std::size_t>()];
      return json{out["componentType"], out["type"], out.value("normalized", false), out["count"]};
    };
    const json& primitive = again["meshes"][0]["primitives"][0];
    const json& original = file["meshes"][0]["primitives"][0];
    for (const char* name : {"TEXCOORD_2", "TEXCOORD_3", "COLOR_1", "_BITS", "_ID", "_HEAT"}) {
      EXPECT_EQ(accessor(again, primitive["attributes"], name), accessor(file, original["attributes"], name)) << name;
    }
    for (const char* name : {"TEXCOORD_3", "_HEAT"}) {
      EXPECT_EQ(accessor(again, primitive["targets"][0], name), accessor(file, original["targets"][0], name)) << name;
    }
    EXPECT_EQ(again["materials"][0]["normalTexture"]["texCoord"], 2);
    const auto back = gltf::import_memory(written->files[0].bytes, {});
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->meshes[0].primitives[0].kept, before.kept);
    EXPECT_EQ(back->meshes[0].primitives[0].morph_targets[0].kept, before.morph_targets[0].kept);
    const auto twice = gltf::export_character(*back, options);
    ASSERT_TRUE(twice);
    EXPECT_TRUE(twice->files[0].bytes == written->files[0].bytes);
  }
}

/// A quad that no skin moves and no normals shade, though it has joints, weights and tangents.
test::QuadFile quad_of_other_things(bool integers) {
  test::QuadFile file = test::skinned_quad();
  json& attributes = file.attributes();
  file.root["nodes"][2].erase("skin");
  attributes.erase("NORMAL");
  attributes["JOINTS_1"] = file.accessor(
      std::vector<std::uint16_t>{9, 700, 0, 1, 2, 3, 4, 5, 6, 7, 8, 65535, 1, 1, 1, 1}, test::kU16, "VEC4");
  attributes["WEIGHTS_1"] = integers ? file.accessor(std::vector<std::uint8_t>(16, 3), test::kU8, "VEC4", true)
                                     : file.floats(std::vector<float>(16, 1e-30f), "VEC4");
  json& delta = file.primitive()["targets"][0];
  if (integers) {
    attributes["TANGENT"] = file.accessor(
        std::vector<std::int8_t>{127, 0, 0, 127, 0, 127, 0, 127, 1, 2, 3, 4, -128, 0, 0, 0}, test::kI8, "VEC4", true);
    delta["TANGENT"] = file.push(
        "accessors",
        {{"bufferView", file.view(std::vector<std::int8_t>{1, 2, 3, 0, 4, 5, 6, 0, -7, 8, 9, 0, 0, 0, 0, 0}, 4)},
         {"componentType", 5120},
         {"count", 4},
         {"type", "VEC3"},
         {"normalized", true}});
  } else {
    attributes["TANGENT"] = file.floats({3, 0, 0, 0.5f, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1, 0, 1}, "VEC4");
    delta["TANGENT"] = file.floats({0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0}, "VEC3");
  }
  file.root["extensionsUsed"] = {"X_splats"};
  attributes["X_splats:SCALE"] = file.floats({1, 2, 3, 4}, "SCALAR");
  return file;
}

TEST(Kept, JointsWithoutASkinAndTangentsWithoutNormalsAreWrittenBackBitForBit) {
  for (const bool integers : {false, true}) {
    const auto character = gltf::import_memory(quad_of_other_things(integers).glb(), {});
    ASSERT_TRUE(character) << character.error().message;
    ASSERT_EQ(character->diagnostics.size(), 2u);
    EXPECT_EQ(character->diagnostics[0].code, "extension-unknown");
    EXPECT_EQ(character->diagnostics[1].code, "unused-influences");
    const mesh::Primitive& before = character->meshes[0].primitives[0];
    EXPECT_TRUE(before.influences->empty());
    EXPECT_TRUE(before.tangents.empty());
    ASSERT_EQ(before.kept.size(), 6u);
    ASSERT_EQ(before.morph_targets[0].kept.size(), 1u);
    for (const bool smaller : {false, true}) {
      const gltf::ExportOptions options{.weights = smaller ? mesh::WeightFormat::kUnorm8 : mesh::WeightFormat::kFloat,
                                        .quantize = smaller};
      const auto written = gltf::export_character(*character, options);
      ASSERT_TRUE(written);
      const json root = parsed(written->files[0].bytes);
      EXPECT_EQ(root.value("extensionsRequired", json::array()),
                integers || smaller ? json::array({"KHR_mesh_quantization"}) : json::array());
      EXPECT_THAT(root["extensionsUsed"], testing::Contains("X_splats"));
      const rig::Character back = read_back(*character, options);
      EXPECT_EQ(back.meshes[0].primitives[0].kept, before.kept);
      EXPECT_EQ(back.meshes[0].primitives[0].morph_targets[0].kept, before.morph_targets[0].kept);
      const auto twice = gltf::export_character(back, options);
      ASSERT_TRUE(twice);
      EXPECT_TRUE(twice->files[0].bytes == written->files[0].bytes);
    }
  }
}

TEST(Kept, JointsWithoutASkinAreKeptInPairs) {
  test::QuadFile file = quad_of_other_things(false);
  json& attributes = file.attributes();
  attributes["JOINTS_2"] = file.joints;
  attributes["WEIGHTS_1"] = file.positions;
  const auto character = gltf::import_memory(file.glb(), {});
  ASSERT_TRUE(character);
  std::vector<std::string> names;
  for (const mesh::KeptAttribute& kept : character->meshes[0].primitives[0].kept) {
    names.push_back(kept.name);
  }
  EXPECT_THAT(names, testing::ElementsAre("JOINTS_0", "WEIGHTS_0", "TANGENT", "X_splats:SCALE"));
  std::vector<std::string> said;
  for (const Diagnostic& diagnostic : character->diagnostics) {
    said.push_back(diagnostic.message);
  }
  EXPECT_THAT(said, testing::ElementsAre(
                        "not known here and not shown: X_splats",
                        fmt::format("WEIGHTS_1: accessor {}: expected VEC4, got VEC3; left out", file.positions),
                        "JOINTS_1: it cannot be used without WEIGHTS_1; left out",
                        "JOINTS_2: set 1 of the same is missing; left out",
                        "it has joints and weights but no node gives it a skin"));
}

TEST(Kept, SetsBeforeAKeptOneAreNotMissing) {
  test::QuadFile file = quad_with_more();
  file.attributes().erase("TEXCOORD_0");
  file.attributes().erase("TEXCOORD_1");
  file.attributes().erase("COLOR_0");
  const auto character = gltf::import_memory(file.glb(), {});
  ASSERT_TRUE(character) << character.error().message;
  const rig::Character again = read_back(*character);
  const mesh::Primitive& primitive = again.meshes[0].primitives[0];
  EXPECT_EQ(primitive.texcoords[0], std::vector<glm::vec2>(4, glm::vec2(0)));
  EXPECT_EQ(primitive.texcoords[1], std::vector<glm::vec2>(4, glm::vec2(0)));
  EXPECT_EQ(primitive.colors, std::vector<glm::vec4>(4, glm::vec4(1)));
  EXPECT_EQ(primitive.kept, character->meshes[0].primitives[0].kept);
}

TEST(Kept, AttributesFollowTheVerticesThatStay) {
  test::QuadFile file = quad_with_more();
  file.accessor_entry(file.indices)["count"] = 3;
  file.accessor_entry(file.indices)["byteOffset"] = 6;  // 2 1 3
  const auto character = gltf::import_memory(file.glb(), {});
  ASSERT_TRUE(character) << character.error().message;
  const rig::Character mended = rig::fixed(*character);
  const mesh::Primitive& before = character->meshes[0].primitives[0];
  const mesh::Primitive& after = mended.meshes[0].primitives[0];
  ASSERT_EQ(after.vertex_count(), 3u);
  ASSERT_EQ(after.kept.size(), before.kept.size());
  for (std::size_t i = 0; i < after.kept.size(); ++i) {
    EXPECT_TRUE(std::equal(after.kept[i].bytes.begin(), after.kept[i].bytes.end(),
                           before.kept[i].bytes.begin() + static_cast<std::ptrdiff_t>(before.kept[i].element_size())));
    EXPECT_EQ(after.kept[i].count(), 3u);
  }
  EXPECT_EQ(after.morph_targets[0].kept[0].count(), 3u);
  read_back(mended);
}

TEST(Export, WritesMaterialExtensionsTransformsAndLights) {
  rig::Character character = test::sample_character();
  rig::Material& material = character.materials.edit()[0];
  material.ior = 1.25f;
  material.specular.factor = 0.5f;
  material.specular.color = {1, 0.5f, 0};
  material.clearcoat.factor = 0.75f;
  material.clearcoat.normal_texture = {.texture = 1, .strength = 0.5f};
  material.sheen.color = {0.25f, 0, 0};
  material.sheen.roughness = 0.5f;
  material.transmission.factor = 0.5f;
  material.base_color_texture.transform = {.offset = {0.5f, 0}, .rotation = 0.25f, .scale = {2, 1}};
  character.lights = {{.name = "lamp", .joint = 1, .kind = rig::LightKind::kSpot, .intensity = 20, .range = 5},
                      {.name = "lamp", .joint = 2, .kind = rig::LightKind::kSpot, .intensity = 20, .range = 5}};
  const rig::Character again = read_back(character);
  const rig::Material& read = again.materials[0];
  EXPECT_EQ(read.ior, 1.25f);
  EXPECT_EQ(read.specular.factor, 0.5f);
  EXPECT_EQ(read.specular.color, glm::vec3(1, 0.5f, 0));
  EXPECT_EQ(read.clearcoat.factor, 0.75f);
  EXPECT_EQ(read.clearcoat.normal_texture.texture, 1);
  EXPECT_EQ(read.clearcoat.normal_texture.strength, 0.5f);
  EXPECT_EQ(read.sheen.color, glm::vec3(0.25f, 0, 0));
  EXPECT_EQ(read.sheen.roughness, 0.5f);
  EXPECT_EQ(read.transmission.factor, 0.5f);
  EXPECT_EQ(read.base_color_texture.transform, material.base_color_texture.transform);
  ASSERT_EQ(again.lights.size(), 2U);
  EXPECT_EQ(again.lights[0].kind, rig::LightKind::kSpot);
  EXPECT_EQ(again.lights[0].range, 5);
  EXPECT_EQ(again.lights[0].outer_cone, character.lights[0].outer_cone);
  const json root = parsed(*gltf::export_glb(character));
  EXPECT_EQ(root["extensions"]["KHR_lights_punctual"]["lights"].size(), 1U);
}

TEST(Export, StopsBetweenPrimitivesAndImagesWhereThatIsAskedFor) {
  rig::Character character = test::sample_character();
  character.images.resize(1);
  character.images.edit(0).encoded = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  std::size_t primitives = 0;
  for (const mesh::Mesh& mesh : character.meshes) {
    primitives += mesh.primitives.size();
  }
  const fs::path path = test::output_folder() / "stopped.glb";
  fs::remove(path);
  // Before each primitive, the image, and the file.
  for (std::size_t stop_at = 0; stop_at < primitives + 2; ++stop_at) {
    std::size_t asked = 0;
    const Status status = gltf::export_file(character, path, {.meshopt = true}, nullptr,
                                            [&](float, std::string_view) { return asked++ < stop_at; });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "stopped.glb: cancelled");
    EXPECT_EQ(asked, stop_at + 1);
    EXPECT_FALSE(fs::exists(path));
  }
}

// The validator calls one accessor for both an error.
TEST(Export, ValuesEqualToKeyTimesHaveAnAccessorOfTheirOwn) {
  rig::Character character = test::sample_character();
  for (mesh::Primitive& primitive : character.meshes.edit(0).primitives.edit_each()) {
    primitive.morph_targets.resize(1);
  }
  character.meshes.edit(0).morph_names.resize(1);
  character.meshes.edit(0).morph_weights.resize(1);
  character.mesh_nodes.edit()[0].morph_weights.resize(1);
  rig::Channel& channel = character.clips.edit(1).channels[0];
  channel.times = {0.5f, 1};
  channel.values = {0.5f, 1};
  channel.width = 1;
  const json root = parsed(*gltf::export_glb(character));
  const json& sampler = root["animations"][1]["samplers"][0];
  EXPECT_NE(sampler["input"], sampler["output"]);
}

TEST(Export, MeshoptMakesFilesSmaller) {
  const auto character = gltf::open_character("@mannequin");
  ASSERT_TRUE(character);
  const auto plain = gltf::export_character(*character, {});
  const auto packed = gltf::export_character(*character, {.meshopt = true});
  ASSERT_TRUE(plain && packed);
  EXPECT_LT(packed->files.front().bytes.size(), plain->files.front().bytes.size() * 8 / 10);
}

}  // namespace
}  // namespace pelt
