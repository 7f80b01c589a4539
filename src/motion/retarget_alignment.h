#pragma once

#include <array>
#include <optional>
#include <vector>

#include <glm/glm.hpp>

#include "motion/retarget.h"

namespace pelt::motion {

/// What the source's motion tells beside its skeleton.
struct SourceFeet {
  std::vector<FootContact> contacts;              ///< frames of the clip
  std::array<std::optional<glm::dvec3>, 2> sole;  ///< up as the feet have it in the reference pose; left, right
  std::optional<double> floor;                    ///< height of the lowest joint of the feet when they stand, metres
  double leg = 0;                                 ///< metres
};

/// Looks at all frames. Empty without legs.
SourceFeet find_source_feet(const RetargetRig& source, const std::vector<float>& times);

/// From the source's way of facing to the target's; identity where one does not tell.
glm::dmat3 facing_turn(const RetargetRig& source, const RetargetRig& target);

/// [J of the target] The turns, in the world, that bring the target's reference pose to match the source's; joints that
/// follow no source have that of their parent.
std::vector<glm::dmat3> alignment_turns(const RetargetRig& source, const RetargetRig& target, const JointMap& map,
                                        Alignment alignment, const SourceFeet& feet);

/// The joint of a foot that moves over the ground beside the ankle: its toes, else the end of its only chain; -1
/// without.
int toe_joint(const RetargetRig& rig, int side);

}  // namespace pelt::motion
