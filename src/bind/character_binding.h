#pragma once

#include <cstdint>
#include <span>

#include "bind/binding.h"
#include "bind/character_problem.h"
#include "rig/character.h"

namespace pelt::bind {

/// The character with other weights, which is all that a pose leaves: a vertex keeps its place and a joint its inverse
/// bind matrix, so the shape at rest stays, and that in the pose changes as the weights do. Meshes without a skin get
/// one, in the pose that the problem was made in; joints that a skin lacks are added to it, and to each skin of a mesh
/// with several. Blocks of equal rows stay shared with the character's.
/// @param binding  of the problem
/// @param limit    influences of a vertex, 0: any number
/// @param only     places, ascending: all others have these rows already; empty: any may be new. With some, and where
///                 the skins list all joints, what is neither a row nor a list of rows stays shared with the character
rig::Character with_binding(const rig::Character& character, const CharacterProblem& problem, const Binding& binding,
                            int limit, std::span<const std::uint32_t> only = {});

/// Today's weights as rows over the problem's bones, of the first vertex at each place; what joints without a bone have
/// is left out. Rows of vertices that are not skinned are empty.
Rows rows_of(const rig::Character& character, const CharacterProblem& problem);

}  // namespace pelt::bind
