#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "rig/character.h"

namespace pelt::rig {

/// The numbers that vertices of one primitive have got.
struct RenumberedVertices {
  int mesh = 0;
  int primitive = 0;
  std::vector<std::uint32_t> number;  ///< [V] of each vertex that there was; kDroppedVertex: it is gone
};
inline constexpr std::uint32_t kDroppedVertex = std::numeric_limits<std::uint32_t>::max();

/// The character with every fault mended that can be mended without moving a vertex: what was repaired when it was read
/// stays repaired, weights sum to 1, inverse bind matrices are there, patches wound against their normals are turned
/// round, copies of vertices are welded and unused ones removed. Its diagnostics keep what lint() would still say.
/// Nodes, parts, materials, clips and the numbers of everything but vertices and joints within a skin stay, so that
/// poses and documents mean the same; so do joints that something hangs on or is to be hung on. Finished.
/// @param only  codes of what is mended; empty: all that is usually fixed (LintRule). "unused-joint" takes joints that
/// nothing follows out of the skins' lists; "inverse-bind-mismatch" gives a joint the matrix that those of the other
/// joints imply, which brings what follows it back to where it was modelled. What was repaired when it was read stays
/// repaired.
/// @param renumbered  gets the primitives whose vertices have other numbers now, where it is not null
Character fixed(const Character& character, std::span<const std::string> only = {},
                std::vector<RenumberedVertices>* renumbered = nullptr);

}  // namespace pelt::rig
