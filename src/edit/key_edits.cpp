#include "edit/key_edits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/behaviour_readings.h"
#include "rig/clip_changes.h"

namespace pelt::edit {
namespace {

constexpr float kUnitKey = 1e-3f;  // of the squared length of a rotation

bool all_finite(std::span<const float> numbers) {
  return std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); });
}

rig::Channel* find_channel(rig::Clip& clip, const ChannelId& id) {
  const auto found = std::ranges::find(clip.channels, id, id_of);
  return found == clip.channels.end() ? nullptr : &*found;
}

// The character with another clip, where that says something else.
void put_clip(const Document& document, int number, rig::Clip clip, Content& content) {
  const rig::Clip& before = own_character(document)->clips[number];
  rig::update_range(clip);
  if (clip.name == before.name && std::ranges::equal(clip.channels, before.channels, rig::same_channel)) {
    return;
  }
  auto changed = std::make_shared<rig::Character>(*own_character(document));
  changed->clips.edit_items()[number] = std::move(clip);
  content.character = std::move(changed);
}

bool has_clip(const Document& document, int clip) {
  return has_index(own_character(document)->clips, clip);
}

// Changes channels of a clip one by one. @param change  gives the channel, or nothing where it goes
template <typename Ids, typename IdOf, typename F>
void change_channels(const Document& document, int number, const rig::Clip& from, const Ids& ids, const IdOf& id,
                     Content& content, const F& change) {
  rig::Clip clip = from;
  for (const auto& one : ids) {
    rig::Channel* const channel = find_channel(clip, id(one));
    if (channel == nullptr) {
      continue;
    }
    if (std::optional<rig::Channel> made = change(*channel, one)) {
      *channel = *std::move(made);
    } else {
      clip.channels.erase(clip.channels.begin() + (channel - clip.channels.data()));
    }
  }
  put_clip(document, number, std::move(clip), content);
}

template <typename F>
void change_keys(const Document& document, int number, const rig::Clip& from, const KeySelection& keys,
                 Content& content, const F& change) {
  change_channels(
      document, number, from, keys, [](const ChannelKeys& one) { return one.channel; }, content, change);
}

// Floats of a value of what the channel moves; 0 where the character has no such thing.
int width_of(const rig::Character& character, const ChannelId& id) {
  if (!has_index(character.skeleton->parent, id.joint)) {
    return 0;
  }
  constexpr int kWidths[] = {3, 4, 3};
  if (id.path != rig::ChannelPath::kWeights) {
    return id.morph_target < 0 ? kWidths[static_cast<int>(id.path)] : 0;
  }
  const int count = character.morph_offset[id.joint + 1] - character.morph_offset[id.joint];
  return id.morph_target < 0 ? count : id.morph_target < count ? 1 : 0;
}

// Whether a clip moves this otherwise: all shapes of a node, or one of them.
bool is_taken_otherwise(const rig::Clip& clip, const ChannelId& id) {
  return std::ranges::any_of(clip.channels, [&](const rig::Channel& channel) {
    return id.path == rig::ChannelPath::kWeights && channel.path == id.path && channel.joint == id.joint &&
           (channel.morph_target < 0) != (id.morph_target < 0);
  });
}

std::optional<std::vector<float>> sound_values(const KeyValue& key, int width) {
  std::vector<float> values = key.values;
  const std::size_t w = width;
  if (width == 0 || (values.size() != w && values.size() != 3 * w) || !all_finite(values) || !std::isfinite(key.time) ||
      key.time < 0) {
    return std::nullopt;
  }
  if (key.channel.path == rig::ChannelPath::kRotation) {
    const std::span<float> value = std::span(values).subspan(values.size() == w ? 0 : w, w);
    const glm::quat q = quat_xyzw(value[0], value[1], value[2], value[3]);
    if (!(std::abs(glm::dot(q, q) - 1) <= kUnitKey)) {
      const glm::quat unit = normalized_or_identity(q);
      value[0] = unit.x;
      value[1] = unit.y;
      value[2] = unit.z;
      value[3] = unit.w;
    }
  }
  return values;
}

