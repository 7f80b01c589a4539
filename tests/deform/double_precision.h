#pragma once

#include <glm/glm.hpp>

namespace pelt::test {

inline constexpr double kExact = 1e-9;  ///< metres, on shapes of about one metre

inline glm::dvec3 apply(const glm::dmat4& m, const glm::dvec3& p) {
  return glm::dvec3(m * glm::dvec4(p, 1));
}

}  // namespace pelt::test
