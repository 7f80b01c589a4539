#pragma once

#include "ui/key_editor.h"

namespace pelt::ui {

/// Curves of the active joint's channels over time, or of its sliders, which are a view of them: moving a point of a
/// slider's curve rewrites the key, and between keys the curve shows what the clip evaluates to. Keys are dragged, and
/// of cubic channels the tangents, too.
void draw_curves(KeyEditor& editor, const Rect& names, const TrackArea& area, Desk& desk);

}  // namespace pelt::ui
