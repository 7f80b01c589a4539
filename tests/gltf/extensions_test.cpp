// One good file and its broken twins for each extension: what is wrong costs the value, never the character.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "gltf/export.h"
#include "gltf/import.h"
#include "gltf/opened.h"
#include "rig/appearance.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GlbBuilder;
using test::opened;
using test::QuadFile;
using test::refused;
using test::remarks;
using test::skinned_quad;
using testing::ElementsAre;
using testing::IsEmpty;

/// A file of one material with one extension, and two textures.
GlbBuilder material_with(const char* extension, json values) {
  GlbBuilder file;
  file.root["extensionsUsed"] = {extension};
  file.push("images", {{"uri", "data:image/png;base64,AAAA"}});
  file.push("textures", {{"source", 0}});
  file.push("textures", {{"source", 0}});
  file.push("materials", {{"extensions", {{extension, std::move(values)}}}});
  return file;
}
rig::Material only_material(const GlbBuilder& file) {
  return opened(file).materials.at(0);
}
/// What is said of the material itself; its image is never sound.
std::vector<std::string> material_remarks(const GlbBuilder& file) {
  std::vector<std::string> out;
  for (std::string& remark : remarks(file)) {
    if (remark.find("image: ") != 0) {
      out.push_back(std::move(remark));
    }
  }
  return out;
}

TEST(MaterialExtensions, Ior) {
  EXPECT_EQ(only_material(material_with("KHR_materials_ior", {{"ior", 1.33}})).ior, 1.33f);
  EXPECT_EQ(only_material(material_with("KHR_materials_ior", {{"ior", 0}})).ior, 0.0f);
  EXPECT_EQ(only_material(material_with("KHR_materials_ior", json::object())).ior, 1.5f);
  const GlbBuilder low = material_with("KHR_materials_ior", {{"ior", 0.25}});
  EXPECT_EQ(only_material(low).ior, 1.0f);
  EXPECT_THAT(
      material_remarks(low),
      ElementsAre("extension-value: material 0: KHR_materials_ior: ior: expected 0 or at least 1, got 0.25; 1 is "
                  "used"));
  const GlbBuilder text = material_with("KHR_materials_ior", {{"ior", "glass"}});
  EXPECT_EQ(only_material(text).ior, 1.5f);
  EXPECT_THAT(material_remarks(text),
              ElementsAre("extension-value: material 0: KHR_materials_ior: ior: expected a number of 0 or more, got "
                          "'glass'; 1.5 is used"));
}

TEST(MaterialExtensions, Specular) {
  const rig::Specular good = only_material(material_with("KHR_materials_specular",
                                                         {{"specularFactor", 0.5},
                                                          {"specularColorFactor", {0.25, 1, 2}},
                                                          {"specularTexture", {{"index", 1}}},
                                                          {"specularColorTexture", {{"index", 0}, {"texCoord", 1}}}}))
                                 .specular;
  EXPECT_EQ(good.factor, 0.5f);
  EXPECT_EQ(good.color, glm::vec3(0.25f, 1, 2));  // more than 1 is allowed
  EXPECT_EQ(good.texture.texture, 1);
  EXPECT_EQ(good.color_texture.texture, 0);
  EXPECT_EQ(good.color_texture.texcoord, 1);
  const GlbBuilder bad =
      material_with("KHR_materials_specular",
                    {{"specularFactor", 2}, {"specularColorFactor", {1, 1}}, {"specularTexture", {{"index", 7}}}});
  EXPECT_EQ(only_material(bad).specular.factor, 1.0f);
  EXPECT_EQ(only_material(bad).specular.color, glm::vec3(1.0f));
  EXPECT_EQ(only_material(bad).specular.texture.texture, -1);
  EXPECT_THAT(
      material_remarks(bad),
      ElementsAre(
          "extension-value: material 0: KHR_materials_specular: specularFactor: expected 0 to 1, got 2; 1 is used",
          "extension-value: material 0: KHR_materials_specular: specularColorFactor: expected three numbers; the "
          "default "
          "is used",
          "extension-value: material 0: KHR_materials_specular: index: expected an index below 2, got 7; left out"));
}

TEST(MaterialExtensions, Clearcoat) {
  const rig::Clearcoat good = only_material(material_with("KHR_materials_clearcoat",
                                                          {{"clearcoatFactor", 1},
                                                           {"clearcoatRoughnessFactor", 0.25},
                                                           {"clearcoatTexture", {{"index", 0}}},
                                                           {"clearcoatRoughnessTexture", {{"index", 1}}},
                                                           {"clearcoatNormalTexture", {{"index", 0}, {"scale", 2}}}}))
                                  .clearcoat;
  EXPECT_EQ(good.factor, 1.0f);
  EXPECT_EQ(good.roughness, 0.25f);
  EXPECT_EQ(good.texture.texture, 0);
  EXPECT_EQ(good.roughness_texture.texture, 1);
  EXPECT_EQ(good.normal_texture.texture, 0);
  EXPECT_EQ(good.normal_texture.strength, 2.0f);
  const GlbBuilder bad = material_with("KHR_materials_clearcoat", {{"clearcoatFactor", -1}});
  EXPECT_EQ(only_material(bad).clearcoat.factor, 0.0f);
  EXPECT_THAT(
      material_remarks(bad),
      ElementsAre("extension-value: material 0: KHR_materials_clearcoat: clearcoatFactor: expected 0 to 1, got -1; "
                  "0 is used"));
}

TEST(MaterialExtensions, Sheen) {
  const rig::Sheen good =
      only_material(material_with("KHR_materials_sheen", {{"sheenColorFactor", {0.5, 0.25, 1}},
                                                          {"sheenRoughnessFactor", 0.75},
                                                          {"sheenColorTexture", {{"index", 1}}},
                                                          {"sheenRoughnessTexture", {{"index", 0}}}}))
          .sheen;
  EXPECT_EQ(good.color, glm::vec3(0.5f, 0.25f, 1));
  EXPECT_EQ(good.roughness, 0.75f);
  EXPECT_EQ(good.color_texture.texture, 1);
  EXPECT_EQ(good.roughness_texture.texture, 0);
  const GlbBuilder bad = material_with("KHR_materials_sheen", {{"sheenColorFactor", {0, 3, true}}});
  EXPECT_EQ(only_material(bad).sheen.color, glm::vec3(0, 1, 0));
  EXPECT_EQ(material_remarks(bad).size(), 2U);
}

TEST(MaterialExtensions, Transmission) {
  const rig::Transmission good =
      only_material(material_with("KHR_materials_transmission",
                                  {{"transmissionFactor", 0.75}, {"transmissionTexture", {{"index", 1}}}}))
          .transmission;
  EXPECT_EQ(good.factor, 0.75f);
  EXPECT_EQ(good.texture.texture, 1);
  const GlbBuilder bad = material_with("KHR_materials_transmission", {{"transmissionFactor", json::array({1})}});
  EXPECT_EQ(only_material(bad).transmission.factor, 0.0f);
  EXPECT_THAT(material_remarks(bad), ElementsAre("extension-value: material 0: KHR_materials_transmission: "
                                                 "transmissionFactor: expected 0 to 1, got an array; 0 is used"));
}

