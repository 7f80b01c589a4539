#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "ui/viewport.h"
#include "ui/viewport_geometry.h"

namespace pelt::ui {

inline constexpr int kNoRing = -1;
inline constexpr int kViewRing = -2;               ///< the outer one, which turns about the direction of view
inline constexpr int kAxisRings[] = {-3, -4, -5};  ///< about the axes that handles are set to

/// One ring of the rotation handle.
struct Ring {
  int dof = kNoRing;
  glm::vec3 center;
  glm::vec3 axis;    ///< unit, world
  float radius = 0;  ///< metres
};
/// Rings of the selected joint's rotation DOFs as it is posed.
std::vector<Ring> rotation_rings(const Desk& desk);
/// The rings that are shown: those and the one about the direction of view where the joint can turn about any axis.
/// Where handles are set to axes other than the joint's own, or several joints turn about one pivot, three about those
/// axes take the place of the DOFs' rings.
std::vector<Ring> all_rings(const Desk& desk);

/// Whether the mouse turns joints with the tool in hand.
bool turns_joints(const Desk& desk);
bool rings_shown(const Desk& desk);
glm::mat4 parent_world(const Desk& desk, int joint);

/// Ring::dof of the one under a pixel.
int ring_under(const Desk& desk, const Projector& project, glm::vec2 at);
/// Whether a ring is seen like a line.
bool edge_on(const Desk& desk, int dof);
/// Begins to turn by the hovered ring; false where there is none.
bool begin_ring(ViewportState& state, Desk& desk);
void drag_ring(ViewportState& state, const Projector& project, glm::vec2 moved, Desk& desk);
/// The rings; while one is dragged it alone, with the wedge that it was turned by and, with Ctrl, the ticks that it
/// stops at.
void draw_rings(const ViewportState& state, const Projector& project, Desk& desk);

}  // namespace pelt::ui
