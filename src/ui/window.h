#pragma once

namespace pelt::ui {

struct Desk;

/// Draws the whole window: menu bar, panels, viewport overlays, timeline, status bar, dialogs. Call between
/// ImGui::NewFrame() and ImGui::Render(). The picture itself is drawn by the caller into Workspace::layout.viewport,
/// below all this.
void draw_window(Desk& desk);

}  // namespace pelt::ui
