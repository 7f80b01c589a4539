#pragma once

// Shared fixtures of ALGORITHMS.md §0, built in code, and seeded random characters.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <glm/glm.hpp>

#include "math/transform.h"
#include "mesh/mesh.h"
#include "rig/character.h"
#include "rig/kinematics.h"

namespace pelt::test {

/// Gives all rows the same stored sum.
inline void set_stored_sums(mesh::Influences& influences, float sum) {
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    influences.set_stored_sum(v, sum);
  }
}

/// Numbers from raw std::mt19937 values only: distributions differ between standard libraries.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t raw() { return static_cast<std::uint32_t>(engine_()); }
  /// 0 .. count - 1
  int below(int count) { return static_cast<int>(raw() % static_cast<std::uint32_t>(count)); }
  double real(double lower, double upper) { return lower + (upper - lower) * (raw() / 4294967296.0); }
  float real(float lower, float upper) { return static_cast<float>(real(double{lower}, double{upper})); }
  glm::vec3 vector(float lower, float upper) {
    const float x = real(lower, upper);
    const float y = real(lower, upper);
    return {x, y, real(lower, upper)};
  }
  glm::dvec3 dvector(double lower, double upper) {
    const double x = real(lower, upper);
    const double y = real(lower, upper);
    return {x, y, real(lower, upper)};
  }
  glm::dvec3 unit() {
    for (;;) {
      const glm::dvec3 v = dvector(-1.0, 1.0);
      const double length = glm::length(v);
      if (length > 0.1 && length < 1.0) {
        return v / length;
      }
    }
  }
  /// A rotation by up to `largest` radians about a random axis.
  glm::dquat rotation(double largest = std::numbers::pi) {
    const glm::dvec3 axis = unit();
    return quat_from_rotation_vector(axis * real(-largest, largest));
  }

 private:
  std::mt19937 engine_;
};

/// Appends a node and returns its index.
inline int add_node(rig::Character& character, std::string name, int parent, const Transform& rest) {
  character.skeleton.edit().parent.push_back(parent);
  character.skeleton.edit().name.push_back(std::move(name));
  character.skeleton.edit().rest.push_back(rest);
  return character.skeleton->size() - 1;
}

/// Inverse bind matrices that make the rest pose the bind pose.
inline std::vector<glm::mat4> inverse_binds_of_rest(const rig::Skeleton& skeleton, const std::vector<int>& joints) {
  std::vector<glm::dmat4> local;
  for (const Transform& rest : skeleton.rest) {
    local.emplace_back(to_matrix(rest));
  }
  std::vector<glm::dmat4> world(local.size());
  rig::local_to_world<double>(skeleton.parent, local, world);
  std::vector<glm::mat4> out;
  for (const int j : joints) {
    glm::mat4 inverse(glm::inverse(world[j]));
    for (int c = 0; c < 4; ++c) {
      inverse[c][3] = c == 3 ? 1.0f : 0.0f;
    }
    out.push_back(inverse);
  }
  return out;
}

/// Adds a skin over `joints`, bound in the rest pose, and hangs `primitive` on a new root node with it.
inline void add_skinned_mesh(rig::Character& character, std::string name, std::vector<int> joints,
                             mesh::Primitive primitive) {
  rig::Skin skin;
  skin.name = name;
  skin.joint_from_mesh = inverse_binds_of_rest(character.skeleton, joints);
  skin.joints = std::move(joints);
  character.skins.push_back(std::move(skin));
  mesh::Mesh mesh;
  mesh.name = name;
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  rig::MeshNode node;
  node.joint = add_node(character, std::move(name), -1, {});
  node.mesh = static_cast<int>(character.meshes.size()) - 1;
  node.skin = static_cast<int>(character.skins.size()) - 1;
  character.mesh_nodes.push_back(std::move(node));
}

/// F-ELBOW: joints "upper_arm" at (0,0,0) and "forearm" at (4,0,0), one vertex A = (3,1,0) with weights 0.8 and 0.2.
inline rig::Character elbow() {
  rig::Character character;
  character.name = "F-ELBOW";
  add_node(character, "upper_arm", -1, {});
  add_node(character, "forearm", 0, {.translation = {4, 0, 0}});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{3, 1, 0}};
  primitive.indices = {0};
  const std::uint16_t joints[] = {0, 1};
  const float weights[] = {0.8f, 0.2f};
  mesh::append_row(primitive.influences.edit(), joints, weights);
  add_skinned_mesh(character, "arm", {0, 1}, std::move(primitive));
  rig::finish(character);
  return character;
}

/// The pose "bent 90°": the forearm turned by -90 degrees about z.
inline rig::Pose elbow_bent(const rig::Character& character) {
  rig::Pose pose = rig::rest_pose(character);
  pose.local[1].rotation = glm::angleAxis(-std::numbers::pi_v<float> / 2, glm::vec3(0, 0, 1));
  return pose;
}

