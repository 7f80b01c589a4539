#pragma once

#include <map>
#include <span>
#include <vector>

#include "math/transform.h"
#include "motion/pins.h"
#include "rig/character.h"

namespace pelt::motion {

/// Where joints get their local transforms from before anything else.
enum class BasePose { kRest, kBind, kZero };

/// A joint's own local transform, which replaces what base pose and clip say.
struct JointOverride {
  Transform local;                ///< the truth
  std::vector<float> dof_values;  ///< the sliders that made it (or the closest to it); one per DOF
  bool operator==(const JointOverride&) const = default;
};

/// What pose layers read besides the pose that they change. Nothing is owned.
struct PoseSources {
  const rig::Character& character;
  BasePose base;
  int clip;                                       ///< -1: none
  float time;                                     ///< the playhead: seconds on the clip's own axis
  const std::map<int, JointOverride>& overrides;  ///< by skeleton index
  const std::map<int, float>& morph_overrides;    ///< by flat index into Pose::morph_weights
  std::span<const Pin> pins = {};                 ///< joints that keep their places
};

}  // namespace pelt::motion
