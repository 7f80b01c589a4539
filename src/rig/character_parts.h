#pragma once

#include <cstddef>
#include <cstdint>

#include "rig/character.h"

namespace pelt::rig {

/// Bytes that `after` holds and does not share with `before`: what keeping it beside `before` costs, and what letting
/// go of it would free. Counts what vectors and strings hold outside of themselves; equal parts that came about apart
/// are held twice and count. @cost O(parts)
std::size_t bytes_changed(const Character& before, const Character& after);

/// A hash of all that the character says, whatever it shares and wherever it lies in memory; see ContentHash.
/// @cost O(bytes)
std::uint64_t content_hash(const Character& character);

}  // namespace pelt::rig
