#pragma once

#include <string_view>

#include <glm/glm.hpp>

#include "ui/layout.h"

namespace pelt::ui {

/// Where a tooltip goes, in pixels of the window: below the item, else above it, else to its right or left; where it
/// has no room at all beside the item, beside the mouse. It lies inside the window, and under the mouse in no case.
/// @param item    what it explains
/// @param size    of the tooltip
/// @param cursor  height of the mouse's arrow below its tip, which the tooltip leaves free as well
Rect tooltip_place(const Rect& item, glm::vec2 mouse, glm::vec2 size, glm::vec2 window, float gap, float cursor);

/// A tooltip with a text beside an item, in lines that have room in the window.
void tooltip_beside(const Rect& item, std::string_view what);

/// The same at the left or right of an item, level with it, where the window has room there: above and below are the
/// other rows of a list.
void tooltip_at_side_of(const Rect& item, std::string_view what);

/// A tooltip of widgets, beside an item; end with ImGui::EndTooltip().
void begin_tooltip_beside(const Rect& item);

}  // namespace pelt::ui
