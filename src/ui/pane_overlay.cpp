#include "ui/pane_overlay.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "deform/skinning_methods.h"
#include "render/difference_map.h"
#include "ui/bind_comparison.h"
#include "ui/findings_banner.h"
#include "ui/handle_bar.h"
#include "ui/icons.h"
#include "ui/tools.h"
#include "ui/tooltip.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kHandle = 20;        // layout units across the wipe's line
constexpr float kLeastCaption = 46;  // below this nothing can be read
constexpr float kCaptionChip = 8;
constexpr float kCaptionPad = 6;

constexpr std::string_view kSeparator = " \u00b7 ";

// What a pane is captioned with, the most important first.
std::vector<std::string> caption_of(const deform::SkinningSettings& settings) {
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  char letter = '?';
  for (const deform::NormalVariantInfo& variant : deform::kNormalVariants) {
    letter = variant.variant == deform::normals_under(method, settings.normals) ? variant.letter : letter;
  }
  std::vector<std::string> parts = {std::string(method.label),
                                    settings.backend == deform::Backend::kCpu ? "CPU" : "GPU", std::string(1, letter)};
  if (settings.influence_limit > 0) {
    parts.push_back(fmt::format("{} infl.", settings.influence_limit));
  }
  return parts;
}

// Everything drawn here lies in windows of its own, so that the viewport under them gets no click that is meant for
// them.
bool begin_overlay(const char* id, const Rect& rect) {
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  const bool visible = ImGui::BeginChild(
      id, ImVec2(rect.w, rect.h), false,
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar(2);
  return visible;
}

float width_of(const std::string& words) {
  return ImGui::CalcTextSize(words.c_str()).x;
}

// Goes on with the last line where there is room and something may stand between, else begins another.
void add_to_lines(std::string words, std::string_view between, float width, CaptionLines& out) {
  const std::string longer = between.empty() ? std::string() : fmt::format("{}{}{}", out.lines.back(), between, words);
  if (!longer.empty() && width_of(longer) <= width) {
    out.lines.back() = longer;
    return;
  }
  out.is_cut = out.is_cut || width_of(words) > width;
  out.lines.push_back(fitted(std::move(words), width));
}

// Where a caption stands, and its words.
struct PlacedCaption {
  CaptionLines words;
  Rect rect;
};

// In a corner of the pane, clear of all that lies over the picture.
PlacedCaption placed_caption(const std::vector<std::string>& parts, const Rect& shown, bool right, const Rect& taken,
                             Desk& desk) {
  const float margin = desk.theme.px(8);
  const float around = desk.theme.px(kCaptionChip + 3 * kCaptionPad);
  const float line = ImGui::GetTextLineHeight();
  PlacedCaption out;
  const auto take = [&](float available) {
    out.words = caption_lines(parts, available - around);
    float width = 0;
    for (const std::string& words : out.words.lines) {
      width = std::max(width, width_of(words));
    }
    out.rect.w = std::min(around + width, available);
    out.rect.h = static_cast<float>(out.words.lines.size()) * line + desk.theme.px(6);
  };
  take(shown.w - 2 * margin);
  Rect& rect = out.rect;
  rect.x = right ? shown.x + shown.w - margin - rect.w : shown.x + margin;
  rect.y = shown.y + margin;
  if (meet(rect, taken)) {
    rect.y = taken.y + taken.h + desk.theme.px(4);
  }
  if (const Rect tools = tool_strip_rect(desk); meet(rect, tools)) {
    const float left = tools.x + tools.w + desk.theme.px(4);
    const float beside = shown.x + shown.w - margin - left;
    const float below = tools.y + tools.h + desk.theme.px(4);
    const bool is_cut = caption_lines(parts, beside - around).is_cut;
    if (is_cut && below + rect.h < shown.y + shown.h) {
      rect.y = below;
    } else {
      take(beside);
      rect.x = left;
    }
  }
  for (const Rect& other : {handle_bar_rect(desk), findings_banner_rect(desk)}) {
    if (meet(rect, other)) {
      rect.y = other.y + other.h + desk.theme.px(4);
    }
  }
  return out;
}

void draw_caption_words(const PlacedCaption& caption, std::size_t pane, bool active, bool hovered, Desk& desk) {
  const Rect& rect = caption.rect;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const float pad = desk.theme.px(kCaptionPad);
  const float chip = desk.theme.px(kCaptionChip);
  list.AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.x + rect.w, rect.y + rect.h),
                     faded(hovered ? color::kRaised : color::kPanel, 0.9f), desk.theme.px(4));
  float text_top = std::floor(rect.y + desk.theme.px(3));
  const float top = std::floor(text_top + (line - chip) / 2);
  const ImVec2 square(rect.x + pad, top);
  const ImVec2 opposite(square.x + chip, top + chip);
  const ImU32 of_pane = pane_color(static_cast<int>(pane));
  if (active) {
    list.AddRectFilled(square, opposite, of_pane, desk.theme.px(2));
  } else {
    list.AddRect(square, opposite, of_pane, desk.theme.px(2), 0, desk.theme.scale);
  }
  for (const std::string& words : caption.words.lines) {
    clipped_text_at({rect.x + chip + 2 * pad, text_top}, words, rect.w - chip - 2.5f * pad,
                    active ? color::kText : color::kTextDim);
    text_top += line;
  }
}

