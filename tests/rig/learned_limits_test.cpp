// Limits and axes out of clips whose motion is known in closed form.
#include "rig/learned_limits.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "math/angle.h"
#include "rig/character_parts.h"
#include "rig/conversions.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

constexpr double kTurn = 360 * kDegree;

// A joint on a parent that clips move; its rest pose is turned at will.
Character limb(float unit = 1) {
  Character character;
  test::add_node(character, "upper", -1, {.translation = {0, unit, 0}});
  test::add_node(character, "lower", 0,
                 {.translation = {0.3f * unit, 0, 0}, .rotation = glm::angleAxis(0.7f, glm::vec3(0.6f, 0, 0.8f))});
  test::add_node(character, "end", 1, {.translation = {0.2f * unit, 0, 0}});
  finish(character);
  return character;
}

using Turn = std::function<glm::dquat(double)>;  // against rest, of the share of the clip's length

Clip turning_clip(const Character& character, const Turn& turn, int keys,
                  Interpolation interpolation = Interpolation::kLinear) {
  Channel channel{.joint = 1,
                  .path = ChannelPath::kRotation,
                  .interpolation = interpolation,
                  .times = {},
                  .values = {},
                  .width = 4};
  for (int i = 0; i < keys; ++i) {
    channel.times.push_back(static_cast<float>(i) / 30);
    const glm::quat q(glm::dquat(character.skeleton->rest[1].rotation) * turn(keys == 1 ? 0.0 : i / (keys - 1.0)));
    channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
  }
  Clip clip;
  clip.channels.push_back(std::move(channel));
  clip.end = clip.channels[0].times.back();
  return clip;
}

Turn about(const glm::dvec3& axis, const std::function<double(double)>& degrees) {
  return [=](double t) { return quat_from_rotation_vector(glm::normalize(axis) * (degrees(t) * kDegree)); };
}

// From 10 to 90 degrees and back, `times` times.
std::function<double(double)> swinging(double lower, double upper, double times) {
  return [=](double t) { return lower + (upper - lower) * (0.5 - 0.5 * std::cos(kTurn * times * t)); };
}

JointDofs hinge_about(const Character& character, const glm::vec3& axis) {
  JointDofs out = change_type(character.skeleton->dofs[1], {JointType::kHinge}, {1, 0, 0});
  out.dofs[0].axis = glm::normalize(axis);
  return out;
}

const glm::vec3 kAxis(0.48f, -0.6f, 0.64f);

TEST(LearnedLimits, AreTheRangeWithItsMarginInWholeDegrees) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(10, 90, 10)), 401));
  const LearnedLimits learned = learn_limits(character, 1, hinge_about(character, kAxis));
  ASSERT_EQ(learned.dofs.size(), 1u);
  const LearnedDof& bend = learned.dofs[0];
  EXPECT_NEAR(bend.seen_lower, 10 * kDegree, 1e-5);
  EXPECT_NEAR(bend.seen_upper, 90 * kDegree, 1e-5);
  EXPECT_NEAR(bend.lower, 0, 1e-6) << "6 degrees, but the default value is 0";
  EXPECT_NEAR(bend.upper, 94 * kDegree, 1e-6);
  EXPECT_EQ(learned.clip_count, 1);
  EXPECT_EQ(learned.sample_count, 801u) << "keys and what lies between";
  EXPECT_FALSE(learned.swing);
  const JointDofs limited = with_limits(hinge_about(character, kAxis), learned);
  EXPECT_EQ(limited.dofs[0].upper, bend.upper);
  EXPECT_TRUE(check_dofs(limited));
}

// 4 of the range at each end, outwards: -34.5 and 34.5 are -35 and 35; without a margin whole degrees stay.
TEST(LearnedLimits, RoundOutwards) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(-30, 30, 3)), 121));
  const JointDofs dofs = hinge_about(character, kAxis);
  EXPECT_NEAR(learn_limits(character, 1, dofs, {.margin = 0.075f}).dofs[0].lower, -35 * kDegree, 1e-6);
  EXPECT_NEAR(learn_limits(character, 1, dofs, {.margin = 0.075f}).dofs[0].upper, 35 * kDegree, 1e-6);
  EXPECT_NEAR(learn_limits(character, 1, dofs, {.margin = 0}).dofs[0].lower, -30 * kDegree, 1e-6);
  EXPECT_NEAR(learn_limits(character, 1, dofs, {.margin = 0}).dofs[0].upper, 30 * kDegree, 1e-6);
}

