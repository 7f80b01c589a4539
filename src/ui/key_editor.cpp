#include "ui/key_editor.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "ui/curve_view.h"
#include "ui/dope_sheet.h"
#include "ui/icons.h"
#include "ui/ink.h"
#include "ui/layer_bars.h"
#include "ui/playback.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kKeyRuler = 20;          // layout units
constexpr float kKeyNames = 150;         // the same, at most
constexpr float kKeyGrip = 5;            // border that changes the height
constexpr float kLeastKeyHeight = 90;    // of the editor
constexpr float kMostKeyHeight = 0.42f;  // of the window
constexpr double kFitMargin = 0.03;      // of the width, at each side
constexpr double kZoomPerNotch = 1.2;    // of the wheel
constexpr double kMostZoom = 20000;      // pixels per second
constexpr double kLeastZoom = 0.05;

const rig::Clip& clip_of(const Desk& desk) {
  return desk.character().clips[desk.document().content.clip];
}

// Steps that people count in: 1, 2, 5 and so on frames, or seconds.
double tick_step(double shortest, double unit) {
  const double wanted = std::max(shortest / unit, 1e-9);
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= wanted) {
      return factor * power * unit;
    }
  }
  return 10 * power * unit;
}

void draw_ticks(const TrackArea& area, float bottom, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const edit::TimeSettings& timing = desk.document().view.timing;
  const double rate = frame_rate(desk);
  const double unit = timing.in_seconds ? 1 : 1 / rate;
  double step = tick_step(static_cast<double>(desk.theme.px(52)) / area.per_second, unit);
  step = timing.in_seconds ? step : std::max(step, unit);
  const double last = area.time(area.rect.x + area.rect.w);
  ImGui::PushFont(desk.theme.small);
  // Counted: where times are huge, the next one may be the same number.
  const int most = static_cast<int>(area.rect.w / desk.theme.px(26)) + 2;
  const double begin = std::ceil(std::max(area.first, 0.0) / step);
  for (int i = 0; i < most && (begin + i) * step <= last; ++i) {
    const double n = begin + i;
    const float x = std::floor(area.x(n * step));
    list.AddRectFilled(ImVec2(x, area.rect.y + area.rect.h * 0.45f), ImVec2(x + 1, area.rect.y + area.rect.h),
                       color::kTextDim);
    list.AddRectFilled(ImVec2(x, area.rect.y + area.rect.h), ImVec2(x + 1, bottom), faded(color::kTextDim, 0.14f));
    const std::string label =
        timing.in_seconds ? fmt::format("{:g}", n * step) : fmt::format("{:.0f}", n * step * rate);
    list.AddText(ImVec2(x + desk.theme.px(3), area.rect.y), faded(color::kTextDim, 0.95f), label.c_str());
  }
  ImGui::PopFont();
}

// What lies outside of the clip and of the work range is darker.
void draw_ranges(const TrackArea& area, float bottom, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const edit::TimeRange range = edit::played_range(desk.document(), desk.document().content.clip);
  const float left = std::clamp(area.x(range.start), area.rect.x, area.rect.x + area.rect.w);
  const float right = std::clamp(area.x(range.end), area.rect.x, area.rect.x + area.rect.w);
  const ImU32 shade = IM_COL32(0, 0, 0, 70);
  list.AddRectFilled(ImVec2(area.rect.x, area.rect.y), ImVec2(left, bottom), shade);
  list.AddRectFilled(ImVec2(right, area.rect.y), ImVec2(area.rect.x + area.rect.w, bottom), shade);
  if (desk.document().view.timing.has_work_range()) {
    list.AddRectFilled(ImVec2(left, area.rect.y), ImVec2(right, area.rect.y + desk.theme.px(3)), color::kAccentSoft);
  }
}

void draw_playhead(const TrackArea& area, float bottom, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float x = std::floor(area.x(desk.document().view.time));
  if (x < area.rect.x || x > area.rect.x + area.rect.w) {
    return;
  }
  const bool keys = desk.document().view.timing.auto_key;  // red as a camera that records
  const ImU32 ink = keys ? color::kError : color::kAccent;
  list.AddRectFilled(ImVec2(x, area.rect.y), ImVec2(x + desk.theme.px(1), bottom), ink);
  const std::string label = time_text(desk, desk.document().view.time);
  ImGui::PushFont(desk.theme.small);
  const float width = ImGui::CalcTextSize(label.c_str()).x + desk.theme.px(8);
  const float left =
      std::clamp(x - width * 0.5f, area.rect.x, std::max(area.rect.x, area.rect.x + area.rect.w - width));
  list.AddRectFilled(ImVec2(left, area.rect.y), ImVec2(left + width, area.rect.y + area.rect.h - desk.theme.px(3)), ink,
                     desk.theme.px(3));
  list.AddText(ImVec2(left + desk.theme.px(4), area.rect.y + desk.theme.px(1)), ink_on(ink), label.c_str());
  ImGui::PopFont();
}