/// Two nodes that share the light, if it is one.
GlbBuilder lit(json light) {
  GlbBuilder file;
  file.root["extensionsUsed"] = {"KHR_lights_punctual"};
  file.root["extensions"]["KHR_lights_punctual"]["lights"] = {std::move(light)};
  file.push("nodes", {{"extensions", {{"KHR_lights_punctual", {{"light", 0}}}}}});
  file.push("nodes", {{"extensions", {{"KHR_lights_punctual", {{"light", 0}}}}}, {"translation", {0, 2, 0}}});
  return file;
}

TEST(Lights, EachKind) {
  const rig::Character sun = opened(lit({{"type", "directional"}, {"name", "sun"}, {"intensity", 3}}));
  EXPECT_THAT(sun.diagnostics, IsEmpty());
  ASSERT_EQ(sun.lights.size(), 2U);
  EXPECT_EQ(sun.lights[1].name, "sun");
  EXPECT_EQ(sun.lights[1].joint, 1);
  EXPECT_EQ(sun.lights[1].source, 0);
  EXPECT_EQ(sun.lights[1].kind, rig::LightKind::kDirectional);
  EXPECT_EQ(sun.lights[1].intensity, 3.0f);
  EXPECT_EQ(sun.lights[1].color, glm::vec3(1.0f));
  const rig::Character bulb = opened(lit({{"type", "point"}, {"color", {1, 0.5, 0}}, {"range", 8}}));
  EXPECT_EQ(bulb.lights.at(0).kind, rig::LightKind::kPoint);
  EXPECT_EQ(bulb.lights[0].color, glm::vec3(1, 0.5f, 0));
  EXPECT_EQ(bulb.lights[0].range, 8.0f);
  const rig::Character torch =
      opened(lit({{"type", "spot"}, {"spot", {{"innerConeAngle", 0.25}, {"outerConeAngle", 0.5}}}}));
  EXPECT_EQ(torch.lights.at(0).kind, rig::LightKind::kSpot);
  EXPECT_EQ(torch.lights[0].inner_cone, 0.25f);
  EXPECT_EQ(torch.lights[0].outer_cone, 0.5f);
  EXPECT_EQ(opened(lit({{"type", "spot"}})).lights.at(0).outer_cone, 0.785398163f);
}

TEST(Lights, BrokenTwins) {
  EXPECT_THAT(
      remarks(lit({{"type", "laser"}})),
      ElementsAre("extension-value: light 0: KHR_lights_punctual: type: expected directional, point or spot, got "
                  "'laser'; left out"));
  EXPECT_THAT(
      remarks(lit({{"name", "no type"}})),
      ElementsAre("extension-value: light 0: KHR_lights_punctual: type: expected directional, point or spot, got "
                  "''; left out"));
  const GlbBuilder cones = lit({{"type", "spot"}, {"spot", {{"innerConeAngle", 1}, {"outerConeAngle", 0.5}}}});
  EXPECT_EQ(opened(cones).lights.at(0).inner_cone, 0.0f);
  EXPECT_THAT(remarks(cones),
              ElementsAre("extension-value: light 0: KHR_lights_punctual: spot: innerConeAngle: expected "
                          "less than 0.5, got 1; 0 is used"));
  GlbBuilder missing = lit({{"type", "point"}, {"intensity", -2}});
  missing.root["nodes"][0]["extensions"]["KHR_lights_punctual"]["light"] = 4;
  EXPECT_THAT(opened(missing).lights, testing::SizeIs(1));
  EXPECT_THAT(
      remarks(missing),
      ElementsAre("extension-value: light 0: KHR_lights_punctual: intensity: expected a number of 0 or more, got "
                  "-2; 0 is used",
                  "extension-value: node 0: KHR_lights_punctual: light: expected an index below 1, got 4; left "
                  "out"));
}

// Members of what is kept are looked up one by one.
TEST(Kept, ObjectsOfManyMembersAreLeftOut) {
  for (const int count : {1000, 1100}) {
    QuadFile file = skinned_quad();
    for (int i = 0; i < count; ++i) {
      file.root["nodes"][2]["extras"]["m" + std::to_string(i)] = i;
    }
    const rig::Character character = opened(file);
    const bool kept =
        std::ranges::any_of(character.kept, [](const rig::KeptJson& one) { return one.place == "/nodes/2"; });
    EXPECT_EQ(kept, count == 1000);
    EXPECT_EQ(character.diagnostics.empty(), kept) << "what is left out is told";
  }
}

