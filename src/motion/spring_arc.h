#pragma once

// Internal to springs.cpp: directions as arcs that begin at a rest direction. A turn is a vector across the rest
// direction that says which way along the sphere, and how far in radians; springs are linear in it.

#include <algorithm>
#include <cmath>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

namespace pelt::motion {

/// The direction at the end of an arc. @param rest  unit  @param turn  across it, radians
inline glm::dvec3 on_arc(const glm::dvec3& rest, const glm::dvec3& turn) {
  const double angle = glm::length(turn);
  return angle < 1e-12 ? glm::normalize(rest + turn) : rest * std::cos(angle) + turn * (std::sin(angle) / angle);
}

/// The inverse; any way where the direction is opposite to rest.
inline glm::dvec3 arc_to(const glm::dvec3& rest, const glm::dvec3& direction) {
  const glm::dvec3 across = direction - rest * glm::dot(direction, rest);
  const double sine = glm::length(across);
  const double angle = std::atan2(sine, glm::dot(direction, rest));
  if (sine > 1e-12) {
    return across * (angle / sine);
  }
  const glm::dvec3 other = std::abs(rest.x) < 0.6 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
  return glm::normalize(glm::cross(rest, other)) * angle;
}

/// The directions in which an arc goes on: at its beginning, at its end, and across both.
struct ArcAxes {
  glm::dvec3 first;   ///< unit, across rest
  glm::dvec3 onward;  ///< unit, across the direction at the end
  glm::dvec3 across;  ///< unit, across both
  double widening;    ///< of what goes across: sin(angle) / angle

  ArcAxes(const glm::dvec3& rest, const glm::dvec3& turn) {
    const double angle = glm::length(turn);
    const glm::dvec3 other = std::abs(rest.x) < 0.6 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
    first = angle > 1e-12 ? turn / angle : glm::normalize(glm::cross(rest, other));
    across = glm::cross(rest, first);
    onward = first * std::cos(angle) - rest * std::sin(angle);
    widening = angle > 1e-12 ? std::sin(angle) / angle : 1.0;
  }
};

/// How the direction moves while the turn changes by `speed`.
inline glm::dvec3 arc_velocity(const glm::dvec3& rest, const glm::dvec3& turn, const glm::dvec3& speed) {
  const ArcAxes axes(rest, turn);
  return axes.onward * glm::dot(speed, axes.first) + axes.across * (glm::dot(speed, axes.across) * axes.widening);
}

/// The inverse; of a velocity what lies along the sphere.
inline glm::dvec3 arc_turn_speed(const glm::dvec3& rest, const glm::dvec3& turn, const glm::dvec3& velocity) {
  const ArcAxes axes(rest, turn);
  constexpr double kNarrowest = 0.02;  // an arc of nearly 180 degrees, where a small way across is a large turn
  return axes.first * glm::dot(velocity, axes.onward) +
         axes.across * (glm::dot(velocity, axes.across) / std::max(axes.widening, kNarrowest));
}

/// What of a pull on the end of the arc turns it.
inline glm::dvec3 arc_pull(const glm::dvec3& rest, const glm::dvec3& turn, const glm::dvec3& pull) {
  const ArcAxes axes(rest, turn);
  return axes.first * glm::dot(pull, axes.onward) + axes.across * glm::dot(pull, axes.across);
}

}  // namespace pelt::motion