void draw_caption(std::size_t pane, const Rect& shown, bool right, const Rect& taken, Desk& desk) {
  const edit::Document& document = desk.document();
  std::vector<std::string> parts = caption_of(edit::skinning_of(document.content, static_cast<int>(pane)));
  if (const std::string candidate = candidate_in_pane(desk, static_cast<int>(pane)); !candidate.empty()) {
    parts.insert(parts.begin(), candidate);
  }
  const bool active = document.view.active_pane == static_cast<int>(pane);
  ImGui::PushFont(desk.theme.small);
  const PlacedCaption caption = placed_caption(parts, shown, right, taken, desk);
  const Rect& rect = caption.rect;
  bool hovered = false;
  if (rect.w >= desk.theme.px(kLeastCaption) && rect.y + rect.h < shown.y + shown.h) {
    const std::string id = fmt::format("pane.{}.caption", pane);
    if (begin_overlay(id.c_str(), rect)) {
      if (ImGui::InvisibleButton("##caption", ImVec2(rect.w, rect.h))) {
        desk.requests.active_pane = static_cast<int>(pane);
      }
      report_item(desk, id);
      hovered = ImGui::IsItemHovered();
      draw_caption_words(caption, pane, active, hovered, desk);
    }
    ImGui::EndChild();
  }
  ImGui::PopFont();
  if (hovered) {
    const std::string whole = fmt::format("{}", fmt::join(parts, kSeparator));
    tooltip_beside(rect, active ? whole : whole + "\nClick: makes this pane the active one");
  }
}

void draw_wipe_handle(const render::PaneLayout& layout, Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  const float at = in_window(layout.shown[1], desk).x;
  const float width = desk.theme.px(kHandle);
  const Rect rect{std::clamp(at - width / 2, view.x, view.x + view.w - width), view.y, width, view.h};
  if (begin_overlay("##wipe", rect)) {
    ImGui::InvisibleButton("##handle", ImVec2(rect.w, rect.h));
    desk.report["wipe.handle"] = rect;
    const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated();  // where it was let go counts
    const bool lit = active || ImGui::IsItemHovered();
    if (active && view.w > 0) {
      desk.workspace.view.wipe_position = std::clamp((ImGui::GetIO().MousePos.x - view.x) / view.w, 0.0f, 1.0f);
    }
    if (lit) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    // Where the line is drawn in this very picture, which may be beside the window that takes the mouse.
    list.PushClipRect(ImVec2(view.x, view.y), ImVec2(view.x + view.w, view.y + view.h), false);
    const float line = in_window(pane_layout(desk).shown[1], desk).x;
    const ImVec2 middle(std::floor(line) + 0.5f, std::floor(view.y + view.h / 2));
    const float radius = width / 2;
    list.AddCircleFilled(middle, radius, lit ? color::kAccent : color::kPanel);
    list.AddCircle(middle, radius, IM_COL32_WHITE, 0, desk.theme.scale);
    const float half = desk.theme.px(3);
    for (const float side : {-1.0f, 1.0f}) {
      const float x = middle.x + side * half;
      list.AddTriangleFilled(ImVec2(x, middle.y - half), ImVec2(x, middle.y + half),
                             ImVec2(x + side * half * 1.2f, middle.y), IM_COL32_WHITE);
    }
    list.PopClipRect();
  }
  ImGui::EndChild();
}

