// Kinds of joints, one made of another, and degrees of freedom for the other side.
#include "rig/joint_types.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "math/angle.h"
#include "rig/character_parts.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

constexpr auto kQuarter = static_cast<float>(90 * kDegree);

JointDofs dofs_at_rest() {
  return default_dofs({.translation = {0.1f, 0.2f, 0.3f}, .rotation = glm::angleAxis(0.5f, glm::vec3(0, 1, 0))},
                      {0, 1, 0});
}

std::string names_of(const JointDofs& joint) {
  std::string out;
  for (const Dof& dof : joint.dofs) {
    out += (out.empty() ? "" : " ") + dof.name;
  }
  return out;
}

double turn_between(const Transform& a, const Transform& b) {
  return glm::length(rotation_vector(glm::conjugate(glm::dquat(a.rotation)) * glm::dquat(b.rotation)));
}

TEST(JointTypes, AreToldFromTheNumberOfRotations) {
  const JointDofs present = dofs_at_rest();
  EXPECT_EQ(joint_type(present), (JointMotion{JointType::kBall, true, true}));
  const char* const kNames[] = {"", "bend", "bend side", "twist bend side", "twist bend side"};
  for (int t = 0; t < kJointTypeCount; ++t) {
    const JointMotion wished{static_cast<JointType>(t), false, false};
    const JointDofs made = change_type(present, wished, {0, 1, 0});
    EXPECT_EQ(names_of(made), kNames[t]);
    EXPECT_EQ(joint_type(made), wished) << name_of(wished.type);
    EXPECT_EQ(made.offset, present.offset);
    EXPECT_EQ(made.orientation, present.orientation);
  }
  JointDofs broken = present;
  broken.dofs[0].name = "bend";
  EXPECT_EQ(joint_type(broken), std::nullopt);
}

// To a smaller kind and back: what stayed is bit by bit what it was, what comes anew stands where the rule puts it.
TEST(JointTypes, DofsOfTheSameNameStay) {
  JointDofs present = dofs_at_rest();
  const std::size_t bend = present.find("bend");
  present.dofs[bend].lower = -0.25f;
  present.dofs[bend].upper = 1.75f;
  const JointDofs hinge = change_type(present, {JointType::kHinge}, {0, 1, 0});
  ASSERT_EQ(hinge.dofs.size(), 1u);
  EXPECT_EQ(hinge.dofs[0].axis, present.dofs[bend].axis);
  EXPECT_EQ(hinge.dofs[0].upper, 1.75f);
  const JointDofs again = change_type(hinge, {JointType::kBall, true, true}, {0, 1, 0});
  ASSERT_EQ(names_of(again), names_of(present));
  for (std::size_t d = 0; d < again.dofs.size(); ++d) {
    EXPECT_LT(glm::distance(again.dofs[d].axis, present.dofs[d].axis), 1e-6f) << d;
    EXPECT_EQ(again.dofs[d].lower, present.dofs[d].lower) << d;
    EXPECT_EQ(again.dofs[d].upper, present.dofs[d].upper) << d;
  }
}

TEST(JointTypes, OfForeignNamesTheWidestStays) {
  JointDofs joint;
  joint.dofs = {{.name = "roll", .axis = {1, 0, 0}, .lower = -0.1f, .upper = 0.1f},
                {.name = "nod", .axis = {0, 1, 0}, .lower = -1, .upper = 1},
                {.name = "lean", .axis = {0, 0, 1}, .lower = -0.5f, .upper = 0.5f}};
  EXPECT_EQ(names_of(change_type(joint, {JointType::kUniversal}, {})), "nod lean");
  EXPECT_EQ(names_of(change_type(joint, {JointType::kHinge}, {})), "nod");
  // It takes the place of the axis that it lies along, and the others are across it.
  const JointDofs ball = change_type(change_type(joint, {JointType::kHinge}, {}), {JointType::kBall}, {});
  EXPECT_EQ(names_of(ball), "twist bend nod");
  EXPECT_TRUE(check_dofs(ball));
}

