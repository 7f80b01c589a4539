#include "rig/character.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rig/conversions.h"
#include "rig/own_bindings.h"
#include "support/fixtures.h"
#include "support/two_skins.h"

namespace pelt::rig {
namespace {

using testing::ElementsAre;

glm::quat about(const glm::vec3& axis, float degrees) {
  return glm::angleAxis(glm::radians(degrees), axis);
}

std::vector<glm::mat4> matrices_in(const Character& character, const Pose& pose, std::size_t skin) {
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::mat4> out(character.skins[skin].joints.size());
  skin_matrices(character.skins[skin], world.world(), out);
  return out;
}

float identity_difference(const std::vector<glm::mat4>& matrices) {
  float worst = 0;
  for (const glm::mat4& m : matrices) {
    for (int c = 0; c < 4; ++c) {
      for (int r = 0; r < 4; ++r) {
        worst = std::max(worst, std::abs(m[c][r] - (c == r ? 1.0f : 0.0f)));
      }
    }
  }
  return worst;
}

// Largest distance of the skinned vertices from the modelled ones.
float skinned_difference(const Character& character, const Pose& pose, std::size_t mesh_node) {
  const MeshNode& node = character.mesh_nodes[mesh_node];
  const std::vector<glm::mat4> matrices = matrices_in(character, pose, static_cast<std::size_t>(node.skin));
  const mesh::Primitive& primitive = character.meshes[node.mesh].primitives[0];
  float worst = 0;
  for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
    glm::vec3 sum(0.0f);
    const mesh::InfluenceRow row = primitive.influences->row(v);
    for (std::size_t i = 0; i < row.joints.size(); ++i) {
      sum += row.weights[i] * glm::vec3(matrices[row.joints[i]] * glm::vec4(primitive.positions[v], 1));
    }
    worst = std::max(worst, glm::length(sum - primitive.positions[v]));
  }
  return worst;
}

TEST(SkinMatrices, C1_3_MeshNodeTransformIsIgnored) {
  Character character;
  test::add_node(character, "node_0", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "node_1", 0, {.scale = glm::vec3(0.5f)});
  test::add_node(character, "mesh", -1, {{1, 0, 0}, about({0, 1, 0}, 180), glm::vec3(1)});
  character.skins.push_back({.name = {}, .joints = {1}, .joint_from_mesh = {glm::mat4(1.0f)}});
  character.meshes.resize(1);
  character.mesh_nodes.push_back({.joint = 2, .mesh = 0, .skin = 0, .morph_weights = {}});
  finish(character);
  const glm::mat4 matrix = matrices_in(character, rest_pose(character), 0)[0];
  EXPECT_EQ(glm::vec3(matrix * glm::vec4(1, 0, 0, 1)), glm::vec3(0.5f, 1, 0));
}

TEST(BindPose, C3_1_SkinMatricesAreIdentityAndVerticesStayPut) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    Character character = test::random_rig({.seed = seed, .joints = 60, .vertices = 100});
    // A rest pose far from the bind pose.
    test::Random random(seed);
    character.skeleton.edit().rest = test::random_pose(character, random, 2.0, 0.3f).local;
    const Pose bind = bind_pose(character);
    EXPECT_LT(identity_difference(matrices_in(character, bind, 0)), 1e-6f) << "seed " << seed;
    EXPECT_LT(skinned_difference(character, bind, 0), 1e-6f) << "seed " << seed;
    EXPECT_GT(rest_bind_difference(character), 0.1f);
  }
}

TEST(BindPose, C3_2_RestMayDifferFromBind) {
  Character character = test::cylinder();
  EXPECT_LT(rest_bind_difference(character), 1e-4f);
  EXPECT_LT(skinned_difference(character, rest_pose(character), 0), 1e-6f);
  character.skeleton.edit().rest[1].rotation = about({0, 0, 1}, 40);
  EXPECT_GT(rest_bind_difference(character), 1e-4f);
  EXPECT_GT(skinned_difference(character, rest_pose(character), 0), 0.1f);
  EXPECT_LT(skinned_difference(character, bind_pose(character), 0), 1e-6f);
  EXPECT_EQ(bind_pose(character).local[1].rotation, kIdentityQuat);
  EXPECT_TRUE(bind_pose(character).residual.empty());
}

