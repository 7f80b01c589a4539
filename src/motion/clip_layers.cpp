// Clips that play over the main clip: cross-fades and differences, ALGORITHMS.md §47.
#include "motion/clip_layers.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "motion/controls.h"
#include "rig/clip.h"

namespace pelt::motion {
namespace {

// [joints] which a layer may move; what it names and is not there becomes the fault.
std::vector<char> joint_mask(const rig::Character& character, const ClipLayer& layer, std::string& fault) {
  const rig::Skeleton& skeleton = character.skeleton;
  std::vector<char> mask(skeleton.parent.size(), layer.joints.empty() ? 1 : 0);
  for (const std::string& name : layer.joints) {
    const Result<int> joint = find_named_joint(character, name);
    if (!joint) {
      fault = fault.empty() ? joint.error().message : fault;
      continue;
    }
    mask[static_cast<std::size_t>(*joint)] = 1;
  }
  for (int j = 0; layer.below && j < skeleton.size(); ++j) {  // parents come first
    const int parent = skeleton.parent[j];
    mask[j] = mask[j] != 0 || (parent >= 0 && mask[parent] != 0) ? 1 : 0;
  }
  return mask;
}

std::vector<ClipLayerRig::Target> targets_of(const rig::Character& character, const rig::Clip& clip,
                                             const std::vector<char>& mask) {
  std::vector<ClipLayerRig::Target> out;
  std::set<std::tuple<int, rig::ChannelPath, int, int>> seen;
  for (const rig::Channel& channel : clip.channels) {
    if (mask[static_cast<std::size_t>(channel.joint)] == 0) {
      continue;
    }
    ClipLayerRig::Target target{channel.joint, channel.path};
    if (channel.path == rig::ChannelPath::kWeights) {
      target.first = character.morph_offset[channel.joint] + std::max(channel.morph_target, 0);
      target.count = channel.width;
    }
    if (seen.emplace(target.joint, target.path, target.first, target.count).second) {
      out.push_back(target);
    }
  }
  return out;
}

// A scale on top of another is a factor. Where the reference is nothing there is none, and the difference is added.
float scale_on_top(float base, float reference, float said, float share) {
  constexpr float kNothing = 1e-12f;
  return std::abs(reference) < kNothing ? base + (said - reference) * share
                                        : base * (1 + (said / reference - 1) * share);
}

// q_base * (q_reference^-1 * q_said), the turn in between taken for its share by the shortest way.
glm::quat turn_on_top(const glm::quat& base, const glm::quat& reference, const glm::quat& said, double share) {
  const glm::dquat change = glm::conjugate(normalized_or_identity(glm::dquat(reference))) * glm::dquat(said);
  const glm::dquat part = share >= 1 ? change : rig::slerp_shortest(glm::dquat(1, 0, 0, 0), change, share);
  return glm::quat(normalized_or_identity(glm::dquat(base) * part));
}

void put_on_top(const ClipLayerRig::Layer& layer, const ClipLayerRig::Target& target, const rig::Pose& said,
                double share, rig::PoseBuilder& pose) {
  const rig::Pose& reference = layer.reference;
  const auto part = static_cast<float>(share);
  if (target.path == rig::ChannelPath::kWeights) {
    for (int m = target.first; m < target.first + target.count; ++m) {
      const std::size_t at = static_cast<std::size_t>(m);
      pose.morph_weights()[at] += (said.morph_weights[at] - reference.morph_weights[at]) * part;
    }
    return;
  }
  const std::size_t j = static_cast<std::size_t>(target.joint);
  Transform local = pose.local(target.joint);
  switch (target.path) {
    case rig::ChannelPath::kTranslation:
      local.translation += (said.local[j].translation - reference.local[j].translation) * part;
      break;
    case rig::ChannelPath::kRotation:
      local.rotation = turn_on_top(local.rotation, reference.local[j].rotation, said.local[j].rotation, share);
      break;
    default:
      for (int i = 0; i < 3; ++i) {
        local.scale[i] = scale_on_top(local.scale[i], reference.local[j].scale[i], said.local[j].scale[i], part);
      }
  }
  pose.set_local(target.joint, local);
}

void go_over(const ClipLayerRig::Target& target, const rig::Pose& said, double share, rig::PoseBuilder& pose) {
  const auto part = static_cast<float>(share);
  const auto straight_to = [&](const auto& from, const auto& to) {
    return share >= 1 ? to : from + (to - from) * part;
  };
  if (target.path == rig::ChannelPath::kWeights) {
    for (int m = target.first; m < target.first + target.count; ++m) {
      float& weight = pose.morph_weights()[static_cast<std::size_t>(m)];
      weight = straight_to(weight, said.morph_weights[static_cast<std::size_t>(m)]);
    }
    return;
  }
  const Transform& to = said.local[static_cast<std::size_t>(target.joint)];
  Transform local = pose.local(target.joint);
  switch (target.path) {
    case rig::ChannelPath::kTranslation:
      local.translation = straight_to(local.translation, to.translation);
      break;
    case rig::ChannelPath::kRotation:
      local.rotation = share >= 1
                           ? to.rotation
                           : glm::quat(rig::slerp_shortest(glm::dquat(local.rotation), glm::dquat(to.rotation), share));
      break;
    default:
      local.scale = straight_to(local.scale, to.scale);
  }
  pose.set_local(target.joint, local);
}

}  // namespace

Result<int> find_named_clip(const rig::Character& character, std::string_view name) {
  const SharedList<rig::Clip>& clips = character.clips;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < clips.size(); ++c) {
    if (!name.empty() && clips[c].name == name) {
      return static_cast<int>(c);
    }
    names.push_back(clips[c].name);
  }
  const std::optional<int> number = name.starts_with('#') ? parse_integer(name.substr(1)) : std::nullopt;
  if (number && has_index(clips, *number)) {
    return *number;
  }
  return error("there is no clip '{}'{}", printable(name, 40), suggestion(name, names));
}

