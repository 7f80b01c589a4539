#include "motion/vrm_springs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "math/angle.h"
#include "motion/pose_layers.h"
#include "support/fixtures.h"

namespace pelt::motion {
namespace {

// A bone of 0.3 m along -y below a root, as files have it.
rig::Character hanging_bone(float stiffness, float gravity, float drag) {
  rig::Character character;
  test::add_node(character, "root", -1, {});
  test::add_node(character, "a", 0, {.translation = {0, 1, 0}});
  test::add_node(character, "b", 1, {.translation = {0, -0.3f, 0}});
  rig::finish(character);
  rig::SpringBone spring;
  spring.joints = {{.joint = 1, .stiffness = stiffness, .gravity_power = gravity, .drag = drag}, {.joint = 2}};
  character.spring_bones.push_back(spring);
  return character;
}

// The tip's way from rest, radians, after each of `frames` frames of the reference algorithm behind a push of the root.
std::vector<double> reference(const rig::Character& character, double rate, int frames, float push) {
  rig::Pose wanted = rig::rest_pose(character);
  rig::Pose pose = wanted;
  rig::PoseBuilder builder(character.skeleton, pose);
  VrmSprings springs(character, builder);
  wanted.local[0].translation.x = push;
  std::vector<double> out;
  for (int f = 0; f < frames; ++f) {
    builder.edit() = wanted;
    springs.update(1 / rate, builder);
    const glm::dvec3 way = glm::dvec3(builder.world(2)[3]) - glm::dvec3(builder.world(1)[3]);
    out.push_back(std::atan2(way.x, -way.y));
  }
  return out;
}

std::vector<double> exact(const rig::Character& character, double rate, int frames, float push) {
  const SpringRig rig = make_spring_rig(character, springs_of_file(character));
  EXPECT_EQ(rig.faults, std::vector<std::string>{""});
  rig::Pose wanted = rig::rest_pose(character);
  rig::Pose pose = wanted;
  rig::PoseBuilder builder(character.skeleton, pose);
  SpringState state = settle(rig, builder);
  wanted.local[0].translation.x = push;
  std::vector<double> out;
  for (int f = 0; f < frames; ++f) {
    builder.edit() = wanted;
    step(rig, 1 / rate, f / rate, state, builder);
    const glm::dvec3 way = glm::dvec3(builder.world(2)[3]) - glm::dvec3(builder.world(1)[3]);
    out.push_back(std::atan2(way.x, -way.y));
  }
  return out;
}

// One frame by hand: the tip stays behind by the push, is pulled straight down by stiffness / 60, and put back onto the
// sphere around the joint.
TEST(VrmSprings, OneFrameIsThatOfTheSpecification) {
  const rig::Character character = hanging_bone(1, 0, 0.4f);
  const double angle = reference(character, 60, 1, 0.02f)[0];
  EXPECT_NEAR(angle, std::atan2(-0.02, 0.3 + 1.0 / 60), 1e-6);
  // The second: 60 % of the way before, of which only the projection is left.
  const double two = reference(character, 60, 2, 0.02f)[1];
  const glm::dvec2 first(-0.02, 0);
  const glm::dvec2 second = 0.3 * glm::dvec2(std::sin(angle), -std::cos(angle));
  const glm::dvec2 next = second + (second - (first + glm::dvec2(0, -0.3))) * 0.6 + glm::dvec2(0, -1.0 / 60);
  EXPECT_NEAR(two, std::atan2(next.x, -next.y), 1e-6);
}

double largest(const std::vector<double>& angles) {
  double most = 0;
  for (const double angle : angles) {
    most = std::max(most, std::abs(angle));
  }
  return most;
}

// How far two motions come apart, at the frames of 30 per second.
double apart(const std::vector<double>& a, int steps_of_a, const std::vector<double>& b, int steps_of_b) {
  double most = 0;
  for (int f = 1; f <= 30; ++f) {
    most = std::max(most, std::abs(a[f * steps_of_a - 1] - b[f * steps_of_b - 1]));
  }
  return most;
}

// With half of the frames the same second looks otherwise: this is what the exact springs are for.
TEST(VrmSprings, TheReferenceDependsOnTheFrameRateAndTheExactDoesNot) {
  const rig::Character character = hanging_bone(0.2f, 0, 0.1f);
  const std::vector<double> fast = reference(character, 120, 120, 0.02f);
  EXPECT_GT(apart(reference(character, 30, 30, 0.02f), 1, fast, 4), 0.3 * largest(fast));
  const std::vector<double> ours = exact(character, 120, 120, 0.02f);
  EXPECT_LT(apart(exact(character, 240, 240, 0.02f), 8, ours, 4), 0.05 * largest(ours));
}

// The reference's numbers mean their motion at 60 frames per second. With numbers that mean the same at more frames it
// comes ever nearer to ours.
TEST(VrmSprings, TheExactIsWhatTheReferenceTendsTo) {
  for (const float drag : {0.02f, 0.2f, 0.4f}) {
    const rig::Character character = hanging_bone(0.5f, 0.1f, drag);
    const double decay = -std::log1p(-static_cast<double>(drag)) * 60;
    double before = 9;
    for (const int rate : {60, 480, 3840}) {
      const double finer = -std::expm1(-decay / rate);
      const float share = static_cast<float>(finer / static_cast<double>(drag));
      const rig::Character same = hanging_bone(0.5f * share, 0.1f * share, static_cast<float>(finer));
      const std::vector<double> theirs = reference(same, rate, rate, 0.001f);
      const double error = apart(theirs, rate / 30, exact(character, rate, rate, 0.001f), rate / 30) / largest(theirs);
      EXPECT_LT(error, before / 2) << drag << ' ' << rate;
      before = error;
    }
    EXPECT_LT(before, 0.02) << drag;
  }
}

// Without motion both hang where stiffness and gravity balance; sideways gravity, small turn.
TEST(VrmSprings, TheExactRestsWhereTheReferenceDoes) {
  rig::Character character = hanging_bone(1, 0.1f, 0.4f);
  character.spring_bones.edit()[0].joints[0].gravity_direction = {1, 0, 0};
  const double theirs = reference(character, 60, 600, 0).back();
  const double ours = exact(character, 60, 1, 0).back();
  EXPECT_NEAR(theirs, std::atan2(0.1, 1.0), 1e-6);
  EXPECT_NEAR(ours, theirs, 1e-3);
}

TEST(VrmSprings, SpringsOfAFileAreNamed) {
  rig::Character character = hanging_bone(1, 0.5f, 0);
  character.spring_bones.edit()[0].center = 0;
  character.spring_bones.edit()[0].colliders = {0};
  character.spring_bones.edit()[0].joints[0].hit_radius = 0.05f;
  character.spring_colliders.push_back({.joint = 0, .radius = 0.2f, .inside = true});
  const SpringSet springs = springs_of_file(character);
  ASSERT_EQ(springs.chains.size(), 1u);
  const SpringChain& chain = springs.chains[0];
  EXPECT_EQ(chain.name, "spring 0");
  EXPECT_EQ(chain.end, "b");
  EXPECT_EQ(chain.center, "root");
  EXPECT_EQ(chain.colliders, std::vector<std::string>{"collider 0"});
  ASSERT_EQ(chain.joints.size(), 1u);
  EXPECT_EQ(chain.joints[0].joint, "a");
  EXPECT_EQ(chain.joints[0].radius, 0.05f);
  EXPECT_EQ(chain.joints[0].damping, 0);
  EXPECT_EQ(chain.joints[0].drag, 0);
  EXPECT_NEAR(chain.joints[0].stiffness, 60 / 0.3, 1e-3);
  EXPECT_NEAR(chain.joints[0].gravity.y, -30, 1e-4);
  EXPECT_TRUE(springs.colliders[0].inside);
}

}  // namespace
}  // namespace pelt::motion