TEST(BindPose, C3_3_EverySkinHasItsOwn) {
  const Character character = test::two_skins();
  for (int skin = 0; skin < 2; ++skin) {
    const std::size_t own = skin;
    const Pose pose = bind_pose(character, skin);
    EXPECT_LT(identity_difference(matrices_in(character, pose, own)), 1e-6f);
    EXPECT_LT(skinned_difference(character, pose, own), 1e-6f);
    EXPECT_GT(identity_difference(matrices_in(character, pose, 1 - own)), 0.1f);
    EXPECT_GT(skinned_difference(character, pose, 1 - own), 0.1f);
  }
  EXPECT_EQ(bind_pose(character, -1), bind_pose(character, 0));
}

TEST(BindPose, C3_3_AllSkinsAtOnceInTheirOwn) {
  const Character character = test::two_skins();
  Pose pose = bind_pose(character);
  add_own_bindings(character, pose);
  const auto matrices_of_skin = [&](const Pose& of, int skin) {
    WorldMatrices world;
    world.evaluate(character.skeleton, of);
    std::vector<glm::mat4> out(character.skins[skin].joints.size());
    posed_skin_matrices(character, of, world.world(), skin, out);
    return out;
  };
  for (int skin = 0; skin < 2; ++skin) {
    EXPECT_LT(identity_difference(matrices_of_skin(pose, skin)), 2e-6f) << "skin " << skin;
  }
  // Joints stand where the first skin has them; what is moved then takes both along.
  EXPECT_EQ(pose.local, bind_pose(character).local);
  pose.local[0].rotation = about({1, 2, 3}, 50) * pose.local[0].rotation;
  WorldMatrices moved;
  moved.evaluate(character.skeleton, pose);
  const glm::mat4 motion = moved[0] * affine_inverse(to_matrix(bind_pose(character).local[0]));
  for (int skin = 0; skin < 2; ++skin) {
    for (const glm::mat4& m : matrices_of_skin(pose, skin)) {
      EXPECT_LT(identity_difference({affine_inverse(motion) * m}), 5e-6f) << "skin " << skin;
    }
  }
  // As a rest pose it is one of joints alone.
  EXPECT_TRUE(with_rest_pose(character, pose).skeleton->rest_residual.empty());
  EXPECT_TRUE(pose.residual.empty()) << "they are no shear of nodes";
}

TEST(BindPose, SkinsBoundInOnePoseHaveNothingOfTheirOwn) {
  Character character = test::cylinder();
  test::add_skinned_mesh(character, "second", {1, 0}, test::cylinder_primitive());
  finish(character);
  Pose pose = bind_pose(character);
  add_own_bindings(character, pose);
  EXPECT_EQ(pose, bind_pose(character));
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  EXPECT_EQ(posed_skin_matrix(character, pose, world.world(), 1, 0), skin_matrix(character.skins[1], world.world(), 0));
}

TEST(BindPose, NodesBetweenJointsKeepTheirRest) {
  Character character;
  test::add_node(character, "a", -1, {});
  test::add_node(character, "between", 0, {{0, 1, 0}, about({1, 0, 0}, 25), {1, 2, 1}});
  test::add_node(character, "b", 1, {.translation = {0, 1, 0}});
  character.skins.push_back(
      {.name = {},
       .joints = {0, 2},
       .joint_from_mesh = {affine_inverse(to_matrix({.translation = {5, 0, 0}})),
                           affine_inverse(to_matrix({{5, 3, 0}, about({0, 0, 1}, 10), glm::vec3(1)}))}});
  finish(character);
  const Pose pose = bind_pose(character);
  EXPECT_EQ(pose.local[1], character.skeleton->rest[1]);
  EXPECT_LT(identity_difference(matrices_in(character, pose, 0)), 2e-6f);
  // The scaled node in between makes the joint's local transform shear.
  EXPECT_EQ(pose.residual.size(), 3u);
  EXPECT_EQ(pose.residual[1], glm::mat4(1.0f));
}

TEST(BindPose, SingularInverseBindKeepsRest) {
  Character character;
  test::add_node(character, "a", -1, {.translation = {1, 0, 0}});
  test::add_node(character, "b", 0, {.translation = {0, 1, 0}});
  glm::mat4 flat(1.0f);
  flat[1][1] = 0;
  character.skins.push_back({.name = {}, .joints = {0, 1}, .joint_from_mesh = {flat, glm::mat4(1.0f)}});
  finish(character);
  const Pose pose = bind_pose(character);
  EXPECT_EQ(pose.local[0], character.skeleton->rest[0]);
  EXPECT_EQ(pose.local[1].translation, glm::vec3(-1, 0, 0));
}

