#pragma once

#include <span>
#include <string_view>

#include <glm/glm.hpp>

#include "core/shared.h"
#include "deform/settings.h"
#include "rig/layers.h"
#include "rig/pose.h"

namespace pelt::deform {

/// Vertices of one part that a layer moves: in mesh space before the skin, in world space after it.
struct MovedVertices {
  std::span<glm::vec3> positions;      ///< [V] metres
  std::span<const glm::vec3> normals;  ///< [V] need not be unit; empty where the part has none
};

/// A kind of deformer layers, ALGORITHMS.md §18.
struct DeformerLayerKind {
  rig::LayerKind about;
  /// Says how a layer takes part in what is deformed from here on; asked of each layer of a stack, in order.
  /// @param share  0 where the layer is off
  void (*take_part)(const rig::Layer& layer, float share, rig::Pose& pose, SkinningSettings& settings);
  /// Moves vertices, on the CPU; null of kinds that say all with take_part. Safe to call concurrently for other parts.
  /// @param values  of the kind's fields
  void (*move)(std::span<const float> values, const MovedVertices& vertices) = nullptr;
  /// How far move() takes a vertex at most, metres.
  float (*reach)(std::span<const float> values) = nullptr;
};

/// Every kind; windows, flags and help iterate these rows.
std::span<const DeformerLayerKind> deformer_layer_kinds();
/// Null where there is none of that id.
const DeformerLayerKind* find_deformer_layer_kind(std::string_view id);

/// The stack that every document begins with, in the order of slots; each call gives the same shared array.
const SharedArray<rig::Layer>& standard_deformer_layers();

/// Makes of pose and settings what the stack says. Under the standard stack both stay as they are, to the bit.
/// @param count  layers of the stack that work; the others are as if they were off
void take_part(std::span<const rig::Layer> layers, std::size_t count, rig::Pose& pose, SkinningSettings& settings);

/// Whether a layer of these settings moves vertices in that slot.
bool moves_vertices(const SkinningSettings& settings, rig::LayerSlot slot);
/// Lets them, one after the other.
void move_vertices(const SkinningSettings& settings, rig::LayerSlot slot, const MovedVertices& vertices);
/// How far they take a vertex at most, metres.
float reach_of_layers(const SkinningSettings& settings, rig::LayerSlot slot);

}  // namespace pelt::deform
