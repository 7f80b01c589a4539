#include "gltf/import.h"
#include "gltf/export.h"
#include "gltf/outline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gltf/image_codec.h"
#include "gltf/opened.h"
#include "gltf/sample_character.h"
#include "rig/kinematics.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GlbBuilder;
using test::kNan;
using test::opened;
using test::QuadFile;
using test::read_text;
using test::refused;
using test::remarks;
using test::skinned_quad;
using testing::ElementsAre;
using testing::IsEmpty;

Result<rig::Character> read(const std::vector<std::uint8_t>& bytes) {
  return gltf::import_memory(bytes, {});
}

const mesh::Primitive& first_primitive(const rig::Character& character) {
  return character.meshes.at(0).primitives.at(0);
}

// The good file.

TEST(Import, TheWholeQuad) {
  const rig::Character character = opened(skinned_quad());
  EXPECT_THAT(character.diagnostics, IsEmpty());
  EXPECT_THAT(character.skeleton->name, ElementsAre("lower", "upper", "quad"));
  EXPECT_THAT(character.skeleton->parent, ElementsAre(-1, 0, -1));
  EXPECT_EQ(character.skeleton->rest[1].translation, glm::vec3(0, 1, 0));
  EXPECT_THAT(character.skeleton->is_joint, ElementsAre(1, 1, 0));
  const mesh::Primitive& primitive = first_primitive(character);
  EXPECT_EQ(primitive.positions[3], glm::vec3(1, 1, 0));
  EXPECT_THAT(primitive.indices, ElementsAre(0, 1, 2, 2, 1, 3));
  EXPECT_THAT(flat(primitive.influences).offset, ElementsAre(0, 1, 3, 5, 6));
  EXPECT_THAT(flat(primitive.influences).joint, ElementsAre(0, 0, 1, 0, 1, 1));
  EXPECT_THAT(flat(primitive.influences).weight, ElementsAre(1, 0.75f, 0.25f, 0.5f, 0.5f, 1));
  EXPECT_THAT(character.meshes[0].morph_names, ElementsAre("lift"));
  EXPECT_EQ(primitive.morph_targets[0].position_deltas[3], glm::vec3(0, 0, 1));
  EXPECT_THAT(character.mesh_nodes[0].morph_weights, ElementsAre(0.5f));
  EXPECT_EQ(character.skins[0].joint_from_mesh[1][3], glm::vec4(0, -1, 0, 1));
  ASSERT_EQ(character.clips.size(), 1U);
  EXPECT_EQ(character.clips[0].name, "turn");
  EXPECT_EQ(character.clips[0].end, 1.0f);
  EXPECT_EQ(character.parts.size(), 1U);
}

// Nodes.

TEST(ImportNodes, OrderFollowsScenesAndChildren) {
  GlbBuilder file;
  file.push("nodes", {{"name", "a"}});
  file.push("nodes", {{"name", "b"}, {"children", {3, 2}}});
  file.push("nodes", {{"name", "c"}});
  file.push("nodes", {{"name", "d"}});
  file.push("scenes", {{"nodes", {1, 0}}});
  EXPECT_THAT(opened(file).skeleton->name, ElementsAre("b", "d", "c", "a"));
}

TEST(ImportNodes, MatrixKeepsItsShear) {
  GlbBuilder file;
  file.push("nodes", {{"matrix", {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 3, 4, 5, 1}}});
  const rig::Character character = opened(file);
  const glm::mat4 matrix = rig::local_matrix(rig::rest_pose(character), 0);
  EXPECT_NEAR(matrix[1][0], 0.5f, 1e-6f);
  EXPECT_EQ(matrix[3], glm::vec4(3, 4, 5, 1));
}

