#pragma once

#include <optional>

#include <glm/glm.hpp>

#include "render/picking.h"
#include "ui/layout.h"

namespace pelt::ui {

struct Desk;

// Between the world and the pixels of the window, in the pane that the mouse is in, and what lies under a pixel.

/// The mouse, pixels of the window.
glm::vec2 mouse();

/// What the camera of the pane sees that the mouse is in. All panes are of one size.
Rect picture(const Desk& desk);

/// From world to pixels of the window.
struct Projector {
  glm::mat4 clip_from_world;
  Rect rect;

  explicit Projector(const Desk& desk);
  Projector(const Desk& desk, const Rect& pane);

  static float aspect(const Desk& desk);
  /// Nothing behind the eye.
  [[nodiscard]] std::optional<glm::vec2> operator()(const glm::vec3& point) const;
};

/// -1..1 to the right and up of the picture.
glm::vec2 cursor(const Desk& desk, glm::vec2 pixel);
render::Ray ray_at(const Desk& desk, glm::vec2 pixel);
/// World size of a pixel at a point's depth.
float metres_per_pixel(const Desk& desk, const glm::vec3& at);
/// Unit, world.
glm::vec3 towards_eye(const Desk& desk, const glm::vec3& at);
float distance_to_segment(glm::vec2 p, glm::vec2 a, glm::vec2 b);

/// The joint that moves a vertex most, or the node that carries its mesh.
int joint_of(const Desk& desk, const render::VertexHit& hit);
std::optional<render::VertexHit> vertex_under(const Desk& desk, glm::vec2 at);
/// The joint whose bone is under a pixel; -1: none.
int joint_under(const Desk& desk, glm::vec2 at);

}  // namespace pelt::ui
