#include "motion/pose_layers.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "motion/base_layer.h"
#include "motion/clip_layer.h"
#include "motion/clip_layers.h"
#include "motion/constraint_layer.h"
#include "motion/drivers.h"
#include "motion/override_layer.h"
#include "motion/pin_layer.h"
#include "motion/sliders.h"
#include "motion/springs.h"
#include "rig/clip.h"

namespace pelt::motion {
namespace {

using rig::LayerSlot;

constexpr std::array kWeight = {rig::kWeightField};

// In the order of the standard stack.
constexpr std::array kKinds = {
    PoseLayerKind{.about = {.id = "base",
                            .label = "Base pose",
                            .help = "The rest, bind or zero pose that all else starts from",
                            .slot = LayerSlot::kPose,
                            .optional = false},
                  .apply = apply_base},
    PoseLayerKind{.about = {.id = "clip",
                            .label = "Clip",
                            .help = "The joints and shapes that the chosen clip moves, at the playhead",
                            .slot = LayerSlot::kPose,
                            .fields = kWeight},
                  .apply = apply_clip},
    PoseLayerKind{.about = {.id = "clip-layers",
                            .label = "Clip layers",
                            .help = "The clips that play over the chosen one",
                            .slot = LayerSlot::kPose,
                            .fields = kWeight},
                  .apply = apply_clip_layers},
    PoseLayerKind{.about = {.id = "pose",
                            .label = "Posed by hand",
                            .help = "The joints and shapes that were posed, which hold against the clip",
                            .slot = LayerSlot::kPose,
                            .fields = kWeight},
                  .apply = apply_overrides},
    PoseLayerKind{.about = {.id = "sliders",
                            .label = "Sliders",
                            .help = "What sliders that mean something, such as smile, add; not in the bind pose",
                            .slot = LayerSlot::kPose,
                            .fields = kWeight},
                  .apply = apply_slider_layer},
    PoseLayerKind{
        .about = {.id = "pins",
                  .label = "Pins",
                  .help =
                      "The joints that are pinned, which their limbs bring back to their places; not in the bind pose",
                  .slot = LayerSlot::kPose,
                  .fields = kWeight},
        .apply = apply_pins},
    PoseLayerKind{.about = {.id = "drivers",
                            .label = "Drivers",
                            .help = "The sliders and shapes that follow expressions; not in the bind pose",
                            .slot = LayerSlot::kPose,
                            .fields = kWeight},
                  .apply = apply_driver_layer},
    PoseLayerKind{
        .about = {.id = "constraints",
                  .label = "Constraints",
                  .help = "The joints that follow others, as a VRM file or the document says; not in the bind pose",
                  .slot = LayerSlot::kPose,
                  .fields = kWeight},
        .apply = apply_constraint_layer},
    PoseLayerKind{.about = {.id = "springs",
                            .label = "Springs",
                            .help = "The joints that swing behind the rest, such as hair; not in the bind pose",
                            .slot = LayerSlot::kPose,
                            .fields = kWeight},
                  .apply = apply_spring_layer},
};

// Straight from one to the other; what is the same in both stays as it is, to the bit.
template <typename T>
T straight(const T& before, const T& after, float share) {
  return before + (after - before) * share;
}

Transform between(const Transform& before, const Transform& after, float share) {
  Transform out{straight(before.translation, after.translation, share), after.rotation,
                straight(before.scale, after.scale, share)};
  if (before.rotation != after.rotation) {
    out.rotation = glm::quat(
        rig::slerp_shortest(glm::dquat(before.rotation), glm::dquat(after.rotation), static_cast<double>(share)));
  }
  return out;
}

// What lies between a joint and its inverse bind matrix while that goes: in share 1 nothing.
glm::mat4 going(const glm::mat4& binding, float share) {
  const Decomposition parts = decompose(binding);
  return to_matrix(between(parts.transform, Transform(), share)) * straight(parts.residual, glm::mat4(1.0f), share);
}

void blend(const rig::Pose& before, float share, rig::PoseBuilder& pose) {
  if (pose.pose().own_bindings.empty() && !before.own_bindings.empty()) {
    std::vector<std::vector<glm::mat4>> own = before.own_bindings;
    for (std::vector<glm::mat4>& skin : own) {
      std::ranges::transform(skin, skin.begin(), [share](const glm::mat4& binding) { return going(binding, share); });
    }
    pose.edit().own_bindings = std::move(own);
  }
  for (std::size_t j = 0; j < before.local.size(); ++j) {
    const Transform& after = pose.pose().local[j];
    if (before.local[j] != after) {
      pose.set_local(static_cast<int>(j), between(before.local[j], after, share));
    }
  }
  std::span<float> weights = pose.morph_weights();
  for (std::size_t m = 0; m < weights.size(); ++m) {
    weights[m] = straight(before.morph_weights[m], weights[m], share);
  }
}

}  // namespace

std::span<const PoseLayerKind> pose_layer_kinds() {
  return kKinds;
}

const PoseLayerKind* find_pose_layer_kind(std::string_view id) {
  const auto found = std::ranges::find(kKinds, id, [](const PoseLayerKind& kind) { return kind.about.id; });
  return found == kKinds.end() ? nullptr : found;
}

const SharedArray<rig::Layer>& standard_pose_layers() {
  static const SharedArray<rig::Layer> kLayers = [] {
    SharedArray<rig::Layer> layers;
    for (const PoseLayerKind& kind : kKinds) {
      layers.push_back(rig::standard_layer(kind.about));
    }
    return layers;
  }();
  return kLayers;
}

rig::Pose layered_pose(std::span<const rig::Layer> layers, const PoseSources& sources) {
  rig::Pose pose = rig::rest_pose(sources.character);
  rig::PoseBuilder builder(sources.character.skeleton, pose);
  PoseSources of_layer = sources;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const rig::Layer& layer = layers[k];
    const PoseLayerKind* const kind = find_pose_layer_kind(layer.kind);
    const float share = kind != nullptr ? rig::share_of(kind->about, layer) : 0.0f;
    if (!(share > 0)) {
      continue;
    }
    of_layer.layers_before = layers.first(k);
    if (share >= 1) {
      kind->apply(of_layer, layer.values, builder);
    } else {
      const rig::Pose before = pose;
      kind->apply(of_layer, layer.values, builder);
      blend(before, share, builder);
    }
  }
  return pose;
}

}  // namespace pelt::motion
