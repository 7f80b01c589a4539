#include "mesh/measures.h"

namespace pelt::mesh {

double signed_volume(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices) {
  double six_volumes = 0;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    const glm::dvec3 a(positions[indices[i]]);
    const glm::dvec3 b(positions[indices[i + 1]]);
    const glm::dvec3 c(positions[indices[i + 2]]);
    six_volumes += glm::dot(a, glm::cross(b, c));
  }
  return six_volumes / 6;
}

double surface_area(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices) {
  double twice = 0;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    const glm::dvec3 a(positions[indices[i]]);
    twice +=
        glm::length(glm::cross(glm::dvec3(positions[indices[i + 1]]) - a, glm::dvec3(positions[indices[i + 2]]) - a));
  }
  return twice / 2;
}

}  // namespace pelt::mesh
