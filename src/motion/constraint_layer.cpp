#include "motion/constraint_layer.h"

#include "motion/constraints.h"
#include "rig/constraints.h"

namespace pelt::motion {

void apply_constraint_layer(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.base != BasePose::kBind) {
    rig::apply_constraints(sources.character.constraints, pose);
    if (sources.constraints != nullptr) {
      apply_constraint_rig(*sources.constraints, pose);
    }
  }
}

}  // namespace pelt::motion
