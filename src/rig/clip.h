#pragma once

#include <span>
#include <string>
#include <vector>

#include "rig/pose.h"

namespace pelt::rig {

enum class Interpolation { kStep, kLinear, kCubicSpline };
enum class ChannelPath { kTranslation, kRotation, kScale, kWeights };

/// Keys of one property of one node.
struct Channel {
  int joint = -1;  ///< skeleton index
  ChannelPath path = ChannelPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;   ///< seconds, strictly increasing, at least one
  std::vector<float> values;  ///< per key `width` floats (rotation xyzw), times three (in-tangent, value, out-tangent)
                              ///< for kCubicSpline
  int width = 3;              ///< 3, 4, the node's number of morph targets, or 1 for a single one
  int morph_target = -1;      ///< the only one that a channel of weights moves; -1: all of the node
  int source = -1;            ///< number of the channel in the file's animation; its extras are known by it
  int source_sampler = -1;    ///< number of its sampler there
};

/// Whose property a PropertyChannel moves.
enum class PropertyOwner { kNode, kMaterial, kLight, kCamera };

/// Keys of a property that is no part of a pose (KHR_animation_pointer); see rig/appearance.h.
struct PropertyChannel {
  PropertyOwner owner = PropertyOwner::kMaterial;
  int index = -1;        ///< skeleton index, material, Light::source or Camera::source
  std::string property;  ///< the rest of the file's JSON pointer, "pbrMetallicRoughness/baseColorFactor"
  Channel keys;          ///< plain numbers: no joint, path kWeights
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;
  std::vector<PropertyChannel> properties;
  float start = 0;  ///< first key of all channels, seconds
  float end = 0;    ///< last key
  int source = -1;  ///< its place among the clips of its file; -1: made since, or not read from one
  float room = 0;   ///< of a clip that began without keys: seconds from 0 on that it is given for them; not in files
  [[nodiscard]] float duration() const { return end - start; }
};

/// ALGORITHMS.md §47: one channel at a time, clamped to its first and last key.
/// @param out  width floats; rotations of the length of the keys, which is 1 within 0.001
void sample(const Channel& channel, float time, std::span<float> out);

/// Writes what the clip's channels say at `time` into `pose`; other entries stay.
/// @param morph_offset  [J + 1], see Character
void apply(const Clip& clip, float time, std::span<const int> morph_offset, Pose& pose);

/// Linear interpolation of rotations along the shorter arc by equal angles. @param t 0..1
template <typename T>
glm::qua<T> slerp_shortest(const glm::qua<T>& a, const glm::qua<T>& b, T t);

}  // namespace pelt::rig
