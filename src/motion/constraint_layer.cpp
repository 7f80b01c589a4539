#include "motion/constraint_layer.h"

#include "rig/constraints.h"

namespace pelt::motion {

void apply_constraint_layer(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.base != BasePose::kBind) {
    rig::apply_constraints(sources.character.constraints, pose);
  }
}

}  // namespace pelt::motion
