#include "deform/layers.h"

#include <algorithm>
#include <array>

#include "deform/push_layer.h"
#include "deform/skinning_methods.h"

namespace pelt::deform {
namespace {

using rig::LayerSlot;

constexpr std::array kWeight = {rig::kWeightField};

// Morph targets are linear in their weights, so that a share of the layer is that share of each weight.
void shapes_take_part(const rig::Layer&, float share, rig::Pose& pose, SkinningSettings&) {
  if (share < 1) {
    for (float& weight : pose.morph_weights) {
      weight *= share;
    }
  }
}

void skin_takes_part(const rig::Layer&, float share, rig::Pose& pose, SkinningSettings&) {
  pose.skinned = share > 0;
}

// What a method smooths is another method's shape; without the layer it is that one's in all respects.
void smoothing_takes_part(const rig::Layer&, float share, rig::Pose&, SkinningSettings& settings) {
  const SkinningMethod& method = skinning_methods()[settings.method];
  if (!(share > 0) && !method.smooths.empty()) {
    settings.method = find_method(method.smooths);
  }
}

void normals_take_part(const rig::Layer&, float share, rig::Pose&, SkinningSettings& settings) {
  if (!(share > 0)) {
    settings.normals = skinning_methods()[settings.method].default_normals;
  }
}

void vertices_take_part(const rig::Layer& layer, float share, rig::Pose&, SkinningSettings& settings) {
  if (share > 0) {
    settings.layers.push_back(layer);
  }
}

// In the order of the standard stack.
constexpr std::array kKinds = {
    DeformerLayerKind{.about = {.id = "shapes",
                                .label = "Shapes",
                                .help = "The morph targets, before the skin",
                                .slot = LayerSlot::kShapes,
                                .fields = kWeight},
                      .take_part = shapes_take_part},
    DeformerLayerKind{.about = {.id = "push",
                                .label = "Push before the skin",
                                .help = "Pushes the bind shape along its normals, on the CPU",
                                .slot = LayerSlot::kBindSpace,
                                .fields = kPushFields,
                                .starts_on = false},
                      .take_part = vertices_take_part,
                      .move = push,
                      .reach = push_reach},
    DeformerLayerKind{.about = {.id = "skin",
                                .label = "Skin",
                                .help = "The skinning method of each pane; without it vertices stay where they were "
                                        "bound",
                                .slot = LayerSlot::kSkin},
                      .take_part = skin_takes_part},
    DeformerLayerKind{.about = {.id = "push-posed",
                                .label = "Push the posed skin",
                                .help = "Pushes the posed surface along its normals, on the CPU",
                                .slot = LayerSlot::kPosedSkin,
                                .fields = kPushFields,
                                .starts_on = false},
                      .take_part = vertices_take_part,
                      .move = push,
                      .reach = push_reach},
    DeformerLayerKind{.about = {.id = "smoothing",
                                .label = "Smoothing",
                                .help = "What a method does with the whole posed surface, as delta mush does",
                                .slot = LayerSlot::kSmoothing},
                      .take_part = smoothing_takes_part},
    DeformerLayerKind{.about = {.id = "normals",
                                .label = "Normals",
                                .help = "The chosen way of making normals; without it they are the method's standard",
                                .slot = LayerSlot::kNormals},
                      .take_part = normals_take_part},
};

}  // namespace

std::span<const DeformerLayerKind> deformer_layer_kinds() {
  return kKinds;
}

const DeformerLayerKind* find_deformer_layer_kind(std::string_view id) {
  const auto found = std::ranges::find(kKinds, id, [](const DeformerLayerKind& kind) { return kind.about.id; });
  return found == kKinds.end() ? nullptr : found;
}

const SharedArray<rig::Layer>& standard_deformer_layers() {
  static const SharedArray<rig::Layer> kLayers = [] {
    SharedArray<rig::Layer> layers;
    for (const DeformerLayerKind& kind : kKinds) {
      layers.push_back(rig::standard_layer(kind.about));
    }
    return layers;
  }();
  return kLayers;
}

void take_part(std::span<const rig::Layer> layers, std::size_t count, rig::Pose& pose, SkinningSettings& settings) {
  for (std::size_t k = 0; k < layers.size(); ++k) {
    if (const DeformerLayerKind* const kind = find_deformer_layer_kind(layers[k].kind); kind != nullptr) {
      kind->take_part(layers[k], k < count ? rig::share_of(kind->about, layers[k]) : 0.0f, pose, settings);
    }
  }
}

bool moves_vertices(const SkinningSettings& settings, LayerSlot slot) {
  return std::ranges::any_of(settings.layers, [&](const rig::Layer& layer) {
    return find_deformer_layer_kind(layer.kind)->about.slot == slot;
  });
}

void move_vertices(const SkinningSettings& settings, LayerSlot slot, const MovedVertices& vertices) {
  for (const rig::Layer& layer : settings.layers) {
    if (const DeformerLayerKind& kind = *find_deformer_layer_kind(layer.kind); kind.about.slot == slot) {
      kind.move(layer.values, vertices);
    }
  }
}

float reach_of_layers(const SkinningSettings& settings, LayerSlot slot) {
  float reach = 0;
  for (const rig::Layer& layer : settings.layers) {
    if (const DeformerLayerKind& kind = *find_deformer_layer_kind(layer.kind); kind.about.slot == slot) {
      reach += kind.reach(layer.values);
    }
  }
  return reach;
}

}  // namespace pelt::deform
