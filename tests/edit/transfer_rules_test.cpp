// What transfer_pose() promises of single joints, on rigs of a few.
#include <algorithm>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "edit/pose_transfer.h"
#include "edit_fixtures.h"
#include "rig/mirror.h"

namespace pelt::edit {
namespace {

constexpr float kQuarterTurn = std::numbers::pi_v<float> / 2;
constexpr float kExact = 2e-6f;

/// A joint by its part of a human body, which may be empty.
struct Bone {
  const char* role;
  int parent;
  Transform rest;
};
using Bones = std::vector<Bone>;

Bone bone(const char* role, int parent, const glm::vec3& translation) {
  return {role, parent, {.translation = translation}};
}

PosedRig source_of(const Bones& bones) {
  PosedRig out;
  for (const Bone& each : bones) {
    out.joints.name.push_back("theirs " + std::to_string(out.rest.size()));
    out.joints.parent.push_back(each.parent);
    out.joints.role.emplace_back(each.role);
    out.rest.push_back(each.rest);
  }
  return out;
}

rig::Character target_of(const Bones& bones) {
  rig::Character out;
  for (const Bone& each : bones) {
    const int j = test::add_node(out, "ours " + std::to_string(out.skeleton->size()), each.parent, each.rest);
    if (each.role[0] != '\0') {
      out.humanoid.push_back({each.role, j});
    }
  }
  rig::finish(out);
  return out;
}

/// Each joint of the source is that of the same number.
std::vector<rig::JointMatch> one_to_one(std::size_t count, bool exact = false) {
  std::vector<rig::JointMatch> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({static_cast<int>(i), exact, {}});
  }
  return out;
}

/// How far the first joint of `to` moves where that of `from` moves by `shift`.
glm::vec3 moved_by(const Bones& from, const Bones& to, const glm::vec3& shift,
                   std::vector<rig::JointMatch> matches = {}) {
  PosedRig source = source_of(from);
  source.posed[0].translation = from[0].rest.translation + shift;
  if (matches.empty()) {
    matches = one_to_one(from.size());
  }
  return transfer_pose(source, matches, target_of(to)).at(0).translation - to[0].rest.translation;
}

void expect_near(const glm::vec3& actual, const glm::vec3& expected) {
  EXPECT_LT(glm::distance(actual, expected), kExact) << actual.x << ", " << actual.y << ", " << actual.z;
}

TEST(Transfer, WithoutARestPoseComponentsAreTakenAsTheyAre) {
  PosedRig source;
  source.joints.name = {"a", "b"};
  const glm::quat turned = glm::angleAxis(0.5f, glm::vec3(0, 0, 1));
  source.posed[0].rotation = turned;
  source.posed[1].scale = glm::vec3(2);
  const rig::Character target = target_of({bone("", -1, {1, 2, 3})});
  const std::vector<rig::JointMatch> matches = {{0, false, {}}, {}};
  const std::map<int, Transform> out = transfer_pose(source, matches, target);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out.at(0), (Transform{{1, 2, 3}, turned, {1, 1, 1}}));
}

// By how far the joints that both have lie from their middle, wherever that is.
TEST(Transfer, MovesInSizesOfTheBody) {
  const Bones small = {bone("", -1, {1, 5, 0}), bone("", 0, {0, 1, 0}), bone("", 1, {0, 2, 0}),
                       bone("", 0, {100, 0, 0})};
  const Bones other = {bone("", -1, {0, 2, 3}), bone("", 0, {0, 0.5f, 0}), bone("", 1, {0, 2, 0})};
  std::vector<rig::JointMatch> matches = one_to_one(4);
  matches[3] = {};
  // From 5, 6, 8 to 2, 2.5, 4.5: (1 + 0.5 + 1.5) / (4/3 + 1/3 + 5/3).
  expect_near(moved_by(small, other, {1, 2, 3}, matches), 0.9f * glm::vec3(1, 2, 3));
  // Where all stand at one place there is no size.
  const Bones point = {bone("", -1, {1, 5, 0}), bone("", 0, {0, 0, 0})};
  expect_near(moved_by(point, {other[0], other[1]}, {1, 2, 3}), {1, 2, 3});
  expect_near(moved_by({small[0], small[1]}, point, {1, 2, 3}), {1, 2, 3});
}

