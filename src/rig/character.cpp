#include "rig/character.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/expect.h"
#include "core/index.h"
#include "rig/kinematics.h"

namespace pelt::rig {
namespace {

int morph_count(const mesh::Mesh& mesh) {
  std::size_t count = std::max(mesh.morph_weights.size(), mesh.morph_names.size());
  for (const mesh::Primitive& primitive : mesh.primitives) {
    count = std::max(count, primitive.morph_targets.size());
  }
  return static_cast<int>(count);
}

std::vector<int> roots_of(const Character& character) {
  if (has_index(character.scenes, character.scene)) {
    return character.scenes[character.scene].roots;
  }
  std::vector<int> roots;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    if (character.skeleton->parent[j] < 0) {
      roots.push_back(j);
    }
  }
  return roots;
}

// Joints depth first from the scene's roots, siblings in order.
std::vector<int> depth_first(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<char> seen(skeleton.parent.size(), 0);
  std::vector<int> stack = roots_of(character);
  std::reverse(stack.begin(), stack.end());
  std::vector<int> order;
  while (!stack.empty()) {
    const int j = stack.back();
    stack.pop_back();
    PELT_EXPECT(j >= 0 && j < skeleton.size(), "scene roots are nodes of the skeleton");
    if (seen[j] != 0) {
      continue;
    }
    seen[j] = 1;
    order.push_back(j);
    const std::vector<int> children = skeleton.children(j);
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
  return order;
}

void make_parts(Character& character) {
  std::vector<std::vector<int>> hung(character.skeleton->parent.size());
  for (std::size_t m = 0; m < character.mesh_nodes.size(); ++m) {
    hung[character.mesh_nodes[m].joint].push_back(static_cast<int>(m));
  }
  character.parts.clear();
  for (const int j : depth_first(character)) {
    for (const int m : hung[j]) {
      const MeshNode& node = character.mesh_nodes[m];
      const std::size_t primitives = character.meshes[node.mesh].primitives.size();
      for (std::size_t p = 0; p < primitives; ++p) {
        character.parts.push_back(
            {.mesh_node = m, .joint = j, .mesh = node.mesh, .primitive = static_cast<int>(p), .skin = node.skin});
      }
    }
  }
}

// The largest difference of a from b over the elements of each column, relative to the column's length in b.
double column_difference(const glm::dmat3& a, const glm::dmat3& b) {
  double worst = 0;
  for (int c = 0; c < 3; ++c) {
    const double size = glm::length(b[c]);
    const glm::dvec3 difference = glm::abs(a[c] - b[c]);
    worst = std::max(worst, std::max({difference.x, difference.y, difference.z}) / std::max(size, 1e-30));
  }
  return worst;
}

// Where the bones of joint j end: its child joints with an offset. Where j is no joint itself (no skin lists it) any
// child counts; hung on a skin's last joint are weapons and cameras, which say nothing of the bone.
std::vector<int> bone_tips(const Skeleton& skeleton, int j) {
  const auto is_joint = [&](int i) { return has_index(skeleton.is_joint, i) && skeleton.is_joint[i] != 0; };
  std::vector<int> tips;
  for (const int c : skeleton.children(j)) {
    if (skeleton.rest[c].translation != glm::vec3(0.0f) && (is_joint(c) || !is_joint(j))) {
      tips.push_back(c);
    }
  }
  return tips;
}

// What no file and no binder says: one set of joints and weights, or as many influences as the widest row has.
void set_missing_budgets(Character& character) {
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (std::size_t p = 0; p < character.meshes[m].primitives.size(); ++p) {
      const mesh::Influences& rows = character.meshes[m].primitives[p].influences;
      if (!rows.empty() && rows.budget() == 0) {
        const std::uint32_t budget = std::max(mesh::kInfluencesOfSet, rows.max_count());
        character.meshes.edit(m).primitives.edit(p).influences.edit().set_budget(budget);
      }
    }
  }
}

}  // namespace

std::span<const float> Character::morph_weights(const Pose& pose, int joint) const {
  PELT_EXPECT(joint >= 0 && has_index(morph_offset, joint + 1), "joint index in range, finish() was called");
  const std::size_t begin = morph_offset[joint];
  const std::size_t end = morph_offset[joint + 1];
  PELT_EXPECT(end <= pose.morph_weights.size(), "the pose is of this character");
  return std::span(pose.morph_weights).subspan(begin, end - begin);
}