TEST(ImportNodes, BrokenTwins) {
  QuadFile file = skinned_quad();
  file.root["nodes"][1]["children"] = {7};
  EXPECT_EQ(refused(file), "node 1: child node 7 does not exist, there are 3");

  file = skinned_quad();
  file.root["nodes"][2]["children"] = {1};
  EXPECT_EQ(refused(file), "node 1 has two parents, node 0 and node 2");

  file = skinned_quad();
  file.root["nodes"][1]["children"] = {0};
  EXPECT_EQ(refused(file), "node 0 is its own ancestor");

  file = skinned_quad();
  file.root["nodes"][1]["translation"] = {0, 1};
  EXPECT_EQ(refused(file), "node 1: translation: expected 3 numbers, got 2");

  file = skinned_quad();
  file.root["nodes"][1]["scale"] = {1, 1e300, 1};
  EXPECT_EQ(refused(file), "node 1: scale: element 1 is 1e+300, expected at most 1e+18");

  file = skinned_quad();
  file.root["nodes"][0]["scale"] = {1e12, 1e12, 1e12};
  file.root["nodes"][1]["scale"] = {1e12, 1e12, 1e12};
  EXPECT_EQ(refused(file), "node 1: its world matrix is not finite or beyond 1e+18");

  file = skinned_quad();
  file.root["nodes"][2]["mesh"] = 4;
  EXPECT_EQ(refused(file), "node 2: mesh 4 does not exist, there are 1");

  file = skinned_quad();
  file.root["nodes"][2]["skin"] = 1;
  EXPECT_EQ(refused(file), "node 2: skin 1 does not exist, there are 1");

  // Larger than an int, in which 2^31 is negative, as is "none", and 2^32 is the first.
  for (const std::uint64_t large : {std::uint64_t{1} << 31, std::uint64_t{1} << 32}) {
    file = skinned_quad();
    file.root["nodes"][2]["skin"] = large;
    EXPECT_EQ(refused(file), fmt::format("JSON: nodes 2: skin: expected an index, got {}", large));
    file = skinned_quad();
    file.root["nodes"][0]["children"] = {large};
    EXPECT_EQ(refused(file), fmt::format("JSON: nodes 0: children: expected an index, got {}", large));
    file = skinned_quad();
    file.root["skins"][0]["joints"][1] = large;
    EXPECT_EQ(refused(file), fmt::format("JSON: skins 0: joints: expected an index, got {}", large));
    file = skinned_quad();
    file.root["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = large;
    EXPECT_EQ(refused(file), fmt::format("JSON: meshes 0: POSITION: expected an index, got {}", large));
  }

  file = skinned_quad();
  file.root["nodes"][2]["mesh"] = "0";
  EXPECT_EQ(refused(file), "JSON: nodes 2: mesh: expected a whole number of 0 or more, got the text '0'");

  file = skinned_quad();
  file.root["nodes"][1]["rotation"] = {0, 0, 2, 0};
  EXPECT_THAT(remarks(file), ElementsAre("rotation-length: node 1: its rotation has length 2, expected 1; normalised"));
  EXPECT_EQ(opened(file).skeleton->rest[1].rotation, glm::quat(0, 0, 0, 1));

  file = skinned_quad();
  file.root["scenes"][0]["nodes"] = {0, 1, 2, 2, 9};
  EXPECT_THAT(remarks(file), ElementsAre("scene-root: scene 0: node 2 is listed twice; shown once",
                                         "scene-root: scene 0: root node 9 does not exist, there are 3; left out",
                                         "scene-root: scene 0: node 1 is listed as a root but has a parent"));
}

TEST(ImportNodes, AChainOfTwentyThousand) {
  GlbBuilder file;
  for (int n = 0; n < 20000; ++n) {
    file.push("nodes", n + 1 < 20000 ? json{{"children", {n + 1}}} : json::object());
  }
  const rig::Character character = opened(file);
  EXPECT_EQ(character.skeleton->parent.back(), 19998);
}

// Accessors.

TEST(ImportAccessors, EveryComponentTypeOfPositions) {
  const auto positions = [](GlbBuilder file, int accessor) {
    file.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", accessor}}}, {"mode", 0}}}}});
    return first_primitive(opened(file)).positions.at(0);
  };
  GlbBuilder i8;
  EXPECT_EQ(positions(i8, i8.accessor(std::vector<std::int8_t>{-128, 127, 64}, test::kI8, "VEC3", true)),
            glm::vec3(-1, 1, 64.0f / 127));
  GlbBuilder u8;
  EXPECT_EQ(positions(u8, u8.accessor(std::vector<std::uint8_t>{0, 255, 51}, test::kU8, "VEC3", true)),
            glm::vec3(0, 1, 0.2f));
  GlbBuilder i16;
  EXPECT_EQ(positions(i16, i16.accessor(std::vector<std::int16_t>{-5, 7, 300}, test::kI16, "VEC3")),
            glm::vec3(-5, 7, 300));
  GlbBuilder u16;
  EXPECT_EQ(positions(u16, u16.accessor(std::vector<std::uint16_t>{0, 65535, 13107}, test::kU16, "VEC3", true)),
            glm::vec3(0, 1, 0.2f));
  GlbBuilder u32;
  EXPECT_EQ(positions(u32, u32.accessor(std::vector<std::uint32_t>{1, 2, 3}, test::kU32, "VEC3")), glm::vec3(1, 2, 3));
}

TEST(ImportAccessors, InterleavedVertices) {
  QuadFile file = skinned_quad();
  std::vector<float> vertices;
  for (int v = 0; v < 4; ++v) {
    const auto x = static_cast<float>(v);
    vertices.insert(vertices.end(), {x, 2 * x, 3 * x, 0, 1, 0});
  }
  const int view = file.view(vertices, 24);
  file.accessor_entry(file.positions)["bufferView"] = view;
  file.accessor_entry(file.normals)["bufferView"] = view;
  file.accessor_entry(file.normals)["byteOffset"] = 12;
  const rig::Character character = opened(file);
  EXPECT_EQ(first_primitive(character).positions[3], glm::vec3(3, 6, 9));
  EXPECT_EQ(first_primitive(character).normals[3], glm::vec3(0, 1, 0));
}

TEST(ImportAccessors, SparseOverZerosAndOverData) {
  QuadFile file = skinned_quad();
  const int indices = file.view(std::vector<std::uint8_t>{1, 3});
  const int values = file.view(std::vector<float>{0, 0, 7, 0, 0, 9});
  const json sparse = {{"count", 2},
                       {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                       {"values", {{"bufferView", values}}}};
  file.accessor_entry(file.positions)["sparse"] = sparse;
  file.accessor_entry(file.target)["sparse"] = sparse;
  file.accessor_entry(file.target).erase("bufferView");
  const rig::Character character = opened(file);
  EXPECT_EQ(first_primitive(character).positions[2], glm::vec3(0, 1, 0));
  EXPECT_EQ(first_primitive(character).positions[3], glm::vec3(0, 0, 9));
  EXPECT_EQ(first_primitive(character).morph_targets[0].position_deltas[1], glm::vec3(0, 0, 7));
  EXPECT_EQ(first_primitive(character).morph_targets[0].position_deltas[2], glm::vec3(0.0f));

  file.bin[file.root["bufferViews"][indices]["byteOffset"].get<std::size_t>() + 1] = 4;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: POSITION: accessor 0: sparse index 1 is 4, expected less than 4");
}

TEST(ImportAccessors, WithoutAViewTheyAreZerosButNotForFree) {
  QuadFile file = skinned_quad();
  file.accessor_entry(file.target).erase("bufferView");
  EXPECT_EQ(first_primitive(opened(file)).morph_targets[0].position_deltas[3], glm::vec3(0.0f));
  file.accessor_entry(file.target)["count"] = 4'000'000'000;
  EXPECT_EQ(
      refused(file),
      "mesh 0, primitive 0: morph target 0: POSITION: accessor 8: decoding 4000000000 elements would take more memory "
      "than a file of this size warrants");
}

TEST(ImportAccessors, BrokenTwins) {
  QuadFile file = skinned_quad();
  file.accessor_entry(file.positions)["count"] = 5;
  EXPECT_EQ(
      refused(file),
      "mesh 0, primitive 0: POSITION: accessor 0: 5 elements of 12 bytes, 12 apart from byte 0, do not fit its buffer "
      "view of 48 bytes");

  file = skinned_quad();
  file.accessor_entry(file.positions)["byteOffset"] = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(
      refused(file),
      "mesh 0, primitive 0: POSITION: accessor 0: 4 elements of 12 bytes, 12 apart from byte 18446744073709551615, do "
      "not fit its buffer view of 48 bytes");

  file = skinned_quad();
  file.root["bufferViews"][0]["byteOffset"] = 4294967288U;
  EXPECT_EQ(
      refused(file),
      fmt::format("mesh 0, primitive 0: POSITION: accessor 0: buffer view 0: 48 bytes from byte 4294967288 do not fit "
                  "buffer 0 of {} bytes",
                  file.bin.size()));

  file = skinned_quad();
  file.root["bufferViews"][0]["byteStride"] = 8;
  EXPECT_EQ(refused(file),
            "mesh 0, primitive 0: POSITION: accessor 0: byteStride 8 is less than the 12 bytes of one element");

  file = skinned_quad();
  file.root["bufferViews"][0]["byteOffset"] = -4;
  EXPECT_EQ(refused(file), "JSON: bufferViews 0: byteOffset: expected a whole number of 0 or more, got -4");

  // The parser would read a mesh without any attribute, or with other targets than the weights count.
  for (const auto& [value, got] :
       {std::pair{json("1"), "the text '1'"}, std::pair{json(1.5), "1.5"}, std::pair{json(), "null"},
        std::pair{json::object(), "an object"}, std::pair{json::array({1}), "an array"}}) {
    file = skinned_quad();
    file.attributes()["_X"] = value;
    EXPECT_EQ(refused(file), fmt::format("JSON: meshes 0: _X: expected the number of an accessor, got {}", got));
    file = skinned_quad();
    file.primitive()["targets"][0]["NORMAL"] = value;
    EXPECT_EQ(refused(file), fmt::format("JSON: meshes 0: NORMAL: expected the number of an accessor, got {}", got));
  }
  for (const auto& [value, got] : {std::pair{json("x"), "the text 'x'"}, std::pair{json(3), "3"},
                                   std::pair{json(), "null"}, std::pair{json::array(), "an array"}}) {
    file = skinned_quad();
    json& targets = file.primitive()["targets"];
    targets.insert(targets.begin(), value);
    EXPECT_EQ(refused(file), fmt::format("JSON: meshes 0: targets: expected objects, got {}", got));
  }
  for (const char* name : {"extras", "extensions"}) {
    for (const auto& [value, got] :
         {std::pair{json::object(), "an object"}, std::pair{json("x"), "the text 'x'"}, std::pair{json(), "null"}}) {
      file = skinned_quad();
      file.attributes()[name] = value;
      EXPECT_EQ(refused(file),
                fmt::format("JSON: meshes 0: {}: expected the number of an accessor, got {}", name, got));
    }
  }
  for (const bool of_target : {false, true}) {
    file = skinned_quad();
    json& crowd = of_target ? file.primitive()["targets"][0] : file.attributes();
    for (int i = 0; i < 1024; ++i) {
      crowd[fmt::format("_{}", i)] = file.positions;
    }
    EXPECT_EQ(refused(file), "JSON: meshes 0: more than 1024 attributes in one object");
  }

  file = skinned_quad();
  file.root["bufferViews"][0]["buffer"] = 1;
  EXPECT_EQ(refused(file),
            "mesh 0, primitive 0: POSITION: accessor 0: buffer view 0: buffer 1 does not exist, there are 1");

  file = skinned_quad();
  file.accessor_entry(file.positions)["bufferView"] = 99;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: POSITION: accessor 0: buffer view 99 does not exist, there are 9");

  file = skinned_quad();
  file.attributes()["POSITION"] = 99;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: POSITION: accessor 99 does not exist, there are 9");

  file = skinned_quad();
  file.accessor_entry(file.positions)["componentType"] = 5130;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: POSITION: accessor 0: component type 5130 is not one of glTF's");

  file = skinned_quad();
  file.attributes()["POSITION"] = file.weights;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: POSITION: accessor 4: expected VEC3, got VEC4");
}

// Meshes.

TEST(ImportMeshes, EveryModeBecomesPointsLinesOrTriangles) {
  const auto indices_of = [](int mode) {
    QuadFile file = skinned_quad();
    file.primitive()["mode"] = mode;
    file.primitive().erase("indices");
    return first_primitive(opened(file)).indices;
  };
  EXPECT_THAT(indices_of(0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(indices_of(1), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(indices_of(2), ElementsAre(0, 1, 1, 2, 2, 3, 3, 0));
  EXPECT_THAT(indices_of(3), ElementsAre(0, 1, 1, 2, 2, 3));
  EXPECT_THAT(indices_of(4), ElementsAre(0, 1, 2));  // the fourth vertex makes no triangle
  EXPECT_THAT(indices_of(5), ElementsAre(0, 1, 2, 1, 3, 2));
  EXPECT_THAT(indices_of(6), ElementsAre(1, 2, 0, 2, 3, 0));
}

TEST(ImportMeshes, IndicesOfEveryWidth) {
  for (const auto& [values, type] :
       {std::pair{std::vector<std::uint8_t>{3, 2, 1}, test::kU8},
        std::pair{std::vector<std::uint8_t>{3, 0, 2, 0, 1, 0}, test::kU16},
        std::pair{std::vector<std::uint8_t>{3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0}, test::kU32}}) {
    QuadFile file = skinned_quad();
    file.accessor_entry(file.indices) = {
        {"bufferView", file.view(values)}, {"componentType", static_cast<int>(type)}, {"count", 3}, {"type", "SCALAR"}};
    EXPECT_THAT(first_primitive(opened(file)).indices, ElementsAre(3, 2, 1));
  }
}

TEST(ImportMeshes, AttributesThatNothingReadsAreKeptAsStored) {
  QuadFile file = skinned_quad();
  json& attributes = file.attributes();
  // Every other 16 bits, of which the last but one come from the sparse part.
  const std::vector<std::uint16_t> spread = {1, 0, 2, 0, 3, 0, 65535, 0};
  attributes["_ID"] = file.push(
      "accessors", {{"bufferView", file.view(spread, 4)},
                    {"componentType", static_cast<int>(test::kU16)},
                    {"count", 4},
                    {"type", "SCALAR"},
                    {"sparse",
                     {{"count", 1},
                      {"indices", {{"bufferView", file.view(std::vector<std::uint8_t>{2})}, {"componentType", 5121}}},
                      {"values", {{"bufferView", file.view(std::vector<std::uint16_t>{0x1234})}}}}}});
  attributes["_TURN"] = file.push(
      "accessors", {{"bufferView", file.view(std::vector<std::int8_t>{1, 2, 0, 0, 3, 4, 0, 0, 1, 2, 0, 0, 3, 4,  0,
                                                                      0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 9, 9, -7, -8})},
                    {"componentType", static_cast<int>(test::kI8)},
                    {"count", 4},
                    {"type", "MAT2"},
                    {"normalized", true}});
  attributes["_ZERO"] = file.push("accessors", {{"componentType", 5126}, {"count", 4}, {"type", "VEC2"}});
  const rig::Character character = opened(file);
  EXPECT_THAT(character.diagnostics, IsEmpty());
  const std::vector<mesh::KeptAttribute>& kept = first_primitive(character).kept;
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(mesh::label(kept[0]), "_ID (SCALAR of UNSIGNED_SHORT)");
  EXPECT_THAT(kept[0].bytes, ElementsAre(1, 0, 2, 0, 0x34, 0x12, 0xff, 0xff));
  EXPECT_EQ(mesh::label(kept[1]), "_TURN (MAT2 of BYTE, normalised)");
  EXPECT_EQ(kept[1].count(), 4u);
  EXPECT_THAT(std::vector<std::uint8_t>(kept[1].bytes.end() - 8, kept[1].bytes.end()),
              ElementsAre(5, 6, 0, 0, 0xf9, 0xf8, 0, 0));
  EXPECT_EQ(kept[2].bytes, std::vector<std::uint8_t>(32, 0));
}

TEST(ImportMeshes, WhatCannotBeKeptIsSaid) {
  QuadFile file = skinned_quad();
  const int three = file.floats({1, 2, 3}, "SCALAR");
  const int vec3 = file.floats(std::vector<float>(12, 0.5f), "VEC3");
  const int vec2 = file.floats(std::vector<float>(8, 0.5f), "VEC2");
  const int beyond = file.floats({1, 2, 3}, "SCALAR");
  file.accessor_entry(beyond)["count"] = 4;
  json& attributes = file.attributes();
  attributes["_A"] = three;
  attributes["_B"] = beyond;
  attributes["_C"] = 99;
  attributes["TEXCOORD_0"] = attributes["TEXCOORD_1"] = vec2;
  attributes["TEXCOORD_2"] = vec3;
  attributes["TEXCOORD_3"] = vec2;
  attributes["JOINTS_2"] = file.joints;
  attributes["TEXCOORD_01"] = vec2;
  attributes["X_unused:SIZE"] = vec2;
  file.primitive()["targets"] = {{{"_A", vec2}, {"TEXCOORD_0", three}, {"TEXCOORD_2", vec2}, {"TANGENT", vec3}},
                                 {{"_A", vec2}, {"JOINTS_0", file.joints}}};
  file.root["meshes"][0]["weights"] = {0.5, 0};
  EXPECT_THAT(
      remarks(file),
      ElementsAre(
          fmt::format("attribute: mesh 0, primitive 0: TEXCOORD_2: accessor {}: expected VEC2, got VEC3; left out",
                      vec3),
          "attribute: mesh 0, primitive 0: TEXCOORD_3: set 2 of the same is missing; left out",
          "attribute: mesh 0, primitive 0: TEXCOORD_01: glTF has no attribute of that name, and others begin with an "
          "underscore; left out",
          "attribute: mesh 0, primitive 0: X_unused:SIZE: glTF has no attribute of that name, and others begin with an "
          "underscore; left out",
          "attribute: mesh 0, primitive 0: _A: expected 4 elements, one per vertex, got 3; left out",
          fmt::format("attribute: mesh 0, primitive 0: _B: accessor {}: 4 elements of 4 bytes, 4 apart from byte 0, do "
                      "not fit its buffer view of 12 bytes; left out",
                      beyond),
          fmt::format("attribute: mesh 0, primitive 0: _C: accessor 99 does not exist, there are {}; left out",
                      file.root["accessors"].size()),
          "attribute: mesh 0, primitive 0: JOINTS_2: set 1 of the same is missing; left out",
          "attribute: mesh 0, primitive 0: morph target 0: TEXCOORD_0: expected 4 elements, one per vertex, got 3; "
          "left out",
          "attribute: mesh 0, primitive 0: morph target 1: JOINTS_0: glTF moves no attribute of that name; left out",
          "attribute: mesh 0, primitive 0: morph target 0: TANGENT: the primitive has no such attribute to be moved; "
          "left out",
          "attribute: mesh 0, primitive 0: morph target 0: TEXCOORD_2: the primitive has no such attribute to be "
          "moved; left out",
          "attribute: mesh 0, primitive 0: morph target 0 and 1 more: _A: the primitive has no such attribute to be "
          "moved; left out"));
  const rig::Character character = opened(file);
  EXPECT_THAT(first_primitive(character).kept, IsEmpty());
  for (const mesh::MorphTarget& target : first_primitive(character).morph_targets) {
    EXPECT_THAT(target.kept, IsEmpty());
    EXPECT_THAT(target.tangent_deltas, IsEmpty());
  }
}

TEST(ImportMeshes, DeltasOfNormalsThatAreNotThereAreLeftOut) {
  QuadFile file = skinned_quad();
  file.attributes().erase("NORMAL");
  file.primitive()["targets"][0]["NORMAL"] = file.normals;
  const rig::Character character = opened(file);
  EXPECT_THAT(remarks(character), ElementsAre("attribute: mesh 0, primitive 0: morph target 0: NORMAL: the primitive "
                                              "has no such attribute to be moved; left out"));
  EXPECT_THAT(first_primitive(character).morph_targets[0].normal_deltas, IsEmpty());
}

TEST(ImportMeshes, BrokenTwins) {
  QuadFile file = skinned_quad();
  file.primitive()["mode"] = 7;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: mode: expected 0 to 6, got 7");

  file = skinned_quad();
  file.accessor_entry(file.positions)["count"] = 3;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: index 5 is 3, expected less than 3");

  file = skinned_quad();
  file.primitive()["indices"] = file.times;
  EXPECT_EQ(refused(file),
            "mesh 0, primitive 0: indices: accessor 6: expected unsigned integers, got component type 5126");

  file = skinned_quad();
  file.poke(file.positions, 4, {kNan});
  EXPECT_EQ(refused(file),
            "mesh 0, primitive 0: POSITION: vertex 1 is (1, nan, 0), expected finite numbers within 1e+18");

  file = skinned_quad();
  file.accessor_entry(file.normals)["count"] = 3;
  EXPECT_THAT(remarks(file),
              ElementsAre("attribute: mesh 0, primitive 0: NORMAL: expected 4 elements, one per vertex, got "
                          "3; left out"));

  file = skinned_quad();
  file.poke(file.normals, 0, {0, 0, 2, 0, 0, 0});
  EXPECT_THAT(remarks(file),
              ElementsAre("normal-length: mesh 0, primitive 0: 2 of 4 normals do not have length 1; normalised"));
  // Also what is too little to be a fault is told when it is written.
  file.poke(file.normals, 0, {0, 0, 1.001f, 0, 0, 1});
  const auto written = gltf::export_character(opened(file), {});
  ASSERT_TRUE(written);
  ASSERT_EQ(written->notes.size(), 1u);
  EXPECT_EQ(written->notes[0].code, "made-unit");
  EXPECT_EQ(written->notes[0].message, "renormalised: 1 normal, which the source has at another length than 1");

  file = skinned_quad();
  file.poke(file.weights, 0, {0.98f});
  for (const bool as_stored : {true, false}) {
    const auto whole = gltf::export_character(opened(file), {.sums_as_stored = as_stored});
    ASSERT_TRUE(whole);
    ASSERT_EQ(whole->notes.size(), as_stored ? 0u : 1u);
    EXPECT_TRUE(as_stored || whole->notes[0].message ==
                                 "the weights of 1 vertex are written with a sum of 1, as the file has another");
  }

  file = skinned_quad();
  file.poke(file.weights, 0, {0.98f});
  for (const bool as_stored : {true, false}) {
    const auto whole = gltf::export_character(opened(file), {.sums_as_stored = as_stored});
    ASSERT_TRUE(whole);
    ASSERT_EQ(whole->notes.size(), as_stored ? 0u : 1u);
    EXPECT_TRUE(as_stored || whole->notes[0].message ==
                                 "the weights of 1 vertex are written with a sum of 1, as the file has another");
  }

  file = skinned_quad();
  file.accessor_entry(file.target)["count"] = 3;
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: morph target 0: POSITION: expected 4 elements, one per vertex, got 3");

  file = skinned_quad();
  file.root["meshes"][0]["weights"] = {1, 2};
  EXPECT_THAT(remarks(file),
              ElementsAre("morph-weights: mesh 0: expected 1 morph weights, got 2; cut or filled with zeros"));

  file = skinned_quad();
  file.attributes().erase("POSITION");
  EXPECT_THAT(remarks(file), testing::Contains("no-position: mesh 0, primitive 0: it has no positions; left empty"));

  file = skinned_quad();
  file.primitive()["material"] = 3;
  EXPECT_THAT(remarks(file),
              ElementsAre("material: mesh 0, primitive 0: material 3 does not exist, there are 0; the default "
                          "is used"));
}

// Skins and weights.

TEST(ImportSkins, C7_9_WeightsThatDoNotSumToOne) {
  QuadFile file = skinned_quad();
  file.poke(file.weights, 0, {0.98f});
  EXPECT_THAT(remarks(file), ElementsAre("weight-sum: mesh 0, primitive 0: the weights of 1 of 4 vertices sum to 0.98, "
                                         "expected 1; renormalised"));
  const mesh::Influences rows = first_primitive(opened(file)).influences;
  EXPECT_EQ(rows.weights(0)[0], 1.0f);
  EXPECT_EQ(rows.stored_sum(0), 0.98f);  // as stored, the vertex falls short by 0.02 of its place
}

TEST(ImportSkins, IntegerWeightsAndMoreThanFourInfluences) {
  QuadFile file = skinned_quad();
  std::vector<std::uint8_t> weights0;
  std::vector<std::uint16_t> weights1;
  std::vector<std::uint16_t> joints1;
  for (int v = 0; v < 4; ++v) {
    weights0.insert(weights0.end(), {51, 0, 0, 0});
    weights1.insert(weights1.end(), {52428, 0, 0, 0});
    joints1.insert(joints1.end(), {1, 0, 0, 0});
  }
  file.attributes()["JOINTS_0"] = file.accessor(std::vector<std::uint8_t>(16, 0), test::kU8, "VEC4");
  file.attributes()["WEIGHTS_0"] = file.accessor(weights0, test::kU8, "VEC4", true);
  file.attributes()["JOINTS_1"] = file.accessor(joints1, test::kU16, "VEC4");
  file.attributes()["WEIGHTS_1"] = file.accessor(weights1, test::kU16, "VEC4", true);
  const mesh::Influences rows = first_primitive(opened(file)).influences;
  EXPECT_THAT(flat(rows).joint, ElementsAre(1, 0, 1, 0, 1, 0, 1, 0));
  EXPECT_NEAR(rows.weights(0)[0], 0.8f, 1e-5f);
  EXPECT_NEAR(rows.weights(0)[1], 0.2f, 1e-5f);
  // There is a place for eight, though nobody has more than two; with one set for four.
  EXPECT_EQ(rows.budget(), 8u);
  EXPECT_EQ(first_primitive(opened(skinned_quad())).influences->budget(), 4u);
}

TEST(ImportSkins, SetsBehindAGapAreLeftOut) {
  QuadFile file = skinned_quad();
  json& attributes = file.attributes();
  attributes["JOINTS_2"] = file.joints;
  attributes["WEIGHTS_2"] = file.weights;
  EXPECT_THAT(remarks(file),
              ElementsAre("attribute: mesh 0, primitive 0: JOINTS_2: set 1 of the same is missing; left out",
                          "attribute: mesh 0, primitive 0: WEIGHTS_2: set 1 of the same is missing; left out"));
  attributes.erase("JOINTS_0");
  attributes.erase("WEIGHTS_0");
  EXPECT_THAT(remarks(file),
              ElementsAre("attribute: mesh 0, primitive 0: JOINTS_2: set 0 of the same is missing; left out",
                          "attribute: mesh 0, primitive 0: WEIGHTS_2: set 0 of the same is missing; left out",
                          "skin-without-weights: node 2: it has skin 0, but mesh 0 has no joints and weights; placed "
                          "by the node"));
}

TEST(ImportSkins, JointsAsFloats) {
  QuadFile file = skinned_quad();
  std::vector<float> joints = {0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  file.attributes()["JOINTS_0"] = file.floats(joints, "VEC4");
  EXPECT_EQ(flat(first_primitive(opened(file)).influences).joint,
            flat(first_primitive(opened(skinned_quad())).influences).joint);
  joints[4] = 0.5f;
  file.attributes()["JOINTS_0"] = file.floats(joints, "VEC4");
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: JOINTS_0: vertex 1: expected a joint index, got 0.5");
}

TEST(ImportSkins, MissingInverseBindsAreIdentity) {
  QuadFile file = skinned_quad();
  file.root["skins"][0].erase("inverseBindMatrices");
  const rig::Character character = opened(file);
  EXPECT_FALSE(character.skins[0].has_inverse_binds);
  EXPECT_EQ(character.skins[0].joint_from_mesh[1], glm::mat4(1.0f));
  EXPECT_THAT(character.diagnostics, IsEmpty());
}

TEST(ImportSkins, GarbageOfAJointWithoutWeightIsHarmless) {
  QuadFile file = skinned_quad();
  file.root["skins"][0]["joints"] = {0, 1, 2};
  file.root["skins"][0]["inverseBindMatrices"] =
      file.floats({1, 0, 0, 0, 0, 1,  0, 0, 0,    0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0,
                   0, 0, 1, 0, 0, -1, 0, 1, kNan, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                  "MAT4");
  EXPECT_THAT(remarks(file),
              ElementsAre("inverse-bind: skin 0: inverse bind matrix 2 is not usable; no vertex follows its "
                          "joint, identity is used"));
}

TEST(ImportSkins, BrokenTwins) {
  QuadFile file = skinned_quad();
  file.root["skins"][0]["joints"] = {0, 9};
  EXPECT_EQ(refused(file), "skin 0: joint 1 is node 9, which does not exist, there are 3");

  file = skinned_quad();
  file.root["skins"][0]["joints"] = json::array();
  file.attributes().erase("JOINTS_0");
  file.attributes().erase("WEIGHTS_0");
  EXPECT_EQ(refused(file), "skin 0: expected at least one joint, got none");

  file = skinned_quad();
  file.root["skins"][0].erase("joints");
  EXPECT_EQ(refused(file), "skin 0: expected a list of joints, got none");

  file = skinned_quad();
  file.root["skins"][0]["joints"] = {0, 1, 2};
  EXPECT_EQ(refused(file), "skin 0: inverse bind matrices: expected 3, got 2");

  file = skinned_quad();
  file.root["skins"][0]["inverseBindMatrices"] = file.weights;
  EXPECT_EQ(refused(file), "skin 0: inverse bind matrices: expected MAT4 of floats, got VEC4 of component type 5126");

  file = skinned_quad();
  file.poke(file.inverse_binds, 16, {kNan});
  EXPECT_EQ(refused(file), "skin 0: inverse bind matrix 1 has an element that is not finite or beyond 1e+18");

  file = skinned_quad();
  file.poke(file.inverse_binds, 16, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(remarks(file),
              ElementsAre("inverse-bind-singular: skin 0: inverse bind matrix 1 is singular; its vertices collapse"));

  file = skinned_quad();
  file.poke(file.inverse_binds, 31, {0.99999994f});
  EXPECT_THAT(remarks(file), IsEmpty());
  EXPECT_EQ(opened(file).skins[0].joint_from_mesh[1][3][3], 1.0f);

  file = skinned_quad();
  file.poke(file.weights, 4, {0.5f, -0.5f});
  EXPECT_THAT(remarks(file), testing::Contains("weight-negative: mesh 0, primitive 0: 1 of 4 vertices have a weight "
                                               "below 0, down to -0.5, expected 0 to 1; taken as 0"));
  EXPECT_EQ(first_primitive(opened(file)).influences->count(1), 1U);

  file = skinned_quad();
  file.poke(file.weights, 0, {kNan});
  EXPECT_THAT(remarks(file), testing::Contains("weight-not-finite: mesh 0, primitive 0: 1 of 4 vertices have a weight "
                                               "that is no finite number, expected 0 to 1; taken as 0"));

  file = skinned_quad();
  file.poke(file.weights, 0, {0});
  EXPECT_THAT(
      remarks(file),
      ElementsAre("weight-zero: mesh 0, primitive 0: 1 of 4 vertices have no weight at all; they follow no joint"));
  EXPECT_EQ(first_primitive(opened(file)).influences->count(0), 0U);

  file = skinned_quad();
  file.bin[file.root["bufferViews"][3]["byteOffset"].get<std::size_t>() + 5] = 2;
  EXPECT_THAT(remarks(file),
              testing::Contains("weight-on-no-joint: mesh 0, primitive 0: 1 of 4 vertices have weight on "
                                "a joint that skin 0 does not have: it has 2, the largest index is 2; "
                                "that weight is dropped"));
  EXPECT_EQ(first_primitive(opened(file)).influences->count(1), 1U);

  file = skinned_quad();
  file.bin[file.root["bufferViews"][3]["byteOffset"].get<std::size_t>() + 2] = 200;  // with weight 0
  EXPECT_THAT(remarks(file),
              ElementsAre("padding-joint: mesh 0, primitive 0: 1 of 4 vertices name a joint that skin 0 does not have, "
                          "where the weight is 0; software that reads its matrix all the same reads beyond the 2 there "
                          "are"));

  file = skinned_quad();
  file.bin[file.root["bufferViews"][3]["byteOffset"].get<std::size_t>() + 5] = 0;
  EXPECT_THAT(remarks(file),
              ElementsAre("duplicate-joint: mesh 0, primitive 0: 1 of 4 vertices list a joint twice; the weights are "
                          "added"));

  file = skinned_quad();
  file.attributes().erase("WEIGHTS_0");
  EXPECT_EQ(refused(file), "mesh 0, primitive 0: JOINTS_0 without WEIGHTS_0");

  file = skinned_quad();
  file.attributes().erase("JOINTS_0");
  file.attributes().erase("WEIGHTS_0");
  EXPECT_THAT(remarks(file),
              ElementsAre("skin-without-weights: node 2: it has skin 0, but mesh 0 has no joints and weights; "
                          "placed by the node"));
}

/// The quad with as many vertices and rows as asked for, under a skin of many joints.
QuadFile with_rows(const std::vector<std::uint16_t>& joints, const std::vector<float>& weights,
                   std::size_t joint_count) {
  QuadFile file = skinned_quad();
  const std::size_t count = weights.size() / 4;
  file.root["meshes"][0]["primitives"][0] = {{"attributes",
                                              {{"POSITION", file.floats(std::vector<float>(3 * count, 0.5f), "VEC3")},
                                               {"JOINTS_0", file.accessor(joints, test::kU16, "VEC4")},
                                               {"WEIGHTS_0", file.floats(weights, "VEC4")}}}};
  file.root["meshes"][0].erase("extras");
  file.root["meshes"][0].erase("weights");
  file.root.erase("animations");
  json all = json::array({0, 1});
  for (std::size_t j = 2; j < joint_count; ++j) {
    all.push_back(file.push("nodes", {{"name", "joint " + std::to_string(j)}}));
    file.root["scenes"][0]["nodes"].push_back(all.back());
  }
  file.root["skins"][0]["joints"] = all;
  file.root["skins"][0].erase("inverseBindMatrices");
  return file;
}

// Rows are read in blocks on all threads, and four joints without a fault by a path of their own: both have to give
// what append_row() gives, row by row.
TEST(ImportInfluences, AnyRowIsWhatAppendRowMakesOfIt) {
  constexpr std::size_t kJoints = 40;
  constexpr std::size_t kRows = 9001;  // two whole blocks and a little
  std::mt19937 random(16);
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  constexpr float kDenormal = 1e-40f;
  const std::vector<float> special = {0, -0.0f, 0.25f, 0.25f, 0.5f, 1, kDenormal, 1e-30f, 3};
  for (std::size_t v = 0; v < kRows; ++v) {
    for (int k = 0; k < 4; ++k) {
      joints.push_back(static_cast<std::uint16_t>(random() % (v % 3 == 0 ? 4 : kJoints)));
      weights.push_back(v % 2 == 0 ? special[random() % special.size()]
                                   : static_cast<float>(random() % 1000) / 1000.0f);
    }
  }
  mesh::Influences expected;
  std::size_t twice = 0;
  std::size_t empty = 0;
  for (std::size_t v = 0; v < kRows; ++v) {
    mesh::append_row(expected, {joints.data() + 4 * v, 4}, {weights.data() + 4 * v, 4});
    std::set<std::uint16_t> distinct;
    std::size_t positive = 0;
    for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
      if (weights[k] > 0) {
        distinct.insert(joints[k]);
        ++positive;
      }
    }
    twice += distinct.size() < positive ? 1 : 0;
    empty += positive == 0 ? 1 : 0;
  }
  const QuadFile file = with_rows(joints, weights, kJoints);
  const rig::Character character = opened(file);
  const mesh::Influences& read_rows = first_primitive(character).influences;
  EXPECT_TRUE(read_rows == expected);
  EXPECT_THAT(remarks(file), testing::Contains(testing::HasSubstr(fmt::format(
                                 "duplicate-joint: mesh 0, primitive 0: {} of {} vertices", twice, kRows))));
  EXPECT_THAT(remarks(file), testing::Contains(testing::HasSubstr(
                                 fmt::format("weight-zero: mesh 0, primitive 0: {} of {} vertices", empty, kRows))));
}

TEST(ImportInfluences, FaultsOfManyVerticesAreCountedOnce) {
  constexpr std::size_t kRows = 9001;
  std::vector<float> weights;
  for (std::size_t v = 0; v < kRows; ++v) {
    weights.insert(weights.end(), {1, kNan, kNan, -1});
  }
  const QuadFile file = with_rows(std::vector<std::uint16_t>(4 * kRows, 0), weights, 2);
  EXPECT_THAT(remarks(file), testing::Contains(testing::HasSubstr("9001 of 9001 vertices have a weight that is no")));
  EXPECT_THAT(remarks(file), testing::Contains(testing::HasSubstr("9001 of 9001 vertices have a weight below 0")));
  for (const Diagnostic& diagnostic : opened(file).diagnostics) {
    EXPECT_TRUE(std::ranges::is_sorted(diagnostic.vertices));
    EXPECT_LE(diagnostic.vertices.size(), kMostListedVertices);
  }
}

// Clips.

TEST(ImportClips, BrokenTwinsLoseTheChannelOnly) {
  const auto remark = [](const QuadFile& file) {
    const rig::Character character = opened(file);
    EXPECT_EQ(character.clips.size(), 1U);
    EXPECT_THAT(character.clips.at(0).channels, IsEmpty());
    return character.diagnostics.size() == 1 ? character.diagnostics[0].place + ": " + character.diagnostics[0].message
                                             : "";
  };
  QuadFile file = skinned_quad();
  file.poke(file.times, 0, {1, 1});
  EXPECT_THAT(remarks(file), ElementsAre("key-order: animation 0, channel 0: 1 keys are not later than the one before, "
                                         "expected times that grow; sorted, of keys at one time the first is used"));
  EXPECT_THAT(opened(file).clips[0].channels[0].times, ElementsAre(1));
  EXPECT_THAT(opened(file).clips[0].channels[0].values, ElementsAre(0, 0, 0, 1));
  file.poke(file.times, 0, {2, 1});
  EXPECT_THAT(opened(file).clips[0].channels[0].times, ElementsAre(1, 2));
  EXPECT_THAT(opened(file).clips[0].channels[0].values, ElementsAre(0, 0, 1, 0, 0, 0, 0, 1));
  file.poke(file.times, 0, {0, kNan});
  EXPECT_EQ(remark(file), "animation 0, channel 0: the time of key 1 is nan; left out");

  file = skinned_quad();
  file.accessor_entry(file.rotations)["count"] = 1;
  EXPECT_EQ(remark(file), "animation 0, channel 0: expected 8 numbers for 2 keys, got 4; left out");

  file = skinned_quad();
  file.accessor_entry(file.times)["count"] = 0;
  EXPECT_EQ(remark(file), "animation 0, channel 0: it has no keys; left out");

  json* target = nullptr;
  file = skinned_quad();
  target = &file.root["animations"][0]["channels"][0]["target"];
  (*target)["path"] = "colour";
  EXPECT_EQ(remark(file),
            "animation 0, channel 0: path 'colour' is not translation, rotation, scale or weights; left out");

  file = skinned_quad();
  file.root["animations"][0]["channels"][0]["target"]["node"] = 9;
  EXPECT_EQ(remark(file), "animation 0, channel 0: node 9 does not exist, there are 3; left out");

  file = skinned_quad();
  file.root["animations"][0]["channels"][0]["target"]["path"] = "weights";
  EXPECT_EQ(remark(file), "animation 0, channel 0: node 1 has no morph targets; left out");

  file = skinned_quad();
  file.root["animations"][0]["samplers"][0]["interpolation"] = "BOUNCE";
  EXPECT_EQ(remark(file),
            "animation 0, channel 0: interpolation 'BOUNCE' is not STEP, LINEAR or CUBICSPLINE; left out");

  file = skinned_quad();
  file.root["animations"][0]["channels"][0]["sampler"] = 3;
  EXPECT_EQ(remark(file), "animation 0, channel 0: sampler 3 does not exist, there are 1; left out");
}

TEST(ImportClips, IntegerRotationsAndZeroOnes) {
  QuadFile file = skinned_quad();
  file.root["animations"][0]["samplers"][0]["output"] =
      file.accessor(std::vector<std::int16_t>{0, 0, 0, 32767, 0, 32767, 0, 0}, test::kI16, "VEC4", true);
  EXPECT_THAT(opened(file).clips[0].channels[0].values, ElementsAre(0, 0, 0, 1, 0, 1, 0, 0));

  file = skinned_quad();
  file.poke(file.rotations, 4, {0, 0, 0, 0});
  EXPECT_THAT(
      remarks(file),
      ElementsAre("rotation-length: animation 0, channel 0: 1 of 2 rotations do not have length 1; normalised"));
  EXPECT_THAT(opened(file).clips[0].channels[0].values, ElementsAre(0, 0, 0, 1, 0, 0, 0, 1));
}

// Containers and text.

TEST(ImportContainer, BrokenTwins) {
  const auto message = [](std::vector<std::uint8_t> bytes) {
    const auto character = read(bytes);
    EXPECT_FALSE(character);
    return character ? "" : character.error().message;
  };
  const std::vector<std::uint8_t> good = skinned_quad().glb();
  ASSERT_TRUE(read(good));
  EXPECT_EQ(message({}), "the file is empty");
  EXPECT_EQ(message({'P', 'K', 3, 4}), "neither a binary glTF nor a JSON object");
  EXPECT_EQ(message({good.begin(), good.begin() + 8}), "binary glTF: expected a header of 12 bytes, got 8");
  EXPECT_EQ(message({good.begin(), good.end() - 1}),
            fmt::format("binary glTF: the header says {} bytes, the file has {}", good.size(), good.size() - 1));
  std::vector<std::uint8_t> bytes = good;
  bytes[4] = 1;
  EXPECT_EQ(message(bytes), "binary glTF: expected version 2, got 1");
  bytes = good;
  bytes[15] = 0xff;
  EXPECT_THAT(message(bytes), testing::StartsWith("binary glTF: chunk at byte 12: expected "));
  bytes = good;
  bytes[16] = 'X';
  EXPECT_THAT(message(bytes), testing::StartsWith("binary glTF: expected the first chunk to be JSON text, got type"));
}

TEST(ImportText, BrokenTwins) {
  const auto message = [](const std::string& text) {
    const auto character = read_text(text);
    EXPECT_FALSE(character);
    return character ? "" : character.error().message;
  };
  const std::string asset = R"("asset":{"version":"2.0"})";
  ASSERT_TRUE(read_text("{" + asset + "}"));
  ASSERT_TRUE(read_text("\xef\xbb\xbf{" + asset + "}"));
  EXPECT_EQ(message("{}"), "asset: expected version 2.0, got none");
  EXPECT_EQ(message(R"({"asset":{"version":"1.0"}})"), "asset: expected version 2.0, got '1.0'");
  EXPECT_EQ(message("{" + asset), "JSON: the text ends inside 1 open brackets");
  EXPECT_EQ(message("{" + asset + ",\"x"), "JSON: the text that begins at byte 27 has no end");
  EXPECT_EQ(message("{" + asset + "}}"), "JSON: unexpected '}' at byte 27");
  EXPECT_EQ(message("{" + asset + ",\"extras\":" + std::string(600, '[') + std::string(600, ']') + "}"),
            "JSON: nested deeper than 500 levels");
  EXPECT_EQ(message("{" + asset + ",\"nodes\":[5]}"), "glTF: `nodes' does not contain an JSON object");
  EXPECT_THAT(message("{" + asset + ",\"x\":\"\xff\"}"), testing::HasSubstr("ill-formed UTF-8"));
  std::string many = "{" + asset + ",\"nodes\":[";
  for (int i = 0; i < 400'001; ++i) {
    many += "{},";
  }
  many.back() = ']';
  EXPECT_EQ(message(many + "}"), "JSON: more than 400000 elements in the arrays of the root object");
}

TEST(ImportText, HugeExtrasAreLeftOut) {
  QuadFile file = skinned_quad();
  file.root["extras"] = json::array();
  for (int i = 0; i < 600'000; ++i) {
    file.root["extras"].push_back(0);
  }
  EXPECT_THAT(remarks(file), ElementsAre("extras: file: 1 large extras or extensions are ignored"));
}

TEST(ImportText, OddNamesBecomePrintable) {
  QuadFile file = skinned_quad();
  file.root["nodes"][0]["name"] = std::string("a\0b\nc%s", 7);
  file.root["nodes"][1]["name"] = std::string(100000, 'x');
  const rig::Character character = opened(file);
  EXPECT_EQ(character.skeleton->name[0], "a?b?c%s");
  EXPECT_LE(character.skeleton->name[1].size(), 200U);
}

// URIs.

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.push_back(i + k > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * k) & 63]);
    }
  }
  return out;
}

// The text with one letter of each member's name written as \u00xx, by turns the first and the last.
std::string with_escaped_names(const std::string& text) {
  std::string out;
  bool first = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '"' ? text.find('"', at + 1) : at;
    std::string piece = text.substr(at, end + 1 - at);
    if (piece.size() > 2 && end + 1 < text.size() && text[end + 1] == ':') {
      first = !first;
      const std::size_t letter = first ? 1 : piece.size() - 2;
      piece.replace(letter, 1, fmt::format("\\u{:04x}", static_cast<unsigned char>(piece[letter])));
    }
    out += piece;
    at = end + 1;
  }
  return out;
}

TEST(Outline, NamesOfMembersMayBeWrittenWithEscapes) {
  const std::string plain = R"({"accessors":[{"count":3},{"bufferView":1,"count":2},{}],"buffers":[{"byteLength":4}],)"
                            R"("images":[{"uri":"data:image/png;base64,)" +
                            std::string(300, 'A') +
                            R"("}],)"
                            R"("nodes":[{"mesh":0,"extras":{"a":1}},{"extensions":{"X":{}}}],)"
                            R"("animations":[{"channels":[{"sampler":0,"target":{"path":"weights"}}]}],)"
                            R"("extensions":{"KHR_lights_punctual":{"lights":[]}}})";
  const auto expected = gltf::outline_json(plain);
  const std::string text = with_escaped_names(plain);  // whose characters the outline refers to
  const auto escaped = gltf::outline_json(text);
  ASSERT_TRUE(expected && escaped);
  EXPECT_EQ(escaped->accessors_without_view, expected->accessors_without_view);
  EXPECT_EQ(escaped->accessors_without_view, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(escaped->data_uris, expected->data_uris);
  EXPECT_EQ(json::parse(escaped->text), json::parse(expected->text));
  EXPECT_EQ(json::parse(escaped->buffers), json::parse(expected->buffers));
  EXPECT_EQ(json::parse(escaped->images), json::parse(expected->images));
  ASSERT_EQ(escaped->extras.size(), expected->extras.size());
  for (std::size_t i = 0; i < expected->extras.size(); ++i) {
    EXPECT_EQ(escaped->extras[i].place, expected->extras[i].place);
  }
}

