#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/reachable_weights.h"

namespace pelt::mesh {

/// Weights of a patch relaxed as ALGORITHMS.md §40: those under which its edges keep their lengths best in several
/// poses at once, each cell turning as it likes, while everything round the patch stays.
///
///   min sum_p sum_i sum_j |x_pi - x_pj - R_pi (y_i - y_j)|^2 / |y_i - y_j|^2  over weights and rotations R
///
/// x where linear blend skinning puts places in pose p, y in the reference, j the neighbours of i.
/// Source: L. Kavan, O. Sorkine, "Elasticity-Inspired Deformers for Character Articulation", ACM TOG 31(6), 2012; the
/// energy is that of O. Sorkine, M. Alexa, "As-Rigid-As-Possible Surface Modeling", SGP 2007.
struct Relaxing {
  std::span<const std::uint32_t> places = {};  ///< in any order, each once
  std::span<const float> amounts = {};  ///< one per place, 0 to 1: how much of each place's pull is the energy's; the
                                        ///< rest pulls it to where it was
  std::span<const std::span<const glm::dmat4>> poses = {};  ///< skin matrices by slot: the pose's space from mesh space
  glm::dmat3 reference = glm::dmat3(1);                     ///< from mesh space to where edges have their lengths
  std::span<const std::uint16_t> more = {};                 ///< slots that a vertex may follow beside its own
  std::span<const std::uint16_t> locked = {};               ///< slots that keep their weights bit for bit
  double coincident = 1e-6;                                 ///< see ReachProblem
  int passes = 12;                                          ///< over all places
};

/// One after the other each place takes the weights that are best while the others stay, so that with whole amounts
/// no pass raises the energy but for what §40 leaves thin and for influences beyond Influences::most().
/// @return [P] for patched() @cost O(passes * poses * places * K^4) at worst, K of a few
std::vector<InfluencesPatch> relaxed_weights(const WeldedSurface& surface,
                                             std::span<const Influences* const> influences, const Relaxing& relaxing);

}  // namespace pelt::mesh