TEST(Lights, ManyWithHugeExtrasAreLeftOutAsOne) {
  GlbBuilder file = lit({{"type", "point"}});
  file.root["extensions"]["KHR_lights_punctual"]["padding"] = std::vector<int>(500'001, 0);
  EXPECT_THAT(opened(file).lights, IsEmpty());
}

GlbBuilder two_variants() {
  QuadFile file = skinned_quad();
  file.root["extensionsUsed"] = {"KHR_materials_variants"};
  file.root["extensions"]["KHR_materials_variants"]["variants"] = {{{"name", "day"}}, {{"name", "night"}}};
  for (const char* name : {"plain", "blue", "black"}) {
    file.push("materials", {{"name", name}});
  }
  file.primitive()["material"] = 0;
  file.primitive()["extensions"]["KHR_materials_variants"]["mappings"] = {{{"material", 2}, {"variants", {1}}},
                                                                          {{"material", 1}, {"variants", {0}}}};
  return file;
}

TEST(Variants, EachGivesItsMaterial) {
  const rig::Character character = opened(two_variants());
  EXPECT_THAT(character.diagnostics, IsEmpty());
  EXPECT_THAT(character.variants, ElementsAre("day", "night"));
  EXPECT_THAT(rig::part_materials(character, -1), ElementsAre(0));
  EXPECT_THAT(rig::part_materials(character, 0), ElementsAre(1));
  EXPECT_THAT(rig::part_materials(character, 1), ElementsAre(2));
  EXPECT_THAT(rig::part_materials(character, 7), ElementsAre(0));
}

TEST(Variants, BrokenTwins) {
  GlbBuilder file = two_variants();
  json& mappings = file.root["meshes"][0]["primitives"][0]["extensions"]["KHR_materials_variants"]["mappings"];
  mappings = {{{"material", 9}, {"variants", {0}}}, {{"material", 1}, {"variants", {5}}}};
  EXPECT_THAT(rig::part_materials(opened(file), 0), ElementsAre(0));
  EXPECT_THAT(remarks(file),
              ElementsAre("extension-value: mesh 0, primitive 0: KHR_materials_variants: material: expected an index "
                          "below 3, got 9; left out",
                          "extension-value: mesh 0, primitive 0: KHR_materials_variants: variants: expected indices "
                          "below 2, got 5; left out"));
  mappings = {{{"material", 1}, {"variants", {0}}}, {{"material", 2}, {"variants", {0, 1}}}};
  EXPECT_THAT(rig::part_materials(opened(file), 0), ElementsAre(1));
  EXPECT_THAT(remarks(file), ElementsAre("extension-value: mesh 0, primitive 0: KHR_materials_variants: 1 variants are "
                                         "named again; the first material counts"));
}

TEST(Visibility, IsInheritedAndCanBeToggled) {
  GlbBuilder file;
  const json hides = {{"KHR_node_visibility", {{"visible", false}}}};
  file.push("nodes", {{"children", {1}}, {"extensions", hides}});
  file.push("nodes", {{"name", "below"}});
  file.push("nodes", {{"extensions", {{"KHR_node_visibility", {{"visible", true}}}}}});
  rig::Character character = opened(file);
  EXPECT_THAT(character.diagnostics, IsEmpty());
  EXPECT_THAT(character.node_hidden, ElementsAre(1, 0, 0));
  EXPECT_THAT(rig::appearance(character, {}).hidden, ElementsAre(1, 1, 0));
  EXPECT_THAT(rig::appearance(character, {.toggled = {0, 2}}).hidden, ElementsAre(0, 0, 1));
  file.root["nodes"][0]["extensions"]["KHR_node_visibility"]["visible"] = 0;
  EXPECT_THAT(opened(file).node_hidden, IsEmpty());
  EXPECT_THAT(remarks(file),
              ElementsAre("extension-value: node 0: KHR_node_visibility: visible: expected true or false, "
                          "got 0; the node is shown"));
}

TEST(Scenes, AnotherOneCanBeShown) {
  QuadFile file = skinned_quad();
  file.push("nodes", {{"name", "second"}, {"mesh", 0}, {"skin", 0}});
  file.push("nodes", {{"name", "third"}, {"mesh", 0}, {"skin", 0}});
  file.push("scenes", {{"name", "two"}, {"nodes", {0, 3, 4}}});
  rig::Character character = opened(file);
  EXPECT_EQ(character.parts.size(), 1U);
  rig::show_scene(character, 1);
  ASSERT_EQ(character.parts.size(), 2U);
  EXPECT_EQ(character.skeleton->name[character.parts[0].joint], "second");
}

/// A mesh of one point on a node with three instances.
QuadFile instanced() {
  QuadFile file;
  file.positions = file.floats({0, 0, 0}, "VEC3");
  file.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", file.positions}}}, {"mode", 0}}}}});
  const int translations = file.floats({1, 0, 0, 2, 0, 0, 3, 0, 0}, "VEC3");
  const int rotations =
      file.accessor(std::vector<std::int8_t>{0, 0, 0, 127, 0, 0, 127, 0, 127, 0, 0, 0}, test::kI8, "VEC4", true);
  const int scales = file.floats({1, 1, 1, 2, 2, 2, 3, 3, 3}, "VEC3");
  file.root["extensionsUsed"] = {"EXT_mesh_gpu_instancing"};
  file.push("nodes",
            {{"name", "tree"},
             {"mesh", 0},
             {"translation", {0, 5, 0}},
             {"extensions",
              {{"EXT_mesh_gpu_instancing",
                {{"attributes", {{"TRANSLATION", translations}, {"ROTATION", rotations}, {"SCALE", scales}}}}}}}});
  return file;
}

TEST(Instancing, EachIsANodeOfItsOwn) {
  const rig::Character character = opened(instanced());
  EXPECT_THAT(character.diagnostics, IsEmpty());
  EXPECT_THAT(character.skeleton->name, ElementsAre("tree", "tree 0", "tree 1", "tree 2"));
  EXPECT_THAT(character.skeleton->parent, ElementsAre(-1, 0, 0, 0));
  EXPECT_THAT(character.parts, testing::SizeIs(3));
  EXPECT_EQ(character.skeleton->rest[2].translation, glm::vec3(2, 0, 0));
  EXPECT_EQ(character.skeleton->rest[2].rotation, glm::quat(0, 0, 0, 1));
  EXPECT_EQ(character.skeleton->rest[3].scale, glm::vec3(3));
}

TEST(Instancing, NodesMadeOfInstancesHaveNoNumberInTheFile) {
  // The file has node 0 alone; its three instances become nodes 1 to 3.
  QuadFile file = instanced();
  file.root["nodes"][0]["children"] = {2};
  EXPECT_EQ(refused(file), "node 0: child node 2 does not exist, there are 1");

  file = instanced();
  file.push("skins", {{"joints", {0, 1}}});
  EXPECT_EQ(refused(file), "skin 0: joint 1 is node 1, which does not exist, there are 1");

  file = instanced();
  file.push("skins", {{"joints", {0}}, {"skeleton", 3}});
  file.push("scenes", {{"nodes", {0, 3}}});
  const int times = file.floats({0, 1}, "SCALAR");
  const int values = file.floats({0, 0, 0, 1, 1, 1}, "VEC3");
  const json by_pointer = {
      {"path", "pointer"},
      {"extensions", {{"KHR_animation_pointer", {{"pointer", "/nodes/2/translation"}}}}},
  };
  file.push("animations", {{"channels",
                            {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "translation"}}}},
                             {{"sampler", 0}, {"target", by_pointer}}}},
                           {"samplers", {{{"input", times}, {"output", values}}}}});
  file.root["extensions"] = {{"VRMC_vrm", {{"humanoid", {{"humanBones", {{"hips", {{"node", 1}}}}}}}}}};
  file.root["nodes"][0]["extensions"]["VRMC_node_constraint"] = {{"constraint", {{"rotation", {{"source", 1}}}}}};
  EXPECT_THAT(remarks(file),
              ElementsAre("skeleton-root: skin 0: its skeleton node 3 does not exist; ignored",
                          "scene-root: scene 0: root node 3 does not exist, there are 1; left out",
                          "extension-value: bone hips: VRMC_vrm: node: expected an index below 1, got 1; left out",
                          "extension-value: node 0: VRMC_node_constraint: rotation: source: expected an index below 1, "
                          "got 1; left out",
                          "extension-value: node 0: VRMC_node_constraint: rotation: it has no source; left out",
                          "channel: animation 0, channel 0: node 1 does not exist, there are 1; left out",
                          "channel: animation 0, channel 1: '/nodes/2/translation' names nothing that can be moved "
                          "here; left out"));
}

TEST(Instancing, WeightsOfTheNodeMoveEachInstance) {
  QuadFile file = instanced();
  file.root["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", file.positions}}};
  const int times = file.floats({0, 1}, "SCALAR");
  const int values = file.floats({0, 2}, "SCALAR");
  file.push("animations", {{"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}},
                           {"samplers", {{{"input", times}, {"output", values}}}}});
  const rig::Character character = opened(file);
  EXPECT_THAT(remarks(character), IsEmpty());
  rig::Pose pose = rig::rest_pose(character);
  rig::apply(character.clips[0], 0.5f, character.morph_offset, pose);
  EXPECT_THAT(pose.morph_weights, ElementsAre(1.0f, 1.0f, 1.0f));
}

