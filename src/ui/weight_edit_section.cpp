#include "ui/weight_edit_section.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "math/transform.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kLargestRadius = 0.5f;

// The mesh's surface, kept until its arrays are others: draw_weight_edit_section() has let those go.
const std::shared_ptr<const mesh::WeldedSurface>& surface_of(WeightEditSection& state, const rig::Character& character,
                                                             int mesh) {
  std::shared_ptr<const mesh::WeldedSurface>& kept = state.surfaces[mesh];
  if (kept == nullptr) {
    kept = mesh::welded_surface(character.meshes[mesh]);
  }
  return kept;
}

float diagonal_of(const mesh::WeldedSurface& surface) {
  Bounds bounds;
  for (const mesh::WeldedSurface::Source& source : surface.sources) {
    for (const glm::vec3& position : source.positions) {
      bounds.add(position);
    }
  }
  return bounds.empty() ? 0.0f : glm::distance(bounds.lower, bounds.upper);
}

// The disc round the pinned vertex, strongest in its middle. @pre  a vertex is pinned on the file's own surface
edit::SmoothWeights round_vertex(WeightEditSection& state, const Desk& desk) {
  const rig::Character& character = desk.character();
  const rig::Part& part = character.parts[desk.document().view.pinned_part];
  edit::SmoothWeights change = state.smoothing;
  change.locked.assign(desk.document().content.locked_joints.begin(), desk.document().content.locked_joints.end());
  change.mesh = part.mesh;
  change.surface = surface_of(state, character, part.mesh);
  const mesh::WeldedSurface& surface = *change.surface;
  const std::uint32_t vertex =
      surface.first[part.primitive] + static_cast<std::uint32_t>(desk.document().view.pinned_vertex);
  const float radius = state.radius * diagonal_of(surface);
  const mesh::SurfaceDisc disc = state.search.find(
      surface.adjacency, [&](std::uint32_t place) { return surface.position(place); }, surface.place[vertex], radius);
  std::vector<std::uint32_t> vertices;
  std::vector<float> strengths;
  for (std::size_t k = 0; k < disc.place.size(); ++k) {
    vertices.push_back(surface.copies(disc.place[k]).front());
    strengths.push_back(radius > 0 ? mesh::brush_falloff(disc.distance[k], radius) : 1.0f);
  }
  change.vertices = std::move(vertices);
  change.strengths = std::move(strengths);
  return change;
}

// One edit for each mesh concerned.
std::vector<edit::SmoothWeights> edits_of(WeightEditSection& state, const Desk& desk) {
  if (state.area == WeightEditSection::kVertex) {
    return {round_vertex(state, desk)};
  }
  std::vector<edit::SmoothWeights> edits;
  const rig::Character& character = *edit::own_character(desk.document());
  for (const int mesh : skinned_meshes(character)) {
    edit::SmoothWeights change = state.smoothing;
    change.locked.assign(desk.document().content.locked_joints.begin(), desk.document().content.locked_joints.end());
    change.mesh = mesh;
    change.vertices = scope_vertices(state, mesh, desk);
    if (state.area != WeightEditSection::kAll && change.vertices.empty()) {
      continue;
    }
    change.surface = surface_of(state, character, mesh);
    edits.push_back(std::move(change));
  }
  return edits;
}

void draw_field(WeightEditSection& state, const edit::WeightSmoothingField& field, Desk& desk) {
  using Kind = edit::WeightSmoothingField::Kind;
  const std::string name = fmt::format("smooth.{}", field.id);
  float value = field.get(state.smoothing);
  if (field.kind == Kind::kSwitch) {
    row_label(desk, "");
    bool on = value > 0.5f;
    if (checkbox(desk, name.c_str(), std::string(field.label).c_str(), on, field.help)) {
      field.set(state.smoothing, on ? 1.0f : 0.0f);
    }
    return;
  }
  row_label(desk, std::string(field.label).c_str(), field.help);
  const bool whole = field.kind == Kind::kInteger;
  bool ended = false;
  const SliderStyle style{.lower = field.minimum,
                          .upper = field.maximum,
                          .format = whole               ? "%.0f"
                                    : field.maximum < 1 ? "%.4f"
                                                        : "%.2f",
                          .origin = edit::standard_value(field),
                          .step = whole ? 1.0f : 0.0f};
  if (value_slider(desk, name.c_str(), value, style, ImGui::GetContentRegionAvail().x, ended)) {
    field.set(state.smoothing, std::clamp(value, field.minimum, field.maximum));
  }
}

void draw_radius(WeightEditSection& state, Desk& desk) {
  row_label(desk, "Radius",
            "Along the surface as it was bound, in percent of the mesh's diagonal; what lies farther "
            "from the pinned vertex is changed less");
  bool ended = false;
  const SliderStyle style{
      .lower = 0, .upper = kLargestRadius, .factor = 100, .format = "%.1f %%", .origin = WeightEditSection().radius};
  float radius = state.radius;
  if (value_slider(desk, "smooth.radius", radius, style, ImGui::GetContentRegionAvail().x, ended)) {
    state.radius = std::clamp(radius, 0.0f, kLargestRadius);
  }
}

}  // namespace

std::string why_not_smooth(const WeightEditSection& section, const Desk& desk) {
  return why_no_scope(section, desk);
}

void draw_weight_edit_section(WeightEditSection& state, Desk& desk) {
  // Those of a character that is gone are let go.
  const auto& meshes = edit::own_character(desk.document())->meshes;
  std::erase_if(state.surfaces, [&](const auto& kept) {
    const std::size_t m = kept.first;
    return m >= meshes.size() || !mesh::is_surface_of(*kept.second, meshes[m]);
  });
  if (!section(desk, "Smooth", false)) {
    return;
  }
  draw_weight_scope(state, "smooth.area", true, desk);
  if (state.area == WeightEditSection::kVertex) {
    draw_radius(state, desk);
  }
  for (const edit::WeightSmoothingField& field : edit::weight_smoothing_fields()) {
    draw_field(state, field, desk);
  }
  const std::string reason = why_not_smooth(state, desk);
  ImGui::BeginDisabled(!reason.empty());
  if (ImGui::Button("Apply", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    // One click is one step, however many meshes it changes.
    std::vector<edit::SmoothWeights> edits = edits_of(state, desk);
    if (edits.empty()) {
      const int joint = desk.document().view.selected_joint();
      const std::string name = printable(edit::own_character(desk.document())->skeleton->label(joint));
      desk.workspace.notice = Notice{Severity::kInfo, fmt::format("No vertex follows {}", name), desk.scene.now};
    }
    for (edit::SmoothWeights& change : edits) {
      desk.change(std::move(change), "smooth");
    }
    desk.requests.end_merge = true;
  }
  report_item(desk, "smooth.apply");
  ImGui::EndDisabled();
  if (!reason.empty()) {
    wrapped_text(reason, color::kTextDim);
  }
}

}  // namespace pelt::ui
