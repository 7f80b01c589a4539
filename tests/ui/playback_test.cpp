#include "ui/playback.h"

#include <gtest/gtest.h>

namespace pelt::ui {
namespace {

Playback playing(LoopMode mode, float speed = 1) {
  return {true, mode, speed, 1};
}

TEST(Playback, LoopWrapsWithTheRemainder) {
  Playback playback = playing(LoopMode::kLoop);
  EXPECT_NEAR(advance(playback, 2.9f, 1, 3, 0.25f), 1.15f, 1e-5f);
  EXPECT_NEAR(advance(playback, 1.5f, 1, 3, 0.25f), 1.75f, 1e-5f);
  EXPECT_TRUE(playback.playing);
}

TEST(Playback, LongPauseStaysInsideTheClip) {
  Playback playback = playing(LoopMode::kLoop, 3);
  for (const float elapsed : {0.0f, 0.1f, 7.0f, 1000.0f}) {
    const float time = advance(playback, 1.2f, 1, 3, elapsed);
    EXPECT_GE(time, 1);
    EXPECT_LE(time, 3);
  }
}

TEST(Playback, PingPongTurnsAtBothEnds) {
  Playback playback = playing(LoopMode::kPingPong);
  float time = advance(playback, 1.9f, 0, 2, 0.3f);
  EXPECT_NEAR(time, 1.8f, 1e-5f);
  EXPECT_EQ(playback.direction, -1);
  time = advance(playback, 0.1f, 0, 2, 0.3f);
  EXPECT_NEAR(time, 0.2f, 1e-5f);
  EXPECT_EQ(playback.direction, 1);
}

TEST(Playback, OnceStopsAtTheEnd) {
  Playback playback = playing(LoopMode::kOnce, 2);
  EXPECT_NEAR(advance(playback, 0.5f, 0, 1, 0.1f), 0.7f, 1e-5f);
  EXPECT_TRUE(playback.playing);
  EXPECT_EQ(advance(playback, 0.9f, 0, 1, 0.1f), 1);
  EXPECT_FALSE(playback.playing);
}

TEST(Playback, PausedOrEmptyClipDoesNotMove) {
  Playback paused = playing(LoopMode::kLoop);
  paused.playing = false;
  EXPECT_EQ(advance(paused, 0.5f, 0, 1, 10), 0.5f);
  Playback playback = playing(LoopMode::kLoop);
  EXPECT_EQ(advance(playback, 0.5f, 0.5f, 0.5f, 1), 0.5f);
}

TEST(Playback, FrameRateIsGuessedFromKeySpacing) {
  rig::Clip clip;
  clip.channels.resize(1);
  for (int i = 0; i < 20; ++i) {
    clip.channels[0].times.push_back(static_cast<float>(i) / 24);
  }
  EXPECT_EQ(guess_frame_rate(clip), 24);
  clip.channels[0].times = {0, 0.7f, 2.1f};
  EXPECT_EQ(guess_frame_rate(clip), 30) << "keys that tell nothing";
  clip.channels[0].times.clear();
  for (int i = 0; i < 20; ++i) {
    clip.channels[0].times.push_back(static_cast<float>(i) / 20);
  }
  clip.channels[0].times.insert(clip.channels[0].times.begin() + 5, 4.0f / 20 + 1.0f / 60);
  EXPECT_EQ(guess_frame_rate(clip), 30) << "one that was set between others";
}

TEST(Playback, SteppingSnapsToFramesAndWraps) {
  EXPECT_NEAR(step_frames(0.51f, 1, 30, 0, 1), 16 / 30.0f, 1e-5f);
  EXPECT_NEAR(step_frames(0, -1, 30, 0, 1), 1, 1e-5f);
  EXPECT_NEAR(step_frames(1, 1, 30, 0, 1), 0, 1e-5f);
  EXPECT_NEAR(step_frames(2.5f, 0, 10, 2.04f, 3), 2.54f, 1e-5f) << "the grid begins at the clip's start";
}

}  // namespace
}  // namespace pelt::ui
