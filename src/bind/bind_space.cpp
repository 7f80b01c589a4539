#include "bind/bind_space.h"

#include <algorithm>
#include <cmath>

#include "bind/rest_world.h"
#include "math/transform.h"

namespace pelt::bind {
namespace {

std::optional<glm::dmat4> inverse_of(const glm::mat4& matrix) {
  bool singular = false;
  affine_inverse(matrix, &singular);
  return singular ? std::nullopt : std::optional(glm::inverse(glm::dmat4(matrix)));
}

// Places the joints of one skin, given where its mesh is.
void place_joints(const rig::Skin& skin, const glm::dmat4& from_mesh, std::vector<std::optional<glm::dmat4>>& joints) {
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    std::optional<glm::dmat4>& joint = joints[skin.joints[k]];
    const std::optional<glm::dmat4> mesh_from_joint = inverse_of(skin.joint_from_mesh[k]);
    if (!joint && mesh_from_joint) {
      joint = from_mesh * *mesh_from_joint;
    }
  }
}

}  // namespace

const rig::MeshNode* node_of(const rig::Character& character, int mesh) {
  const rig::MeshNode* first = nullptr;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.mesh == mesh && (first == nullptr || (first->skin < 0 && node.skin >= 0))) {
      first = &node;
    }
  }
  return first;
}

std::optional<glm::dmat4> mesh_by_joints(const rig::Skin& skin, std::span<const std::optional<glm::dmat4>> joints) {
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    if (joints[skin.joints[k]] && inverse_of(skin.joint_from_mesh[k])) {
      return *joints[skin.joints[k]] * glm::dmat4(skin.joint_from_mesh[k]);
    }
  }
  return std::nullopt;
}

BindSpace bind_space(const rig::Character& character) {
  const std::vector<glm::dmat4> world = rest_world(character);
  std::vector<std::optional<glm::dmat4>> joints(world.size());
  std::vector<std::optional<glm::dmat4>> meshes(character.meshes.size());
  glm::dmat4 from_world(1.0);
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    const rig::MeshNode* node = node_of(character, static_cast<int>(m));
    if (node == nullptr || node->skin < 0) {
      continue;
    }
    const rig::Skin& skin = character.skins[node->skin];
    const bool is_first = std::ranges::none_of(meshes, [](const auto& one) { return one.has_value(); });
    std::optional<glm::dmat4> from_mesh = is_first ? glm::dmat4(1.0) : mesh_by_joints(skin, joints);
    if (!from_mesh && !skin.joints.empty()) {  // a skin of other joints: as it lies at rest beside the first
      std::vector<std::optional<glm::dmat4>> at_rest(world.size());
      for (std::size_t j = 0; j < world.size(); ++j) {
        at_rest[j] = from_world * world[j];
      }
      from_mesh = mesh_by_joints(skin, at_rest);
    }
    meshes[m] = from_mesh.value_or(glm::dmat4(1.0));
    place_joints(skin, *meshes[m], joints);
    if (is_first && !skin.joints.empty() && joints[skin.joints[0]]) {
      const int j = skin.joints[0];
      if (std::abs(glm::determinant(glm::dmat3(world[j]))) > 0) {
        from_world = *joints[j] * glm::inverse(world[j]);
      }
    }
  }
  BindSpace out;
  for (std::size_t j = 0; j < world.size(); ++j) {
    const int parent = character.skeleton->parent[j];
    // A node that no skin lists keeps its place below its parent.
    const bool below = parent >= 0 && std::abs(glm::determinant(glm::dmat3(world[parent]))) > 0;
    out.from_joint.push_back(joints[j] ? *joints[j]
                             : below   ? out.from_joint[parent] * glm::inverse(world[parent]) * world[j]
                                       : from_world * world[j]);
  }
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const rig::MeshNode* node = node_of(character, static_cast<int>(m));
    out.from_world = from_world;
    out.from_mesh.push_back(meshes[m] ? *meshes[m] : node != nullptr ? from_world * world[node->joint] : from_world);
  }
  return out;
}

std::vector<glm::dmat4> bind_from_joints(const rig::Character& character) {
  return bind_space(character).from_joint;
}

}  // namespace pelt::bind
