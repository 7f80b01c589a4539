#include "ui/layout.h"

#include <algorithm>
#include <cmath>

namespace pelt::ui {

WindowLayout arrange(glm::vec2 window, float scale, const PanelSizes& sizes, const StripHeights& strips, bool hidden) {
  WindowLayout result;
  if (hidden) {
    result.viewport = {0, 0, window.x, window.y};
    return result;
  }
  const float menu = std::min(strips.menu, window.y);
  const float status = std::clamp(window.y - menu, 0.0f, strips.status);
  const float timeline = std::clamp(window.y - menu - status, 0.0f, strips.timeline);
  const float top = menu;
  float height = std::max(0.0f, window.y - menu - status - timeline);
  const float bottom = std::floor(std::min(strips.bottom, kMostBottom * height));
  height -= bottom;
  result.menu = {0, 0, window.x, menu};
  result.status = {0, window.y - status, window.x, status};
  result.timeline = {0, window.y - status - timeline, window.x, timeline};
  result.bottom = {0, top + height, window.x, bottom};

  const float splitter = std::round(kSplitter * scale);
  float left = std::clamp(sizes.left, kMinLeft, kMaxPanel) * scale;
  float right = std::clamp(sizes.right, kMinRight, kMaxPanel) * scale;
  const float room = window.x - kMinViewport * scale;  // for panels and their splitters
  const float both = room - 2 * splitter;
  if (left + right > both) {
    if (both >= (kMinLeft + kMinRight) * scale) {
      // Shrink both by the same share of what each can give.
      const float give_left = left - kMinLeft * scale;
      const float give_right = right - kMinRight * scale;
      const float share = (left + right - both) / (give_left + give_right);
      left -= share * give_left;
      right -= share * give_right;
    } else {
      left = 0;
      right = std::min(right, room - splitter);
      if (right < kMinRight * scale) {
        right = window.x - splitter >= (kMinRight + kLeastViewport) * scale ? kMinRight * scale : 0;
      }
    }
  }
  left = std::floor(left);
  right = std::floor(right);
  float x = 0;
  float end = window.x;
  if (left > 0) {
    result.left = {0, top, left, height};
    result.left_splitter = {left, top, splitter, height};
    x = left + splitter;
  }
  if (right > 0) {
    result.right = {window.x - right, top, right, height};
    result.right_splitter = {window.x - right - splitter, top, splitter, height};
    end = window.x - right - splitter;
  }
  result.viewport = {x, top, end - x, height};
  return result;
}

PanelSizes drag_left_splitter(const PanelSizes& sizes, float x, glm::vec2 window, float scale) {
  PanelSizes result = sizes;
  const float room = window.x / scale - kMinViewport - 2 * kSplitter - kMinRight;
  result.left = std::clamp(x / scale, kMinLeft, std::max(kMinLeft, std::min(kMaxPanel, room)));
  return result;
}

PanelSizes drag_right_splitter(const PanelSizes& sizes, float x, glm::vec2 window, float scale) {
  PanelSizes result = sizes;
  const float room = window.x / scale - kMinViewport - 2 * kSplitter - kMinLeft;
  result.right =
      std::clamp((window.x - x) / scale - kSplitter, kMinRight, std::max(kMinRight, std::min(kMaxPanel, room)));
  return result;
}

}  // namespace pelt::ui
