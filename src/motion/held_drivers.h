#pragma once

// Internal to drivers.cpp.

#include <vector>

#include "motion/pose_sources.h"

namespace pelt::motion {

/// [rows of the drivers] what counted of each at the last frame of the clip before the playhead; 0 before the first.
/// @cost O(frames since the clip's start) poses, with a memory those since the last one that it knows
std::vector<double> held_before_playhead(const PoseSources& sources);

}  // namespace pelt::motion
