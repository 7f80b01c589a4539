// Binding in a pose: the posed surface and bones are the problem, the weights belong to the same vertices.
#include <gtest/gtest.h>
#include <glm/gtc/matrix_transform.hpp>

#include "bind/character_binding.h"
#include "bind/character_problem.h"
#include "bind/rest_world.h"
#include "gltf/bundled.h"
#include "rig/kinematics.h"
#include "support/binding.h"
#include "support/fixtures.h"

namespace pelt::bind {
namespace {

std::vector<glm::mat4> world_of(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  return world.world();
}

rig::Pose bent(const rig::Character& character, const char* joint, const glm::quat& by) {
  rig::Pose pose = rig::rest_pose(character);
  Transform& local = pose.local[static_cast<std::size_t>(character.skeleton->find(joint))];
  local.rotation = local.rotation * by;
  return pose;
}

// Two tubes along x that touch at rest, A below (the first half of the vertices) and B above, of two joints each whose
// first pivots lie half a metre before the tubes. The weights at hand are rough: each tube follows its first joint.
rig::Character touching_tubes() {
  Problem tubes;
  test::add_tube(tubes, 0, 2, 24, 24, {}, 0.1, true);
  test::add_tube(tubes, 0, 2, 24, 24, {0, 0.2, 0}, 0.1, true);
  rig::Character character;
  character.name = "tubes";
  rig::Skeleton& skeleton = character.skeleton.edit();
  skeleton.parent = {-1, 0, 1, 0, 3, 0};
  skeleton.name = {"root", "a0", "a1", "b0", "b1", "body"};
  const auto at = [](float x, float y) { return Transform{glm::vec3(x, y, 0), glm::quat(1, 0, 0, 0), glm::vec3(1)}; };
  skeleton.rest = {at(-0.5f, 0), at(0, 0), at(1.5f, 0), at(0, 0.2f), at(1.5f, 0), at(0.5f, 0)};
  mesh::Primitive primitive;
  std::vector<glm::vec3> positions;
  for (const glm::dvec3& p : tubes.positions) {
    positions.emplace_back(p);
  }
  primitive.positions = positions;
  std::vector<std::uint32_t> indices;
  for (const auto& [a, b, c] : tubes.triangles) {
    indices.insert(indices.end(), {a, b, c});
  }
  primitive.indices = indices;
  mesh::Influences influences;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const std::uint16_t slot = v < positions.size() / 2 ? 0 : 2;
    const float one = 1;
    mesh::append_row(influences, std::span(&slot, 1), std::span(&one, 1));
  }
  primitive.influences = std::move(influences);
  mesh::Mesh mesh;
  mesh.name = "tubes";
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  rig::Skin skin;
  skin.joints = {1, 2, 3, 4};
  for (const glm::vec3& pivot :
       {glm::vec3(-0.5f, 0, 0), glm::vec3(1, 0, 0), glm::vec3(-0.5f, 0.2f, 0), glm::vec3(1, 0.2f, 0)}) {
    skin.joint_from_mesh.push_back(glm::translate(glm::mat4(1.0f), -pivot));
  }
  character.skins.push_back(std::move(skin));
  rig::MeshNode node;
  node.joint = 5;
  node.mesh = 0;
  node.skin = 0;
  character.mesh_nodes.push_back(node);
  rig::finish(character);
  return character;
}

// Vertices of one tube that have something of a joint of the other.
std::size_t bound_to_the_other(const rig::Character& character) {
  const mesh::Influences& rows = character.meshes[0].primitives[0].influences;
  std::size_t count = 0;
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const bool is_of_a = v < rows.vertex_count() / 2;
    const mesh::InfluenceRow row = rows.row(v);
    count += std::ranges::any_of(row.joints, [&](std::uint16_t k) { return (k < 2) != is_of_a; }) ? 1 : 0;
  }
  return count;
}

rig::Character bound_by(const rig::Character& character, const char* binder, const Request& request,
                        const std::vector<std::pair<std::string_view, double>>& fields = {}) {
  const auto problem = make_problem(character, request);
  EXPECT_TRUE(problem) << (problem ? "" : problem.error().message);
  return with_binding(character, *problem, test::bound(problem->problem, binder, fields), 4);
}

TEST(PosedProblem, InTheRestPoseItIsTheSameBitForBit) {
  std::size_t same = 0;
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    const Result<rig::Character> read = gltf::import_bundled(file.name.substr(0, file.name.rfind('.')));
    if (!read || read->skins.empty()) {
      continue;
    }
    const Result<CharacterProblem> as_bound = make_problem(*read, {});
    ASSERT_TRUE(as_bound) << file.name;
    Request request;
    request.pose = world_of(*read, rig::rest_pose(*read));
    const Result<CharacterProblem> at_rest = make_problem(*read, request);
    ASSERT_TRUE(at_rest) << file.name << ": " << at_rest.error().message;
    if (at_rest->is_posed) {
      continue;  // its rest pose is another than the one that it was bound in
    }
    ++same;
    EXPECT_EQ(at_rest->problem.positions, as_bound->problem.positions) << file.name;
    EXPECT_EQ(at_rest->problem.triangles, as_bound->problem.triangles) << file.name;
    EXPECT_EQ(at_rest->problem.bones, as_bound->problem.bones) << file.name;
    // Nor does it matter where all of it stands.
    const glm::mat4 by =
        glm::translate(glm::mat4(1.0f), glm::vec3(1, 2, 3)) * glm::mat4_cast(glm::quat(0.5f, 0.5f, 0.5f, 0.5f));
    for (glm::mat4& world : request.pose) {
      world = by * world;
    }
    const Result<CharacterProblem> elsewhere = make_problem(*read, request);
    ASSERT_TRUE(elsewhere);
    EXPECT_FALSE(elsewhere->is_posed) << file.name;
    EXPECT_EQ(elsewhere->problem.positions, as_bound->problem.positions) << file.name;
  }
  EXPECT_GE(same, 4u);
}