void set_key(const rig::Character& character, const KeyValue& key, rig::Clip& clip) {
  const int width = width_of(character, key.channel);
  const std::optional<std::vector<float>> values = sound_values(key, width);
  if (!values || is_taken_otherwise(clip, key.channel)) {
    return;
  }
  const std::size_t w = width;
  const bool has_tangents = values->size() != w;
  rig::Channel* channel = find_channel(clip, key.channel);
  if (channel == nullptr) {
    clip.channels.push_back({.joint = key.channel.joint,
                             .path = key.channel.path,
                             .interpolation = key.interpolation,
                             .times = {},
                             .values = {},
                             .width = width,
                             .morph_target = key.channel.morph_target});
    channel = &clip.channels.back();
  }
  *channel = rig::with_key(*channel, key.time, std::span(*values).subspan(has_tangents ? w : 0, w));
  if (has_tangents && channel->interpolation == rig::Interpolation::kCubicSpline) {
    const std::size_t at = *rig::find_key(*channel, key.time);
    // A rotation that changed its sign takes its tangents along.
    const std::span<const float> stored = rig::key_value(*channel, at);
    const bool is_flipped = !std::ranges::equal(stored, std::span(*values).subspan(w, w));
    std::vector<float> parts = *values;
    for (float& x : parts) {
      x = is_flipped ? -x : x;
    }
    *channel = rig::with_tangent(*channel, at, rig::KeySide::kIn, std::span(parts).first(w), true);
    *channel = rig::with_tangent(*channel, at, rig::KeySide::kOut, std::span(parts).last(w), true);
  }
}

// @param keys  of one channel, ascending
void set_keys(const rig::Character& character, std::span<const KeyValue* const> keys, rig::Clip& clip) {
  set_key(character, *keys.front(), clip);  // makes the channel where there is none
  const int width = width_of(character, keys.front()->channel);
  rig::Channel* const channel = find_channel(clip, keys.front()->channel);
  if (channel == nullptr || channel->interpolation == rig::Interpolation::kCubicSpline) {
    for (const KeyValue* key : keys.subspan(1)) {
      set_key(character, *key, clip);
    }
    return;
  }
  std::vector<std::vector<float>> values;
  std::vector<float> times;
  for (const KeyValue* key : keys) {
    if (std::optional<std::vector<float>> sound = sound_values(*key, width)) {
      const std::size_t w = width;
      values.emplace_back(sound->begin() + static_cast<std::ptrdiff_t>(sound->size() == w ? 0 : w),
                          sound->begin() + static_cast<std::ptrdiff_t>(sound->size() == w ? w : 2 * w));
      times.push_back(key->time);
    }
  }
  std::vector<rig::TimedValue> timed;
  for (std::size_t k = 0; k < times.size(); ++k) {
    timed.push_back({times[k], values[k]});
  }
  *channel = rig::with_keys(*channel, timed);
}

std::string joint_label(const Document& document, int joint) {
  return has_index(document.character->skeleton->parent, joint) ? document.character->skeleton->label(joint)
                                                                : std::string("?");
}

// "hips", or "3 joints".
template <typename Ids, typename JointOf>
std::string joints_label(const Document& document, const Ids& ids, const JointOf& joint_of) {
  std::vector<int> joints;
  for (const auto& id : ids) {
    joints.push_back(joint_of(id));
  }
  std::ranges::sort(joints);
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints.size() == 1 ? joint_label(document, joints.front()) : counted(joints.size(), "joint", "joints");
}

std::string keys_label(const Document& document, const KeySelection& keys) {
  return fmt::format("{} of {}", counted(key_count(keys), "key", "keys"),
                     joints_label(document, keys, [](const ChannelKeys& one) { return one.channel.joint; }));
}

std::vector<float> path_value(const Transform& local, rig::ChannelPath path) {
  switch (path) {
    case rig::ChannelPath::kTranslation:
      return {local.translation.x, local.translation.y, local.translation.z};
    case rig::ChannelPath::kRotation:
      return {local.rotation.x, local.rotation.y, local.rotation.z, local.rotation.w};
    case rig::ChannelPath::kScale:
      return {local.scale.x, local.scale.y, local.scale.z};
    case rig::ChannelPath::kWeights:
      break;
  }
  return {};
}

// More than rounding makes of the same number.
bool differs(const Transform& a, const Transform& b, rig::ChannelPath path) {
  constexpr float kRounding = 2e-6f;
  const std::vector<float> x = path_value(a, path);
  const std::vector<float> y = path_value(b, path);
  float plus = 0;
  float minus = 0;
  float size = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    minus = std::max(minus, std::abs(x[i] - y[i]));
    plus = std::max(plus, std::abs(x[i] + y[i]));
    size = std::max(size, std::abs(y[i]));
  }
  return (path == rig::ChannelPath::kRotation ? std::min(plus, minus) : minus) > kRounding * size;
}

