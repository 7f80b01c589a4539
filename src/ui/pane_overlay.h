#pragma once

#include "render/panes.h"
#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

/// Where the panes are within the viewport.
render::PaneLayout pane_layout(const Desk& desk);
/// A rectangle of that layout in the window.
Rect in_window(const render::PixelRect& rect, const Desk& desk);

/// Over the pictures: captions (a click makes a pane the active one), a soft outline of the active pane, the handle of
/// the wipe, and what the difference map says under the mouse. Call inside the window that covers the viewport, after
/// the mouse was handled.
/// @param taken  rectangle that captions keep clear of, such as the toolbar
void draw_pane_overlay(const Rect& taken, Desk& desk);

}  // namespace pelt::ui
