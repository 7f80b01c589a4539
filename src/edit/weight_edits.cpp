#include "edit/weight_edits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "edit/weight_area.h"
#include "edit/weight_tools.h"

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
                         .help =
                             "Influences that a smoothed vertex keeps, the heaviest first; 0: as many as it has or as "
                             "its file has a place for",
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

mesh::WeightSmoothing smoothing_of(const rig::Character& character, const SmoothWeights& change) {
  return {.strength = change.strength,
          .iterations = change.iterations,
          .shares = change.cotangents ? mesh::NeighborShares::kCotangent : mesh::NeighborShares::kUniform,
          .locked = slots_of(character, change.mesh, change.locked),
          .across = slots_of(character, change.mesh, change.across),
          .limit = change.limit,
          .threshold = change.threshold};
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
                                                            const SmoothWeights& change, WeightCuts* out_cuts) {
  PELT_EXPECT(has_index(character.meshes, change.mesh), "a mesh there is");
  PELT_EXPECT(change.strengths.empty() || change.strengths.size() == change.vertices.size(), "one per vertex");
  if (!std::isfinite(change.strength) || !std::isfinite(change.threshold) ||
      !std::ranges::all_of(change.strengths, [](float strength) { return std::isfinite(strength); })) {
    return nullptr;
  }
  const mesh::Mesh& before = character.meshes[change.mesh];
  const mesh::WeightSmoothing how = smoothing_of(character, change);
  if (!change.across.empty() && how.across.empty()) {
    return nullptr;  // none of these joints moves the mesh
  }
  const std::shared_ptr<const mesh::WeldedSurface> surface = surface_for(before, change.surface);
  const WeightArea area = area_of(*surface, change.primitive, change.vertices, change.strengths);
  const std::vector<mesh::InfluencesPatch> changes =
      mesh::smoothed_weights(*surface, influences_of(before), area.places, area.strengths, how);
  if (out_cuts != nullptr) {
    *out_cuts = cuts_in(changes);
  }
  return with_patches(character, change.mesh, changes);
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
  if (auto character = with_smoothed_weights(*own_character(document), with_locks_of(document, change))) {
    content.character = std::move(character);
  }
}

std::string remark(const Document& document, const SmoothWeights& change) {
  return remark_on_weights(document, change.mesh);
}

}  // namespace pelt::edit