TEST(Instancing, WhatTheNodeSaysOnceIsNotRepeatedInFull) {
  QuadFile file = instanced();
  file.root["nodes"][0]["name"] = std::string(1000, 'n');
  file.root["nodes"][0]["weights"] = {0.25, 1, 2};
  file.root["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", file.positions}}};
  const int times = file.floats({0, 1}, "SCALAR");
  const json by_pointer = {
      {"path", "pointer"},
      {"extensions", {{"KHR_animation_pointer", {{"pointer", "/meshes/0/weights/0"}}}}},
  };
  file.push("animations", {{"channels", {{{"sampler", 0}, {"target", by_pointer}}}},
                           {"samplers", {{{"input", times}, {"output", times}}}}});
  const rig::Character character = opened(file);
  EXPECT_THAT(
      remarks(character),
      ElementsAre("morph-weights: node 0, instance 0: expected 1 morph weights, got 3; cut or filled with zeros",
                  "channel: animation 0, channel 0: no node has what it moves; left out"));
  const std::string cut = std::string(192, 'n') + "…";  // 195 bytes, and a number of up to four digits
  EXPECT_THAT(std::vector<std::string>(character.skeleton->name.begin() + 1, character.skeleton->name.end()),
              ElementsAre(cut + " 0", cut + " 1", cut + " 2"));
  ASSERT_THAT(character.mesh_nodes, testing::SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(character.mesh_nodes[i].joint, static_cast<int>(i) + 1);
    EXPECT_THAT(character.mesh_nodes[i].morph_weights, ElementsAre(0.25f));
  }

  // A weight of each target at each of 4096 instances, which a file of two bytes per target asks for.
  file.root["meshes"][0]["primitives"][0]["targets"] = json(60000, json::object());
  const int many = file.push("accessors", {{"componentType", 5126}, {"count", 4096}, {"type", "VEC3"}});
  file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {{"TRANSLATION", many}};
  EXPECT_EQ(refused(file),
            "node 0, instance 0: decoding 245760000 elements would take more memory than a file of this size warrants");
}

TEST(Instancing, InstancesOfAnEmptyMeshAreLostWithANote) {
  QuadFile file = instanced();
  file.root["meshes"][0]["primitives"][0]["attributes"] = {{"_X", file.positions}};
  const auto written = gltf::export_character(opened(file), {});
  ASSERT_TRUE(written);
  ASSERT_THAT(written->notes, testing::SizeIs(1));
  EXPECT_EQ(written->notes[0].code, "instances-lost");
  EXPECT_EQ(written->notes[0].message, "its 3 instances are left out: their mesh is empty and not written");
}

json written_json(const std::vector<std::uint8_t>& glb) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  return json::parse(glb.begin() + 20, glb.begin() + 20 + length);
}

/// instanced() with numbers and colours of its instances.
QuadFile numbered_instances() {
  QuadFile file = instanced();
  json& attributes = file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
  attributes["_ID"] = file.accessor(std::vector<std::uint16_t>{7, 65535, 9}, test::kU16, "SCALAR");
  attributes["_TINT"] = file.accessor(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 255}, test::kU8, "VEC3", true);
  return file;
}

TEST(Instancing, InstancesAreWrittenAsTheyWereReadWithAttributesOfTheirOwn) {
  const rig::Character character = opened(numbered_instances());
  EXPECT_THAT(character.diagnostics, IsEmpty());
  ASSERT_THAT(character.instances, testing::SizeIs(1));
  EXPECT_EQ(character.instances[0].joint, 0);
  EXPECT_THAT(character.instances[0].joints, ElementsAre(1, 2, 3));
  ASSERT_THAT(character.instances[0].kept, testing::SizeIs(2));
  EXPECT_EQ(mesh::label(character.instances[0].kept[0]), "_ID (SCALAR of UNSIGNED_SHORT)");
  EXPECT_EQ(mesh::label(character.instances[0].kept[1]), "_TINT (VEC3 of UNSIGNED_BYTE, normalised)");
  for (const bool quantize : {false, true}) {
    const auto written = gltf::export_character(character, {.quantize = quantize});
    ASSERT_TRUE(written);
    EXPECT_THAT(written->notes, IsEmpty());
    const json root = written_json(written->files[0].bytes);
    EXPECT_EQ(root["nodes"].size(), 1u);
    const json& attributes = root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
    EXPECT_EQ(attributes.size(), 5u);
    EXPECT_EQ(root["accessors"][attributes["_ID"].get<std::size_t>()]["componentType"], 5123);
    EXPECT_EQ(root["accessors"][attributes["_TINT"].get<std::size_t>()]["normalized"], true);
    auto again = gltf::import_memory(written->files[0].bytes, {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->skeleton->name, character.skeleton->name);
    EXPECT_EQ(again->skeleton->rest[2], character.skeleton->rest[2]);
    EXPECT_EQ(again->instances[0].kept, character.instances[0].kept);
    const auto twice = gltf::export_character(*again, {.quantize = quantize});
    ASSERT_TRUE(twice);
    EXPECT_TRUE(twice->files[0].bytes == written->files[0].bytes);
  }
}

TEST(Instancing, QuantizedInstancesStayWhereTheyAre) {
  QuadFile file = instanced();
  file.poke(file.positions, 0, {5, 0, 3});
  const int two = file.floats({5, 0, 3, 7, 1, 3}, "VEC3");
  file.root["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = two;
  const rig::Character character = opened(file);
  const auto written = gltf::export_character(character, {.quantize = true});
  ASSERT_TRUE(written);
  const json root = written_json(written->files[0].bytes);
  EXPECT_EQ(root["nodes"].size(), 1u);
  EXPECT_THAT(root["extensionsRequired"], testing::Contains("EXT_mesh_gpu_instancing"));
  const auto plain = gltf::export_character(character, {});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(written_json(plain->files[0].bytes).contains("extensionsRequired"));
  const auto again = gltf::import_memory(written->files[0].bytes, {});
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->skeleton->size(), 4);
  const rig::Pose before = rig::rest_pose(character);
  const rig::Pose after = rig::rest_pose(*again);
  for (int j = 1; j < 4; ++j) {
    for (std::size_t v = 0; v < 2; ++v) {
      const glm::vec4 expected =
          rig::local_matrix(before, j) * glm::vec4(character.meshes[0].primitives[0].positions[v], 1);
      const glm::vec4 actual = rig::local_matrix(after, j) * glm::vec4(again->meshes[0].primitives[0].positions[v], 1);
      EXPECT_LE(glm::distance(expected, actual), 3 * 2 * 1e-5f) << j;  // 1/65535 of 2 m, scaled by up to 3
    }
  }
}

TEST(Instancing, WhatSomethingElseRefersToIsWrittenAsNodes) {
  const rig::Character character = opened(instanced());
  const auto node_count = [](const rig::Character& changed) {
    const auto written = gltf::export_character(changed, {});
    return written ? written_json(written->files[0].bytes)["nodes"].size() : 0;
  };
  EXPECT_EQ(node_count(character), 1u);
  rig::Skin skin;
  skin.joints = {0};
  skin.has_inverse_binds = false;
  rig::Character skinned = character;
  skinned.skins.push_back(skin);
  EXPECT_EQ(node_count(skinned), 1u) << "the node that carries the instances is one in any case";
  skinned.skins.edit(0).skeleton_root = 2;
  EXPECT_EQ(node_count(skinned), 4u);
  skinned.skins.edit(0).skeleton_root = -1;
  skinned.skins.edit(0).joints = {0, 3};
  EXPECT_EQ(node_count(skinned), 4u);
  rig::Character seen = character;
  rig::Camera camera;
  camera.joint = 1;
  seen.cameras.push_back(camera);
  EXPECT_EQ(node_count(seen), 4u);
  rig::Character lit = character;
  rig::Light light;
  light.joint = 1;
  lit.lights.push_back(light);
  EXPECT_EQ(node_count(lit), 4u);
  rig::Character shown = character;
  shown.scenes.edit()[0].roots.push_back(2);
  EXPECT_EQ(node_count(shown), 4u);
}

TEST(Instancing, WhatClipsMoveIsWrittenAsNodes) {
  QuadFile file = numbered_instances();
  file.root["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", file.positions}}};
  const int times = file.floats({0, 1}, "SCALAR");
  file.push("animations", {{"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}},
                           {"samplers", {{{"input", times}, {"output", times}}}}});
  const auto written = gltf::export_character(opened(file), {});
  ASSERT_TRUE(written);
  EXPECT_EQ(written_json(written->files[0].bytes)["nodes"].size(), 4u);
  ASSERT_THAT(written->notes, testing::SizeIs(1));
  EXPECT_EQ(written->notes[0].message,
            "its instances are written as nodes, without _ID (SCALAR of UNSIGNED_SHORT) and 1 more");

  const int many = file.push("accessors", {{"componentType", 5126}, {"count", 5000}, {"type", "VEC3"}});
  file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {{"TRANSLATION", many}};
  const auto cut = gltf::export_character(opened(file), {});
  ASSERT_TRUE(cut);
  ASSERT_THAT(cut->notes, testing::SizeIs(1));
  EXPECT_EQ(cut->notes[0].message, "its instances are written as nodes, without the 904 that are not shown");
}

