// What is written and read again is the same character.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "gltf/sample_character.h"
#include "support/fixtures.h"
#include "support/requirements.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

rig::Character read_again(const rig::Character& character) {
  const auto glb = gltf::export_glb(character);
  EXPECT_TRUE(glb) << (glb ? "" : glb.error().message);
  auto again = glb ? gltf::import_memory(*glb, {}) : Result<rig::Character>(glb.error());
  EXPECT_TRUE(again) << (again ? "" : again.error().message);
  return again ? *std::move(again) : rig::Character();
}

float difference(const glm::mat4& a, const glm::mat4& b) {
  float worst = 0;
  for (int i = 0; i < 16; ++i) {
    worst = std::max(worst, std::abs(a[i / 4][i % 4] - b[i / 4][i % 4]));
  }
  return worst;
}

void expect_same_influences(const mesh::Influences& a, const mesh::Influences& b) {
  ASSERT_EQ(flat(a).offset, flat(b).offset);
  for (std::size_t v = 0; v < a.vertex_count(); ++v) {
    EXPECT_NEAR(a.stored_sum(v), b.stored_sum(v), 1e-6f);
    const mesh::InfluenceRow row = a.row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      // Ties may change places where a weight moves by one bit.
      const mesh::InfluenceRow other = b.row(v);
      const auto found = std::ranges::find(other.joints, row.joints[k]);
      ASSERT_NE(found, other.joints.end()) << "vertex " << v;
      EXPECT_NEAR(row.weights[k], other.weights[found - other.joints.begin()], 1e-6f);
    }
  }
}

void expect_same_deltas(const std::vector<glm::vec3>& a, const std::vector<glm::vec3>& b, std::size_t vertex_count) {
  for (std::size_t v = 0; v < vertex_count; ++v) {
    EXPECT_EQ(a.empty() ? glm::vec3(0.0f) : a[v], b.empty() ? glm::vec3(0.0f) : b[v]);
  }
}