// Ten times there and back are 20 sweeps and nearly all of them counted: 20 / (20 + 4).
TEST(LearnedLimits, ConfidenceIsCoverageTimesASaturatingNumberOfSweeps) {
  Character character = limb();
  const JointDofs dofs = hinge_about(character, kAxis);
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(0, 90, 10)), 401));
  const LearnedDof one = learn_limits(character, 1, dofs).dofs[0];
  EXPECT_GT(one.sweeps, 17);
  EXPECT_LE(one.sweeps, 20.001);
  EXPECT_FLOAT_EQ(one.coverage, 1);
  EXPECT_FLOAT_EQ(one.confidence, one.coverage * one.sweeps / (one.sweeps + 4));
  // The density of keys is no evidence.
  character.clips.edit(0) = turning_clip(character, about(kAxis, swinging(0, 90, 10)), 1601);
  EXPECT_NEAR(learn_limits(character, 1, dofs).dofs[0].sweeps, one.sweeps, 1.0);
}

// Two clips of the same length, one of which goes twice as far: half of the motion lies within what the other says.
TEST(LearnedLimits, WhatOtherClipsDoNotShowIsNotCovered) {
  Character character = limb();
  const JointDofs dofs = hinge_about(character, kAxis);
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(0, 40, 10)), 401));
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(0, 80, 10)), 401));
  const LearnedDof told = learn_limits(character, 1, dofs).dofs[0];
  // The small one is within the large one and makes a third of the way; of the large one acos(1 - 2 * 42/80) / pi is
  // below 42 degrees, 0.516.
  EXPECT_NEAR(told.coverage, (1 + 2 * 0.516) / 3, 0.03);
}

TEST(LearnedLimits, OneWayTellsLittleAndAPoseLess) {
  Character character = limb();
  const JointDofs dofs = hinge_about(character, kAxis);
  character.clips.push_back(turning_clip(character, about(kAxis, [](double t) { return 90 * t; }), 31));
  const LearnedDof move = learn_limits(character, 1, dofs).dofs[0];
  EXPECT_GT(move.confidence, 0);
  EXPECT_LT(move.confidence, 0.2f);
  EXPECT_NEAR(move.upper, 95 * kDegree, 1e-5) << "94.5, in whole degrees";
  Character posed = limb();
  posed.clips.push_back(turning_clip(posed, about(kAxis, [](double) { return 40; }), 1));
  const LearnedDof pose = learn_limits(posed, 1, dofs).dofs[0];
  EXPECT_EQ(pose.confidence, 0);
  EXPECT_NEAR(pose.seen_upper, 40 * kDegree, 1e-5);
}

// Clips that hold still add nothing to one that moves.
TEST(LearnedLimits, StillClipsAreNoEvidence) {
  Character character = limb();
  const JointDofs dofs = hinge_about(character, kAxis);
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(0, 90, 2)), 121));
  const float alone = learn_limits(character, 1, dofs).dofs[0].confidence;
  for (int n = 0; n < 20; ++n) {
    character.clips.push_back(turning_clip(character, about(kAxis, [](double) { return 0; }), 121));
  }
  EXPECT_NEAR(learn_limits(character, 1, dofs).dofs[0].confidence, alone, 0.02);
}

