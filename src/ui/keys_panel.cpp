#include "ui/keys_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/dope_sheet.h"
#include "ui/ghost_section.h"
#include "ui/key_actions.h"
#include "ui/key_editor.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using rig::Interpolation;
using rig::Tangents;

void draw_time_settings(Desk& desk) {
  const edit::TimeSettings before = desk.document().view.timing;
  edit::TimeSettings timing = before;
  checkbox(desk, "keys.auto", "Automatic keys", timing.auto_key,
           "What is posed becomes keys of the clip at the playhead; without this it is held against the clip");
  row_label(desk, "Frames per second", "0 counts as the clip's keys suggest");
  float rate = timing.frame_rate;
  ImGui::SetNextItemWidth(desk.theme.px(84));
  const std::string shown = rate > 0 ? "%.3g" : fmt::format("auto ({:g})", frame_rate(desk));
  ImGui::DragFloat("##rate", &rate, 0.25f, 0, edit::kFastestFrames, shown.c_str(), ImGuiSliderFlags_AlwaysClamp);
  report_item(desk, "keys.rate");
  timing.frame_rate = rate < edit::kSlowestFrames ? 0 : rate;
  row_label(desk, "Count");
  int unit = timing.in_seconds ? 1 : 0;
  constexpr const char* kUnits[] = {"Frames", "Seconds"};
  if (segmented(desk, "keys.unit", kUnits, unit)) {
    timing.in_seconds = unit == 1;
  }
  checkbox(desk, "keys.snap", "Keys go to whole frames", timing.snaps, "Shift while dragging: anywhere");
  const int clip = desk.document().content.clip;
  bool works = timing.has_work_range();
  if (checkbox(desk, "keys.work", "Work range", works, "What plays, also where the clip has no keys yet")) {
    const edit::TimeRange range = edit::playhead_range(desk.document(), clip);
    timing.work_start = range.start;
    timing.work_end = works ? std::max(range.end, range.start + 1) : -1;
  }
  if (timing.has_work_range()) {
    const float factor = timing.in_seconds ? 1 : frame_rate(desk);
    float range[] = {timing.work_start * factor, timing.work_end * factor};
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (ImGui::DragFloat2("##work", range, timing.in_seconds ? 0.01f : 0.25f, 0, 1e6f,
                          timing.in_seconds ? "%.2f s" : "%.0f") &&
        range[0] >= 0 && range[1] > range[0]) {
      timing.work_start = range[0] / factor;
      timing.work_end = range[1] / factor;
    }
    report_item(desk, "keys.work-range");
  }
  if (timing != before) {
    desk.requests.timing = timing;
  }
}

bool key_button(Desk& desk, const char* id, const char* label, bool enabled, const char* help) {
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::Button(label);
  ImGui::EndDisabled();
  report_item(desk, id);
  tip(help);
  return clicked;
}

void draw_editing(Desk& desk) {
  const bool some = has_selected_keys(desk);
  const float gap = desk.theme.px(4);
  if (key_button(desk, "keys.insert", "Insert", true, "A key of the selected joints at the playhead (K)")) {
    insert_keys(desk);
  }
  ImGui::SameLine(0, gap);
  if (key_button(desk, "keys.remove", "Remove", some, "The selected keys (Delete)")) {
    remove_selected_keys(desk);
  }
  ImGui::SameLine(0, gap);
  if (key_button(desk, "keys.copy", "Copy", some, "The selected keys (Ctrl+C)")) {
    copy_keys(desk);
  }
  ImGui::SameLine(0, gap);
  if (key_button(desk, "keys.paste", "Paste", has_copied_keys(desk), "At the playhead (Ctrl+V)")) {
    paste_keys(desk);
  }
  ImGui::SameLine(0, gap);
  if (key_button(desk, "keys.to-frames", "Snap", some, "The selected keys to whole frames")) {
    snap_selected_keys(desk);
  }
}

// Channels with selected keys, else those of the selected joints.
std::vector<const rig::Channel*> chosen_channels(const KeyEditor& editor, const rig::Clip& clip, const Desk& desk) {
  std::vector<const rig::Channel*> out;
  const std::vector<int>& joints = desk.document().view.selected_joints;
  for (const rig::Channel& channel : clip.channels) {
    const bool is_chosen = editor.selected.empty()
                               ? std::ranges::find(joints, channel.joint) != joints.end()
                               : std::ranges::find(editor.selected, edit::id_of(channel),
                                                   &edit::ChannelKeys::channel) != editor.selected.end();
    if (is_chosen) {
      out.push_back(&channel);
    }
  }
  return out;
}

void draw_interpolation(const std::vector<const rig::Channel*>& channels, Desk& desk) {
  constexpr const char* kKinds[] = {"Step", "Linear", "Cubic"};
  const Interpolation first = channels.front()->interpolation;
  const bool all = std::ranges::all_of(channels, [&](const rig::Channel* c) { return c->interpolation == first; });
  int kind = all ? static_cast<int>(first) : -1;
  row_label(desk, "Between keys", "How the whole channel goes from key to key, as glTF has it");
  if (segmented(desk, "keys.interpolation", kKinds, kind)) {
    edit::SetInterpolation change{desk.document().content.clip, {}, static_cast<Interpolation>(kind)};
    for (const rig::Channel* channel : channels) {
      change.channels.push_back(edit::id_of(*channel));
    }
    desk.change(std::move(change));
  }
}

