#include "ui/pane_overlay.h"

#include <algorithm>
#include <cmath>

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

/// What a pane is captioned with: one line where there is room, else two.
struct Caption {
  std::string method;
  std::string rest;
};

Caption caption_of(const deform::SkinningSettings& settings) {
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  char letter = '?';
  for (const deform::NormalVariantInfo& variant : deform::kNormalVariants) {
    letter = variant.variant == deform::normals_under(method, settings.normals) ? variant.letter : letter;
  }
  Caption caption;
  caption.method = method.label;
  caption.rest = fmt::format("{} \u00b7 {}", settings.backend == deform::Backend::kCpu ? "CPU" : "GPU", letter);
  if (settings.influence_limit > 0) {
    caption.rest += fmt::format(" \u00b7 {} infl.", settings.influence_limit);
  }
  return caption;
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

void draw_caption(std::size_t pane, const Rect& shown, bool right, const Rect& taken, Desk& desk) {
  const edit::Document& document = desk.document();
  Caption parts = caption_of(edit::skinning_of(document.content, static_cast<int>(pane)));
  if (const std::string candidate = candidate_in_pane(desk, static_cast<int>(pane)); !candidate.empty()) {
    parts = {candidate, fmt::format("{} \u00b7 {}", parts.method, parts.rest)};
  }
  const std::string caption = fmt::format("{} \u00b7 {}", parts.method, parts.rest);
  const bool active = document.view.active_pane == static_cast<int>(pane);
  ImGui::PushFont(desk.theme.small);
  const float margin = desk.theme.px(8);
  const float pad = desk.theme.px(6);
  const float chip = desk.theme.px(8);
  const float room = shown.w - 2 * margin;
  const float around = chip + 3 * pad;
  const float line = ImGui::GetTextLineHeight();
  const float whole_width = around + ImGui::CalcTextSize(caption.c_str()).x;
  const float folded_width =
      around + std::max(ImGui::CalcTextSize(parts.method.c_str()).x, ImGui::CalcTextSize(parts.rest.c_str()).x);
  bool folded = false;
  const auto size_in = [&](float available) {
    folded = whole_width > available;
    return glm::vec2(std::min(folded ? folded_width : whole_width, available),
                     (folded ? 2 : 1) * line + desk.theme.px(6));
  };
  const glm::vec2 size = size_in(room);
  Rect rect{right ? shown.x + shown.w - margin - size.x : shown.x + margin, shown.y + margin, size.x, size.y};
  if (meet(rect, taken)) {
    rect.y = taken.y + taken.h + desk.theme.px(4);
  }
  if (const Rect tools = tool_strip_rect(desk); meet(rect, tools)) {
    const float left = tools.x + tools.w + desk.theme.px(4);
    const float beside = shown.x + shown.w - margin - left;
    const float below = tools.y + tools.h + desk.theme.px(4);
    if (folded_width > beside && below + rect.h < shown.y + shown.h) {  // beside them the words would be cut
      rect.y = below;
    } else {
      const glm::vec2 there = size_in(beside);
      rect = {left, rect.y, there.x, there.y};
    }
  }
  if (const Rect bar = handle_bar_rect(desk); meet(rect, bar)) {
    rect.y = bar.y + bar.h + desk.theme.px(4);
  }
  if (const Rect banner = findings_banner_rect(desk); meet(rect, banner)) {
    rect.y = banner.y + banner.h + desk.theme.px(4);
  }
  if (rect.w >= desk.theme.px(kLeastCaption) && rect.y + rect.h < shown.y + shown.h) {
    const std::string id = fmt::format("pane.{}.caption", pane);
    if (begin_overlay(id.c_str(), rect)) {
      if (ImGui::InvisibleButton("##caption", ImVec2(rect.w, rect.h))) {
        desk.requests.active_pane = static_cast<int>(pane);
      }
      report_item(desk, id);
      const bool hovered = ImGui::IsItemHovered();
      ImDrawList& list = *ImGui::GetWindowDrawList();
      const float rounding = desk.theme.px(4);
      const ImVec2 lower(rect.x, rect.y);
      const ImVec2 upper(rect.x + rect.w, rect.y + rect.h);
      list.AddRectFilled(lower, upper, faded(hovered ? color::kRaised : color::kPanel, 0.9f), rounding);
      const float text_top = std::floor(rect.y + desk.theme.px(3));
      const float top = std::floor(text_top + (line - chip) / 2);
      const ImVec2 square(rect.x + pad, top);
      if (active) {
        list.AddRectFilled(square, ImVec2(square.x + chip, top + chip), pane_color(static_cast<int>(pane)),
                           desk.theme.px(2));
      } else {
        list.AddRect(square, ImVec2(square.x + chip, top + chip), pane_color(static_cast<int>(pane)), desk.theme.px(2),
                     0, desk.theme.scale);
      }
      const float text_room = rect.w - chip - 2.5f * pad;
      const ImU32 ink = active ? color::kText : color::kTextDim;
      ImGui::SetCursorScreenPos(ImVec2(rect.x + chip + 2 * pad, text_top));
      clipped_text(folded ? parts.method : caption, text_room, ink);
      if (folded) {
        ImGui::SetCursorScreenPos(ImVec2(rect.x + chip + 2 * pad, text_top + line));
        clipped_text(parts.rest, text_room, ink);
      }
      if (hovered) {
        ImGui::PopFont();
        tooltip_beside(rect, active ? caption : caption + "\nClick: makes this pane the active one");
        ImGui::PushFont(desk.theme.small);
      }
    }
    ImGui::EndChild();
  }
  ImGui::PopFont();
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