/// @param a  as read or made
/// @param b  after writing and reading; nodes may be numbered otherwise
void expect_same(const rig::Character& a, const rig::Character& b) {
  const auto moved = [&](int j) { return j < 0 ? -1 : b.skeleton->from_source_node(a.skeleton->source_node[j]); };
  ASSERT_EQ(a.skeleton->size(), b.skeleton->size());
  const rig::Pose pose_a = rig::rest_pose(a);
  const rig::Pose pose_b = rig::rest_pose(b);
  for (int j = 0; j < a.skeleton->size(); ++j) {
    const int k = moved(j);
    const std::size_t from = j;
    const std::size_t to = k;
    EXPECT_EQ(a.skeleton->name[from], b.skeleton->name[to]);
    EXPECT_EQ(moved(a.skeleton->parent[from]), b.skeleton->parent[to]);
    if (a.skeleton->rest_residual.empty() || a.skeleton->rest_residual[from] == glm::mat4(1.0f)) {
      EXPECT_EQ(a.skeleton->rest[from], b.skeleton->rest[to]) << a.skeleton->label(j);
    } else {
      EXPECT_LE(difference(rig::local_matrix(pose_a, j), rig::local_matrix(pose_b, k)), 1e-6f);
    }
    const rig::JointDofs& dofs_a = a.skeleton->dofs[from];
    const rig::JointDofs& dofs_b = b.skeleton->dofs[to];
    EXPECT_EQ(dofs_a.authored, dofs_b.authored);
    if (dofs_a.authored) {
      EXPECT_EQ(dofs_a.offset, dofs_b.offset);
      EXPECT_EQ(dofs_a.orientation, dofs_b.orientation);
      EXPECT_EQ(dofs_a.rotation, dofs_b.rotation);
      EXPECT_EQ(dofs_a.swing_limit, dofs_b.swing_limit);
      ASSERT_EQ(dofs_a.dofs.size(), dofs_b.dofs.size());
      for (std::size_t i = 0; i < dofs_a.dofs.size(); ++i) {
        EXPECT_EQ(dofs_a.dofs[i].name, dofs_b.dofs[i].name);
        EXPECT_EQ(dofs_a.dofs[i].kind, dofs_b.dofs[i].kind);
        EXPECT_EQ(dofs_a.dofs[i].axis, dofs_b.dofs[i].axis);
        EXPECT_EQ(dofs_a.dofs[i].lower, dofs_b.dofs[i].lower);
        EXPECT_EQ(dofs_a.dofs[i].upper, dofs_b.dofs[i].upper);
        EXPECT_EQ(dofs_a.dofs[i].default_value, dofs_b.dofs[i].default_value);
        EXPECT_EQ(dofs_a.dofs[i].folded, dofs_b.dofs[i].folded);
      }
    }
  }

  ASSERT_EQ(a.skins.size(), b.skins.size());
  for (std::size_t s = 0; s < a.skins.size(); ++s) {
    ASSERT_EQ(a.skins[s].joints.size(), b.skins[s].joints.size());
    EXPECT_EQ(a.skins[s].has_inverse_binds, b.skins[s].has_inverse_binds);
    EXPECT_EQ(moved(a.skins[s].skeleton_root), b.skins[s].skeleton_root);
    for (std::size_t k = 0; k < a.skins[s].joints.size(); ++k) {
      EXPECT_EQ(moved(a.skins[s].joints[k]), b.skins[s].joints[k]);
      EXPECT_LE(difference(a.skins[s].joint_from_mesh[k], b.skins[s].joint_from_mesh[k]), 1e-6f);  // C8.3
    }
  }

  ASSERT_EQ(a.meshes.size(), b.meshes.size());
  for (std::size_t m = 0; m < a.meshes.size(); ++m) {
    EXPECT_EQ(a.meshes[m].name, b.meshes[m].name);
    EXPECT_EQ(a.meshes[m].morph_names, b.meshes[m].morph_names);
    EXPECT_EQ(a.meshes[m].morph_weights, b.meshes[m].morph_weights);
    ASSERT_EQ(a.meshes[m].primitives.size(), b.meshes[m].primitives.size());
    for (std::size_t p = 0; p < a.meshes[m].primitives.size(); ++p) {
      const mesh::Primitive& from = a.meshes[m].primitives[p];
      const mesh::Primitive& to = b.meshes[m].primitives[p];
      EXPECT_EQ(from.topology, to.topology);
      EXPECT_EQ(from.indices, to.indices);
      EXPECT_EQ(from.positions, to.positions);
      EXPECT_EQ(from.normals, to.normals);
      EXPECT_EQ(from.tangents, to.tangents);
      if (!from.texcoords[0].empty()) {
        EXPECT_EQ(from.texcoords[0], to.texcoords[0]);
      }
      EXPECT_EQ(from.texcoords[1], to.texcoords[1]);
      EXPECT_EQ(from.colors, to.colors);
      EXPECT_EQ(from.material, to.material);
      expect_same_influences(from.influences, to.influences);
      ASSERT_EQ(from.morph_targets.size(), to.morph_targets.size());
      for (std::size_t i = 0; i < from.morph_targets.size(); ++i) {
        expect_same_deltas(from.morph_targets[i].position_deltas, to.morph_targets[i].position_deltas,
                           from.vertex_count());
        if (!from.normals.empty()) {
          expect_same_deltas(from.morph_targets[i].normal_deltas, to.morph_targets[i].normal_deltas,
                             from.vertex_count());
        }
        if (!from.tangents.empty()) {
          expect_same_deltas(from.morph_targets[i].tangent_deltas, to.morph_targets[i].tangent_deltas,
                             from.vertex_count());
        }
      }
    }
  }
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    EXPECT_EQ(moved(a.parts[i].joint), b.parts[i].joint);
    EXPECT_EQ(a.parts[i].mesh, b.parts[i].mesh);
    EXPECT_EQ(a.parts[i].skin, b.parts[i].skin);
    const auto weights_a = a.morph_weights(pose_a, a.parts[i].joint);
    const auto weights_b = b.morph_weights(pose_b, b.parts[i].joint);
    EXPECT_TRUE(std::equal(weights_a.begin(), weights_a.end(), weights_b.begin(), weights_b.end()));
  }

  // A clip none of whose channels could be read has nothing to write.
  std::vector<rig::Clip> clips;
  std::copy_if(a.clips.begin(), a.clips.end(), std::back_inserter(clips),
               [](const rig::Clip& clip) { return !clip.channels.empty(); });
  ASSERT_EQ(clips.size(), b.clips.size());
  for (std::size_t c = 0; c < clips.size(); ++c) {
    EXPECT_EQ(clips[c].name, b.clips[c].name);
    EXPECT_EQ(clips[c].start, b.clips[c].start);
    EXPECT_EQ(clips[c].end, b.clips[c].end);
    ASSERT_EQ(clips[c].channels.size(), b.clips[c].channels.size());
    for (std::size_t i = 0; i < clips[c].channels.size(); ++i) {
      const rig::Channel& from = clips[c].channels[i];
      const rig::Channel& to = b.clips[c].channels[i];
      EXPECT_EQ(moved(from.joint), to.joint);
      EXPECT_EQ(from.path, to.path);
      EXPECT_EQ(from.interpolation, to.interpolation);
      EXPECT_EQ(from.width, to.width);
      EXPECT_EQ(from.times, to.times);
      EXPECT_EQ(from.values, to.values);
    }
  }

  ASSERT_EQ(a.materials.size(), b.materials.size());
  for (std::size_t m = 0; m < a.materials.size(); ++m) {
    const rig::Material& from = a.materials[m];
    const rig::Material& to = b.materials[m];
    EXPECT_EQ(from.name, to.name);
    EXPECT_EQ(from.base_color, to.base_color);
    EXPECT_EQ(from.metallic, to.metallic);
    EXPECT_EQ(from.roughness, to.roughness);
    EXPECT_LE(glm::length(from.emissive - to.emissive), 1e-6f * (1 + glm::length(from.emissive)));
    EXPECT_EQ(from.alpha_mode, to.alpha_mode);
    if (from.alpha_mode == rig::AlphaMode::kMask) {
      EXPECT_EQ(from.alpha_cutoff, to.alpha_cutoff);
    }
    EXPECT_EQ(from.double_sided, to.double_sided);
    EXPECT_EQ(from.unlit, to.unlit);
    for (const auto member :
         {&rig::Material::base_color_texture, &rig::Material::metallic_roughness_texture,
          &rig::Material::normal_texture, &rig::Material::occlusion_texture, &rig::Material::emissive_texture}) {
      EXPECT_EQ((from.*member).texture, (to.*member).texture);
      EXPECT_EQ((from.*member).texcoord, (to.*member).texcoord);
      EXPECT_EQ((from.*member).strength, (to.*member).strength);
    }
  }
  ASSERT_EQ(a.textures.size(), b.textures.size());
  for (std::size_t t = 0; t < a.textures.size(); ++t) {
    EXPECT_EQ(a.textures[t].magnify, b.textures[t].magnify);
    EXPECT_EQ(a.textures[t].minify, b.textures[t].minify);
    EXPECT_EQ(a.textures[t].mipmaps, b.textures[t].mipmaps);
    EXPECT_EQ(a.textures[t].wrap_s, b.textures[t].wrap_s);
    EXPECT_EQ(a.textures[t].wrap_t, b.textures[t].wrap_t);
    if (b.textures[t].image >= 0) {
      EXPECT_EQ(a.images[a.textures[t].image].pixels, b.images[b.textures[t].image].pixels);
    }
  }
  ASSERT_EQ(a.cameras.size(), b.cameras.size());
  ASSERT_EQ(a.scenes.size(), b.scenes.size());
  EXPECT_EQ(a.scene, b.scene);
}

