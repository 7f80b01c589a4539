#include "render/picking.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "core/parallel.h"
#include "render/camera.h"
#include "rig/joint_names.h"
#include "support/fixtures.h"

namespace pelt::render {
namespace {

/// A cube of two metres around the origin on one node: vertex v at the signs of its bits.
rig::Character cube() {
  rig::Character character;
  character.name = "cube";
  test::add_node(character, "cube", -1, {});
  mesh::Primitive primitive;
  for (int v = 0; v < 8; ++v) {
    primitive.positions.emplace_back((v & 1) != 0 ? 1 : -1, (v & 2) != 0 ? 1 : -1, (v & 4) != 0 ? 1 : -1);
  }
  primitive.indices = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  mesh::Mesh mesh;
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  return character;
}

std::vector<glm::mat4> rest_world(const rig::Character& character) {
  rig::WorldMatrices matrices;
  matrices.evaluate(character.skeleton, rig::rest_pose(character));
  return matrices.world();
}

TEST(PickVertex, NearestCornerOfTheNearSideOfACube) {
  const rig::Character character = cube();
  const deform::DeformedCharacter deformed = deform::deform_once(character, rig::rest_pose(character), {});
  const auto hit = pick_vertex(character, deformed, {{0.6f, 0.7f, 5.0f}, {0, 0, -1}});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->part, 0);
  EXPECT_EQ(hit->vertex, 7) << "(1, 1, 1)";
  EXPECT_EQ(hit->triangle, 3) << "5, 7, 6 of the face z = 1";
  EXPECT_NEAR(hit->distance, 4.0f, 1e-6f);
  EXPECT_NEAR(hit->position.z, 1.0f, 1e-6f);
  // From inside, the other side of the far face is hit.
  const auto inside = pick_vertex(character, deformed, {{-0.9f, -0.8f, 0.0f}, {0, 0, -1}});
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->vertex, 0);
  EXPECT_NEAR(inside->distance, 1.0f, 1e-6f);
}

// Volumes of tetrahedra in double precision, of every triangle: where the ray meets one, and how far away.
std::optional<double> distance_by_volumes(const Ray& ray, const std::array<glm::dvec3, 3>& corner) {
  const glm::dvec3 origin(ray.origin);
  const glm::dvec3 direction(ray.direction);
  const auto volume = [&](std::size_t a, std::size_t b) {
    return glm::dot(direction, glm::cross(corner[a] - origin, corner[b] - origin));
  };
  const double u = volume(1, 2);
  const double v = volume(2, 0);
  const double w = volume(0, 1);
  const bool inside = (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
  if (!inside || u + v + w == 0) {
    return std::nullopt;
  }
  const glm::dvec3 hit = (u * corner[0] + v * corner[1] + w * corner[2]) / (u + v + w);
  const double distance = glm::dot(hit - origin, direction) / glm::dot(direction, direction);
  return distance > 0 ? std::optional(distance) : std::nullopt;
}

std::optional<double> nearest_by_volumes(const rig::Character& character, const deform::DeformedCharacter& deformed,
                                         const Ray& ray) {
  std::optional<double> nearest;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const auto& indices = character.primitive(character.parts[p]).indices;
    const std::span<const glm::vec3> positions = deformed.parts[p].positions;
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
      const auto distance =
          distance_by_volumes(ray, {glm::dvec3(positions[indices[i]]), glm::dvec3(positions[indices[i + 1]]),
                                    glm::dvec3(positions[indices[i + 2]])});
      if (distance && (!nearest || *distance < *nearest)) {
        nearest = distance;
      }
    }
  }
  return nearest;
}

TEST(PickVertex, Law_IsTheNearestOfAllTrianglesInAnyUnit) {
  for (const float unit : {0.01f, 1.0f, 100.0f}) {
    rig::Character character = cube();
    deform::DeformedCharacter deformed = deform::deform_once(character, rig::rest_pose(character), {});
    // Far from the origin too, where coordinates are coarse.
    const glm::vec3 away = unit * glm::vec3(3.7f, -1.3f, 20.0f);
    for (glm::vec3& position : deformed.parts[0].positions) {
      position = position * unit + away;
    }
    test::Random random(17);
    int hits = 0;
    for (int i = 0; i < 2000; ++i) {
      const glm::vec3 eye =
          away + unit * glm::vec3(random.real(-4.0f, 4.0f), random.real(-4.0f, 4.0f), random.real(-4.0f, 4.0f));
      // At a corner, at the middle of an edge or a diagonal, or anywhere.
      const std::span<const glm::vec3> positions = deformed.parts[0].positions;
      const glm::vec3& a = positions[random.below(8)];
      const glm::vec3& b = positions[random.below(8)];
      const glm::vec3 target = i % 3 == 0 ? a : glm::mix(a, b, i % 3 == 1 ? 0.5f : random.real(0.0f, 1.0f));
      const Ray ray{eye, glm::normalize(target - eye)};
      const auto expected = nearest_by_volumes(character, deformed, ray);
      const auto hit = pick_vertex(character, deformed, ray);
      if (expected.has_value() != hit.has_value()) {
        // Rounding may decide at a corner of the silhouette, and nowhere else.
        EXPECT_LT(i % 3, 2) << "ray " << i << ", unit " << unit;
        continue;
      }
      hits += hit ? 1 : 0;
      if (hit) {
        ASSERT_NEAR(static_cast<double>(hit->distance), *expected, 1e-5 * static_cast<double>(unit)) << i;
      }
    }
    EXPECT_GT(hits, 1000);
  }
}

