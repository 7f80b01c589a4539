// Seeded damage to a file that has one of everything: whatever comes out must be a sentence or a sound character.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gltf/export.h"
#include "gltf/import.h"
#include "gltf/sample_character.h"
#include "rig/kinematics.h"
#include "support/effort.h"
#include "support/glb_builder.h"

namespace pelt {
namespace {

using nlohmann::json;

void expect_sentence_or_sound(const std::vector<std::uint8_t>& bytes) {
  const auto character = gltf::import_memory(bytes, {});
  if (!character) {
    EXPECT_FALSE(character.error().message.empty());
    EXPECT_EQ(character.error().message.find('\n'), std::string::npos);
    return;
  }
  rig::WorldMatrices world;
  rig::Pose pose = rig::rest_pose(*character);
  for (const rig::Clip& clip : character->clips) {
    rig::apply(clip, 0.5f * (clip.start + clip.end), character->morph_offset, pose);
  }
  world.evaluate(character->skeleton, pose);
  for (const rig::Part& part : character->parts) {
    const mesh::Primitive& primitive = character->primitive(part);
    ASSERT_TRUE(primitive.normals.empty() || primitive.normals.size() == primitive.vertex_count());
    for (const glm::vec3& position : primitive.positions) {
      ASSERT_TRUE(std::isfinite(position.x + position.y + position.z));
    }
    for (const std::uint32_t index : primitive.indices) {
      ASSERT_LT(index, primitive.vertex_count());
    }
    ASSERT_EQ(primitive.morph_targets.size(), character->meshes[part.mesh].morph_names.size());
    if (part.skin >= 0 && !primitive.influences->empty()) {
      ASSERT_EQ(primitive.influences->vertex_count(), primitive.vertex_count());
      for (const std::uint16_t joint : flat(primitive.influences).joint) {
        ASSERT_LT(joint, character->skins[part.skin].joints.size());
      }
    }
  }
  ASSERT_TRUE(gltf::export_glb(*character));
}

TEST(Mutation, RandomBytes) {
  const auto glb = gltf::export_glb(test::sample_character());
  ASSERT_TRUE(glb);
  std::mt19937 random(1);
  for (int round = 0; round < test::rounds(3000); ++round) {
    std::vector<std::uint8_t> bytes = *glb;
    for (std::uint32_t i = 0; i <= random() % 4; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    SCOPED_TRACE(round);
    expect_sentence_or_sound(bytes);
  }
}

TEST(Mutation, RandomMembers) {
  const auto glb = gltf::export_glb(test::sample_character());
  ASSERT_TRUE(glb);
  std::uint32_t length = 0;
  std::memcpy(&length, glb->data() + 12, 4);
  const json root = json::parse(glb->begin() + 20, glb->begin() + 20 + length);
  const std::vector<std::uint8_t> bin(glb->begin() + 28 + length, glb->end());
  const json flat = root.flatten();
  std::vector<std::string> paths;
  for (const auto& [path, value] : flat.items()) {
    paths.push_back(path);
  }
  const std::array<json, 16> odd = {
      -1, 0, 1, 2, 3, 7, 255, 65536, 4294967295U, 1e18, "x", nullptr, true, json::array(), json::object(), 5126};
  std::mt19937 random(2);
  // A sample of what `./dev fuzz` looks for at length.
  for (int round = 0; round < test::rounds(3000); ++round) {
    json damaged = root;
    std::string what;
    for (std::uint32_t i = 0; i <= random() % 3; ++i) {
      json::json_pointer at(paths[random() % paths.size()]);
      for (std::uint32_t up = random() % 4; up > 2 && !at.parent_pointer().empty(); --up) {
        at = at.parent_pointer();  // now and then a whole object or array
      }
      if (damaged.contains(at)) {
        damaged[at] = odd[random() % odd.size()];
        what += at.to_string() + " = " + damaged[at].dump() + "; ";
      }
    }
    SCOPED_TRACE(what);
    expect_sentence_or_sound(test::GlbBuilder::glb_of(damaged.dump(), bin));
  }
}

}  // namespace
}  // namespace pelt
