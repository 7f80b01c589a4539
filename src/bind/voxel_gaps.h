#pragma once

#include <cstddef>
#include <vector>

#include "bind/binding.h"
#include "bind/voxels.h"

namespace pelt::bind {

/// Two islands without a cube of air between them.
struct VoxelGap {
  std::size_t small = 0;  ///< the island of fewer places, the later one among equals
  std::size_t large = 0;
  std::size_t cubes = 0;  ///< that both share, or in which they touch
  glm::dvec3 where = {};  ///< the middle of those
};

/// For each island the other that it shares or touches (26 neighbours) the most cubes with, where there is one.
std::vector<VoxelGap> closed_gaps(const Problem& problem, const VoxelGrid& grid);

/// A remark for each.
void remark_on_gaps(const Problem& problem, const VoxelGrid& grid, Binding& binding);

}  // namespace pelt::bind
