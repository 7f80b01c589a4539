#include "motion/override_layer.h"

namespace pelt::motion {

void apply_overrides(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  for (const auto& [joint, joint_override] : sources.overrides) {
    pose.set_local(joint, joint_override.local);
  }
  for (const auto& [index, weight] : sources.morph_overrides) {
    pose.morph_weights()[index] = weight;
  }
}

}  // namespace pelt::motion
