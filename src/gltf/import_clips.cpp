// glTF 2.0, section 3.11 "Animations"; ALGORITHMS.md section 47.

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "core/index.h"
#include "gltf/reader.h"

namespace pelt::gltf {
namespace {

std::optional<rig::ChannelPath> path_from_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"translation", "rotation", "scale", "weights"};
  const auto entry = std::find(kNames.begin(), kNames.end(), name);
  return entry == kNames.end() ? std::nullopt : std::optional(static_cast<rig::ChannelPath>(entry - kNames.begin()));
}

std::optional<rig::Interpolation> interpolation_from_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"STEP", "LINEAR", "CUBICSPLINE"};
  const auto entry = std::find(kNames.begin(), kNames.end(), name);
  return entry == kNames.end() ? std::nullopt : std::optional(static_cast<rig::Interpolation>(entry - kNames.begin()));
}

/// Makes the value part of each rotation key a unit quaternion where it is far from one; small errors of rounding are
/// kept, so that keys stay what the file says. Returns the number of keys that were changed.
std::size_t normalize_rotations(rig::Channel& channel) {
  constexpr double kNearUnit = 2e-3;  // of the squared length, as in rig::sample()
  const bool cubic = channel.interpolation == rig::Interpolation::kCubicSpline;
  const std::size_t step = cubic ? 12 : 4;
  std::size_t odd = 0;
  for (std::size_t at = cubic ? 4 : 0; at < channel.values.size(); at += step) {
    float* q = channel.values.data() + at;
    double square = 0;
    for (int i = 0; i < 4; ++i) {
      square += static_cast<double>(q[i]) * static_cast<double>(q[i]);
    }
    if (std::abs(square - 1) <= kNearUnit) {
      continue;
    }
    ++odd;
    for (int i = 0; i < 4; ++i) {
      q[i] =
          square < 1e-30 ? (i == 3 ? 1.0f : 0.0f) : static_cast<float>(static_cast<double>(q[i]) / std::sqrt(square));
    }
  }
  return odd;
}

/// Brings keys into the order of their times. Of keys at one time the first in the file stays. @returns those moved or
/// left out
std::size_t sort_keys(rig::Channel& channel) {
  const std::size_t count = channel.times.size();
  const std::size_t per_key = channel.values.size() / count;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return channel.times[k]; });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](std::size_t a, std::size_t b) { return channel.times[a] == channel.times[b]; }),
              order.end());
  std::size_t odd = count - order.size();
  rig::Channel sorted = channel;
  sorted.times.clear();
  sorted.values.clear();
  for (std::size_t k = 0; k < order.size(); ++k) {
    odd += order[k] != k ? 1U : 0U;
    const auto from = channel.values.begin() + static_cast<std::ptrdiff_t>(per_key * order[k]);
    sorted.times.push_back(channel.times[order[k]]);
    sorted.values.insert(sorted.values.end(), from, from + static_cast<std::ptrdiff_t>(per_key));
  }
  channel = std::move(sorted);
  return odd;
}

/// Keys that were repaired.
struct OddKeys {
  std::size_t rotations = 0;
  std::size_t order = 0;
};

