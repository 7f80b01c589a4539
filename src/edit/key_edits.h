#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edit/document.h"
#include "rig/keys.h"

namespace pelt::edit {

/// A channel of a clip by what it moves, which stays when channels come and go. A single shape has a channel of its own
/// or is a part of one for all shapes of its node.
struct ChannelId {
  int joint = -1;
  rig::ChannelPath path = rig::ChannelPath::kRotation;
  int morph_target = -1;
  auto operator<=>(const ChannelId&) const = default;
};
ChannelId id_of(const rig::Channel& channel);
/// Null where the clip has none.
const rig::Channel* find_channel(const rig::Clip& clip, const ChannelId& id);

/// Keys of one channel. Named by their times, bit for bit.
struct ChannelKeys {
  ChannelId channel;
  std::vector<float> times;  ///< ascending
  bool operator==(const ChannelKeys&) const = default;
};
/// Each channel once.
using KeySelection = std::vector<ChannelKeys>;
std::size_t key_count(const KeySelection& keys);

/// A key as it is set or copied.
struct KeyValue {
  ChannelId channel;
  float time = 0;             ///< seconds, not below zero
  std::vector<float> values;  ///< as the channel has them: for a cubic one in-tangent, value and out-tangent, or the
                              ///< value alone, whose tangents are automatic if the key is new
  rig::Interpolation interpolation = rig::Interpolation::kLinear;  ///< of a channel that is made for it
};
/// @return those there are
std::vector<KeyValue> copied_keys(const rig::Clip& clip, const KeySelection& keys);

// Edits of the keys of a clip, ALGORITHMS.md §47. A channel whose last key goes, goes too. A clip has no keys before
// 0 s, as glTF wants it: keys that would come there are all moved behind it alike. An edit with a number that is not
// finite, or that names what is not there, changes nothing.

/// Sets keys; a channel that the clip has not is made.
struct SetKeys {
  int clip;
  std::vector<KeyValue> keys;
};
/// Keys of joints and shapes at a time as they are seen: what is posed by hand becomes the keys' value, and is then not
/// held against the clip any more; else the curves get keys that do not change them. A joint without a channel gets
/// one for its rotation, and for whatever of it differs from the rest pose.
struct KeyJoints {
  int clip;
  std::vector<int> joints;
  std::vector<int> morphs = {};  ///< by flat index into Pose::morph_weights
};
struct RemoveKeys {
  int clip;
  KeySelection keys;
};
/// Moves, scales or snaps keys.
struct MoveKeys {
  int clip;
  KeySelection keys;
  rig::TimeMap map;
  /// The clip as a drag found it, whose keys are named and moved: a key that another one passed comes back. Null: the
  /// clip as it is.
  std::shared_ptr<const rig::Clip> begun = nullptr;
};
struct SetInterpolation {
  int clip;
  std::vector<ChannelId> channels;
  rig::Interpolation interpolation;
};
/// Of cubic keys; others stay.
struct SetTangents {
  int clip;
  KeySelection keys;
  rig::Tangents tangents;
};
/// One tangent of one key.
struct SetTangent {
  int clip;
  ChannelId channel;
  float time;
  rig::KeySide side;
  std::vector<float> slope;  ///< [width] per second
  bool alone;                ///< the other side stays
};

/// How far `map` has to be moved so that no key comes before 0 s.
rig::TimeMap within_time(const rig::TimeMap& map, const KeySelection& keys);

/// What an edit that posed something leaves to be done while keys are made automatically: what it posed becomes keys of
/// the clip at the playhead. Without a clip nothing. @param before  the document before the edit
void key_what_was_posed(const Document& before, Content& content);

std::string label(const Document& document, const SetKeys& change);
void carry_out(const Document& document, const SetKeys& change, Content& content, View& view);
std::string label(const Document& document, const KeyJoints& change);
void carry_out(const Document& document, const KeyJoints& change, Content& content, View& view);
std::string label(const Document& document, const RemoveKeys& change);
void carry_out(const Document& document, const RemoveKeys& change, Content& content, View& view);
std::string label(const Document& document, const MoveKeys& change);
void carry_out(const Document& document, const MoveKeys& change, Content& content, View& view);
std::string label(const Document& document, const SetInterpolation& change);
void carry_out(const Document& document, const SetInterpolation& change, Content& content, View& view);
std::string label(const Document& document, const SetTangents& change);
void carry_out(const Document& document, const SetTangents& change, Content& content, View& view);
std::string label(const Document& document, const SetTangent& change);
void carry_out(const Document& document, const SetTangent& change, Content& content, View& view);

}  // namespace pelt::edit
