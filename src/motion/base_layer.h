#pragma once

#include <span>

#include "motion/pose_sources.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// The chosen base pose takes the place of all; the bind pose with what skins bound in poses of their own need.
void apply_base(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

}  // namespace pelt::motion