TEST(Outline, GuardsKnowNamesWrittenWithEscapes) {
  for (const char* text :
       {R"({"bufferViews":[{"byteStride":1.5}]})", R"({"nodes":[{"mesh":99999999999}]})",
        R"({"nodes":[{"children":[99999999999]}]})", R"({"meshes":[{"primitives":[{"attributes":{"POSITION":[]}}]}]})",
        R"({"meshes":[{"primitives":[{"targets":[1]}]}]})",
        R"({"meshes":[{"primitives":[{"targets":[{"NORMAL":{}}]}]}]})"}) {
    const auto plain = gltf::outline_json(text);
    const auto escaped = gltf::outline_json(with_escaped_names(text));
    ASSERT_FALSE(plain) << text;
    ASSERT_FALSE(escaped) << text;
    EXPECT_EQ(escaped.error().message, plain.error().message);
  }
  // All that JSON has; and what it has not is the parser's to refuse.
  const auto place_of = [](const std::string& name) {
    const auto outline = gltf::outline_json("{\"" + name + "\":{\"extras\":1}}");
    return outline && !outline->extras.empty() ? outline->extras[0].place : std::string("none");
  };
  EXPECT_EQ(place_of(R"(\"\\\/\b\f\n\r\t)"), "/\"\\/\b\f\n\r\t");
  EXPECT_EQ(place_of(R"(\u00e9\u20AC\ud83d\ude00)"), "/\u00e9\u20ac\U0001f600");
  EXPECT_EQ(place_of(R"(\u12g4\x)"), R"(/\u12g4\x)");
  EXPECT_EQ(place_of(R"(\u12)"), R"(/\u12)");
}

