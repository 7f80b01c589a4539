#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/influences.h"
#include "mesh/influences_patch.h"
#include "mesh/weight_rows.h"
#include "mesh/welded_surface.h"

namespace pelt::mesh {

/// What a neighbour's weights count: each the same, or by the cotangents of the angles that face the edge in the bind
/// shape, each clamped at 0, which does not favour the side with the smaller triangles.
enum class NeighborShares { kUniform, kCotangent };

/// How weights are smoothed, ALGORITHMS.md §37.
struct WeightSmoothing {
  float strength = 0.5f;  ///< lambda, 0 to 1: what a pass takes from the neighbours
  int iterations = 1;
  NeighborShares shares = NeighborShares::kUniform;
  std::vector<std::uint16_t> locked = {};  ///< slots of the skin whose weights stay bit for bit
  std::vector<std::uint16_t> across = {};  ///< only these slots exchange weights; empty: all
  int limit = 0;            ///< influences of a vertex afterwards, locked ones included; 0: Influences::most()
  float threshold = 1e-4f;  ///< weights below it are dropped afterwards
};

/// What smoothing makes of the weights at some places:
///
///   w_v <- (1 - lambda_v) w_v + lambda_v sum_u a_vu w_u,  sum_u a_vu = 1,  lambda_v = strength * strengths[v]
///
/// `iterations` times, all places at once, in double precision. Neighbours at other places stay as they are. What
/// joints that are not locked have at a vertex together stays the same, so that rows sum to 1 and locked weights keep
/// their bits. A vertex without weights neither gives nor takes any. After the last pass the smallest weights go, by
/// limit and threshold, where they are not locked; one of those that are not stays in any case. All copies of a place
/// get one row, that of its first skinned copy, but each keeps the locked weights that it has.
///
/// @param surface     of the mesh
/// @param influences  [P] one per primitive, of its vertices or empty where it is not skinned
/// @param places      ascending, each once
/// @param strengths   [places] 0 to 1, or empty: 1 each
/// @return [P] for patched(): the rows that are others than they were, with the stored sum 1
/// @cost O(places * degree * K log), never O(W), for any number of threads to the bit the same
std::vector<InfluencesPatch> smoothed_weights(const WeldedSurface& surface,
                                              std::span<const Influences* const> influences,
                                              std::span<const std::uint32_t> places, std::span<const float> strengths,
                                              const WeightSmoothing& how);

/// The same before anything is rounded or dropped: the row of each place, all its joints by number.
std::vector<std::vector<WeightEntry>> smoothed_rows(const WeldedSurface& surface,
                                                    std::span<const Influences* const> influences,
                                                    std::span<const std::uint32_t> places,
                                                    std::span<const float> strengths, const WeightSmoothing& how);

}  // namespace pelt::mesh