TEST(Poses, ZeroPoseIsTheRestPoseWithoutAuthoredDofs) {
  const Character character =
      test::random_rig({.seed = 5, .joints = 30, .vertices = 10, .morph_targets = 1, .scaled = true});
  EXPECT_EQ(zero_pose(character), rest_pose(character));
}

TEST(Poses, ZeroPoseFollowsAuthoredDofs) {
  Character character = test::cylinder();
  JointDofs& dofs = character.skeleton.edit().dofs[1];
  dofs.authored = true;
  dofs.orientation = about({0, 0, 1}, 90);
  const Pose pose = zero_pose(character);
  EXPECT_EQ(pose.local[1].rotation, dofs.orientation);
  EXPECT_EQ(pose.local[0], character.skeleton->rest[0]);
}

TEST(Parts, AnEditedCopySharesAllButWhatItEdits) {
  const Character original = test::random_rig({.seed = 16, .joints = 5, .vertices = 60, .morph_targets = 2});
  Character copy = original;
  const mesh::Primitive& before = original.meshes[0].primitives[0];
  {
    mesh::Primitive& edited = copy.meshes.edit(0).primitives.edit(0);
    edited.influences.edit().edit_block(0).weight[0] = 0.25f;
    edited.morph_targets.edit(1).position_deltas.edit()[3] = glm::vec3(1, 2, 3);
  }
  const mesh::Primitive& after = copy.meshes[0].primitives[0];
  EXPECT_EQ(after.influences->weights(0)[0], 0.25f);
  EXPECT_NE(before.influences->weights(0)[0], 0.25f);
  EXPECT_FALSE(after.influences.is(before.influences));
  EXPECT_FALSE(after.morph_targets.shared(1).is(before.morph_targets.shared(1)));
  EXPECT_FALSE(after.morph_targets[1].position_deltas.is(before.morph_targets[1].position_deltas));
  EXPECT_TRUE(after.morph_targets[1].normal_deltas.is(before.morph_targets[1].normal_deltas));
  EXPECT_TRUE(after.morph_targets.shared(0).is(before.morph_targets.shared(0)));
  EXPECT_TRUE(after.positions.is(before.positions));
  EXPECT_TRUE(after.normals.is(before.normals));
  EXPECT_TRUE(after.indices.is(before.indices));
  EXPECT_TRUE(copy.skeleton.is(original.skeleton));
  EXPECT_TRUE(copy.skins.is(original.skins));
  EXPECT_TRUE(copy.clips.is(original.clips));

  copy.skins.edit(0).joint_from_mesh[0][3].x += 1;
  EXPECT_FALSE(copy.skins.is(original.skins));
  EXPECT_NE(copy.skins[0].joint_from_mesh[0], original.skins[0].joint_from_mesh[0]);
}

TEST(Finish, PartsInDepthFirstOrderOfTheScene) {
  Character character;
  const int root_b = test::add_node(character, "b", -1, {});
  const int b_first = test::add_node(character, "b1", root_b, {});
  const int b_second = test::add_node(character, "b2", root_b, {});
  const int b_inner = test::add_node(character, "b11", b_first, {});
  const int root_a = test::add_node(character, "a", -1, {});
  const int unused = test::add_node(character, "unused", -1, {});
  mesh::Mesh mesh;
  mesh.primitives.resize(2);
  character.meshes.push_back(mesh);
  for (const int node : {b_inner, b_second, root_a, unused, root_b}) {
    character.mesh_nodes.push_back({.joint = node, .mesh = 0, .morph_weights = {}});
  }
  character.scenes.push_back({.name = "main", .roots = {root_a, root_b}});
  finish(character);
  std::vector<int> order;
  for (const Part& part : character.parts) {
    order.push_back(part.joint);
    EXPECT_EQ(part.primitive, static_cast<int>(order.size() - 1) % 2);
    EXPECT_EQ(character.mesh_nodes[part.mesh_node].joint, part.joint);
    EXPECT_EQ(part.skin, -1);
  }
  EXPECT_THAT(order, ElementsAre(root_a, root_a, root_b, root_b, b_inner, b_inner, b_second, b_second));
  // Without scenes every root counts.
  character.scenes.clear();
  finish(character);
  EXPECT_EQ(character.parts.size(), 10u);
  EXPECT_EQ(character.parts.front().joint, root_b);
}

