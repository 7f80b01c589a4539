#include "motion/clip_layer.h"

namespace pelt::motion {

void apply_clip(const PoseSources& sources, std::span<const float>, rig::PoseBuilder& pose) {
  if (sources.clip < 0) {
    return;
  }
  rig::Pose& whole = pose.edit();
  whole.own_bindings.clear();
  rig::apply(sources.character.clips[sources.clip], sources.time, sources.character.morph_offset, whole);
}

}  // namespace pelt::motion
