#include "ui/picture_text.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets.h"

namespace pelt::ui {

void draw_picture_text(ImDrawList& list, const Theme& theme, glm::vec2 at, const std::string& text, ImU32 ink,
                       std::vector<Rect>& taken, WhereTaken where_taken) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float pad = theme.px(3);
  Rect rect{std::floor(at.x) + theme.px(8) - pad, std::floor(at.y - size.y * 0.5f), size.x + 2 * pad, size.y};
  const auto in_the_way = [&](const Rect& other) {
    return rect.x < other.x + other.w && other.x < rect.x + rect.w && rect.y < other.y + other.h &&
           other.y < rect.y + rect.h;
  };
  auto other = std::ranges::find_if(taken, in_the_way);
  if (other != taken.end() && where_taken == WhereTaken::kLeaveOut) {
    return;
  }
  while (other != taken.end() && where_taken == WhereTaken::kMoveDown) {  // each move is downwards, so this ends
    rect.y = other->y + other->h + 1;
    other = std::ranges::find_if(taken, in_the_way);
  }
  taken.push_back(rect);
  list.AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.x + rect.w, rect.y + rect.h), faded(color::kBackground, 0.72f),
                     theme.px(3));
  list.AddText(ImVec2(rect.x + pad, rect.y), ink, text.c_str());
}

}  // namespace pelt::ui
