#include "rig/merge.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::rig {
namespace {

using testing::HasSubstr;

Character two_of_everything() {
  Character character = test::random_rig({.seed = 5, .joints = 4, .vertices = 20, .influences = 2});
  character.meshes.push_back(character.meshes[0]);
  character.skins.push_back(character.skins[0]);
  for (const char* name : {"one", "two"}) {
    character.clips.emplace_back().name = name;
  }
  mesh::MorphTarget target;
  target.name = "smile";
  target.position_deltas.assign(character.meshes[0].primitives[0].vertex_count(), glm::vec3(1));
  character.meshes.edit(0).primitives.edit(0).morph_targets.push_back(target);
  return character;
}

mesh::Primitive& first(Character& character) {
  return character.meshes.edit(0).primitives.edit(0);
}

/// One change of one part, and what the message calls that part.
struct PartEdit {
  std::string name;
  std::function<void(Character&)> apply;
};

const std::vector<PartEdit>& edits() {
  static const std::vector<PartEdit> all = {
      {"name", [](Character& c) { c.name += "'"; }},
      {"skeleton", [](Character& c) { c.skeleton.edit().name[1] += "'"; }},
      {"skin 0", [](Character& c) { c.skins.edit(0).joint_from_mesh[0][3].x += 1; }},
      {"skin 1", [](Character& c) { c.skins.edit(1).name += "'"; }},
      {"mesh 0: name", [](Character& c) { c.meshes.edit(0).name += "'"; }},
      {"mesh 0: primitive 0: triangles", [](Character& c) { first(c).indices.edit()[0] = 1; }},
      {"mesh 0: primitive 0: positions", [](Character& c) { first(c).positions.edit()[0].x += 1; }},
      {"mesh 0: primitive 0: normals",
       [](Character& c) { first(c).normals.assign(first(c).vertex_count(), glm::vec3(0, 1, 0)); }},
      {"mesh 0: primitive 0: colours",
       [](Character& c) { first(c).colors.assign(first(c).vertex_count(), glm::vec4(1)); }},
      {"mesh 0: primitive 0: weights of vertices 0 to 19",
       [](Character& c) { first(c).influences.edit().edit_block(0).weight[0] *= 0.5f; }},
      {"mesh 0: primitive 0: morph target 0: position deltas",
       [](Character& c) { first(c).morph_targets.edit(0).position_deltas.edit()[0].y = 3; }},
      {"mesh 0: primitive 0: morph target 0: name", [](Character& c) { first(c).morph_targets.edit(0).name += "'"; }},
      {"mesh 0: primitive 0: material", [](Character& c) { ++first(c).material; }},
      {"mesh 0: morph weights", [](Character& c) { c.meshes.edit(0).morph_weights.push_back(0.5f); }},
      {"mesh 1: name", [](Character& c) { c.meshes.edit(1).name += "'"; }},
      {"nodes with meshes", [](Character& c) { c.mesh_nodes.push_back({}); }},
      {"materials", [](Character& c) { c.materials.push_back({}); }},
      {"clip 0", [](Character& c) { c.clips.edit(0).name += "'"; }},
      {"clip 1", [](Character& c) { c.clips.edit(1).name += "'"; }},
      {"lights", [](Character& c) { c.lights.push_back({}); }},
      {"roles of joints",
       [](Character& c) {
         c.humanoid.push_back({"hips", 0});
       }},
      {"constraints", [](Character& c) { c.constraints.push_back({}); }},
      {"copyright", [](Character& c) { c.copyright += "'"; }},
      {"data kept for the file",
       [](Character& c) {
         c.kept.push_back({"/nodes/0", "", "1"});
       }},
  };
  return all;
}

// What a character says of every part that edits() touches; pointers where parts are shared.
std::vector<std::string> told(const Character& c) {
  const mesh::Primitive& p = c.meshes[0].primitives[0];
  std::vector<std::string> all = {c.name,
                                  c.skeleton->name[1],
                                  std::to_string(c.skins[0].joint_from_mesh[0][3].x),
                                  c.skins[1].name,
                                  c.meshes[0].name,
                                  std::to_string(p.indices[0]),
                                  std::to_string(p.positions[0].x),
                                  std::to_string(p.normals.empty() ? 9.0f : p.normals[0].y),
                                  std::to_string(p.colors.size()),
                                  std::to_string(p.influences->weights(0)[0]),
                                  std::to_string(p.morph_targets[0].position_deltas[0].y),
                                  p.morph_targets[0].name,
                                  std::to_string(p.material),
                                  std::to_string(c.meshes[0].morph_weights.size()),
                                  c.meshes[1].name,
                                  std::to_string(c.mesh_nodes.size()),
                                  std::to_string(c.materials.size()),
                                  c.clips[0].name,
                                  c.clips[1].name,
                                  std::to_string(c.lights.size()),
                                  std::to_string(c.humanoid.size()),
                                  std::to_string(c.constraints.size()),
                                  c.copyright,
                                  std::to_string(c.kept.size())};
  return all;
}

// Each pair of edits: of different parts both are there, of one part the merge is refused by its name.
TEST(Merged, TakesEachPartFromTheSideThatChangedIt) {
  const Character base = two_of_everything();
  ASSERT_EQ(told(base).size(), edits().size());
  for (std::size_t r = 0; r < edits().size(); ++r) {
    for (std::size_t n = 0; n < edits().size(); ++n) {
      SCOPED_TRACE(edits()[r].name + " and " + edits()[n].name);
      Character result = base;
      edits()[r].apply(result);
      ASSERT_NE(told(result)[r], told(base)[r]);
      Character now = base;
      edits()[n].apply(now);
      if (r == n) {
        edits()[n].apply(now);  // as the result and once more: to change alike is no conflict where values are compared
      }
      const Result<Character> both = merged(base, result, now);
      if (r == n) {
        ASSERT_FALSE(both);
        EXPECT_EQ(both.error().message, edits()[r].name + ": changed by both");
        continue;
      }
      ASSERT_TRUE(both) << both.error().message;
      for (std::size_t part = 0; part < edits().size(); ++part) {
        EXPECT_EQ(told(*both)[part], told(part == r ? result : part == n ? now : base)[part]) << edits()[part].name;
      }
    }
  }
}

TEST(Merged, WhatWasMendedIsNotSaidAnyMore) {
  Character base = test::random_rig({.seed = 7});
  base.diagnostics = {{Severity::kWarning, "weight-sum", "mesh 0, primitive 0", "sums are not 1", {1, 2}}};
  Character mended = base;
  mended.diagnostics.clear();
  Character now = base;
  now.name = "renamed meanwhile";
  const Result<Character> both = merged(base, mended, now);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_TRUE(both->diagnostics.empty());
  EXPECT_EQ(both->name, now.name);
  // What another side has found out since stays.
  now.diagnostics[0].vertices.push_back(3);
  EXPECT_EQ(merged(base, mended, now)->diagnostics.size(), 1u);
}

TEST(Merged, AllOfOneSideIsThatSide) {
  const Character base = two_of_everything();
  Character changed = base;
  for (const PartEdit& edit : edits()) {
    edit.apply(changed);
  }
  EXPECT_EQ(told(*merged(base, changed, base)), told(changed));
  EXPECT_EQ(told(*merged(base, base, changed)), told(changed));
  EXPECT_EQ(told(*merged(base, changed, changed)), told(changed)) << "the very same parts are no conflict";
  EXPECT_TRUE(
      merged(base, changed, base)->meshes[0].primitives[0].positions.is(changed.meshes[0].primitives[0].positions))
      << "shared, not copied";
}

TEST(Merged, IndicesIntoWhatCameOrWentAreRefused) {
  const Character base = two_of_everything();
  Character with_joint = base;
  test::add_node(with_joint, "new", 0, {});
  Character named = base;
  named.clips.edit(0).name = "run";
  for (const auto& both : {merged(base, with_joint, named), merged(base, named, with_joint)}) {
    ASSERT_FALSE(both);
    EXPECT_THAT(both.error().message, HasSubstr("came or went"));
  }
  EXPECT_TRUE(merged(base, with_joint, base));
  EXPECT_TRUE(merged(base, base, with_joint));
  Character refined = base;
  first(refined).positions.push_back(glm::vec3(0));
  Character weighed = base;
  first(weighed).influences.edit().edit_block(0).weight[0] *= 0.5f;
  const Result<Character> both = merged(base, refined, weighed);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message, "mesh 0: primitive 0: vertices: changed by both");
}

TEST(Merged, WeightsAreTakenBlockByBlock) {
  const Character base = test::random_rig({.seed = 6, .joints = 4, .vertices = 1000, .influences = 2});
  const auto edited = [&](std::vector<std::size_t> vertices) {
    Character character = base;
    for (const std::size_t v : vertices) {
      first(character).influences.edit().set_row(v, std::vector<std::uint16_t>{1}, std::vector<float>{0.25f});
    }
    return character;
  };
  const Character result = edited({0, 300});
  const Character now = edited({600, 999});
  const Result<Character> both = merged(base, result, now);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(*both->meshes[0].primitives[0].influences, *edited({0, 300, 600, 999}).meshes[0].primitives[0].influences);
  EXPECT_EQ(*now.meshes[0].primitives[0].influences, *edited({600, 999}).meshes[0].primitives[0].influences)
      << "untouched";
  const Result<Character> neither = merged(base, result, edited({511, 600}));
  ASSERT_FALSE(neither);
  EXPECT_EQ(neither.error().message, "mesh 0: primitive 0: weights of vertices 256 to 511: changed by both");
}

}  // namespace
}  // namespace pelt::rig
