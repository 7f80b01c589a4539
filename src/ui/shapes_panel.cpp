#include "ui/shapes_panel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "deform/layers.h"
#include "edit/behaviour_readings.h"
#include "ui/icons.h"
#include "ui/sliders_section.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

std::string target_name(const mesh::Mesh& mesh, int target) {
  const std::size_t slot = target;
  const bool named = slot < mesh.morph_names.size() && !mesh.morph_names[slot].empty();
  return named ? printable(mesh.morph_names[slot]) : fmt::format("shape {}", target);
}

/// Targets that move together, as indices into the pose's weights; the first one's value is shown.
using Targets = std::vector<int>;

/// Of every name all targets that have it. Those without a name are strangers to each other.
std::map<std::string, Targets> namesakes(const rig::Character& character) {
  std::map<std::string, Targets> targets;
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const std::vector<std::string>& names = character.meshes[node.mesh].morph_names;
    const int begin = character.morph_offset[node.joint];
    const int end = character.morph_offset[static_cast<std::size_t>(node.joint) + 1];
    for (int flat = begin; flat < end; ++flat) {
      const std::size_t slot = flat - begin;
      if (slot < names.size() && !names[slot].empty()) {
        targets[names[slot]].push_back(flat);
      }
    }
  }
  return targets;
}

void set_all(const Targets& targets, const std::string& name, float value, Desk& desk) {
  for (const int flat : targets) {
    desk.change(edit::SetMorph{flat, value}, fmt::format("morph.{}.{}", targets.front(), name));
  }
}

void draw_target(const Targets& targets, const std::string& name, float value, Desk& desk) {
  ImGui::PushID(targets.front());
  const float height = ImGui::GetFrameHeight();
  const float start = ImGui::GetCursorPosX();
  const float label = std::min(desk.theme.px(116), ImGui::GetContentRegionAvail().x * 0.38f);
  ImGui::AlignTextToFramePadding();
  clipped_text(name, label - desk.theme.px(6));
  tip(targets.size() > 1 ? fmt::format("{}, in {} meshes", name, targets.size()) : name);
  ImGui::SameLine(start + label, 0);
  const float width = ImGui::GetContentRegionAvail().x - height - desk.theme.px(2);
  const std::string id = fmt::format("shape.{}", name);
  // A weight outside 0..1 is legal; the slider then reaches as far as the value.
  const SliderStyle style{std::min(0.0f, value), std::max(1.0f, value), 1, "%.2f", 0, 0};
  bool ended = false;
  bool reset = false;
  float wanted = value;
  if (value_slider(desk, id.c_str(), wanted, style, width, ended, &reset)) {
    set_all(targets, name, wanted, desk);
  }
  if (reset) {
    set_all(targets, name, 0, desk);
  }
  desk.requests.end_merge |= ended;
  ImGui::SameLine(0, desk.theme.px(2));
  const auto& weights = desk.scene.pose->morph_weights;
  const bool moved = std::ranges::any_of(targets, [&](int flat) { return std::abs(weights[flat]) > 1e-6f; });
  if (icon_button(desk, (id + ".reset").c_str(), icon::kReset, "Back to 0", false, moved)) {
    set_all(targets, name, 0, desk);
    desk.requests.end_merge = true;
  }
  ImGui::PopID();
}

// As they are posed, also where the layer "shapes" shows less of them; without what sliders with a meaning and drivers
// add, which would be added again to what is dragged here.
std::vector<float> posed_weights(const Desk& desk) {
  const edit::Document& document = desk.document();
  const motion::Behaviour& behaviour = document.content.behaviour;
  if (!behaviour.sliders.empty() || !behaviour.drivers.empty()) {
    return edit::pose_before(document, "sliders").morph_weights;
  }
  const bool all_shown =
      document.view.layer_limit < 0 && document.content.deformer_layers.is(deform::standard_deformer_layers());
  return all_shown ? desk.scene.pose->morph_weights : edit::evaluate_pose(document).morph_weights;
}

}  // namespace

void draw(ShapesPanel& panel, Desk& desk) {
  draw(desk.workspace.panel<SlidersSection>(), desk);
  const rig::Character& character = desk.character();
  const std::vector<float> weights = posed_weights(desk);
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
  const std::map<std::string, Targets> by_name = namesakes(character);
  if (std::ranges::any_of(by_name, [](const auto& entry) { return entry.second.size() > 1; })) {
    checkbox(desk, "shapes.together", "Same names together", panel.together,
             "A face made of several meshes moves as one. Off: a slider for each mesh");
  }
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const mesh::Mesh& mesh = character.meshes[node.mesh];
    const int begin = character.morph_offset[node.joint];
    const int end = character.morph_offset[static_cast<std::size_t>(node.joint) + 1];
    // What each slider moves: a name is listed with the first mesh that has it.
    std::vector<Targets> sliders;
    for (int flat = begin; flat < end; ++flat) {
      const std::size_t slot = flat - begin;
      const auto same = slot < mesh.morph_names.size() ? by_name.find(mesh.morph_names[slot]) : by_name.end();
      if (!panel.together || same == by_name.end()) {
        sliders.push_back({flat});
      } else if (same->second.front() == flat) {
        sliders.push_back(same->second);
      }
    }
    if (sliders.empty()) {
      continue;
    }
    ImGui::PushID(node.joint);
    const std::string title = mesh.name.empty() ? character.skeleton->label(node.joint) : mesh.name;
    if (section(desk, printable(title).c_str())) {
      for (const Targets& targets : sliders) {
        const std::string name = target_name(mesh, targets.front() - begin);
        if (contains_ignoring_case(name, panel.filter)) {
          draw_target(targets, name, weights[targets.front()], desk);
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
