#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/weight_rows.h"

namespace pelt::mesh {

/// How far a point of the bind shape is from the bone of a slot, mesh space; not finite where the slot has no bone.
using BoneDistance = std::function<double(std::uint16_t slot, const glm::dvec3& point)>;

struct RogueSearch {
  double epsilon = 0.01;     ///< weights above it count
  double largest_share = 1;  ///< of a joint's weights on the mesh: a patch that has more is no stray
  /// Times as far from the bone as the joint's own places reach, these being the patch nearest to it and the heaviest:
  /// a patch that comes nearer is no stray.
  double reach = 0;
  /// Only patches at whose border the weight ends at once: at half of the edges out of it or more, the place outside
  /// does not follow the joint at all. Where it falls off smoothly to less than counts, somebody painted it.
  bool abrupt = false;
  bool whole_islands = false;                  ///< patches that are a whole shell are repaired, too, and not only told
  std::span<const std::uint16_t> joints = {};  ///< only patches of these; empty: of all
};
/// The strays that lint tells of and that tools mend unless they are told otherwise: patches that no way of binding or
/// painting makes. On a sound character there are none.
inline constexpr RogueSearch kStrays = {.largest_share = 0.1, .reach = 1.5, .abrupt = true};

/// A patch of places that follow a joint without a way along edges to those at its bone.
struct RoguePatch {
  std::uint16_t joint = 0;
  std::vector<std::uint32_t> places = {};  ///< ascending
  double weight = 0;                       ///< of the joint, all places together
  double nearest = 0;                      ///< to the bone, mesh space
  double own_reach = 0;                    ///< how far from it the joint's own places are at most
  bool is_island = false;                  ///< a whole shell: eyes, buckles
};

/// ALGORITHMS.md §38: for each joint the places with weight above epsilon are parted by edges of the surface; the patch
/// with the place nearest to the bone is the joint's own (the lowest place among equals), the others are rogue.
/// @return by joint, then by their first place @cost O(entries log entries)
std::vector<RoguePatch> find_rogues(const WeldedSurface& surface, std::span<const Influences* const> influences,
                                    const BoneDistance& distance, const RogueSearch& how);

/// What repairing them makes of the weights: what a rogue place has of the joint goes to its other joints in their
/// proportions where these have a quarter of its weight or more, else to the joints of the nearest place that is not rogue
/// itself, in its proportions (along edges where there is a way to one, else straight), again until nothing is found.
/// Places that become free on the way serve the others. Idempotent.
/// @param locked  slots that keep their weights bit for bit
/// @return [P] for patched()
std::vector<InfluencesPatch> repaired_rogues(const WeldedSurface& surface,
                                             std::span<const Influences* const> influences,
                                             const BoneDistance& distance, std::span<const std::uint16_t> locked,
                                             const RogueSearch& how);

}  // namespace pelt::mesh