void scrub(const TrackArea& area, Desk& desk) {
  ImGui::SetCursorScreenPos(ImVec2(area.rect.x, area.rect.y));
  ImGui::InvisibleButton("##ruler", ImVec2(std::max(1.0f, area.rect.w), area.rect.h));
  report_item(desk, "keys.ruler");
  tip("Drag to scrub; Shift goes between frames");
  if (ImGui::IsItemActive()) {
    desk.workspace.playback.playing = false;
    const double time = area.time(ImGui::GetIO().MousePos.x);
    const auto wanted = static_cast<float>(ImGui::GetIO().KeyShift ? time : snapped(desk, time));
    if (wanted != desk.document().view.time) {
      desk.change(edit::SetTime{wanted}, "scrub");
    }
  }
  desk.requests.end_merge |= ImGui::IsItemDeactivated();
}

// The wheel zooms about the mouse; with Shift, and over the names, it goes up and down. The middle button pans.
void move_view(KeyEditor& editor, const TrackArea& area, const Rect& whole, float rows_height, Desk& desk) {
  const ImGuiIO& io = ImGui::GetIO();
  const glm::vec2 mouse(io.MousePos.x, io.MousePos.y);
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && whole.contains(mouse.x, mouse.y)) {
    const bool over_tracks = mouse.x >= area.rect.x;
    if (io.MouseWheel != 0 && over_tracks && io.KeyCtrl && editor.view == KeyView::kCurves) {
      const double share = static_cast<double>(area.rect.y + area.rect.h - mouse.y) / std::max(1.0f, area.rect.h);
      const double value = editor.lowest + share * (editor.highest - editor.lowest);
      const double factor = std::pow(1 / kZoomPerNotch, static_cast<double>(io.MouseWheel));
      editor.lowest = value + (editor.lowest - value) * factor;
      editor.highest = value + (editor.highest - value) * factor;
    } else if (io.MouseWheel != 0 && over_tracks && !io.KeyShift) {
      const double time = area.time(mouse.x);
      editor.per_second = std::clamp(editor.per_second * std::pow(kZoomPerNotch, static_cast<double>(io.MouseWheel)),
                                     kLeastZoom, kMostZoom);
      editor.first = time - (static_cast<double>(mouse.x) - static_cast<double>(area.rect.x)) / editor.per_second;
    } else if (io.MouseWheel != 0) {
      editor.scroll -= io.MouseWheel * 3 * key_row_height(desk);
    }
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0)) {
      editor.first -= static_cast<double>(io.MouseDelta.x) / editor.per_second;
      if (editor.view == KeyView::kDopeSheet) {
        editor.scroll -= io.MouseDelta.y;
      } else {
        const double per_pixel = (editor.highest - editor.lowest) / std::max(1.0f, area.rect.h);
        editor.lowest += static_cast<double>(io.MouseDelta.y) * per_pixel;
        editor.highest += static_cast<double>(io.MouseDelta.y) * per_pixel;
      }
    }
  }
  editor.scroll = std::clamp(editor.scroll, 0.0f, std::max(0.0f, rows_height - area.rect.h));
}

void fit_if_wanted(KeyEditor& editor, float width, Desk& desk) {
  if (editor.per_second > 0 || width <= 0) {
    return;
  }
  const edit::TimeRange range = edit::playhead_range(desk.document(), desk.document().content.clip);
  const double length = std::max(static_cast<double>(range.end) - static_cast<double>(range.start), 1.0 / 30);
  editor.per_second = static_cast<double>(width) * (1 - 2 * kFitMargin) / length;
  editor.first = static_cast<double>(range.start) - static_cast<double>(width) * kFitMargin / editor.per_second;
}

void draw_header(KeyEditor& editor, const Rect& rect, Desk& desk) {
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(desk.theme.px(3), 0));
  const float gap = desk.theme.px(6);
  if (icon_button(desk, "keys.sheet", icon::kTable, "Dope sheet: when there are keys",
                  editor.view == KeyView::kDopeSheet)) {
    editor.view = KeyView::kDopeSheet;
  }
  ImGui::SameLine(0, gap);
  if (icon_button(desk, "keys.curves", icon::kPlot, "Curves of the selected joint", editor.view == KeyView::kCurves)) {
    editor.view = KeyView::kCurves;
  }
  ImGui::SameLine(0, gap);
  if (icon_button(desk, "keys.only-selected", icon::kCursor, "Rows of selected joints alone", editor.only_selected)) {
    editor.only_selected = !editor.only_selected;
  }
  ImGui::SameLine(0, gap);
  if (icon_button(desk, "keys.fit", icon::kTarget, "Show the whole clip (double click in the tracks)")) {
    fit_time(editor);
  }
  ImGui::PopStyleVar();
}

