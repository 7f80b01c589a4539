#include "render/panes.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"

namespace pelt::render {
namespace {

constexpr float kGap = 2;  // layout pixels between panes

// Where cell `i` of `count` begins on one axis.
int begin_of(int extent, int cell, int count, int i) {
  if (count == 1) {
    return 0;
  }
  // The first cell begins and the last one ends at the border, whatever remains of the division lies in between.
  return static_cast<int>(std::lround(static_cast<double>(extent - cell) * i / (count - 1)));
}

}  // namespace

std::vector<PixelRect> pane_rects(glm::ivec2 size, int count, int gap) {
  PELT_EXPECT(count >= 1 && count <= kMostPanes, "one to four panes");
  const glm::ivec2 cells = count == 4 ? glm::ivec2(2, 2) : glm::ivec2(count, 1);
  const glm::ivec2 cell = glm::max((size - gap * (cells - 1)) / cells, glm::ivec2(1));
  std::vector<PixelRect> rects;
  for (int i = 0; i < count; ++i) {
    rects.push_back(
        {{begin_of(size.x, cell.x, cells.x, i % cells.x), begin_of(size.y, cell.y, cells.y, i / cells.x)}, cell});
  }
  return rects;
}

int PaneLayout::pane_at(glm::ivec2 pixel) const {
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i].contains(pixel)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

PaneLayout pane_layout(glm::ivec2 size, int count, const ViewSettings& view, float pixel_scale) {
  PaneLayout layout;
  layout.size = size;
  layout.wipe = view.wipe && count > 1;
  if (layout.wipe) {
    const float share = std::clamp(view.wipe_position, 0.0f, 1.0f);
    const int at = static_cast<int>(std::lround(share * static_cast<float>(size.x)));
    layout.pictures.assign(2, {{0, 0}, size});
    layout.shown = {{{0, 0}, {at, size.y}}, {{at, 0}, {size.x - at, size.y}}};
    return layout;
  }
  layout.pictures = pane_rects(size, count, static_cast<int>(std::lround(kGap * pixel_scale)));
  layout.shown = layout.pictures;
  return layout;
}

}  // namespace pelt::render
