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
  const std::vector<std::function<void(Character&)>> changes = {
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

// Walks over what differs and nothing else, yet knows again what changed places.
TEST(CharacterParts, WhatChangedPlacesIsShared) {
  Character before = test::cylinder();
  before.meshes.push_back(before.meshes[0]);
  before.meshes.edit(1).primitives.edit(0).positions.edit()[0].x += 1;
  Character after = before;
  std::vector<Shared<mesh::Mesh>>& meshes = after.meshes.edit_items();
  std::swap(meshes[0], meshes[1]);
  EXPECT_LT(bytes_changed(before, after), bytes_changed(before, before) + 1024);
  after.meshes.edit_items().erase(after.meshes.edit_items().begin());
  EXPECT_LT(bytes_changed(before, after), bytes_changed(before, before) + 1024);
}

TEST(CharacterParts, EqualIsWhatHasTheSameHash) {
  const Character character = test::cylinder();
  EXPECT_TRUE(equal(character, rebuilt(character)));
  EXPECT_TRUE(equal(character, test::cylinder()));
  Character other = rebuilt(character);
  other.meshes.edit(0).primitives.edit(0).influences.edit().set_stored_sum(3, 2);
  EXPECT_FALSE(equal(character, other));
  other = character;
  other.skeleton.edit().dofs[1].dofs[0].upper += 0.5f;
  EXPECT_FALSE(equal(character, other));
  EXPECT_FALSE(equal(*character.skeleton, *other.skeleton));
  EXPECT_FALSE(equal(character.skeleton->dofs[1], other.skeleton->dofs[1]));
}

TEST(CharacterParts, TwoVersionsShareWhatTheySayAlike) {
  const Character before = test::cylinder();
  Character newer = test::cylinder();
  newer.meshes.edit(0).primitives.edit(0).normals.edit()[0].x += 1;
  const Character shared = sharing(newer, before);
  EXPECT_EQ(content_hash(shared), content_hash(newer));
  const mesh::Primitive& one = shared.meshes[0].primitives[0];
  const mesh::Primitive& other = before.meshes[0].primitives[0];
  EXPECT_TRUE(shared.skeleton.is(before.skeleton));
  EXPECT_TRUE(one.positions.is(other.positions));
  EXPECT_TRUE(one.influences.is(other.influences));
  EXPECT_FALSE(one.normals.is(other.normals));
  EXPECT_TRUE(shared.parts.is(before.parts));
  EXPECT_TRUE(sharing(test::cylinder(), before).meshes.is(before.meshes));
}

}  // namespace
}  // namespace pelt::rig
