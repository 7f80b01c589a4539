#include "ui/shapes_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

std::string target_name(const mesh::Mesh& mesh, int target) {
  const auto slot = static_cast<std::size_t>(target);
  const bool named = slot < mesh.morph_names.size() && !mesh.morph_names[slot].empty();
  return named ? printable(mesh.morph_names[slot]) : fmt::format("shape {}", target);
}

void draw_target(int flat, const std::string& name, float value, Desk& desk) {
  ImGui::PushID(flat);
  const float height = ImGui::GetFrameHeight();
  const float start = ImGui::GetCursorPosX();
  const float label = std::min(desk.theme.px(116), ImGui::GetContentRegionAvail().x * 0.38f);
  ImGui::AlignTextToFramePadding();
  clipped_text(name, label - desk.theme.px(6));
  tip(name);
  ImGui::SameLine(start + label, 0);
  const float width = ImGui::GetContentRegionAvail().x - height - desk.theme.px(2);
  const std::string id = fmt::format("shape.{}", name);
  // A weight outside 0..1 is legal; the slider then reaches as far as the value.
  const SliderStyle style{std::min(0.0f, value), std::max(1.0f, value), 1, "%.2f", 0, 0};
  bool ended = false;
  float wanted = value;
  if (value_slider(desk, id.c_str(), wanted, style, width, ended)) {
    desk.change(edit::SetMorph{flat, wanted}, fmt::format("morph.{}", flat));
  }
  desk.requests.end_merge |= ended;
  ImGui::SameLine(0, desk.theme.px(2));
  if (icon_button(desk, (id + ".reset").c_str(), icon::kReset, "Back to 0", false, std::abs(value) > 1e-6f)) {
    desk.change(edit::SetMorph{flat, 0});
  }
  ImGui::PopID();
}

}  // namespace

void draw(ShapesPanel& panel, Desk& desk) {
  const rig::Character& character = desk.character();
  const auto& weights = desk.scene.pose->morph_weights;
  if (weights.empty()) {
    wrapped_text("This character has no morph targets.", color::kTextDim);
    return;
  }
  if (weights.size() > 8) {
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##filter", fmt::format("{}  Search", icon::kSearch).c_str(), &panel.filter);
  } else {
    panel.filter.clear();
  }
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const mesh::Mesh& mesh = character.meshes[static_cast<std::size_t>(node.mesh)];
    const int begin = character.morph_offset[static_cast<std::size_t>(node.joint)];
    const int end = character.morph_offset[static_cast<std::size_t>(node.joint) + 1];
    if (begin == end) {
      continue;
    }
    ImGui::PushID(node.joint);
    const std::string title = mesh.name.empty() ? character.skeleton.label(node.joint) : mesh.name;
    if (section(desk, printable(title).c_str())) {
      for (int flat = begin; flat < end; ++flat) {
        const std::string name = target_name(mesh, flat - begin);
        if (contains_ignoring_case(name, panel.filter)) {
          draw_target(flat, name, weights[static_cast<std::size_t>(flat)], desk);
        }
      }
    }
    ImGui::PopID();
  }
  ImGui::Spacing();
  if (ImGui::Button(fmt::format("{}  Reset shapes", icon::kReset).c_str(), ImVec2(-1, 0))) {
    desk.change(edit::ResetMorphs{});
  }
  report_item(desk, "shapes.reset");
}

}  // namespace pelt::ui