constexpr rig::ChannelPath kPosePaths[] = {rig::ChannelPath::kTranslation, rig::ChannelPath::kRotation,
                                           rig::ChannelPath::kScale};

// Of a joint's transform the keys that `wants` them.
template <typename Wants>
void add_joint_keys(int joint, const Transform& local, float time, const Wants& wants, std::vector<KeyValue>& keys) {
  for (const rig::ChannelPath path : kPosePaths) {
    if (wants(path)) {
      keys.push_back({{joint, path}, time, path_value(local, path)});
    }
  }
}

// A key of a shape: in its own channel where the clip has one, else among all shapes of its node.
void add_morph_key(const rig::Clip& clip, const rig::Character& character, std::span<const float> weights, int morph,
                   float time, std::vector<KeyValue>& keys) {
  const auto node = std::ranges::find_if(character.mesh_nodes, [&](const rig::MeshNode& one) {
    return morph >= character.morph_offset[one.joint] && morph < character.morph_offset[one.joint + 1];
  });
  if (node == character.mesh_nodes.end()) {
    return;
  }
  const int first = character.morph_offset[node->joint];
  const std::size_t count = character.morph_offset[node->joint + 1] - first;
  const ChannelId single{node->joint, rig::ChannelPath::kWeights, morph - first};
  if (find_channel(clip, single) != nullptr || is_taken_otherwise(clip, {node->joint, rig::ChannelPath::kWeights})) {
    keys.push_back({single, time, {weights[morph]}});
    return;
  }
  const std::span<const float> all = weights.subspan(first, count);
  keys.push_back({{node->joint, rig::ChannelPath::kWeights}, time, {all.begin(), all.end()}});
}

void put_keys(const Document& document, int number, const std::vector<KeyValue>& keys, Content& content) {
  const rig::Character& character = *own_character(document);
  rig::Clip clip = character.clips[number];
  // Those of one channel together: one by one each would copy the channel.
  std::vector<const KeyValue*> sorted;
  for (const KeyValue& key : keys) {
    if (std::isfinite(key.time)) {
      sorted.push_back(&key);
    }
  }
  std::ranges::stable_sort(sorted, {}, [](const KeyValue* key) { return std::pair(key->channel, key->time); });
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end]->channel == sorted[begin]->channel) {
      ++end;
    }
    set_keys(character, std::span(sorted).subspan(begin, end - begin), clip);
    begin = end;
  }
  put_clip(document, number, std::move(clip), content);
}

}  // namespace

ChannelId id_of(const rig::Channel& channel) {
  return {channel.joint, channel.path, channel.morph_target};
}

const rig::Channel* find_channel(const rig::Clip& clip, const ChannelId& id) {
  const auto found = std::ranges::find(clip.channels, id, id_of);
  return found == clip.channels.end() ? nullptr : &*found;
}

std::size_t key_count(const KeySelection& keys) {
  std::size_t count = 0;
  for (const ChannelKeys& one : keys) {
    count += one.times.size();
  }
  return count;
}

std::vector<KeyValue> copied_keys(const rig::Clip& clip, const KeySelection& keys) {
  std::vector<KeyValue> out;
  for (const ChannelKeys& one : keys) {
    const rig::Channel* const channel = find_channel(clip, one.channel);
    for (const float time : one.times) {
      if (const auto key = channel == nullptr ? std::nullopt : rig::find_key(*channel, time)) {
        const std::size_t size = rig::floats_per_key(*channel);
        const auto begin = channel->values.begin() + static_cast<std::ptrdiff_t>(*key * size);
        out.push_back({one.channel, time, {begin, begin + static_cast<std::ptrdiff_t>(size)}, channel->interpolation});
      }
    }
  }
  return out;
}

rig::TimeMap within_time(const rig::TimeMap& map, const KeySelection& keys) {
  float earliest = 0;
  for (const ChannelKeys& one : keys) {
    for (const float time : one.times) {
      earliest = std::min(earliest, map(time));
    }
  }
  rig::TimeMap out = map;
  out.offset -= static_cast<double>(earliest);
  return out;
}

