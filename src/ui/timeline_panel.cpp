#include "ui/timeline_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/key_editor.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kBarHeight = 34;

std::string clip_label(const rig::Character& character, int clip) {
  if (clip < 0) {
    return "No clip (rest pose)";
  }
  const std::string& name = character.clips[clip].name;
  return name.empty() ? fmt::format("clip {}", clip) : printable(name);
}

// The step between labelled ticks: 1, 2 or 5 times a power of ten of at least `shortest` seconds.
float nice_step(float shortest) {
  const float power = std::pow(10.0f, std::floor(std::log10(std::max(shortest, 1e-4f))));
  for (const float factor : {1.0f, 2.0f, 5.0f}) {
    if (factor * power >= shortest) {
      return factor * power;
    }
  }
  return 10 * power;
}

void gather_keys(TimelinePanel& panel, const rig::Clip& clip, int joint) {
  panel.keys.clear();
  panel.joint_keys.clear();
  for (const rig::Channel& channel : clip.channels) {
    panel.keys.insert(panel.keys.end(), channel.times.begin(), channel.times.end());
    if (channel.joint == joint) {
      panel.joint_keys.insert(panel.joint_keys.end(), channel.times.begin(), channel.times.end());
    }
  }
  for (std::vector<float>* keys : {&panel.keys, &panel.joint_keys}) {
    std::sort(keys->begin(), keys->end());
    keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
  }
}

// Ticks closer than two pixels add nothing.
void draw_keys(const std::vector<float>& keys, float start, float per_second, float x0, float top, float bottom,
               ImU32 ink, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float last = -1e9f;
  for (const float key : keys) {
    const float x = std::floor(x0 + (key - start) * per_second);
    if (x - last >= 2) {
      list.AddRectFilled(ImVec2(x, top), ImVec2(x + width, bottom), ink);
      last = x;
    }
  }
}

void draw_bar(TimelinePanel& panel, const rig::Clip& clip, Desk& desk) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = desk.theme.px(kBarHeight);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float margin = desk.theme.px(9);
  const float x0 = at.x + margin;
  const float x1 = at.x + width - margin;
  const float length = std::max(clip.duration(), 1e-6f);
  const float per_second = (x1 - x0) / length;

  ImGui::InvisibleButton("##scrub", ImVec2(width, height));
  report_item(desk, "timeline.scrub");
  if (ImGui::IsItemActive()) {
    desk.workspace.playback.playing = false;
    float time = clip.start + std::clamp((ImGui::GetIO().MousePos.x - x0) / per_second, 0.0f, length);
    if (ImGui::GetIO().KeyShift) {
      time = step_frames(time, 0, frame_rate(desk), clip.start, clip.end);
    }
    if (time != desk.document().view.time) {
      desk.change(edit::SetTime{time}, "scrub");
    }
  }
  desk.requests.end_merge |= ImGui::IsItemDeactivated();

  const float middle = at.y + std::floor(height * 0.5f);
  list.AddRectFilled(at, ImVec2(at.x + width, at.y + height), color::kField, ImGui::GetStyle().FrameRounding);
  ImGui::PushFont(desk.theme.small);
  const float step = nice_step(desk.theme.px(64) / per_second);
  const int decimals = step >= 1 ? 0 : step >= 0.1f ? 1 : step >= 0.01f ? 2 : 3;
  const float first = std::ceil(clip.start / step - 1e-3f) * step;
  const int most = static_cast<int>(width / desk.theme.px(32)) + 2;  // where times are huge, two may be one number
  for (int i = 0; i < most && first + static_cast<float>(i) * step <= clip.end + 1e-4f; ++i) {
    const float second = first + static_cast<float>(i) * step;
    const float x = std::floor(x0 + (second - clip.start) * per_second);
    list.AddRectFilled(ImVec2(x, at.y), ImVec2(x + 1, at.y + desk.theme.px(5)), color::kTextDim);
    const std::string label = fmt::format("{:.{}f}", second, decimals);
    const float label_width = ImGui::CalcTextSize(label.c_str()).x;
    if (x + desk.theme.px(4) + label_width < at.x + width) {
      list.AddText(ImVec2(x + desk.theme.px(4), at.y), faded(color::kTextDim, 0.9f), label.c_str());
    }
  }
  ImGui::PopFont();
  const float bottom = at.y + height - desk.theme.px(3);
  draw_keys(panel.keys, clip.start, per_second, x0, middle + desk.theme.px(3), bottom, IM_COL32(98, 106, 120, 255), 1);
  draw_keys(panel.joint_keys, clip.start, per_second, x0, middle + desk.theme.px(1), bottom, color::kWarning,
            std::max(1.0f, desk.theme.px(1.5f)));

  const float x =
      std::floor(x0 + (std::clamp(desk.document().view.time, clip.start, clip.end) - clip.start) * per_second);
  list.AddRectFilled(ImVec2(at.x + desk.theme.px(1), bottom + desk.theme.px(1)), ImVec2(x, at.y + height),
                     faded(color::kAccent, 0.6f));
  list.AddRectFilled(ImVec2(x - 1, at.y), ImVec2(x + desk.theme.px(1), at.y + height), color::kAccent);
  const float r = desk.theme.px(5);
  list.AddTriangleFilled(ImVec2(x - r, at.y), ImVec2(x + r, at.y), ImVec2(x, at.y + r * 1.3f), color::kAccent);
}