TEST(ImportUris, DataUrisOfEveryLength) {
  for (std::size_t extra = 0; extra < 4; ++extra) {
    QuadFile file = skinned_quad();
    file.bin.resize(file.bin.size() + extra, 7);
    file.root["buffers"] = {
        {{"byteLength", file.bin.size()}, {"uri", "data:application/octet-stream;base64," + base64(file.bin)}}};
    auto character = read_text(file.root.dump());
    ASSERT_TRUE(character) << character.error().message;
    EXPECT_EQ(first_primitive(*character).positions, first_primitive(opened(skinned_quad())).positions);
    // A writer that escapes slashes.
    std::string text = file.root.dump();
    for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at + 2)) {
      text.insert(at, 1, '\\');
    }
    character = read_text(text);
    ASSERT_TRUE(character) << character.error().message;
    EXPECT_EQ(first_primitive(*character).positions, first_primitive(opened(skinned_quad())).positions);
  }
  QuadFile file = skinned_quad();
  file.root["buffers"] = {
      {{"byteLength", file.bin.size()}, {"uri", "data:application/octet-stream;base64,A*" + base64(file.bin)}}};
  EXPECT_EQ(read_text(file.root.dump()).error().message,
            "mesh 0, primitive 0: POSITION: accessor 0: buffer 0: its data URI is not valid base64");
}

