#include "rig/keys.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "rig/clip_changes.h"
#include "rig/curve_fitting.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

constexpr ChannelPath kPaths[] = {ChannelPath::kTranslation, ChannelPath::kRotation, ChannelPath::kScale,
                                  ChannelPath::kWeights};
constexpr Interpolation kKinds[] = {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline};

// Neighbouring rotations are at most `turn` radians apart; slopes are such as a hand would draw.
Channel drawn_channel(test::Random& random, ChannelPath path, Interpolation kind, int keys, double turn = 1.5) {
  Channel out{.joint = 1, .path = path, .interpolation = kind, .times = {}, .values = {}, .source = 3};
  out.width = path == ChannelPath::kRotation ? 4 : path == ChannelPath::kWeights ? 2 : 3;
  float time = random.real(0.0f, 1.0f);
  glm::dquat q = random.rotation();
  for (int k = 0; k < keys; ++k) {
    out.times.push_back(time);
    time += random.real(0.05f, 0.5f);
    q = glm::normalize(random.rotation(turn) * q);
    for (int part = kind == Interpolation::kCubicSpline ? 0 : 1; part < (kind == Interpolation::kCubicSpline ? 3 : 2);
         ++part) {
      for (int i = 0; i < out.width; ++i) {
        const double value = path == ChannelPath::kRotation && part == 1 ? q[i] : random.real(-1.0, 1.0);
        out.values.push_back(static_cast<float>(value));
      }
    }
  }
  return out;
}

std::vector<float> value_at(const Channel& channel, float time) {
  std::vector<float> out(channel.width);
  sample(channel, time, out);
  return out;
}

// Radians for rotations, else the length of the difference.
double apart(const Channel& channel, std::span<const float> a, std::span<const float> b) {
  double minus = 0;
  double plus = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    minus += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    plus += std::pow(static_cast<double>(a[i]) + static_cast<double>(b[i]), 2);
  }
  return channel.path == ChannelPath::kRotation
             ? 4 * std::atan2(std::sqrt(std::min(minus, plus)), std::sqrt(std::max(minus, plus)))
             : std::sqrt(minus);
}

double largest_apart(const Channel& a, const Channel& b, float from, float to) {
  constexpr int kMoments = 400;
  double largest = 0;
  for (int i = 0; i <= kMoments; ++i) {
    const float time = from + (to - from) * static_cast<float>(i) / kMoments;
    largest = std::max(largest, apart(a, value_at(a, time), value_at(b, time)));
  }
  return largest;
}

void expect_sound(const Channel& channel) {
  EXPECT_FALSE(channel.times.empty());
  EXPECT_EQ(std::ranges::adjacent_find(channel.times, std::greater_equal()), channel.times.end());
  EXPECT_EQ(channel.values.size(), channel.times.size() * floats_per_key(channel));
  EXPECT_EQ(channel.joint, 1);
  EXPECT_EQ(channel.source, 3);
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Keys, C47_6_InsertingAKeyLeavesTheCurve) {
  test::Random random(476);
  double largest_bound = 0;
  for (const ChannelPath path : kPaths) {
    for (const Interpolation kind : kKinds) {
      for (int round = 0; round < 40; ++round) {
        const Channel channel = drawn_channel(random, path, kind, 1 + random.below(6));
        const float time = random.real(-0.2f, channel.times.back() + 0.2f);
        const Channel more = with_inserted_key(channel, time);
        expect_sound(more);
        ASSERT_EQ(more.times.size(), channel.times.size() + 1);
        const std::size_t key = *find_key(more, time);
        EXPECT_LT(apart(channel, key_value(more, key), value_at(channel, time)), 1e-6);
        const double bound = inserted_rotation_bound(channel, time);
        largest_bound = std::max(largest_bound, bound);
        EXPECT_LE(largest_apart(channel, more, -0.3f, channel.times.back() + 0.3f), 2e-6 + bound)
            << "path " << static_cast<int>(path) << " kind " << static_cast<int>(kind) << " at " << time;
        if (path == ChannelPath::kRotation) {
          const auto q = key_value(more, key);
          EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-6);
        }
        EXPECT_TRUE(same_bits(with_inserted_key(more, time).values, more.values));
      }
    }
  }
  EXPECT_GT(largest_bound, 0);
}