inline constexpr int kCylinderRings = 41;
inline constexpr int kCylinderAround = 32;

/// Vertex `around` of ring `ring` of F-CYL; the cap centres follow the rings.
inline std::uint32_t cylinder_vertex(int ring, int around) {
  return static_cast<std::uint32_t>(ring * kCylinderAround + around % kCylinderAround);
}

/// F-CYL's 1314 points in double precision: rings, then the cap centres (0,0,0) and (1,0,0).
inline std::vector<glm::dvec3> cylinder_points() {
  std::vector<glm::dvec3> points;
  for (int i = 0; i < kCylinderRings; ++i) {
    for (int k = 0; k < kCylinderAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kCylinderAround;
      points.emplace_back(i / 40.0, 0.1 * std::cos(angle), 0.1 * std::sin(angle));
    }
  }
  points.emplace_back(0, 0, 0);
  points.emplace_back(1, 0, 0);
  return points;
}

/// F-CYL's 2624 triangles, outward.
inline std::vector<std::uint32_t> cylinder_indices() {
  std::vector<std::uint32_t> indices;
  for (int i = 0; i + 1 < kCylinderRings; ++i) {
    for (int k = 0; k < kCylinderAround; ++k) {
      const std::uint32_t a = cylinder_vertex(i, k);
      const std::uint32_t b = cylinder_vertex(i + 1, k);
      const std::uint32_t c = cylinder_vertex(i + 1, k + 1);
      const std::uint32_t d = cylinder_vertex(i, k + 1);
      indices.insert(indices.end(), {a, c, b, a, d, c});
    }
  }
  const std::uint32_t first_center = kCylinderRings * kCylinderAround;
  for (int k = 0; k < kCylinderAround; ++k) {
    indices.insert(indices.end(), {first_center, cylinder_vertex(0, k + 1), cylinder_vertex(0, k)});
    indices.insert(indices.end(), {first_center + 1, cylinder_vertex(kCylinderRings - 1, k),
                                   cylinder_vertex(kCylinderRings - 1, k + 1)});
  }
  return indices;
}

/// w1 of a vertex of F-CYL at x; w0 = 1 - w1.
inline double cylinder_weight(double x) {
  return std::clamp((x - 0.4) / 0.2, 0.0, 1.0);
}

/// F-CYL's surface with normals and influences (skin joints 0 "root", 1 "tip").
inline mesh::Primitive cylinder_primitive() {
  mesh::Primitive primitive;
  primitive.indices = cylinder_indices();
  for (const glm::dvec3& point : cylinder_points()) {
    primitive.positions.emplace_back(point);
    const glm::dvec3 radial(0, point.y, point.z);
    primitive.normals.emplace_back(glm::length(radial) > 0 ? glm::normalize(radial)
                                                           : glm::dvec3(point.x > 0.5 ? 1 : -1, 0, 0));
    const double w1 = cylinder_weight(point.x);
    const std::uint16_t joints[] = {0, 1};
    const float weights[] = {static_cast<float>(1 - w1), static_cast<float>(w1)};
    mesh::append_row(primitive.influences.edit(), joints, weights);
  }
  return primitive;
}

/// F-CYL: nodes 0 "root", 1 "tip", 2 the mesh.
inline rig::Character cylinder() {
  rig::Character character;
  character.name = "F-CYL";
  add_node(character, "root", -1, {});
  add_node(character, "tip", 0, {.translation = {0.5f, 0, 0}});
  add_skinned_mesh(character, "cylinder", {0, 1}, cylinder_primitive());
  rig::finish(character);
  return character;
}

/// F-STRIP100: joints 0..99 along x, 99 triangles in a row, triangle j touching joints j and j + 1 only (two vertices
/// of joint j, one of joint j + 1).
inline rig::Character strip100() {
  rig::Character character;
  character.name = "F-STRIP100";
  std::vector<int> joints;
  mesh::Primitive primitive;
  for (int j = 0; j < 100; ++j) {
    joints.push_back(
        add_node(character, "joint_" + std::to_string(j), j - 1, {.translation = {j == 0 ? 0.0f : 1.0f, 0, 0}}));
    for (int side = 0; side < 2; ++side) {
      primitive.positions.emplace_back(static_cast<float>(j), static_cast<float>(side), 0.0f);
      primitive.normals.emplace_back(0.0f, 0.0f, 1.0f);
      const auto joint = static_cast<std::uint16_t>(j);
      const float one = 1.0f;
      mesh::append_row(primitive.influences.edit(), {&joint, 1}, {&one, 1});
    }
    if (j > 0) {
      const auto base = static_cast<std::uint32_t>(2 * (j - 1));
      primitive.indices.append({base, base + 2, base + 1});
    }
  }
  add_skinned_mesh(character, "strip", std::move(joints), std::move(primitive));
  rig::finish(character);
  return character;
}