std::string clip_reference(const rig::Character& character, int clip) {
  const std::string& name = character.clips[static_cast<std::size_t>(clip)].name;
  const Result<int> found = find_named_clip(character, name);
  return !name.empty() && found && *found == clip ? name : fmt::format("#{}", clip);
}

ClipLayerRig make_clip_layer_rig(const rig::Character& character, std::span<const ClipLayer> layers) {
  ClipLayerRig out;
  for (const ClipLayer& layer : layers) {
    std::string& fault = out.faults.emplace_back();
    const Result<int> clip = find_named_clip(character, layer.clip);
    if (!clip) {
      fault = clip.error().message;
      continue;
    }
    const rig::Clip& plays = character.clips[static_cast<std::size_t>(*clip)];
    std::vector<ClipLayerRig::Target> targets = targets_of(character, plays, joint_mask(character, layer, fault));
    if (!layer.on || targets.empty()) {
      continue;
    }
    rig::Pose reference;
    if (layer.mode == ClipLayerMode::kAdditive) {
      reference = rig::rest_pose(character);
      if (layer.reference == AdditiveReference::kFirstFrame) {
        rig::apply(plays, plays.start, character.morph_offset, reference);
      }
    }
    out.layers.push_back({layer, *clip, std::move(targets), std::move(reference)});
  }
  return out;
}

double clip_layer_seconds(const ClipLayer& layer, double seconds, double duration) {
  if (!(duration > 0)) {
    return 0;
  }
  const double own = static_cast<double>(layer.offset) +
                     (seconds - static_cast<double>(layer.start)) * static_cast<double>(layer.speed);
  // The first pass has its end, so that a clip is itself up to its last key.
  const bool again = layer.loops && !(own >= 0 && own <= duration);
  return std::clamp(again ? own - duration * std::floor(own / duration) : own, 0.0, duration);
}

double clip_layer_share(const ClipLayer& layer, double seconds, double main_duration) {
  const double since = seconds - static_cast<double>(layer.start);
  const double length = static_cast<double>(layer.length);
  if (since < 0 || (length > 0 && since > length)) {
    return 0;
  }
  double share = static_cast<double>(layer.weight);
  if (layer.fade_in > 0) {
    share *= std::clamp(since / static_cast<double>(layer.fade_in), 0.0, 1.0);
  }
  const double end = length > 0 ? length : main_duration - static_cast<double>(layer.start);
  if (layer.fade_out > 0 && end > 0) {
    share *= std::clamp((end - since) / static_cast<double>(layer.fade_out), 0.0, 1.0);
  }
  return share;
}

void apply_clip_layers(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.clip_layers == nullptr || sources.clip < 0) {
    return;
  }
  const rig::Character& character = sources.character;
  const auto duration = static_cast<double>(character.clips[static_cast<std::size_t>(sources.clip)].duration());
  const double seconds = sources.clip_seconds();
  for (const ClipLayerRig::Layer& layer : sources.clip_layers->layers) {
    const double share = clip_layer_share(layer.says, seconds, duration);
    if (!(share > 0)) {
      continue;
    }
    const rig::Clip& clip = character.clips[static_cast<std::size_t>(layer.clip)];
    const double own = clip_layer_seconds(layer.says, seconds, static_cast<double>(clip.duration()));
    rig::Pose said = pose.pose();
    rig::apply(clip, static_cast<float>(static_cast<double>(clip.start) + own), character.morph_offset, said);
    if (!pose.pose().own_bindings.empty()) {
      pose.edit().own_bindings.clear();  // as the main clip does
    }
    for (const ClipLayerRig::Target& target : layer.targets) {
      if (layer.says.mode == ClipLayerMode::kAdditive) {
        put_on_top(layer, target, said, share, pose);
      } else {
        go_over(target, said, share, pose);
      }
    }
  }
}

}  // namespace pelt::motion
