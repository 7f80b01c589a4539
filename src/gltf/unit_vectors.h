#pragma once

// Internal to importer and exporter: what becomes of normals and tangents that are not unit when they are read.

#include <cmath>

#include <glm/glm.hpp>

namespace pelt::gltf {

/// The direction made unit, as it is where only rounding keeps it from being so.
/// @pre  it has a length that floats can square
inline glm::vec3 unit_as_read(const glm::vec3& direction) {
  const glm::dvec3 exact(direction);
  const double square = glm::dot(exact, exact);
  return std::abs(square - 1) > 1e-6 ? glm::vec3(exact / std::sqrt(square)) : direction;
}

}  // namespace pelt::gltf
