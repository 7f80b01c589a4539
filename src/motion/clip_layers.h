#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "motion/pose_sources.h"
#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

enum class ClipLayerMode {
  kOverride,  ///< a cross-fade: the pose goes over to what the clip says
  kAdditive,  ///< what the clip changes since its reference comes on top of the pose
};
/// What an additive layer takes for no change.
enum class AdditiveReference { kFirstFrame, kRest };

/// A clip that plays over the main one (ALGORITHMS.md §47, "Clip layers"). Times are seconds.
struct ClipLayer {
  std::string clip = {};  ///< as find_named_clip() takes it
  bool on = true;
  ClipLayerMode mode = ClipLayerMode::kOverride;
  AdditiveReference reference = AdditiveReference::kFirstFrame;
  float weight = 1;                      ///< 0 to 1
  float speed = 1;                       ///< how often as fast as it was made; below 0: backwards
  float start = 0;                       ///< after the start of the main clip, >= 0; before that the layer does nothing
  float offset = 0;                      ///< what of its own clip it begins with
  float length = 0;                      ///< it does nothing behind that, >= 0; 0: it goes on
  float fade_in = 0;                     ///< from its start on, >= 0
  float fade_out = 0;                    ///< up to its end, >= 0; of one that goes on: up to the end of the main clip
  bool loops = true;                     ///< else it holds the first and the last frame of its clip
  std::vector<std::string> joints = {};  ///< that it may move, as find_named_joint() takes them; none: all
  bool below = false;                    ///< and all joints below them
  bool operator==(const ClipLayer&) const = default;
};

inline constexpr std::size_t kMostClipLayers = 100;
inline constexpr float kFastestClipLayer = 8;
/// The longest that start, offset, length and fades can be, seconds.
inline constexpr float kLongestClipLayer = 3600;

/// The clip of that name (the first of several), else "#3" by its number.
Result<int> find_named_clip(const rig::Character& character, std::string_view name);
/// A name by which find_named_clip() finds this very clip. @pre  there is one of that number
std::string clip_reference(const rig::Character& character, int clip);

/// Clip layers as they work on one character.
struct ClipLayerRig {
  /// What a layer may move: a part of a joint's transform, or some of a node's morph weights.
  struct Target {
    int joint;
    rig::ChannelPath path;
    int first = 0;  ///< of morph weights: flat index into Pose::morph_weights
    int count = 0;
    bool operator==(const Target&) const = default;
  };
  struct Layer {
    ClipLayer says;
    int clip;
    std::vector<Target> targets;  ///< each once
    rig::Pose reference;          ///< of an additive one
  };
  std::vector<Layer> layers;        ///< those that are on and have something to move, in their order
  std::vector<std::string> faults;  ///< [clip layers] what one names that the character does not have; empty: nothing
};
ClipLayerRig make_clip_layer_rig(const rig::Character& character, std::span<const ClipLayer> layers);

/// Seconds since the start of its own clip that a layer shows. @param seconds  since the start of the main clip
/// @param duration  of the layer's clip
double clip_layer_seconds(const ClipLayer& layer, double seconds, double duration);
/// Its weight with its fades, 0 where it does not play. @param main_duration  of the main clip
double clip_layer_share(const ClipLayer& layer, double seconds, double main_duration);

/// The layer: PoseSources::clip_layers over the main clip; without a main clip nothing. Properties of materials and
/// lights that a clip moves are the main clip's alone.
/// @cost O(layers * (J + keys found by halving))
void apply_clip_layers(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

}  // namespace pelt::motion
