#pragma once

#include <vector>

#include "edit/document.h"
#include "edit/pose_battery.h"

namespace pelt::edit {

/// One DOF from one value to another while everything else stays.
struct Sweep {
  int joint = 0;
  int dof = 0;
  float from = 0;  ///< radians, metres, factor; may lie beyond `to`
  float to = 0;
  int steps = 2;  ///< poses, both ends included; at least 1, which is `from` alone
};

/// One pose per step, in order; each holds its value as SetDof. Values beyond the DOF's limits are clamped to them.
/// @pre the joint has that DOF, steps > 0
std::vector<TrialPose> make_sweep(const Document& document, const Sweep& sweep);

}  // namespace pelt::edit
