#include "motion/memory.h"

namespace pelt::motion {

MotionMemory::MotionMemory() = default;
MotionMemory::~MotionMemory() = default;

long MotionMemory::steps_made() {
  const std::scoped_lock lock(mutex_);
  return steps_made_;
}

}  // namespace pelt::motion
