#pragma once

#include "rig/clip.h"

namespace pelt::rig {

/// The channel as a CUBICSPLINE curve with few keys and one slope at each of them.
///
/// Keys are added where the curve is worst until all of it fits; the slopes are those of least squares over all
/// samples, solved as one tridiagonal system for the keys there are. Compared are the channel's keys and the moments
/// halfway between them: by distance for numbers, by angle for rotations.
/// @param tolerance  in the channel's own units, radians for rotations; above 0
/// @return the channel itself where a curve would need as many keys, or for STEP
/// @cost  O(keys * rounds), few rounds: each adds a key to every piece that does not fit
Channel fitted(const Channel& channel, double tolerance);

/// How far two channels of one property are apart at most, at the keys of both and halfway between: as fitted() says.
double largest_distance(const Channel& a, const Channel& b);

}  // namespace pelt::rig