TEST(Transfer, MovesInLengthsOfTheLegWhereBothHaveOne) {
  const Bones from = {bone("leftUpperLeg", -1, {0, 4, 0}), bone("leftLowerLeg", 0, {0, -1, 0}),
                      bone("leftFoot", 1, {0, -3, 0})};
  Bones to = {bone("leftUpperLeg", -1, {0, 6, 0}), bone("leftLowerLeg", 0, {0, -2, 0}),
              bone("leftFoot", 1, {0, -4, 0})};
  expect_near(moved_by(from, to, {1, 0, 0}), {1.5f, 0, 0});
  const float spread = 20.0f / 14.0f;  // of 6, 4, 0 and 4, 3, 0 about their middles
  for (const std::size_t missing : {0u, 1u, 2u}) {
    Bones without = to;
    without[missing].role = "";
    expect_near(moved_by(from, without, {1, 0, 0}), {spread, 0, 0});
    without = from;
    without[missing].role = "";
    expect_near(moved_by(without, to, {1, 0, 0}), {spread, 0, 0});
  }
}

/// Hips at the first place, and what is asked for of a body that faces +Z, turned about the vertical.
Bones body_of(const std::vector<std::string_view>& parts, float turned) {
  const Bones all = {bone("hips", -1, {0, 2, 0}),
                     bone("head", 0, {0.1f, 2, 0.2f}),
                     bone("neck", 0, {0, 1.5f, 0.1f}),
                     bone("leftUpperLeg", 0, {0.5f, -0.2f, 0}),
                     bone("rightUpperLeg", 0, {-0.5f, -0.2f, 0}),
                     bone("leftFoot", 0, {0.6f, -2, 0.1f}),
                     bone("leftUpperArm", 0, {1, 1, 0}),
                     bone("rightUpperArm", 0, {-1, 1, 0})};
  Bones out;
  for (const Bone& each : all) {
    if (out.empty() || std::ranges::find(parts, each.role) != parts.end()) {
      out.push_back(each);
      out.back().rest.translation = glm::angleAxis(turned, glm::vec3(0, 1, 0)) * each.rest.translation;
    }
  }
  if (std::ranges::find(parts, "hips") == parts.end()) {
    out.front().role = "";
  }
  return out;
}

TEST(Transfer, MovesTheWayThatTheBodyFaces) {
  const glm::vec3 shift(1, 2, 3);
  const auto expect_turned = [&](const std::vector<std::string_view>& parts, bool known) {
    for (const int theirs : {0, 1, 2}) {
      for (const int ours : {0, 1, 3}) {
        const auto angle = [](int quarters) { return static_cast<float>(quarters) * kQuarterTurn; };
        const glm::quat turn = known ? glm::angleAxis(angle(ours - theirs), glm::vec3(0, 1, 0)) : kIdentityQuat;
        SCOPED_TRACE(testing::Message() << parts.size() << " parts, " << theirs << " to " << ours);
        expect_near(moved_by(body_of(parts, angle(theirs)), body_of(parts, angle(ours)), shift), turn * shift);
      }
    }
  };
  expect_turned({"hips", "head", "leftUpperLeg", "rightUpperLeg"}, true);
  expect_turned({"hips", "head", "leftUpperArm", "rightUpperArm"}, true);
  expect_turned({"hips", "neck", "leftUpperLeg", "rightUpperLeg"}, true);
  expect_turned({"leftFoot", "leftUpperLeg", "rightUpperLeg"}, true);
  expect_turned({"hips", "head", "leftUpperLeg", "rightUpperArm"}, false);
  expect_turned({"leftUpperLeg", "rightUpperLeg"}, false);
  expect_turned({"hips", "head"}, false);
  // Of two answers the legs' counts, and the head's: here arms are crossed and the neck is bent down.
  Bones crossed =
      body_of({"hips", "head", "neck", "leftUpperLeg", "rightUpperLeg", "leftUpperArm", "rightUpperArm"}, kQuarterTurn);
  const Bones straight =
      body_of({"hips", "head", "neck", "leftUpperLeg", "rightUpperLeg", "leftUpperArm", "rightUpperArm"}, 0);
  std::swap(crossed[5].rest.translation, crossed[6].rest.translation);
  crossed[2].rest.translation.y *= -1;
  const glm::vec3 moved = moved_by(straight, crossed, shift);
  expect_near(glm::normalize(moved), glm::normalize(glm::angleAxis(kQuarterTurn, glm::vec3(0, 1, 0)) * shift));
}

TEST(Transfer, ABodyOfWhichUpOrLeftCannotBeToldFacesAsItStands) {
  const std::vector<std::string_view> parts = {"hips", "head", "leftUpperLeg", "rightUpperLeg"};
  const glm::vec3 shift(1, 0, 0);
  const Bones straight = body_of(parts, 0);
  Bones lying = body_of(parts, kQuarterTurn);
  lying[1].rest.translation = {0, 0, -2.02f};  // the head lies the way that left is
  EXPECT_GT(moved_by(straight, lying, shift).x, 0.5f);
  EXPECT_NEAR(moved_by(straight, lying, shift).z, 0, kExact);
  Bones narrow = body_of(parts, kQuarterTurn);
  narrow[3].rest.translation = narrow[2].rest.translation;
  EXPECT_GT(moved_by(straight, narrow, shift).x, 0.5f);
  EXPECT_NEAR(moved_by(straight, narrow, shift).z, 0, kExact);
}

