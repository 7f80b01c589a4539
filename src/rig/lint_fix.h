#pragma once

#include <span>
#include <string>

#include "rig/character.h"

namespace pelt::rig {

/// The character with every fault mended that can be mended without moving a vertex: what was repaired when it was read
/// stays repaired, weights sum to 1, inverse bind matrices are there, joints that nothing follows have left their
/// skins, copies of vertices are welded and unused vertices removed. Its diagnostics keep what lint() would still say.
/// Nodes, parts, materials, clips and the numbers of everything but vertices and joints within a skin stay, so that
/// poses and documents mean the same; so do joints that something hangs on or is to be hung on. Finished.
/// @param only  codes of what is mended; empty: all. What was repaired when it was read stays repaired.
Character fixed(const Character& character, std::span<const std::string> only = {});

}  // namespace pelt::rig
