#pragma once

#include <span>
#include <vector>

#include "core/result.h"
#include "rig/character.h"

namespace pelt::rig {

/// The joint whose way is the way of the character in a clip: the topmost one whose translation the clip moves; -1
/// where it moves none. Of several without one above another the first.
int traveller(const Character& character, const Clip& clip);

/// Where that joint is in the world, at these moments; empty where there is none. @param times  seconds
std::vector<glm::vec3> travelled_way(const Character& character, const Clip& clip, std::span<const float> times);

/// The clip on the spot: the traveller keeps its height and stays above where it was at the start of the clip. Its
/// values change by one linear map, tangents alike, so that curves of every kind stay what they were in height.
/// Fails where nothing travels, or where a joint above the traveller moves.
Result<Clip> without_travel(const Character& character, const Clip& clip);

/// The same, and the joint above the traveller, which moves nothing else, goes the way instead: every joint below stays
/// where it was at every moment. Fails likewise, and where the traveller has no joint above it.
Result<Clip> with_travel_above(const Character& character, const Clip& clip);

}  // namespace pelt::rig
