#pragma once

#include <map>
#include <span>
#include <vector>

#include "math/euler.h"
#include "math/transform.h"
#include "motion/pins.h"
#include "rig/character.h"
#include "rig/layers.h"

namespace pelt::motion {

struct ClipLayerRig;
struct ConstraintRig;
struct DriverRig;
struct SliderRig;
struct SpringRig;
class MotionMemory;

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
  // Null: none.
  const std::map<int, EulerOrder>* euler_orders = nullptr;  ///< joints whose order is another than the character's
  const ClipLayerRig* clip_layers = nullptr;                ///< of the character
  const SliderRig* sliders = nullptr;                       ///< of the character
  const DriverRig* drivers = nullptr;                       ///< of the character
  const SpringRig* springs = nullptr;                       ///< of the character
  const ConstraintRig* constraints = nullptr;               ///< of the document
  /// What layers computed at other times of the same clip from the same sources; null: they compute it anew.
  MotionMemory* memory = nullptr;
  /// The layers before the one that works, set by layered_pose(): what it asks about other times with.
  std::span<const rig::Layer> layers_before = {};

  /// Seconds since the start of the clip; 0 without one.
  [[nodiscard]] double clip_seconds() const;
  /// The same at another moment of the clip.
  [[nodiscard]] PoseSources at(float moment) const;
};

}  // namespace pelt::motion