TEST(LearnedLimits, WithoutAClipNothingIsKnown) {
  Character character = limb();
  const JointDofs dofs = character.skeleton->dofs[1];
  character.clips.push_back(Clip{});  // an empty one
  character.clips.push_back(turning_clip(character, about(kAxis, [](double) { return 0; }), 10));
  character.clips.edit(1).channels[0].joint = 2;  // and one of another joint
  const LearnedLimits learned = learn_limits(character, 1, dofs);
  EXPECT_EQ(learned.clip_count, 0);
  EXPECT_FALSE(recognise_joint(character, 1, character.skeleton->dofs[1]));
  const JointDofs same = with_limits(dofs, learned, 0);
  for (std::size_t d = 0; d < dofs.dofs.size(); ++d) {
    EXPECT_EQ(learned.dofs[d].confidence, 0);
    EXPECT_EQ(same.dofs[d].lower, dofs.dofs[d].lower);
    EXPECT_EQ(same.dofs[d].upper, dofs.dofs[d].upper);
  }
  EXPECT_FALSE(same.swing_limit);
}

// Rotation keys say nothing of translations.
TEST(LearnedLimits, TheOtherKindsOfDofsStay) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about({0, 0, 1}, swinging(-40, 40, 10)), 401));
  const JointDofs dofs = character.skeleton->dofs[1];
  const LearnedLimits learned = learn_limits(character, 1, dofs);
  for (std::size_t d = 0; d < dofs.dofs.size(); ++d) {
    if (dofs.dofs[d].name == "bend") {
      EXPECT_NEAR(learned.dofs[d].upper, 44 * kDegree, 1e-5);
      EXPECT_GT(learned.dofs[d].confidence, kTrustedConfidence);
    } else {
      EXPECT_EQ(learned.dofs[d].confidence, 0) << dofs.dofs[d].name;
      EXPECT_EQ(learned.dofs[d].upper, dofs.dofs[d].upper) << dofs.dofs[d].name;
    }
  }
  ASSERT_TRUE(learned.swing);
  EXPECT_NEAR(learned.swing->upper, 42 * kDegree, 1e-5) << "40 and a twentieth";
  EXPECT_NEAR(*with_limits(dofs, learned).swing_limit, 42 * kDegree, 1e-5);
}

// Learned limits allow what the clips do.
TEST(LearnedLimits, Law_NoSampleIsClamped) {
  test::Random random(12);
  for (int n = 0; n < 20; ++n) {
    Character character = limb();
    const glm::dvec3 to = random.dvector(-1.2, 1.2);
    for (int c = 0; c < 3; ++c) {
      const glm::dvec3 more = random.dvector(-0.3, 0.3);
      character.clips.push_back(turning_clip(
          character, [=](double t) { return quat_from_rotation_vector(std::sin(9 * t) * to + t * more); }, 60));
    }
    JointDofs dofs = character.skeleton->dofs[1];
    dofs.rotation = n % 2 == 0 ? RotationKind::kAxes : RotationKind::kRotationVector;
    const JointDofs limited = with_limits(dofs, learn_limits(character, 1, dofs), 0);
    std::vector<float> hint = default_values(dofs);
    for (const Clip& clip : character.clips) {
      hint = default_values(dofs);
      for (const float time : clip.channels[0].times) {
        Pose pose = rest_pose(character);
        apply(clip, time, character.morph_offset, pose);
        hint = dofs_from_local(dofs, pose.local[1], hint);
        std::vector<float> clamped = hint;
        clamp_to_limits(limited, clamped);
        for (std::size_t d = 0; d < 3; ++d) {
          ASSERT_NEAR(clamped[d], hint[d], 2e-6f);
        }
      }
    }
  }
}

TEST(LearnedLimits, TranslationsInAnyUnit) {
  for (const float unit : {0.01f, 1.0f, 100.0f}) {
    Character character = limb(unit);
    Channel channel;
    channel.joint = 1;
    for (int i = 0; i <= 200; ++i) {
      channel.times.push_back(static_cast<float>(i) / 30);
      const float shift = 0.1f * std::sin(static_cast<float>(kTurn) * static_cast<float>(i) / 20);
      const glm::vec3 t = character.skeleton->rest[1].translation + unit * glm::vec3(0, shift, 0);
      channel.values.insert(channel.values.end(), {t.x, t.y, t.z});
    }
    Clip clip;
    clip.channels.push_back(channel);
    character.clips.push_back(clip);
    const JointDofs dofs = character.skeleton->dofs[1];
    const LearnedLimits learned = learn_limits(character, 1, dofs);
    const LearnedDof& ty = learned.dofs[dofs.find("ty")];
    EXPECT_NEAR(ty.upper, 0.11f * unit, 1e-5f * unit);
    EXPECT_NEAR(ty.lower, -0.11f * unit, 1e-5f * unit);
    EXPECT_GT(ty.confidence, 0.8f);
    EXPECT_EQ(learned.dofs[dofs.find("tx")].confidence, 0);
    EXPECT_EQ(learned.dofs[dofs.find("bend")].confidence, 0);
  }
}

