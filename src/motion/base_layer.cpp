#include "motion/base_layer.h"

#include "rig/own_bindings.h"

namespace pelt::motion {

void apply_base(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.base == BasePose::kRest) {
    return;  // what every stack begins with
  }
  rig::Pose& whole = pose.edit();
  if (sources.base == BasePose::kZero) {
    whole = rig::zero_pose(sources.character);
  } else {
    whole = rig::bind_pose(sources.character);
    rig::add_own_bindings(sources.character, whole);
  }
}

}  // namespace pelt::motion
