#pragma once

#include <cstddef>

#include "edit/behaviour_edits.h"

namespace pelt::edit {

/// A collider as it fits a joint at rest, before anybody moves it: a sphere about the middle of its bone, a capsule
/// along the bone, or a plane through the joint that leaves free what is above it. Without a name.
motion::SpringCollider fitting_collider(const rig::Character& character, rig::ColliderShape shape, int joint);

/// The springs with a fitting collider more, which all chains keep off. Its name is that of the joint, with a number
/// where another collider has it.
SetSprings with_collider(const Document& document, rig::ColliderShape shape, int joint);

/// The springs without a collider; no chain names it any more.
SetSprings without_collider(const Document& document, std::size_t collider);

}  // namespace pelt::edit
