#pragma once

#include "ui/layout.h"

namespace pelt::ui {

struct Desk;
struct TrackArea;

/// Bars of the clip layers over the keys of the clip that plays: when each begins and ends, its fades as slopes. A drag
/// moves a bar in time, one of its right end makes it longer or shorter; to whole frames where keys go to them, with
/// Shift between them. The tab Clips has all numbers.
struct LayerBars {
  int layer = -1;         ///< that is dragged, -1: none
  bool by_end = false;    ///< its right end is
  float pressed_at = 0;   ///< where the button went down, pixels
  float began_start = 0;  ///< of the layer then, seconds
  float began_end = 0;    ///< the same, after the start of the main clip
};

/// How high they are, pixels; 0 without layers.
float layer_bars_height(const Desk& desk);
/// @param names  the column at the left of the tracks @param area  the tracks, as high as the bars
void draw_layer_bars(LayerBars& bars, const Rect& names, const TrackArea& area, Desk& desk);

}  // namespace pelt::ui
