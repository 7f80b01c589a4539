#pragma once

#include <vector>

#include "motion/retarget.h"

namespace pelt::motion {

struct FootLockSettings {
  double ease = 0.2;        ///< seconds in which a foot goes from its own way to where it is held, and back
  double straight = 0.999;  ///< of the leg: knees are never stretched further, lest they snap
};

/// By what the root's way over the ground is to be multiplied so that the ankles move least while they stand: legs of
/// other proportions make other steps. Least squares over all frames of contacts; 1 where the root stands as well.
/// @param root  joint of the target that has the way
double stride_factor(const RetargetRig& target, std::span<const FootContact> contacts, const RetargetTracks& tracks,
                     int root);

/// Holds the feet of a retargeted clip where they stand: over a contact the ankle (or the ball of the foot where only
/// that stands) stays in its mean place, eased in before and out after. Two bones reach it in closed form,
/// ALGORITHMS.md §46; the knee keeps its side, and the foot its turn in the world. Where a leg would be too short for
/// that the root comes down as far as it must, smoothly; it is not touched otherwise.
/// @param contacts  frames of `tracks`
/// @param root      joint of the target that has a track of translations
/// @returns how far the root comes down at most, metres
double hold_feet(const RetargetRig& target, std::span<const FootContact> contacts, int root, RetargetTracks& tracks,
                 const FootLockSettings& settings = {});

}  // namespace pelt::motion