TEST(Finish, MorphOffsetsAndRestWeights) {
  Character character;
  for (int j = 0; j < 4; ++j) {
    test::add_node(character, "", -1, {});
  }
  mesh::Mesh two;
  two.morph_names = {"a", "b"};
  two.morph_weights = {0.25f, 0.5f};
  mesh::Mesh three;
  three.primitives.resize(1);
  three.primitives.edit(0).morph_targets.resize(3);
  character.meshes = {two, three};
  character.mesh_nodes.push_back({.joint = 1, .mesh = 0, .morph_weights = {}});
  character.mesh_nodes.push_back({.joint = 3, .mesh = 1, .morph_weights = {1.0f}});
  finish(character);
  EXPECT_THAT(character.morph_offset, ElementsAre(0, 0, 2, 2, 5));
  const Pose pose = rest_pose(character);
  EXPECT_THAT(pose.morph_weights, ElementsAre(0.25f, 0.5f, 1.0f, 0.0f, 0.0f));
  EXPECT_TRUE(character.morph_weights(pose, 0).empty());
  EXPECT_THAT(character.morph_weights(pose, 3), ElementsAre(1.0f, 0.0f, 0.0f));
}

TEST(Finish, SkeletonWithoutMeshes) {
  Character character;
  test::add_node(character, "a", -1, {});
  test::add_node(character, "b", 0, {.translation = {0, 1, 0}});
  test::add_node(character, "c", 1, {.translation = {0, 1, 0}});
  character.skins.push_back({.name = {}, .joints = {1, 2}, .joint_from_mesh = {glm::mat4(1.0f), glm::mat4(1.0f)}});
  finish(character);
  EXPECT_THAT(character.skeleton->is_joint, ElementsAre(0, 1, 1));
  EXPECT_TRUE(character.parts.empty());
  EXPECT_THAT(character.skeleton->source_node, ElementsAre(0, 1, 2));
  EXPECT_EQ(character.skeleton->dofs[2].dofs.size(), 9u);
  EXPECT_GT(rest_bind_difference(character), 0.1f);
  EXPECT_EQ(rest_bind_difference(Character()), 0.0f);
}

TEST(Finish, AuthoredJointsKeepTheirDofs) {
  Character character;
  test::add_node(character, "fixed", -1, {});
  character.skeleton.edit().dofs.resize(1);
  character.skeleton.edit().dofs[0].authored = true;
  finish(character);
  EXPECT_TRUE(character.skeleton->dofs[0].dofs.empty());
  EXPECT_EQ(zero_pose(character).local[0], Transform());
}

TEST(Bone, PointsToChildrenElseOnwards) {
  Character character;
  const int root = test::add_node(character, "root", -1, {});
  const int spine = test::add_node(character, "spine", root, {{0, 2, 0}, about({0, 0, 1}, 90), glm::vec3(0.5f)});
  const int left = test::add_node(character, "left", spine, {.translation = {1, 1, 0}});
  const int right = test::add_node(character, "right", spine, {.translation = {1, -1, 0}});
  const int hand = test::add_node(character, "hand", left, {{0, 0, 3}, about({0, 1, 0}, 90), glm::vec3(1)});
  test::add_node(character, "weapon", hand, {.translation = {9, 9, 9}});
  character.skins.push_back(
      {.name = {}, .joints = {root, spine, left, right, hand}, .joint_from_mesh = std::vector(5, glm::mat4(1.0f))});
  finish(character);
  const Skeleton& skeleton = character.skeleton;
  const auto close = [](const glm::vec3& a, const glm::vec3& b) { return glm::length(a - b) < 1e-6f; };
  EXPECT_TRUE(close(bone_direction(skeleton, root), {0, 1, 0}));
  EXPECT_TRUE(close(bone_direction(skeleton, spine), {1, 0, 0}));
  EXPECT_TRUE(close(bone_direction(skeleton, left), {0, 0, 1}));
  EXPECT_TRUE(close(bone_direction(skeleton, hand), {-1, 0, 0}));  // the parent's z in a frame turned about y
  EXPECT_NEAR(bone_length(skeleton, root), 2, 1e-6);
  EXPECT_NEAR(bone_length(skeleton, spine), 0.5 * std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(bone_length(skeleton, left), 1.5, 1e-6);
  EXPECT_NEAR(bone_length(skeleton, hand), 1.5, 1e-6);
  Character lone;
  test::add_node(lone, "", -1, {});
  finish(lone);
  EXPECT_EQ(bone_direction(lone.skeleton, 0), glm::vec3(0));
  EXPECT_EQ(bone_length(lone.skeleton, 0), 0.0f);
}

}  // namespace
}  // namespace pelt::rig
