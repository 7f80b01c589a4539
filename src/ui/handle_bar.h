#pragma once

#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

/// The options of the tool in the hand beside the strip of tools: axes and pivot of handles, the direction that limbs
/// keep, symmetric posing. Empty where there are none or no room: menus, keys and tabs have the same.
Rect handle_bar_rect(const Desk& desk);
void draw_handle_bar(Desk& desk);

void next_handle_axes(Desk& desk);
void next_handle_pivot(Desk& desk);
void toggle_symmetric_posing(Desk& desk);

}  // namespace pelt::ui
