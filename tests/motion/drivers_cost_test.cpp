// Tests the cost of putting very many drivers in order.
#include "motion/drivers.h"

#include <gtest/gtest.h>

#include "hungry_drivers.h"
#include "support/effort.h"

namespace pelt::motion {
namespace {

TEST(DriversCost, ManyThatReadMuchAreOrderedInTime) {
  const test::HungryDrivers hungry;
  EXPECT_LT(test::processor_seconds([&] { make_driver_rig(hungry.character, hungry.drivers); }), 20);
}

}  // namespace
}  // namespace pelt::motion
