#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "rig/character.h"
#include "rig/lint_fix.h"

namespace pelt::edit {

/// What a mend made of a character.
struct MendedParts {
  std::size_t reweighted = 0;      ///< vertices that have other weights, or another stored sum of them
  std::size_t removed = 0;         ///< vertices that are gone: copies of others, or unused ones
  std::size_t turned = 0;          ///< triangles that are wound the other way round
  std::size_t matrices = 0;        ///< inverse bind matrices that are others
  std::size_t removed_joints = 0;  ///< joints that skins no longer list
  std::size_t moved = 0;           ///< vertices that stand elsewhere in the rest pose; moved_at_rest() counts them
  double farthest = 0;             ///< metres, of these vertices

  /// Vertices of which something changed, those that are gone included.
  [[nodiscard]] std::size_t vertices() const { return reweighted + removed; }
  bool operator==(const MendedParts&) const = default;
};

/// What differs between a character and a mended copy of it, without `moved`. Weights are not compared where a skin
/// lists other joints, nor in primitives whose vertices have other numbers.
/// Nothing where they have other meshes, primitives or skins.
/// @cost O(rows of weights, triangles and matrices that are not shared)
MendedParts mended_parts(const rig::Character& before, const rig::Character& after);

/// Fills `moved` and `farthest`: both characters are skinned linearly in the rest pose.
/// @param renumbered  the primitives whose vertices have other numbers in `after`
/// @cost O(V)
void measure_moves(const rig::Character& before, const rig::Character& after,
                   std::span<const rig::RenumberedVertices> renumbered, MendedParts& out);

/// What rig::fixed() would change, measured on a copy. For a job: it takes as long as the mend.
MendedParts foreseen_mend(const rig::Character& character, std::span<const std::string> codes);

}  // namespace pelt::edit
