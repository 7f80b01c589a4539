#include "motion/springs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "math/angle.h"
#include "motion/damped_step.h"
#include "motion/memory.h"
#include "motion/pose_layers.h"
#include "motion/spring_arc.h"
#include "support/fixtures.h"

namespace pelt::motion {
namespace {

// C49.2's spring, x0 = 1, v0 = 0, behind `steps` equal steps to `time`.
double at_time(double k, double m, double ratio, double time, int steps) {
  const double frequency = std::sqrt(k / m);
  const DampedStep step(frequency, ratio * frequency, time / steps);
  double x = 1;
  double v = 0;
  for (int n = 0; n < steps; ++n) {
    step.take(x, v, 0.0);
  }
  return x;
}

TEST(DampedStep, C49_2_CriticalDamping) {
  EXPECT_NEAR(at_time(100, 1, 1, 0.1, 1), 0.735759, 5e-7);
  EXPECT_NEAR(at_time(100, 1, 1, 0.2, 1), 0.406006, 5e-7);
  EXPECT_NEAR(at_time(100, 1, 1, 0.5, 1), 0.040428, 5e-7);
}

TEST(DampedStep, C49_2_TheSameAtAnyFrameRate) {
  EXPECT_NEAR(at_time(100, 1, 0.2, 1, 1), -0.136092, 1e-6);
  for (const int rate : {1, 7, 24, 30, 60, 144, 960}) {
    EXPECT_NEAR(at_time(100, 1, 0.2, 1, rate), -0.136092, 1e-6) << rate;
  }
}

TEST(DampedStep, C49_2_OvershootPeriodAndTrough) {
  const double period = 2 * std::numbers::pi / (10 * std::sqrt(1 - 0.04));
  EXPECT_NEAR(period, 0.641275, 5e-7);
  EXPECT_NEAR(at_time(100, 1, 0.2, period / 2, 1), -0.526621, 5e-7);
  EXPECT_NEAR(period / 2, 0.320637, 6e-7);
  // The trough is one: both neighbours lie above.
  EXPECT_GT(at_time(100, 1, 0.2, period / 2 - 0.01, 1), at_time(100, 1, 0.2, period / 2, 1));
  EXPECT_GT(at_time(100, 1, 0.2, period / 2 + 0.01, 1), at_time(100, 1, 0.2, period / 2, 1));
}

// For comparison only: what the check says of semi-implicit Euler, which is not what we do.
TEST(DampedStep, C49_2_IsNotSemiImplicitEuler) {
  const auto euler = [](int rate) {
    double x = 1;
    double v = 0;
    for (int n = 0; n < rate; ++n) {
      v += (-100 * x - 2 * 0.2 * 10 * v) / rate;
      x += v / rate;
    }
    return x;
  };
  EXPECT_NEAR(euler(60), -0.115736, 5e-7);
  EXPECT_NEAR(euler(960), -0.135030, 5e-7);
}

TEST(DampedStep, C49_3_SagsByMassTimesGravityOverStiffness) {
  const double frequency = std::sqrt(50 / 0.1);
  const DampedStep step(frequency, frequency, 1.0 / 60);
  double x = 0;
  double v = 0;
  for (int n = 0; n < 600; ++n) {
    step.take(x, v, 9.81);
  }
  EXPECT_NEAR(x, 0.01962, 1e-9);
  EXPECT_NEAR(v, 0, 1e-9);
}

TEST(DampedStep, C49_4_SettlesWithinFiveSeconds) {
  for (const double ratio : {0.2, 0.5, 1.0, 2.5}) {  // beyond 2.8 damping is so strong that it takes longer
    for (double time = 5; time < 6; time += 0.01) {
      EXPECT_LT(std::abs(at_time(100, 1, ratio, time, 50)), 1e-4) << ratio;
    }
  }
}

// Against many tiny steps of another method, on both sides of every seam between formulas.
TEST(DampedStep, AgreesWithRungeKuttaForAllSprings) {
  struct Rate {
    double x, v;
  };
  for (const double frequency : {0.0, 1e-3, 0.09, 0.11, 3.0, 10.0, 200.0}) {
    for (const double decay : {0.0, 1e-4, 0.04, 0.06, 2.9999, 3.0, 3.0001, 10.0, 300.0}) {
      const double h = 1.0 / 120;
      const double a = 4.2;
      double x = 0.3;
      double v = -1.7;
      const auto rate = [&](const Rate& s) { return Rate{s.v, -frequency * frequency * s.x - 2 * decay * s.v + a}; };
      constexpr int kSteps = 4000;
      const double d = h / kSteps;
      for (int n = 0; n < kSteps; ++n) {
        const Rate k1 = rate({x, v});
        const Rate k2 = rate({x + d / 2 * k1.x, v + d / 2 * k1.v});
        const Rate k3 = rate({x + d / 2 * k2.x, v + d / 2 * k2.v});
        const Rate k4 = rate({x + d * k3.x, v + d * k3.v});
        x += d / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x);
        v += d / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
      }
      double ours = 0.3;
      double speed = -1.7;
      DampedStep(frequency, decay, h).take(ours, speed, a);
      EXPECT_NEAR(ours, x, 1e-10) << frequency << ' ' << decay;
      EXPECT_NEAR(speed, v, 2e-8) << frequency << ' ' << decay;
    }
  }
}

TEST(DampedStep, StaysWithinBoundsForAnyStep) {
  for (const double h : {0.0, 1e-9, 1.0, 1e3, 1e6}) {
    const DampedStep step(1e4, 1e5, h);
    for (const double f : {step.x_from_x, step.x_from_v, step.x_from_a, step.v_from_x, step.v_from_v}) {
      EXPECT_TRUE(std::isfinite(f)) << h;
    }
    EXPECT_LE(std::abs(step.x_from_x), 1 + 1e-12);
  }
  const DampedStep none(10, 1, 0);
  EXPECT_EQ(none.x_from_x, 1);
  EXPECT_EQ(none.x_from_v, 0);
  EXPECT_EQ(none.v_from_v, 1);
}

TEST(SpringArc, ArcsAreUndoneAndVelocitiesAreTheirDerivatives) {
  test::Random random(49);
  for (int i = 0; i < 2000; ++i) {
    const glm::dvec3 rest = random.unit();
    const glm::dvec3 any = random.unit();
    const glm::dvec3 turn = glm::normalize(glm::cross(rest, any)) * random.real(1e-6, 3.0);
    const glm::dvec3 direction = on_arc(rest, turn);
    EXPECT_NEAR(glm::length(direction), 1, 1e-12);
    EXPECT_NEAR(std::acos(std::clamp(glm::dot(rest, direction), -1.0, 1.0)), glm::length(turn), 1e-6);
    EXPECT_LE(glm::distance(arc_to(rest, direction), turn), 1e-9);
    const glm::dvec3 speed = glm::cross(rest, random.unit());
    constexpr double kStep = 1e-6;
    const glm::dvec3 difference =
        (on_arc(rest, turn + speed * kStep) - on_arc(rest, turn - speed * kStep)) / (2 * kStep);
    const glm::dvec3 velocity = arc_velocity(rest, turn, speed);
    EXPECT_LE(glm::distance(difference, velocity), 1e-6);
    EXPECT_LE(glm::distance(arc_turn_speed(rest, turn, velocity), speed), 1e-8);
    EXPECT_LE(glm::distance(shortest_rotation(rest, direction) * rest, direction), 1e-12);
    EXPECT_NEAR(glm::dot(arc_pull(rest, turn, direction), speed), 0, 1e-9) << "along the bone nothing turns it";
  }
}

// A root, and a chain of three joints along x whose last one only ends it; lengths in units of `scale` metres. A clip
// moves the root to and fro by one unit in a second and turns it by 120 degrees within two, from 1 s on.
struct Braid {
  rig::Character character;
  SpringSet springs;
  std::map<int, JointOverride> overrides;
  std::map<int, float> morph_overrides;
  BasePose base = BasePose::kRest;
  int clip = -1;
  float time = 0;
  float scale;