void finish(Character& character) {
  Skeleton& skeleton = character.skeleton.edit();
  const std::size_t count = skeleton.parent.size();
  for (std::size_t j = 0; j < count; ++j) {
    PELT_EXPECT(skeleton.parent[j] >= -1 && skeleton.parent[j] < static_cast<int>(j), "parents before their children");
  }
  skeleton.name.resize(count);
  skeleton.rest.resize(count);
  skeleton.dofs.resize(count);
  if (!skeleton.rest_residual.empty()) {
    skeleton.rest_residual.resize(count, glm::mat4(1.0f));
  }
  if (skeleton.source_node.empty()) {
    skeleton.source_node.resize(count);
    std::iota(skeleton.source_node.begin(), skeleton.source_node.end(), 0);
  }
  skeleton.source_node.resize(count, -1);
  skeleton.link_children();
  skeleton.is_joint.assign(count, 0);
  for (const Skin& skin : character.skins) {
    PELT_EXPECT(skin.joint_from_mesh.size() == skin.joints.size(), "one inverse bind matrix per joint of a skin");
    for (const int j : skin.joints) {
      PELT_EXPECT(j >= 0 && std::cmp_less(j, count), "skins list joints of the skeleton");
      skeleton.is_joint[j] = 1;
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (skeleton.dofs[j].dofs.empty() && !skeleton.dofs[j].authored) {
      skeleton.dofs[j] = default_dofs(skeleton.rest[j], bone_direction(skeleton, static_cast<int>(j)));
    }
  }
  std::vector<int> widths(count, 0);
  for (MeshNode& node : character.mesh_nodes.edit()) {
    PELT_EXPECT(node.joint >= 0 && std::cmp_less(node.joint, count), "mesh nodes hang on nodes of the skeleton");
    PELT_EXPECT(has_index(character.meshes, node.mesh), "mesh nodes carry meshes");
    PELT_EXPECT(node.skin >= -1 && node.skin < static_cast<int>(character.skins.size()), "mesh nodes have skins");
    const mesh::Mesh& mesh = character.meshes[node.mesh];
    if (node.morph_weights.empty()) {
      node.morph_weights = mesh.morph_weights;
    }
    node.morph_weights.resize(morph_count(mesh), 0.0f);
    widths[node.joint] = std::max(widths[node.joint], morph_count(mesh));
  }
  std::vector<int> morph_offset(count + 1, 0);
  std::partial_sum(widths.begin(), widths.end(), morph_offset.begin() + 1);
  character.morph_offset = std::move(morph_offset);
  set_missing_budgets(character);
  make_parts(character);
}

void show_scene(Character& character, int scene) {
  PELT_EXPECT(has_index(character.scenes, scene), "scene index in range");
  character.scene = scene;
  make_parts(character);
}

Pose rest_pose(const Character& character) {
  Pose pose;
  pose.local = character.skeleton->rest;
  pose.residual = character.skeleton->rest_residual;
  PELT_EXPECT(character.morph_offset.size() == pose.local.size() + 1, "finish() was called");
  pose.morph_weights.assign(character.morph_offset.back(), 0.0f);
  for (const MeshNode& node : character.mesh_nodes) {
    std::copy(node.morph_weights.begin(), node.morph_weights.end(),
              pose.morph_weights.begin() + character.morph_offset[node.joint]);
  }
  return pose;
}

Pose zero_pose(const Character& character) {
  Pose pose = rest_pose(character);
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const JointDofs& dofs = character.skeleton->dofs[j];
    if (!dofs.dofs.empty()) {
      pose.local[j] = local_from_dofs(dofs, default_values(dofs));
    }
  }
  return pose;
}

Pose bind_pose(const Character& character, int skin) {
  PELT_EXPECT(skin >= -1 && skin < static_cast<int>(character.skins.size()), "skin index in range");
  const Skeleton& skeleton = character.skeleton;
  Pose pose = rest_pose(character);
  std::vector<const glm::mat4*> joint_from_mesh(pose.local.size(), nullptr);
  for (std::size_t s = 0; s < character.skins.size(); ++s) {
    if (skin >= 0 && std::cmp_not_equal(skin, s)) {
      continue;
    }
    const Skin& one = character.skins[s];
    for (std::size_t k = 0; k < one.joints.size(); ++k) {
      const glm::mat4*& chosen = joint_from_mesh[one.joints[k]];
      chosen = chosen == nullptr ? &one.joint_from_mesh[k] : chosen;
    }
  }
  // World matrices as forward kinematics will compute them, so that what rounding takes from one joint its children
  // give back and nothing accumulates down a chain.
  std::vector<glm::mat4> world(pose.local.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const glm::mat4 above = skeleton.parent[j] < 0 ? glm::mat4(1.0f) : world[skeleton.parent[j]];
    bool bind_singular = false;
    bool above_singular = false;
    if (joint_from_mesh[j] != nullptr) {
      affine_inverse(*joint_from_mesh[j], &bind_singular);
      affine_inverse(above, &above_singular);
    }
    if (joint_from_mesh[j] != nullptr && !bind_singular && !above_singular) {
      const glm::dmat4 exact = glm::inverse(glm::dmat4(*joint_from_mesh[j]) * glm::dmat4(above));
      const Decomposition parts = decompose(glm::mat4(exact));
      pose.local[j] = parts.transform;
      const glm::dmat3 made(to_matrix(parts.transform));
      // Shear, and where the inverse binds are only roughly orthogonal the little that TRS leaves over.
      constexpr double kExact = 1e-6;
      glm::mat4 residual(1.0f);
      if (column_difference(made, glm::dmat3(exact)) > kExact) {
        residual = glm::mat4(glm::mat3(glm::inverse(made) * glm::dmat3(exact)));
      }
      if (pose.residual.empty() && residual != glm::mat4(1.0f)) {
        pose.residual.assign(pose.local.size(), glm::mat4(1.0f));
      }
      if (!pose.residual.empty()) {
        pose.residual[j] = residual;
      }
    }
    world[j] = above * local_matrix(pose, j);
  }
  return pose;
}

