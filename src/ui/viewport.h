#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "math/transform.h"
#include "render/picking.h"
#include "ui/layout.h"
#include "ui/transform_handle.h"

namespace pelt::ui {

struct Desk;

/// What the mouse is doing in the viewport.
enum class ViewportDrag {
  kNone,
  kOrbit,
  kPan,
  kDolly,
  kRing,
  kArcball,
  kBox,
  kReach,
  kHandle,
  kBrush,
  kPlace,
  kVolume
};

struct ViewportState {
  bool hovered = false;         ///< the mouse is over the picture itself
  int pane = 0;                 ///< under the mouse, or where the drag began
  int hovered_joint = -1;       ///< under the mouse
  int tree_hovered_joint = -1;  ///< under the mouse in the tree
  std::optional<render::VertexHit> hovered_vertex;
  int hovered_ring = -1;  ///< rotation DOF of the selected joint, of a frame, kViewRing or kNoRing
  ViewportDrag drag = ViewportDrag::kNone;
  bool moved = false;  ///< the drag left its starting point: no click
  glm::vec2 pressed_at = glm::vec2(0.0f);
  // Of a rotation drag.
  int joint = -1;
  int dof = -1;
  float start_value = 0;  ///< of the DOF, radians
  float start_angle = 0;  ///< of the mouse in the ring's plane
  float turned = 0;       ///< since the start, unwrapped
  Transform start_local;
  glm::dmat3 parent_axes = glm::dmat3(1.0);  ///< perpendicular_axes() of what is above, world
  glm::vec3 pivot = glm::vec3(0.0f);
  glm::vec3 grabbed = glm::vec3(0.0f);    ///< unit, world
  float radius = 0;                       ///< of the arcball, metres
  glm::vec3 ring_axis = glm::vec3(0.0f);  ///< at the start of a ring drag
  glm::vec3 ring_u = glm::vec3(0.0f);
  glm::vec3 ring_v = glm::vec3(0.0f);
  HandledJoints turned_joints = {};  ///< by a ring that is no DOF's
  TransformHandle handle = {};
  Rect toolbar = {};                 ///< toolbar_rect() of this picture
  Rect findings = {};                ///< findings_banner_rect() of the last one
  std::vector<char> deforming = {};  ///< [J] rig::deforming_joints() of the character
  std::shared_ptr<const rig::Character> deforming_of;
};

/// Mouse input of the viewport and what is drawn over the picture: names, rings, legend, hints, toolbar. Call inside
/// the window that covers the viewport.
void draw_viewport(ViewportState& state, Desk& desk);

/// [J] the joints whose bones are drawn and can be picked, as render::bones() takes them; empty: all.
std::span<const char> drawn_joints(const Desk& desk);

/// Where the toolbar lies over the picture; empty where there is no room for it.
Rect toolbar_rect(const Desk& desk);

}  // namespace pelt::ui