TEST(Keys, C47_6_ACutRotationStaysNearTheCurveOfAQuarterTurn) {
  Channel channel{.joint = 1,
                  .path = ChannelPath::kRotation,
                  .interpolation = Interpolation::kCubicSpline,
                  .times = {0, 1},
                  .values = std::vector<float>(24, 0.0f),
                  .width = 4,
                  .source = 3};
  const float half = std::sqrt(0.5f);
  channel.values[7] = 1;
  channel.values[16 + 2] = half;
  channel.values[16 + 3] = half;
  const Channel more = with_inserted_key(channel, 0.5f);
  // By hand: third derivative 12 * 0.765367, scale 1.082392, pieces of 1/2, shortest 0.923880.
  EXPECT_NEAR(inserted_rotation_bound(channel, 0.5f), 2.0 * 4 / 384 * 0.082392 * 12 * 0.765367 / 8 / 0.923880, 1e-7);
  EXPECT_LE(largest_apart(channel, more, 0, 1), inserted_rotation_bound(channel, 0.5f));
  EXPECT_GT(largest_apart(channel, more, 0, 1), 0);
  EXPECT_NEAR(apart(channel, value_at(more, 0.5f), value_at(channel, 0)), glm::radians(45.0), 1e-6);
}

TEST(Keys, C47_7_ReversingTwiceIsTheIdentity) {
  test::Random random(477);
  for (const ChannelPath path : kPaths) {
    for (const Interpolation kind : kKinds) {
      const Channel channel = drawn_channel(random, path, kind, 7);
      const float start = channel.times.front();
      const float end = channel.times.back();
      const Channel once = reversed(channel, start, end);
      expect_sound(once);
      for (int i = 0; i <= 50 && kind != Interpolation::kStep; ++i) {
        const float time = start + (end - start) * static_cast<float>(i) / 50;
        EXPECT_LT(apart(channel, value_at(once, time), value_at(channel, start + (end - time))), 2e-5);
      }
      for (std::size_t k = 0; k < channel.times.size(); ++k) {
        EXPECT_TRUE(std::ranges::equal(key_value(once, once.times.size() - 1 - k), key_value(channel, k)));
      }
      const Channel twice = reversed(once, start, end);
      EXPECT_TRUE(same_bits(twice.values, channel.values));
      for (std::size_t k = 0; k < channel.times.size(); ++k) {
        EXPECT_NEAR(twice.times[k], channel.times[k], 2.4e-7f * end);
      }
    }
  }
}

