#include "motion/pose_sources.h"

namespace pelt::motion {

double PoseSources::clip_seconds() const {
  return clip < 0 ? 0 : static_cast<double>(time) - static_cast<double>(character.clips[clip].start);
}

PoseSources PoseSources::at(float moment) const {
  PoseSources out = *this;
  out.time = moment;
  return out;
}

}  // namespace pelt::motion
