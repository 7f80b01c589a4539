#pragma once

#include <span>
#include <vector>

#include "rig/character.h"

namespace pelt::bind {

/// The joints that should deform where nobody says it: those that today's weights use (above a thousandth somewhere),
/// else those of the skins (all nodes without a mesh, where there is no skin) but for helpers by their names: IK
/// targets, poles, controls, ends, and a root that only carries the rest.
std::vector<int> proposed_joints(const rig::Character& character);

/// [J] which nodes are joints: those that skins list, all without a mesh where no skin lists any.
std::vector<char> pivots_of(const rig::Character& character);
/// [J] the pivots next below each.
std::vector<std::vector<int>> pivots_below(const rig::Skeleton& skeleton, std::span<const char> pivot);

}  // namespace pelt::bind
