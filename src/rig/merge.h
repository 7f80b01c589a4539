#pragma once

#include "core/result.h"
#include "rig/character.h"

namespace pelt::rig {

/// What long work made of a character, brought together with what was done to that character meanwhile.
///
/// Part by part, by the pointers that copies share: where `now` still has the part of `base` the result's is taken,
/// where the result left it alone that of `now` stays. Parts are the skeleton, each skin, image, clip and attribute
/// array, and so on; an array is one part, and of weights
/// each block of vertices is one. What is derived (Character::parts, morph offsets) follows as the others do.
///
/// Fails where both changed one part, naming it; and where one side has other joints, meshes or vertices than `base`
/// and the other changed what may refer to them.
/// @param base    what the work began with
/// @param result  what it made of that
/// @param now     the character as it is
Result<Character> merged(const Character& base, const Character& result, const Character& now);

}  // namespace pelt::rig
