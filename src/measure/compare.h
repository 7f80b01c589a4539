#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deform/deform.h"

namespace pelt::measure {

/// Distance between two deformations of one character.
struct Difference {
  double max = 0;  ///< metres
  double rms = 0;  ///< metres, over all vertices
  int worst_part = -1;
  std::int64_t worst_vertex = -1;  ///< within that part
  double max_normal_angle = 0;     ///< radians, over vertices that have normals in both
  std::int64_t non_finite = 0;     ///< vertices with a coordinate that is not finite in either
};
Difference difference(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b);

/// A field over the surface in a few numbers, see SurfaceField.
struct FieldSummary {
  double worst = 0;  ///< the value farthest from 0, with its sign, in the measure's own unit
  double rms = 0;    ///< over all vertices
  int worst_part = -1;
  std::int64_t worst_vertex = -1;  ///< within that part
};
/// @param field  [part][vertex]; finite
FieldSummary summary_of(std::span<const std::vector<float>> field);

}  // namespace pelt::measure