struct RandomRigOptions {
  std::uint32_t seed = 1;
  int joints = 20;
  int vertices = 200;
  int influences = 4;  ///< per vertex at most; 0: not skinned rows (all empty)
  int morph_targets = 0;
  bool scaled = false;  ///< joints have scales other than 1 in the rest pose
};

/// A random tree of joints with a random triangle soup, bound in the rest pose. Positions, normals, tangents (w = +-1),
/// texture coordinates and influences of 1..K distinct joints per vertex.
inline rig::Character random_rig(const RandomRigOptions& options) {
  Random random(options.seed);
  rig::Character character;
  character.name = "random " + std::to_string(options.seed);
  std::vector<int> joints;
  for (int j = 0; j < options.joints; ++j) {
    Transform rest;
    rest.translation = random.vector(-0.5f, 0.5f);
    rest.rotation = glm::quat(random.rotation());
    if (options.scaled) {
      rest.scale = random.vector(0.8f, 1.25f);
    }
    // Long chains and bushy parts alike, not deeper than single precision bears.
    const int parent = j == 0 ? -1 : j - 1 - random.below(std::min(j, 4));
    joints.push_back(add_node(character, "joint_" + std::to_string(j), parent, rest));
  }
  for (int j = options.joints; j-- > 1;) {
    std::swap(joints[j], joints[random.below(j + 1)]);
  }
  mesh::Primitive primitive;
  for (int v = 0; v < options.vertices; ++v) {
    primitive.positions.push_back(random.vector(-1.0f, 1.0f));
    const glm::dvec3 normal = random.unit();
    primitive.normals.emplace_back(normal);
    const glm::dvec3 helper = std::abs(normal.x) < 0.8 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
    primitive.tangents.emplace_back(glm::vec3(glm::normalize(glm::cross(normal, helper))),
                                    random.below(2) == 0 ? 1.0f : -1.0f);
    const float s = random.real(0.0f, 1.0f);
    primitive.texcoords[0].emplace_back(s, random.real(0.0f, 1.0f));
    std::vector<std::uint16_t> row;
    std::vector<float> weights;
    const int count = options.influences == 0 ? 0 : 1 + random.below(std::min(options.influences, options.joints));
    while (static_cast<int>(row.size()) < count) {
      const auto joint = static_cast<std::uint16_t>(random.below(options.joints));
      if (std::find(row.begin(), row.end(), joint) == row.end()) {
        row.push_back(joint);
        weights.push_back(random.real(0.05f, 1.0f));
      }
    }
    mesh::append_row(primitive.influences.edit(), row, weights);
  }
  for (std::uint32_t v = 0; v + 2 < static_cast<std::uint32_t>(options.vertices); ++v) {
    primitive.indices.append({v, v + 1, v + 2});
  }
  for (int m = 0; m < options.morph_targets; ++m) {
    mesh::MorphTarget target;
    target.name = "target_" + std::to_string(m);
    for (int v = 0; v < options.vertices; ++v) {
      target.position_deltas.push_back(random.vector(-0.2f, 0.2f));
      target.normal_deltas.push_back(random.vector(-0.2f, 0.2f));
      target.tangent_deltas.push_back(random.vector(-0.2f, 0.2f));
    }
    primitive.morph_targets.push_back(std::move(target));
  }
  add_skinned_mesh(character, "mesh", std::move(joints), std::move(primitive));
  mesh::Mesh& mesh = character.meshes.edit(0);
  for (int m = 0; m < options.morph_targets; ++m) {
    mesh.morph_names.push_back("target_" + std::to_string(m));
    mesh.morph_weights.push_back(0.0f);
  }
  rig::finish(character);
  return character;
}

/// The rest pose with every node turned by up to `largest_angle` radians, shifted by up to `largest_shift` and scaled
/// by 1 / (1 + largest_stretch) to 1 + largest_stretch; morph weights 0..1 where there are any.
inline rig::Pose random_pose(const rig::Character& character, Random& random, double largest_angle,
                             float largest_shift = 0.0f, float largest_stretch = 0.0f) {
  rig::Pose pose = rig::rest_pose(character);
  for (Transform& local : pose.local) {
    local.rotation = glm::quat(glm::dquat(local.rotation) * random.rotation(largest_angle));
    local.translation += random.vector(-largest_shift, largest_shift);
    local.scale *= random.vector(1.0f / (1.0f + largest_stretch), 1.0f + largest_stretch);
  }
  for (float& weight : pose.morph_weights) {
    weight = random.real(0.0f, 1.0f);
  }
  return pose;
}

}  // namespace pelt::test
