#include <gtest/gtest.h>

#include "bind/character_binding.h"
#include "bind/character_problem.h"
#include "bind/deforming_joints.h"
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

// A hip and a knee, and a mesh of one triangle, named "box", of which nodes follow.
rig::Character two_joints_and_a_box() {
  rig::Character character;
  test::add_node(character, "hip", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "knee", 0, {.translation = {0, 2, 0}});
  mesh::Primitive primitive;
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  primitive.indices = {0, 1, 2};
  mesh::Mesh mesh;
  mesh.name = "box";
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  return character;
}

void add_box(rig::Character& character, const char* name, const glm::vec3& at, int mesh, int skin) {
  test::add_node(character, name, -1, {.translation = at});
  character.mesh_nodes.push_back(
      {.joint = character.skeleton->size() - 1, .mesh = mesh, .skin = skin, .morph_weights = {}});
}

rig::Skin skin_of(std::vector<int> joints, float height = 0) {
  rig::Skin skin;
  for (const int j : joints) {
    glm::mat4 joint_from_mesh(1.0f);
    joint_from_mesh[3] = {0, height - (j == 0 ? 1.0f : 3.0f), 0, 1};
    skin.joint_from_mesh.push_back(joint_from_mesh);
  }
  skin.joints = std::move(joints);
  return skin;
}

void give_weights(rig::Character& character, int mesh) {
  for (mesh::Primitive& primitive : character.meshes.edit(static_cast<std::size_t>(mesh)).primitives.edit_each()) {
    mesh::Influences rows;
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      const std::uint16_t joint = 0;
      const float weight = 1;
      mesh::append_row(rows, {&joint, 1}, {&weight, 1});
    }
    primitive.influences = std::move(rows);
  }
}

// One skin can hold a mesh at one place alone.
TEST(CharacterProblem, AMeshAtSeveralPlacesStaysAsItIs) {
  rig::Character character = two_joints_and_a_box();
  add_box(character, "here", {0, 1, 0}, 0, -1);
  add_box(character, "there", {3, 1, 0}, 0, -1);
  rig::finish(character);
  const std::string sentence =
      "mesh 0 (box) stands at different places by nodes 2 (here) and 3 (there), which no one skin can hold";
  for (const Request& request : {Request{}, Request{.meshes = {0}}}) {
    const auto made = make_problem(character, request);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, sentence);
  }
  // Beside one that can be bound it is left out, and said so.
  character.meshes.push_back(character.meshes[0]);
  add_box(character, "alone", {0, 1, 0}, 1, -1);
  rig::finish(character);
  const auto made = make_problem(character, {});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->parts.size(), 1u);
  EXPECT_EQ(made->parts[0].mesh, 1);
  const Binding binding = test::bound(made->problem, "point-to-line");
  const auto remark = std::ranges::find(binding.remarks, RemarkKind::kMeshLeftOut, &Remark::kind);
  ASSERT_NE(remark, binding.remarks.end());
  EXPECT_EQ(pelt::bind::sentence(*remark, made->names), sentence + ": it stays as it is");
  const rig::Character bound = with_binding(character, *made, binding, 4);
  EXPECT_EQ(bound.mesh_nodes[0].skin, -1);
  EXPECT_EQ(bound.mesh_nodes[1].skin, -1);
  EXPECT_EQ(bound.mesh_nodes[2].skin, 0);
  EXPECT_TRUE(bound.meshes[0].primitives[0].influences->empty());
  EXPECT_FALSE(make_problem(character, {.meshes = {1, 0}}));
  // Several nodes at one place are one thing.
  rig::Character twice = two_joints_and_a_box();
  add_box(twice, "here", {0, 1, 0}, 0, -1);
  add_box(twice, "again", {0, 1, 0}, 0, -1);
  rig::finish(twice);
  const auto both = make_problem(twice, {});
  ASSERT_TRUE(both) << both.error().message;
  const rig::Character held = with_binding(twice, *both, test::bound(both->problem, "point-to-line"), 4);
  EXPECT_EQ(held.mesh_nodes[0].skin, 0);
  EXPECT_EQ(held.mesh_nodes[1].skin, 0);
}

TEST(CharacterProblem, AMeshOnSkinsOfDifferentJointsStaysAsItIs) {
  rig::Character character = two_joints_and_a_box();
  character.skins.push_back(skin_of({0, 1}));
  character.skins.push_back(skin_of({1, 0}));
  add_box(character, "one", {}, 0, 0);
  add_box(character, "two", {}, 0, 1);
  give_weights(character, 0);
  rig::finish(character);
  const auto made = make_problem(character, {.joints = {0, 1}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "mesh 0 (box) hangs on skins of different joints by nodes 2 (one) and 3 (two), which its one list of "
            "weights cannot follow");
  character.meshes.push_back(character.meshes[0]);
  add_box(character, "three", {}, 1, 1);
  rig::finish(character);
  const auto beside = make_problem(character, {.joints = {0, 1}});
  ASSERT_TRUE(beside) << beside.error().message;
  ASSERT_EQ(beside->parts.size(), 1u);
  EXPECT_EQ(beside->parts[0].mesh, 1);
  EXPECT_EQ(test::bound(beside->problem, "point-to-line").remarks[0].kind, RemarkKind::kMeshLeftOut);
}

// Joints are added to each skin of a mesh, where that skin has the mesh.
TEST(CharacterProblem, SkinsOfEqualJointsGrowTogether) {
  rig::Character character = two_joints_and_a_box();
  character.skins.push_back(skin_of({0}));
  character.skins.push_back(skin_of({0}, 5));
  add_box(character, "one", {}, 0, 0);
  add_box(character, "two", {}, 0, 1);
  add_box(character, "still", {7, 0, 0}, 0, -1);
  give_weights(character, 0);
  rig::finish(character);
  const auto made = make_problem(character, {.joints = {0, 1}});
  ASSERT_TRUE(made) << made.error().message;
  const rig::Character bound = with_binding(character, *made, test::bound(made->problem, "point-to-line"), 4);
  ASSERT_EQ(bound.skins.size(), 2u);
  for (std::size_t s = 0; s < 2; ++s) {
    ASSERT_EQ(bound.skins[s].joints, (std::vector<int>{0, 1}));
    const rig::Skin expected = skin_of({0, 1}, s == 0 ? 0.0f : 5.0f);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_LT(glm::length(bound.skins[s].joint_from_mesh[k][3] - expected.joint_from_mesh[k][3]), 1e-6f) << s << k;
    }
  }
  EXPECT_EQ(bound.mesh_nodes[0].skin, 0);
  EXPECT_EQ(bound.mesh_nodes[1].skin, 1);
  EXPECT_EQ(bound.mesh_nodes[2].skin, -1) << "what stood still beside it stands still";
}

}  // namespace
}  // namespace pelt::bind
