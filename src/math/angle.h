#pragma once

#include <numbers>

namespace pelt {

inline constexpr double kDegree = std::numbers::pi / 180;  ///< radians per degree

}  // namespace pelt
