#pragma once

#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"

namespace pelt::bind {

/// What a character says of the pose in which it is bound, in the mesh space of its first skin, see CharacterProblem.
struct BindSpace {
  std::vector<glm::dmat4> from_joint;  ///< [J]
  std::vector<glm::dmat4> from_mesh;   ///< [meshes]
  glm::dmat4 from_world = glm::dmat4(1.0);
};
BindSpace bind_space(const rig::Character& character);

/// [J] of the skeleton: joint to the problem's space, as bound, whatever is to be bound to what.
std::vector<glm::dmat4> bind_from_joints(const rig::Character& character);

/// The first node that carries the mesh, preferring one with a skin; null where none does.
const rig::MeshNode* node_of(const rig::Character& character, int mesh);
/// Where the mesh of a skin is, by the first of its joints that has a place; nothing where none has.
std::optional<glm::dmat4> mesh_by_joints(const rig::Skin& skin, std::span<const std::optional<glm::dmat4>> joints);

}  // namespace pelt::bind
