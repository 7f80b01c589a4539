#include "measure/compare.h"

#include <algorithm>
#include <cmath>

#include "core/expect.h"

namespace pelt::measure {

Difference difference(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b) {
  PELT_EXPECT(a.parts.size() == b.parts.size(), "two deformations of one character");
  Difference out;
  double sum_of_squares = 0;
  std::int64_t compared = 0;
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    const deform::DeformedPart& left = a.parts[p];
    const deform::DeformedPart& right = b.parts[p];
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

FieldSummary summary_of(std::span<const std::vector<float>> field) {
  FieldSummary out;
  double sum_of_squares = 0;
  std::size_t count = 0;
  for (std::size_t p = 0; p < field.size(); ++p) {
    for (std::size_t v = 0; v < field[p].size(); ++v) {
      const auto value = static_cast<double>(field[p][v]);
      sum_of_squares += value * value;
      if (out.worst_vertex < 0 || std::abs(value) > std::abs(out.worst)) {
        out.worst = value;
        out.worst_part = static_cast<int>(p);
        out.worst_vertex = static_cast<std::int64_t>(v);
      }
    }
    count += field[p].size();
  }
  out.rms = count > 0 ? std::sqrt(sum_of_squares / static_cast<double>(count)) : 0.0;
  return out;
}

}  // namespace pelt::measure
