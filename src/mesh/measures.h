#pragma once

#include <cstdint>
#include <span>

#include <glm/glm.hpp>

namespace pelt::mesh {

/// Signed volume enclosed by a triangle mesh, cubic metres: V = 1/6 sum a . (b x c), ALGORITHMS.md §53. For an open
/// mesh the result depends on the origin.
double signed_volume(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices);

/// Surface area, square metres.
double surface_area(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices);

}  // namespace pelt::mesh