/// Reads the keys of `channel`, whose path and width are known.
/// @param odd  grows by those that were repaired
Status read_keys(Reader& reader, const tinygltf::Animation& from, int sampler_index, rig::Channel& channel,
                 OddKeys& odd) {
  if (!has_index(from.samplers, sampler_index)) {
    return error("sampler {} does not exist, there are {}", sampler_index, from.samplers.size());
  }
  const tinygltf::AnimationSampler& sampler = from.samplers[sampler_index];
  const auto interpolation = interpolation_from_name(sampler.interpolation);
  if (!interpolation) {
    return error("interpolation '{}' is not STEP, LINEAR or CUBICSPLINE", printable(sampler.interpolation, 40));
  }
  channel.interpolation = *interpolation;
  auto times = reader.read_scalars(sampler.input);
  if (!times) {
    return times.error().in("keys");
  }
  if (times->empty()) {
    return error("it has no keys");
  }
  for (std::size_t k = 0; k < times->size(); ++k) {
    if (!(std::abs((*times)[k]) <= kLargest)) {
      return error("the time of key {} is {}", k, (*times)[k]);
    }
  }
  auto values = reader.read_scalars(sampler.output, true);
  if (!values) {
    return values.error().in("values");
  }
  const std::size_t per_key =
      channel.width * (channel.interpolation == rig::Interpolation::kCubicSpline ? std::size_t{3} : std::size_t{1});
  if (values->size() < per_key * times->size()) {
    return error("expected {} numbers for {} keys, got {}", per_key * times->size(), times->size(), values->size());
  }
  values->resize(per_key * times->size());
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (!(std::abs((*values)[i]) <= kLargest)) {
      return error("a value of key {} is {}", i / per_key, (*values)[i]);
    }
  }
  channel.times = *std::move(times);
  channel.values = *std::move(values);
  if (channel.path == rig::ChannelPath::kRotation) {
    const std::size_t changed = normalize_rotations(channel);
    odd.rotations += changed;
    reader.made_unit.keys += changed;
  }
  if (std::ranges::adjacent_find(channel.times, std::greater_equal()) != channel.times.end()) {
    odd.order += sort_keys(channel);
  }
  return {};
}

/// What one channel says, or why it cannot be played.
/// @param morph_target  see rig::Channel
Result<rig::Channel> read_channel(Reader& reader, const tinygltf::Animation& from,
                                  const tinygltf::AnimationChannel& entry, int morph_target,
                                  const std::vector<int>& morph_counts, OddKeys& odd) {
  rig::Channel channel;
  channel.source_sampler = entry.sampler;
  channel.morph_target = morph_target;
  channel.joint = reader.joint_of_node[entry.target_node];
  const auto path = path_from_name(entry.target_path);
  if (!path) {
    return error("path '{}' is not translation, rotation, scale or weights", printable(entry.target_path, 40));
  }
  channel.path = *path;
  channel.width = *path == rig::ChannelPath::kRotation  ? 4
                  : *path == rig::ChannelPath::kWeights ? morph_counts[channel.joint]
                                                        : 3;
  if (channel.width == 0) {
    return error("{} has no morph targets", reader.node_place(entry.target_node));
  }
  if (morph_target >= channel.width) {
    return error("morph target {} does not exist, {} has {}", morph_target, reader.node_place(entry.target_node),
                 channel.width);
  }
  channel.width = morph_target >= 0 ? 1 : channel.width;
  PELT_TRY(read_keys(reader, from, entry.sampler, channel, odd));
  return channel;
}

/// The same of a property that is no part of a pose.
Result<rig::PropertyChannel> read_property(Reader& reader, const tinygltf::Animation& from, int sampler,
                                           rig::PropertyChannel channel) {
  OddKeys odd;
  PELT_TRY(read_keys(reader, from, sampler, channel.keys, odd));
  fold_emissive_strength(reader, channel);
  return channel;
}

void extend(rig::Clip& clip, const rig::Channel& channel) {
  const bool first = clip.channels.empty() && clip.properties.empty();
  clip.start = first ? channel.times.front() : std::min(clip.start, channel.times.front());
  clip.end = first ? channel.times.back() : std::max(clip.end, channel.times.back());
}

}  // namespace

