#pragma once

#include <cstddef>

#include "core/progress.h"
#include "rig/character.h"

namespace pelt::rig {

/// How far folding may move what a clip animates.
struct KeyTolerance {
  double distance = 1e-4;  ///< metres in the world: vertices and the origins of nodes
  double angle = 1.75e-3;  ///< radians in the world: nodes turn by no more; a tenth of a degree
};

/// Leaves out the keys that interpolation gives back. Each channel keeps its first and its last key and its kind of
/// interpolation: under STEP a key goes that repeats the one before, under LINEAR one on the straight line or the arc
/// between its neighbours, under CUBICSPLINE one on the curve that its neighbours' tangents make. A constant track is
/// left with two keys; a channel that shares its key times with others stays as it is where fewer keys with times of
/// their own would take more room. What is no part of a pose (materials, lights, visibility) loses only keys that
/// change nothing.
///
/// Each clip stays within the tolerance, as ClipMeter measures it: keys are folded anew, more strictly, while the
/// errors of a chain of joints add up to more.
/// @param drop_resting  leaves out channels that keep their node where it rests, too, as far as the clip keeps its
/// first
///                      and its last key. The clip says the same alone; laid over another that moves the node it does
///                      not.
/// @pre  the tolerances are positive
/// @cost a few times that of clip_error()
Character with_folded_keys(const Character& character, const KeyTolerance& tolerance, bool drop_resting = false,
                           const Progress& progress = {});

/// Rotation keys rounded to multiples of 1/32767, which 16-bit integers hold; those of cubic curves are left alone,
/// since their tangents may be longer than 1.
Character with_short_rotations(const Character& character);

/// Keys of all channels of all clips.
std::size_t key_count(const Character& character);
std::size_t channel_count(const Character& character);

}  // namespace pelt::rig
