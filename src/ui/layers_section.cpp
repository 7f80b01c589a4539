#include "ui/layers_section.h"

#include <algorithm>

#include <fmt/format.h>

#include "edit/layer_edits.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// Of metres, millimetres are shown: what layers move is small.
SliderStyle style_of(const rig::LayerField& field) {
  SliderStyle style{.lower = field.minimum, .upper = field.maximum};
  if (field.unit == rig::LayerUnit::kMetres) {
    style.factor = 1000;
    style.format = "%.1f mm";
  }
  return style;
}

void draw_fields(const rig::LayerKind& kind, const edit::SetLayer& now, Desk& desk) {
  ImGui::Indent(desk.theme.px(12));
  for (std::size_t f = 0; f < kind.fields.size(); ++f) {
    const rig::LayerField& field = kind.fields[f];
    const std::string name = fmt::format("layers.{}.{}", kind.id, field.id);
    row_label(desk, std::string(field.label).c_str(), field.help);
    edit::SetLayer change = now;
    float& value = change.values[f];
    bool ended = false;
    bool reset = false;
    value_slider(desk, name.c_str(), value, style_of(field), ImGui::GetContentRegionAvail().x, ended, &reset);
    value = reset ? field.standard : std::clamp(value, field.minimum, field.maximum);
    if (value != now.values[f]) {
      desk.change(change, name);
    }
    desk.requests.end_merge |= ended;
  }
  ImGui::Unindent(desk.theme.px(12));
}

void draw_layer(std::size_t k, Desk& desk) {
  const edit::Document& document = desk.document();
  const rig::Layer& layer = edit::layer_at(document.content, k);
  const rig::LayerKind* const kind = edit::layer_kind_at(document.content, k);
  if (kind == nullptr) {
    dim_text(layer.kind);
    return;
  }
  const std::string name = fmt::format("layers.{}", kind->id);
  const int limit = document.view.layer_limit;
  const bool behind = limit >= 0 && k >= static_cast<std::size_t>(limit);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight();
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, ImGui::GetStyle().Alpha * (behind ? 0.5f : 1.0f));
  bool on = layer.on || !kind->optional;
  ImGui::BeginDisabled(!kind->optional);
  const std::string label(kind->label);
  if (checkbox(desk, name.c_str(), label.c_str(), on, kind->help)) {
    desk.change(edit::SetLayer{k, on, layer.values});
  }
  ImGui::EndDisabled();
  ImGui::SameLine(right, 0);
  const bool stops = limit == static_cast<int>(k) + 1;
  if (icon_button(desk, (name + ".stop").c_str(), icon::kPin,
                  stops ? "What is seen stops behind this layer; click to see all"
                        : "Stop here: layers behind this one do nothing",
                  stops)) {
    desk.requests.stop_after = stops ? -1 : static_cast<int>(k);
  }
  if (on) {
    draw_fields(*kind, {k, on, layer.values}, desk);
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw(LayersPanel&, Desk& desk) {
  const edit::Content& content = desk.document().content;
  for (std::size_t k = 0; k < edit::layer_count(content); ++k) {
    if (k == 0 || k == content.pose_layers.size()) {
      dim_text(k == 0 ? "Pose, from the first to the last" : "Shape");
    }
    ImGui::PushID(static_cast<int>(k));
    draw_layer(k, desk);
    ImGui::PopID();
  }
}

}  // namespace pelt::ui
