// ALGORITHMS.md §5 and §12: rigid parts, pulled apart so that each is seen as the piece it is.

#include <limits>

#include "core/expect.h"
#include "mesh/rigid_partition.h"
#include "mesh/stencils.h"
#include "rig/kinematics.h"
#include "rig/surface_variants.h"

namespace pelt::rig {
namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

/// A matrix that takes a piece to the rest pose, and where the middle of everything is there.
struct Explosion {
  glm::vec3 middle;
  float amount;

  /// How far to move the piece, in its own space; nothing where it is squashed.
  [[nodiscard]] glm::vec3 shift(const Bounds& piece, const glm::mat4& world_from_piece) const {
    const glm::vec3 away = amount * (piece.center() - middle);
    const glm::dmat3 linear(world_from_piece);
    return glm::determinant(linear) != 0.0 ? glm::vec3(glm::inverse(linear) * glm::dvec3(away)) : glm::vec3(0.0f);
  }
};

Bounds placed(std::span<const glm::vec3> positions, std::span<const std::uint32_t> vertices, const glm::mat4& world) {
  Bounds bounds;
  for (const std::uint32_t v : vertices) {
    bounds.add(glm::vec3(world * glm::vec4(positions[v], 1.0f)));
  }
  return bounds;
}

std::vector<std::uint32_t> all_of(const mesh::Primitive& primitive) {
  std::vector<std::uint32_t> all(primitive.vertex_count());
  for (std::uint32_t v = 0; v < all.size(); ++v) {
    all[v] = v;
  }
  return all;
}

/// What belongs to nobody or to the skinned remainder stays; each rigid piece gets vertices of its own.
void pull_apart(mesh::Primitive& primitive, std::span<const glm::mat4> matrices, const Explosion& explosion) {
  const mesh::RigidPartition partition = mesh::partition_rigid(primitive.indices, primitive.influences);
  std::vector<std::uint32_t> owner(primitive.vertex_count(), kNobody);
  for (const std::uint32_t v : partition.skinned) {
    owner[v] = static_cast<std::uint32_t>(partition.rigid.size());
  }
  mesh::Stencils copies;
  for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
    copies.copy(v);
  }
  std::vector<glm::vec3> shift(primitive.vertex_count(), glm::vec3(0.0f));
  std::vector<std::uint32_t> indices = partition.skinned;
  std::vector<std::uint32_t> own(primitive.vertex_count(), kNobody);  // a piece's vertex of each source vertex
  for (std::uint32_t piece = 0; piece < partition.rigid.size(); ++piece) {
    const mesh::RigidPart& part = partition.rigid[piece];
    const glm::mat4& matrix = matrices[part.joint];
    const glm::vec3 by = explosion.shift(placed(primitive.positions, part.indices, matrix), matrix);
    for (const std::uint32_t v : part.indices) {
      if (own[v] == kNobody && owner[v] == kNobody) {
        owner[v] = piece;
        own[v] = v;
        shift[v] = by;
      } else if (own[v] == kNobody) {
        own[v] = static_cast<std::uint32_t>(shift.size());
        shift.push_back(by);
        copies.copy(v);
      }
      indices.push_back(own[v]);
    }
    for (const std::uint32_t v : part.indices) {
      own[v] = kNobody;  // as the next piece finds it
    }
  }
  mesh::Primitive out = mesh::blend(primitive, copies, copies);
  std::vector<glm::vec3>& positions = out.positions.edit();
  for (std::size_t v = 0; v < shift.size(); ++v) {
    positions[v] += shift[v];
  }
  out.indices = std::move(indices);
  out.variant_materials = primitive.variant_materials;
  primitive = std::move(out);
}

}  // namespace

Character exploded(const Character& character, float amount) {
  PELT_EXPECT(amount >= 0 && amount <= kMostExploded, "an amount of explosion");
  if (amount == 0) {
    return character;
  }
  WorldMatrices world;
  world.evaluate(character.skeleton, rest_pose(character));
  // Of each mesh node, what takes vertices to the rest pose: its skin's matrices, or its own alone.
  std::vector<std::vector<glm::mat4>> matrices;
  Bounds whole;
  for (const MeshNode& node : character.mesh_nodes) {
    std::vector<glm::mat4>& of_node = matrices.emplace_back();
    if (node.skin >= 0) {
      const Skin& skin = character.skins[node.skin];
      of_node.resize(skin.joints.size());
      skin_matrices(skin, world.world(), of_node);
    }
    of_node.push_back(world[node.joint]);
    for (const mesh::Primitive& primitive : character.meshes[node.mesh].primitives) {
      const mesh::Influences& rows = primitive.influences;
      for (std::uint32_t v = 0; v < primitive.vertex_count(); ++v) {
        const bool follows = node.skin >= 0 && !rows.empty() && rows.count(v) > 0;
        const glm::mat4& matrix = follows ? of_node[rows.joints(v)[0]] : of_node.back();
        whole.add(glm::vec3(matrix * glm::vec4(primitive.positions[v], 1.0f)));
      }
    }
  }
  const Explosion explosion{whole.center(), amount};
  Character out = character;
  std::vector<char> taken(character.meshes.size(), 0);
  for (std::size_t n = 0; n < out.mesh_nodes.size(); ++n) {
    MeshNode& node = out.mesh_nodes.edit()[n];
    const std::size_t source = node.mesh;
    if (taken[source] != 0) {  // another node pulls it elsewhere
      node.mesh = static_cast<int>(out.meshes.size());
      out.meshes.push_back(character.meshes[source]);
    }
    taken[source] = 1;
    for (mesh::Primitive& primitive : out.meshes.edit(node.mesh).primitives.edit_each()) {
      if (node.skin >= 0 && !primitive.influences->empty()) {
        if (primitive.topology == mesh::Topology::kTriangles) {
          pull_apart(primitive, matrices[n], explosion);
        }
        continue;
      }
      const glm::mat4& matrix = matrices[n].back();
      const glm::vec3 by = explosion.shift(placed(primitive.positions, all_of(primitive), matrix), matrix);
      for (glm::vec3& position : primitive.positions.edit()) {
        position += by;
      }
    }
  }
  finish(out);
  return out;
}

}  // namespace pelt::rig
