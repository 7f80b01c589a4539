#include "app/sample_choice.h"

#include <array>

#include <gtest/gtest.h>

namespace pelt::app {
namespace {

TEST(SampleChoice, IsAFunctionOfTheLastPictures) {
  using Times = std::vector<double>;
  for (const Times& fine : {Times{}, Times{900}, Times{900, 800}, Times{900, 8, 9}, Times{16, 16, 16, 16, 500},
                            Times{59, 59, 59}, Times{300, 10, 300, 10, 10}}) {
    EXPECT_FALSE(SampleChoice::too_slow(fine)) << fine.size();
  }
  for (const Times& slow : {Times{61, 61, 61}, Times{10, 200, 210, 190}, Times{10, 10, 200, 210, 190}}) {
    EXPECT_TRUE(SampleChoice::too_slow(slow)) << slow.size();
  }
}

TEST(SampleChoice, OneSlowPictureTakesNoSamples) {
  SampleChoice choice;
  choice.note(1500, true);  // its shaders are compiled
  EXPECT_FALSE(choice.too_slow());
  for (int i = 0; i < 20; ++i) {
    choice.note(12, true);
    EXPECT_FALSE(choice.too_slow());
  }
  choice.note(400, true);
  EXPECT_FALSE(choice.too_slow());
}

TEST(SampleChoice, SlowOnesDoUntilPicturesAreFastAgain) {
  SampleChoice choice;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(choice.too_slow()) << i;
    choice.note(180, true);
  }
  EXPECT_TRUE(choice.too_slow());
  choice.note(40, false);
  EXPECT_TRUE(choice.too_slow()) << "with all samples it may take four times as long";
  choice.note(5, false);
  EXPECT_FALSE(choice.too_slow()) << "a smaller window, a simpler look: tried again";
}

}  // namespace
}  // namespace pelt::app
