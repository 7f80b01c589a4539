#pragma once

#include <string_view>

#include <imgui.h>

#include "ui/theme.h"
#include "ui/widget_report.h"

namespace pelt::ui {

// Text that can be read on what lies beneath it: WCAG 2.1, success criterion 1.4.3 "Contrast (Minimum)".

/// The least contrast of text with its ground.
inline constexpr float kLeastContrast = 4.5f;

/// Relative luminance of an opaque colour, 0 (black) to 1 (white).
float luminance(ImU32 color);
/// Contrast of two opaque colours, 1 (the same) to 21 (black and white).
float contrast(ImU32 a, ImU32 b);
/// An opaque ground with a colour laid over it that may let it through.
ImU32 laid_over(ImU32 ground, ImU32 layer);

/// The ink for text on an opaque ground: `wanted` where its contrast suffices, else one that is as much lighter or
/// darker as it takes, whichever stands out more; black or white where it would have to cross the ground.
ImU32 ink_on(ImU32 ground, ImU32 wanted = color::kText);

/// Writes text on a part of a list, which clips it, with the ink for the opaque ground of that part.
void text_on(ImDrawList& list, const Rect& part, ImU32 ground, ImVec2 at, std::string_view what);

}  // namespace pelt::ui