void action_button(const char* id, const char* icon, Desk& desk, bool on = false) {
  const Action* action = find_action(id);
  const std::string help = fmt::format("{} ({})", action->label, name_of(action->key));
  if (icon_button(desk, id, icon, help, on, enabled(*action, desk))) {
    run(*action, desk);
  }
}

}  // namespace

float timeline_height(const Desk& desk) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float controls = ImGui::GetFrameHeight() + 2 * desk.theme.px(6);
  if (edits_keys(desk)) {
    return controls + key_editor_height(desk);
  }
  return desk.character().clips.empty() || desk.document().content.clip < 0
             ? controls
             : controls + desk.theme.px(kBarHeight) + style.ItemSpacing.y;
}

void draw(TimelinePanel& panel, Desk& desk) {
  const rig::Character& character = desk.character();
  const edit::Document& document = desk.document();
  const int current = document.content.clip;
  const rig::Clip* clip = current >= 0 ? &character.clips[current] : nullptr;
  // The bar alone shows them; the dope sheet has its own.
  const bool shows_keys = !edits_keys(desk);
  if (shows_keys &&
      (!panel.clips.is(character.clips) || panel.clip != current || panel.joint != document.view.selected_joint())) {
    panel.clips = character.clips;
    panel.clip = current;
    panel.joint = document.view.selected_joint();
    if (clip != nullptr) {
      gather_keys(panel, *clip, panel.joint);
    }
  }
  const float available = ImGui::GetContentRegionAvail().x;
  const bool narrow = available < desk.theme.px(820);
  if (character.clips.empty()) {
    ImGui::AlignTextToFramePadding();
    dim_text(desk.workspace.mode == "animate" ? "This character has no clips: make one in the tab Clips"
                                              : "This character has no clips");
    return;
  }
  // Where keys are edited, what is being made counts: a new clip has no length yet.
  const edit::TimeRange range = clip == nullptr    ? edit::TimeRange{}
                                : edits_keys(desk) ? edit::played_range(document, current)
                                                   : edit::TimeRange{clip->start, clip->end};
  Playback& playback = desk.workspace.playback;
  ImGui::SetNextItemWidth(desk.theme.px(narrow ? 150.0f : 220.0f));
  int choice = current + 1;
  if (combo(desk, "timeline.clip", static_cast<int>(character.clips.size()) + 1, choice,
            [&](int i) { return clip_label(character, i - 1); })) {
    desk.change(edit::SetClip{choice - 1});
    playback.direction = 1;
  }
  const float gap = desk.theme.px(2);
  ImGui::SameLine(0, desk.theme.px(10));
  if (!narrow) {
    if (icon_button(desk, "timeline.start", icon::kToStart, "To the start", false, clip != nullptr)) {
      desk.change(edit::SetTime{range.start});
    }
    ImGui::SameLine(0, gap);
  }
  action_button("playback.previous", icon::kStepBack, desk);
  ImGui::SameLine(0, gap);
  action_button("playback.play", playback.playing && clip != nullptr ? icon::kPause : icon::kPlay, desk,
                playback.playing && clip != nullptr);
  ImGui::SameLine(0, gap);
  action_button("playback.next", icon::kStepForward, desk);
  ImGui::SameLine(0, gap);
  if (!narrow) {
    if (icon_button(desk, "timeline.end", icon::kToEnd, "To the end", false, clip != nullptr)) {
      desk.change(edit::SetTime{range.end});
    }
    ImGui::SameLine(0, gap);
  }
  ImGui::SameLine(0, desk.theme.px(10));
  struct LoopChoice {
    LoopMode mode;
    const char* name;
    const char* icon;
    const char* help;
  };
  constexpr LoopChoice kModes[] = {
      {LoopMode::kLoop, "timeline.loop", icon::kLoop, "Loop"},
      {LoopMode::kPingPong, "timeline.ping-pong", icon::kPingPong, "Ping-pong: forth and back"},
      {LoopMode::kOnce, "timeline.once", icon::kOnce, "Once"}};
  for (const LoopChoice& mode : kModes) {
    if (icon_button(desk, mode.name, mode.icon, mode.help, playback.mode == mode.mode)) {
      playback.mode = mode.mode;
      playback.direction = 1;
    }
    ImGui::SameLine(0, gap);
  }
  ImGui::SameLine(0, desk.theme.px(10));
  ImGui::SetNextItemWidth(desk.theme.px(64));
  ImGui::DragFloat("##speed", &playback.speed, 0.01f, 0.05f, 8.0f, "%.2f\u00d7", ImGuiSliderFlags_AlwaysClamp);
  report_item(desk, "timeline.speed");
  tip("Speed; double-click to type");
  if (clip == nullptr) {
    return;
  }
  const float time = document.view.time;
  const float rate = frame_rate(desk);
  // The key editor counts from 0 s, as keys do; else a clip's first frame is its own.
  const float origin = edits_keys(desk) ? 0 : clip->start;
  const float frame = std::round((time - origin) * rate);
  const float frames = std::floor((range.end - origin) * rate + 1e-3f);
  const std::string seconds = fmt::format("{:.2f} / {:.2f} s", time, range.end);
  const std::string frame_text = fmt::format("frame {:.0f} / {:.0f}  at {:.0f} fps", frame, frames, rate);
  const std::string both = narrow ? seconds : seconds + "    " + frame_text;
  const float text_width = ImGui::CalcTextSize(both.c_str()).x;
  ImGui::SameLine(0, 0);
  const float x = available + ImGui::GetStyle().WindowPadding.x - text_width;
  if (x > ImGui::GetCursorPosX()) {
    ImGui::SetCursorPosX(x);
    ImGui::AlignTextToFramePadding();
    dim_text(both);
    tip(document.view.timing.frame_rate > 0
            ? "Frames are counted at the rate that the tab Keys of the Animate mode says"
            : "Frames are counted at the rate the keys suggest; glTF itself only knows seconds");
  } else {
    ImGui::NewLine();
  }
  if (edits_keys(desk)) {
    draw(desk.workspace.panel<KeyEditor>(), desk);
  } else {
    draw_bar(panel, *clip, desk);
  }
}

}  // namespace pelt::ui
