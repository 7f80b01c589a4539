#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"

namespace pelt::rig {

/// Where the joints of a skin stood when the mesh was bound, in mesh space; nothing for one whose matrix is singular.
std::vector<std::optional<glm::dvec3>> bound_heads(const Skin& skin);

/// The bones of each joint of a skin when it was bound: from its head to those of the joints right below it.
struct BoundBones {
  std::vector<std::optional<glm::dvec3>> heads;
  std::vector<std::vector<std::size_t>> tips;
  std::vector<int> above;  ///< the nearest joint above that the skin lists, nodes between left out; -1 at the top

  BoundBones(const Character& character, const Skin& skin);
  /// From a point in mesh space to the nearest bone of joint k. @pre heads[k]
  [[nodiscard]] double distance(std::size_t k, const glm::dvec3& p) const;
  /// To its bones but for the one to joint `but`; to its head where it has no other.
  [[nodiscard]] double distance_to_others(std::size_t k, std::size_t but, const glm::dvec3& p) const;
  /// @pre heads[k], heads[tip]
  [[nodiscard]] double distance_to_bone(std::size_t k, std::size_t tip, const glm::dvec3& p) const;
};

/// [S] Metres in the world, where the nodes are at rest, per unit of the mesh that a skin binds.
std::vector<double> mesh_units(const Character& character);

/// Skins that some mesh with influences uses, as pairs without repetition, in the order of the mesh nodes.
struct SkinnedMesh {
  int mesh = -1;
  int skin = -1;
};
std::vector<SkinnedMesh> skinned_meshes(const Character& character);

}  // namespace pelt::rig