// Images.

TEST(ImportImages, DecodedOrKeptWithARemark) {
  const rig::Image sample = test::sample_image();
  const std::vector<std::uint8_t> png = gltf::encode_png(sample.pixels, {sample.width, sample.height});
  QuadFile file = skinned_quad();
  file.push("images", {{"bufferView", file.view(png)}, {"mimeType", "image/png"}, {"name", "checker"}});
  file.push("textures", {{"source", 0}});
  rig::Character character = opened(file);
  EXPECT_EQ(character.images.at(0).width, 2);
  EXPECT_EQ(character.images[0].pixels, sample.pixels);
  EXPECT_EQ(character.images[0].encoded, png);
  EXPECT_EQ(character.images[0].mime_type, "image/png");

  const auto undecoded = gltf::import_memory(file.glb(), {}, {.decode_images = false});
  ASSERT_TRUE(undecoded);
  EXPECT_THAT(undecoded->images[0].pixels, IsEmpty());
  EXPECT_EQ(undecoded->images[0].encoded, png);

  const auto small = gltf::import_memory(file.glb(), {}, {.max_image_size = 1});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->diagnostics.at(0).message, "2 x 1 pixels, expected at most 1 on a side; shown without it");

  // The header of a bomb: 16000 x 16000 pixels from a hundred bytes.
  std::vector<std::uint8_t> bomb = png;
  for (const std::size_t at : {std::size_t{16}, std::size_t{20}}) {
    bomb[at + 2] = 0x3e;
    bomb[at + 3] = 0x80;
  }
  file.push("images", {{"bufferView", file.view(bomb)}});
  character = opened(file);
  ASSERT_EQ(character.diagnostics.size(), 1U);
  EXPECT_EQ(character.diagnostics[0].place, "image 1");
  EXPECT_EQ(character.diagnostics[0].message,
            fmt::format("16000 x 16000 pixels cannot come out of {} bytes; shown without it", bomb.size()));
}

