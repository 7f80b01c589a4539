// ALGORITHMS.md C8.1: re-binding in any pose leaves the current shape unchanged, and afterwards C3.1 holds.
#include <cmath>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "one_vertex.h"
#include "rig/conversions.h"
#include "rig/kinematics.h"
#include "rig/own_bindings.h"
#include "support/fixtures.h"
#include "support/two_skins.h"

namespace pelt::deform {
namespace {

DeformedCharacter linear(const rig::Character& character, const rig::Pose& pose) {
  SkinningSettings settings;
  settings.method = find_method("lbs");
  return deform_once(character, pose, settings);
}

std::vector<glm::mat4> world_of(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return world.world();
}

TEST(Rebind, C8_1_LeavesTheShapeAndMakesItTheBindShape) {
  test::Random random(3);
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const rig::Character before = test::random_rig({.seed = seed, .morph_targets = 2, .scaled = seed % 2 == 0});
    const rig::Pose pose = test::random_pose(before, random, 1.5, 0.2f, 0.3f);
    const Result<rig::Character> after = rig::bound_in_pose(before, pose);
    ASSERT_TRUE(after) << after.error().message;
    const DeformedCharacter was = linear(before, pose);
    const DeformedCharacter is = linear(*after, pose);
    const double tolerance = 1e-5 * static_cast<double>(was.bounds.diagonal());
    for (std::size_t v = 0; v < was.parts[0].positions.size(); ++v) {
      EXPECT_VEC_NEAR(is.parts[0].positions[v], was.parts[0].positions[v], tolerance);
    }
    // C3.1 in the pose it was bound in.
    const std::vector<glm::mat4> world = world_of(*after, pose);
    for (std::size_t k = 0; k < after->skins[0].joints.size(); ++k) {
      const glm::mat4 m = rig::skin_matrix(after->skins[0], world, k);
      for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 4; ++r) {
          EXPECT_NEAR(m[c][r], c == r ? 1.0f : 0.0f, 1e-5f);
        }
      }
    }
    // The stored mesh, morphed, is what is seen.
    const mesh::Primitive& bound = after->meshes[0].primitives[0];
    const std::span<const float> weights = after->morph_weights(pose, after->parts[0].joint);
    for (std::size_t v = 0; v < bound.vertex_count(); ++v) {
      glm::vec3 stored = bound.positions[v];
      for (std::size_t m = 0; m < weights.size(); ++m) {
        stored += weights[m] * bound.morph_targets[m].position_deltas[v];
      }
      EXPECT_VEC_NEAR(stored, was.parts[0].positions[v], tolerance);
    }
    // Nothing else has changed.
    EXPECT_EQ(after->skeleton->rest, before.skeleton->rest);
    EXPECT_TRUE(bound.influences == before.meshes[0].primitives[0].influences);
  }
}

TEST(Rebind, InTheBindPoseOfEachSkinTheShapeStays) {
  const rig::Character before = test::two_skins();
  rig::Pose pose = rig::bind_pose(before);
  rig::add_own_bindings(before, pose);
  const DeformedCharacter was = linear(before, pose);
  for (std::size_t skin = 0; skin < 2; ++skin) {
    const Result<rig::Character> after = rig::bound_in_pose(before, pose, static_cast<int>(skin));
    ASSERT_TRUE(after) << after.error().message;
    const int mesh = after->mesh_nodes[skin].mesh;
    const std::vector<glm::vec3>& stored = after->meshes[mesh].primitives[0].positions;
    ASSERT_EQ(stored.size(), was.parts[skin].positions.size());
    for (std::size_t v = 0; v < stored.size(); ++v) {
      EXPECT_VEC_NEAR(stored[v], was.parts[skin].positions[v], 1e-5);
    }
  }
}

TEST(Rebind, InTheRestPoseIsBoundInRestPose) {
  const rig::Character before = test::random_rig({.seed = 4});
  const Result<rig::Character> a = rig::bound_in_rest_pose(before);
  const Result<rig::Character> b = rig::bound_in_pose(before, rig::rest_pose(before));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->skins[0].joint_from_mesh, b->skins[0].joint_from_mesh);
  EXPECT_EQ(a->meshes[0].primitives[0].positions, b->meshes[0].primitives[0].positions);
}

