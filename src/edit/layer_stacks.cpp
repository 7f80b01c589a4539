#include "edit/layer_stacks.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "deform/layers.h"
#include "motion/pose_layers.h"

namespace pelt::edit {
namespace {

constexpr std::size_t kMostLayers = 1000;

SessionJson layer_json(const rig::Layer& layer, const rig::LayerKind* kind) {
  SessionJson out = {{"kind", layer.kind}, {"on", layer.on}};
  for (std::size_t f = 0; kind != nullptr && f < layer.values.size(); ++f) {
    out[std::string(kind->fields[f].id)] = session_number(layer.values[f]);
  }
  if (!layer.kept.empty()) {
    out.update(SessionJson::parse(layer.kept));
  }
  return out;
}

float value_within(const Place& place, const rig::LayerField& field, std::vector<std::string>* clamped) {
  const float value = place.number();
  const float within = std::clamp(value, field.minimum, field.maximum);
  if (within != value && clamped != nullptr) {
    clamped->push_back(fmt::format("{}: expected {} to {}, got {}, {} is used", place.path(), field.minimum,
                                   field.maximum, value, within));
  }
  return within;
}

rig::Layer read_layer(const Place& place, const rig::LayerKind* kind, std::vector<std::string>* clamped) {
  rig::Layer layer = kind != nullptr ? rig::standard_layer(*kind) : rig::Layer{place.at("kind").text(), true, {}};
  layer.on = place.at("on").flag() || (kind != nullptr && !kind->optional);
  SessionJson kept = SessionJson::object();
  place.each_member([&](const std::string& name, const Place& value) {
    if (name == "kind" || name == "on") {
      return;
    }
    const auto field = kind == nullptr ? decltype(kind->fields.begin()){}
                                       : std::ranges::find(kind->fields, name, &rig::LayerField::id);
    if (kind == nullptr || field == kind->fields.end()) {
      kept[name] = value.json();
      return;
    }
    layer.values[field - kind->fields.begin()] = value_within(value, *field, clamped);
  });
  if (!kept.empty()) {
    layer.kept = kept.dump();
  }
  return layer;
}

void add_unlisted(std::vector<rig::Layer>& layers, const SharedArray<rig::Layer>& standard) {
  for (std::size_t k = 0; k < standard.size(); ++k) {
    if (std::ranges::find(layers, standard[k].kind, &rig::Layer::kind) == layers.end()) {
      const auto before = k == 0 ? layers.end() : std::ranges::find(layers, standard[k - 1].kind, &rig::Layer::kind);
      layers.insert(before == layers.end() ? layers.begin() : before + 1, standard[k]);
    }
  }
}

}  // namespace

const rig::LayerKind* find_pose_kind(std::string_view id) {
  const motion::PoseLayerKind* const kind = motion::find_pose_layer_kind(id);
  return kind == nullptr ? nullptr : &kind->about;
}

const rig::LayerKind* find_deformer_kind(std::string_view id) {
  const deform::DeformerLayerKind* const kind = deform::find_deformer_layer_kind(id);
  return kind == nullptr ? nullptr : &kind->about;
}

SessionJson stack_json(const SharedArray<rig::Layer>& layers, FindLayerKind find_kind) {
  SessionJson out = SessionJson::array();
  for (const rig::Layer& layer : layers) {
    out.push_back(layer_json(layer, find_kind(layer.kind)));
  }
  return out;
}

SharedArray<rig::Layer> read_stack(const Place& list, const SharedArray<rig::Layer>& standard, FindLayerKind find_kind,
                                   std::vector<std::string>* clamped) {
  std::vector<rig::Layer> layers;
  int slot = 0;
  list.each([&](const Place& place) {
    if (layers.size() == kMostLayers) {
      place.fail(fmt::format("at most {} layers", kMostLayers));
    }
    const std::string id = place.at("kind").text();
    const rig::LayerKind* const kind = find_kind(id);
    if (kind != nullptr) {
      if (std::ranges::find(layers, id, &rig::Layer::kind) != layers.end()) {
        place.fail("each kind of layers once");
      }
      if (static_cast<int>(kind->slot) < slot) {
        place.fail("layers in the order in which they work");
      }
      slot = static_cast<int>(kind->slot);
    }
    layers.push_back(read_layer(place, kind, clamped));
  });
  add_unlisted(layers, standard);
  return layers == standard.get() ? standard : SharedArray<rig::Layer>(std::move(layers));
}

}  // namespace pelt::edit
