#include "bind/mesh_on_skeleton.h"

#include <gtest/gtest.h>

#include "formats/open.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

// A square on a node that is turned and moved.
rig::Character plain_square(int nodes) {
  rig::Character character;
  mesh::Primitive primitive;
  primitive.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}};
  primitive.indices = {0, 1, 2};
  mesh::Mesh mesh;
  mesh.name = "square";
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  for (int n = 0; n < nodes; ++n) {
    test::add_node(character, "carrier", -1, {.translation = {0, 1, static_cast<float>(n)}, .scale = glm::vec3(2.0f)});
    character.mesh_nodes.push_back({.joint = n, .mesh = 0, .skin = -1, .morph_weights = {}});
  }
  rig::finish(character);
  return character;
}

// Where the vertices are at rest where all follow one joint of their skin.
glm::vec3 followed(const rig::Character& character, std::size_t n, std::size_t v, std::size_t k) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, rig::rest_pose(character));
  const rig::MeshNode& node = character.mesh_nodes[n];
  const mesh::Primitive& primitive = character.meshes[node.mesh].primitives[0];
  return glm::vec3(rig::skin_matrix(character.skins[node.skin], world.world(), k) *
                   glm::vec4(primitive.positions[v], 1.0f));
}

TEST(MeshOnSkeleton, EveryJointHoldsTheMeshWhereItWas) {
  const auto skeleton = formats::open_character("@mannequin");
  ASSERT_TRUE(skeleton);
  const auto made = mesh_on_skeleton(plain_square(1), *skeleton);
  ASSERT_TRUE(made) << made.error().message;
  const rig::Character& character = made->character;
  ASSERT_EQ(character.skins.size(), 1u);
  EXPECT_EQ(character.skins[0].joints.size(), skeleton->skins[0].joints.size());
  for (std::size_t k = 0; k < character.skins[0].joints.size(); ++k) {
    EXPECT_LT(glm::distance(followed(character, 0, 2, k), glm::vec3(0, 5, 0)), 1e-5f) << k;
    EXPECT_EQ(character.skins[0].joints[k], made->moved[static_cast<std::size_t>(skeleton->skins[0].joints[k])]);
  }
  EXPECT_TRUE(character.meshes[0].primitives[0].influences->empty());
  EXPECT_EQ(character.clips.size(), skeleton->clips.size());
  for (int j = 0; j < skeleton->skeleton->size(); ++j) {
    const int now = made->moved[static_cast<std::size_t>(j)];
    if (now >= 0) {
      EXPECT_EQ(character.skeleton->name[static_cast<std::size_t>(now)], skeleton->skeleton->name[j]);
    } else {
      EXPECT_FALSE(skeleton->skeleton->is_joint[j]) << "only nodes of meshes are left out";
    }
  }
}

TEST(MeshOnSkeleton, AMeshOnSeveralNodesBecomesSeveral) {
  const auto skeleton = formats::open_character("@elbow");
  ASSERT_TRUE(skeleton);
  const auto made = mesh_on_skeleton(plain_square(3), *skeleton);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->character.meshes.size(), 3u);
  EXPECT_EQ(made->character.skins.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(made->character.mesh_nodes[n].mesh, static_cast<int>(n));
    EXPECT_LT(glm::distance(followed(made->character, n, 1, 0), glm::vec3(2, 1, static_cast<float>(n))), 1e-5f);
  }
}

TEST(MeshOnSkeleton, ARiggedMeshLeavesItsOwnSkeletonBehind) {
  const auto mesh = formats::open_character("@mannequin");
  const auto skeleton = formats::open_character("@elbow");
  ASSERT_TRUE(mesh);
  ASSERT_TRUE(skeleton);
  const auto made = mesh_on_skeleton(*mesh, *skeleton);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->character.skeleton->find("elbow_l"), -1);
  EXPECT_EQ(made->character.mesh_nodes.size(), mesh->mesh_nodes.size());
}

TEST(MeshOnSkeleton, SaysWhatIsMissing) {
  const auto skeleton = formats::open_character("@elbow");
  ASSERT_TRUE(skeleton);
  EXPECT_EQ(mesh_on_skeleton(rig::Character(), *skeleton).error().message, "the mesh has no vertices");
  EXPECT_EQ(mesh_on_skeleton(plain_square(1), plain_square(1)).error().message, "the skeleton has no joints");
}

}  // namespace
}  // namespace pelt::bind
