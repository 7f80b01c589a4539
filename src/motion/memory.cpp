#include "motion/memory.h"

namespace pelt::motion {

MotionMemory::MotionMemory() = default;
MotionMemory::~MotionMemory() = default;

}  // namespace pelt::motion
