#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/weight_rows.h"

namespace pelt::mesh {

/// Where a vertex is to be in one pose. Index letter k of a joint that may have weight there.
struct ReachPose {
  std::vector<glm::dvec3> ghosts;  ///< [K] where the vertex would be if it followed that joint alone
  glm::dvec3 target = {};
  double importance = 1;  ///< of the squared distance to the target, against other poses
};

/// ALGORITHMS.md §40: weights w of one vertex with
///
///   min sum_p c_p |sum_k w_k g_pk - x_p|^2,  sum_k w_k = 1,  w >= 0,
///   and among equals  min sum_k (w_k - old_k)^2 / ease_k.
struct ReachProblem {
  std::vector<double> weights;   ///< [K] the old ones, 0 for joints that are to have their chance
  std::vector<char> locked;      ///< [K] keep their weights; empty: none
  std::vector<ReachPose> poses;  ///< at least one
  double coincident = 1e-6;      ///< ghosts within this of each other are one place; metres
  std::vector<double> ease;      ///< [K] above 0: how readily a weight changes; empty: all alike
  /// Combinations of weights, each counted by the root of its ease, that move the vertex by less than this share of
  /// what the strongest one does count as moving nothing; from four times that on they count in full, and between by
  /// degrees. 0: all count.
  double thin = 0;
};

struct Reach {
  std::vector<double> weights;      ///< [K] they sum to 1
  std::vector<glm::dvec3> reached;  ///< by pose, where these weights put the vertex
  std::vector<double> residual;     ///< by pose, from there to the target
  bool can_move = true;             ///< false: all ghosts coincide, or one joint alone is free; the weights are the old
};

/// Exact but for rounding where nothing is thin: an active set over the weights that are 0, then the least squares over
/// the others by their singular values; what moves the vertex by less than `coincident` counts as nothing.
/// @pre  old weights >= 0; all arrays have K entries @cost O(K^4) at worst, K to a few tens
Reach reachable_weights(const ReachProblem& problem);

/// The problem of one row, before anybody said where its vertex is to be.
struct RowReach {
  std::vector<std::uint16_t> joints = {};  ///< slots: its own, and those offered beside them
  ReachProblem problem = {};               ///< ghosts of all poses; targets where the row puts the vertex now
};
/// @param before  the row as it is stored  @param row  the same while it is edited: its locks
/// @param more  slots that it may have beside its own  @param at  the vertex as bound, mesh space
/// @param poses  skin matrices by slot
RowReach row_reach(const InfluenceRow& before, const WeightRow& row, std::span<const std::uint16_t> more,
                   const glm::dvec3& at, std::span<const std::span<const glm::dmat4>> poses);

/// One pose of a pull.
struct PullPose {
  std::span<const glm::dmat4> skin_matrices;  ///< by slot of the skin: the pose's space from mesh space
  glm::dvec3 displacement = {};               ///< by which the vertex in the middle is to move
  double importance = 1;
  std::span<const glm::dvec3> targets = {};  ///< where each place is to be instead, in the order of Pull::places
};

/// Vertices pulled by their weights: each to where its falloff times the displacement, or its target, puts it in every
/// pose, as linear blend skinning poses it. Where many weights do that, a joint takes part by the weight that it has:
/// of joints that move alike in the poses, those that hardly move the vertex go on hardly moving it.
struct Pull {
  std::span<const std::uint32_t> places = {};  ///< in any order, each once
  std::span<const float> amounts = {};         ///< one per place, 0 to 1: falloff, 1 in the middle
  std::span<const PullPose> poses = {};
  std::span<const std::uint16_t> more = {};    ///< slots that a vertex may follow beside its own
  std::span<const std::uint16_t> locked = {};  ///< slots that keep their weights bit for bit
  int limit = 0;                               ///< influences of a vertex afterwards, 0: Influences::most()
  double coincident = 1e-6;                    ///< see ReachProblem
  /// Where a place is before it is skinned, with its shapes; empty: as it is bound.
  std::function<glm::dvec3(std::uint32_t place)> position = {};
};

/// @pre  targets of a pose are none, or one per place
/// @return [P] for patched() @cost O(places * K^4) at worst
std::vector<InfluencesPatch> pulled_weights(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                            const Pull& pull);

}  // namespace pelt::mesh
