#include "deform/compare.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/expect.h"
#include "deform/surface.h"
#include "mesh/measures.h"

namespace pelt::deform {
Difference difference(const DeformedCharacter& a, const DeformedCharacter& b) {
  PELT_EXPECT(a.parts.size() == b.parts.size(), "two deformations of one character");
  Difference out;
  double sum_of_squares = 0;
  std::int64_t compared = 0;
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    const DeformedPart& left = a.parts[p];
    const DeformedPart& right = b.parts[p];
    PELT_EXPECT(left.positions.size() == right.positions.size(), "two deformations of one character");
    for (std::size_t v = 0; v < left.positions.size(); ++v) {
      if (!is_finite(left.positions[v]) || !is_finite(right.positions[v])) {
        ++out.non_finite;
        continue;
      }
      const double distance = glm::length(glm::dvec3(left.positions[v]) - glm::dvec3(right.positions[v]));
      sum_of_squares += distance * distance;
      ++compared;
      if (out.worst_vertex < 0 || distance > out.max) {
        out.max = distance;
        out.worst_part = static_cast<int>(p);
        out.worst_vertex = static_cast<std::int64_t>(v);
      }
    }
    if (left.normals.size() == right.normals.size()) {
      for (std::size_t v = 0; v < left.normals.size(); ++v) {
        const glm::dvec3 m(left.normals[v]);
        const glm::dvec3 n(right.normals[v]);
        // By the tangent: acos loses small angles.
        const double angle = std::atan2(glm::length(glm::cross(m, n)), glm::dot(m, n));
        out.max_normal_angle = std::max(out.max_normal_angle, angle);
      }
    }
  }
  out.rms = compared > 0 ? std::sqrt(sum_of_squares / static_cast<double>(compared)) : 0.0;
  return out;
}

CollapseMeasures collapse_measures(const rig::Character& character, const DeformedCharacter& deformed) {
  PELT_EXPECT(deformed.parts.size() == character.parts.size(), "a deformation of this character");
  const DeformedCharacter bind_character = bind_shape(character);
  CollapseMeasures out;
  double bind_volume = 0;
  double posed_volume = 0;
  double bind_area = 0;
  double posed_area = 0;
  double largest_stretch = 0;
  double volume_floor = 0;  // what rounding alone may enclose
  for (const Surface& surface : surfaces_of(character)) {
    if (surface.skin < 0) {
      continue;
    }
    const std::vector<glm::vec3> bind = surface.positions(bind_character);
    const std::vector<glm::vec3> posed = surface.positions(deformed);
    bind_area += mesh::surface_area(bind, surface.indices);
    posed_area += mesh::surface_area(posed, surface.indices);
    const double diagonal = static_cast<double>(bounds_of(bind).diagonal());
    volume_floor += 1e-9 * diagonal * diagonal * diagonal;
    for (std::size_t i = 0; i + 2 < surface.indices.size(); i += 3) {
      for (std::size_t corner = 0; corner < 3; ++corner) {
        const std::uint32_t a = surface.indices[i + corner];
        const std::uint32_t b = surface.indices[i + (corner + 1) % 3];
        const double bind_length = glm::length(glm::dvec3(bind[a]) - glm::dvec3(bind[b]));
        if (bind_length > 1e-7 * diagonal) {
          const double length = glm::length(glm::dvec3(posed[a]) - glm::dvec3(posed[b]));
          largest_stretch = std::max(largest_stretch, length / bind_length);
        }
      }
    }
    const HoleFans fans = close_holes(surface);
    bind_volume += mesh::signed_volume(bind, surface.indices) + fans.six_volumes(bind) / 6;
    posed_volume += mesh::signed_volume(posed, surface.indices) + fans.six_volumes(posed) / 6;
  }
  if (std::abs(bind_volume) > volume_floor) {
    out.volume_ratio = posed_volume / bind_volume;
  }
  if (largest_stretch > 0) {
    out.max_edge_stretch = largest_stretch;
  }
  if (bind_area > 0) {
    out.area_ratio = posed_area / bind_area;
  }
  return out;
}

}  // namespace pelt::deform
