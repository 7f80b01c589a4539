#pragma once

// Internal to importer and exporter: what becomes of normals, tangents and rotations that are not unit when they
// are read.

#include <cmath>

#include <glm/glm.hpp>

#include "math/transform.h"

namespace pelt::gltf {

/// The direction made unit, as it is where only rounding keeps it from being so.
/// @pre  it has a length that floats can square
inline glm::vec3 unit_as_read(const glm::vec3& direction) {
  const glm::dvec3 exact(direction);
  const double square = glm::dot(exact, exact);
  return std::abs(square - 1) > 1e-6 ? glm::vec3(exact / std::sqrt(square)) : direction;
}

/// The rotation made unit, unless only rounding keeps it from being so; none where it is zero.
inline glm::quat unit_as_read(const glm::dquat& rotation) {
  return std::abs(glm::dot(rotation, rotation) - 1) > 1e-7 ? glm::quat(normalized_or_identity(rotation))
                                                           : glm::quat(rotation);
}

}  // namespace pelt::gltf
