#pragma once

// Meshes that nobody has rigged.

#include <utility>

#include "rig/character.h"
#include "support/fixtures.h"

namespace pelt::test {

/// A mesh on a node at the origin, without a skeleton.
inline rig::Character bare(mesh::Mesh mesh) {
  rig::Character character;
  character.name = "bare";
  for (mesh::Primitive& primitive : mesh.primitives.edit_each()) {
    primitive.influences = {};
    primitive.drop_cage();
  }
  mesh.name = "bare";
  character.meshes.push_back(std::move(mesh));
  add_node(character, "bare", -1, {});
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  character.scenes.push_back({"all", {0}});
  rig::finish(character);
  return character;
}
inline rig::Character bare(mesh::Primitive primitive) {
  mesh::Mesh mesh;
  mesh.primitives.push_back(std::move(primitive));
  return bare(std::move(mesh));
}

/// The same joints and meshes, but no mesh has weights or hangs on a skin.
inline rig::Character without_weights(rig::Character character) {
  for (std::size_t m = 0; m < character.meshes.size(); ++m) {
    for (mesh::Primitive& primitive : character.meshes.edit(m).primitives.edit_each()) {
      primitive.influences = mesh::Influences{};
      primitive.drop_cage();
    }
  }
  for (std::size_t n = 0; n < character.mesh_nodes.size(); ++n) {
    character.mesh_nodes.edit()[n].skin = -1;
  }
  character.skins = {};
  rig::finish(character);
  return character;
}

}  // namespace pelt::test
