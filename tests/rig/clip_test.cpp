#include "rig/clip.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::rig {
namespace {

glm::dquat turn_about(const glm::dvec3& axis, double degrees) {
  return glm::angleAxis(glm::radians(degrees), axis);
}

double degrees_of(const glm::dquat& q) {
  return glm::degrees(glm::length(rotation_vector(q)));
}

std::vector<float> at(const Channel& channel, float time) {
  std::vector<float> out(channel.width, -99.0f);
  sample(channel, time, out);
  return out;
}

glm::dquat rotation_at(const Channel& channel, float time) {
  const std::vector<float> v = at(channel, time);
  return glm::dquat(quat_xyzw(v[0], v[1], v[2], v[3]));
}

void push(std::vector<float>& values, const glm::dquat& q) {
  for (const double v : {q.x, q.y, q.z, q.w}) {
    values.push_back(static_cast<float>(v));
  }
}

Channel scalar_cubic(float from, float leaving, float arriving, float to, float length) {
  return {.path = ChannelPath::kWeights,
          .interpolation = Interpolation::kCubicSpline,
          .times = {0, length},
          .values = {0, from, leaving, arriving, to, 0},
          .width = 1};
}

TEST(Clip, C47_1_SlerpRunsAtConstantSpeed) {
  const glm::dquat quarter_turn = turn_about({0, 1, 0}, 90);
  for (const glm::dquat& second : {quarter_turn, -quarter_turn}) {
    const glm::dquat q = slerp_shortest(glm::dquat(1, 0, 0, 0), second, 0.25);
    EXPECT_NEAR(q.x, 0, 1e-12);
    EXPECT_NEAR(q.y, 0.195090, 5e-7);
    EXPECT_NEAR(q.z, 0, 1e-12);
    EXPECT_NEAR(q.w, 0.980785, 5e-7);
    EXPECT_NEAR(degrees_of(q), 22.5, 1e-9);
  }
  const glm::dquat nlerp = glm::normalize(glm::dquat(1, 0, 0, 0) * 0.75 + quarter_turn * 0.25);
  EXPECT_NEAR(degrees_of(nlerp), 21.598161, 5e-7);
  // Through a channel, also with the second key negated.
  for (const double sign : {1.0, -1.0}) {
    Channel channel{.path = ChannelPath::kRotation, .times = {0, 1}, .values = {}, .width = 4};
    push(channel.values, glm::dquat(1, 0, 0, 0));
    push(channel.values, quarter_turn * sign);
    EXPECT_NEAR(degrees_of(rotation_at(channel, 0.25f)), 22.5, 1e-5);
  }
}

TEST(Clip, C47_2_ShortWay) {
  const glm::dquat q = slerp_shortest(glm::dquat(1, 0, 0, 0), turn_about({0, 0, 1}, 300), 0.5);
  EXPECT_NEAR(glm::degrees(rotation_vector(q).z), -30, 1e-9);
}

TEST(Clip, C47_3_CubicScalars) {
  EXPECT_EQ(at(scalar_cubic(0, 1, 1, 1, 1), 0.5f)[0], 0.5f);
  EXPECT_EQ(at(scalar_cubic(0, 0, 0, 10, 2), 0.5f)[0], 1.5625f);
  EXPECT_EQ(at(scalar_cubic(0, 3, -4, 10, 2), 0.5f)[0], 2.78125f);
  EXPECT_EQ(at(scalar_cubic(0, 3, -4, 10, 2), 1.0f)[0], 6.75f);
}

TEST(Clip, C47_4_CubicRotations) {
  Channel channel{.path = ChannelPath::kRotation,
                  .interpolation = Interpolation::kCubicSpline,
                  .times = {0, 1},
                  .values = {},
                  .width = 4};
  const std::vector<float> zero(4, 0.0f);
  for (const double degrees : {0.0, 90.0}) {
    channel.values.insert(channel.values.end(), zero.begin(), zero.end());
    push(channel.values, turn_about({0, 0, 1}, degrees));
    channel.values.insert(channel.values.end(), zero.begin(), zero.end());
  }
  // The same numbers as four weights are not normalised.
  Channel raw = channel;
  raw.path = ChannelPath::kWeights;
  const std::vector<float> half = at(raw, 0.5f);
  EXPECT_NEAR(std::sqrt(half[2] * half[2] + half[3] * half[3]), 0.923880, 1e-6);
  EXPECT_NEAR(glm::length(rotation_at(channel, 0.5f)), 1, 1e-7);
  EXPECT_NEAR(degrees_of(rotation_at(channel, 0.5f)), 45, 1e-5);
  EXPECT_NEAR(degrees_of(rotation_at(channel, 0.25f)), 13.209080, 1e-5);
}

// A random channel of each kind.
Channel random_channel(test::Random& random, ChannelPath path, Interpolation interpolation, int keys) {
  Channel channel;
  channel.path = path;
  channel.interpolation = interpolation;
  channel.width = path == ChannelPath::kRotation ? 4 : path == ChannelPath::kWeights ? 5 : 3;
  float time = random.real(0.1f, 1.0f);
  for (int k = 0; k < keys; ++k) {
    channel.times.push_back(time);
    time += random.real(0.01f, 0.5f);
    const int parts = interpolation == Interpolation::kCubicSpline ? 3 : 1;
    for (int part = 0; part < parts; ++part) {
      if (path == ChannelPath::kRotation) {
        push(channel.values, random.rotation());
      } else {
        for (int i = 0; i < channel.width; ++i) {
          channel.values.push_back(random.real(-1.0f, 1.0f));
        }
      }
    }
  }
  return channel;
}

TEST(Clip, C47_5_KeysBitwiseContinuityAndRandomAccess) {
  test::Random random(47);
  for (const ChannelPath path :
       {ChannelPath::kTranslation, ChannelPath::kRotation, ChannelPath::kScale, ChannelPath::kWeights}) {
    for (const Interpolation interpolation :
         {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
      const Channel channel = random_channel(random, path, interpolation, 30);
      const bool cubic = interpolation == Interpolation::kCubicSpline;
      const std::size_t width = channel.width;
      for (std::size_t k = 0; k < channel.times.size(); ++k) {
        const auto begin = channel.values.begin() + static_cast<std::ptrdiff_t>((cubic ? 3 * k + 1 : k) * width);
        const std::vector<float> key(begin, begin + static_cast<std::ptrdiff_t>(width));
        EXPECT_EQ(at(channel, channel.times[k]), key) << "key " << k;
        if (interpolation != Interpolation::kStep) {
          for (const float direction : {-1e9f, 1e9f}) {
            const std::vector<float> near = at(channel, std::nextafter(channel.times[k], direction));
            // Opposite quaternions are the same rotation.
            double sign = 1;
            if (path == ChannelPath::kRotation) {
              sign =
                  glm::dot(quat_xyzw(near[0], near[1], near[2], near[3]), quat_xyzw(key[0], key[1], key[2], key[3])) < 0
                      ? -1
                      : 1;
            }
            for (std::size_t i = 0; i < width; ++i) {
              EXPECT_NEAR(sign * static_cast<double>(near[i]), key[i], 1e-4);
            }
          }
        }
      }
      // Sequential playback, then the same times backwards.
      std::vector<std::vector<float>> forward;
      for (int frame = 0; frame <= 300; ++frame) {
        forward.push_back(at(channel, static_cast<float>(frame) / 30.0f));
      }
      for (int frame = 300; frame >= 0; --frame) {
        EXPECT_EQ(at(channel, static_cast<float>(frame) / 30.0f), forward[frame]);
      }
    }
  }
}

TEST(Clip, ClampsOutsideOfItsKeys) {
  const Channel channel{.times = {1, 2}, .values = {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(at(channel, -5.0f), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(at(channel, NAN), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(at(channel, 9.0f), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(at(channel, INFINITY), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(at(channel, 1.5f), (std::vector<float>{2.5f, 3.5f, 4.5f}));
}

TEST(Clip, StepHoldsTheKeyBefore) {
  const Channel channel{.interpolation = Interpolation::kStep, .times = {1, 2}, .values = {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(at(channel, 1.999f), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(at(channel, 2.0f), (std::vector<float>{4, 5, 6}));
}

TEST(Clip, SingleKeyIsConstant) {
  for (const Interpolation interpolation :
       {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
    Channel channel{.interpolation = interpolation, .times = {0.5f}, .values = {1, 2, 3}};
    if (interpolation == Interpolation::kCubicSpline) {
      channel.values = {9, 9, 9, 1, 2, 3, 9, 9, 9};
    }
    for (const float time : {-1.0f, 0.5f, 7.0f}) {
      EXPECT_EQ(at(channel, time), (std::vector<float>{1, 2, 3}));
    }
  }
}

TEST(Clip, RotationKeysThatAreNotUnitAreNormalised) {
  const Channel channel{
      .path = ChannelPath::kRotation, .times = {0, 1}, .values = {0, 0, 0, 2, 0, 0, 0, 0}, .width = 4};
  EXPECT_EQ(at(channel, 0.0f), (std::vector<float>{0, 0, 0, 1}));
  EXPECT_EQ(at(channel, 0.5f), (std::vector<float>{0, 0, 0, 1}));
  EXPECT_EQ(at(channel, 1.0f), (std::vector<float>{0, 0, 0, 1}));
}

TEST(Clip, NearlyEqualRotationsDoNotDivideByZero) {
  const glm::dquat a = turn_about({0, 1, 0}, 30);
  const glm::dquat b = turn_about({0, 1, 0}, 30.001);
  EXPECT_NEAR(degrees_of(slerp_shortest(a, b, 0.5)), 30.0005, 1e-7);
  EXPECT_NEAR(degrees_of(slerp_shortest(a, -b, 0.5)), 30.0005, 1e-7);
  EXPECT_NEAR(degrees_of(slerp_shortest(a, a, 0.5)), 30, 1e-9);
}

TEST(Clip, ApplyWritesOnlyWhatItsChannelsSay) {
  Character character = test::random_rig({.seed = 3, .joints = 4, .vertices = 5, .morph_targets = 2});
  const int mesh_node = character.mesh_nodes[0].joint;
  Clip clip;
  clip.channels.push_back(
      {.joint = 1, .path = ChannelPath::kTranslation, .times = {0, 2}, .values = {0, 0, 0, 2, 4, 6}});
  clip.channels.push_back({.joint = 2, .path = ChannelPath::kScale, .times = {0}, .values = {3, 3, 3}});
  clip.channels.push_back(
      {.joint = mesh_node, .path = ChannelPath::kWeights, .times = {0, 2}, .values = {0, 1, 1, 0}, .width = 2});
  clip.channels.push_back(
      {.joint = 3, .path = ChannelPath::kRotation, .times = {0}, .values = {0, 1, 0, 0}, .width = 4});
  const Pose rest = rest_pose(character);
  Pose pose = rest;
  apply(clip, 1.0f, character.morph_offset, pose);
  EXPECT_EQ(pose.local[0], rest.local[0]);
  EXPECT_EQ(pose.local[1].translation, glm::vec3(1, 2, 3));
  EXPECT_EQ(pose.local[1].rotation, rest.local[1].rotation);
  EXPECT_EQ(pose.local[2].scale, glm::vec3(3));
  EXPECT_EQ(pose.local[3].rotation, quat_xyzw(0.0f, 1.0f, 0.0f, 0.0f));
  const std::span<const float> weights = character.morph_weights(pose, mesh_node);
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_EQ(weights[0], 0.5f);
  EXPECT_EQ(weights[1], 0.5f);
}

}  // namespace
}  // namespace pelt::rig