// One mesh on two skins: the one that is bound anew gets a mesh of its own.
TEST(Rebind, OneSkinLeavesTheOtherAlone) {
  rig::Character before = test::cylinder();
  before.skins.push_back(before.skins[0]);
  rig::MeshNode second = before.mesh_nodes[0];
  second.skin = 1;
  second.joint = test::add_node(before, "second", -1, {});
  before.mesh_nodes.push_back(second);
  rig::finish(before);
  ASSERT_EQ(before.parts.size(), 2u);
  rig::Pose pose = rig::rest_pose(before);
  pose.local[1].rotation = glm::angleAxis(1.0f, glm::vec3(0, 0, 1));
  const Result<rig::Character> after = rig::bound_in_pose(before, pose, 1);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->skins[0].joint_from_mesh, before.skins[0].joint_from_mesh);
  EXPECT_NE(after->skins[1].joint_from_mesh, before.skins[1].joint_from_mesh);
  EXPECT_EQ(after->parts.size(), before.parts.size());
  EXPECT_EQ(after->primitive(after->parts[0]).positions, before.primitive(before.parts[0]).positions);
  const rig::Pose rest = rig::rest_pose(before);
  const DeformedCharacter was = linear(before, rest);
  const DeformedCharacter is = linear(*after, rest);
  EXPECT_EQ(is.parts[0].positions, was.parts[0].positions);
  EXPECT_NE(is.parts[1].positions, was.parts[1].positions) << "its bind shape is bent now";
}

// What light sees of it stays as well: normals, tangents and their morphs, under joints that are stretched or mirrored.
TEST(Rebind, C8_1_LeavesNormalsAndTangents) {
  test::Random random(8);
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const rig::Character before = test::random_rig({.seed = seed, .morph_targets = 2});
    const mesh::Primitive& primitive = before.meshes[0].primitives[0];
    ASSERT_FALSE(primitive.normals.empty());
    ASSERT_FALSE(primitive.tangents.empty());
    ASSERT_FALSE(primitive.morph_targets[0].normal_deltas.empty());
    rig::Pose pose = test::random_pose(before, random, 1.0, 0.2f, 0.3f);
    if (seed % 2 == 0) {
      pose.local[0].scale *= glm::vec3(-1, 2, 1);  // of all that hangs on it
    }
    const Result<rig::Character> after = rig::bound_in_pose(before, pose);
    ASSERT_TRUE(after) << after.error().message;
    const DeformedPart was = linear(before, pose).parts[0];
    const DeformedPart is = linear(*after, pose).parts[0];
    double farthest = 0;
    for (std::size_t v = 0; v < was.normals.size(); ++v) {
      EXPECT_LT(test::angle_between(is.normals[v], was.normals[v]), 2e-3) << v;
      EXPECT_LT(test::angle_between(glm::vec3(is.tangents[v]), glm::vec3(was.tangents[v])), 2e-3) << v;
      EXPECT_EQ(is.tangents[v].w, was.tangents[v].w) << v;
      const mesh::Primitive& bound = after->meshes[0].primitives[0];
      EXPECT_NEAR(glm::length(bound.normals[v]), 1, 1e-5);
      EXPECT_NEAR(glm::length(glm::vec3(bound.tangents[v])), 1, 1e-5);
      farthest = std::max(farthest, test::angle_between(bound.normals[v], primitive.normals[v]));
    }
    EXPECT_GT(farthest, 0.5) << "they were turned";
  }
}