void drag_border(KeyEditor& editor, const Rect& rect, Desk& desk) {
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::InvisibleButton("##keys.border", ImVec2(std::max(1.0f, rect.w), rect.h));
  report_item(desk, "keys.border");
  if (ImGui::IsItemActive() || ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(rect.x, rect.y + 1), ImVec2(rect.x + rect.w, rect.y + rect.h - 1),
                                              color::kAccentSoft);
  }
  if (ImGui::IsItemActive()) {
    editor.height = std::max(kLeastKeyHeight, editor.height - ImGui::GetIO().MouseDelta.y / desk.theme.scale);
  }
}

}  // namespace

bool edits_keys(const Desk& desk) {
  return desk.workspace.mode == "animate" && desk.document().content.clip >= 0;
}

float key_editor_height(const Desk& desk) {
  const float window = ImGui::GetIO().DisplaySize.y;
  return std::floor(std::min(desk.theme.px(desk.workspace.panel<KeyEditor>().height), kMostKeyHeight * window));
}

float frame_rate(const Desk& desk) {
  const int clip = desk.document().content.clip;
  if (desk.document().view.timing.frame_rate > 0 || !has_index(desk.character().clips, clip)) {
    return edit::frame_rate(desk.document());
  }
  KeyEditor& editor = desk.workspace.panel<KeyEditor>();
  if (editor.rate == 0 || editor.rate_of != clip || editor.rate_among != desk.character().clips.size() ||
      editor.rate_in != desk.document().file) {
    editor.rate_of = clip;
    editor.rate_among = desk.character().clips.size();
    editor.rate_in = desk.document().file;
    editor.rate = edit::frame_rate(desk.document());
  }
  return editor.rate;
}

std::string time_text(const Desk& desk, double time) {
  if (desk.document().view.timing.in_seconds) {
    return fmt::format("{:.2f} s", time);
  }
  const double frame = time * static_cast<double>(frame_rate(desk));
  return std::abs(frame - std::round(frame)) < 0.005 ? fmt::format("{:.0f}", std::round(frame))
                                                     : fmt::format("{:.2f}", frame);
}

double snapped(const Desk& desk, double time) {
  const double rate = frame_rate(desk);
  return desk.document().view.timing.snaps ? std::round(time * rate) / rate : time;
}

void fit_time(KeyEditor& editor) {
  editor.per_second = 0;
  editor.lowest = editor.highest = 0;
}

bool is_selected(const edit::KeySelection& keys, const edit::ChannelId& channel, float time) {
  const auto found = std::ranges::find(keys, channel, &edit::ChannelKeys::channel);
  return found != keys.end() && std::ranges::binary_search(found->times, time);
}

namespace {

std::map<edit::ChannelId, std::set<float>> by_channel(const edit::KeySelection& keys) {
  std::map<edit::ChannelId, std::set<float>> out;
  for (const edit::ChannelKeys& one : keys) {
    out[one.channel].insert(one.times.begin(), one.times.end());
  }
  return out;
}

edit::KeySelection as_selection(const std::map<edit::ChannelId, std::set<float>>& keys) {
  edit::KeySelection out;
  for (const auto& [channel, times] : keys) {
    if (!times.empty()) {
      out.push_back({channel, {times.begin(), times.end()}});
    }
  }
  return out;
}

}  // namespace

void select_keys(KeyEditor& editor, const edit::KeySelection& picked) {
  const edit::SelectBy by = select_by_keys();
  auto keys =
      by == edit::SelectBy::kReplace ? std::map<edit::ChannelId, std::set<float>>() : by_channel(editor.selected);
  for (const auto& [channel, times] : by_channel(picked)) {
    for (const float time : times) {
      if (!keys[channel].insert(time).second && by == edit::SelectBy::kToggle) {
        keys[channel].erase(time);
      }
    }
  }
  editor.selected = as_selection(keys);
}

std::optional<std::pair<float, float>> selected_span(const edit::KeySelection& keys) {
  std::optional<std::pair<float, float>> span;
  for (const edit::ChannelKeys& one : keys) {
    if (one.times.empty()) {
      continue;
    }
    const std::pair<float, float> own{one.times.front(), one.times.back()};
    span = span ? std::pair{std::min(span->first, own.first), std::max(span->second, own.second)} : own;
  }
  return span && span->first < span->second ? span : std::nullopt;
}

