#include "motion/pin_layer.h"

#include "motion/reach.h"

namespace pelt::motion {

void apply_pins(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.base != BasePose::kBind) {
    hold_pins(pose, sources.pins);
  }
}

}  // namespace pelt::motion
