#include <gtest/gtest.h>

#include "bind/character_problem.h"
#include "formats/open.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

TEST(CharacterProblem, TakesBonesAndSurfaceFromACharacter) {
  const auto character = formats::open_character("@mannequin");
  ASSERT_TRUE(character);
  const auto made = make_problem(*character, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->problem.bone_count(), proposed_joints(*character).size());
  const int elbow = character->skeleton->find("elbow_l");
  const std::vector<int> below = character->skeleton->children(elbow);
  bool found = false;
  for (const Bone& bone : made->problem.bones) {
    if (bone.joint == elbow) {
      found = true;
      EXPECT_TRUE(std::ranges::any_of(bone.tails, [&](const glm::dvec3& tail) {
        return glm::length(tail - glm::dvec3(made->bind_from_joint[below.at(0)][3])) < 1e-6;
      }));
    }
  }
  EXPECT_TRUE(found);
}

TEST(CharacterProblem, ItsOwnWeightsComeBack) {
  const auto character = formats::open_character("@mannequin");
  ASSERT_TRUE(character);
  const auto made = make_problem(*character, {});
  ASSERT_TRUE(made);
  Binding own;
  own.rows = rows_of(*character, *made);
  own.cause.assign(own.rows.size(), Cause::kSolved);
  const rig::Character again = with_binding(*character, *made, own, 0);
  for (const CharacterProblem::Part& part : made->parts) {
    const mesh::Influences& before = character->meshes[part.mesh].primitives[part.primitive].influences;
    const mesh::Influences& now = again.meshes[part.mesh].primitives[part.primitive].influences;
    ASSERT_EQ(before.vertex_count(), now.vertex_count());
    for (std::size_t v = 0; v < before.vertex_count(); ++v) {
      ASSERT_EQ(before.count(v), now.count(v)) << v;
      for (std::size_t k = 0; k < before.count(v); ++k) {
        EXPECT_EQ(before.joints(v)[k], now.joints(v)[k]) << v;
        EXPECT_NEAR(before.weights(v)[k], now.weights(v)[k], 1e-6) << v;
      }
    }
  }
}

TEST(CharacterProblem, AMeshWithoutASkinGetsOne) {
  rig::Character character;
  test::add_node(character, "hip", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "knee", 0, {.translation = {0, 2, 0}});
  test::add_node(character, "box", -1, {.translation = {0, 1, 0}, .scale = glm::vec3(2.0f)});
  mesh::Primitive primitive;
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  primitive.indices = {0, 1, 2};
  mesh::Mesh mesh;
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 2, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  const auto made = make_problem(character, {});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->problem.bone_count(), 2u);
  EXPECT_EQ(made->problem.positions[2], glm::dvec3(0, 5, 0));
  EXPECT_EQ(made->problem.bones[0].tails[0], glm::dvec3(0, 3, 0));
  EXPECT_EQ(made->problem.bones[1].tails[0], glm::dvec3(0, 5, 0));
  const Binding binding = test::bound(made->problem, "point-to-line");
  const rig::Character bound = with_binding(character, *made, binding, 4);
  ASSERT_EQ(bound.skins.size(), 1u);
  EXPECT_EQ(bound.mesh_nodes[0].skin, 0);
  // At rest each vertex stays where it was.
  for (std::size_t k = 0; k < bound.skins[0].joints.size(); ++k) {
    const glm::mat4 skin =
        glm::mat4(made->bind_from_joint[bound.skins[0].joints[k]]) * bound.skins[0].joint_from_mesh[k];
    EXPECT_LT(glm::length(glm::vec3(skin * glm::vec4(0, 2, 0, 1)) - glm::vec3(0, 5, 0)), 1e-6f);
  }
}

}  // namespace
}  // namespace pelt::bind