// Steps never go between; a spline may go beyond its keys, and the middle between them is looked at.
TEST(LearnedLimits, EveryInterpolation) {
  Character stepped = limb();
  stepped.clips.push_back(turning_clip(stepped, about(kAxis, swinging(0, 60, 4)), 81, Interpolation::kStep));
  EXPECT_NEAR(learn_limits(stepped, 1, hinge_about(stepped, kAxis)).dofs[0].seen_upper, 60 * kDegree, 1e-5);

  Character curved = limb();
  Channel channel;
  channel.joint = 1;
  channel.interpolation = Interpolation::kCubicSpline;
  channel.times = {0, 1, 2};
  const glm::vec3 at = curved.skeleton->rest[1].translation;
  for (const float slope : {0.8f, -0.8f, 0.8f}) {  // in-tangent, value, out-tangent
    channel.values.insert(channel.values.end(), {0, slope, 0, at.x, at.y, at.z, 0, slope, 0});
  }
  Clip clip;
  clip.channels.push_back(channel);
  curved.clips.push_back(clip);
  const JointDofs dofs = curved.skeleton->dofs[1];
  const LearnedDof ty = learn_limits(curved, 1, dofs).dofs[dofs.find("ty")];
  EXPECT_NEAR(ty.seen_upper, 0.2f, 1e-6f) << "(0.8 + 0.8) / 8 halfway";
  EXPECT_NEAR(ty.seen_lower, -0.2f, 1e-6f);
}

// A wheel goes on turning.
TEST(LearnedLimits, TurnsAreCountedOn) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about({0, 0, 1}, [](double t) { return 720 * t; }), 61));
  EXPECT_NEAR(learn_limits(character, 1, hinge_about(character, {0, 0, 1})).dofs[0].seen_upper, 2 * kTurn, 1e-4);
}

TEST(LearnedLimits, WhatIsNotFiniteIsLeftOut) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(0, 60, 4)), 81));
  Channel shift{.joint = 1, .times = {0, 1}, .values = {0, 0, 0, 0, std::numeric_limits<float>::quiet_NaN(), 0}};
  character.clips.edit(0).channels.push_back(shift);
  const LearnedLimits learned = learn_limits(character, 1, character.skeleton->dofs[1]);
  for (const LearnedDof& dof : learned.dofs) {
    EXPECT_TRUE(std::isfinite(dof.lower) && std::isfinite(dof.upper) && std::isfinite(dof.confidence));
  }
}

TEST(LearnedLimits, ManyKeysAreThinnedEvenly) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(0, 60, 4)), 5001));
  const LearnedLimits learned = learn_limits(character, 1, hinge_about(character, kAxis), {.most_samples = 100});
  EXPECT_EQ(learned.sample_count, 100u);
  EXPECT_NEAR(learned.dofs[0].seen_upper, 60 * kDegree, 0.5 * kDegree);
}

