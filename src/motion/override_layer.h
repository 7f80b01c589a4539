#pragma once

#include <span>

#include "motion/pose_sources.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// What was posed by hand takes the place of the joints' translation, rotation and scale, and of morph weights; a shear
/// that the file gave a node stays.
void apply_overrides(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

}  // namespace pelt::motion
