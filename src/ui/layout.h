#pragma once

#include <glm/glm.hpp>

namespace pelt::ui {

/// A rectangle of the window, pixels, y down.
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
  [[nodiscard]] bool empty() const { return w <= 0 || h <= 0; }
  [[nodiscard]] bool contains(float px, float py) const { return px >= x && py >= y && px < x + w && py < y + h; }
  [[nodiscard]] glm::vec2 center() const { return {x + w * 0.5f, y + h * 0.5f}; }
  bool operator==(const Rect&) const = default;
};

/// Whether two rectangles share more than an edge.
inline bool meet(const Rect& a, const Rect& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/// What the user decides about the panels; kept between sessions.
struct PanelSizes {
  float left = 264;  ///< layout units (pixels at 100 %)
  float right = 356;
  bool operator==(const PanelSizes&) const = default;
};

/// Heights of the strips that are as tall as their content, pixels.
struct StripHeights {
  float menu = 0;
  float timeline = 0;
  float status = 0;
  float bottom = 0;  ///< wanted by the panel below the picture, 0: it is closed
};

/// Where everything is. Rectangles do not overlap and together cover the window; those of panels that found no room are
/// empty.
struct WindowLayout {
  Rect menu, left, left_splitter, viewport, right_splitter, right, bottom, timeline, status;
};

/// Divides the window. Panels keep the wanted width where there is room, then shrink together down to their minimum;
/// the left one gives way first, so that the viewport keeps at least kMinViewport; the right one only where even
/// kLeastViewport would not be left, since nothing else leads to its tabs.
/// @param scale   pixels per layout unit
/// @param hidden  panels and strips put away: the viewport is the window
WindowLayout arrange(glm::vec2 window, float scale, const PanelSizes& sizes, const StripHeights& strips, bool hidden);

/// Sizes after a splitter was dragged to `x` pixels: the panel's width follows within its limits.
PanelSizes drag_left_splitter(const PanelSizes& sizes, float x, glm::vec2 window, float scale);
PanelSizes drag_right_splitter(const PanelSizes& sizes, float x, glm::vec2 window, float scale);

inline constexpr float kSplitter = 5;  ///< layout units
inline constexpr float kMinLeft = 150;
inline constexpr float kMinRight = 236;
inline constexpr float kMaxPanel = 720;
inline constexpr float kMinViewport = 300;
inline constexpr float kLeastViewport = 72;
inline constexpr float kMostBottom = 0.45f;  ///< of the height between menu and timeline

}  // namespace pelt::ui
