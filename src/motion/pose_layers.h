#pragma once

#include <span>
#include <string_view>

#include "core/shared.h"
#include "motion/pose_sources.h"
#include "rig/layers.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// A kind of pose layers: what it makes of the pose that the layers before it left.
struct PoseLayerKind {
  rig::LayerKind about;
  /// Says it as with weight 1, whatever the layer's weight is. @param values  of the kind's fields
  void (*apply)(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);
};

/// Every kind; windows, flags and help iterate these rows.
std::span<const PoseLayerKind> pose_layer_kinds();
/// Null where there is none of that id.
const PoseLayerKind* find_pose_layer_kind(std::string_view id);

/// The stack that every document begins with; each call gives the same shared array.
const SharedArray<rig::Layer>& standard_pose_layers();

/// Lets the layers work one after the other, the first on the rest pose. A layer with a weight below 1 gives each joint
/// that it moves the share between what the layers before said and what it says: rotations by the shortest slerp, the
/// rest straight; so do own bindings (rig/own_bindings.h) that it takes away. What a layer says with weight 1, and what
/// is left without it, is exact to the bit. Kinds that are not known here do nothing.
rig::Pose layered_pose(std::span<const rig::Layer> layers, const PoseSources& sources);

}  // namespace pelt::motion
