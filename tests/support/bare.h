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

}  // namespace pelt::test
