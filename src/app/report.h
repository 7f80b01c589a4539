#pragma once

#include <string>

#include "app/session.h"
#include "ui/workspace.h"

namespace pelt::app {

/// Widget rectangles and a summary of the state as JSON, for tests that drive the window: `size`, `widgets` (name: [x,
/// y, width, height] in pixels) and `state`, the mouse as the last frame saw it included.
/// @pre  an ImGui context is current
std::string window_report(const Session& session, const ui::Scene& scene, const ui::WidgetReport& widgets,
                          glm::ivec2 size, float scale);

}  // namespace pelt::app