TEST(Transfer, MovesInTheAxesOfWhatTheJointHangsOn) {
  Bones from = {bone("", -1, {0, 0, 0}), bone("", 0, {0, 1, 0})};
  from[0].rest.scale = glm::vec3(2);
  Bones to = {bone("", -1, {0, 0, 0}), bone("", 0, {0, 0.5f, 0})};
  to[0].rest.rotation = glm::angleAxis(kQuarterTurn, glm::vec3(0, 0, 1));
  to[0].rest.scale = glm::vec3(4);
  PosedRig source = source_of(from);
  source.posed[1].translation = glm::vec3(3, 1, 0);
  // Both lie two from the middle: six to the right in the world, which is down in axes that are turned and four long.
  expect_near(transfer_pose(source, one_to_one(2), target_of(to)).at(1).translation, {0, 0.5f - 1.5f, 0});
  to[0].rest.scale.x = 0;
  expect_near(transfer_pose(source, one_to_one(2), target_of(to)).at(1).translation, {0, 0.5f, 0});
}

TEST(Transfer, GrowsAlongTheSameDirectionsAsMuch) {
  Bones from = {bone("", -1, {0, 0, 0})};
  from[0].rest.scale = {2, 4, 1};
  Bones to = {bone("", -1, {0, 0, 0})};
  to[0].rest.rotation = glm::angleAxis(kQuarterTurn, glm::vec3(0, 0, 1));
  to[0].rest.scale = {1, 3, 5};
  PosedRig source = source_of(from);
  source.posed[0].scale = glm::vec3(6, 2, 1.5f);  // three times, half, one and a half times
  expect_near(transfer_pose(source, one_to_one(1), target_of(to)).at(0).scale, {0.5f, 9, 7.5f});
  source.rest[0].scale.y = 0;  // what was flat tells no factor
  expect_near(transfer_pose(source, one_to_one(1), target_of(to)).at(0).scale, {1, 9, 7.5f});
}

// The same numbers only where the joint rests alike, or where nothing is known of how it rests.
TEST(Transfer, ComponentsAreTakenOverWhereTheJointRestsAlike) {
  const Bones from = {bone("", -1, {0, 0, 0}), bone("", 0, {0, 1, 0})};
  const Transform posed{{1, 2, 3}, glm::angleAxis(0.5f, glm::normalize(glm::vec3(1, 2, 3))), {2, 3, 4}};
  const auto taken = [&](const std::function<void(Bones&)>& change, bool exact, bool unlisted) {
    Bones to = from;
    change(to);
    PosedRig source = source_of(from);
    source.posed[1] = {posed.rotation, posed.translation, posed.scale};
    if (unlisted) {
      source.unlisted = {1};
    }
    return transfer_pose(source, one_to_one(2, exact), target_of(to)).at(1);
  };
  const auto nothing = [](Bones&) {};
  EXPECT_EQ(taken(nothing, true, false), posed);
  const auto farther = [](Bones& to) { to[1].rest.translation.y = 3; };
  const auto larger = [](Bones& to) { to[1].rest.scale = {3, 3, 3}; };
  const auto turned = [](Bones& to) { to[1].rest.rotation = glm::angleAxis(1.0f, glm::vec3(1, 0, 0)); };
  const auto turned_above = [](Bones& to) { to[0].rest.rotation = glm::angleAxis(1.0f, glm::vec3(1, 0, 0)); };
  for (const auto& change : {std::function<void(Bones&)>(farther), std::function<void(Bones&)>(larger),
                             std::function<void(Bones&)>(turned), std::function<void(Bones&)>(turned_above)}) {
    EXPECT_EQ(taken(change, true, true), posed) << "not listed";
    EXPECT_NE(taken(change, true, false), posed);
  }
  const Transform of_farther = taken(farther, true, false);
  EXPECT_EQ(of_farther.rotation, posed.rotation) << "turns do not depend on places";
  expect_near(of_farther.translation, {3, 3 + 3, 9});
  expect_near(of_farther.scale, posed.scale);
  const Transform of_larger = taken(larger, true, false);
  EXPECT_EQ(of_larger.rotation, posed.rotation);
  expect_near(of_larger.scale, 3.0f * posed.scale);
  EXPECT_NE(taken(turned, true, false).rotation, posed.rotation);
  EXPECT_NE(taken(turned_above, true, false).rotation, posed.rotation);
}

