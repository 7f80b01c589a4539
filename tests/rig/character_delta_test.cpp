#include "rig/character_delta.h"

#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "rig/character_parts.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

// Two meshes, of which the second has two primitives that share their weights.
Character two_meshes() {
  Character character = test::random_rig({.seed = 5, .joints = 12, .vertices = 900});
  mesh::Mesh second = character.meshes[0];
  second.primitives.push_back(second.primitives[0]);
  character.meshes.push_back(std::move(second));
  character.meshes.edit(0).primitives.edit(0).influences.edit().set_stored_sum(0, 3);
  return character;
}

mesh::Influences& weights(Character& character, std::size_t mesh, std::size_t primitive) {
  return character.meshes.edit(mesh).primitives.edit(primitive).influences.edit();
}

const std::vector<std::function<void(Character&)>> kChanges = {
    [](Character&) {},
    [](Character& c) { c.name = "other"; },
    [](Character& c) { c.skeleton.edit().name[1] = "other"; },
    [](Character& c) { weights(c, 0, 0).set_stored_sum(700, 9); },
    [](Character& c) {
      weights(c, 1, 1).set_row(3, std::vector<std::uint16_t>{4, 5}, std::vector{0.25f, 0.5f});
    },
    [](Character& c) { weights(c, 1, 0).set_row(300, {}, {}); },
    [](Character& c) { c.meshes.edit(0).primitives.edit(0).influences = {}; },
    [](Character& c) { c.meshes.edit(1).primitives.edit(0).influences = c.meshes[0].primitives[0].influences; },
    [](Character& c) { c.meshes.edit(1).primitives.edit(1).normals.edit()[0].x += 1; },
    [](Character& c) { weights(c, 0, 0).push_empty(3); },
    [](Character& c) { c.meshes.edit(1).primitives.edit_items().pop_back(); },
    [](Character& c) { c.meshes.edit_items().erase(c.meshes.edit_items().begin()); },
    [](Character& c) { c.meshes.push_back(c.meshes[1]); },
    [](Character& c) { c.meshes.clear(); },
    [](Character& c) { c.meshes.edit(1).name = "other"; },
};

TEST(CharacterDelta, MakesEachChangeAndItsInverse) {
  for (std::size_t i = 0; i < kChanges.size(); ++i) {
    for (std::size_t k = 0; k < kChanges.size(); ++k) {
      SCOPED_TRACE(testing::Message() << i << ", " << k);
      const Character start = two_meshes();
      Character one = start;
      kChanges[i](one);
      Character other = start;
      kChanges[k](other);
      ASSERT_EQ(content_hash(applied(delta_between(one, other), one)), content_hash(other));
    }
  }
}

TEST(CharacterDelta, KeepsNoWeightsButRowsThatDiffer) {
  const Character before = two_meshes();
  Character after = before;
  weights(after, 0, 0).set_stored_sum(700, 9);
  const std::size_t nothing = delta_between(before, before).bytes;
  const CharacterDelta delta = delta_between(before, after);
  EXPECT_LT(delta.bytes, nothing + 2048);
  EXPECT_TRUE(delta.rest.meshes.empty());
  ASSERT_EQ(delta.meshes.size(), 1u);
  EXPECT_TRUE(delta.meshes[0].rest.primitives.empty());
  ASSERT_EQ(delta.meshes[0].primitives.size(), 1u);
  EXPECT_TRUE(delta.meshes[0].primitives[0].rest.influences->empty());
  ASSERT_EQ(delta.weights.size(), 1u);
  EXPECT_EQ(delta.weights[0].patch.vertices, std::vector<std::uint32_t>{700});
  const Character again = applied(delta, before);
  EXPECT_TRUE(again.meshes.shared(1).is(before.meshes.shared(1)));
  EXPECT_TRUE(
      again.meshes[0].primitives[0].influences->blocks()[0].is(before.meshes[0].primitives[0].influences->blocks()[0]));
}

TEST(CharacterDelta, PrimitivesThatShareTheirWeightsShareThemAfterwards) {
  const Character before = two_meshes();
  Character after = before;
  weights(after, 1, 0).set_stored_sum(5, 9);
  after.meshes.edit(1).primitives.edit(1).influences = after.meshes[1].primitives[0].influences;
  const CharacterDelta delta = delta_between(before, after);
  EXPECT_EQ(delta.weights.size(), 1u) << "kept once";
  const Character made = applied(delta, before);
  EXPECT_TRUE(made.meshes[1].primitives[0].influences.is(made.meshes[1].primitives[1].influences));
  // Those of another primitive are taken from there.
  after = before;
  after.meshes.edit(1).primitives.edit(1).influences = before.meshes[0].primitives[0].influences;
  EXPECT_TRUE(applied(delta_between(before, after), before)
                  .meshes[1]
                  .primitives[1]
                  .influences.is(before.meshes[0].primitives[0].influences));
}

}  // namespace
}  // namespace pelt::rig
