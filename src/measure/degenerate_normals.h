#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <glm/glm.hpp>

#include "deform/settings.h"
#include "deform/skin_cache.h"
#include "rig/character.h"

namespace pelt::measure {

/// Vertices whose normal is lost in a pose.
struct DegenerateNormals {
  std::int64_t count = 0;
  std::int64_t vertices = 0;  ///< that have a normal at all
  int part = -1;              ///< of the first one
  int vertex = -1;
};

/// Whether that is a question under these settings: not for variants that are no sum over the vertex's joints (e, f,
/// g), nor for methods that look at the mesh around a vertex.
bool has_degenerate_normals(const deform::SkinningSettings& settings);

/// Counts the vertices of which a normal variant blends nothing: |n*| below 1e-6 of |n| (ALGORITHMS.md §13), because
/// the joints cancel each other, squash the normal, or because the file's normal is zero. Such a vertex shows what its
/// heaviest joint makes of the normal. Nothing where that is no question, see has_degenerate_normals().
/// @param world  [J] world matrices of `pose`  @param cache  of influences and what the method prepares
/// @cost about that of skinning four times
std::optional<DegenerateNormals> count_degenerate_normals(const rig::Character& character, const rig::Pose& pose,
                                                          std::span<const glm::mat4> world,
                                                          const deform::SkinningSettings& settings,
                                                          deform::SkinCache& cache);

}  // namespace pelt::measure
