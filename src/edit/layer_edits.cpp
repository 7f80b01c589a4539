#include "edit/layer_edits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/expect.h"

namespace pelt::edit {

std::size_t layer_count(const Content& content) {
  return content.pose_layers.size() + content.deformer_layers.size();
}

const rig::Layer& layer_at(const Content& content, std::size_t k) {
  PELT_EXPECT(k < layer_count(content), "layer index out of range");
  const std::size_t poses = content.pose_layers.size();
  return k < poses ? content.pose_layers[k] : content.deformer_layers[k - poses];
}

const rig::LayerKind* layer_kind_at(const Content& content, std::size_t k) {
  const std::string& id = layer_at(content, k).kind;
  if (k < content.pose_layers.size()) {
    const motion::PoseLayerKind* const kind = motion::find_pose_layer_kind(id);
    return kind == nullptr ? nullptr : &kind->about;
  }
  const deform::DeformerLayerKind* const kind = deform::find_deformer_layer_kind(id);
  return kind == nullptr ? nullptr : &kind->about;
}

std::size_t find_layer(const Content& content, std::string_view kind) {
  std::size_t k = 0;
  while (k < layer_count(content) && layer_at(content, k).kind != kind) {
    ++k;
  }
  return k;
}

bool layer_works(const Document& document, std::size_t k) {
  const rig::LayerKind* const kind = layer_kind_at(document.content, k);
  const bool behind = document.view.layer_limit >= 0 && k >= static_cast<std::size_t>(document.view.layer_limit);
  return kind != nullptr && !behind && rig::share_of(*kind, layer_at(document.content, k)) > 0;
}

void stop_after(Document& document, int k) {
  PELT_EXPECT(k < static_cast<int>(layer_count(document.content)), "layer index out of range");
  const int limit = k < 0 ? -1 : k + 1;
  if (document.view.layer_limit != limit) {
    document.view.layer_limit = limit;
    ++document.state_version;
  }
}

void carry_out(const Document&, const SetLayer& change, Content& content, View&) {
  const rig::LayerKind* const kind = layer_kind_at(content, change.layer);
  if (kind == nullptr || !std::ranges::all_of(change.values, [](float value) { return std::isfinite(value); })) {
    return;
  }
  PELT_EXPECT(change.values.size() == kind->fields.size(), "one value per field of the kind");
  rig::Layer layer = layer_at(content, change.layer);
  layer.on = change.on || !kind->optional;
  for (std::size_t f = 0; f < layer.values.size(); ++f) {
    layer.values[f] = std::clamp(change.values[f], kind->fields[f].minimum, kind->fields[f].maximum);
  }
  if (layer != layer_at(content, change.layer)) {
    const std::size_t poses = content.pose_layers.size();
    (change.layer < poses ? content.pose_layers.edit()[change.layer]
                          : content.deformer_layers.edit()[change.layer - poses]) = std::move(layer);
  }
}

std::string label(const Document& document, const SetLayer& change) {
  const rig::LayerKind* const kind = layer_kind_at(document.content, change.layer);
  const rig::Layer& layer = layer_at(document.content, change.layer);
  const std::string name = kind == nullptr ? layer.kind : std::string(kind->label);
  if (change.on != layer.on) {
    return fmt::format("Layer {} {}", name, change.on ? "on" : "off");
  }
  return fmt::format("Change layer {}", name);
}

}  // namespace pelt::edit