/// Hills of 2 * 299 * 299 triangles on one node, z up to 1 over a square of two metres.
rig::Character hills() {
  constexpr int kSide = 300;
  rig::Character character;
  test::add_node(character, "hills", -1, {});
  mesh::Primitive primitive;
  std::vector<std::uint32_t>& indices = primitive.indices.edit();
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const glm::vec2 at = 2.0f * glm::vec2(x, y) / static_cast<float>(kSide - 1) - 1.0f;
      primitive.positions.emplace_back(at.x, at.y, 0.5f + 0.25f * (std::sin(9 * at.x) + std::cos(7 * at.y)));
      if (x + 1 < kSide && y + 1 < kSide) {
        const auto v = static_cast<std::uint32_t>(y * kSide + x);
        indices.insert(indices.end(), {v, v + 1, v + kSide, v + 1, v + kSide + 1, v + kSide});
      }
    }
  }
  mesh::Mesh mesh;
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  return character;
}

TEST(PickVertex, LargeMeshesAreTheSameOnAnyNumberOfThreads) {
  const rig::Character character = hills();
  const deform::DeformedCharacter deformed = deform::deform_once(character, rig::rest_pose(character), {});
  test::Random random(18);
  int hits = 0;
  for (int i = 0; i < 40; ++i) {
    // Flat rays meet several hills.
    const glm::vec3 target(random.real(-0.8f, 0.8f), random.real(-0.8f, 0.8f), random.real(0.2f, 0.8f));
    const glm::vec3 eye(random.real(-3.0f, 3.0f), random.real(-3.0f, 3.0f), random.real(0.5f, 1.5f));
    const Ray ray{eye, glm::normalize(target - eye)};
    set_thread_limit(1);
    const auto alone = pick_vertex(character, deformed, ray);
    set_thread_limit(0);
    const auto together = pick_vertex(character, deformed, ray);
    ASSERT_EQ(alone.has_value(), together.has_value());
    const auto expected = nearest_by_volumes(character, deformed, ray);
    ASSERT_EQ(alone.has_value(), expected.has_value());
    if (alone) {
      ++hits;
      EXPECT_EQ(alone->triangle, together->triangle);
      EXPECT_EQ(alone->vertex, together->vertex);
      EXPECT_NEAR(static_cast<double>(alone->distance), *expected, 1e-5);
    }
  }
  EXPECT_GT(hits, 20);
}

TEST(PickVertex, MissesBesideAndBehind) {
  const rig::Character character = cube();
  deform::DeformedCharacter deformed = deform::deform_once(character, rig::rest_pose(character), {});
  EXPECT_FALSE(pick_vertex(character, deformed, {{1.2f, 0.0f, 5.0f}, {0, 0, -1}}));
  EXPECT_FALSE(pick_vertex(character, deformed, {{0.0f, 0.0f, 5.0f}, {0, 0, 1}}));
  const rig::HiddenSurface hidden{std::vector<char>(character.skeleton->parent.size(), 1), nullptr};
  EXPECT_FALSE(pick_vertex(character, deformed, {{0.6f, 0.7f, 5.0f}, {0, 0, -1}}, hidden));
  for (glm::vec3& position : deformed.parts[0].positions) {
    position = glm::vec3(std::numeric_limits<float>::quiet_NaN());
  }
  EXPECT_FALSE(pick_vertex(character, deformed, {{0.6f, 0.7f, 5.0f}, {0, 0, -1}}));
}

TEST(PickVertex, FollowsThePose) {
  const rig::Character character = test::cylinder();
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(1.5707963f, glm::vec3(0, 0, 1));  // the half with x > 0.5 now points up
  const deform::DeformedCharacter deformed = deform::deform_once(character, pose, {});
  const auto hit = pick_vertex(character, deformed, {{0.5f, 0.4f, 3.0f}, {0, 0, -1}});
  ASSERT_TRUE(hit);
  // 0.4 above the elbow lies what was at x = 0.9: ring 36; the near side is around = 8.
  EXPECT_EQ(hit->vertex, static_cast<int>(test::cylinder_vertex(36, 8)));
  EXPECT_NEAR(hit->position.z, 0.1f, 1e-3f);
  EXPECT_FALSE(pick_vertex(character, deformed, {{0.9f, 0.0f, 3.0f}, {0, 0, -1}}));
}

