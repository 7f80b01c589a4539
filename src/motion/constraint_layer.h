#pragma once

#include <span>

#include "motion/pose_sources.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// The constraints of the file turn what they constrain, then those of the document work; not in the bind pose, which is where the skin was fitted
/// whatever they say.
void apply_constraint_layer(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

}  // namespace pelt::motion
