#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/panes.h"
#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

/// Where the panes are within the viewport.
render::PaneLayout pane_layout(const Desk& desk);
/// A rectangle of that layout in the window.
Rect in_window(const render::PixelRect& rect, const Desk& desk);

/// The lines of a pane's caption.
struct CaptionLines {
  std::vector<std::string> lines = {};
  bool is_cut = false;  ///< a word is wider than the room
};
/// All parts in one line where there is room, else the first in a line of its own and the others below, as many to a
/// line as fit. A part that is too wide breaks between words. Measured in the font of now.
CaptionLines caption_lines(std::span<const std::string> parts, float width);

/// Over the pictures: captions (a click makes a pane the active one), a soft outline of the active pane, the handle of
/// the wipe, and what the difference map says under the mouse. Call inside the window that covers the viewport, after
/// the mouse was handled.
/// @param taken  rectangle that captions keep clear of, such as the toolbar
void draw_pane_overlay(const Rect& taken, Desk& desk);

}  // namespace pelt::ui
