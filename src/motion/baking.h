#pragma once

#include <functional>
#include <span>
#include <vector>

#include "motion/clip_layers.h"
#include "rig/clip.h"
#include "rig/pose.h"

namespace pelt::motion {

/// Times of whole frames from `start` to `end`, counted from `start`, and the end itself; a frame that is the end but
/// for rounding is left out.
/// @pre  frame_rate > 0, start <= end
std::vector<float> frame_times(float start, float end, double frame_rate);

/// Keys that play a motion: at each time what the pose says, LINEAR between. At the times a sample has the pose's own
/// bits, but for the sign of rotations, which is that of the key before it. A part that never changes gets keys at the
/// first and the last time alone.
/// @param times   strictly increasing, at least one
/// @param targets each of another joint and part; of morph weights all of a node, or one each
/// @param pose_at is called once for each time, ascending
std::vector<rig::Channel> baked_channels(std::span<const float> times, std::span<const ClipLayerRig::Target> targets,
                                         std::span<const int> morph_offset,
                                         const std::function<rig::Pose(float time)>& pose_at);

}  // namespace pelt::motion
