#pragma once

#include <string>
#include <vector>

#include <imgui.h>
#include <glm/glm.hpp>

#include "ui/layout.h"
#include "ui/theme.h"

namespace pelt::ui {

/// What a word does where another one stands already.
enum class WhereTaken { kLeaveOut, kStay, kMoveDown };

/// Writes a word in the current font to the right of a point of the picture, on a dark ground.
/// @param at     pixels of the window
/// @param taken  where words stand already; grows
void draw_picture_text(ImDrawList& list, const Theme& theme, glm::vec2 at, const std::string& text, ImU32 ink,
                       std::vector<Rect>& taken, WhereTaken where_taken);

}  // namespace pelt::ui
