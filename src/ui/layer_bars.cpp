#include "ui/layer_bars.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "edit/behaviour_edits.h"
#include "ui/dope_sheet.h"
#include "ui/ink.h"
#include "ui/key_editor.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::size_t kMostBars = 5;  // rows; the tab Clips has the others
constexpr float kBarEnd = 5;          // layout units at the right that change the length

const rig::Clip& main_clip(const Desk& desk) {
  return desk.character().clips[desk.document().content.clip];
}

std::size_t bar_count(const Desk& desk) {
  return std::min(desk.document().content.behaviour->clip_layers.size(), kMostBars);
}

// The end of a layer after the start of the main clip; of one that goes on, the end of that clip.
float end_of(const motion::ClipLayer& layer, const rig::Clip& main) {
  return layer.length > 0 ? layer.start + layer.length : std::max(main.duration(), layer.start);
}

// As the document counts time: whole frames, or any time while Shift is held.
float bar_time(const Desk& desk, float seconds) {
  const float start = main_clip(desk).start;
  const bool is_free = ImGui::GetIO().KeyShift;
  const double at = static_cast<double>(start) + static_cast<double>(seconds);
  return static_cast<float>(is_free ? at : snapped(desk, at)) - start;
}

void drag_bar(LayerBars& bars, std::size_t l, const Rect& bar, const TrackArea& area, Desk& desk) {
  const motion::ClipLayer& layer = desk.document().content.behaviour->clip_layers[l];
  const float mouse_x = ImGui::GetIO().MousePos.x;
  const bool at_end = mouse_x > bar.x + bar.w - desk.theme.px(kBarEnd);
  if (ImGui::IsItemActivated()) {
    bars = {static_cast<int>(l), at_end, mouse_x, layer.start, end_of(layer, main_clip(desk))};
  }
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    const bool by_end = bars.layer == static_cast<int>(l) ? bars.by_end : at_end;
    ImGui::SetMouseCursor(by_end ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_Hand);
  }
  if (bars.layer != static_cast<int>(l)) {
    return;
  }
  if (!ImGui::IsItemActive()) {
    bars.layer = -1;
    desk.requests.end_merge = true;
    return;
  }
  const auto moved = static_cast<float>(static_cast<double>(mouse_x - bars.pressed_at) / area.per_second);
  if (moved == 0) {
    return;
  }
  edit::SetClipLayers change{desk.document().content.behaviour->clip_layers};
  motion::ClipLayer& changed = change.layers[l];
  if (bars.by_end) {
    constexpr float kShortest = 0.01f;  // seconds; a length of 0 would go on for ever
    changed.length = std::max(kShortest, bar_time(desk, bars.began_end + moved) - changed.start);
  } else {
    changed.start = std::max(0.0f, bar_time(desk, bars.began_start + moved));
  }
  if (changed != layer) {
    desk.change(std::move(change), fmt::format("layer-bars.{}", l));
  }
}

void draw_fades(const motion::ClipLayer& layer, const Rect& bar, const TrackArea& area, ImU32 shade) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto pixels = [&](float seconds) {
    return std::clamp(static_cast<float>(static_cast<double>(seconds) * area.per_second), 0.0f, bar.w);
  };
  const float bottom = bar.y + bar.h;
  const float right = bar.x + bar.w;
  if (const float in = pixels(layer.fade_in); in > 0) {
    list.AddTriangleFilled(ImVec2(bar.x, bar.y), ImVec2(bar.x + in, bar.y), ImVec2(bar.x, bottom), shade);
  }
  if (const float out = pixels(layer.fade_out); out > 0) {
    list.AddTriangleFilled(ImVec2(right, bar.y), ImVec2(right, bottom), ImVec2(right - out, bar.y), shade);
  }
}

void draw_one_bar(LayerBars& bars, std::size_t l, const Rect& names, const Rect& row, const TrackArea& area,
                  Desk& desk) {
  const motion::ClipLayer& layer = desk.document().content.behaviour->clip_layers[l];
  const rig::Clip& main = main_clip(desk);
  const float pad = desk.theme.px(2);
  const float left = area.x(static_cast<double>(main.start + layer.start));
  const float right = area.x(static_cast<double>(main.start + end_of(layer, main)));
  const Rect bar{left, row.y + pad, std::max(right - left, desk.theme.px(6)), row.h - 2 * pad};
  const std::string clip = printable(layer.clip, 60);
  const std::string kind = layer.mode == motion::ClipLayerMode::kAdditive ? "on top" : "cross-fade";
  clipped_text_at({names.x + desk.theme.px(4), row.y + (row.h - ImGui::GetTextLineHeight()) * 0.5f}, clip,
                  names.w - desk.theme.px(8), layer.on ? color::kText : color::kTextDim);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(ImVec2(area.rect.x, row.y), ImVec2(area.rect.x + area.rect.w, row.y + row.h), true);
  const ImU32 ink = layer.mode == motion::ClipLayerMode::kAdditive ? color::kAccentSoft : color::kAccent;
  const ImU32 fill = faded(ink, layer.on ? 0.55f : 0.25f);  // dark enough for the text on it
  list.AddRectFilled(ImVec2(bar.x, bar.y), ImVec2(bar.x + bar.w, bar.y + bar.h), fill, desk.theme.px(3));
  draw_fades(layer, bar, area, faded(color::kField, 0.75f));
  const float seen = std::max(bar.x, area.rect.x);
  clipped_text_at({seen + desk.theme.px(6), row.y + (row.h - ImGui::GetTextLineHeight()) * 0.5f}, kind,
                  bar.x + bar.w - seen - desk.theme.px(8),
                  ink_on(laid_over(color::kField, fill), layer.on ? color::kText : color::kTextDim));
  list.PopClipRect();
  // The part that is in the tracks takes the mouse.
  const float from = std::clamp(bar.x, area.rect.x, area.rect.x + area.rect.w);
  const float to = std::clamp(bar.x + bar.w, area.rect.x, area.rect.x + area.rect.w);
  if (to - from < 1) {
    return;
  }
  ImGui::SetCursorScreenPos(ImVec2(from, bar.y));
  ImGui::InvisibleButton("##bar", ImVec2(to - from, bar.h));
  report_item(desk, fmt::format("layer-bars.{}", l));
  tip(fmt::format("{}, {}: from {} to {}. Drag to move it, its right end for its length; Shift goes between frames",
                  clip, kind, time_text(desk, static_cast<double>(main.start + layer.start)),
                  time_text(desk, static_cast<double>(main.start + end_of(layer, main)))));
  drag_bar(bars, l, bar, area, desk);
}

}  // namespace

float layer_bars_height(const Desk& desk) {
  return static_cast<float>(bar_count(desk)) * key_row_height(desk);
}

void draw_layer_bars(LayerBars& bars, const Rect& names, const TrackArea& area, Desk& desk) {
  const float height = key_row_height(desk);
  const std::size_t count = bar_count(desk);
  bars.layer = bars.layer < static_cast<int>(count) ? bars.layer : -1;
  ImGui::PushID("layer-bars");
  for (std::size_t l = 0; l < count; ++l) {
    const Rect row{area.rect.x, area.rect.y + static_cast<float>(l) * height, area.rect.w, height};
    ImGui::PushID(static_cast<int>(l));
    draw_one_bar(bars, l, names, row, area, desk);
    ImGui::PopID();
  }
  ImGui::PopID();
}

}  // namespace pelt::ui
