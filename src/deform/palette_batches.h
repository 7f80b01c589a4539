#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "mesh/mesh.h"

namespace pelt::deform {

/// One draw of a split mesh: the joints it needs, its own vertices and its elements.
struct PaletteBatch {
  std::vector<std::uint16_t> palette;   ///< local slot -> joint of the skin
  std::vector<std::uint32_t> vertices;  ///< batch vertex -> source vertex
  std::vector<std::uint32_t> indices;   ///< into `vertices`, as many per element as the topology has corners
  std::vector<std::uint32_t> elements;  ///< source element (triangle, line, point) of each element
};

/// ALGORITHMS.md §10: greedy split so that each batch needs at most `cap` joints; one batch when all fit.
/// @param indices            corners of all elements
/// @param corners            3, 2 or 1 per element
/// @param influences         V rows; only weights > 0 count
/// @param cap                joints per palette; 0: no limit
/// Fails where a single element needs more than `cap` joints, naming the element and the smallest cap that would do.
Result<std::vector<PaletteBatch>> split_into_batches(std::span<const std::uint32_t> indices, int corners,
                                                     const mesh::Influences& influences, int cap);

}  // namespace pelt::deform