float rest_bind_difference(const Character& character) {
  if (character.skins.empty()) {
    return 0;
  }
  WorldMatrices world;
  world.evaluate(character.skeleton, rest_pose(character));
  Bounds bounds;
  for (const MeshNode& node : character.mesh_nodes) {
    if (node.skin >= 0) {
      for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
        bounds.add(bounds_of(primitive.positions));
      }
    }
  }
  if (bounds.empty()) {
    for (const glm::mat4& matrix : world.world()) {
      bounds.add(glm::vec3(matrix[3]));
    }
  }
  const float size = bounds.diagonal() > 0 ? bounds.diagonal() : 1.0f;
  float worst = 0;
  std::vector<glm::mat4> matrices;
  for (const Skin& skin : character.skins) {
    matrices.resize(skin.joints.size());
    skin_matrices(skin, world.world(), matrices);
    for (const glm::mat4& matrix : matrices) {
      for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 3; ++r) {
          worst = std::max(worst, std::abs(matrix[c][r] - (c == r ? 1.0f : 0.0f)) / (c == 3 ? size : 1.0f));
        }
      }
    }
  }
  return worst;
}

glm::mat4 skin_matrix(const Skin& skin, std::span<const glm::mat4> world, std::size_t k) {
  PELT_EXPECT(k < skin.joints.size() && k < skin.joint_from_mesh.size(), "a place in the skin");
  return world[skin.joints[k]] * skin.joint_from_mesh[k];
}

void skin_matrices(const Skin& skin, std::span<const glm::mat4> world, std::span<glm::mat4> out) {
  PELT_EXPECT(out.size() == skin.joints.size() && skin.joint_from_mesh.size() == skin.joints.size(),
              "one matrix per joint of the skin");
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    out[k] = skin_matrix(skin, world, k);
  }
}

glm::vec3 bone_direction(const Skeleton& skeleton, int j) {
  const auto unit = [](const glm::dvec3& v) {
    const double length = glm::length(v);
    return length > 1e-6 && std::isfinite(length) ? v / length : glm::dvec3(0);
  };
  const std::vector<int> tips = bone_tips(skeleton, j);
  glm::dvec3 sum(0);
  for (const int c : tips) {
    const glm::dvec3 offset(skeleton.rest[c].translation);
    sum += offset / std::max(glm::length(offset), 1e-30);
  }
  const glm::dvec3 mean = unit(sum);
  if (mean != glm::dvec3(0) || skeleton.parent[j] < 0) {
    return glm::vec3(mean);
  }
  const Transform& rest = skeleton.rest[j];
  const glm::dvec3 offset(rest.translation);
  const glm::dquat into = glm::conjugate(normalized_or_identity(glm::dquat(rest.rotation)));
  return glm::vec3(unit(into * (offset / std::max(glm::length(offset), 1e-30))));
}

int first_skin_of(const Character& character, int mesh) {
  const auto node = std::ranges::find_if(character.mesh_nodes,
                                         [&](const MeshNode& one) { return one.mesh == mesh && one.skin >= 0; });
  return node != character.mesh_nodes.end() ? node->skin : -1;
}

float bone_length(const Skeleton& skeleton, int j) {
  // A vector of joint `at`'s space in world space.
  const auto world_length = [&](glm::dvec3 v, int at) {
    for (; at >= 0; at = skeleton.parent[at]) {
      if (!skeleton.rest_residual.empty()) {
        v = glm::dmat3(skeleton.rest_residual[at]) * v;
      }
      v = glm::dquat(skeleton.rest[at].rotation) * (glm::dvec3(skeleton.rest[at].scale) * v);
    }
    return glm::length(v);
  };
  const std::vector<int> tips = bone_tips(skeleton, j);
  double sum = 0;
  for (const int c : tips) {
    sum += world_length(glm::dvec3(skeleton.rest[c].translation), j);
  }
  if (!tips.empty()) {
    return static_cast<float>(sum / static_cast<double>(tips.size()));
  }
  const int above = skeleton.parent[j];
  return above < 0 ? 0.0f : static_cast<float>(world_length(glm::dvec3(skeleton.rest[j].translation), above));
}

}  // namespace pelt::rig