TEST(Instancing, ASkinnedMeshIsShownOnce) {
  QuadFile file = skinned_quad();
  const int translations = file.floats({1, 0, 0, 2, 0, 0}, "VEC3");
  file.root["nodes"][2]["extensions"] = {
      {"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", translations}}}}}};
  EXPECT_THAT(opened(file).parts, testing::SizeIs(1));
  EXPECT_THAT(
      remarks(file),
      ElementsAre(
          "instances-unshown: node 2: EXT_mesh_gpu_instancing: a skinned mesh is not repeated: it does not follow "
          "its node, so an instance's transform has nothing to apply to"));
}

TEST(Instancing, WhatIsNotShownIsWrittenBack) {
  QuadFile file = skinned_quad();  // node 2 carries a skinned mesh
  std::vector<float> places;
  for (int i = 0; i < 5000; ++i) {
    places.insert(places.end(), {static_cast<float>(i), 0, 1});
  }
  const int translations = file.floats(places, "VEC3");
  const int rotations = file.accessor(std::vector<std::int8_t>{90, 0, 0, 90, 0, 127, 0, 0}, test::kI8, "VEC4", true);
  const int point = file.floats({0.25f, 0.5f, 2, 1.25f, 0.5f, 2}, "VEC3");
  std::vector<std::uint16_t> numbers(5000);
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{7});
  const int ids = file.accessor(numbers, test::kU16, "SCALAR");
  const auto instances = [](json attributes) -> json {
    return {{"EXT_mesh_gpu_instancing", {{"attributes", std::move(attributes)}}}};
  };
  file.push("meshes", {{"primitives", {{{"attributes", {{"POSITION", point}}}, {"mode", 0}}}}});
  file.root["nodes"][2]["extensions"] = instances({{"ROTATION", rotations}});
  file.push("nodes", {{"mesh", 1}, {"extensions", instances({{"TRANSLATION", translations}, {"_ID", ids}})}});
  file.push("nodes", {{"mesh", 1}, {"extensions", instances({{"TRANSLATION", translations}})}});
  file.root["scenes"][0]["nodes"] = {0, 2, 3, 4};
  const rig::Character character = opened(file);
  EXPECT_THAT(remarks(character),
              ElementsAre("instances-unshown: node 2: EXT_mesh_gpu_instancing: a skinned mesh is not repeated: it does "
                          "not follow its node, so an instance's transform has nothing to apply to",
                          "instances-unshown: node 3: EXT_mesh_gpu_instancing: 4096 of 5000 instances are shown; more "
                          "than 4096 of them or 4000000 vertices are too many",
                          "instances-unshown: node 4: EXT_mesh_gpu_instancing: 1 of 5000 instances are shown; more "
                          "than 4096 of them or 4000000 vertices are too many"));
  EXPECT_THAT(character.parts, testing::SizeIs(1 + 4096 + 1));
  for (const bool quantize : {false, true}) {
    const auto written = gltf::export_character(character, {.quantize = quantize});
    ASSERT_TRUE(written);
    EXPECT_THAT(written->notes, IsEmpty());
    const auto again = gltf::import_memory(written->files[0].bytes, {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(remarks(*again), remarks(character));
    ASSERT_THAT(again->instances, testing::SizeIs(3));
    EXPECT_THAT(again->instances[0].joints, IsEmpty());
    EXPECT_EQ(again->instances[0].unshown, character.instances[0].unshown);
    EXPECT_EQ(again->instances[1].kept, character.instances[1].kept);
    for (const std::size_t group : {1u, 2u}) {
      ASSERT_THAT(again->instances[group].unshown, testing::SizeIs(group == 1 ? 904 : 4999));
      // As the last that is shown, which rest poses place.
      const auto points = [&](const rig::Character& of, const Transform& place) {
        std::vector<glm::vec3> out;
        for (const glm::vec3& position : of.meshes[1].primitives[0].positions) {
          out.push_back(glm::vec3(to_matrix(place) * glm::vec4(position, 1)));
        }
        return out;
      };
      const std::vector<glm::vec3> before = points(character, character.instances[group].unshown.back());
      const std::vector<glm::vec3> after = points(*again, again->instances[group].unshown.back());
      for (std::size_t v = 0; v < 2; ++v) {
        EXPECT_LE(glm::distance(before[v], after[v]), 5000 * 1e-7f + 1e-5f);
      }
    }
    const auto twice = gltf::export_character(*again, {.quantize = quantize});
    ASSERT_TRUE(twice);
    EXPECT_TRUE(twice->files[0].bytes == written->files[0].bytes);
  }
}

TEST(Instancing, CountsThatOverflowAreRefused) {
  const json root = {
      {"asset", {{"version", "2.0"}}},
      {"accessors", {{{"componentType", 5126}, {"count", 18446744073709551615U}, {"type", "VEC3"}}}},
      {"meshes", {{{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}}}},
      {"nodes",
       {{{"mesh", 0}, {"extensions", {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", 0}}}}}}}}}}};
  EXPECT_FALSE(gltf::import_memory(GlbBuilder::glb_of(root.dump(), {}), {}));
}

TEST(Kept, ExtrasAtVeryLongPlacesAreLeftOut) {
  GlbBuilder file = skinned_quad();
  const std::string name(1000, 'k');
  file.root[name] = {{{"extras", 1}}, {{"extras", "a"}}, {{"extras", {{"b", 2}}}}};
  const rig::Character character = opened(file);
  for (const rig::KeptJson& kept : character.kept) {
    EXPECT_LE(kept.place.size(), 256u);
  }
  EXPECT_THAT(remarks(file), ElementsAre("extras: file: 3 large extras or extensions are ignored"));
}

TEST(Instancing, BrokenTwins) {
  QuadFile file = instanced();
  json& attributes = file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
  attributes["ROTATION"] = attributes["SCALE"];
  EXPECT_THAT(opened(file).parts, testing::SizeIs(3));
  EXPECT_THAT(remarks(file),
              ElementsAre("extension-value: node 0: EXT_mesh_gpu_instancing: ROTATION: accessor 3: expected "
                          "VEC4, got VEC3; left out"));

  file = instanced();
  // Their places would take more than a file of this size may ask for.
  const int many = file.push("accessors", {{"componentType", 5121}, {"count", 50'000'000}, {"type", "SCALAR"}});
  file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {{"_ID", many}};
  rig::Character character = opened(file);
  EXPECT_THAT(character.parts, testing::SizeIs(4096));
  EXPECT_THAT(remarks(character),
              ElementsAre("instances-unshown: node 0: EXT_mesh_gpu_instancing: 4096 of 50000000 instances are "
                          "shown; more than 4096 of them or 4000000 vertices are too many",
                          "extension-value: node 0: EXT_mesh_gpu_instancing: there is no room to keep the 49995904 "
                          "instances that are not shown; they are left out"));
  EXPECT_EQ(character.instances.at(0).kept.at(0).count(), 4096u);

  // Where none is shown nothing is left to write.
  file = skinned_quad();
  const int more = file.push("accessors", {{"componentType", 5121}, {"count", 50'000'000}, {"type", "SCALAR"}});
  file.root["nodes"][2]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {{"_ID", more}};
  character = opened(file);
  EXPECT_THAT(
      remarks(character),
      testing::Contains("extension-value: node 2: EXT_mesh_gpu_instancing: there is no room to keep the 50000000 "
                        "instances that are not shown; they are left out"));
  EXPECT_THAT(character.instances, IsEmpty());
  const auto written = gltf::export_character(character, {});
  ASSERT_TRUE(written);
  EXPECT_FALSE(written_json(written->files[0].bytes)["nodes"][2].contains("extensions"));

  file = instanced();
  file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"] = json::object();
  EXPECT_THAT(remarks(file), ElementsAre("extension-value: node 0: EXT_mesh_gpu_instancing: it has no instances; its "
                                         "mesh is shown once"));

  file = instanced();
  json& named = file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
  named["COLOR_0"] = named["SCALE"];
  EXPECT_THAT(remarks(file),
              ElementsAre("extension-value: node 0: EXT_mesh_gpu_instancing: COLOR_0: instances have no attribute of "
                          "that name, and others begin with an underscore; left out"));

  file = instanced();
  file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["ROTATION"] =
      file.floats({0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0}, "VEC4");
  EXPECT_THAT(remarks(file), ElementsAre("extension-value: node 0: EXT_mesh_gpu_instancing: ROTATION: 2 of 3 do not "
                                         "have length 1; normalised"));

  file = numbered_instances();
  json& numbered = file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
  numbered["_ID"] = file.floats({1, 2}, "SCALAR");
  numbered["_TINT"] = 99;
  EXPECT_THAT(opened(file).instances.at(0).kept, IsEmpty());
  EXPECT_THAT(remarks(file),
              testing::UnorderedElementsAre(
                  fmt::format("extension-value: node 0: EXT_mesh_gpu_instancing: _TINT: accessor 99 does not exist, "
                              "there are {}; left out",
                              file.root["accessors"].size()),
                  "extension-value: node 0: EXT_mesh_gpu_instancing: _ID: expected 3 elements, one per instance, got "
                  "2; left out"));

  file = numbered_instances();
  file.root["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["_ID"] = "x";
  EXPECT_THAT(remarks(file),
              ElementsAre("extension-value: node 0: EXT_mesh_gpu_instancing: _ID: expected the number of "
                          "an accessor, got 'x'; left out"));

  file = instanced();
  file.root["nodes"][0].erase("mesh");
  character = opened(file);
  EXPECT_THAT(remarks(character),
              ElementsAre("instances-unshown: node 0: EXT_mesh_gpu_instancing: it has no mesh to repeat"));
  EXPECT_THAT(character.instances.at(0).unshown, testing::SizeIs(3));
}

/// A channel that moves what a pointer names between two values at 0 s and 1 s.
void move(QuadFile& file, const std::string& pointer, const std::vector<float>& values, const std::string& type) {
  const int output = file.floats(values, type);
  json& animation = file.root["animations"][0];
  animation["samplers"].push_back({{"input", file.times}, {"output", output}});
  animation["channels"].push_back(
      {{"sampler", animation["samplers"].size() - 1},
       {"target", {{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", pointer}}}}}}}});
}

TEST(AnimationPointer, MovesWhatHasANumberHere) {
  QuadFile file = skinned_quad();
  file.root["extensionsUsed"] = {"KHR_animation_pointer"};
  file.push("materials", {{"emissiveFactor", {1, 0.5, 0}},
                          {"extensions", {{"KHR_materials_emissive_strength", {{"emissiveStrength", 2}}}}}});
  file.push("cameras", {{"type", "perspective"}, {"perspective", {{"yfov", 0.5}, {"znear", 1}}}});
  file.root["nodes"][0]["camera"] = 0;
  file.root["extensions"]["KHR_lights_punctual"]["lights"] = {{{"type", "point"}}};
  file.root["nodes"][0]["extensions"] = {{"KHR_lights_punctual", {{"light", 0}}}};
  move(file, "/nodes/0/translation", {0, 0, 0, 2, 0, 0}, "VEC3");
  move(file, "/nodes/2/extensions/KHR_node_visibility/visible", {1, 0}, "SCALAR");
  move(file, "/materials/0/pbrMetallicRoughness/baseColorFactor", {0, 0, 0, 0, 1, 1, 1, 1}, "VEC4");
  move(file, "/materials/0/extensions/KHR_materials_emissive_strength/emissiveStrength", {0, 4}, "SCALAR");
  move(file, "/materials/0/normalTexture/extensions/KHR_texture_transform/offset", {0, 0, 1, 2}, "VEC2");
  move(file, "/cameras/0/perspective/yfov", {0.5, 1}, "SCALAR");
  move(file, "/extensions/KHR_lights_punctual/lights/0/intensity", {0, 8}, "SCALAR");
  const rig::Character character = opened(file);
  EXPECT_THAT(remarks(character), IsEmpty());
  ASSERT_EQ(character.clips[0].channels.size(), 2U);
  EXPECT_EQ(character.clips[0].channels[1].path, rig::ChannelPath::kTranslation);
  const rig::Appearance middle = rig::appearance(character, {.clip = 0, .time = 0.5f});
  EXPECT_EQ(middle.materials[0].base_color, glm::vec4(0.5f));
  EXPECT_EQ(middle.materials[0].emissive, glm::vec3(2, 1, 0));
  EXPECT_EQ(middle.materials[0].normal_texture.transform.offset, glm::vec2(0.5f, 1));
  EXPECT_EQ(middle.cameras[0].yfov, 0.75f);
  EXPECT_EQ(middle.lights[0].intensity, 4.0f);
  EXPECT_THAT(middle.hidden, ElementsAre(0, 0, 0));
  EXPECT_THAT(rig::appearance(character, {.clip = 0, .time = 1}).hidden, ElementsAre(0, 0, 1));
  EXPECT_EQ(rig::appearance(character, {}).materials[0].emissive, glm::vec3(2, 1, 0));  // as the file has it
}

TEST(AnimationPointer, EmissiveKeysAreWrittenWithinOne) {
  QuadFile file = skinned_quad();
  file.root["extensionsUsed"] = {"KHR_animation_pointer"};
  file.push("materials", {{"extensions", {{"KHR_materials_emissive_strength", {{"emissiveStrength", 8}}}}}});
  move(file, "/materials/0/emissiveFactor", {0, 0, 0, 1, 0.5f, 0}, "VEC3");
  const auto written = gltf::export_glb(opened(file));
  ASSERT_TRUE(written);
  const auto again = gltf::import_memory(*written, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->materials[0].emissive, glm::vec3(0.0f));
  EXPECT_EQ(rig::appearance(*again, {.clip = 0, .time = 1}).materials[0].emissive, glm::vec3(8, 4, 0));
  const std::string text(written->begin(), written->end());
  EXPECT_NE(text.find(R"("emissiveStrength":8)"), std::string::npos);
}

/// The quad with a second morph target, and a second node that shows it with weights of its own.
QuadFile two_targets() {
  QuadFile file = skinned_quad();
  file.primitive()["targets"].push_back({{"POSITION", file.target}});
  file.root["meshes"][0]["weights"] = {0.5, 0.25};
  file.root["meshes"][0]["extras"]["targetNames"] = {"lift", "more"};
  file.push("nodes", {{"mesh", 0}, {"skin", 0}, {"weights", {0.125, 0}}});
  file.root["scenes"][0]["nodes"].push_back(3);
  file.root["extensionsUsed"] = {"KHR_animation_pointer"};
  return file;
}

TEST(AnimationPointer, MovesSingleMorphWeights) {
  QuadFile file = two_targets();
  move(file, "/nodes/2/weights/1", {0, 1}, "SCALAR");
  move(file, "/nodes/3/weights/0", {0, 4}, "SCALAR");
  const rig::Character character = opened(file);
  EXPECT_THAT(remarks(character), IsEmpty());
  rig::Pose pose = rig::rest_pose(character);
  ASSERT_THAT(pose.morph_weights, ElementsAre(0.5f, 0.25f, 0.125f, 0.0f));
  rig::apply(character.clips[0], 0.75f, character.morph_offset, pose);
  EXPECT_THAT(pose.morph_weights, ElementsAre(0.5f, 0.75f, 3.0f, 0.0f));

  // Written as they were read, with the weights that the pointers name.
  const auto written = gltf::export_glb(character);
  ASSERT_TRUE(written);
  const auto again = gltf::import_memory(*written, {});
  ASSERT_TRUE(again);
  EXPECT_THAT(again->extensions_used, ElementsAre("KHR_animation_pointer"));
  rig::Pose same = rig::rest_pose(*again);
  rig::apply(again->clips[0], 0.75f, again->morph_offset, same);
  EXPECT_EQ(same.morph_weights, pose.morph_weights);
}

TEST(AnimationPointer, WeightsOfAMeshMoveTheNodesThatHaveNoneOfTheirOwn) {
  for (const bool whole : {false, true}) {
    QuadFile file = two_targets();
    file.push("nodes", {{"mesh", 0}, {"skin", 0}});
    if (whole) {
      move(file, "/meshes/0/weights", {0, 0, 1, 2}, "SCALAR");
    } else {
      move(file, "/meshes/0/weights/1", {0, 2}, "SCALAR");
    }
    const rig::Character character = opened(file);
    EXPECT_THAT(remarks(character), IsEmpty());
    rig::Pose pose = rig::rest_pose(character);
    rig::apply(character.clips[0], 0.5f, character.morph_offset, pose);
    EXPECT_THAT(pose.morph_weights, ElementsAre(0.5f, 1.0f, 0.125f, 0.0f, 0.5f, 1.0f));
  }
}

TEST(AnimationPointer, WeightsOfAMeshMoveTheOtherNodesWhereOneIsMovedAlready) {
  for (const int moved : {2, 3}) {
    QuadFile file = two_targets();
    file.root["nodes"][3].erase("weights");
    move(file, fmt::format("/nodes/{}/weights/1", moved), {0, 1}, "SCALAR");
    move(file, "/meshes/0/weights/1", {0, 4}, "SCALAR");
    const rig::Character character = opened(file);
    EXPECT_THAT(remarks(character),
                ElementsAre("channel: animation 0, channel 2: another channel moves the same property; "
                            "it moves 1 of 2 nodes"));
    rig::Pose pose = rig::rest_pose(character);
    rig::apply(character.clips[0], 0.5f, character.morph_offset, pose);
    EXPECT_THAT(pose.morph_weights,
                moved == 2 ? ElementsAre(0.5f, 0.5f, 0.5f, 2.0f) : ElementsAre(0.5f, 2.0f, 0.5f, 0.5f));
  }
}

TEST(AnimationPointer, AWeightIsMovedOnce) {
  QuadFile file = two_targets();
  file.root["nodes"][2]["weights"] = {0, 0};
  move(file, "/nodes/2/weights/0", {0, 1}, "SCALAR");
  move(file, "/nodes/2/weights", {0, 1, 0, 1}, "SCALAR");
  move(file, "/nodes/2/weights/0", {0, 1}, "SCALAR");
  move(file, "/nodes/3/weights", {0, 1, 0, 1}, "SCALAR");
  move(file, "/nodes/3/weights/1", {0, 1}, "SCALAR");
  move(file, "/nodes/3/weights/2", {0, 1}, "SCALAR");
  move(file, "/nodes/0/weights/0", {0, 1}, "SCALAR");
  move(file, "/nodes/2/weights/x", {0, 1}, "SCALAR");
  move(file, "/meshes/0/weights/0", {0, 1}, "SCALAR");
  const rig::Character character = opened(file);
  EXPECT_EQ(character.clips[0].channels.size(), 3U);
  EXPECT_THAT(
      remarks(character),
      ElementsAre("channel: animation 0, channel 2: another channel moves the same property; left out",
                  "channel: animation 0, channel 3: another channel moves the same property; left out",
                  "channel: animation 0, channel 5: another channel moves the same property; left out",
                  "channel: animation 0, channel 6: morph target 2 does not exist, node 3 has 2; left out",
                  "channel: animation 0, channel 7: node 0 has no morph targets; left out",
                  "channel: animation 0, channel 8: '/nodes/2/weights/x' names nothing that can be moved here; left "
                  "out",
                  "channel: animation 0, channel 9: no node has what it moves; left out"));
}

TEST(AnimationPointer, BrokenTwinsLoseTheChannelOnly) {
  QuadFile file = skinned_quad();
  for (const char* pointer : {"/meshes/0/name", "/materials/0/alphaCutoff", "nodes", "/nodes/1/rotation"}) {
    move(file, pointer, {0, 1}, "SCALAR");
  }
  EXPECT_THAT(
      remarks(file),
      ElementsAre("channel: animation 0, channel 1: '/meshes/0/name' names nothing that can be moved here; left out",
                  "channel: animation 0, channel 2: '/materials/0/alphaCutoff' names nothing that can be moved "
                  "here; left out",
                  "channel: animation 0, channel 3: 'nodes' names nothing that can be moved here; left out",
                  "channel: animation 0, channel 4: expected 8 numbers for 2 keys, got 2; left out"));
}

TEST(Vrm, HumanBonesOfBothVersions) {
  QuadFile file = skinned_quad();
  file.root["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"] = {{"hips", {{"node", 0}}}, {"spine", {{"node", 1}}}};
  rig::Character character = opened(file);
  EXPECT_EQ(character.vrm, 1);
  ASSERT_EQ(character.humanoid.size(), 2U);
  EXPECT_EQ(character.humanoid[1].role, "spine");
  EXPECT_EQ(character.humanoid[1].joint, 1);

  file = skinned_quad();
  file.root["extensions"]["VRM"]["humanoid"]["humanBones"] = {
      {{"bone", "hips"}, {"node", 0}}, {{"bone", "spine"}, {"node", 40}}, {{"bone", "chest"}, {"node", 0}}};
  character = opened(file);
  EXPECT_EQ(character.vrm, 0);
  ASSERT_EQ(character.humanoid.size(), 1U);
  EXPECT_EQ(character.humanoid[0].role, "hips");
  EXPECT_THAT(
      remarks(character),
      ElementsAre("extension-value: bone spine: VRM: node: expected an index below 3, got 40; left out",
                  "extension-value: bone chest: VRM: node 0 or the bone itself is named a second time; left out"));
}

// Also where nodes are numbered anew, so that the file's own words for them cannot be kept.
TEST(Vrm, ConstraintsAreWritten) {
  QuadFile file = skinned_quad();
  const auto follow = [&](std::size_t node, const json& constraint) {
    file.root["nodes"][node]["extensions"]["VRMC_node_constraint"] = {{"specVersion", "1.0"},
                                                                      {"constraint", constraint}};
  };
  follow(0, {{"roll", {{"source", 1}, {"rollAxis", "Z"}, {"weight", 0.25}}}});
  follow(1, {{"rotation", {{"source", 2}}}});
  follow(2, {{"aim", {{"source", 3}, {"aimAxis", "NegativeY"}, {"weight", 0.75}}}});
  file.root["nodes"].push_back({{"name", "target"}});
  file.root["scenes"][0]["nodes"].push_back(3);
  for (const bool anew : {false, true}) {
    rig::Character character = opened(file);
    ASSERT_EQ(character.constraints.size(), 3U);
    if (anew) {
      character.skeleton.edit().source_node.assign(character.skeleton->size(), -1);
    }
    const auto exported = gltf::export_character(character, {});
    ASSERT_TRUE(exported) << exported.error().message;
    const auto again = gltf::import_memory(exported->files.front().bytes, {});
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(again->constraints.size(), 3U) << anew;
    for (const rig::NodeConstraint& one : character.constraints) {
      const std::string& name = character.skeleton->name[one.joint];
      const auto same = std::ranges::find_if(again->constraints, [&](const rig::NodeConstraint& other) {
        return again->skeleton->name[other.joint] == name;
      });
      ASSERT_NE(same, again->constraints.end()) << name;
      EXPECT_EQ(same->kind, one.kind);
      EXPECT_EQ(again->skeleton->name[same->source], character.skeleton->name[one.source]);
      EXPECT_EQ(same->axis, one.axis);
      EXPECT_EQ(same->weight, one.weight);
    }
  }
}

TEST(Vrm, Constraints) {
  const auto constrained = [](const json& first, const json& second = {}) {
    QuadFile file = skinned_quad();
    file.root["nodes"][0]["extensions"]["VRMC_node_constraint"] = {{"specVersion", "1.0"}, {"constraint", first}};
    if (!second.is_null()) {
      file.root["nodes"][1]["extensions"]["VRMC_node_constraint"] = {{"specVersion", "1.0"}, {"constraint", second}};
    }
    return file;
  };
  const json roll = {{"roll", {{"source", 1}, {"rollAxis", "Y"}, {"weight", 0.5}}}};
  const rig::Character character = opened(constrained(roll, {{"rotation", {{"source", 2}}}}));
  EXPECT_THAT(character.diagnostics, IsEmpty());
  ASSERT_EQ(character.constraints.size(), 2U);
  EXPECT_EQ(character.constraints[0].joint, 1);  // the source's own first
  EXPECT_EQ(character.constraints[1].kind, rig::ConstraintKind::kRoll);
  EXPECT_EQ(character.constraints[1].source, 1);
  EXPECT_EQ(character.constraints[1].axis, glm::vec3(0, 1, 0));
  EXPECT_EQ(character.constraints[1].weight, 0.5f);

  // C18.4. An aim sees through its parent, which here follows it.
  EXPECT_THAT(
      remarks(constrained(roll, {{"aim", {{"source", 2}, {"aimAxis", "NegativeZ"}}}})),
      ElementsAre("constraint-cycle: node 0: VRMC_node_constraint: it follows itself by way of others: lower -> upper "
                  "-> lower; left out",
                  "constraint-cycle: node 1: VRMC_node_constraint: it follows itself by way of others: upper -> lower "
                  "-> upper; left out"));
  EXPECT_THAT(remarks(constrained({{"aim", {{"source", 2}, {"aimAxis", "Y"}}}})),
              ElementsAre("extension-value: node 0: VRMC_node_constraint: aim: aimAxis: 'Y' names no axis; left out"));
  EXPECT_THAT(
      remarks(constrained({{"rotation", {{"source", 0}}}})),
      ElementsAre("extension-value: node 0: VRMC_node_constraint: rotation: its source is the node itself; left "
                  "out"));
  EXPECT_THAT(
      remarks(constrained({{"spring", {{"source", 0}}}})),
      ElementsAre("extension-value: node 0: VRMC_node_constraint: expected a roll, aim or rotation constraint, got "
                  "none"));
}

// Not an extension, but what avatars are made of.

TEST(LargeRigs, AThousandJointsEightInfluencesTwoSkinsOfOneMesh) {
  constexpr int kJoints = 1000;
  GlbBuilder file;
  const int positions = file.floats({0, 0, 0}, "VEC3");
  // 999 is the last joint, 0 to 6 the first ones: eight equal weights.
  const int first = file.accessor(std::vector<std::uint16_t>{999, 0, 1, 2}, test::kU16, "VEC4");
  const int second = file.accessor(std::vector<std::uint16_t>{3, 4, 5, 6}, test::kU16, "VEC4");
  const int weights = file.floats({0.125f, 0.125f, 0.125f, 0.125f}, "VEC4");
  file.push("meshes", {{"primitives",
                        {{{"attributes",
                           {{"POSITION", positions},
                            {"JOINTS_0", first},
                            {"WEIGHTS_0", weights},
                            {"JOINTS_1", second},
                            {"WEIGHTS_1", weights}}},
                          {"mode", 0}}}}});
  json joints = json::array();
  for (int j = 0; j < kJoints; ++j) {
    joints.push_back(j);
    file.push("nodes", j + 1 < kJoints ? json{{"children", {j + 1}}} : json{{"name", "last"}});
  }
  file.push("skins", {{"joints", joints}});
  file.push("skins", {{"joints", joints}, {"name", "again"}});
  file.push("nodes", {{"mesh", 0}, {"skin", 0}});
  file.push("nodes", {{"mesh", 0}, {"skin", 1}});
  file.push("nodes", {{"mesh", 0}, {"skin", 1}});
  const rig::Character character = opened(file);
  ASSERT_EQ(character.parts.size(), 3U);
  EXPECT_EQ(character.parts[0].skin, 0);
  EXPECT_EQ(character.parts[1].skin, 1);
  EXPECT_EQ(character.parts[2].skin, 1);
  const mesh::Influences& influences = character.primitive(character.parts[0]).influences;
  EXPECT_EQ(influences.count(0), 8U);
  EXPECT_EQ(influences.joints(influences.vertex_count() - 1).back(), 999);  // equal weights: ascending joints
  EXPECT_EQ(character.skins[1].joints.size(), 1000U);
}

}  // namespace
}  // namespace pelt
