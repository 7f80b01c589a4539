#include "edit/bake_edits.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/character_edits.h"
#include "edit/clip_edits.h"
#include "edit/pose_sources.h"
#include "motion/baking.h"
#include "rig/clip_changes.h"

namespace pelt::edit {
namespace {

using Target = motion::ClipLayerRig::Target;

// More than that many keys, over all channels, are refused, and more than that many frames, each of which is a pose
// that a person waits for.
constexpr double kMostBakedKeys = 2e7;
constexpr double kMostBakedFrames = 20'000;

// Of the pose layer of that kind, 0 to 1.
float share_of_layer(const Content& content, std::string_view kind) {
  const auto layer = std::ranges::find(content.pose_layers, kind, &rig::Layer::kind);
  return layer == content.pose_layers.end() ? 0.0f : rig::share_of(motion::find_pose_layer_kind(kind)->about, *layer);
}

bool counts(const Content& content, std::string_view kind) {
  return share_of_layer(content, kind) > 0;
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
  const motion::ClipLayer main{.clip = motion::clip_reference(*document.character, document.content.clip)};
  motion::ClipLayerRig all = motion::make_clip_layer_rig(*document.character, std::span(&main, 1));
  for (motion::ClipLayerRig::Layer& layer : layer_rig(document).layers) {
    all.layers.push_back(std::move(layer));
  }
  std::map<std::pair<int, rig::ChannelPath>, int> most;  // shapes that one target has
  for (const motion::ClipLayerRig::Layer& layer : all.layers) {
    for (const Target& target : layer.targets) {
      int& count = most[{target.joint, target.path}];
      count = std::max(count, target.count);
    }
  }
  std::vector<Target> out;
  std::set<std::tuple<int, rig::ChannelPath, int>> seen;
  for (const motion::ClipLayerRig::Layer& layer : all.layers) {
    for (const Target& target : layer.targets) {
      if (target.count == most[{target.joint, target.path}] &&
          seen.emplace(target.joint, target.path, target.first).second) {
        out.push_back(target);
      }
    }
  }
  return out;
}

std::vector<float> baked_times(const Document& document) {
  const TimeRange range = played_range(document, document.content.clip);
  return motion::frame_times(range.start, std::max(range.start, range.end), static_cast<double>(frame_rate(document)));
}

std::string too_much(const Document& document, std::size_t channels, double keys_around = 0) {
  const TimeRange range = played_range(document, document.content.clip);
  const double frames =
      (static_cast<double>(range.end) - static_cast<double>(range.start)) * static_cast<double>(frame_rate(document));
  if (frames > kMostBakedFrames) {
    return fmt::format("expected at most {:g} frames, got {:.0f}: shorten the work range", kMostBakedFrames, frames);
  }
  if (const double keys = static_cast<double>(channels) * frames; keys > kMostBakedKeys) {
    return fmt::format("expected at most {:g} keys, got {:.0f}: shorten the work range", kMostBakedKeys, keys);
  }
  return keys_around > kMostBakedKeys
             ? fmt::format(
                   "channels that are not linear would get {:.0f} keys outside the work range, and at most {:g} "
                   "are made: trim the clip",
                   keys_around, kMostBakedKeys)
             : "";
}

rig::Pose posed_at(Document& document, float time) {
  document.view.time = time;
  return evaluate_pose(document);
}

// The new clip counts whole: the weight of the one that played is part of what was baked.
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

// What pins turn, from the roots of their limbs on, and where bodies that slide are.
std::vector<Target> pinned(const Document& document) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  std::vector<Target> out;
  const auto add = [&](const Target& target) {
    if (std::ranges::find(out, target) == out.end()) {
      out.push_back(target);
    }
  };
  for (const motion::Pin& pin : document.content.pins) {
    for (int j = pin.joint; j != skeleton.parent[pin.chain.root]; j = skeleton.parent[j]) {
      const bool is_posed = document.content.overrides->contains(j);  // which is taken away
      add({j, rig::ChannelPath::kRotation});
      if (is_posed || (j == pin.chain.root && pin.chain.root_slides)) {
        add({j, rig::ChannelPath::kTranslation});
      }
      if (is_posed) {
        add({j, rig::ChannelPath::kScale});
      }
    }
  }
  return out;
}

// The times of keys that a channel keeps before and behind those that are baked: its own, at frames where it is not
// LINEAR.
std::vector<float> times_around(const rig::Channel& channel, TimeRange baked, double rate) {
  if (channel.interpolation == rig::Interpolation::kLinear) {
    return channel.times;
  }
  std::vector<float> times;
  if (channel.times.front() < baked.start) {
    times = motion::frame_times(channel.times.front(), baked.start, rate);
  }
  if (channel.times.back() > baked.end) {
    const std::vector<float> behind = motion::frame_times(baked.end, channel.times.back(), rate);
    times.insert(times.end(), behind.begin(), behind.end());
  }
  return times;
}

// How many they are at most where the channel is not LINEAR, before anything is made.
double key_count_around(const rig::Channel& channel, TimeRange baked, double rate) {
  if (channel.interpolation == rig::Interpolation::kLinear) {
    return 0;
  }
  const auto length = [](float from, float to) {
    return std::max(static_cast<double>(to) - static_cast<double>(from), 0.0);
  };
  return (length(channel.times.front(), baked.start) + length(baked.end, channel.times.back())) * rate;
}

rig::Channel with_keys_around(const rig::Channel& before, rig::Channel baked, double rate) {
  const float start = baked.times.front();
  const float end = baked.times.back();
  const std::vector<float> times = times_around(before, {start, end}, rate);
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

rig::Channel* channel_of(rig::Clip& clip, int joint, rig::ChannelPath path) {
  const auto found = std::ranges::find_if(
      clip.channels, [&](const rig::Channel& known) { return known.joint == joint && known.path == path; });
  return found == clip.channels.end() ? nullptr : &*found;
}

// Why keys of the targets cannot take the place of what the clip says of them; empty: they can.
std::string not_into_clip(const Document& document, const std::vector<Target>& targets) {
  const Content& content = document.content;
  if (const float share = share_of_layer(content, "clip"); share < 1) {
    return fmt::format("the layer Clip counts {:.0f} %, and keys of it would count as much; let it count 100 % first",
                       100 * share);
  }
  const TimeRange range = played_range(document, content.clip);
  const auto rate = static_cast<double>(frame_rate(document));
  double around = 0;
  for (const rig::Channel& channel : own_character(document)->clips[static_cast<std::size_t>(content.clip)].channels) {
    const auto is_its = [&](const Target& target) {
      return target.joint == channel.joint && target.path == channel.path;
    };
    around += std::ranges::any_of(targets, is_its) ? key_count_around(channel, range, rate) : 0;
  }
  return too_much(document, targets.size(), around);
}

// What the first layers say of the targets, as keys of the clip.
// @param layers  so many of them work, -1: all
void bake_into_clip(const Document& document, const std::vector<Target>& targets, int layers, Content& content) {
  const rig::Character& character = *own_character(document);
  Document posed = posed_copy(document, layers);
  std::vector<rig::Channel> baked = motion::baked_channels(baked_times(document), targets, character.morph_offset,
                                                           [&](float time) { return posed_at(posed, time); });
  auto changed = std::make_shared<rig::Character>(character);
  rig::Clip& clip = changed->clips.edit(static_cast<std::size_t>(content.clip));
  for (rig::Channel& channel : baked) {
    rig::Channel* const before = channel_of(clip, channel.joint, channel.path);
    if (before == nullptr) {
      clip.channels.push_back(std::move(channel));
    } else {
      *before = with_keys_around(*before, std::move(channel), static_cast<double>(frame_rate(document)));
    }
  }
  rig::update_range(clip);
  content.character = std::move(changed);
}

// A clip layer that moves one of the targets too, in a sentence.
std::string moved_by_clip_layers(const Document& document, const std::vector<Target>& targets, const char* verb) {
  if (counts(document.content, "clip-layers")) {
    for (const motion::ClipLayerRig::Layer& layer : layer_rig(document).layers) {
      for (const Target& target : layer.targets) {
        if (std::ranges::find(targets, target) != targets.end()) {
          return fmt::format("a clip layer moves {}, which {}; bake the clip layers first",
                             printable(document.character->skeleton->label(target.joint), 60), verb);
        }
      }
    }
  }
  return "";
}

bool is_among(const std::vector<Target>& targets, int joint) {
  return joint >= 0 && std::ranges::find(targets, joint, &Target::joint) != targets.end();
}

// A slider that moves what is baked would move it again.
std::string moved_by_sliders(const Document& document, const std::vector<Target>& targets, const char* verb) {
  if (!counts(document.content, "sliders")) {
    return "";
  }
  const motion::SliderRig rig = motion::make_slider_rig(*document.character, document.content.behaviour->sliders);
  for (const motion::SliderRig::Row& row : rig.rows) {
    const bool moves = std::ranges::any_of(row.terms, [&](const auto& term) { return rig.values[term.slider] != 0; });
    if (moves && is_among(targets, row.control.joint)) {
      return fmt::format("a slider moves {}, which {}; bring it back to 0 first", printable(row.target, 60), verb);
    }
  }
  return "";
}

// Pins, drivers and constraints work between the clip and the springs: they would take the place of what was baked, or
// change it again.
std::string moved_before_springs(const Document& document, const std::vector<Target>& targets) {
  const Content& content = document.content;
  const rig::Character& character = *document.character;
  const auto sentence = [&](const char* what, int joint, const char* then) {
    return fmt::format("{} {}, which swings; {} first", what, printable(character.skeleton->label(joint), 60), then);
  };
  if (counts(content, "pins")) {
    for (const Target& target : pinned(document)) {
      if (is_among(targets, target.joint)) {
        return sentence("a pin moves", target.joint, "bake the pins");
      }
    }
  }
  if (counts(content, "drivers")) {
    for (const motion::DriverRig::Row& row : motion::make_driver_rig(character, content.behaviour->drivers).rows) {
      if (is_among(targets, row.target.joint)) {
        return sentence("a driver moves", row.target.joint, "switch the driver off");
      }
    }
  }
  if (counts(content, "constraints")) {
    for (const motion::ConstraintRig::Row& row :
         motion::make_constraint_rig(character, content.behaviour->constraints).rows) {
      if (row.says.weight > 0 && is_among(targets, row.joint)) {
        return sentence("a constraint moves", row.joint, "switch the constraint off");
      }
    }
    for (const rig::NodeConstraint& constraint : character.constraints) {
      if (is_among(targets, constraint.joint)) {
        return sentence("a constraint of the file moves", constraint.joint, "switch the layer Constraints off");
      }
    }
  }
  return "";
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
  constexpr std::string_view kBaked = " baked";
  clip.name =
      own_clip_name(single_line(main.name.empty() ? "clip" : main.name, kLongestName - kBaked.size()).append(kBaked),
                    character.clips);
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
  if (std::string why = moved_by_clip_layers(document, targets, "swings"); !why.empty()) {
    return why;
  }
  if (std::string why = moved_by_sliders(document, targets, "swings"); !why.empty()) {
    return why;
  }
  if (std::string why = moved_before_springs(document, targets); !why.empty()) {
    return why;
  }
  return not_into_clip(document, targets);
}

void carry_out(const Document& document, const BakeSprings& change, Content& content, View&) {
  if (!refusal(document, change).empty()) {
    return;
  }
  bake_into_clip(document, swinging(document), -1, content);
  for (const motion::SpringRig::Bone& bone :
       motion::make_spring_rig(*document.character, document.content.behaviour->springs).bones) {
    if (content.overrides->contains(bone.joint)) {
      content.overrides.edit().erase(bone.joint);
    }
  }
  for (motion::SpringChain& chain : content.behaviour.edit().springs.chains) {
    chain.on = false;
  }
}

std::string label(const Document&, const BakePins&) {
  return "Bake the pins to keys";
}

std::string refusal(const Document& document, const BakePins&) {
  if (document.content.clip < 0) {
    return "there is no clip for the keys";
  }
  if (document.content.pins.empty() || !counts(document.content, "pins")) {
    return "nothing is pinned";
  }
  const std::vector<Target> targets = pinned(document);
  if (std::string why = moved_by_clip_layers(document, targets, "is pinned"); !why.empty()) {
    return why;
  }
  if (std::string why = moved_by_sliders(document, targets, "is pinned"); !why.empty()) {
    return why;
  }
  return not_into_clip(document, targets);
}

void carry_out(const Document& document, const BakePins& change, Content& content, View&) {
  if (!refusal(document, change).empty()) {
    return;
  }
  const auto layer = std::ranges::find(content.pose_layers, "pins", &rig::Layer::kind);
  const std::vector<Target> targets = pinned(document);
  bake_into_clip(document, targets, static_cast<int>(layer - content.pose_layers.begin()) + 1, content);
  for (const Target& target : targets) {
    if (content.overrides->contains(target.joint)) {
      content.overrides.edit().erase(target.joint);
    }
  }
  content.pins = {};
}

}  // namespace pelt::edit
