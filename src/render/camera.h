#pragma once

#include <optional>

#include <glm/glm.hpp>

#include "math/transform.h"
#include "rig/character.h"

namespace pelt::render {

/// An orbit camera. Angles in radians; azimuth 0 looks at the character's front (from +Z), positive azimuth moves the
/// eye to its left (+X); elevation positive looks down; roll positive tilts the head to the left, so that the picture
/// turns to the right.
struct Camera {
  glm::vec3 pivot = glm::vec3(0.0f);
  float azimuth = 0.5236f;    ///< 30 degrees
  float elevation = 0.1745f;  ///< 10 degrees
  float roll = 0;             ///< 0: upright; orbit() takes it back
  float distance = 3;         ///< eye to pivot, metres
  float yfov = 0.6109f;       ///< 35 degrees; also sets the orthographic size at the pivot
  bool orthographic = false;
  float near_far_radius = 2;  ///< radius around the pivot that must not be clipped, metres

  bool operator==(const Camera&) const = default;

  [[nodiscard]] glm::vec3 eye() const;
  [[nodiscard]] glm::mat4 view_from_world() const;
  [[nodiscard]] glm::mat4 clip_from_view(float aspect) const;
};

/// Points the camera at a box so that it fills the picture with 8 % of air on the tighter sides, keeping the angles. An
/// empty box counts as one of a metre around the origin.
/// @param aspect   width over height
/// @param covered  share of the height that something hides at the top; as much stays free below, so that the pivot
///                 keeps the middle. At most 0.4 of it counts
void frame(Camera& camera, const Bounds& bounds, float aspect, float covered = 0);

// Mouse moves, in pixels (x right, y down) of a viewport `height` pixels tall.

/// The scene follows the hand: half a turn over the height of the viewport. Stops short of the poles. A roll is
/// levelled on the way, by twice the angle that the hand turns: nothing leaps, and soon the camera is upright.
void orbit(Camera& camera, glm::vec2 pixels, float height);
/// What lies at the depth of the pivot stays under the cursor.
void pan(Camera& camera, glm::vec2 pixels, float height);
/// Positive `steps` zoom in, 15 % each, towards the point under `cursor` (-1..1, y up), which stays there. Bounded by
/// near_far_radius.
void dolly(Camera& camera, float steps, glm::vec2 cursor, float aspect);

/// An orbit camera that stands where the file's camera stands and sees the same: along -Z of the node, its +Y up. The
/// pivot is the point in its view beside the centre of `bounds`, and nothing of them is clipped.
/// @param world  matrix of the node that carries it
/// @returns nothing where that has no direction
std::optional<Camera> camera_of(const rig::Camera& source, const glm::mat4& world, const Bounds& bounds);

struct Ray {
  glm::vec3 origin;
  glm::vec3 direction;  ///< unit
};
/// @param cursor  -1..1, y up
Ray pick_ray(const Camera& camera, glm::vec2 cursor, float aspect);

}  // namespace pelt::render
