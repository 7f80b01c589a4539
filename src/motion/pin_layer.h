#pragma once

#include <span>

#include "motion/pose_sources.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// Layer kind "pins": joints that are pinned come back to their places, hold_pins().
void apply_pins(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

}  // namespace pelt::motion
