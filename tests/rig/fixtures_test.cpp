#include "support/fixtures.h"

#include <gtest/gtest.h>

#include "mesh/measures.h"

namespace pelt {
namespace {

TEST(Fixtures, CylinderIsTheTextbooks) {
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  EXPECT_EQ(primitive.vertex_count(), 1314u);
  EXPECT_EQ(primitive.triangle_count(), 2624u);
  EXPECT_NEAR(mesh::signed_volume(primitive.positions, primitive.indices), 0.031214451523, 1e-8);
  EXPECT_EQ(character.skeleton->find("tip"), 1);
  // Mid ring: both weights one half.
  const std::uint32_t mid = test::cylinder_vertex(20, 0);
  ASSERT_EQ(primitive.influences->count(mid), 2u);
  EXPECT_NEAR(primitive.influences->weights(mid)[0], 0.5f, 1e-6f);
  EXPECT_LT(rig::rest_bind_difference(character), 1e-6f);
}

TEST(Fixtures, CylinderTipTwistsAlongXAndBendsAboutZ) {
  const rig::Character character = test::cylinder();
  const rig::JointDofs& dofs = character.skeleton->dofs[1];
  ASSERT_GE(dofs.find("twist"), 0);
  ASSERT_GE(dofs.find("bend"), 0);
  EXPECT_EQ(dofs.dofs[dofs.find("twist")].axis, glm::vec3(1, 0, 0));
  EXPECT_EQ(dofs.dofs[dofs.find("bend")].axis, glm::vec3(0, 0, 1));
}

TEST(Fixtures, StripTrianglesTouchTwoJoints) {
  const rig::Character character = test::strip100();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  ASSERT_EQ(primitive.triangle_count(), 99u);
  for (std::size_t t = 0; t < 99; ++t) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t v = primitive.indices[3 * t + corner];
      const std::uint16_t joint = primitive.influences->joints(v)[0];
      EXPECT_TRUE(joint == t || joint == t + 1);
    }
  }
}

TEST(Fixtures, RandomRigIsReproducibleAndBoundAtRest) {
  const test::RandomRigOptions options{.seed = 7, .joints = 40, .vertices = 300, .influences = 6, .morph_targets = 2};
  const rig::Character first = test::random_rig(options);
  const rig::Character second = test::random_rig(options);
  EXPECT_EQ(first.meshes[0].primitives[0].positions, second.meshes[0].primitives[0].positions);
  EXPECT_EQ(first.skeleton->rest, second.skeleton->rest);
  EXPECT_LE(first.meshes[0].primitives[0].influences->max_count(), 6u);
  EXPECT_LT(rig::rest_bind_difference(first), 1e-5f);
}

}  // namespace
}  // namespace pelt
