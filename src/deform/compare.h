#pragma once

#include <cstdint>

#include "deform/deform.h"

namespace pelt::deform {

/// Distance between two deformations of one character.
struct Difference {
  double max = 0;  ///< metres
  double rms = 0;  ///< metres, over all vertices
  int worst_part = -1;
  std::int64_t worst_vertex = -1;  ///< within that part
  double max_normal_angle = 0;     ///< radians, over vertices that have normals in both
  std::int64_t non_finite = 0;     ///< vertices with a coordinate that is not finite in either
};
Difference difference(const DeformedCharacter& a, const DeformedCharacter& b);

/// Collapse measures against the bind shape, algorithms.md §53, over all skinned triangle parts.
///
/// Parts of one skin make one surface, welded where bind positions coincide; its holes are closed by fans for the
/// volume alone. Where the file folds scale into inverse bind matrices, the bind shape is taken at the size of the rest
/// pose.
struct CollapseMeasures {
  double volume_ratio = 1;  ///< 1 where the bind shape encloses nothing
  double area_ratio = 1;
  double max_edge_stretch = 1;  ///< largest l / l0
};
CollapseMeasures collapse_measures(const rig::Character& character, const DeformedCharacter& deformed);

}  // namespace pelt::deform