namespace {

// What the clip alone says, without the clips that play over it: a key of it is not what is seen where they do.
rig::Pose pose_of_clip(const Document& document, const rig::Pose& base) {
  return document.content.behaviour->clip_layers.empty() ? base : pose_before(document, "clip-layers");
}

}  // namespace

void key_what_was_posed(const Document& before, Content& content) {
  const int number = content.clip;
  if (number < 0 || number != before.content.clip || !has_index(own_character(before)->clips, number)) {
    return;
  }
  const rig::Pose base = evaluate_base_pose(before);
  const rig::Pose of_clip = pose_of_clip(before, base);
  const rig::Clip& clip = own_character(before)->clips[number];
  const float time = before.view.time;
  if (time < 0) {
    return;  // no file can hold a key there: it stays posed by hand
  }
  std::vector<KeyValue> keys;
  std::vector<int> joints;
  for (const auto& [joint, posed] : *content.overrides) {
    const auto was = before.content.overrides->find(joint);
    // What another clip moves, too, stays posed by hand: baked first, it can be keyed.
    if ((was != before.content.overrides->end() && was->second.local == posed.local) ||
        of_clip.local[joint] != base.local[joint]) {
      continue;
    }
    joints.push_back(joint);
    add_joint_keys(
        joint, posed.local, time, [&](rig::ChannelPath path) { return differs(posed.local, base.local[joint], path); },
        keys);
  }
  std::vector<int> morphs;
  std::vector<float> weights = base.morph_weights;
  for (const auto& [morph, weight] : *content.morph_overrides) {
    const auto was = before.content.morph_overrides->find(morph);
    const bool is_other = was == before.content.morph_overrides->end() || was->second != weight;
    if (is_other && of_clip.morph_weights[morph] == base.morph_weights[morph]) {
      morphs.push_back(morph);
      weights[morph] = weight;
    }
  }
  for (const int morph : morphs) {
    add_morph_key(clip, *own_character(before), weights, morph, time, keys);
    content.morph_overrides.edit().erase(morph);
  }
  for (const int joint : joints) {
    content.overrides.edit().erase(joint);
  }
  put_keys(before, number, keys, content);
}

void carry_out(const Document& document, const SetKeys& change, Content& content, View&) {
  if (has_clip(document, change.clip)) {
    put_keys(document, change.clip, change.keys, content);
  }
}

void carry_out(const Document& document, const KeyJoints& change, Content& content, View&) {
  if (!has_clip(document, change.clip) || document.view.time < 0) {
    return;
  }
  const rig::Character& character = *own_character(document);
  const rig::Clip& before = character.clips[change.clip];
  const rig::Pose base = evaluate_base_pose(document);
  rig::Pose pose = pose_of_clip(document, base);
  const rig::Pose rest = rig::rest_pose(character);
  const float time = document.view.time;
  std::vector<KeyValue> keys;
  rig::Clip clip = before;
  for (const int joint : change.joints) {
    if (!has_index(character.skeleton->parent, joint)) {
      continue;
    }
    const auto posed = content.overrides->find(joint);
    const bool is_posed = posed != content.overrides->end();
    if (is_posed && pose.local[joint] != base.local[joint]) {
      continue;  // another clip moves it, too
    }
    const Transform local = is_posed ? posed->second.local : pose.local[joint];
    add_joint_keys(
        joint, local, time,
        [&](rig::ChannelPath path) {
          rig::Channel* const channel = find_channel(clip, {joint, path});
          if (channel != nullptr && (!is_posed || !differs(local, pose.local[joint], path))) {
            *channel = rig::with_inserted_key(*channel, time);
            return false;
          }
          const bool is_rotation = path == rig::ChannelPath::kRotation;
          return channel != nullptr || is_rotation || differs(local, rest.local[joint], path);
        },
        keys);
    if (is_posed) {
      content.overrides.edit().erase(joint);
    }
  }
  for (const int morph : change.morphs) {
    if (!has_index(pose.morph_weights, morph)) {
      continue;
    }
    if (const auto posed = content.morph_overrides->find(morph); posed != content.morph_overrides->end()) {
      pose.morph_weights[morph] = posed->second;
      content.morph_overrides.edit().erase(morph);
    }
    add_morph_key(clip, character, pose.morph_weights, morph, time, keys);
  }
  for (const KeyValue& key : keys) {
    set_key(character, key, clip);
  }
  put_clip(document, change.clip, std::move(clip), content);
}

