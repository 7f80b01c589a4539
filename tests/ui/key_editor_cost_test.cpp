// Tests the cost of very many keys in the window.
#include <cstdio>

#include <gtest/gtest.h>

#include "keys_of_a_tube.h"
#include "support/effort.h"

namespace pelt::ui {
namespace {

TEST_F(KeysOfATube, C47_17_ThousandsOfKeysCostLittle) {
  rig::Character character = *document_.character;
  constexpr int kFrames = 2752;
  rig::Clip& clip = character.clips.edit(0);
  for (int c = 0; c < 31; ++c) {
    rig::Channel many{.joint = c % 2, .path = rig::ChannelPath::kScale, .times = {}, .values = {}, .width = 3};
    for (int k = 0; k < kFrames; ++k) {
      many.times.push_back(static_cast<float>(k) / 120);
      many.values.insert(many.values.end(), {1, 1, 1});
    }
    clip.channels.push_back(std::move(many));
  }
  clip.end = kFrames / 120.0f;
  rig::finish(character);
  open(std::move(character));
  edit::apply(document_, {edit::SetClip{0}, {}, false});
  frames(4);
  constexpr int kPictures = 20;
  const double with = test::processor_seconds([&] { frames(kPictures); }) / kPictures;
  workspace_.mode = "pose";
  workspace_.tab = "pose";
  frames(4);
  const double without = test::processor_seconds([&] { frames(kPictures); }) / kPictures;
  std::printf("%d keys: %.2f ms a picture, %.2f ms without them\n", 31 * kFrames, 1000 * with, 1000 * without);
  EXPECT_LT(with - without, 0.008) << "seconds";
}

}  // namespace
}  // namespace pelt::ui