// Memory: pictures that ask for a lot. import_memory_test.cpp has whole files that do.

// The header of a PNG, in a file of `bytes` bytes.
std::vector<std::uint8_t> png_header(std::uint32_t width, std::uint32_t height, std::uint8_t depth, std::uint8_t kind,
                                     bool interlaced, std::size_t bytes) {
  std::vector<std::uint8_t> png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  for (const std::uint32_t side : {width, height}) {
    for (const int shift : {24, 16, 8, 0}) {
      png.push_back(static_cast<std::uint8_t>(side >> shift));
    }
  }
  png.insert(png.end(), {depth, kind, 0, 0, static_cast<std::uint8_t>(interlaced ? 1 : 0), 0, 0, 0, 0});
  png.resize(bytes, 0);
  return png;
}

TEST(PictureBudget, OnePictureHasPixelsInProportionToItsBytes) {
  gltf::PictureBudget budget(1'000'000);
  const Status huge = budget.take(png_header(16384, 4000, 1, 0, false, 8192), {16384, 4000});
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().message, "16384 x 4000 pixels are more than a picture of 8192 bytes warrants");
  EXPECT_TRUE(budget.take(png_header(4096, 4096, 8, 2, false, 100), {4096, 4096}));  // of one colour
  EXPECT_FALSE(budget.take(png_header(4097, 4096, 8, 2, false, 16260), {4097, 4096}));
  EXPECT_TRUE(budget.take(png_header(4097, 4096, 8, 2, false, 16261), {4097, 4096}));  // a byte for 1032 pixels
}

