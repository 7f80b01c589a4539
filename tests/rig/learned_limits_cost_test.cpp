// Tests the cost of learning limits from clips that move very many joints.
#include "rig/learned_limits.h"

#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "rig/character_parts.h"
#include "support/effort.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

// A second of turning by up to 60 degrees, there and back twice.
Channel there_and_back(int joint) {
  Channel channel{.joint = joint, .path = ChannelPath::kRotation, .times = {}, .values = {}, .width = 4};
  for (int k = 0; k < 30; ++k) {
    const float t = static_cast<float>(k) / 29;
    const glm::quat q = glm::angleAxis(0.52f - 0.52f * std::cos(12.566f * t), glm::vec3(0.48f, -0.6f, 0.64f));
    channel.times.push_back(t);
    channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
  }
  return channel;
}

TEST(LearnedLimits, AThousandJointsAreFast) {
  Character character;
  for (int j = 0; j < 1000; ++j) {
    test::add_node(character, "j" + std::to_string(j), j == 0 ? -1 : j / 2, {.translation = {0.1f, 0, 0}});
  }
  finish(character);
  for (int c = 0; c < 5; ++c) {
    Clip clip;
    clip.end = 1;
    for (int j = 0; j < 1000; ++j) {
      clip.channels.push_back(there_and_back(j));
    }
    character.clips.push_back(std::move(clip));
  }
  const double seconds = test::processor_seconds([&] {
    for (int j = 0; j < 1000; ++j) {
      EXPECT_EQ(learn_limits(character, j, character.skeleton->dofs[j]).clip_count, 5);
    }
  });
  RecordProperty("milliseconds", static_cast<int>(1000 * seconds));
  EXPECT_LT(seconds, 10);
}

}  // namespace
}  // namespace pelt::rig