edit::KeySelection mapped(const edit::KeySelection& keys, const rig::TimeMap& map) {
  std::map<edit::ChannelId, std::set<float>> out;
  for (const edit::ChannelKeys& one : keys) {
    for (const float time : one.times) {
      out[one.channel].insert(map(time));
    }
  }
  return as_selection(out);
}

void follow_clip(KeyEditor& editor, const Desk& desk) {
  const int clip = desk.document().content.clip;
  if (editor.clip != clip || editor.clip_count != desk.character().clips.size()) {
    editor.clip = clip;
    editor.clip_count = desk.character().clips.size();
    editor.selected.clear();
    editor.drag.reset();
    editor.scroll = 0;
    fit_time(editor);
  }
  // What this picture has asked for is not done yet, and the keys that it selects may come with it.
  if (editor.drag || !desk.requests.commands.empty() || !has_index(desk.character().clips, clip)) {
    return;
  }
  const rig::Clip& shown = clip_of(desk);
  for (edit::ChannelKeys& keys : editor.selected) {
    const rig::Channel* const channel = edit::find_channel(shown, keys.channel);
    std::erase_if(keys.times, [&](float time) { return channel == nullptr || !rig::find_key(*channel, time); });
  }
  std::erase_if(editor.selected, [](const edit::ChannelKeys& keys) { return keys.times.empty(); });
}

void draw(KeyEditor& editor, Desk& desk) {
  follow_clip(editor, desk);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float grip = desk.theme.px(kKeyGrip);
  const Rect border{at.x, at.y, room.x, grip};
  const Rect whole{at.x, at.y + grip, room.x, std::max(1.0f, room.y - grip)};
  drag_border(editor, border, desk);
  const float names_width = std::min(desk.theme.px(kKeyNames), 0.35f * whole.w);
  const float ruler_height = desk.theme.px(kKeyRuler);
  fit_if_wanted(editor, whole.w - names_width, desk);
  // Half of the height is for keys, however many layers there are.
  const float bars = std::min(layer_bars_height(desk), std::max(0.0f, 0.5f * (whole.h - ruler_height)));
  TrackArea area{{whole.x + names_width, whole.y + ruler_height + bars, whole.w - names_width,
                  std::max(1.0f, whole.h - ruler_height - bars)},
                 editor.first,
                 editor.per_second};
  const std::vector<KeyRow> rows = key_rows(editor, desk);
  const float rows_height =
      editor.view == KeyView::kDopeSheet ? static_cast<float>(rows.size()) * key_row_height(desk) : 0;
  move_view(editor, area, whole, rows_height, desk);
  area.first = editor.first;
  area.per_second = editor.per_second;
  TrackArea ruler = area;
  ruler.rect.y = whole.y;
  ruler.rect.h = ruler_height;
  const float bottom = whole.y + whole.h;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(ImVec2(ruler.rect.x, ruler.rect.y), ImVec2(ruler.rect.x + ruler.rect.w, bottom), color::kField);
  draw_header(editor, {whole.x, whole.y, names_width, ruler_height}, desk);
  list.PushClipRect(ImVec2(ruler.rect.x, ruler.rect.y), ImVec2(ruler.rect.x + ruler.rect.w, bottom), true);
  draw_ranges(ruler, bottom, desk);
  draw_ticks(ruler, bottom, desk);
  list.PopClipRect();
  scrub(ruler, desk);
  if (bars > 0) {
    const Rect strip{whole.x, whole.y + ruler_height, whole.w, bars};
    list.PushClipRect(ImVec2(strip.x, strip.y), ImVec2(strip.x + strip.w, strip.y + strip.h), true);
    TrackArea tracks = area;
    tracks.rect.y = strip.y;
    tracks.rect.h = bars;
    draw_layer_bars(desk.workspace.panel<LayerBars>(), {strip.x, strip.y, names_width, bars}, tracks, desk);
    list.PopClipRect();
  }
  const Rect names{whole.x, area.rect.y, names_width, area.rect.h};
  if (editor.view == KeyView::kDopeSheet) {
    draw_row_names(editor, rows, names, desk);
    draw_dope_sheet(editor, rows, area, desk);
  } else {
    draw_curves(editor, names, area, desk);
  }
  list.PushClipRect(ImVec2(ruler.rect.x, ruler.rect.y), ImVec2(ruler.rect.x + ruler.rect.w, bottom), true);
  draw_playhead(ruler, bottom, desk);
  list.PopClipRect();
}

}  // namespace pelt::ui