void draw_probe(const render::PaneLayout& layout, Desk& desk) {
  const ViewportState& state = desk.workspace.viewport;
  if (!state.hovered || !state.hovered_vertex || desk.workspace.view.look != render::Look::kDifference ||
      !desk.scene.difference) {
    return;
  }
  const Rect& view = desk.workspace.layout.viewport;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int pane = layout.pane_at(glm::ivec2(static_cast<int>(mouse.x - view.x), static_cast<int>(mouse.y - view.y)));
  const render::DifferenceMap* map = pane < 0 ? nullptr : desk.scene.difference(pane);
  if (map == nullptr) {
    return;
  }
  const render::VertexHit& hit = *state.hovered_vertex;
  const std::optional<float> value = render::value_at(*map, hit.part, hit.vertex);
  if (!value) {
    return;
  }
  begin_tooltip_beside({mouse.x - 1, mouse.y - 1, 2, 2});
  ImGui::PushStyleColor(ImGuiCol_Text, pane_color(pane));
  text(edit::pane_label(edit::skinning_of(desk.document().content, pane)));
  ImGui::PopStyleColor();
  text(render::difference_text(map->measure, *value, map->diagonal));
  dim_text(fmt::format("{} at vertex {} of part {}", measure::info(map->measure).label, hit.vertex, hit.part));
  ImGui::EndTooltip();
  desk.report["probe"] = {mouse.x, mouse.y, 1, 1};
}

}  // namespace

CaptionLines caption_lines(std::span<const std::string> parts, float width) {
  CaptionLines out;
  std::string whole = fmt::format("{}", fmt::join(parts, kSeparator));
  if (width_of(whole) <= width) {
    out.lines.push_back(std::move(whole));
    return out;
  }
  // The first part has a line of its own; the others share lines as far as there is room.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (width_of(parts[i]) <= width) {
      add_to_lines(parts[i], i < 2 ? std::string_view() : kSeparator, width, out);
      continue;
    }
    std::string_view rest = parts[i];
    for (std::string_view between; !rest.empty(); between = " ") {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      add_to_lines(std::string(rest.substr(0, end)), between, width, out);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return out;
}

render::PaneLayout pane_layout(const Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  const glm::ivec2 size = glm::max(glm::ivec2(static_cast<int>(view.w), static_cast<int>(view.h)), glm::ivec2(1));
  return render::pane_layout(size, edit::pane_count(desk.document().content), desk.workspace.view, desk.theme.scale);
}

Rect in_window(const render::PixelRect& rect, const Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  return {view.x + static_cast<float>(rect.origin.x), view.y + static_cast<float>(rect.origin.y),
          static_cast<float>(rect.size.x), static_cast<float>(rect.size.y)};
}

void draw_pane_overlay(const Rect& taken, Desk& desk) {
  const render::PaneLayout layout = pane_layout(desk);
  if (layout.shown.size() > 1) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const std::size_t active = desk.document().view.active_pane;
    for (std::size_t pane = 0; pane < layout.shown.size(); ++pane) {
      const Rect shown = in_window(layout.shown[pane], desk);
      desk.report[fmt::format("pane.{}", pane)] = shown;
      if (pane == active && !layout.wipe && !shown.empty()) {  // the wipe's line is the only one there
        list.AddRect(ImVec2(shown.x + 1, shown.y + 1), ImVec2(shown.x + shown.w - 1, shown.y + shown.h - 1),
                     faded(pane_color(static_cast<int>(pane)), 0.55f), 0, 0, desk.theme.px(1.5f));
      }
    }
    if (layout.wipe) {
      draw_wipe_handle(layout, desk);
    }
    for (std::size_t pane = 0; pane < layout.shown.size(); ++pane) {
      draw_caption(pane, in_window(layout.shown[pane], desk), layout.wipe && pane == 1, taken, desk);
    }
  }
  if (layout.shown.size() == 1 && !candidate_in_pane(desk, 0).empty()) {
    draw_caption(0, in_window(layout.shown[0], desk), false, taken, desk);
  }
  draw_probe(layout, desk);
}

}  // namespace pelt::ui
