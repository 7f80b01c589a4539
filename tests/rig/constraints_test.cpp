#include "rig/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rig/character.h"

namespace pelt::rig {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kTolerance = 1e-6f;  // of a quaternion's elements

glm::quat turn(float degrees, const glm::vec3& axis) {
  return glm::angleAxis(glm::radians(degrees), axis);
}
constexpr glm::vec3 kX(1, 0, 0);
constexpr glm::vec3 kY(0, 1, 0);
constexpr glm::vec3 kZ(0, 0, 1);

void expect_same_rotation(const glm::quat& a, const glm::quat& b) {
  EXPECT_NEAR(std::abs(glm::dot(a, b)), 1.0f, kTolerance) << a.w << " " << a.x << " " << a.y << " " << a.z;
}

/// An arm (0) and beside it, below the same root, what follows it (1).
struct Pair {
  Character character;
  Pose pose;

  Pair() {
    character.skeleton.edit().parent = {-1, -1};
    finish(character);
    pose = rest_pose(character);
  }
  /// What joint 1 becomes when joint 0 has a rotation.
  glm::quat followed(const NodeConstraint& constraint, const glm::quat& rotation) {
    pose.local[0].rotation = rotation;
    apply_constraints(character.skeleton, {&constraint, 1}, pose);
    return pose.local[1].rotation;
  }
};

NodeConstraint constraint_of(ConstraintKind kind, float weight = 1, const glm::vec3& axis = kX) {
  return {.kind = kind, .joint = 1, .source = 0, .axis = axis, .weight = weight};
}

TEST(Constraints, RollTakesTheTwistAndLeavesTheSwing) {
  expect_same_rotation(Pair().followed(constraint_of(ConstraintKind::kRoll), turn(60, kX)), turn(60, kX));
  expect_same_rotation(Pair().followed(constraint_of(ConstraintKind::kRoll, 0.5f), turn(60, kX)), turn(30, kX));
  // A swing after the twist: what twists is the same.
  expect_same_rotation(Pair().followed(constraint_of(ConstraintKind::kRoll), turn(40, kZ) * turn(60, kX)),
                       turn(60, kX));
  expect_same_rotation(Pair().followed(constraint_of(ConstraintKind::kRoll), turn(40, kZ)), turn(0, kX));
}

TEST(Constraints, RollIsAboutTheAxisOfTheFollowersRest) {
  Pair pair;
  pair.character.skeleton.edit().rest[1].rotation = turn(90, kZ);  // its x is the parent's y
  expect_same_rotation(pair.followed(constraint_of(ConstraintKind::kRoll), turn(50, kY)), turn(90, kZ) * turn(50, kX));
}

TEST(Constraints, RotationIsTakenFromTheSourcesRest) {
  Pair pair;
  pair.character.skeleton.edit().rest[0].rotation = turn(20, kY);
  pair.character.skeleton.edit().rest[1].rotation = turn(90, kZ);
  expect_same_rotation(pair.followed(constraint_of(ConstraintKind::kRotation), turn(20, kY) * turn(70, kX)),
                       turn(90, kZ) * turn(70, kX));
  expect_same_rotation(pair.followed(constraint_of(ConstraintKind::kRotation, 0), turn(20, kY) * turn(70, kX)),
                       turn(90, kZ));
}

TEST(Constraints, AimPointsAtTheSource) {
  Pair pair;
  pair.pose.local[0].translation = glm::vec3(3, 1, 0);
  pair.pose.local[1].translation = glm::vec3(1, 1, 0);
  expect_same_rotation(pair.followed(constraint_of(ConstraintKind::kAim, 1, kY), turn(0, kX)), turn(-90, kZ));
  expect_same_rotation(pair.followed(constraint_of(ConstraintKind::kAim, 0.5f, kY), turn(0, kX)), turn(-45, kZ));
  expect_same_rotation(pair.followed(constraint_of(ConstraintKind::kAim, 1, -kY), turn(0, kX)), turn(90, kZ));
  // Straight behind: any half turn will do, but it must be one.
  const glm::quat behind = pair.followed(constraint_of(ConstraintKind::kAim, 1, -kX), turn(0, kX));
  EXPECT_NEAR(glm::length(behind * -kX - kX), 0.0f, kTolerance);
  // In the same place there is no direction.
  pair.pose.local[0].translation = pair.pose.local[1].translation;
  expect_same_rotation(pair.followed(constraint_of(ConstraintKind::kAim, 1, kY), turn(0, kX)), turn(0, kX));
}

TEST(Constraints, AimSeesTheWorldThroughItsParent) {
  Character character;
  character.skeleton.edit().parent = {-1, 0, -1};
  finish(character);
  Pose pose = rest_pose(character);
  pose.local[0].rotation = turn(90, kZ);
  pose.local[2].translation = glm::vec3(-5, 0, 0);  // where the parent's y points
  const NodeConstraint aim{.kind = ConstraintKind::kAim, .joint = 1, .source = 2, .axis = kX};
  apply_constraints(character.skeleton, {&aim, 1}, pose);
  expect_same_rotation(pose.local[1].rotation, turn(90, kZ));
}

TEST(Constraints, SourcesComeFirstAndCyclesAreLeftOut) {
  Skeleton skeleton;
  skeleton.parent = {-1, 0, 1, -1, -1};
  const auto follow = [](int joint, int source, ConstraintKind kind = ConstraintKind::kRotation) {
    return NodeConstraint{.kind = kind, .joint = joint, .source = source};
  };
  const std::vector<NodeConstraint> chain = {follow(0, 3), follow(4, 0), follow(3, 2)};
  EXPECT_THAT(constraint_order(skeleton, chain), ElementsAre(2, 0, 1));
  const std::vector<NodeConstraint> ring = {follow(3, 4), follow(4, 3), follow(0, 4), follow(1, 2)};
  EXPECT_THAT(constraint_order(skeleton, ring), ElementsAre(3));
  // C18.4: which joints the cycle is made of; the third follows one of it.
  EXPECT_THAT(constraint_cycles(skeleton, ring),
              ElementsAre(ElementsAre(3, 4), ElementsAre(4, 3), ElementsAre(4, 3), IsEmpty()));
  // What an aim sees moves with whatever turns above it, be it itself.
  const std::vector<NodeConstraint> aims = {follow(4, 2, ConstraintKind::kAim), follow(0, 3)};
  EXPECT_THAT(constraint_order(skeleton, aims), ElementsAre(1, 0));
  const std::vector<NodeConstraint> at_own_child = {follow(0, 2, ConstraintKind::kAim)};
  EXPECT_THAT(constraint_order(skeleton, at_own_child), IsEmpty());
  EXPECT_THAT(constraint_cycles(skeleton, at_own_child), ElementsAre(ElementsAre(0)));
}

}  // namespace
}  // namespace pelt::rig
