#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/shared.h"
#include "edit/session_json.h"
#include "rig/layers.h"

// Stacks of layers as JSON, in the one form that sessions and `extras.pelt.layers` have. Only session*.cpp and
// file_layers.cpp include this.

namespace pelt::edit {

/// Null where there is no kind of that id.
using FindLayerKind = const rig::LayerKind* (*)(std::string_view id);
const rig::LayerKind* find_pose_kind(std::string_view id);
const rig::LayerKind* find_deformer_kind(std::string_view id);

/// An array: of each layer its kind, whether it is on, its values by the names of their fields, and what was kept of
/// it.
SessionJson stack_json(const SharedArray<rig::Layer>& layers, FindLayerKind find_kind);

/// The stack that an array says. Layers of kinds that are not known here keep all that is said of them; values are
/// clamped to the ranges of their fields. Kinds that the array does not list, since it is older than they are, take
/// their place behind the kind that they follow in the standard stack. Fails (SessionFault) where a known kind comes
/// twice or before its turn, or where there are more than 1000 layers.
/// @param clamped  if given, receives a sentence for each value that was out of range
SharedArray<rig::Layer> read_stack(const Place& list, const SharedArray<rig::Layer>& standard, FindLayerKind find_kind,
                                   std::vector<std::string>* clamped = nullptr);

}  // namespace pelt::edit
