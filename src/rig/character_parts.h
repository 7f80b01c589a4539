#pragma once

#include <cstddef>
#include <cstdint>

#include "rig/character.h"

namespace pelt::rig {

/// Bytes that `after` holds and does not share with `before`: what keeping it beside `before` costs, and what letting
/// go of it would free. Counts what vectors and strings hold outside of themselves; equal parts that came about apart
/// are held twice and count. Parts that changed places in their lists are known again; one that `before` has at the
/// same place, too, and that `after` shows at a second one counts there, unless a list grew or shrank.
/// @cost  O(what differs), else of the lists above it; O(parts) where a list has another length
std::size_t bytes_changed(const Character& before, const Character& after);
std::size_t bytes_changed(const mesh::Mesh& before, const mesh::Mesh& after);
std::size_t bytes_changed(const mesh::Primitive& before, const mesh::Primitive& after);

/// Whether both say the same, to the bit of their numbers. What they share is not read.
bool equal(const Character& a, const Character& b);
bool equal(const mesh::Primitive& a, const mesh::Primitive& b);
bool equal(const Skeleton& a, const Skeleton& b);
bool equal(const JointDofs& a, const JointDofs& b);

/// The same character, sharing with the other all parts that say the same at the same place, as two versions of one
/// file do: what compares pointers then sees what changed. @cost O(bytes)
Character sharing(Character character, const Character& with);

/// A hash of all that the character says, whatever it shares and wherever it lies in memory; see ContentHash.
/// @cost O(bytes)
std::uint64_t content_hash(const Character& character);

}  // namespace pelt::rig
