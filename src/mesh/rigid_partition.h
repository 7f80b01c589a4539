#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// A vertex with at least 1 - this much weight on one joint counts as rigid: (0.6 - 0.4) / 0.2 is not quite 1.
inline constexpr float kRigidTolerance = 1e-4f;

/// The triangles that move with one joint alone.
struct RigidPart {
  std::uint16_t joint = 0;             ///< of the skin
  std::vector<std::uint32_t> indices;  ///< 3 per triangle, into the source's vertices
};

/// A primitive's triangles sorted by how they move; each is in exactly one list, in the source's order.
struct RigidPartition {
  std::vector<RigidPart> rigid;        ///< ascending by joint, none empty; to be drawn with one matrix each
  std::vector<std::uint32_t> skinned;  ///< the others, 3 per triangle
};

/// ALGORITHMS.md §12. Placing a rigid part by its joint's skin matrix moves no vertex by more than kRigidTolerance
/// times the largest distance between its images under two joints. Source: [UCSD].
/// @param indices     3 per triangle, each < V
/// @param influences  V rows; triangles at vertices of empty rows are skinned
RigidPartition partition_rigid(std::span<const std::uint32_t> indices, const Influences& influences);

}  // namespace pelt::mesh
