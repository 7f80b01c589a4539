#include "edit/weight_area.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/text.h"
#include "edit/weight_edits.h"
#include "math/transform.h"

namespace pelt::edit {

WeightArea area_of(const mesh::WeldedSurface& surface, int primitive, std::span<const std::uint32_t> vertices,
                   std::span<const float> strengths) {
  const bool whole_mesh = primitive < 0;
  WeightArea area;
  if (vertices.empty() && whole_mesh) {
    area.places.resize(surface.place_count());
    std::iota(area.places.begin(), area.places.end(), 0u);
    return area;
  }
  const std::size_t p = whole_mesh ? 0 : primitive;
  const std::uint32_t first = whole_mesh ? 0 : surface.first[p];
  const std::uint32_t end = whole_mesh ? surface.first.back() : surface.first[p + 1];
  std::vector<std::pair<std::uint32_t, float>> named;  // place, strength
  if (vertices.empty()) {
    for (std::uint32_t v = first; v < end; ++v) {
      named.emplace_back(surface.place[v], 1.0f);
    }
  }
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    PELT_EXPECT(vertices[k] < end - first, "vertices of the mesh");
    named.emplace_back(surface.place[first + vertices[k]], strengths.empty() ? 1.0f : strengths[k]);
  }
  std::ranges::sort(
      named, [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
  for (const auto& [place, strength] : named) {
    if (area.places.empty() || area.places.back() != place) {
      area.places.push_back(place);
      area.strengths.push_back(strength);
    }
  }
  return area;
}

std::vector<std::uint16_t> slots_of(const rig::Character& character, int mesh, std::span<const int> joints) {
  std::vector<std::uint16_t> slots;
  if (joints.empty()) {
    return slots;
  }
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.mesh != mesh || node.skin < 0) {
      continue;
    }
    const std::vector<int>& listed = character.skins[node.skin].joints;
    for (std::size_t slot = 0; slot < listed.size(); ++slot) {
      if (std::ranges::find(joints, listed[slot]) != joints.end()) {
        slots.push_back(static_cast<std::uint16_t>(slot));
      }
    }
  }
  std::ranges::sort(slots);
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

std::vector<const mesh::Influences*> influences_of(const mesh::Mesh& mesh) {
  std::vector<const mesh::Influences*> influences;
  for (const mesh::Primitive& primitive : mesh.primitives) {
    influences.push_back(&*primitive.influences);
  }
  return influences;
}

std::vector<glm::dmat4> skin_matrices(const rig::Skin& skin, std::span<const glm::mat4> world) {
  std::vector<glm::dmat4> out;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    out.push_back(glm::dmat4(world[static_cast<std::size_t>(skin.joints[k])]) * glm::dmat4(skin.joint_from_mesh[k]));
  }
  return out;
}

double coincidence_in_world(const mesh::WeldedSurface& surface, std::span<const std::vector<glm::dmat4>> matrices) {
  // World matrices and inverse binds are floats: at rest they put a vertex up to half of this apart.
  constexpr double kCoincident = 1e-5;
  Bounds bounds;
  for (std::uint32_t w = 0; w < surface.place_count(); ++w) {
    bounds.add(surface.position(w));
  }
  double scale = 0;
  for (const std::vector<glm::dmat4>& of_pose : matrices) {
    for (const glm::dmat4& matrix : of_pose) {
      scale = std::max({scale, glm::length(matrix[0]), glm::length(matrix[1]), glm::length(matrix[2])});
    }
  }
  return bounds.empty() ? 0.0 : kCoincident * scale * double{glm::distance(bounds.lower, bounds.upper)};
}

std::shared_ptr<const mesh::WeldedSurface> surface_for(const mesh::Mesh& mesh,
                                                       const std::shared_ptr<const mesh::WeldedSurface>& given) {
  return given != nullptr && mesh::is_surface_of(*given, mesh) ? given : mesh::welded_surface(mesh);
}

std::shared_ptr<const rig::Character> with_patches(const rig::Character& character, int mesh,
                                                   std::span<const mesh::InfluencesPatch> patches) {
  if (std::ranges::all_of(patches, &mesh::InfluencesPatch::empty)) {
    return nullptr;
  }
  auto after = std::make_shared<rig::Character>(character);
  mesh::Mesh& changed = after->meshes.edit(mesh);
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (!patches[p].empty()) {
      Shared<mesh::Influences>& rows = changed.primitives.edit(p).influences;
      rows = mesh::patched(*rows, patches[p]);
    }
  }
  return after;
}

std::string mesh_name(const rig::Character& character, int mesh) {
  const std::string& name = character.meshes[mesh].name;
  return name.empty() ? fmt::format("mesh {}", mesh) : name;
}

std::string remark_on_weights(const Document& document, int mesh) {
  const rig::Character& character = *own_character(document);
  const int nodes = node_count(character, mesh);
  std::string text;
  if (nodes > 1) {
    text = fmt::format("{} nodes share {}: all of them change", nodes, printable(mesh_name(character, mesh)));
  }
  if (!shows_own_surface(document)) {
    text += text.empty() ? "" : "; ";
    text += "weights are edited on the file's own surface, which is shown again";
  }
  if (std::ranges::any_of(character.meshes[mesh].primitives, &mesh::Primitive::has_cage)) {
    text += text.empty() ? "" : "; ";
    text += "its control points keep their weights: where these are skinned, nothing changes";
  }
  return text;
}

}  // namespace pelt::edit