/// The floats of a VEC4 accessor of the first primitive, as they lie in the file; empty where there is none.
std::vector<float> raw_floats(const std::vector<std::uint8_t>& glb, const std::string& attribute) {
  const auto u32 = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, glb.data() + at, sizeof(value));
    return std::size_t{value};
  };
  const std::size_t json_length = u32(12);
  const auto root =
      nlohmann::json::parse(glb.begin() + 20, glb.begin() + 20 + static_cast<std::ptrdiff_t>(json_length));
  const nlohmann::json& attributes = root["meshes"][0]["primitives"][0]["attributes"];
  if (!attributes.contains(attribute)) {
    return {};
  }
  const nlohmann::json& accessor = root["accessors"][attributes[attribute].get<std::size_t>()];
  const nlohmann::json& view = root["bufferViews"][accessor["bufferView"].get<std::size_t>()];
  EXPECT_EQ(accessor["componentType"], 5126) << "float";
  EXPECT_EQ(accessor["type"], "VEC4");
  EXPECT_EQ(view.value("byteStride", 16), 16);
  const std::size_t at =
      20 + json_length + 8 + view.value("byteOffset", std::size_t{0}) + accessor.value("byteOffset", std::size_t{0});
  std::vector<float> out(4 * accessor["count"].get<std::size_t>());
  std::memcpy(out.data(), glb.data() + at, out.size() * sizeof(float));
  return out;
}

