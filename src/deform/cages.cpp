// ALGORITHMS.md §52: the control points of surfaces as vertices of a character.

#include <algorithm>

#include "deform/deform.h"
#include "deform/skin_cache.h"
#include "deform/skin_data.h"
#include "mesh/normals.h"

namespace pelt::deform {
namespace {

// Normals are for layers that move points along them.
mesh::Primitive points_of(const mesh::Primitive& surface) {
  const mesh::ControlCage& cage = surface.cage;
  mesh::Primitive out;
  out.positions = cage.positions;
  out.influences = cage.influences;
  out.indices = cage.triangles;
  std::vector<glm::vec3> normals(cage.positions.size());
  mesh::compute_vertex_normals(cage.positions, cage.positions, cage.triangles, normals);
  out.normals = std::move(normals);
  for (const std::vector<glm::vec3>& deltas : cage.morph_deltas) {
    mesh::MorphTarget target;
    target.position_deltas = deltas;
    out.morph_targets.push_back(std::move(target));
  }
  out.morph_targets.resize(surface.morph_targets.size());  // weights are counted alike
  return out;
}

// The first primitive of a mesh that has the same control points as this one.
std::size_t first_with_cage_of(const mesh::Mesh& mesh, std::size_t p) {
  std::size_t first = 0;
  while (!mesh.primitives[first].has_cage() || !mesh.primitives[first].cage.is(mesh.primitives[p].cage)) {
    ++first;
  }
  return first;
}

}  // namespace

bool has_cages(const rig::Character& character) {
  return std::ranges::any_of(
      character.parts, [&](const rig::Part& part) { return part.skin >= 0 && character.primitive(part).has_cage(); });
}

CageList cages_in(const rig::Character& character) {
  CageList out;
  for (const mesh::Mesh& mesh : character.meshes) {
    for (const mesh::Primitive& primitive : mesh.primitives) {
      out.push_back(primitive.has_cage() ? primitive.cage : Shared<mesh::ControlCage>());
    }
  }
  return out;
}

SkinningSettings settings_of_points(SkinningSettings settings) {
  settings.refine = Refine::kBeforeSkin;                       // they are the vertices themselves
  settings.normals = NormalVariant::kInverseTransposeOfBlend;  // which nobody sees
  return settings;
}

Cages make_cages(const rig::Character& character) {
  Cages out;
  rig::Character& points = out.character;
  points.name = character.name;
  points.skeleton = character.skeleton;
  points.skins = character.skins;
  points.mesh_nodes = character.mesh_nodes;
  points.parts = character.parts;
  points.morph_offset = character.morph_offset;
  for (const mesh::Mesh& mesh : character.meshes) {
    mesh::Mesh made;
    made.name = mesh.name;
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const bool is_first = mesh.primitives[p].has_cage() && first_with_cage_of(mesh, p) == p;
      made.primitives.push_back(is_first ? points_of(mesh.primitives[p]) : mesh::Primitive());
    }
    points.meshes.push_back(std::move(made));
  }
  out.part.assign(character.parts.size(), -1);
  out.of_part.resize(character.parts.size());
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    if (part.skin < 0 || !character.primitive(part).has_cage()) {
      continue;
    }
    const auto first =
        static_cast<int>(first_with_cage_of(character.meshes[part.mesh], static_cast<std::size_t>(part.primitive)));
    const auto stands_in = std::ranges::find_if(character.parts, [&](const rig::Part& other) {
      return other.mesh_node == part.mesh_node && other.primitive == first;
    });
    out.of_part[p] = character.primitive(part).cage;
    out.part[p] = static_cast<int>(stands_in - character.parts.begin());
  }
  return out;
}

}  // namespace pelt::deform
