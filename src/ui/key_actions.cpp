#include "ui/key_actions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/index.h"
#include "ui/key_editor.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

KeyEditor& editor_of(const Desk& desk) {
  return desk.workspace.panel<KeyEditor>();
}

const rig::Clip* playing_clip(const Desk& desk) {
  const int clip = desk.document().content.clip;
  return has_index(desk.character().clips, clip) ? &desk.character().clips[clip] : nullptr;
}

// Of the selected joints, or of all where the clip moves none of them.
std::vector<const rig::Channel*> meant_channels(const Desk& desk) {
  const std::vector<int>& joints = desk.document().view.selected_joints;
  std::vector<const rig::Channel*> of_selected;
  std::vector<const rig::Channel*> all;
  for (const rig::Channel& channel : playing_clip(desk)->channels) {
    all.push_back(&channel);
    if (std::ranges::find(joints, channel.joint) != joints.end()) {
      of_selected.push_back(&channel);
    }
  }
  return of_selected.empty() ? all : of_selected;
}

}  // namespace

void insert_keys(Desk& desk) {
  if (playing_clip(desk) == nullptr) {
    return;
  }
  const edit::Document& document = desk.document();
  edit::KeyJoints change{document.content.clip, document.view.selected_joints};
  for (const auto& [joint, posed] : *document.content.overrides) {
    if (change.joints.empty() || std::ranges::find(change.joints, joint) == change.joints.end()) {
      change.joints.push_back(joint);
    }
  }
  for (const auto& [morph, weight] : *document.content.morph_overrides) {
    change.morphs.push_back(morph);
  }
  if (change.joints.empty() && change.morphs.empty()) {
    desk.workspace.notice =
        Notice{Severity::kInfo, "Select the joints that are to get a key, or pose something", desk.scene.now};
    return;
  }
  desk.change(std::move(change));
}

void remove_selected_keys(Desk& desk) {
  KeyEditor& editor = editor_of(desk);
  if (playing_clip(desk) != nullptr && !editor.selected.empty()) {
    desk.change(edit::RemoveKeys{desk.document().content.clip, editor.selected});
    editor.selected.clear();
  }
}

void copy_keys(Desk& desk) {
  if (playing_clip(desk) != nullptr && has_selected_keys(desk)) {
    editor_of(desk).copied = edit::copied_keys(*playing_clip(desk), editor_of(desk).selected);
  }
}

void paste_keys(Desk& desk) {
  KeyEditor& editor = editor_of(desk);
  if (playing_clip(desk) == nullptr || editor.copied.empty()) {
    return;
  }
  const float first = std::ranges::min_element(editor.copied, {}, &edit::KeyValue::time)->time;
  const double begin = snapped(desk, static_cast<double>(desk.document().view.time));  // distances between keys stay
  edit::SetKeys change{desk.document().content.clip, editor.copied};
  edit::KeySelection pasted;
  for (edit::KeyValue& key : change.keys) {
    key.time = static_cast<float>(begin + (static_cast<double>(key.time) - static_cast<double>(first)));
    auto channel = std::ranges::find(pasted, key.channel, &edit::ChannelKeys::channel);
    if (channel == pasted.end()) {
      channel = pasted.insert(pasted.end(), {key.channel, {}});
    }
    channel->times.push_back(key.time);
  }
  editor.selected = mapped(pasted, {});
  desk.change(std::move(change));
}

void go_to_key(Desk& desk, int direction) {
  if (playing_clip(desk) == nullptr) {
    return;
  }
  const float now = desk.document().view.time;
  float best = now;
  for (const rig::Channel* channel : meant_channels(desk)) {
    if (direction > 0) {
      const auto next = std::ranges::upper_bound(channel->times, now);
      if (next != channel->times.end() && (best == now || *next < best)) {
        best = *next;
      }
    } else if (const auto here = std::ranges::lower_bound(channel->times, now); here != channel->times.begin()) {
      best = best == now ? *(here - 1) : std::max(best, *(here - 1));
    }
  }
  desk.workspace.playback.playing = false;
  desk.requests.commands.push_back({edit::SetTime{best}, {}, false});
}

void select_all_keys(Desk& desk) {
  if (playing_clip(desk) == nullptr) {
    return;
  }
  edit::KeySelection all;
  for (const rig::Channel* channel : meant_channels(desk)) {
    all.push_back({edit::id_of(*channel), channel->times});
  }
  editor_of(desk).selected = std::move(all);
}

void snap_selected_keys(Desk& desk) {
  KeyEditor& editor = editor_of(desk);
  if (playing_clip(desk) == nullptr || editor.selected.empty()) {
    return;
  }
  const rig::TimeMap map{.frame_rate = frame_rate(desk)};
  desk.change(edit::MoveKeys{desk.document().content.clip, editor.selected, map});
  editor.selected = mapped(editor.selected, map);
}

void toggle_auto_key(Desk& desk) {
  edit::TimeSettings timing = desk.document().view.timing;
  timing.auto_key = !timing.auto_key;
  desk.requests.timing = timing;
}

bool has_selected_keys(const Desk& desk) {
  return !editor_of(desk).selected.empty();
}

bool has_copied_keys(const Desk& desk) {
  return !editor_of(desk).copied.empty();
}

}  // namespace pelt::ui