TEST(PosedProblem, PlacesAndBonesAreThoseOfThePose) {
  const rig::Character character = *gltf::import_bundled("mannequin");
  const rig::Pose pose = bent(character, "elbow_l", glm::angleAxis(1.2f, glm::normalize(glm::vec3(1, 2, 3))));
  Request request;
  request.pose = world_of(character, pose);
  const Result<CharacterProblem> problem = make_problem(character, request);
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_TRUE(problem->is_posed);
  const std::vector<glm::dmat4> world = posed_world(character, pose);
  // The mannequin's mesh space is the world.
  for (const CharacterProblem::Part& part : problem->parts) {
    const mesh::Primitive& primitive = character.meshes[part.mesh].primitives[part.primitive];
    const rig::Skin& skin = character.skins[0];
    for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
      glm::dvec3 at(0.0);
      const mesh::InfluenceRow row = primitive.influences->row(v);
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        at += double{row.weights[k]} *
              glm::dvec3(world[skin.joints[row.joints[k]]] * glm::dmat4(skin.joint_from_mesh[row.joints[k]]) *
                         glm::dvec4(primitive.positions[v], 1));
      }
      ASSERT_LT(glm::distance(problem->problem.positions[problem->place[part.first + v]], at), 1e-5) << v;
    }
  }
  for (const Bone& bone : problem->problem.bones) {
    EXPECT_LT(glm::distance(bone.head, glm::dvec3(world[bone.joint][3])), 1e-5);
  }
}

TEST(PosedProblem, TubesThatTouchAreKeptApartWhereThePosePartsThem) {
  const rig::Character character = touching_tubes();
  Request as_bound;
  as_bound.joints = {1, 2, 3, 4};
  Request parted = as_bound;
  parted.pose = world_of(character, bent(character, "b0", glm::angleAxis(0.7f, glm::vec3(0, 0, 1))));
  const std::vector<std::pair<std::string_view, double>> nothing;
  const std::vector<std::pair<const char*, std::vector<std::pair<std::string_view, double>>>> binders = {
      {"best", nothing},        {"volume-heat", nothing},
      {"heat", nothing},        {"geodesic-voxel", {{"voxels", 64}}},
      {"containment", nothing}, {"point-to-line", {{"bones", 1}}}};
  for (const auto& [binder, fields] : binders) {
    const rig::Character bound = bound_by(character, binder, parted, fields);
    EXPECT_EQ(bound_to_the_other(bound), 0u) << binder;
    // Weights alone: places, triangles and inverse binds are the very same.
    const mesh::Primitive& before = character.meshes[0].primitives[0];
    const mesh::Primitive& after = bound.meshes[0].primitives[0];
    EXPECT_TRUE(after.positions.is(before.positions)) << binder;
    EXPECT_TRUE(after.indices.is(before.indices)) << binder;
    EXPECT_EQ(bound.skins[0].joint_from_mesh, character.skins[0].joint_from_mesh) << binder;
    EXPECT_FALSE(*after.influences == *before.influences) << binder << " shares between the joints of a tube";
  }
  // Where they touch, both are bound to both: that is what the pose is for.
  for (const char* binder : {"best", "containment", "geodesic-voxel"}) {
    EXPECT_GT(bound_to_the_other(bound_by(character, binder, as_bound, {})), 20u) << binder;
  }
}

TEST(PosedProblem, FaultsAreSentences) {
  const rig::Character character = touching_tubes();
  const auto fault = [](const rig::Character& of, const Request& request) {
    const auto problem = make_problem(of, request);
    return problem ? std::string("none") : problem.error().message;
  };
  Request request;
  request.pose.assign(3, glm::mat4(1.0f));
  EXPECT_EQ(fault(character, request), "the pose to bind in: expected 6 joints, got 3");
  request.pose = world_of(character, bent(character, "b0", glm::angleAxis(0.7f, glm::vec3(0, 0, 1))));
  request.pose[4][3][1] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(fault(character, request), "the pose to bind in: joint 4: expected finite numbers");
  rig::Character bare = character;
  bare.skins.clear();
  bare.mesh_nodes.edit()[0].skin = -1;
  bare.meshes.edit(0).primitives.edit(0).influences = mesh::Influences();
  rig::finish(bare);
  request.joints = {1, 2, 3, 4};
  request.pose = world_of(bare, bent(bare, "b0", glm::angleAxis(0.7f, glm::vec3(0, 0, 1))));
  EXPECT_EQ(fault(bare, request), "mesh 0 (tubes) has no weights that take it to the pose: bind it as it is first");
  request.pose = world_of(bare, rig::rest_pose(bare));
  EXPECT_EQ(fault(bare, request), "none");
}

}  // namespace
}  // namespace pelt::bind