TEST(RecogniseJoint, AHingeAboutAnyAxis) {
  test::Random random(31);
  for (int n = 0; n < 30; ++n) {
    const glm::dvec3 axis = random.unit();
    Character character = limb();
    character.clips.push_back(turning_clip(character, about(axis, swinging(-20, 110, 5)), 201));
    const std::optional<JointRecognition> found = recognise_joint(character, 1, character.skeleton->dofs[1]);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->motion.type, JointType::kHinge);
    EXPECT_LT(glm::distance(found->axis, glm::vec3(axis)), 1e-5f) << "the larger end is positive";
    EXPECT_LT(found->residual, 1e-5);
    EXPECT_NEAR(found->lower, -20 * kDegree, 1e-5);
    EXPECT_NEAR(found->upper, 110 * kDegree, 1e-5);
    ASSERT_EQ(found->dofs.dofs.size(), 1u);
    EXPECT_EQ(found->dofs.dofs[0].name, "bend");
    EXPECT_NEAR(found->dofs.dofs[0].lower, -27 * kDegree, 1e-5) << "6.5 degrees beyond, outwards";
    EXPECT_NEAR(found->dofs.dofs[0].upper, 117 * kDegree, 1e-5);
    EXPECT_TRUE(check_dofs(found->dofs));
    EXPECT_TRUE(found->dofs.authored);
    EXPECT_GT(found->confidence, 0.5f);
    // The hinge reproduces the clip.
    Pose pose = rest_pose(character);
    apply(character.clips[0], 1.1f, character.morph_offset, pose);
    const Transform again = local_from_dofs(found->dofs, dofs_from_local(found->dofs, pose.local[1]));
    EXPECT_LT(glm::length(again.translation - pose.local[1].translation), 1e-6f);
    EXPECT_GT(std::abs(glm::dot(again.rotation, pose.local[1].rotation)), 1 - 1e-6f);
  }
}

// Off the axis by a sine of amplitude A: RMS A / sqrt(2), against a twentieth of the range of 100 degrees.
TEST(RecogniseJoint, AHingeMayBeLoose) {
  for (const double amplitude : {4.0, 12.0}) {
    Character character = limb();
    const Turn loose = [=](double t) {
      const double bend = (50 - 50 * std::cos(kTurn * 4 * t)) * kDegree;
      const double off = amplitude * std::sin(kTurn * 37 * t) * kDegree;
      return quat_from_rotation_vector(glm::dvec3(0, 0, 1) * bend) *
             quat_from_rotation_vector(glm::dvec3(std::sin(kTurn * 23 * t), std::cos(kTurn * 23 * t), 0) * off);
    };
    character.clips.push_back(turning_clip(character, loose, 1000));
    const std::optional<JointRecognition> found = recognise_joint(character, 1, character.skeleton->dofs[1]);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->residual, amplitude * kDegree / std::sqrt(2.0), 0.1 * amplitude * kDegree);
    EXPECT_EQ(found->motion.type == JointType::kHinge, amplitude < 5) << found->residual / kDegree;
  }
}

TEST(RecogniseJoint, AFixedJoint) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(-0.2, 0.2, 5)), 50));
  const std::optional<JointRecognition> found = recognise_joint(character, 1, character.skeleton->dofs[1]);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->motion, (JointMotion{JointType::kFixed, false, false}));
  EXPECT_TRUE(found->dofs.dofs.empty());
}

// A pose is on any axis' way, so that it tells none.
TEST(RecogniseJoint, APoseIsNoHinge) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about(kAxis, [](double) { return 40; }), 1));
  const std::optional<JointRecognition> found = recognise_joint(character, 1, character.skeleton->dofs[1]);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->motion.type, JointType::kBall);
  EXPECT_EQ(found->confidence, 0);
}

TEST(RecogniseJoint, AUniversalJoint) {
  test::Random random(33);
  for (int n = 0; n < 20; ++n) {
    const glm::dmat3 frame = glm::mat3_cast(random.rotation());
    Character character = limb();
    const Turn both = [=](double t) {
      return quat_from_rotation_vector(frame[1] * (50 * std::sin(kTurn * 5 * t) * kDegree)) *
             quat_from_rotation_vector(frame[0] * (40 * std::cos(kTurn * 7 * t) * kDegree));
    };
    character.clips.push_back(turning_clip(character, both, 500));
    const std::optional<JointRecognition> found = recognise_joint(character, 1, character.skeleton->dofs[1]);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->motion.type, JointType::kUniversal) << found->two_axes / kDegree;
    EXPECT_LT(found->two_axes, 0.3 * kDegree) << "what lies between keys is no such turn";
    ASSERT_EQ(found->dofs.dofs.size(), 2u);
    EXPECT_TRUE(check_dofs(found->dofs));
    EXPECT_GT(std::abs(glm::dot(found->dofs.dofs[0].axis, glm::vec3(frame[0]))), 0.999f);
    EXPECT_GT(std::abs(glm::dot(found->dofs.dofs[1].axis, glm::vec3(frame[1]))), 0.999f);
  }
}