TEST(PictureBudget, AllTogetherHavePixelsInProportionToTheFile) {
  const std::vector<std::uint8_t> png = png_header(4096, 4096, 8, 2, false, 100);
  gltf::PictureBudget budget(0);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(budget.take(png, {4096, 4096})) << i;
  }
  const Status fifth = budget.take(png, {1, 1});
  ASSERT_FALSE(fifth);
  EXPECT_EQ(fifth.error().message, "1 x 1 pixels are more than a file of this size warrants");
  budget.add(1);
  EXPECT_TRUE(budget.take(png, {8, 1}));
  EXPECT_FALSE(budget.take(png, {1, 1}));
}

// What stb_image holds at its peak, by its source: two copies of the samples, three of interlaced ones.
TEST(PictureBudget, DecodingTakesSeveralTimesThePicture) {
  EXPECT_EQ(gltf::decoding_bytes(png_header(10, 10, 8, 6, false, 100), {10, 10}), 800u);
  EXPECT_EQ(gltf::decoding_bytes(png_header(10, 10, 16, 6, false, 100), {10, 10}), 1600u);
  EXPECT_EQ(gltf::decoding_bytes(png_header(10, 10, 8, 6, true, 100), {10, 10}), 1200u);
  EXPECT_EQ(gltf::decoding_bytes(png_header(10, 10, 16, 6, true, 100), {10, 10}), 2400u);
  const std::vector<std::uint8_t> jpeg = {0xff, 0xd8, 0xff, 0xe0};
  EXPECT_EQ(gltf::decoding_bytes(jpeg, {10, 10}), 1600u);
}

