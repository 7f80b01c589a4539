// One good file and its broken twins for each extension: what is wrong costs the value, never the character.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gltf/opened.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GlbBuilder;
using test::opened;
using test::QuadFile;
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

TEST(Lights, ManyWithHugeExtrasAreLeftOutAsOne) {
  GlbBuilder file = lit({{"type", "point"}});
  file.root["extensions"]["KHR_lights_punctual"]["padding"] = std::vector<int>(500'001, 0);
  EXPECT_THAT(opened(file).lights, IsEmpty());
}

}  // namespace
}  // namespace pelt