TEST(Bones, RunFromJointToChildAndEndInAStub) {
  const rig::Character character = test::cylinder();
  const std::vector<Bone> all = bones(character, rest_world(character));
  ASSERT_EQ(all.size(), 2u) << "the node of the mesh is no joint";
  EXPECT_EQ(all[0].joint, 0);
  EXPECT_NEAR(glm::distance(all[0].head, glm::vec3(0, 0, 0)), 0.0f, 1e-6f);
  EXPECT_NEAR(glm::distance(all[0].tail, glm::vec3(0.5f, 0, 0)), 0.0f, 1e-6f);
  EXPECT_EQ(all[1].joint, 1);
  EXPECT_NEAR(glm::distance(all[1].head, glm::vec3(0.5f, 0, 0)), 0.0f, 1e-6f);
  EXPECT_GT(all[1].tail.x, 0.6f);
  EXPECT_NEAR(all[1].tail.y, 0.0f, 1e-6f);
  EXPECT_GT(all[0].radius, 0.0f);
}

TEST(Bones, OfJointsThatDeformReachToTheirEnds) {
  rig::Character character = test::cylinder();
  const int end = test::add_node(character, "end", 1, {.translation = {0.1f, 0, 0}});
  character.skins.edit(0).joints.push_back(end);
  character.skins.edit(0).joint_from_mesh.emplace_back(1.0f);
  rig::finish(character);
  const std::vector<char> deforming = rig::deforming_joints(character);
  EXPECT_EQ(bones(character, rest_world(character)).size(), 3u);
  const std::vector<Bone> some = bones(character, rest_world(character), deforming);
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].child, 1);
  EXPECT_EQ(some[1].joint, 1);
  EXPECT_EQ(some[1].child, -1);
  EXPECT_NEAR(some[1].tail.x, 0.6f, 1e-6f) << "as long as to its end, which is not drawn";
  EXPECT_EQ(bones(character, rest_world(character), std::vector<char>(deforming.size(), 0)).size(), 3u)
      << "where nothing deforms all are drawn";
}

TEST(Bones, AreDrawnForFilesWithoutMesh) {
  rig::Character character;
  test::add_node(character, "a", -1, {});
  test::add_node(character, "b", 0, {.translation = {0, 1, 0}});
  rig::finish(character);
  EXPECT_EQ(bones(character, rest_world(character)).size(), 2u);
}

class PickJoint : public ::testing::TestWithParam<bool> {
 protected:
  PickJoint() : character_(test::cylinder()), world_(rest_world(character_)) {
    camera_.azimuth = 0.0f;
    camera_.elevation = 0.0f;
    camera_.pivot = {0.5f, 0, 0};
    camera_.orthographic = GetParam();
    camera_.distance = 2.0f;
  }
  int pick(const glm::vec3& point, glm::vec2 offset_pixels = {}) const {
    const glm::vec4 clip = camera_.clip_from_view(2.0f) * camera_.view_from_world() * glm::vec4(point, 1.0f);
    return pick_joint(character_, world_, camera_, glm::vec2(clip) / clip.w + offset_pixels / (0.5f * glm::vec2(kSize)),
                      kSize, 8.0f);
  }
  static constexpr glm::ivec2 kSize = {1000, 500};
  rig::Character character_;
  std::vector<glm::mat4> world_;
  Camera camera_;
};
INSTANTIATE_TEST_SUITE_P(Camera, PickJoint, ::testing::Bool(),
                         [](const auto& p) { return p.param ? "Orthographic" : "Perspective"; });

TEST_P(PickJoint, FindsPivotsAndBonesOfTheCylinder) {
  EXPECT_EQ(pick({0.0f, 0, 0}), 0) << "pivot of the root";
  EXPECT_EQ(pick({0.25f, 0, 0}), 0) << "its bone";
  EXPECT_EQ(pick({0.5f, 0, 0}), 1) << "pivot of the tip, on the end of the root's bone";
  EXPECT_EQ(pick({0.6f, 0, 0}), 1) << "the tip's stub";
}

TEST_P(PickJoint, ReachesAsFarAsTheRadius) {
  EXPECT_EQ(pick({0.0f, 0, 0}, {-40.0f, 0.0f}), -1);
  EXPECT_EQ(pick({0.25f, 0, 0}, {0.0f, 60.0f}), -1);
  EXPECT_EQ(pick({0.5f, 0.3f, 0}), -1);
}

}  // namespace
}  // namespace pelt::render
