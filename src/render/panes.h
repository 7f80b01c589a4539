#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "render/view_settings.h"

namespace pelt::render {

/// Panes of one picture at most.
inline constexpr int kMostPanes = 4;

/// Pixels of the picture, origin in its upper left.
struct PixelRect {
  glm::ivec2 origin = glm::ivec2(0);
  glm::ivec2 size = glm::ivec2(0);
  [[nodiscard]] bool contains(glm::ivec2 pixel) const {
    const glm::ivec2 at = pixel - origin;
    return at.x >= 0 && at.y >= 0 && at.x < size.x && at.y < size.y;
  }
  bool operator==(const PixelRect&) const = default;
};

/// Side by side up to three, two by two for four; all of one size, so that the same camera shows the same in each. Rows
/// fill from the left. Pixels that do not divide evenly widen the gaps.
/// @param count  1..kMostPanes  @param gap  pixels between neighbours at least
/// @returns `count` rectangles; sizes are never below one pixel
std::vector<PixelRect> pane_rects(glm::ivec2 size, int count, int gap);

/// Where the panes of a picture are.
struct PaneLayout {
  glm::ivec2 size = glm::ivec2(0);
  std::vector<PixelRect> pictures;  ///< what each pane's camera sees; the aspect comes from it
  std::vector<PixelRect> shown;     ///< the part of it that is not under another pane
  bool wipe = false;                ///< two panes over each other, meeting at shown[1].origin.x

  /// The pane shown at a pixel, -1 on a line between two.
  [[nodiscard]] int pane_at(glm::ivec2 pixel) const;
};
/// The layout that the view asks for: a wipe shows the first two panes only, and a single pane is never wiped.
/// @param count  1..kMostPanes  @param pixel_scale  of lines: 1, 1.5, 2
PaneLayout pane_layout(glm::ivec2 size, int count, const ViewSettings& view, float pixel_scale);

}  // namespace pelt::render
