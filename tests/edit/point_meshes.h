#pragma once

// Characters of loose points that follow a chain of joints, for tests of the memory that weights take.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "edit/document.h"
#include "support/fixtures.h"

namespace pelt::test {

/// Shrinks the arrays of a block to their contents: arrays that grew hold up to twice as much.
inline void fit_block(mesh::Influences& rows, std::size_t b) {
  rows.put_block(b, mesh::Influences::Block(rows.block(b)));
}

inline mesh::Primitive skinned_points(std::size_t vertex_count, int joints, Random& random) {
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  std::vector<std::uint32_t> indices(vertex_count);
  std::iota(indices.begin(), indices.end(), 0u);
  primitive.indices = std::move(indices);
  primitive.positions = SharedArray<glm::vec3>(vertex_count, glm::vec3(1.0f));
  mesh::Influences& rows = primitive.influences.edit();
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const auto first = static_cast<std::uint16_t>(random.below(joints - 3));
    const std::uint16_t joint[] = {first, std::uint16_t(first + 1), std::uint16_t(first + 2), std::uint16_t(first + 3)};
    const float weight[] = {0.4f, 0.3f, 0.2f, 0.1f};
    rows.push_row({joint, weight, 1.0f});
  }
  fit_block(rows, rows.block_count() - 1);
  return primitive;
}

inline constexpr int kPointJoints = 60;  ///< length of the chain

inline edit::Document document_of_points(const std::vector<std::vector<std::size_t>>& meshes, Random& random) {
  rig::Character character;
  std::vector<int> joints;
  for (int j = 0; j < kPointJoints; ++j) {
    joints.push_back(add_node(character, "joint_" + std::to_string(j), j - 1, {}));
  }
  for (const std::vector<std::size_t>& primitives : meshes) {
    add_skinned_mesh(character, "mesh", joints, skinned_points(primitives.front(), kPointJoints, random));
    for (std::size_t p = 1; p < primitives.size(); ++p) {
      character.meshes.edit_back().primitives.push_back(skinned_points(primitives[p], kPointJoints, random));
    }
  }
  // Two nodes carry the first mesh.
  character.mesh_nodes.push_back(rig::MeshNode(character.mesh_nodes[0]));
  character.mesh_nodes.edit().back().joint = add_node(character, "again", -1, {});
  character.scenes = {{.name = "all", .roots = {}}, {.name = "bones", .roots = {0}}};
  for (int j = 0; j < character.skeleton->size(); ++j) {
    if (character.skeleton->parent[j] < 0) {
      character.scenes.edit()[0].roots.push_back(j);
    }
  }
  rig::finish(character);
  character.skeleton = rig::Skeleton(*character.skeleton);  // in arrays that did not grow
  return edit::make_document(std::make_shared<const rig::Character>(std::move(character)));
}

inline mesh::Influences& weights_in(rig::Character& character, std::size_t mesh, std::size_t primitive) {
  return character.meshes.edit(mesh).primitives.edit(primitive).influences.edit();
}

}  // namespace pelt::test
