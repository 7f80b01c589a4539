#include "edit/bake_edits.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/pose_sources.h"
#include "motion/baking.h"
#include "rig/clip_changes.h"

namespace pelt::edit {
namespace {

using Target = motion::ClipLayerRig::Target;

// More than that many keys, over all channels, are refused.
constexpr double kMostBakedKeys = 2e7;

bool counts(const Content& content, std::string_view kind) {
  const auto layer = std::ranges::find(content.pose_layers, kind, &rig::Layer::kind);
  return layer != content.pose_layers.end() && rig::share_of(motion::find_pose_layer_kind(kind)->about, *layer) > 0;
}

// The document for itself, to be posed at other times.
Document posed_copy(const Document& document, int layer_limit) {
  Document copy = without_history(document);
  copy.view.layer_limit = layer_limit;
  return copy;
}

motion::ClipLayerRig layer_rig(const Document& document) {
  return motion::make_clip_layer_rig(*document.character, document.content.behaviour->clip_layers);
}

// Of the main clip and of all its layers; what a channel of a whole node has is not there once more alone.
std::vector<Target> baked_targets(const Document& document) {
  std::vector<Target> out;
  const motion::ClipLayer main{.clip = motion::clip_reference(*document.character, document.content.clip)};
  motion::ClipLayerRig all = motion::make_clip_layer_rig(*document.character, std::span(&main, 1));
  for (motion::ClipLayerRig::Layer& layer : layer_rig(document).layers) {
    all.layers.push_back(std::move(layer));
  }
  for (const motion::ClipLayerRig::Layer& layer : all.layers) {
    for (const Target& target : layer.targets) {
      if (std::ranges::find(out, target) == out.end()) {
        out.push_back(target);
      }
    }
  }
  std::erase_if(out, [&, whole = out](const Target& target) {
    return std::ranges::any_of(whole, [&](const Target& other) {
      return other.joint == target.joint && other.path == target.path && other.count > target.count;
    });
  });
  return out;
}

std::vector<float> baked_times(const Document& document) {
  const TimeRange range = played_range(document, document.content.clip);
  return motion::frame_times(range.start, std::max(range.start, range.end), static_cast<double>(frame_rate(document)));
}

std::string too_much(const Document& document, std::size_t channels) {
  const TimeRange range = played_range(document, document.content.clip);
  const double keys = static_cast<double>(channels) * static_cast<double>(range.end - range.start) *
                      static_cast<double>(frame_rate(document));
  return keys > kMostBakedKeys
             ? fmt::format("expected at most {:g} keys, got {:.0f}: shorten the work range", kMostBakedKeys, keys)
             : "";
}

rig::Pose posed_at(Document& document, float time) {
  document.view.time = time;
  return evaluate_pose(document);
}

// The clip that plays counts whole again: its weight is part of what was baked.
void count_whole(std::string_view kind, Content& content) {
  const rig::Layer standard = rig::standard_layer(motion::find_pose_layer_kind(kind)->about);
  for (std::size_t k = 0; k < content.pose_layers.size(); ++k) {
    const rig::Layer& layer = content.pose_layers[k];
    if (layer.kind == kind && (layer.on != standard.on || layer.values != standard.values)) {
      rig::Layer& changed = content.pose_layers.edit()[k];
      changed.on = standard.on;
      changed.values = standard.values;
    }
  }
}

std::vector<Target> swinging(const Document& document) {
  std::vector<Target> out;
  const motion::SpringRig rig = motion::make_spring_rig(*document.character, document.content.behaviour->springs);
  for (const motion::SpringRig::Bone& bone : rig.bones) {
    out.push_back({bone.joint, rig::ChannelPath::kRotation});
    if (document.content.overrides->contains(bone.joint)) {  // which is taken away
      out.push_back({bone.joint, rig::ChannelPath::kTranslation});
      out.push_back({bone.joint, rig::ChannelPath::kScale});
    }
  }
  return out;
}

// Keys of the channel before and behind those that were baked, at frames where it is not LINEAR.
rig::Channel with_keys_around(const rig::Channel& before, rig::Channel baked, double rate) {
  const float start = baked.times.front();
  const float end = baked.times.back();
  std::vector<float> times = before.times;
  if (before.interpolation != rig::Interpolation::kLinear) {
    times = motion::frame_times(before.times.front(), before.times.back(), rate);
  }
  rig::Channel out = baked;
  out.source = before.source;
  out.source_sampler = before.source_sampler;
  out.times.clear();
  out.values.clear();
  const auto take = [&](float time) {
    std::array<float, 4> value{};
    rig::sample(before, time, std::span(value).first(static_cast<std::size_t>(before.width)));
    out.times.push_back(time);
    out.values.insert(out.values.end(), value.begin(), value.begin() + before.width);
  };
  for (const float time : times) {
    if (time < start) {
      take(time);
    }
  }
  out.times.insert(out.times.end(), baked.times.begin(), baked.times.end());
  out.values.insert(out.values.end(), baked.values.begin(), baked.values.end());
  for (const float time : times) {
    if (time > end) {
      take(time);
    }
  }
  return out;
}

}  // namespace

std::string label(const Document&, const BakeClipLayers&) {
  return "Bake the clip layers to a clip";
}

std::string refusal(const Document& document, const BakeClipLayers&) {
  if (document.content.clip < 0) {
    return "there is no clip that layers play over";
  }
  if (layer_rig(document).layers.empty() || !counts(document.content, "clip-layers")) {
    return "no clip layer is on";
  }
  return too_much(document, baked_targets(document).size());
}

void carry_out(const Document& document, const BakeClipLayers& change, Content& content, View& view) {
  if (!refusal(document, change).empty()) {
    return;
  }
  const rig::Character& character = *own_character(document);
  const rig::Clip& main = character.clips[static_cast<std::size_t>(content.clip)];
  const auto layer = std::ranges::find(content.pose_layers, "clip-layers", &rig::Layer::kind);
  Document posed = posed_copy(document, static_cast<int>(layer - content.pose_layers.begin()) + 1);
  rig::Clip clip;
  clip.channels = motion::baked_channels(baked_times(document), baked_targets(document), character.morph_offset,
                                         [&](float time) { return posed_at(posed, time); });
  clip.properties = main.properties;
  for (rig::PropertyChannel& property : clip.properties) {
    property.keys.source = -1;  // the file says nothing of it
    property.keys.source_sampler = -1;
  }
  std::vector<std::string> taken;
  for (const rig::Clip& other : character.clips) {
    taken.push_back(other.name);
  }
  clip.name = rig::free_name((main.name.empty() ? "clip" : main.name) + " baked", taken);
  rig::update_range(clip);
  auto changed = std::make_shared<rig::Character>(character);
  changed->clips.push_back(std::move(clip));
  content.clip = static_cast<int>(changed->clips.size()) - 1;
  view.time = std::clamp(view.time, changed->clips[content.clip].start, changed->clips[content.clip].end);
  content.character = std::move(changed);
  for (motion::ClipLayer& one : content.behaviour.edit().clip_layers) {
    one.on = false;
  }
  count_whole("clip", content);
}

std::string label(const Document&, const BakeSprings&) {
  return "Bake the springs to keys";
}

std::string refusal(const Document& document, const BakeSprings&) {
  const Content& content = document.content;
  if (content.clip < 0) {
    return "there is no clip for the keys";
  }
  const std::vector<Target> targets = swinging(document);
  if (targets.empty() || !counts(content, "springs")) {
    return "nothing swings";
  }
  if (counts(content, "clip-layers")) {
    for (const motion::ClipLayerRig::Layer& layer : layer_rig(document).layers) {
      for (const Target& target : layer.targets) {
        if (std::ranges::find(targets, target) != targets.end()) {
          return fmt::format("a clip layer moves {}, which swings; bake the clip layers first",
                             printable(document.character->skeleton->label(target.joint), 60));
        }
      }
    }
  }
  return too_much(document, targets.size());
}

void carry_out(const Document& document, const BakeSprings& change, Content& content, View&) {
  if (!refusal(document, change).empty()) {
    return;
  }
  const rig::Character& character = *own_character(document);
  Document posed = posed_copy(document, -1);
  std::vector<rig::Channel> baked =
      motion::baked_channels(baked_times(document), swinging(document), character.morph_offset,
                             [&](float time) { return posed_at(posed, time); });
  auto changed = std::make_shared<rig::Character>(character);
  rig::Clip& clip = changed->clips.edit(static_cast<std::size_t>(content.clip));
  for (rig::Channel& channel : baked) {
    const auto before = std::ranges::find_if(clip.channels, [&](const rig::Channel& known) {
      return known.joint == channel.joint && known.path == channel.path;
    });
    if (before == clip.channels.end()) {
      clip.channels.push_back(std::move(channel));
    } else {
      *before = with_keys_around(*before, std::move(channel), static_cast<double>(frame_rate(document)));
    }
  }
  rig::update_range(clip);
  for (const motion::SpringRig::Bone& bone :
       motion::make_spring_rig(*document.character, document.content.behaviour->springs).bones) {
    if (content.overrides->contains(bone.joint)) {
      content.overrides.edit().erase(bone.joint);
    }
  }
  content.character = std::move(changed);
  for (motion::SpringChain& chain : content.behaviour.edit().springs.chains) {
    chain.on = false;
  }
  count_whole("clip", content);
}

}  // namespace pelt::edit
