#pragma once

#include <optional>
#include <span>

#include <glm/glm.hpp>

#include "rig/character.h"

namespace pelt::deform {

/// Linear blend skinning in two orders, ALGORITHMS.md §11, on one thread, positions and normals.
struct LoopOrder {
  double vertex_major = 0;  ///< nanoseconds per vertex: each vertex sums over its joints
  double bone_major = 0;    ///< nanoseconds per vertex: each joint adds to its vertices
  [[nodiscard]] double ratio() const { return bone_major / vertex_major; }
};

/// Measures both in turn on all skinned parts of a posed character; medians. The plain kernels of the texts, so that
/// nothing but the order differs.
/// @param world    [J]
/// @param seconds  to measure for, about; at least three rounds are made
/// @returns nothing where nothing is skinned
std::optional<LoopOrder> measure_loop_order(const rig::Character& character, std::span<const glm::mat4> world,
                                            double seconds = 0.1);

}  // namespace pelt::deform
