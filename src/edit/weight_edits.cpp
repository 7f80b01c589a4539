#include "edit/weight_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "core/text.h"

namespace pelt::edit {
namespace {

using Kind = WeightSmoothingField::Kind;

constexpr float kMostPasses = 100;
constexpr float kMostInfluences = 64;

constexpr std::array kFields = {
    WeightSmoothingField{.id = "strength",
                         .label = "Strength",
                         .unit = "",
                         .help = "What each pass takes from the neighbours: 0 nothing, 1 all of their mean",
                         .kind = Kind::kReal,
                         .minimum = 0,
                         .maximum = 1,
                         .get = [](const SmoothWeights& of) { return of.strength; },
                         .set = [](SmoothWeights& of, float value) { of.strength = value; }},
    WeightSmoothingField{.id = "iterations",
                         .label = "Iterations",
                         .unit = "passes",
                         .help = "How often; each pass reaches one ring of vertices further",
                         .kind = Kind::kInteger,
                         .minimum = 1,
                         .maximum = kMostPasses,
                         .get = [](const SmoothWeights& of) { return static_cast<float>(of.iterations); },
                         .set = [](SmoothWeights& of, float value) { of.iterations = static_cast<int>(value); }},
    WeightSmoothingField{.id = "limit",
                         .label = "Limit",
                         .unit = "influences",
                         .help = "Influences that a smoothed vertex keeps, the heaviest first; 0 keeps all",
                         .kind = Kind::kInteger,
                         .minimum = 0,
                         .maximum = kMostInfluences,
                         .get = [](const SmoothWeights& of) { return static_cast<float>(of.limit); },
                         .set = [](SmoothWeights& of, float value) { of.limit = static_cast<int>(value); }},
    WeightSmoothingField{.id = "threshold",
                         .label = "Threshold",
                         .unit = "",
                         .help = "Weights of a smoothed vertex below it are dropped",
                         .kind = Kind::kReal,
                         .minimum = 0,
                         .maximum = 0.1f,
                         .get = [](const SmoothWeights& of) { return of.threshold; },
                         .set = [](SmoothWeights& of, float value) { of.threshold = value; }},
    WeightSmoothingField{.id = "cotangents",
                         .label = "By angles",
                         .unit = "",
                         .help =
                             "Neighbours count by the cotangents of the angles that face their edges, so that small "
                             "triangles do not pull; otherwise each counts the same",
                         .kind = Kind::kSwitch,
                         .minimum = 0,
                         .maximum = 1,
                         .get = [](const SmoothWeights& of) { return of.cotangents ? 1.0f : 0.0f; },
                         .set = [](SmoothWeights& of, float value) { of.cotangents = value > 0.5f; }},
};

// The slots that these joints have in the skins that the mesh hangs on.
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

// Where to smooth: places, ascending, each with the strength of its strongest copy.
struct Area {
  std::vector<std::uint32_t> places;
  std::vector<float> strengths;  ///< one per place, or empty: 1 each
};

Area everywhere(const mesh::WeldedSurface& surface) {
  Area area;
  area.places.resize(surface.place_count());
  std::iota(area.places.begin(), area.places.end(), 0u);
  return area;
}

Area area_of(const mesh::WeldedSurface& surface, const SmoothWeights& change) {
  const bool whole_mesh = change.primitive < 0;
  if (change.vertices.empty() && whole_mesh) {
    return everywhere(surface);
  }
  const std::size_t p = whole_mesh ? 0 : change.primitive;
  const std::uint32_t first = whole_mesh ? 0 : surface.first[p];
  const std::uint32_t end = whole_mesh ? surface.first.back() : surface.first[p + 1];
  std::vector<std::pair<std::uint32_t, float>> named;  // place, strength
  if (change.vertices.empty()) {
    for (std::uint32_t v = first; v < end; ++v) {
      named.emplace_back(surface.place[v], 1.0f);
    }
  }
  for (std::size_t k = 0; k < change.vertices.size(); ++k) {
    PELT_EXPECT(change.vertices[k] < end - first, "vertices of the mesh");
    named.emplace_back(surface.place[first + change.vertices[k]],
                       change.strengths.empty() ? 1.0f : change.strengths[k]);
  }
  std::ranges::sort(
      named, [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
  Area area;
  for (const auto& [place, strength] : named) {
    if (area.places.empty() || area.places.back() != place) {
      area.places.push_back(place);
      area.strengths.push_back(strength);
    }
  }
  return area;
}

mesh::WeightSmoothing smoothing_of(const rig::Character& character, const SmoothWeights& change) {
  return {.strength = change.strength,
          .iterations = change.iterations,
          .shares = change.cotangents ? mesh::NeighborShares::kCotangent : mesh::NeighborShares::kUniform,
          .locked = slots_of(character, change.mesh, change.locked),
          .across = slots_of(character, change.mesh, change.across),
          .limit = change.limit,
          .threshold = change.threshold};
}

std::string mesh_name(const rig::Character& character, int mesh) {
  const std::string& name = character.meshes[mesh].name;
  return name.empty() ? fmt::format("mesh {}", mesh) : name;
}

}  // namespace

std::span<const WeightSmoothingField> weight_smoothing_fields() {
  return kFields;
}

float standard_value(const WeightSmoothingField& field) {
  return field.get(SmoothWeights());
}

int node_count(const rig::Character& character, int mesh) {
  return static_cast<int>(std::ranges::count(character.mesh_nodes, mesh, &rig::MeshNode::mesh));
}

std::shared_ptr<const rig::Character> with_smoothed_weights(const rig::Character& character,
                                                            const SmoothWeights& change) {
  PELT_EXPECT(has_index(character.meshes, change.mesh), "a mesh there is");
  PELT_EXPECT(change.strengths.empty() || change.strengths.size() == change.vertices.size(), "one per vertex");
  if (!std::isfinite(change.strength) || !std::isfinite(change.threshold) ||
      !std::ranges::all_of(change.strengths, [](float strength) { return std::isfinite(strength); })) {
    return nullptr;
  }
  const std::size_t m = change.mesh;
  const mesh::Mesh& before = character.meshes[m];
  const mesh::WeightSmoothing how = smoothing_of(character, change);
  if (!change.across.empty() && how.across.empty()) {
    return nullptr;  // none of these joints moves the mesh
  }
  const bool fits = change.surface != nullptr && mesh::is_surface_of(*change.surface, before);
  const std::shared_ptr<const mesh::WeldedSurface> surface = fits ? change.surface : mesh::welded_surface(before);
  std::vector<const mesh::Influences*> influences;
  for (const mesh::Primitive& primitive : before.primitives) {
    influences.push_back(&*primitive.influences);
  }
  const Area area = area_of(*surface, change);
  const std::vector<mesh::InfluencesPatch> changes =
      mesh::smoothed_weights(*surface, influences, area.places, area.strengths, how);
  if (std::ranges::all_of(changes, &mesh::InfluencesPatch::empty)) {
    return nullptr;
  }
  auto after = std::make_shared<rig::Character>(character);
  mesh::Mesh& mesh = after->meshes.edit(m);
  for (std::size_t p = 0; p < changes.size(); ++p) {
    if (!changes[p].empty()) {
      Shared<mesh::Influences>& rows = mesh.primitives.edit(p).influences;
      rows = mesh::patched(*rows, changes[p]);
    }
  }
  return after;
}

std::vector<std::uint32_t> vertices_of_joint(const rig::Character& character, int mesh, int joint) {
  const std::array<int, 1> joints = {joint};
  const std::vector<std::uint16_t> slots = slots_of(character, mesh, joints);
  std::vector<std::uint32_t> vertices;
  std::uint32_t first = 0;
  for (const mesh::Primitive& primitive : character.meshes[mesh].primitives) {
    const mesh::Influences& rows = primitive.influences;
    for (std::uint32_t v = 0; v < rows.vertex_count() && !slots.empty(); ++v) {
      const auto follows = [&](std::uint16_t slot) { return std::ranges::binary_search(slots, slot); };
      if (std::ranges::any_of(rows.joints(v), follows)) {
        vertices.push_back(first + v);
      }
    }
    first += static_cast<std::uint32_t>(primitive.vertex_count());
  }
  return vertices;
}

std::string label(const Document& document, const SmoothWeights& change) {
  return fmt::format("Smooth weights of {}", mesh_name(*own_character(document), change.mesh));
}

void carry_out(const Document& document, const SmoothWeights& change, Content& content, View&) {
  if (auto character = with_smoothed_weights(*own_character(document), change)) {
    content.character = std::move(character);
  }
}

std::string remark(const Document& document, const SmoothWeights& change) {
  const rig::Character& character = *own_character(document);
  const int nodes = node_count(character, change.mesh);
  std::string text;
  if (nodes > 1) {
    text = fmt::format("{} nodes share {}: all of them change", nodes, printable(mesh_name(character, change.mesh)));
  }
  if (!shows_own_surface(document)) {
    text += text.empty() ? "" : "; ";
    text += "weights are edited on the file's own surface, which is shown again";
  }
  if (std::ranges::any_of(character.meshes[change.mesh].primitives, &mesh::Primitive::has_cage)) {
    text += text.empty() ? "" : "; ";
    text += "its control points keep their weights: where these are skinned, nothing changes";
  }
  return text;
}

}  // namespace pelt::edit