  explicit Braid(float scale_of = 1) : scale(scale_of) {
    test::add_node(character, "root", -1, {});
    test::add_node(character, "a", 0, {.translation = glm::vec3(0.5f, 0, 0) * scale});
    test::add_node(character, "b", 1, {.translation = glm::vec3(0.4f, 0, 0) * scale});
    test::add_node(character, "c", 2, {.translation = glm::vec3(0.3f, 0, 0) * scale});
    rig::Clip moves;
    moves.start = 1;
    moves.end = 3;
    const glm::quat turned = glm::angleAxis(static_cast<float>(120 * kDegree), glm::vec3(0, 0.6f, 0.8f));
    moves.channels.push_back({.joint = 0,
                              .path = rig::ChannelPath::kTranslation,
                              .times = {1, 1.5f, 2, 3},
                              .values = {0, 0, 0, 0, scale, 0, 0, 0, 0, 0, 0, 0},
                              .width = 3});
    moves.channels.push_back({.joint = 0,
                              .path = rig::ChannelPath::kRotation,
                              .times = {1, 3},
                              .values = {0, 0, 0, 1, turned.x, turned.y, turned.z, turned.w},
                              .width = 4});
    character.clips.push_back(moves);
    rig::finish(character);
    SpringChain chain{.name = "hair", .end = "c"};
    for (const char* name : {"a", "b"}) {
      SpringJoint joint{.joint = name};
      joint.gravity *= scale;
      chain.joints.push_back(joint);
    }
    springs.chains.push_back(chain);
  }
  SpringJoint& joint(int k) { return springs.chains[0].joints[static_cast<std::size_t>(k)]; }
  void each(const std::function<void(SpringJoint&)>& change) {
    std::ranges::for_each(springs.chains[0].joints, change);
  }
  void add_collider(SpringCollider collider) {
    springs.chains[0].colliders.push_back(collider.name);
    springs.colliders.push_back(std::move(collider));
  }
  [[nodiscard]] rig::Pose pose(MotionMemory* memory = nullptr) const {
    const SpringRig rig = make_spring_rig(character, springs);
    EXPECT_EQ(rig.faults[0], "");
    return pose_of(rig, memory);
  }
  [[nodiscard]] rig::Pose pose_of(const SpringRig& rig, MotionMemory* memory = nullptr) const {
    PoseSources sources{character, base, clip, time, overrides, morph_overrides};
    sources.springs = &rig;
    sources.memory = memory;
    return layered_pose(standard_pose_layers(), sources);
  }
  [[nodiscard]] glm::dvec3 place(const rig::Pose& pose, int joint) const {
    rig::Pose copy = pose;
    return glm::dvec3(rig::PoseBuilder(character.skeleton, copy).world(joint)[3]) / static_cast<double>(scale);
  }
  [[nodiscard]] double turned(const rig::Pose& pose, int joint) const {
    return static_cast<double>(glm::angle(pose.local[static_cast<std::size_t>(joint)].rotation));
  }
};

// Plucked by 1 radian, left alone: C49.2's closed form through the rig, at any frame rate, in a turned frame.
TEST(Springs, C49_2_APluckedBoneFollowsTheClosedForm) {
  Braid chain;
  chain.each([](SpringJoint& joint) {
    joint.gravity = glm::vec3(0.0f);
    joint.mass = 1;
    joint.stiffness = 100;
    joint.damping = 2 * 0.2f * 10;
  });
  chain.overrides[0] = {{.rotation = glm::angleAxis(0.9f, glm::vec3(0.6f, 0, 0.8f))}, {}};
  SpringRig rig = make_spring_rig(chain.character, chain.springs);
  rig.bones.pop_back();
  for (const int rate : {1, 24, 60, 144}) {
    const PoseSources sources{chain.character, chain.base, -1, 0, chain.overrides, chain.morph_overrides};
    const rig::Pose wanted = layered_pose(standard_pose_layers(), sources);
    rig::Pose pose = wanted;
    rig::PoseBuilder builder(chain.character.skeleton, pose);
    SpringState state = settle(rig, builder);
    EXPECT_LE(glm::length(state.bones[0].turn), 1e-12);
    state.bones[0].turn = {0, 0.6, 0.8};
    for (int n = 1; n <= rate; ++n) {
      builder.edit() = wanted;
      step(rig, 1.0 / rate, static_cast<double>(n) / rate, state, builder);
    }
    EXPECT_NEAR(state.bones[0].turn.y, -0.136092 * 0.6, 1e-6) << rate;
    EXPECT_NEAR(state.bones[0].turn.z, -0.136092 * 0.8, 1e-6) << rate;
    EXPECT_NEAR(chain.turned(pose, 1), 0.136092, 1e-6) << rate;
  }
}

// C49.3: the sag along the arc of a bone that lies level is m g / k times the cosine of where it comes to rest.
TEST(Springs, C49_3_ABoneSagsUnderItsWeight) {
  Braid chain;
  chain.joint(0).stiffness = 50;
  chain.springs.chains[0].joints.resize(1);
  chain.springs.chains[0].end = "b";
  const double angle = chain.turned(chain.pose(), 1);
  EXPECT_NEAR(0.4 * angle, 0.01962 * std::cos(angle), 1e-7);
  EXPECT_LT(chain.place(chain.pose(), 2).y, -0.0195) << "down";
  chain.joint(0).stiffness = 0;
  EXPECT_NEAR(chain.turned(chain.pose(), 1), std::numbers::pi / 2, 1e-6) << "without a spring it hangs down";
}

TEST(Springs, C49_4_SettleBehindAClipThatStandsStill) {
  Braid chain;
  chain.clip = 0;
  chain.character.clips.edit(0).end = 20;  // nothing moves from 3 s on
  chain.each([](SpringJoint& joint) {
    joint.mass = 1;
    joint.stiffness = 100;
    joint.damping = 2 * 0.2f * 10;
    joint.gravity = glm::vec3(0.0f);
  });
  chain.springs.chains[0].joints.resize(1);
  chain.springs.chains[0].end = "b";
  double amplitude = 0;  // of the first swing behind the motion
  MotionMemory memory;
  for (float time = 3; time < 3.65f; time += 0.02f) {
    chain.time = time;
    amplitude = std::max(amplitude, chain.turned(chain.pose(&memory), 1));
  }
  EXPECT_GT(amplitude, 0.02);
  for (float time = 8; time < 8.65f; time += 0.02f) {
    chain.time = time;
    EXPECT_LT(chain.turned(chain.pose(&memory), 1), 1e-4 * amplitude) << time;
  }
}

TEST(Springs, AtRestTheyStayAtRest) {
  Braid chain;
  chain.each([](SpringJoint& joint) { joint.wind = 2; });
  chain.springs.wind.acceleration = {1, 0, 3};
  chain.character.clips.edit(0).channels.clear();
  const rig::Pose still = chain.pose();
  chain.clip = 0;
  for (const float time : {1.0f, 1.003f, 1.5f, 3.0f}) {
    chain.time = time;
    const rig::Pose pose = chain.pose();
    for (const int j : {1, 2, 3}) {
      EXPECT_LE(glm::distance(chain.place(pose, j), chain.place(still, j)), 1e-6) << time;
    }
  }
}

// What a clip does, with everything on.
Braid busy_braid(float scale = 1) {
  Braid chain(scale);
  chain.clip = 0;
  chain.springs.wind = {.acceleration = glm::vec3(0, 0, 2) * scale, .gusts = 0.5f, .period = 0.7f};
  chain.add_collider(
      {.name = "ball", .joint = "root", .offset = glm::vec3(0.75f, -0.2f, 0) * scale, .radius = 0.15f * scale});
  chain.each([&](SpringJoint& joint) { joint.radius = 0.02f * scale; });
  return chain;
}

TEST(Springs, SeekingEqualsPlaying) {
  Braid chain = busy_braid();
  MotionMemory forward;
  std::map<float, rig::Pose> played;
  for (float time = 1; time <= 3; time += 1.0f / 24) {
    chain.time = time;
    played[time] = chain.pose(&forward);
  }
  MotionMemory backward;
  for (auto at = played.rbegin(); at != played.rend(); ++at) {
    chain.time = at->first;
    ASSERT_EQ(chain.pose(&backward), at->second) << at->first;
  }
  MotionMemory random;
  for (const float time : {2.5f, 1.0f, 1.75f, 2.0f}) {
    chain.time = time;
    ASSERT_EQ(chain.pose(&random), chain.pose()) << time;
  }
  EXPECT_GT(chain.turned(played.rbegin()->second, 1), 0.05) << "something happens";
}

TEST(Springs, AnyFrameRateGivesTheSame) {
  Braid chain = busy_braid();
  std::map<int, rig::Pose> at_end;
  for (const int rate : {7, 24, 30, 60, 240}) {
    MotionMemory memory;
    for (int f = 0; f <= 2 * rate; ++f) {
      chain.time = static_cast<float>(1 + static_cast<double>(f) / rate);
      at_end[rate] = chain.pose(&memory);
    }
    EXPECT_EQ(at_end[rate], at_end[7]) << rate;
  }
}

// Between two steps the way goes on without a seam.
TEST(Springs, MoveWithoutSeamsBetweenSteps) {
  Braid chain = busy_braid();
  MotionMemory memory;
  chain.time = 1.4f;
  glm::dvec3 before = chain.place(chain.pose(&memory), 3);
  for (int n = 1; n <= 400; ++n) {
    chain.time = 1.4f + static_cast<float>(n) / 4000;
    const glm::dvec3 now = chain.place(chain.pose(&memory), 3);
    EXPECT_LE(glm::distance(before, now), 12.0 / 4000) << chain.time;  // metres per second
    before = now;
  }
}

TEST(Springs, UnitsScaleTheResult) {
  for (const float time : {1.3f, 2.2f, 3.0f}) {
    Braid metres = busy_braid();
    metres.time = time;
    for (const float scale : {0.01f, 100.0f}) {
      Braid other = busy_braid(scale);
      other.time = time;
      for (const int j : {1, 2, 3}) {
        EXPECT_LE(glm::distance(metres.place(metres.pose(), j), other.place(other.pose(), j)), 2e-5) << scale;
      }
    }
  }
}

TEST(Springs, KeepTheLengthsOfBones) {
  Braid chain = busy_braid();
  MotionMemory memory;
  for (float time = 1; time <= 3; time += 0.043f) {
    chain.time = time;
    const rig::Pose pose = chain.pose(&memory);
    EXPECT_NEAR(glm::distance(chain.place(pose, 1), chain.place(pose, 2)), 0.4, 1e-6);
    EXPECT_NEAR(glm::distance(chain.place(pose, 2), chain.place(pose, 3)), 0.3, 1e-6);
  }
}

// The first twentieth of a second: the root goes up by 2 m/s, the tips stay behind, that is below.
TEST(Springs, InertiaLeavesThemBehind) {
  Braid chain;
  chain.clip = 0;
  chain.character.clips.edit(0).channels.pop_back();
  chain.each([](SpringJoint& joint) {
    joint.gravity = glm::vec3(0.0f);
    joint.stiffness = 0;
    joint.damping = 0;
  });
  chain.time = 1.05f;
  const rig::Pose pose = chain.pose();
  EXPECT_NEAR(chain.place(pose, 1).y, 0.1, 1e-5);
  EXPECT_NEAR(chain.place(pose, 2).y, 0, 2e-3);
  EXPECT_NEAR(chain.place(pose, 3).y, 0, 4e-3);
  chain.springs.chains[0].center = "root";
  EXPECT_NEAR(chain.place(chain.pose(), 2).y, 0.1, 1e-5) << "motion of the centre does not count";
  EXPECT_NEAR(chain.place(chain.pose(), 3).y, 0.1, 1e-5);
}

TEST(Springs, WindBlowsAndGusts) {
  Braid chain;
  chain.each([](SpringJoint& joint) { joint.gravity = glm::vec3(0.0f); });
  chain.springs.wind.acceleration = {0, 0, 5};
  EXPECT_GT(chain.place(chain.pose(), 3).z, 0.05);
  chain.joint(0).wind = 0;
  EXPECT_EQ(chain.turned(chain.pose(), 1), 0);
  EXPECT_GT(chain.turned(chain.pose(), 2), 0.01);
  chain.springs.wind.gusts = 1;
  chain.springs.wind.period = 1;
  chain.character.clips.edit(0).channels.clear();
  chain.clip = 0;
  double least = 9;
  double most = 0;
  for (float time = 1; time <= 3; time += 0.05f) {
    chain.time = time;
    const double angle = chain.turned(chain.pose(), 2);
    least = std::min(least, angle);
    most = std::max(most, angle);
  }
  EXPECT_GT(most, 2 * least);
}

TEST(Springs, NeverLeaveTheirCone) {
  Braid chain = busy_braid();
  const float cone = static_cast<float>(8 * kDegree);
  chain.each([&](SpringJoint& joint) { joint.cone = cone; });
  MotionMemory memory;
  double most = 0;
  for (float time = 1; time <= 3; time += 0.021f) {
    chain.time = time;
    const rig::Pose pose = chain.pose(&memory);
    most = std::max({most, chain.turned(pose, 1), chain.turned(pose, 2)});
  }
  EXPECT_NEAR(most, static_cast<double>(cone), 1e-5);
}

// Each shape, from both sides: no tip is within a collider, or outside of one that holds it.
TEST(Springs, CollidersKeepTipsOut) {
  struct Case {
    const char* name;
    SpringCollider collider;
    std::function<double(const glm::dvec3&)> distance;  // of a tip, world, to what it may not touch
  };
  const std::vector<Case> cases = {
      {"sphere",
       {.name = "s", .joint = "root", .offset = {0.65f, -0.4f, 0.02f}, .radius = 0.2f},
       [](const glm::dvec3& p) { return glm::distance(p, glm::dvec3(0.65, -0.4, 0.02)) - 0.2; }},
      {"capsule",
       {.name = "s",
        .joint = "root",
        .shape = rig::ColliderShape::kCapsule,
        .offset = {0.65f, -0.4f, -1},
        .tail = {0.65f, -0.4f, 1},
        .radius = 0.2f},
       [](const glm::dvec3& p) { return glm::distance(glm::dvec2(p), glm::dvec2(0.65, -0.4)) - 0.2; }},
      {"plane",
       {.name = "s",
        .joint = "root",
        .shape = rig::ColliderShape::kPlane,
        .offset = {0, -0.1f, 0},
        .normal = {0, 2, 0}},
       [](const glm::dvec3& p) { return p.y + 0.1; }},
      {"inside sphere",
       {.name = "s", .joint = "root", .offset = {0.9f, 0.05f, 0}, .radius = 0.4f, .inside = true},
       [](const glm::dvec3& p) { return 0.4 - glm::distance(p, glm::dvec3(0.9, 0.05, 0)); }},
      {"inside capsule",
       {.name = "s",
        .joint = "root",
        .shape = rig::ColliderShape::kCapsule,
        .offset = {0, 0.05f, 0},
        .tail = {2, 0.05f, 0},
        .radius = 0.15f,
        .inside = true},
       [](const glm::dvec3& p) { return 0.15 - glm::distance(glm::dvec2(p.y, p.z), glm::dvec2(0.05, 0)); }}};
  for (const Case& one : cases) {
    Braid chain;
    chain.each([](SpringJoint& joint) {
      joint.stiffness = 0.2f;
      joint.radius = 0.03f;
    });
    const rig::Pose free = chain.pose();
    const double before = std::min(one.distance(chain.place(free, 2)), one.distance(chain.place(free, 3)));
    EXPECT_LT(before, 0) << one.name << ": it would touch";
    chain.add_collider(one.collider);
    const rig::Pose pose = chain.pose();
    EXPECT_GE(one.distance(chain.place(pose, 2)), 0.03 - 1e-3) << one.name;
    EXPECT_GE(one.distance(chain.place(pose, 3)), 0.03 - 1e-3) << one.name;
  }
}

TEST(Springs, DoNothingInTheBindPoseAndWithTheLayerOff) {
  Braid chain;
  chain.base = BasePose::kBind;
  EXPECT_EQ(chain.pose(), chain.pose_of({}));
  chain.base = BasePose::kRest;
  EXPECT_NE(chain.pose(), chain.pose_of({}));
  chain.springs.chains[0].on = false;
  EXPECT_EQ(chain.pose(), chain.pose_of({}));
}

TEST(Springs, FaultsNameWhatIsWrong) {
  const auto fault = [](const std::function<void(SpringSet&)>& change) {
    Braid chain;
    change(chain.springs);
    const SpringRig rig = make_spring_rig(chain.character, chain.springs);
    EXPECT_EQ(rig.bones.size(), rig.faults.back().empty() ? 2u : rig.faults.size() == 1 ? 0u : 2u);
    return rig.faults.back();
  };
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].joints.clear(); }), "it has no joints");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].joints[0].joint = "rot"; }),
            "there is no joint 'rot' (did you mean \"root\"?)");
  EXPECT_EQ(fault([](SpringSet& s) { std::swap(s.chains[0].joints[0], s.chains[0].joints[1]); }),
            "expected a joint below b, got a");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].end = "b"; }), "expected a joint below b, got b");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].joints[0].mass = 0; }), "a: expected a mass above 0, got 0");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].joints[0].stiffness = -1; }), "a: expected numbers of 0 or more");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].joints[1].cone = NAN; }), "b: expected numbers of 0 or more");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].colliders = {"ball"}; }),
            "there is no collider 'ball' that can be used");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].center = "nowhere"; }), "there is no joint 'nowhere'");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains.push_back(s.chains[0]); }), "another chain swings a");
  EXPECT_EQ(fault([](SpringSet& s) { s.chains[0].end = ""; }), "");
}

