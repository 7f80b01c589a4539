#include "rig/character_parts.h"

#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::rig {
namespace {

// A character that shares nothing with the other and says the same.
Character rebuilt(const Character& character) {
  Character copy = character;
  copy.skeleton.edit();
  for (Skin& skin : copy.skins.edit_each()) {
    skin.name += "";
  }
  for (mesh::Mesh& mesh : copy.meshes.edit_each()) {
    for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
      primitive.positions.edit();
      primitive.influences.edit();
    }
  }
  copy.parts.edit();
  return copy;
}

TEST(CharacterParts, TheHashIsOfWhatIsSaidAndNotOfWhereItLies) {
  const Character character = test::cylinder();
  EXPECT_EQ(content_hash(character), content_hash(character));
  EXPECT_EQ(content_hash(rebuilt(character)), content_hash(character));
  EXPECT_EQ(content_hash(test::cylinder()), content_hash(character));
}

TEST(CharacterParts, EveryPartIsHashed) {
  using Change = std::function<void(Character&)>;
  const std::vector<Change> changes = {
      [](Character& c) { c.name += "x"; },
      [](Character& c) { c.source = "elsewhere.glb"; },
      [](Character& c) { c.skeleton.edit().rest[0].translation.x += 1; },
      [](Character& c) { c.skeleton.edit().name[0] = "other"; },
      [](Character& c) { c.skeleton.edit().dofs[0].dofs[0].upper += 0.5f; },
      [](Character& c) { c.skeleton.edit().dofs[0].swing_limit = 1.0f; },
      [](Character& c) { c.skins.edit(0).joint_from_mesh[0][3].x += 1; },
      [](Character& c) { std::swap(c.skins.edit(0).joints[0], c.skins.edit(0).joints[1]); },
      [](Character& c) { c.meshes.edit(0).morph_names.push_back("smile"); },
      [](Character& c) { c.meshes.edit(0).primitives.edit(0).positions.edit().back().z += 1; },
      [](Character& c) { c.meshes.edit(0).primitives.edit(0).indices.edit()[0] += 1; },
      [](Character& c) { c.meshes.edit(0).primitives.edit(0).texcoords[1] = {glm::vec2(0.5f)}; },
      [](Character& c) { c.meshes.edit(0).primitives.edit(0).influences.edit().edit_block(0).weight.back() *= 0.5f; },
      [](Character& c) { c.meshes.edit(0).primitives.edit(0).material = 3; },
      [](Character& c) { c.mesh_nodes.edit()[0].morph_weights.push_back(1); },
      [](Character& c) { c.materials.edit().resize(9); },
      [](Character& c) { c.images.resize(4); },
      [](Character& c) { c.clips.resize(3); },
      [](Character& c) { c.cameras.push_back({.name = "front"}); },
      [](Character& c) { c.lights.push_back({.name = "sun"}); },
      [](Character& c) { c.scene = 1; },
      [](Character& c) { c.constraints.push_back({.joint = 1}); },
      [](Character& c) { c.kept.edit().resize(2); },
      [](Character& c) { c.diagnostics.resize(5); },
      [](Character& c) { c.parts = {}; },
      [](Character& c) { c.copyright = "nobody"; },
  };
  const Character character = test::cylinder();
  std::set<std::uint64_t> hashes = {content_hash(character)};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Character changed = character;
    changes[i](changed);
    EXPECT_TRUE(hashes.insert(content_hash(changed)).second) << "change " << i;
  }
}

TEST(CharacterParts, WhatIsSharedCostsNothing) {
  const Character before = test::cylinder();
  Character after = before;
  // Names and diagnostics are each character's own.
  const std::size_t own = bytes_changed(before, after);
  EXPECT_LT(own, 1024u);
  const mesh::Primitive& primitive = before.meshes[0].primitives[0];
  after.meshes.edit(0).primitives.edit(0).normals.edit()[0].x += 1;
  const std::size_t normals = primitive.normals.size() * sizeof(glm::vec3);
  EXPECT_GE(bytes_changed(before, after), own + normals);
  EXPECT_LT(bytes_changed(before, after), own + normals + 2048);
  // Two primitives that share them hold them once.
  Character twice = after;
  twice.meshes.edit(0).primitives.push_back(after.meshes[0].primitives[0]);
  EXPECT_LT(bytes_changed(before, twice), own + normals + 4096);
  // All of it, where nothing is shared.
  EXPECT_GT(bytes_changed(Character(), before), primitive.positions.size() * (2 * sizeof(glm::vec3)));
}

}  // namespace
}  // namespace pelt::rig