TEST(Keys, C47_8_AMovedKeyTakesThePlaceOfOneThatItMeets) {
  Channel channel{.joint = 1,
                  .path = ChannelPath::kWeights,
                  .times = {0, 0.25f, 0.5f, 1},
                  .values = {1, 2, 3, 4},
                  .width = 1,
                  .source = 3};
  const std::vector<float> second = {0.25f};
  EXPECT_EQ(with_moved_keys(channel, second, {.offset = 0.25}).times, (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(with_moved_keys(channel, second, {.offset = 0.25}).values, (std::vector<float>{1, 2, 4}));
  EXPECT_EQ(with_moved_keys(channel, second, {.offset = 0.5}).values, (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(with_moved_keys(channel, second, {.offset = 0.06, .frame_rate = 10}).times,
            (std::vector<float>{0, 0.3f, 0.5f, 1}));
  // Mirrored about the middle of the selected ones.
  const std::vector<float> three = {0, 0.25f, 1};
  const Channel mirrored = with_moved_keys(channel, three, {.pivot = 0.5, .factor = -1});
  EXPECT_EQ(mirrored.times, (std::vector<float>{0, 0.5f, 0.75f, 1}));
  EXPECT_EQ(mirrored.values, (std::vector<float>{4, 3, 2, 1}));
  // Those that do not move stay before all, and of two that fall together the later one stays.
  EXPECT_EQ(with_moved_keys(channel, three, {.factor = 0.1, .frame_rate = 2}).values, (std::vector<float>{4, 3}));
  const std::vector<float> none = {0.1f};
  EXPECT_EQ(with_moved_keys(channel, none, {.offset = 3}).times, channel.times);
}

TEST(Keys, C47_8_MovedKeysAreSoundAndKeepTheShapeOfTheirCurve) {
  test::Random random(478);
  for (const ChannelPath path : kPaths) {
    for (const Interpolation kind : kKinds) {
      for (int round = 0; round < 30; ++round) {
        const Channel channel = drawn_channel(random, path, kind, 2 + random.below(6));
        std::vector<float> some;
        std::ranges::copy_if(channel.times, std::back_inserter(some), [&](float) { return random.below(2) == 0; });
        const TimeMap map{.pivot = random.real(0.0, 1.0),
                          .factor = random.real(-2.0, 2.0) + 0.01,
                          .offset = random.real(-1.0, 1.0),
                          .frame_rate = random.below(2) * 24.0};
        const Channel moved = with_moved_keys(channel, some, map);
        expect_sound(moved);
        for (const float time : some) {
          EXPECT_TRUE(find_key(moved, map(time)));
        }
        const TimeMap slower{.pivot = 0.5, .factor = 2, .offset = 0.25};
        const Channel all = with_moved_keys(channel, channel.times, slower);
        for (int i = 0; i <= 20; ++i) {
          const float time =
              channel.times.front() + random.real(0.01f, 0.99f) * (channel.times.back() - channel.times.front());
          // STEP jumps, and rounding decides on which side of the jump a moment lies.
          const bool is_at_jump = kind == Interpolation::kStep && std::ranges::any_of(channel.times, [&](float t) {
                                    return std::abs(t - time) < 1e-5f;
                                  });
          EXPECT_TRUE(is_at_jump || apart(channel, value_at(all, slower(time)), value_at(channel, time)) < 1e-5);
        }
      }
    }
  }
}

TEST(Keys, C47_9_AutomaticTangentsFollowAndDoNotOvershoot) {
  Channel channel{.joint = 1,
                  .path = ChannelPath::kWeights,
                  .times = {0, 1, 3, 4},
                  .values = {0, 1, 2, 2},
                  .width = 1,
                  .source = 3};
  const Channel cubic = with_interpolation(channel, Interpolation::kCubicSpline);
  expect_sound(cubic);
  // By hand at t = 1: slopes 1 and 1/2, weights 2*2+1 = 5 and 2+2*1 = 4: (5+4)/(5/1+4/0.5) = 9/13.
  EXPECT_FLOAT_EQ(key_tangent(cubic, 1, KeySide::kIn)[0], 9.0f / 13);
  EXPECT_FLOAT_EQ(key_tangent(cubic, 1, KeySide::kOut)[0], 9.0f / 13);
  EXPECT_EQ(key_tangent(cubic, 2, KeySide::kOut)[0], 0);  // what comes next stands still
  EXPECT_EQ(key_tangent(cubic, 0, KeySide::kOut)[0], 0);
  for (int i = 0; i <= 400; ++i) {
    const float v = value_at(cubic, static_cast<float>(i) / 100)[0];
    EXPECT_TRUE(v >= 0 && v <= 2) << v;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(tangents_of(cubic, k), Tangents::kAuto);
  }
  // They follow a neighbour that changes, moves or goes.
  const float five[] = {5};
  const Channel higher = with_key(cubic, 4, five);
  EXPECT_EQ(tangents_of(higher, 2), Tangents::kAuto);
  EXPECT_GT(key_tangent(higher, 2, KeySide::kIn)[0], 0);
  const float last[] = {4};
  EXPECT_EQ(tangents_of(with_moved_keys(higher, last, {.offset = 1}), 2), Tangents::kAuto);
  const float first[] = {0};
  const Channel shorter = *without_keys(higher, first);
  EXPECT_EQ(tangents_of(shorter, 0), Tangents::kAuto);
  EXPECT_EQ(key_tangent(shorter, 0, KeySide::kOut)[0], 0);
}

TEST(Keys, C47_9_TheKindOfAKeyIsReadOffItsTangents) {
  test::Random random(479);
  for (const ChannelPath path : kPaths) {
    const Channel drawn = drawn_channel(random, path, Interpolation::kCubicSpline, 5, 0.8);
    const std::vector<float> middle = {drawn.times[1], drawn.times[3]};
    for (const Tangents kind : {Tangents::kAuto, Tangents::kFlat, Tangents::kFree, Tangents::kBroken}) {
      const Channel set = with_tangents(drawn, middle, kind);
      expect_sound(set);
      for (const std::size_t k : {1, 3}) {
        const bool is_flat_auto = kind == Tangents::kFlat && tangents_of(set, k) == Tangents::kAuto;
        EXPECT_TRUE(tangents_of(set, k) == kind || is_flat_auto) << static_cast<int>(kind);
        EXPECT_TRUE(std::ranges::equal(key_value(set, k), key_value(drawn, k)));
      }
      EXPECT_TRUE(std::ranges::equal(key_tangent(set, 2, KeySide::kIn), key_tangent(drawn, 2, KeySide::kIn)));
    }
    std::vector<float> slope(drawn.width, 0.25f);
    const Channel free = with_tangent(drawn, 2, KeySide::kIn, slope, false);
    EXPECT_EQ(tangents_of(free, 2), Tangents::kFree);
    const Channel alone = with_tangent(free, 2, KeySide::kOut, std::vector<float>(drawn.width, 0.5f), true);
    EXPECT_EQ(tangents_of(alone, 2), Tangents::kBroken);
    EXPECT_EQ(key_tangent(alone, 2, KeySide::kIn)[0], 0.25f);
    EXPECT_EQ(key_tangent(alone, 2, KeySide::kOut)[0], 0.5f);
  }
}

TEST(Keys, C47_9_BrokenTangentsPointStraightAtTheNeighbours) {
  Channel channel{
      .joint = 1, .path = ChannelPath::kWeights, .times = {0, 1, 3}, .values = {0, 2, 1}, .width = 1, .source = 3};
  const Channel cubic = with_interpolation(channel, Interpolation::kCubicSpline);
  const Channel straight = with_tangents(cubic, cubic.times, Tangents::kBroken);
  EXPECT_EQ(key_tangent(straight, 1, KeySide::kIn)[0], 2);
  EXPECT_EQ(key_tangent(straight, 1, KeySide::kOut)[0], -0.5f);
  EXPECT_LT(largest_apart(straight, channel, 0, 3), 1e-6);  // which makes the lines of LINEAR
}

TEST(Keys, C47_10_RotationsKeepTheShortWayWhateverTheirSigns) {
  test::Random random(4710);
  const Channel linear = drawn_channel(random, ChannelPath::kRotation, Interpolation::kLinear, 12, 0.6);
  Channel flipped = linear;
  for (std::size_t k = 0; k < flipped.times.size(); k += 1 + random.below(2)) {
    for (std::size_t i = 0; i < 4; ++i) {
      flipped.values[k * 4 + i] *= -1;
    }
  }
  const Channel smooth = with_interpolation(linear, Interpolation::kCubicSpline);
  const Channel from_flipped = with_interpolation(flipped, Interpolation::kCubicSpline);
  EXPECT_LT(largest_apart(smooth, from_flipped, 0, linear.times.back()), 1e-6);
  for (std::size_t k = 0; k + 1 < smooth.times.size(); ++k) {
    double cosine = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      cosine += key_value(smooth, k)[i] * key_value(smooth, k + 1)[i];
    }
    EXPECT_GE(cosine, 0);
  }
  // A key that is set takes the sign of the one before it.
  std::vector<float> q(key_value(smooth, 4).begin(), key_value(smooth, 4).end());
  std::ranges::transform(q, q.begin(), [](float x) { return -x; });
  EXPECT_TRUE(same_bits(with_key(smooth, smooth.times[4], q).values, smooth.values));
}

TEST(Keys, C47_11_TrimmingAndResamplingKeepTheValues) {
  test::Random random(4711);
  for (const ChannelPath path : kPaths) {
    for (const Interpolation kind : kKinds) {
      const Channel channel = drawn_channel(random, path, kind, 8, 0.3);
      const float start = channel.times[1] + 0.02f;
      const float end = channel.times[5] + 0.03f;
      const Channel part = trimmed(channel, start, end);
      expect_sound(part);
      EXPECT_EQ(part.times.front(), 0);
      EXPECT_EQ(part.times.back(), end - start);
      const double bound = inserted_rotation_bound(channel, start) + inserted_rotation_bound(channel, end);
      for (int i = 0; i < 40; ++i) {
        const float time = (end - start) * (static_cast<float>(i) + 0.5f) / 40;
        EXPECT_LT(apart(channel, value_at(part, time), value_at(channel, time + start)), 1e-5 + bound);
      }
      const Channel frames = resampled(channel, channel.times.front(), channel.times.back(), 30);
      expect_sound(frames);
      EXPECT_EQ(frames.times.back(), channel.times.back());
      for (const float time : frames.times) {
        EXPECT_LT(apart(channel, value_at(frames, time), value_at(channel, time)), 1e-6);
      }
      EXPECT_EQ(frames.interpolation, kind == Interpolation::kStep ? kind : Interpolation::kLinear);
    }
  }
}

TEST(Keys, C47_12_AFittedCurveStaysWithinItsToleranceWithFewKeys) {
  test::Random random(4712);
  for (const ChannelPath path : kPaths) {
    // What a hand drew, sampled at 60 frames per second, as a capture gives it.
    const Channel drawn = drawn_channel(random, path, Interpolation::kCubicSpline, 9, 0.5);
    // Slow enough that the lines between frames are far closer to it than any tolerance here.
    const Channel slow =
        with_moved_keys(with_tangents(drawn, drawn.times, Tangents::kAuto), drawn.times, {.factor = 8});
    const Channel dense = resampled(slow, slow.times.front(), slow.times.back(), 60);
    for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
      const Channel few = fitted(dense, tolerance);
      expect_sound(few);
      EXPECT_LE(largest_distance(few, dense), tolerance);
      EXPECT_LT(few.times.size(), dense.times.size() / 3) << tolerance;
      EXPECT_TRUE(std::ranges::equal(key_value(few, 0), key_value(dense, 0)));
      for (std::size_t k = 1; k + 1 < few.times.size(); ++k) {
        EXPECT_TRUE(std::ranges::equal(key_tangent(few, k, KeySide::kIn), key_tangent(few, k, KeySide::kOut)));
      }
    }
    EXPECT_GE(fitted(dense, 1e-4).times.size(), fitted(dense, 1e-2).times.size());
  }
  // A straight line is two keys.
  Channel line{.joint = 1, .path = ChannelPath::kWeights, .times = {}, .values = {}, .width = 1, .source = 3};
  for (int k = 0; k <= 100; ++k) {
    line.times.push_back(static_cast<float>(k) / 50);
    line.values.push_back(static_cast<float>(k) / 25);
  }
  EXPECT_EQ(fitted(line, 1e-4).times.size(), 2U);
}

TEST(ClipChanges, C47_13_TheSeamOfALoop) {
  Clip clip;
  clip.channels.push_back({.joint = 2,
                           .path = ChannelPath::kTranslation,
                           .times = {1, 2, 3},
                           .values = {0, 0, 0, 2, 0, 0, 3, 4, 0},
                           .width = 3});
  const float half = std::sqrt(0.5f);
  clip.channels.push_back({.joint = 5,
                           .path = ChannelPath::kRotation,
                           .times = {1, 3},
                           .values = {0, 0, 0, 1, 0, 0, -half, -half},
                           .width = 4});
  update_range(clip);
  EXPECT_EQ(clip.start, 1);
  EXPECT_EQ(clip.end, 3);
  const std::vector<SeamJump> seam = loop_seam(clip);
  ASSERT_EQ(seam.size(), 2U);
  EXPECT_EQ(seam[0].joint, 2);
  EXPECT_NEAR(seam[0].jump, 5, 1e-6);
  EXPECT_NEAR(seam[0].speed, std::hypot(2.0 - 1, 0.0 - 4), 1e-3);
  EXPECT_NEAR(seam[1].jump, glm::radians(90.0), 1e-6);
  EXPECT_NEAR(seam[1].speed, 0, 1e-3);
}

TEST(ClipChanges, C47_13_AClipChangesWhole) {
  test::Random random(4713);
  Clip clip;
  for (const ChannelPath path : kPaths) {
    clip.channels.push_back(drawn_channel(random, path, Interpolation::kLinear, 6));
  }
  clip.properties.push_back(
      {.property = "alphaCutoff", .keys = drawn_channel(random, ChannelPath::kWeights, Interpolation::kLinear, 6)});
  update_range(clip);
  const Clip slow = retimed(clip, 2);
  EXPECT_FLOAT_EQ(slow.duration(), 2 * clip.duration());
  EXPECT_EQ(slow.start, clip.start);
  EXPECT_FLOAT_EQ(slow.properties[0].keys.times[3] - clip.start, 2 * (clip.properties[0].keys.times[3] - clip.start));
  const Clip back = reversed(reversed(clip));
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    EXPECT_TRUE(same_bits(back.channels[c].values, clip.channels[c].values));
  }
  EXPECT_NEAR(reversed(clip).start, clip.start, 1e-6f);
  const Clip part = trimmed(clip, clip.start + 0.25f, clip.end - 0.25f);
  EXPECT_EQ(part.start, 0);
  EXPECT_FLOAT_EQ(part.end, clip.duration() - 0.5f);
  EXPECT_EQ(part.properties[0].keys.times.back(), part.end);
}

TEST(Keys, ManyAtOnceAreWhatTheyAreOneByOne) {
  test::Random random(47);
  for (const ChannelPath path : kPaths) {
    for (const Interpolation kind : kKinds) {
      for (const int count : {1, 5, 40}) {
        const Channel channel = drawn_channel(random, path, kind, 12);
        const Channel source = drawn_channel(random, path, Interpolation::kLinear, count);
        std::vector<std::vector<float>> values;
        std::vector<TimedValue> keys;
        const auto width = static_cast<std::size_t>(channel.width);
        for (std::size_t k = 0; k < source.times.size(); ++k) {
          // Some at times that there are, some of the other sign.
          const float time = k % 3 == 0 && k < channel.times.size() ? channel.times[k] : source.times[k];
          std::vector<float> value(source.values.begin() + static_cast<std::ptrdiff_t>(k * width),
                                   source.values.begin() + static_cast<std::ptrdiff_t>((k + 1) * width));
          for (float& x : value) {
            x = path == ChannelPath::kRotation && k % 2 == 0 ? -x : x;
          }
          values.push_back(value);
          keys.push_back({time, {}});
        }
        for (std::size_t k = 0; k < keys.size(); ++k) {
          keys[k].value = values[k];
        }
        std::ranges::stable_sort(keys, {}, &TimedValue::time);
        Channel one_by_one = channel;
        for (const TimedValue& key : keys) {
          one_by_one = with_key(one_by_one, key.time, key.value);
        }
        EXPECT_TRUE(same_channel(with_keys(channel, keys), one_by_one)) << count;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::rig