// Progress.

TEST(ImportProgress, IsReportedAndCanCancel) {
  const std::vector<std::uint8_t> bytes = skinned_quad().glb();
  std::vector<float> fractions;
  const auto count = [&](float fraction, std::string_view what) {
    EXPECT_FALSE(what.empty());
    fractions.push_back(fraction);
    return true;
  };
  ASSERT_TRUE(gltf::import_memory(bytes, {}, {}, count));
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0f);
  for (std::size_t stop = 0; stop < fractions.size(); ++stop) {
    std::size_t calls = 0;
    const auto character = gltf::import_memory(bytes, {}, {}, [&](float, std::string_view) { return calls++ < stop; });
    ASSERT_FALSE(character) << stop;
    EXPECT_EQ(character.error().message, "cancelled");
  }
}

// Degrees of freedom in extras.

TEST(ImportDofs, ReadOrReplacedByTheDefault) {
  const auto with = [](const char* pelt) {
    QuadFile file = skinned_quad();
    file.root["nodes"][1]["extras"]["pelt"] = json::parse(pelt);
    return file;
  };
  const char* bend =
      R"({"dofs":[{"name":"bend","kind":"rotation","axis":[0,0,2],"lower":-1,"upper":2}],"offset":[0,1,0]})";
  const rig::JointDofs dofs = opened(with(bend)).skeleton->dofs[1];
  EXPECT_TRUE(dofs.authored);
  ASSERT_EQ(dofs.dofs.size(), 1U);
  EXPECT_EQ(dofs.dofs[0].axis, glm::vec3(0, 0, 1));
  EXPECT_EQ(dofs.dofs[0].upper, 2.0f);
  EXPECT_EQ(dofs.offset, glm::vec3(0, 1, 0));

  const auto remark = [&](const char* pelt) {
    const rig::Character character = opened(with(pelt));
    EXPECT_FALSE(character.skeleton->dofs[1].authored);
    return character.diagnostics.size() == 1 ? character.diagnostics[0].place + ": " + character.diagnostics[0].message
                                             : "";
  };
  EXPECT_EQ(
      remark(R"({"dofs":5})"),
      "node 1: extras.pelt: expected a list of at most 16 degrees of freedom; the default degrees of freedom are used");
  EXPECT_EQ(
      remark(R"({"dofs":[{"name":"a","kind":"bend","axis":[1,0,0],"lower":0,"upper":1}]})"),
      "node 1: extras.pelt: degree of freedom 0: 'a': kind 'bend' is not rotation, translation or scale; the default "
      "degrees of freedom are used");
  EXPECT_EQ(
      remark(R"({"dofs":[{"name":"a","kind":"rotation","axis":[0,0,0],"lower":0,"upper":1}]})"),
      "node 1: extras.pelt: degree of freedom 0: 'a': its axis is not three numbers with a direction; the default "
      "degrees of freedom are used");
  EXPECT_EQ(
      remark(R"({"dofs":[{"name":"a","kind":"rotation","axis":[1,0,0],"lower":2,"upper":1}]})"),
      "node 1: extras.pelt: degree of freedom 0: 'a': expected limits with lower <= upper; the default degrees of "
      "freedom are used");
  EXPECT_EQ(
      remark(R"({"dofs":[{"name":"a","kind":"rotation","axis":[1,0,0],"lower":0,"upper":1},
                               {"name":"b","kind":"rotation","axis":[1,1,0],"lower":0,"upper":1}]})"),
      "node 1: extras.pelt: the axes of 'a' and 'b' are not perpendicular; the default degrees of freedom are used");
}

// Extensions.

TEST(ImportExtensions, RequiredOnesAreNamed) {
  QuadFile file = skinned_quad();
  file.root["extensionsRequired"] = {"KHR_mesh_quantization", "EXT_unheard_of"};
  EXPECT_THAT(remarks(file),
              ElementsAre("extension-required: file: the file requires EXT_unheard_of, which is not supported; "
                          "it may look different"));
}

TEST(ImportExtensions, Materials) {
  QuadFile file = skinned_quad();
  file.push(
      "materials",
      {{"extensions",
        {{"KHR_materials_unlit", json::object()}, {"KHR_materials_emissive_strength", {{"emissiveStrength", 4}}}}},
       {"emissiveFactor", {1, 0.5, 0}}});
  const rig::Material material = opened(file).materials.at(0);
  EXPECT_TRUE(material.unlit);
  EXPECT_EQ(material.emissive, glm::vec3(4, 2, 0));
}

}  // namespace
}  // namespace pelt
