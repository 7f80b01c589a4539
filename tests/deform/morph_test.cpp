#include "deform/morph.h"

#include <numbers>

#include <gtest/gtest.h>

#include "deform/deform.h"
#include "one_vertex.h"
#include "support/fixtures.h"

namespace pelt::deform {
namespace {

constexpr double kDigits = 1e-6;

struct Morphed {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec4> tangents;
};

Morphed morphed(const mesh::Primitive& primitive, std::vector<float> weights) {
  Morphed out = {std::vector<glm::vec3>(primitive.positions.size()), std::vector<glm::vec3>(primitive.normals.size()),
                 std::vector<glm::vec4>(primitive.tangents.size())};
  apply_morph_targets(primitive, weights, out.positions, out.normals, out.tangents);
  return out;
}

mesh::Primitive point(const glm::vec3& position, std::vector<glm::vec3> deltas) {
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.indices = {0};
  primitive.positions = {position};
  for (const glm::vec3& delta : deltas) {
    primitive.morph_targets.push_back(
        {.name = "", .position_deltas = {delta}, .normal_deltas = {}, .tangent_deltas = {}});
  }
  return primitive;
}

TEST(Morph, C17_1_BaseAndTargetExactly) {
  const rig::Character character = test::random_rig({.seed = 17, .morph_targets = 3});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const Morphed base = morphed(primitive, {0, 0, 0});
  EXPECT_EQ(base.positions, primitive.positions);
  EXPECT_EQ(base.normals, primitive.normals);
  EXPECT_EQ(base.tangents, primitive.tangents);
  const Morphed target = morphed(primitive, {0, 1, 0});
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    EXPECT_EQ(target.positions[v], primitive.positions[v] + primitive.morph_targets[1].position_deltas[v]);
    EXPECT_EQ(target.normals[v], primitive.normals[v] + primitive.morph_targets[1].normal_deltas[v]);
    EXPECT_EQ(target.tangents[v],
              primitive.tangents[v] + glm::vec4(primitive.morph_targets[1].tangent_deltas[v], 0.0f));
  }
}

TEST(Morph, C17_2_TwoTargets) {
  const mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0, 1, 0), glm::vec3(0, 0, 2)});
  EXPECT_VEC_NEAR(morphed(primitive, {0.5f, 0.25f}).positions[0], glm::dvec3(1, 0.5, 0.5), kDigits);
}

TEST(Morph, C17_3_NormalsAreUnitOnlyAfterSkinning) {
  rig::Character character = test::elbow();
  mesh::Primitive& primitive = character.meshes[0].primitives[0];
  primitive.normals = {{0, 0, 1}};
  primitive.morph_targets = {{.name = "", .position_deltas = {}, .normal_deltas = {{1, 0, -1}}, .tangent_deltas = {}}};
  character.meshes[0].morph_weights = {0.5f};
  character.mesh_nodes[0].morph_weights = {};
  rig::finish(character);
  const glm::vec3 normal = morphed(primitive, {0.5f}).normals[0];
  EXPECT_VEC_NEAR(normal, glm::dvec3(0.5, 0, 0.5), kDigits);
  EXPECT_NEAR(glm::length(normal), 0.707107, kDigits);
  const glm::vec3 skinned = deform_once(character, rig::rest_pose(character), {}).parts[0].normals[0];
  EXPECT_VEC_NEAR(skinned, glm::normalize(glm::dvec3(1, 0, 1)), kDigits);
}

TEST(Morph, C17_4_ShapesComeBeforeSkinning) {
  rig::Character character;
  test::add_node(character, "joint", -1, {});
  mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0.5f, 0, 0)});
  const std::uint16_t joint = 0;
  const float one = 1.0f;
  mesh::append_row(primitive.influences, {&joint, 1}, {&one, 1});
  test::add_skinned_mesh(character, "point", {0}, primitive);
  character.meshes[0].morph_weights = {1.0f};
  rig::finish(character);
  rig::Pose pose = rig::rest_pose(character);
  pose.local[0].rotation = glm::angleAxis(std::numbers::pi_v<float> / 2, glm::vec3(0, 0, 1));
  EXPECT_VEC_NEAR(deform_once(character, pose, {}).parts[0].positions[0], glm::dvec3(0, 1.5, 0), kDigits);
}

TEST(Morph, C17_5_DisplacementIsLinear) {
  const rig::Character character = test::random_rig({.seed = 175, .morph_targets = 1});
  const mesh::Primitive& primitive = character.meshes[0].primitives[0];
  const Morphed once = morphed(primitive, {0.35f});
  const Morphed twice = morphed(primitive, {0.7f});
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    EXPECT_VEC_NEAR(twice.positions[v] - primitive.positions[v],
                    2.0 * glm::dvec3(once.positions[v] - primitive.positions[v]), kDigits);
  }
}

TEST(Morph, NegativeAndLargeWeightsExtrapolate) {
  const mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0, 1, 0)});
  EXPECT_EQ(morphed(primitive, {-2}).positions[0], glm::vec3(1, -2, 0));
  EXPECT_EQ(morphed(primitive, {3}).positions[0], glm::vec3(1, 3, 0));
}

TEST(Morph, FewerWeightsThanTargets) {
  const mesh::Primitive primitive = point({1, 0, 0}, {glm::vec3(0, 1, 0), glm::vec3(0, 0, 1)});
  EXPECT_EQ(morphed(primitive, {1}).positions[0], glm::vec3(1, 1, 0));
  EXPECT_EQ(morphed(primitive, {}).positions[0], glm::vec3(1, 0, 0));
}

}  // namespace
}  // namespace pelt::deform