// Whatever axis a hinge has, what is made of it is a joint whose axes are perpendicular.
TEST(JointTypes, Law_EveryChangeIsSoundAndKeepsTheZeroPose) {
  test::Random random(5);
  for (int n = 0; n < 300; ++n) {
    JointDofs present = default_dofs({.translation = random.vector(-1, 1),
                                      .rotation = glm::quat(random.rotation()),
                                      .scale = random.vector(0.5f, 2)},
                                     glm::vec3(random.unit()));
    const glm::mat3 frame = glm::mat3_cast(glm::quat(random.rotation()));
    for (int d = 0; d < 3; ++d) {
      present.dofs[d].axis = frame[d];
    }
    for (Dof& dof : present.dofs) {
      dof.default_value = random.real(0.1f, 1.0f);
    }
    const Transform zero = local_from_dofs(present, default_values(present));
    for (int step = 0; step < 5; ++step) {
      const JointMotion wished{static_cast<JointType>(random.below(kJointTypeCount)), random.below(2) == 0,
                               random.below(2) == 0};
      const glm::vec3 bone = n % 3 == 0 ? glm::vec3(0) : glm::vec3(random.unit());
      present = change_type(present, wished, bone);
      ASSERT_TRUE(check_dofs(present)) << check_dofs(present).error().message;
      ASSERT_EQ(joint_type(present), wished);
      const Transform now = local_from_dofs(present, default_values(present));
      ASSERT_LT(turn_between(now, zero), 1e-5);
      ASSERT_LT(glm::distance(now.translation, zero.translation), 1e-5f);
      ASSERT_LT(glm::distance(now.scale, zero.scale), 1e-5f);
    }
  }
}

TEST(JointTypes, ASwingLimitNeedsThreeRotations) {
  JointDofs ball = dofs_at_rest();
  ball.swing_limit = 0.5f;
  EXPECT_EQ(change_type(ball, {JointType::kRotationVector}, {}).swing_limit, 0.5f);
  EXPECT_EQ(change_type(ball, {JointType::kUniversal}, {}).swing_limit, std::nullopt);
}

TEST(JointTypes, ANameThatIsTakenGetsANumber) {
  JointDofs joint;
  joint.dofs = {{.name = "tx", .axis = {0, 0, 1}, .lower = -1, .upper = 1}};
  EXPECT_EQ(names_of(change_type(joint, {JointType::kHinge, true}, {})), "tx tx_2 ty tz");
}

// The right arm under each way in which exporters orient the other side; rest poses differ, units do, too.
class MirroredDofs : public testing::TestWithParam<int> {};