TEST(RecogniseJoint, ABallKeepsItsDofs) {
  Character character = limb();
  const Turn all = [](double t) {
    return quat_from_rotation_vector(
        glm::dvec3(std::sin(kTurn * 3 * t), std::sin(kTurn * 5 * t), std::sin(kTurn * 7 * t)));
  };
  character.clips.push_back(turning_clip(character, all, 300));
  const std::optional<JointRecognition> found = recognise_joint(character, 1, character.skeleton->dofs[1]);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->motion, (JointMotion{JointType::kBall, false, false}));
  ASSERT_EQ(found->dofs.dofs.size(), 3u);
  EXPECT_EQ(found->dofs.dofs[0].axis, character.skeleton->dofs[1].dofs[0].axis);
  EXPECT_TRUE(found->dofs.swing_limit);
}

TEST(RecogniseJoint, ABallIsMadeOfThePresentDofs) {
  Character character = limb();
  const Turn two = [](double t) {  // little enough of the third axis to be no motion, too much off the two to be one
    return quat_from_rotation_vector(glm::dvec3(0.9 * std::sin(kTurn * 3 * t), 0.8 * std::sin(kTurn * 5 * t), 0));
  };
  character.clips.push_back(turning_clip(character, two, 300));
  JointDofs present = character.skeleton->dofs[1];
  ASSERT_NE(euler_order(present), EulerOrder::kZYX);
  set_euler_order(present, EulerOrder::kZYX);
  const std::optional<JointRecognition> found = recognise_joint(character, 1, present);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->motion.type, JointType::kBall);
  EXPECT_EQ(euler_order(found->dofs), EulerOrder::kZYX);
  ASSERT_EQ(found->limits.dofs.size(), found->dofs.dofs.size());
  const glm::vec3 bone = bone_direction(character.skeleton, 1);
  EXPECT_TRUE(equal(recommended_dofs(*found, present, bone), found->dofs));
  // Other limits change nothing of what was found, and stay where nothing is told of them.
  JointDofs limited = present;
  for (Dof& dof : limited.dofs) {
    dof.lower = -0.01f;
    dof.upper = 0.02f;
  }
  limited.swing_limit = 0.3f;
  EXPECT_TRUE(equal(without_limits(limited), without_limits(present)));
  EXPECT_FALSE(equal(without_limits(character.skeleton->dofs[1]), without_limits(present)));
  const std::optional<JointRecognition> anew = recognise_joint(character, 1, limited);
  ASSERT_TRUE(anew);
  EXPECT_TRUE(equal(recommended_dofs(*found, limited, bone), anew->dofs));
  // Of another type the present DOFs do not matter.
  Character hinge = limb();
  hinge.clips.push_back(turning_clip(hinge, about(kAxis, swinging(0, 60, 4)), 81));
  const std::optional<JointRecognition> one = recognise_joint(hinge, 1, present);
  ASSERT_TRUE(one);
  EXPECT_TRUE(equal(recommended_dofs(*one, limited, bone), one->dofs));
}

TEST(RecogniseJoint, AHingeThatIsMovedTranslates) {
  Character character = limb();
  character.clips.push_back(turning_clip(character, about(kAxis, swinging(0, 60, 4)), 81));
  Channel shift{.joint = 1, .times = {0, 1}, .values = {0.3f, 0, 0, 0.3f, 0.1f, 0}};
  character.clips.edit(0).channels.push_back(shift);
  const std::optional<JointRecognition> found = recognise_joint(character, 1, character.skeleton->dofs[1]);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->motion, (JointMotion{JointType::kHinge, true, false}));
  EXPECT_NEAR(found->dofs.dofs[found->dofs.find("ty")].upper, 0.105f, 1e-5f);
}

}  // namespace
}  // namespace pelt::rig
