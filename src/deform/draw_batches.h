#pragma once

#include <vector>

#include "core/result.h"
#include "deform/palette_batches.h"
#include "deform/settings.h"
#include "mesh/mesh.h"

namespace pelt::deform {

/// Influences per vertex that the shaders take.
inline constexpr int kShaderInfluences = 8;

/// Most influences that a vertex may have under the settings, from the file's rows, before any is pruned.
int influence_limit_of(const mesh::Primitive& primitive, const SkinningSettings& settings);

/// One draw of a primitive.
struct DrawBatch : PaletteBatch {
  bool rigid = false;  ///< all its vertices follow palette[0] alone, ALGORITHMS.md §12
};

/// Corners of an element: 3, 2 or 1.
int corners_of(mesh::Topology topology);

/// The joints of the widest element, which no batch can be smaller than.
int widest_element(const mesh::Primitive& primitive, const mesh::Influences& influences);

/// True where SkinningSettings::partition has a meaning: for triangles, under methods that leave a vertex of one joint
/// to this joint, with weights that sum to one.
bool can_partition(const mesh::Primitive& primitive, const SkinningSettings& settings);

/// ALGORITHMS.md §10 for a whole primitive: as split_into_batches(), and vertices that no element uses are given to a
/// batch too (to one without elements where none has room), so that every vertex is skinned at least once.
/// @param partition  rigid triangles make batches of their own, one per joint, after the skinned ones; vertices on the
///                   border are in both. @pre can_partition()
Result<std::vector<DrawBatch>> make_draw_batches(const mesh::Primitive& primitive, const mesh::Influences& influences,
                                                 int cap, bool partition = false);

}  // namespace pelt::deform