// What `pelt convert` writes of a file whose own sums are anything.
TEST(RoundTrip, C15_5_NormalisedWeightsSumToOneInTheFileItself) {
  for (const int influences : {1, 3, 4, 8}) {
    rig::Character character = test::random_rig({.seed = 16, .vertices = 1000, .influences = influences});
    test::Random random(17);
    mesh::Influences& rows = character.meshes.edit(0).primitives.edit(0).influences.edit();
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      rows.set_stored_sum(v, static_cast<float>(random.real(0.2, 3.0)));
    }
    const auto file = gltf::export_character(character, {.sums_as_stored = false});
    ASSERT_TRUE(file) << file.error().message;
    const std::vector<std::uint8_t>& glb = file->files.front().bytes;
    const std::vector<float> first = raw_floats(glb, "WEIGHTS_0");
    const std::vector<float> second = raw_floats(glb, "WEIGHTS_1");
    ASSERT_EQ(first.size(), 4000u);
    ASSERT_EQ(second.size(), influences > 4 ? 4000u : 0u);
    for (std::size_t v = 0; v < 1000; ++v) {
      double sum = 0;
      int used = 0;
      for (const std::vector<float>* set : {&first, &second}) {
        for (std::size_t k = 4 * v; k < std::min(4 * v + 4, set->size()); ++k) {
          ASSERT_GE((*set)[k], 0.0f);
          sum += static_cast<double>((*set)[k]);
          used += (*set)[k] > 0 ? 1 : 0;
        }
      }
      ASSERT_GT(used, 0);
      ASSERT_LE(std::abs(sum - 1), 2e-7 * used) << v;
    }
  }
}

// The validator's threshold for float weights: 2e-7 for each that is not zero.
TEST(RoundTrip, C15_5_WrittenWeightsSumToOneWithinTheValidatorsThreshold) {
  for (const int influences : {1, 4, 8}) {
    rig::Character character = test::random_rig({.seed = 15, .vertices = 2000, .influences = influences});
    // What is written is what was stored, and this file stored it well.
    test::set_stored_sums(character.meshes.edit(0).primitives.edit(0).influences.edit(), 1.0f);
    const rig::Character again = read_again(character);
    const mesh::Influences& rows = again.meshes.at(0).primitives.at(0).influences;
    ASSERT_EQ(rows.vertex_count(), 2000u);
    for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
      ASSERT_LE(std::abs(static_cast<double>(rows.stored_sum(v)) - 1.0), 2e-7 * rows.count(v)) << v;
    }
  }
}

TEST(RoundTrip, TheSampleCharacter) {
  const rig::Character sample = test::sample_character();
  const rig::Character again = read_again(sample);
  EXPECT_THAT(again.diagnostics, testing::IsEmpty());
  expect_same(sample, again);
  ASSERT_EQ(again.cameras.size(), 2U);
  const auto front =
      std::find_if(again.cameras.begin(), again.cameras.end(), [](const auto& c) { return c.name == "front"; });
  EXPECT_EQ(front->yfov, 0.5f);
  EXPECT_EQ(front->aspect, 1.5f);
  EXPECT_EQ(front->zfar, 100.0f);
  EXPECT_EQ(again.images.at(0).pixels, sample.images.at(0).pixels);
}

TEST(RoundTrip, C8_3_InverseBindMatricesAreKept) {
  const rig::Character sample = test::sample_character();
  const rig::Character again = read_again(sample);
  ASSERT_EQ(again.skins.size(), 1U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_LE(difference(sample.skins[0].joint_from_mesh[k], again.skins[0].joint_from_mesh[k]), 1e-6f);
  }
}

TEST(RoundTrip, C7_9_TheStoredSumSurvives) {
  rig::Character sample = test::sample_character();
  sample.meshes.edit(0).primitives.edit(0).influences.edit().set_stored_sum(2, 0.98f);
  const rig::Character again = read_again(sample);
  EXPECT_NEAR(again.meshes[0].primitives[0].influences->stored_sum(2), 0.98f, 1e-6f);
  ASSERT_EQ(again.diagnostics.size(), 1U);
  EXPECT_EQ(again.diagnostics[0].code, "weight-sum");
}

TEST(RoundTrip, EveryBundledCharacter) {
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    SCOPED_TRACE(file.name);
    const auto character = gltf::open_character("@" + std::string(file.name.substr(0, file.name.rfind('.'))));
    ASSERT_TRUE(character) << character.error().message;
    EXPECT_THAT(character->diagnostics, testing::IsEmpty());
    expect_same(*character, read_again(*character));
  }
}

TEST(RoundTrip, EveryCharacterOfTheCorpus) {
  const fs::path corpus = PELT_CORPUS_DIR;
  PELT_NEEDS_CORPUS("README.md");
  for (const char* folder : {"characters", "features", "derived"}) {
    for (const auto& entry : fs::recursive_directory_iterator(corpus / folder)) {
      if (entry.path().extension() != ".glb" && entry.path().extension() != ".gltf") {
        continue;
      }
      SCOPED_TRACE(entry.path().filename().string());
      const auto character = gltf::import_file(entry.path());
      if (character) {  // the corpus tests say which may not open
        expect_same(*character, read_again(*character));
      }
    }
  }
}

}  // namespace
}  // namespace pelt