namespace pelt::motion {
namespace {

// A chain of three bones whose root goes to and fro: where its end is after each thirtieth of a second.
template <typename Frame>
std::vector<glm::dvec3> waved(const rig::Character& character, double rate, double amplitude, const Frame& frame) {
  rig::Pose pose = rig::rest_pose(character);
  const rig::Pose rest = pose;
  rig::PoseBuilder builder(character.skeleton, pose);
  std::vector<glm::dvec3> out;
  for (int f = 1; f <= static_cast<int>(rate); ++f) {
    rig::Pose wanted = rest;
    wanted.local[0].translation.x = static_cast<float>(amplitude * (1 - std::cos(9 * f / rate)));
    builder.edit() = wanted;
    frame(builder, f / rate);
    if (f % static_cast<int>(rate / 30) == 0) {
      out.emplace_back(builder.world(4)[3]);
    }
  }
  return out;
}

TEST(VrmSprings, AChainTendsToTheExactOneToo) {
  const auto chain = [](double share, float drag) {
    rig::Character character;
    test::add_node(character, "root", -1, {.translation = {0, 1, 0}});
    for (int j = 1; j <= 4; ++j) {
      test::add_node(character, "b" + std::to_string(j), j - 1, {.translation = {0, -0.12f, 0}});
    }
    rig::finish(character);
    rig::SpringBone spring;
    for (int j = 1; j <= 4; ++j) {
      spring.joints.push_back({.joint = j,
                               .stiffness = static_cast<float>(0.8 * share),
                               .gravity_power = static_cast<float>(0.2 * share),
                               .drag = drag});
    }
    character.spring_bones.push_back(spring);
    return character;
  };
  constexpr double kAmplitude = 0.002;
  const double decay = -std::log1p(-0.3) * 60;
  const rig::Character ours = chain(1, 0.3f);
  const SpringRig rig = make_spring_rig(ours, springs_of_file(ours));
  const auto exact = [&](double rate) {
    rig::Pose pose = rig::rest_pose(ours);
    rig::PoseBuilder builder(ours.skeleton, pose);
    SpringState state = settle(rig, builder);
    return waved(ours, rate, kAmplitude,
                 [&](rig::PoseBuilder& at, double time) { step(rig, 1 / rate, time, state, at); });
  };
  const auto theirs = [&](double rate) {
    const double finer = -std::expm1(-decay / rate);
    const rig::Character same = chain(finer / 0.3, static_cast<float>(finer));
    rig::Pose pose = rig::rest_pose(same);
    rig::PoseBuilder builder(same.skeleton, pose);
    VrmSprings springs(same, builder);
    return waved(same, rate, kAmplitude, [&](rig::PoseBuilder& at, double) { springs.update(1 / rate, at); });
  };
  const auto apart_by = [](const std::vector<glm::dvec3>& a, const std::vector<glm::dvec3>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      most = std::max(most, glm::distance(a[i], b[i]));
    }
    return most;
  };
  const std::vector<glm::dvec3> finest = exact(3840);
  EXPECT_LT(apart_by(exact(120), finest), 0.05 * kAmplitude);
  const double coarse = apart_by(theirs(60), finest);
  const double middle = apart_by(theirs(480), finest);
  const double fine = apart_by(theirs(3840), finest);
  EXPECT_LT(middle, coarse / 2);
  EXPECT_LT(fine, middle / 2);
  EXPECT_LT(fine, 0.05 * kAmplitude);
}

}  // namespace
}  // namespace pelt::motion