TEST_P(MirroredDofs, TheSameValuesGiveTheMirrorImage) {
  test::Random random(91);
  for (int n = 0; n < 40; ++n) {
    const float unit = n % 3 == 0 ? 1.0f : n % 3 == 1 ? 0.01f : 100.0f;
    const auto any = [&] { return Transform{unit * random.vector(-1, 1), glm::quat(random.rotation()), glm::vec3(1)}; };
    Character character;
    test::add_node(character, "hips", -1, any());
    test::add_node(character, "arm_l", 0, {.translation = {2 * unit, 0, 0}});
    test::add_node(character, "arm_r", 0, {.translation = {-2 * unit, 0, 0}});
    test::add_node(character, "hand_l", 1, any());
    test::add_node(character, "hand_r", 2, any());
    if (GetParam() == 1) {  // one side was modelled by a negative scale
      character.skeleton.edit().rest[2].scale = {-1, 1, 1};
    } else if (GetParam() == 2) {  // and so was the joint itself
      character.skeleton.edit().rest[4].scale = {1, 1, -1};
    } else if (GetParam() == 3) {  // sizes differ
      character.skeleton.edit().rest[3].scale = {2, 3, 4};
    }
    finish(character);
    JointDofs& dofs = character.skeleton.edit().dofs[3];
    const glm::mat3 axes = glm::mat3_cast(glm::quat(random.rotation()));
    for (int d = 0; d < 3; ++d) {
      dofs.dofs[d].axis = axes[d];
    }
    dofs.rotation = n % 2 == 0 ? RotationKind::kAxes : RotationKind::kRotationVector;
    dofs.orientation = n % 5 == 0 ? dofs.orientation : glm::quat(random.rotation());
    dofs.offset += unit * random.vector(-0.1f, 0.1f);
    dofs.swing_limit = 0.75f;
    const Mirror mirror(character);
    const JointDofs other = mirrored_dofs(character, 3, 4, character.skeleton->dofs[3]);
    ASSERT_TRUE(check_dofs(other)) << check_dofs(other).error().message;
    EXPECT_TRUE(other.authored);
    EXPECT_EQ(other.swing_limit, 0.75f);
    for (int pose = 0; pose < 10; ++pose) {
      std::vector<float> values = default_values(dofs);
      std::vector<float> others = default_values(other);
      for (std::size_t d = 0; d < 6; ++d) {
        values[d] = others[d] = d < 3 ? random.real(-3.0f, 3.0f) : unit * random.real(-1.0f, 1.0f);
      }
      const Transform image = mirror.image(4, local_from_dofs(dofs, values));
      const Transform made = local_from_dofs(other, others);
      ASSERT_LT(turn_between(made, image), 2e-6);
      ASSERT_LT(glm::distance(made.translation, image.translation), 2e-6f * unit);
      ASSERT_LT(glm::distance(made.scale, image.scale), 2e-6f);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sides, MirroredDofs, testing::Values(0, 1, 2, 3));

// A factor means the same against the rest pose, along the axis that lies there.
TEST(MirroredDofs, ScalesMeanTheSameAgainstRest) {
  Character character;
  test::add_node(character, "arm_l", -1, {.translation = {1, 0, 0}, .scale = {2, 1, 1}});
  test::add_node(
      character, "arm_r", -1,
      {.translation = {-1, 0, 0}, .rotation = glm::angleAxis(kQuarter, glm::vec3(0, 0, 1)), .scale = {1, -6, 1}});
  finish(character);
  const JointDofs other = mirrored_dofs(character, 0, 1, character.skeleton->dofs[0]);
  const std::size_t sx = other.find("sx");
  EXPECT_EQ(other.dofs[sx].axis, glm::vec3(0, 1, 0));
  EXPECT_FLOAT_EQ(other.dofs[sx].default_value, -6);
  const Dof& own = character.skeleton->dofs[0].dofs[sx];
  EXPECT_FLOAT_EQ(other.dofs[sx].lower, -3 * own.upper);
  EXPECT_FLOAT_EQ(other.dofs[sx].upper, -3 * own.lower);
}

TEST(MirroredDofs, TwiceIsTheOriginal) {
  Character character;
  test::add_node(character, "arm_l", -1, {.translation = {1, 0, 0}});
  test::add_node(character, "arm_r", -1,
                 {.translation = {-1, 0, 0}, .rotation = glm::angleAxis(0.4f, glm::vec3(0, 0.6f, 0.8f))});
  finish(character);
  const JointDofs own = character.skeleton->dofs[0];
  character.skeleton.edit().dofs[1] = mirrored_dofs(character, 0, 1, character.skeleton->dofs[0]);
  const JointDofs twice = mirrored_dofs(character, 1, 0, character.skeleton->dofs[1]);
  ASSERT_EQ(names_of(twice), names_of(own));
  for (std::size_t d = 0; d < own.dofs.size(); ++d) {
    EXPECT_LT(glm::distance(twice.dofs[d].axis, own.dofs[d].axis), 1e-6f) << own.dofs[d].name;
    EXPECT_EQ(twice.dofs[d].lower, own.dofs[d].lower);
  }
}

}  // namespace
}  // namespace pelt::rig
