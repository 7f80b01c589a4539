#pragma once

#include <glm/glm.hpp>

#include "ui/viewport_geometry.h"

namespace pelt::ui {

/// What the tool "Place joints" keeps from one picture to the next.
struct PlaceTool {
  int joint = -1;  ///< under the mouse, or dragged; -1: none
  bool dragging = false;
  glm::vec3 start = glm::vec3(0);    ///< where the joint was, world
  glm::vec3 grabbed = glm::vec3(0);  ///< the point of its plane that the mouse took
  glm::vec3 facing = glm::vec3(0);   ///< that plane, unit
};

/// Whether the tool is in the hand.
bool places_joints(const Desk& desk);
/// What a drag from here would take: of the joints that were added and are not bound, the nearest.
void hover_place(PlaceTool& tool, glm::vec2 at, Desk& desk);
/// Begins to drag what is under the mouse; false where nothing is.
bool begin_place(PlaceTool& tool, glm::vec2 pressed_at, Desk& desk);
/// The joint follows the mouse, in the middle of the volume behind it or, beside that, at the depth that it had.
void drag_place(PlaceTool& tool, Desk& desk);
/// Dots at the joints that can be placed, and lines from each to its parent.
void draw_place(PlaceTool& tool, const Projector& project, Desk& desk);

}  // namespace pelt::ui
