#include "ui/tooltip.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <imgui_internal.h>

#include "ui/widgets.h"

namespace pelt::ui {
namespace {

constexpr float kMostTextWidth = 24;  // heights of the font
constexpr float kTooltipGap = 0.3f;   // of the font's height, between item and tooltip
constexpr float kArrowHeight = 1.3f;  // of the font's height: the mouse's arrow

float clamped(float start, float size, float whole) {
  return std::max(0.0f, std::min(start, whole - size));
}

// A row of a menu: its tooltip leaves the other rows free as well.
Rect menu_of(const Rect& item) {
  const ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const bool is_menu = (window->Flags & ImGuiWindowFlags_Popup) != 0 && (window->Flags & ImGuiWindowFlags_Modal) == 0 &&
                       window->Size.x <= kMostTextWidth * ImGui::GetFontSize();
  return is_menu ? Rect{window->Pos.x, window->Pos.y, window->Size.x, window->Size.y} : item;
}

void place(const Rect& of, glm::vec2 size) {
  const Rect item = menu_of(of);
  const ImGuiIO& io = ImGui::GetIO();
  const float font = ImGui::GetFontSize();
  const Rect at = tooltip_place(item, {io.MousePos.x, io.MousePos.y}, size, {io.DisplaySize.x, io.DisplaySize.y},
                                std::floor(kTooltipGap * font), std::floor(kArrowHeight * font));
  ImGui::SetNextWindowPos(ImVec2(std::floor(at.x), std::floor(at.y)));
}

}  // namespace

Rect tooltip_place(const Rect& item, glm::vec2 mouse, glm::vec2 size, glm::vec2 window, float gap, float cursor) {
  // @param reach  how much of the arrow below the mouse stays free
  const auto beside = [&](const Rect& thing, float space, float reach) -> std::optional<Rect> {
    const float x = clamped(thing.x, size.x, window.x);
    const float y = clamped(thing.y, size.y, window.y);
    const float below = std::max(thing.y + thing.h, mouse.y + reach) + space;  // the arrow may reach out of the item
    const Rect arrow{mouse.x, mouse.y, std::max(1.0f, 0.7f * reach), std::max(1.0f, reach)};
    for (const glm::vec2 at : {glm::vec2(x, below), glm::vec2(x, thing.y - space - size.y),
                               glm::vec2(thing.x + thing.w + space, y), glm::vec2(thing.x - space - size.x, y)}) {
      const Rect one{at.x, at.y, size.x, size.y};
      const bool is_inside = one.x >= 0 && one.y >= 0 && one.x + one.w <= window.x && one.y + one.h <= window.y;
      if (is_inside && !meet(one, arrow)) {
        return one;
      }
    }
    return std::nullopt;
  };
  const Rect at_mouse{mouse.x, mouse.y, 0.7f * cursor, cursor};
  for (const auto& place : {beside(item, gap, cursor), beside(item, 0, 0), beside(at_mouse, gap, cursor)}) {
    if (place) {
      return *place;
    }
  }
  return {clamped(mouse.x + cursor, size.x, window.x), clamped(mouse.y + cursor, size.y, window.y), size.x, size.y};
}

namespace {

// A text in lines that have room in the window.
struct Lines {
  std::string text;
  float wrap = 0;
  glm::vec2 size = glm::vec2(0.0f);  ///< of its tooltip
};

Lines lines_of(std::string_view what) {
  const ImVec2 pad = ImGui::GetStyle().WindowPadding;
  const float wrap =
      std::min(ImGui::GetFontSize() * kMostTextWidth, std::max(1.0f, ImGui::GetIO().DisplaySize.x - 2 * pad.x));
  Lines lines{in_lines(what, wrap), wrap};
  const ImVec2 size = ImGui::CalcTextSize(lines.text.c_str(), nullptr, false, wrap);
  lines.size = {size.x + 2 * pad.x, size.y + 2 * pad.y};
  return lines;
}

void show(const Lines& lines) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetStyle().WindowPadding.x + lines.wrap);  // for words that are wider than a line
  text(lines.text);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

void tooltip_beside(const Rect& item, std::string_view what) {
  const Lines lines = lines_of(what);
  place(item, lines.size);
  show(lines);
}

void tooltip_at_side_of(const Rect& item, std::string_view what) {
  const Lines lines = lines_of(what);
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float gap = std::floor(kTooltipGap * ImGui::GetFontSize());
  const float left = item.x - gap - lines.size.x;
  const float right = item.x + item.w + gap;
  if (left < 0 && right + lines.size.x > window.x) {
    place(item, lines.size);
  } else {
    ImGui::SetNextWindowPos(
        ImVec2(std::floor(left >= 0 ? left : right), std::floor(clamped(item.y, lines.size.y, window.y))));
  }
  show(lines);
}

void begin_tooltip_beside(const Rect& item) {
  const ImGuiWindow* const last = ImGui::FindWindowByName("##Tooltip_00");  // as large as it was in the last picture
  const float font = ImGui::GetFontSize();
  place(item,
        last != nullptr && last->WasActive ? glm::vec2(last->Size.x, last->Size.y) : glm::vec2(12 * font, 5 * font));
  ImGui::BeginTooltip();
}

}  // namespace pelt::ui
