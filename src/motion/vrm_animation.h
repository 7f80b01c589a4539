#pragma once

#include "core/progress.h"
#include "core/result.h"
#include "motion/retarget.h"

namespace pelt::motion {

/// A clip as VRM animations hold it (VRMC_vrm_animation 1.0): a skeleton of nothing but a human body in T pose, up +y,
/// facing +z, with joints of no turn at rest, and the clip on it. The roles stand in the file's kept extension, so that
/// a written .glb is a .vrma, and in Character::humanoid. Trunks of more than three joints keep their first, their
/// middle one and their last; of fingers those are kept that VRM names. Fails where the body lacks a joint that VRM
/// requires, and names it.
/// @param rig  its clip is what is put on the skeleton
Result<rig::Character> make_vrm_animation(const RetargetRig& rig, const Progress& progress = {});

}  // namespace pelt::motion
