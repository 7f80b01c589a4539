#include "rig/bound_bones.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "rig/kinematics.h"
#include "rig/tree_walk.h"

namespace pelt::rig {

std::vector<std::optional<glm::dvec3>> bound_heads(const Skin& skin) {
  std::vector<std::optional<glm::dvec3>> heads;
  for (const glm::mat4& joint_from_mesh : skin.joint_from_mesh) {
    bool singular = false;
    const glm::mat4 mesh_from_joint = affine_inverse(joint_from_mesh, &singular);
    heads.push_back(singular ? std::nullopt : std::optional(glm::dvec3(mesh_from_joint[3])));
  }
  return heads;
}

BoundBones::BoundBones(const Character& character, const Skin& skin)
    : heads(bound_heads(skin)),
      tips(skin.joints.size()),
      above(nearest_listed(walk_tree(character.skeleton), skin.joints)) {
  std::vector<int> slot(character.skeleton->parent.size(), -1);
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    slot[skin.joints[k]] = static_cast<int>(k);
  }
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const int up = character.skeleton->parent[skin.joints[k]];
    if (up >= 0 && slot[up] >= 0) {
      tips[slot[up]].push_back(k);
    }
  }
}

double BoundBones::distance_to_bone(std::size_t k, std::size_t tip, const glm::dvec3& p) const {
  const glm::dvec3 along = *heads[tip] - *heads[k];
  const double square = glm::dot(along, along);
  const double t = square > 0 ? std::clamp(glm::dot(p - *heads[k], along) / square, 0.0, 1.0) : 0.0;
  return glm::length(p - (*heads[k] + t * along));
}

double BoundBones::distance(std::size_t k, const glm::dvec3& p) const {
  return distance_to_others(k, heads.size(), p);
}

double BoundBones::distance_to_others(std::size_t k, std::size_t but, const glm::dvec3& p) const {
  double nearest = glm::length(p - *heads[k]);
  for (const std::size_t tip : tips[k]) {
    if (heads[tip] && tip != but) {
      nearest = std::min(nearest, distance_to_bone(k, tip, p));
    }
  }
  return nearest;
}

std::vector<double> mesh_units(const Character& character) {
  WorldMatrices world;
  world.evaluate(character.skeleton, rest_pose(character));
  std::vector<double> out;
  for (const Skin& skin : character.skins) {
    // The middle one, since a single joint may be scaled or wrong.
    std::vector<double> scales;
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const double scale = std::cbrt(std::abs(glm::determinant(glm::dmat3(skin_matrix(skin, world.world(), k)))));
      if (std::isfinite(scale) && scale > 0) {
        scales.push_back(scale);
      }
    }
    std::ranges::sort(scales);
    out.push_back(scales.empty() ? 1.0 : scales[scales.size() / 2]);
  }
  return out;
}

std::vector<SkinnedMesh> skinned_meshes(const Character& character) {
  std::vector<SkinnedMesh> out;
  std::set<std::pair<int, int>> seen;
  for (const MeshNode& node : character.mesh_nodes) {
    if (node.skin >= 0 && seen.insert({node.mesh, node.skin}).second) {
      out.push_back({node.mesh, node.skin});
    }
  }
  return out;
}

}  // namespace pelt::rig
