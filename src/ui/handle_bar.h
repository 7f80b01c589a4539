#pragma once

#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

/// The options of the handles beside the strip of tools: axes, pivot, symmetric posing. Empty where no tool in the hand
/// has handles or there is no room: menus and keys have the same.
Rect handle_bar_rect(const Desk& desk);
void draw_handle_bar(Desk& desk);

void next_handle_axes(Desk& desk);
void next_handle_pivot(Desk& desk);
void toggle_symmetric_posing(Desk& desk);

}  // namespace pelt::ui