// A skin that its root mirrors is drawn with the winding turned round; bound there it is one that nothing mirrors.
TEST(Rebind, C8_1_InAMirroredPoseTrianglesKeepTheirOutside) {
  const rig::Character before = test::cylinder();
  for (const bool root : {true, false}) {
    rig::Pose pose = rig::rest_pose(before);
    pose.local[root ? 0 : 1].scale = {1, 1, -1};  // the tip alone is half of the joints, and not most of them
    const Result<rig::Character> after = rig::bound_in_pose(before, pose);
    ASSERT_TRUE(after) << after.error().message;
    const mesh::Primitive& bound = after->meshes[0].primitives[0];
    for (std::size_t i = 0; i < bound.indices.size(); i += 3) {
      const auto corner = [&](std::size_t c) { return bound.positions[bound.indices[i + c]]; };
      const glm::vec3 across = glm::cross(corner(1) - corner(0), corner(2) - corner(0));
      const glm::vec3 out = bound.normals[bound.indices[i]];
      const bool near_root = std::max({corner(0).x, corner(1).x, corner(2).x}) < 0.4f;
      if (root || near_root) {
        ASSERT_GT(glm::dot(across, out), 0) << i;
      }
    }
    EXPECT_EQ(bound.indices == before.meshes[0].primitives[0].indices, !root);
  }
}

// Nodes that showed one mesh by one skin go on doing so, apart from the node that shows it by another.
TEST(Rebind, NodesOfOneMeshAndSkinKeepSharing) {
  rig::Character before = test::cylinder();
  before.skins.push_back(before.skins[0]);
  for (const int skin : {0, 1, 0}) {
    rig::MeshNode node = before.mesh_nodes[0];
    node.skin = skin;
    node.joint = test::add_node(before, "another", -1, {});
    before.mesh_nodes.push_back(node);
  }
  rig::finish(before);
  rig::Pose pose = rig::rest_pose(before);
  pose.local[1].rotation = glm::angleAxis(1.0f, glm::vec3(0, 0, 1));
  const Result<rig::Character> one = rig::bound_in_pose(before, pose, 0);
  ASSERT_TRUE(one) << one.error().message;
  ASSERT_EQ(one->meshes.size(), 2u);
  EXPECT_EQ(one->mesh_nodes[2].mesh, before.mesh_nodes[2].mesh) << "of the other skin";
  for (const std::size_t node : {1u, 3u}) {
    EXPECT_EQ(one->mesh_nodes[node].mesh, one->mesh_nodes[0].mesh);
  }
  EXPECT_NE(one->mesh_nodes[0].mesh, one->mesh_nodes[2].mesh);
  const Result<rig::Character> all = rig::bound_in_pose(before, pose);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->meshes.size(), 2u) << "one for each skin";
}

// A joint that stands in nobody's way may be without extent: one that no vertex follows, or of a skin that is left
// alone. It keeps the inverse bind matrix that it had.
TEST(Rebind, OnlyJointsThatMoveSomethingNeedAnExtent) {
  rig::Character before = test::cylinder();
  const int idle = test::add_node(before, "idle", -1, {.scale = {1, 0, 1}});
  before.skins.edit(0).joints.push_back(idle);
  before.skins.edit(0).joint_from_mesh.push_back(glm::mat4(3.0f));
  before.skins.edit(0).has_inverse_binds = false;
  test::add_skinned_mesh(before, "second", {idle, 0, 1}, test::cylinder_primitive());
  rig::finish(before);
  const rig::Pose pose = rig::rest_pose(before);
  const Result<rig::Character> bound = rig::bound_in_pose(before, pose, 0);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_TRUE(bound->skins[0].has_inverse_binds);
  EXPECT_EQ(bound->skins[0].joint_from_mesh[2], glm::mat4(3.0f));
  EXPECT_FALSE(rig::bound_in_pose(before, pose, 1)) << "the second one's vertices follow it";
  EXPECT_FALSE(rig::bound_in_pose(before, pose));
}

TEST(Rebind, RefusesAJointWithoutExtent) {
  const rig::Character cylinder = test::cylinder();
  rig::Pose pose = rig::rest_pose(cylinder);
  EXPECT_TRUE(rig::can_be_bound(cylinder, world_of(cylinder, pose)));
  pose.local[1].scale = {1, 0, 1};
  const Status refused = rig::can_be_bound(cylinder, world_of(cylinder, pose), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "skin 0: joint \"tip\" has no extent along some axis in the pose, so it cannot be bound there");
  const Result<rig::Character> bound = rig::bound_in_pose(cylinder, pose, 0);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().message, refused.error().message);
}

}  // namespace
}  // namespace pelt::deform