/// World orientations of a target posed so, sizes left out.
std::vector<glm::dmat3> orientations(const rig::Character& to, const std::map<int, Transform>& posed) {
  std::vector<Transform> local = to.skeleton->rest;
  for (const auto& [j, transform] : posed) {
    local[j].rotation = transform.rotation;
  }
  return rig::rest_orientations(to.skeleton->parent, local);
}

void expect_turned(const rig::Character& to, const std::map<int, Transform>& posed, std::size_t j,
                   const glm::quat& turn) {
  const glm::dmat3 actual = orientations(to, posed)[j];
  const glm::dmat3 expected = glm::mat3_cast(glm::dquat(turn)) * orientations(to, {})[j];
  for (int c = 0; c < 3; ++c) {
    EXPECT_LT(glm::distance(actual[c], expected[c]), static_cast<double>(kExact)) << "joint " << j;
  }
}

// A turn of what has no counterpart is that of the next joints below it which have one, and of no others.
TEST(Transfer, TurnsOfJointsWithoutACounterpartAreNotLost) {
  const glm::quat turn = glm::angleAxis(0.5f, glm::normalize(glm::vec3(1, 2, 3)));
  const Bones from = {bone("", -1, {0, 0, 0}), bone("", 0, {0, 1, 0}), bone("", 1, {0, 1, 0}), bone("", 2, {0, 1, 0}),
                      bone("", -1, {5, 0, 0})};
  const rig::Character to = target_of({bone("", -1, {0, 2, 0}), bone("", 0, {0, 1, 0}), bone("", -1, {5, 0, 0})});
  const std::vector<rig::JointMatch> matches = {{}, {}, {0, false, {}}, {1, false, {}}, {2, false, {}}};
  for (const int turned : {0, 1}) {
    PosedRig source = source_of(from);
    source.posed[turned].rotation = turn;
    const std::map<int, Transform> out = transfer_pose(source, matches, to);
    ASSERT_EQ(out.size(), 1u) << "the joint below hangs on it, the other one is elsewhere";
    expect_turned(to, out, 0, turn);
    expect_turned(to, out, 1, turn);
    expect_turned(to, out, 2, kIdentityQuat);
  }
  PosedRig moved = source_of(from);
  moved.posed[0].translation = glm::vec3(1);
  EXPECT_TRUE(transfer_pose(moved, matches, to).empty()) << "no turn";
}

TEST(Transfer, ATurnIsTheSameUnderANegativeScale) {
  const glm::quat turn = glm::angleAxis(0.5f, glm::normalize(glm::vec3(1, 2, 3)));
  PosedRig source = source_of({bone("", -1, {0, 0, 0}), bone("", 0, {0, 1, 0})});
  source.posed[1].rotation = turn;
  Bones bones = {bone("", -1, {0, 0, 0}), bone("", 0, {0, 1, 0})};
  bones[0].rest.rotation = glm::angleAxis(1.0f, glm::vec3(1, 0, 0));
  bones[1].rest.rotation = glm::angleAxis(0.7f, glm::vec3(0, 1, 0));
  bones[1].rest.scale = {-1, 2, 3};
  const rig::Character to = target_of(bones);
  expect_turned(to, transfer_pose(source, one_to_one(2), to), 1, turn);
}

// An arm that points elsewhere at rest is brought to where the source's points; one of which that cannot be told is
// turned as it is.
TEST(Transfer, LimbsPointWhereTheSourcesDo) {
  const glm::quat turn = glm::angleAxis(0.5f, glm::vec3(0, 0, 1));
  const Bones held_out = {bone("leftUpperArm", -1, {0, 0, 0}), bone("leftLowerArm", 0, {1, 0, 0})};
  const Bones hanging = {bone("leftUpperArm", -1, {0, 0, 0}), bone("leftLowerArm", 0, {0, -1, 0})};
  PosedRig source = source_of(held_out);
  source.posed[0].rotation = turn;
  const rig::Character to = target_of(hanging);
  expect_turned(to, transfer_pose(source, one_to_one(2), to), 0,
                turn * glm::angleAxis(kQuarterTurn, glm::vec3(0, 0, 1)));
  // Without a counterpart of the lower arm, or of a length of nothing, there is no direction.
  std::vector<rig::JointMatch> matches = one_to_one(2);
  matches[1] = {};
  expect_turned(to, transfer_pose(source, matches, to), 0, turn);
  for (const bool theirs : {true, false}) {
    Bones point = theirs ? held_out : hanging;
    point[1].rest.translation = glm::vec3(0);
    PosedRig from = source_of(theirs ? point : held_out);
    from.posed[0].rotation = turn;
    const rig::Character other = target_of(theirs ? hanging : point);
    expect_turned(other, transfer_pose(from, one_to_one(2), other), 0, turn);
  }
}

}  // namespace
}  // namespace pelt::edit