void carry_out(const Document& document, const RemoveKeys& change, Content& content, View&) {
  if (has_clip(document, change.clip)) {
    change_keys(
        document, change.clip, own_character(document)->clips[change.clip], change.keys, content,
        [](const rig::Channel& channel, const ChannelKeys& keys) { return rig::without_keys(channel, keys.times); });
  }
}

void carry_out(const Document& document, const MoveKeys& change, Content& content, View&) {
  const rig::TimeMap& map = change.map;
  const bool is_sound = std::isfinite(map.pivot) && std::isfinite(map.factor) && std::isfinite(map.offset) &&
                        std::isfinite(map.frame_rate) && map.factor != 0;
  if (!has_clip(document, change.clip) || !is_sound) {
    return;
  }
  const rig::Clip& from = change.begun != nullptr ? *change.begun : own_character(document)->clips[change.clip];
  const rig::TimeMap within = within_time(map, change.keys);
  change_keys(document, change.clip, from, change.keys, content,
              [&](const rig::Channel& channel, const ChannelKeys& keys) {
                return std::optional(rig::with_moved_keys(channel, keys.times, within));
              });
}

void carry_out(const Document& document, const SetInterpolation& change, Content& content, View&) {
  if (has_clip(document, change.clip)) {
    change_channels(
        document, change.clip, own_character(document)->clips[change.clip], change.channels,
        [](const ChannelId& id) { return id; }, content,
        [&](const rig::Channel& channel, const ChannelId&) {
          return std::optional(rig::with_interpolation(channel, change.interpolation));
        });
  }
}

void carry_out(const Document& document, const SetTangents& change, Content& content, View&) {
  if (has_clip(document, change.clip)) {
    change_keys(document, change.clip, own_character(document)->clips[change.clip], change.keys, content,
                [&](const rig::Channel& channel, const ChannelKeys& keys) {
                  return std::optional(channel.interpolation == rig::Interpolation::kCubicSpline
                                           ? rig::with_tangents(channel, keys.times, change.tangents)
                                           : channel);
                });
  }
}

void carry_out(const Document& document, const SetTangent& change, Content& content, View&) {
  if (!has_clip(document, change.clip) || !all_finite(change.slope)) {
    return;
  }
  const std::vector<ChannelId> one = {change.channel};
  change_channels(
      document, change.clip, own_character(document)->clips[change.clip], one, [](const ChannelId& id) { return id; },
      content,
      [&](const rig::Channel& channel, const ChannelId&) {
        const auto key = rig::find_key(channel, change.time);
        const bool fits = key && channel.interpolation == rig::Interpolation::kCubicSpline &&
                          change.slope.size() == static_cast<std::size_t>(channel.width);
        return std::optional(fits ? rig::with_tangent(channel, *key, change.side, change.slope, change.alone)
                                  : channel);
      });
}

std::string label(const Document& document, const SetKeys& change) {
  return fmt::format("Set {} of {}", counted(change.keys.size(), "key", "keys"),
                     joints_label(document, change.keys, [](const KeyValue& key) { return key.channel.joint; }));
}

std::string label(const Document& document, const KeyJoints& change) {
  if (change.joints.empty()) {
    return fmt::format("Key {}", counted(change.morphs.size(), "shape", "shapes"));
  }
  return fmt::format("Key {}", joints_label(document, change.joints, [](int joint) { return joint; }));
}

std::string label(const Document& document, const RemoveKeys& change) {
  return fmt::format("Remove {}", keys_label(document, change.keys));
}

std::string label(const Document& document, const MoveKeys& change) {
  return fmt::format("{} {}", change.map.factor == 1 ? "Move" : "Scale", keys_label(document, change.keys));
}

std::string label(const Document& document, const SetInterpolation& change) {
  return fmt::format("Interpolation of {}",
                     joints_label(document, change.channels, [](const ChannelId& id) { return id.joint; }));
}

std::string label(const Document& document, const SetTangents& change) {
  return fmt::format("Tangents of {}", keys_label(document, change.keys));
}

std::string label(const Document& document, const SetTangent& change) {
  return fmt::format("Tangent of {}", joint_label(document, change.channel.joint));
}

}  // namespace pelt::edit