void draw_tangents(const KeyEditor& editor, const rig::Clip& clip, Desk& desk) {
  constexpr const char* kKinds[] = {"Auto", "Flat", "Free", "Broken"};
  std::set<Tangents> kinds;
  for (const edit::ChannelKeys& keys : editor.selected) {
    const rig::Channel* const channel = edit::find_channel(clip, keys.channel);
    if (channel == nullptr || channel->interpolation != Interpolation::kCubicSpline) {
      continue;
    }
    constexpr std::size_t kEnough = 64;
    for (std::size_t i = 0; i < std::min(keys.times.size(), kEnough); ++i) {
      if (const auto key = rig::find_key(*channel, keys.times[i])) {
        kinds.insert(rig::tangents_of(*channel, *key));
      }
    }
  }
  if (kinds.empty()) {
    return;
  }
  int kind = kinds.size() == 1 ? static_cast<int>(*kinds.begin()) : -1;
  row_label(desk, "Tangents", "Auto does not overshoot; free has one slope, broken one on each side (Alt+drag)");
  if (segmented(desk, "keys.tangents", kKinds, kind)) {
    desk.change(edit::SetTangents{desk.document().content.clip, editor.selected, static_cast<Tangents>(kind)});
  }
}

void draw_time_of(KeyEditor& editor, const edit::ChannelKeys& one, Desk& desk) {
  const edit::TimeSettings& timing = desk.document().view.timing;
  const float factor = timing.in_seconds ? 1 : frame_rate(desk);
  float time = one.times.front() * factor;
  row_label(desk, timing.in_seconds ? "Time" : "Frame");
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  ImGui::InputFloat("##time", &time, 0, 0, timing.in_seconds ? "%.4f s" : "%.2f");
  report_item(desk, "keys.time");
  if (ImGui::IsItemDeactivatedAfterEdit()) {
    const rig::TimeMap map = edit::within_time(
        {.offset = static_cast<double>(time / factor) - static_cast<double>(one.times.front())}, editor.selected);
    desk.change(edit::MoveKeys{desk.document().content.clip, editor.selected, map});
    editor.selected = mapped(editor.selected, map);
  }
}

// The one key that is selected: its time and its value, to be typed.
void draw_value(KeyEditor& editor, const rig::Clip& clip, Desk& desk) {
  const edit::ChannelKeys one = editor.selected.front();
  const rig::Channel* const channel = edit::find_channel(clip, one.channel);
  const auto key = channel == nullptr ? std::nullopt : rig::find_key(*channel, one.times.front());
  if (!key) {
    return;
  }
  draw_time_of(editor, one, desk);
  const std::span<const float> stored = rig::key_value(*channel, *key);
  constexpr const char* kAxes[] = {"x", "y", "z", "w"};
  for (int i = 0; i < channel->width; ++i) {
    float value = stored[i];
    const bool is_shape = channel->path == rig::ChannelPath::kWeights;
    const std::string label = is_shape ? fmt::format("Value {}", i)
                                       : fmt::format("{} {}", channel_label(desk.character(), *channel), kAxes[i]);
    row_label(desk, label.c_str());
    ImGui::PushID(i);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    ImGui::InputFloat("##value", &value, 0, 0, "%.5f");
    report_item(desk, fmt::format("keys.value.{}", i));
    if (ImGui::IsItemDeactivatedAfterEdit() && value != stored[i]) {
      std::vector<float> values(stored.begin(), stored.end());
      values[i] = value;
      desk.change(edit::SetKeys{desk.document().content.clip, {{one.channel, one.times.front(), std::move(values)}}});
    }
    ImGui::PopID();
  }
}

}  // namespace

void draw(KeysPanel&, Desk& desk) {
  if (desk.document().content.clip < 0) {
    wrapped_text("Choose a clip below, or make one in the tab Clips.", color::kTextDim);
    return;
  }
  KeyEditor& editor = desk.workspace.panel<KeyEditor>();
  follow_clip(editor, desk);
  const rig::Clip& clip = desk.character().clips[desk.document().content.clip];
  if (section(desk, "Time")) {
    draw_time_settings(desk);
  }
  draw_ghost_section(desk);
  if (!section(desk, "Keys")) {
    return;
  }
  draw_editing(desk);
  const std::size_t count = edit::key_count(editor.selected);
  const std::vector<const rig::Channel*> channels = chosen_channels(editor, clip, desk);
  dim_text(count == 0 ? std::string(channels.empty() ? "No key is selected" : "The channels of the selected joints")
                      : count_of(static_cast<std::int64_t>(count), "key is selected", "keys are selected"));
  report_item(desk, "keys.count");
  if (!channels.empty()) {
    draw_interpolation(channels, desk);
  }
  draw_tangents(editor, clip, desk);
  if (count == 1) {
    draw_value(editor, clip, desk);
  }
}

}  // namespace pelt::ui
