// The clips of a file that is written: KHR_animation_pointer where a node's own paths do not reach.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "gltf/export_writer.h"

namespace pelt::gltf {

Json Writer::pointer_target(const rig::PropertyChannel& channel) {
  std::string pointer;
  const auto of_source = [&](const char* list, const std::map<int, std::size_t>& index_of_source) {
    const auto known = index_of_source.find(channel.index);
    return known == index_of_source.end() ? std::string() : fmt::format("{}/{}", list, known->second);
  };
  switch (channel.owner) {
    case rig::PropertyOwner::kNode:
      pointer = fmt::format("/nodes/{}", node_of(channel.index));
      break;
    case rig::PropertyOwner::kMaterial:
      pointer = fmt::format("/materials/{}", channel.index);
      if (const std::size_t slash = channel.property.rfind('/'); slash != std::string::npos) {
        moved_.emplace(channel.index, "/" + channel.property.substr(0, slash));
      }
      break;
    case rig::PropertyOwner::kLight:
      pointer = of_source("/extensions/KHR_lights_punctual/lights", light_index_);
      break;
    case rig::PropertyOwner::kCamera:
      pointer = of_source("/cameras", camera_index_);
      break;
  }
  if (pointer.empty()) {
    return {};
  }
  return pointer_json(fmt::format("{}/{}", pointer, channel.property));
}

Json Writer::pointer_json(std::string pointer) {
  extensions_.used.insert("KHR_animation_pointer");
  return {{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", std::move(pointer)}}}}}};
}

int Writer::add_key_values(const rig::Channel& keys, std::string_view stream, const std::string& sampler) {
  const std::string name = form_.string_at(sampler + "/output");
  const bool weights = keys.path == rig::ChannelPath::kWeights && keys.joint >= 0;
  const bool plain = keys.path == rig::ChannelPath::kRotation && options_.short_rotations &&
                     keys.interpolation != rig::Interpolation::kCubicSpline;
  const std::size_t width = weights ? 1 : keys.width;
  const Elements elements{.stream = stream,
                          .bytes = bytes_of(keys.values),
                          .components = static_cast<int>(width),
                          .count = keys.values.size() / width};
  if (!plain) {
    return buffers_.add_shared(elements, false, name);
  }
  std::vector<std::int16_t> shorts;
  shorts.reserve(keys.values.size());
  for (const float value : keys.values) {
    shorts.push_back(static_cast<std::int16_t>(std::lround(std::clamp(value, -1.0f, 1.0f) * 32767.0f)));
  }
  Elements narrow = elements;
  narrow.bytes = bytes_of(shorts);
  narrow.component_type = kSignedShort;
  narrow.normalized = true;
  return buffers_.add_shared(narrow, false, name);
}

int Writer::add_property_keys(const rig::PropertyChannel& channel, const std::string& sampler) {
  if (channel.owner == rig::PropertyOwner::kNode) {  // a truth value
    std::vector<std::uint8_t> bytes;
    for (const float value : channel.keys.values) {
      bytes.push_back(value != 0 ? 1 : 0);
    }
    return buffers_.add_shared({.stream = "visible", .bytes = bytes, .component_type = kByte, .count = bytes.size()},
                               false, form_.string_at(sampler + "/output"));
  }
  if (channel.owner == rig::PropertyOwner::kMaterial && channel.property == "emissiveFactor") {
    // The material's strength is split off, see material_json().
    rig::Channel keys = channel.keys;
    const float strength = emissive_strength_[channel.index];
    for (float& value : keys.values) {
      value /= strength;
    }
    return add_key_values(keys, "properties", sampler);
  }
  return add_key_values(channel.keys, "properties", sampler);
}

Status Writer::write_channels(std::size_t c, const AddChannel& add_channel) {
  constexpr const char* kPaths[] = {"translation", "rotation", "scale", "weights"};
  const rig::Clip& clip = character_.clips[c];
  const std::string place = fmt::format("/animations/{}", c);
  for (std::size_t i = 0; i < clip.channels.size(); ++i) {
    const rig::Channel& channel = clip.channels[i];
    const std::size_t per_key = static_cast<std::size_t>(std::max(channel.width, 0)) *
                                (channel.interpolation == rig::Interpolation::kCubicSpline ? 3U : 1U);
    if (channel.times.empty() || per_key == 0 || channel.values.size() != per_key * channel.times.size()) {
      return error("clip {}, channel {}: expected {} values for {} keys, got {}", c, i, per_key * channel.times.size(),
                   channel.times.size(), channel.values.size());
    }
    if (channel.joint < 0 || channel.joint >= character_.skeleton->size()) {
      return error("clip {}, channel {}: node {} does not exist, there are {}", c, i, channel.joint,
                   character_.skeleton->size());
    }
    const std::string sampler = fmt::format("{}/samplers/{}", place, channel.source_sampler);
    const char* path = kPaths[static_cast<int>(channel.path)];
    const int input = add_key_times(channel, sampler);
    const int output = add_key_values(channel, path, sampler);
    const int node = node_of(channel.joint);
    add_channel(channel, input, output,
                channel.morph_target < 0
                    ? Json({{"node", node}, {"path", path}})
                    : pointer_json(fmt::format("/nodes/{}/weights/{}", node, channel.morph_target)));
  }
  for (const rig::PropertyChannel& property : clip.properties) {
    Json target = pointer_target(property);
    if (target.is_null()) {
      exported_.notes.push_back(
          {Severity::kWarning, "channel-lost", fmt::format("animation {}", c),
           fmt::format("what moves {} is left out: what it belongs to could not be read", property.property)});
      continue;
    }
    const std::string sampler = fmt::format("{}/samplers/{}", place, property.keys.source_sampler);
    const int input = add_key_times(property.keys, sampler);
    add_channel(property.keys, input, add_property_keys(property, sampler), std::move(target));
  }
  return {};
}

Status Writer::write_clips() {
  constexpr const char* kInterpolations[] = {"STEP", "LINEAR", "CUBICSPLINE"};
  for (std::size_t c = 0; c < character_.clips.size(); ++c) {
    const rig::Clip& clip = character_.clips[c];
    Json channels = Json::array();
    Json samplers = Json::array();
    const std::string place = fmt::format("/animations/{}", c);
    // Made from those of the file one by one, since each may have extras.
    std::map<std::tuple<int, int, int, int>, std::size_t> known;
    const auto add_channel = [&](const rig::Channel& keys, int input, int output, Json target) {
      const auto [entry, is_new] = known.try_emplace(
          {input, output, static_cast<int>(keys.interpolation), keys.source_sampler}, samplers.size());
      if (is_new) {
        samplers.push_back({{"input", input}, {"output", output}});
        if (keys.interpolation != rig::Interpolation::kLinear) {  // which a sampler means that says nothing
          samplers.back()["interpolation"] = kInterpolations[static_cast<int>(keys.interpolation)];
        }
        restore(samplers.back(), fmt::format("{}/samplers/{}", place, keys.source_sampler));
      }
      channels.push_back({{"sampler", entry->second}, {"target", std::move(target)}});
      restore(channels.back(), fmt::format("{}/channels/{}", place, keys.source));
    };
    if (Status written = write_channels(c, add_channel); !written) {
      return written;
    }
    if (channels.empty()) {
      renumbered_.clips = true;
      continue;  // glTF has no empty animations
    }
    Json out = Json::object();
    if (!clip.name.empty()) {
      out["name"] = clip.name;
    }
    out["channels"] = std::move(channels);
    out["samplers"] = std::move(samplers);
    restore(out, place);
    root_["animations"].push_back(std::move(out));
  }
  return {};
}

}  // namespace pelt::gltf
