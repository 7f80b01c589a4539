#include "mesh/rigid_partition.h"

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "deform/skinning_methods.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

using mesh::partition_rigid;
using mesh::RigidPart;
using mesh::RigidPartition;

using Triangle = std::array<std::uint32_t, 3>;

std::multiset<Triangle> triangles_of(std::span<const std::uint32_t> indices) {
  std::multiset<Triangle> out;
  for (std::size_t i = 0; i < indices.size(); i += 3) {
    out.insert({indices[i], indices[i + 1], indices[i + 2]});
  }
  return out;
}

TEST(RigidPartition, C12_1_TheCylinder) {
  const mesh::Primitive cylinder = test::cylinder_primitive();
  const RigidPartition partition = partition_rigid(cylinder.indices, cylinder.influences);
  ASSERT_EQ(partition.rigid.size(), 2u);
  EXPECT_EQ(partition.rigid[0].joint, 0);
  EXPECT_EQ(partition.rigid[0].indices.size(), 3u * 1056u);
  EXPECT_EQ(partition.rigid[1].joint, 1);
  EXPECT_EQ(partition.rigid[1].indices.size(), 3u * 1056u);
  EXPECT_EQ(partition.skinned.size(), 3u * 512u);
}

TEST(RigidPartition, C12_2_EachTriangleIsInOneListAndNothingMoves) {
  const rig::Character character = test::cylinder();
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const RigidPartition partition = partition_rigid(primitive.indices, primitive.influences);
  std::multiset<Triangle> all = triangles_of(partition.skinned);
  for (const RigidPart& part : partition.rigid) {
    all.merge(triangles_of(part.indices));
  }
  EXPECT_EQ(all, triangles_of(primitive.indices));

  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(2.0f, glm::normalize(glm::vec3(1, 2, 3)));
  SkinningSettings settings;
  settings.method = find_method("lbs");
  const DeformedCharacter deformed = deform_once(character, pose, settings);
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::mat4> matrices(2);
  rig::skin_matrices(character.skins[0], world.world(), matrices);
  for (const RigidPart& part : partition.rigid) {
    for (const std::uint32_t v : part.indices) {
      const glm::vec3 placed(matrices[part.joint] * glm::vec4(primitive.positions[v], 1));
      EXPECT_LE(glm::length(placed - deformed.parts[0].positions[v]), 1e-5f * 1.04f);
    }
  }
}

// Links in a row, each vertex on one joint, joined by bands that straddle two.
TEST(RigidPartition, C12_3_OneHotWeightsAreRigidButForStraddlers) {
  mesh::Primitive robot;
  std::size_t straddling = 0;
  for (std::uint16_t link = 0; link < 7; ++link) {
    const auto base = static_cast<std::uint32_t>(robot.positions.size());
    for (const float x : {0.0f, 0.8f}) {
      for (const float y : {0.0f, 1.0f}) {
        robot.positions.emplace_back(x + static_cast<float>(link), y, 0.0f);
        const float one = 1;
        mesh::append_row(robot.influences.edit(), {&link, 1}, {&one, 1});
      }
    }
    robot.indices.append({base, base + 2, base + 1, base + 1, base + 2, base + 3});
    if (link > 0) {
      robot.indices.append({base - 2, base, base - 1, base - 1, base, base + 1});
      straddling += 2;
    }
  }
  const RigidPartition partition = partition_rigid(robot.indices, robot.influences);
  ASSERT_EQ(partition.rigid.size(), 7u);
  for (std::size_t link = 0; link < 7; ++link) {
    EXPECT_EQ(partition.rigid[link].joint, link);
    EXPECT_EQ(partition.rigid[link].indices.size(), 6u);
  }
  EXPECT_EQ(partition.skinned.size(), 3 * straddling);
}

TEST(RigidPartition, ToleranceAndEmptyRows) {
  mesh::Influences rows;
  const std::uint16_t joints[] = {5, 6};
  for (const float rest : {0.0f, 0.9e-4f, 1.1e-4f}) {
    mesh::append_row(rows, joints, std::array{1 - rest, rest});
  }
  mesh::append_row(rows, {}, {});
  const std::uint32_t indices[] = {0, 1, 1, 0, 1, 2, 3, 3, 3};
  const RigidPartition partition = partition_rigid(indices, rows);
  ASSERT_EQ(partition.rigid.size(), 1u);
  EXPECT_EQ(partition.rigid[0].joint, 5);
  EXPECT_EQ(partition.rigid[0].indices, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_EQ(partition.skinned, (std::vector<std::uint32_t>{0, 1, 2, 3, 3, 3}));
}

}  // namespace
}  // namespace pelt::deform
