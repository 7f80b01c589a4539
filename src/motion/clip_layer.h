#pragma once

#include <span>

#include "motion/pose_sources.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// What the clip moves takes its values at the playhead. It moves joints, whatever was bound to them where: own
/// bindings of a bind pose below it are dropped.
void apply_clip(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

}  // namespace pelt::motion