TEST(Springs, EndWhereTheirBoneEndsWhenNothingIsSaid) {
  Braid chain;
  const rig::Pose with = chain.pose();
  chain.springs.chains[0].end = "";
  const rig::Pose without = chain.pose();
  EXPECT_LE(glm::distance(chain.place(with, 3), chain.place(without, 3)), 1e-6);
}

// Below a mirrored root everything is the mirror image of what it is below a plain one.
TEST(Springs, SwingInTheMirrorAsTheyDoBeforeIt) {
  for (const float time : {-1.0f, 1.0f, 1.37f, 2.2f, 3.0f}) {
    for (const bool plane : {false, true}) {
      std::array<std::array<glm::dvec3, 2>, 2> tips;
      for (const bool mirrored : {false, true}) {
        Braid chain;
        // Mirrored across x = 0; the clip moves along y and z and turns about x.
        rig::Clip& clip = chain.character.clips.edit(0);
        clip.channels.pop_back();
        clip.channels[0].values = {0, 0, 0, 0, 1, 0.5f, 0, 0, 0, 0, 0, 0};
        if (mirrored) {
          chain.character.skeleton.edit().rest[0].scale = {-1, 1, 1};
        }
        chain.springs.wind = {.acceleration = glm::vec3(0, 0, 2), .gusts = 0.5f, .period = 0.7f};
        if (plane) {
          chain.add_collider({.name = "floor",
                              .joint = "root",
                              .shape = rig::ColliderShape::kPlane,
                              .offset = {0, -0.05f, 0},
                              .normal = {0, 1, 0}});
        }
        chain.clip = time < 0 ? -1 : 0;
        chain.time = time;
        const rig::Pose pose = chain.pose();
        tips[mirrored ? 1 : 0] = {chain.place(pose, 2), chain.place(pose, 3)};
      }
      for (std::size_t k = 0; k < 2; ++k) {
        const glm::dvec3& plain = tips[0][k];
        EXPECT_LT(glm::distance(tips[1][k], glm::dvec3(-plain.x, plain.y, plain.z)), 1e-5) << time << ' ' << k;
        EXPECT_GT(plain.x, 0.3) << "on its own side";
      }
    }
  }
}

}  // namespace
}  // namespace pelt::motion