void read_clips(Reader& reader) {
  rig::Character& character = reader.character;
  std::vector<int> morph_counts(character.skeleton->size(), 0);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    morph_counts[node.joint] = static_cast<int>(character.meshes[node.mesh].morph_names.size());
  }
  std::vector<std::vector<int>> nodes_of_mesh(reader.model.meshes.size());  // those that have its weights
  for (std::size_t n = 0; n < reader.model.nodes.size(); ++n) {
    const int mesh = reader.model.nodes[n].mesh;
    if (mesh >= 0 && reader.model.nodes[reader.file_node(static_cast<int>(n))].weights.empty()) {
      nodes_of_mesh[mesh].push_back(static_cast<int>(n));
    }
  }
  for (std::size_t a = 0; a < reader.model.animations.size(); ++a) {
    const tinygltf::Animation& from = reader.model.animations[a];
    rig::Clip clip;
    clip.name = single_line(from.name, kNameLimit);
    std::set<std::tuple<int, rig::ChannelPath, int>> seen;
    std::set<std::tuple<rig::PropertyOwner, int, std::string>> moved;
    for (std::size_t c = 0; c < from.channels.size(); ++c) {
      tinygltf::AnimationChannel entry = from.channels[c];
      const std::string place = fmt::format("animation {}, channel {}", a, c);
      const auto leave_out = [&](const std::string& reason) { reader.warn("channel", place, reason + "; left out"); };
      constexpr const char* kMovedTwice = "another channel moves the same property";
      PointerTarget target;
      if (entry.target_node < 0 && entry.target_path == "pointer") {
        Result<PointerTarget> resolved = resolve_pointer(reader, entry);
        if (!resolved) {
          leave_out(resolved.error().message);
          continue;
        }
        target = *std::move(resolved);
        entry.target_path = target.path;
        if (target.node < 0 && target.mesh < 0) {
          target.channel.keys.source = static_cast<int>(c);
          target.channel.keys.source_sampler = entry.sampler;
          Result<rig::PropertyChannel> property = read_property(reader, from, entry.sampler, std::move(target.channel));
          if (!property) {
            leave_out(property.error().message);
          } else if (!moved.insert({property->owner, property->index, property->property}).second) {
            leave_out(kMovedTwice);
          } else {
            extend(clip, property->keys);
            clip.properties.push_back(*std::move(property));
          }
          continue;
        }
      } else if (reader.has_node(entry.target_node)) {
        target.node = entry.target_node;
      } else if (entry.target_node >= 0) {
        leave_out(fmt::format("node {} does not exist, there are {}", entry.target_node, reader.node_count));
        continue;
      } else {
        reader.note(Severity::kInfo, "channel-target", place, "it has no target node; ignored");
        continue;
      }
      std::span<const int> nodes(&target.node, 1);
      const auto repeated = reader.instances.find(target.node);
      if (target.mesh >= 0) {
        nodes = nodes_of_mesh[target.mesh];
      } else if (entry.target_path == "weights" && repeated != reader.instances.end()) {
        nodes = repeated->second;
      }
      if (nodes.empty()) {
        leave_out("no node has what it moves");
        continue;
      }
      // One channel of the file may move many nodes.
      if (const Status status = reader.budget.take(nodes.size() - 1, sizeof(rig::Channel)); !status) {
        leave_out(status.error().message);
        continue;
      }
      OddKeys odd;
      std::size_t key_count = 0;
      std::size_t taken = 0;
      std::string problem;
      for (const int node : nodes) {
        entry.target_node = node;
        OddKeys odd_here;
        Result<rig::Channel> channel = read_channel(reader, from, entry, target.morph_target, morph_counts, odd_here);
        if (!channel) {
          problem = channel.error().message;
          break;
        }
        odd = odd_here;
        key_count = channel->times.size();
        channel->source = static_cast<int>(c);
        // A channel of all weights moves each of them.
        const auto other = seen.lower_bound({channel->joint, channel->path, channel->morph_target});
        const bool whole = channel->morph_target < 0 && other != seen.end() && std::get<0>(*other) == channel->joint &&
                           std::get<1>(*other) == channel->path;
        if (whole || seen.count({channel->joint, channel->path, -1}) != 0 ||
            !seen.insert({channel->joint, channel->path, channel->morph_target}).second) {
          problem = kMovedTwice;
          continue;
        }
        ++taken;
        extend(clip, *channel);
        clip.channels.push_back(*std::move(channel));
      }
      if (odd.order > 0) {
        reader.warn(
            "key-order", place,
            fmt::format("{} keys are not later than the one before, expected times that grow; sorted, of keys at "
                        "one time the first is used",
                        odd.order));
      }
      if (odd.rotations > 0) {
        reader.warn("rotation-length", place,
                    fmt::format("{} of {} rotations do not have length 1; normalised", odd.rotations, key_count));
      }
      if (!problem.empty() && taken > 0) {
        reader.warn("channel", place, fmt::format("{}; it moves {} of {} nodes", problem, taken, nodes.size()));
      } else if (!problem.empty()) {
        leave_out(problem);
      }
    }
    clip.source = static_cast<int>(character.clips.size());
    character.clips.push_back(std::move(clip));
  }
}

}  // namespace pelt::gltf
