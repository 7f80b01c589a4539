#include "rig/dofs.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::rig {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

Dof rotation(std::string name, const glm::vec3& axis, float lower = -kPi, float upper = kPi) {
  return {.name = std::move(name), .kind = DofKind::kRotation, .axis = axis, .lower = lower, .upper = upper};
}

Dof translation(std::string name, const glm::vec3& axis) {
  return {.name = std::move(name), .kind = DofKind::kTranslation, .axis = axis, .lower = -10, .upper = 10};
}

Dof scale(std::string name, const glm::vec3& axis) {
  return {
      .name = std::move(name), .kind = DofKind::kScale, .axis = axis, .lower = 0.01f, .upper = 10, .default_value = 1};
}

// One joint of every type of ALGORITHMS.md §2, with an offset and an orientation.
std::vector<std::pair<std::string, JointDofs>> all_types() {
  const glm::vec3 x(1, 0, 0);
  const glm::vec3 y(0, 1, 0);
  const glm::vec3 z(0, 0, 1);
  const glm::mat3 frame = glm::mat3_cast(glm::angleAxis(0.7f, glm::normalize(glm::vec3(1, 2, 3))));
  std::vector<std::pair<std::string, JointDofs>> types;
  const auto add = [&](std::string name, RotationKind kind, std::vector<Dof> dofs) {
    JointDofs joint;
    joint.offset = {1, 2, 3};
    joint.orientation = glm::quat(glm::angleAxis(1.1, glm::dvec3(0.6, 0, 0.8)));
    joint.rotation = kind;
    joint.dofs = std::move(dofs);
    types.emplace_back(std::move(name), std::move(joint));
  };
  const RotationKind axes = RotationKind::kAxes;
  add("fixed", axes, {});
  add("hinge", axes, {rotation("bend", frame[2])});
  add("universal", axes, {rotation("bend", frame[2]), rotation("side", frame[0])});
  add("ball", axes, {rotation("twist", frame[0]), rotation("bend", frame[2]), rotation("side", frame[1])});
  add("left-handed ball", axes, {rotation("a", x), rotation("b", y), rotation("c", -z)});
  add("rotation vector", RotationKind::kRotationVector, {rotation("x", x), rotation("y", y), rotation("z", z)});
  add("slider", axes, {translation("tx", frame[0])});
  add("scale", axes, {scale("sx", x), scale("sy", y), scale("sz", z)});
  add("uniform scale", axes, {scale("s", glm::vec3(1.0f / std::sqrt(3.0f)))});
  add("free", axes,
      {rotation("a", z), rotation("b", x), rotation("c", y), translation("tx", x), translation("ty", y),
       translation("tz", z)});
  return types;
}

// The same rotation and place to single precision.
void expect_same(const Transform& a, const Transform& b, const std::string& what, float tolerance = 2e-6f) {
  const glm::dquat turn = glm::conjugate(glm::dquat(a.rotation)) * glm::dquat(b.rotation);
  EXPECT_LT(glm::length(rotation_vector(glm::normalize(turn))), tolerance) << what;
  EXPECT_LT(glm::length(a.translation - b.translation), tolerance) << what;
  EXPECT_LT(glm::length(a.scale - b.scale), tolerance) << what;
}

TEST(Dofs, C2_5_ZeroIsOffsetAndOrientation) {
  for (const auto& [name, joint] : all_types()) {
    const Transform local = local_from_dofs(joint, default_values(joint));
    EXPECT_EQ(local.translation, joint.offset) << name;
    EXPECT_EQ(local.rotation, joint.orientation) << name;
    EXPECT_EQ(local.scale, glm::vec3(1)) << name;
    EXPECT_NEAR(glm::determinant(glm::mat3(to_matrix(local))), 1, 1e-6) << name;
  }
}

TEST(Dofs, C2_4_HingeLimits) {
  JointDofs hinge;
  hinge.dofs = {rotation("bend", {0, 0, 1}, 0, glm::radians(140.0f))};
  for (const auto& [asked, used] : {std::pair(-20.0f, 0.0f), std::pair(200.0f, 140.0f), std::pair(90.0f, 90.0f)}) {
    std::vector<float> values = {glm::radians(asked)};
    clamp_to_limits(hinge, values);
    EXPECT_EQ(values[0], glm::radians(used));
    // The slider shows what the joint does.
    const std::vector<float> readout = dofs_from_local(hinge, local_from_dofs(hinge, values), values);
    EXPECT_NEAR(readout[0], values[0], 1e-6f);
  }
  std::vector<float> values = {NAN};
  clamp_to_limits(hinge, values);
  EXPECT_EQ(values[0], 0.0f);
}

TEST(Dofs, FirstListedIsAppliedFirst) {
  JointDofs joint;
  joint.dofs = {rotation("a", {1, 0, 0}), rotation("b", {0, 1, 0}), rotation("c", {0, 0, 1})};
  const glm::vec3 angles(0.3f, -0.5f, 1.2f);
  const Transform local = local_from_dofs(joint, std::vector<float>{angles.x, angles.y, angles.z});
  EXPECT_GT(std::abs(glm::dot(local.rotation, quat_from_euler(angles, EulerOrder::kXYZ))), 1 - 1e-6f);
}

TEST(Dofs, TranslationIsAlongTheParentsAxes) {
  JointDofs joint;
  joint.offset = {1, 0, 0};
  joint.orientation = glm::angleAxis(kPi / 2, glm::vec3(0, 0, 1));
  joint.dofs = {translation("tx", {1, 0, 0})};
  EXPECT_EQ(local_from_dofs(joint, std::vector<float>{2.0f}).translation, glm::vec3(3, 0, 0));
}

TEST(Dofs, UniformScaleDrivesAllAxesAndUndrivenAxesKeepTheirs) {
  JointDofs joint;
  joint.scale = {2, 3, 4};
  joint.dofs = {scale("sy", {0, 1, 0})};
  EXPECT_EQ(local_from_dofs(joint, std::vector<float>{5.0f}).scale, glm::vec3(2, 5, 4));
  joint.dofs = {scale("s", glm::vec3(1.0f / std::sqrt(3.0f)))};
  EXPECT_EQ(local_from_dofs(joint, std::vector<float>{5.0f}).scale, glm::vec3(5));
}

TEST(Dofs, RoundTripOfEveryType) {
  test::Random random(31);
  for (const auto& [name, joint] : all_types()) {
    for (int n = 0; n < 500; ++n) {
      std::vector<float> values = default_values(joint);
      for (std::size_t d = 0; d < values.size(); ++d) {
        values[d] = joint.dofs[d].kind == DofKind::kScale ? random.real(0.1f, 5.0f) : random.real(-3.1f, 3.1f);
      }
      const Transform local = local_from_dofs(joint, values);
      EXPECT_NEAR(glm::length(local.rotation), 1, 1e-6);
      expect_same(local_from_dofs(joint, dofs_from_local(joint, local)), local, name);
      expect_same(local_from_dofs(joint, dofs_from_local(joint, local, values)), local, name);
    }
  }
}

TEST(Dofs, HintChoosesAmongEquivalentAngles) {
  test::Random random(32);
  for (const auto& [name, joint] : all_types()) {
    for (int n = 0; n < 500; ++n) {
      // Anything up to several turns, but clear of gimbal lock: there the angles are not unique.
      std::vector<float> values = default_values(joint);
      double vector_length = 0;
      for (std::size_t d = 0; d < values.size(); ++d) {
        values[d] = joint.dofs[d].kind == DofKind::kScale ? random.real(0.1f, 5.0f) : random.real(-9.0f, 9.0f);
        vector_length += static_cast<double>(values[d] * values[d]);
      }
      if (joint.count(DofKind::kRotation) >= 2 && joint.rotation == RotationKind::kAxes &&
          std::abs(std::cos(values[1])) < 0.1f) {
        continue;
      }
      std::vector<float> hint = values;
      for (float& value : hint) {
        value += random.real(-0.02f, 0.02f);
      }
      if (joint.rotation == RotationKind::kRotationVector &&
          std::abs(std::remainder(std::sqrt(vector_length), 2.0 * std::numbers::pi)) < 0.3) {
        continue;  // near whole turns every direction is equivalent
      }
      const std::vector<float> back = dofs_from_local(joint, local_from_dofs(joint, values), hint);
      for (std::size_t d = 0; d < values.size(); ++d) {
        EXPECT_NEAR(back[d], values[d], 2e-4f) << name << ", DOF " << d << ", case " << n;
      }
    }
  }
}

TEST(Dofs, GimbalLockStaysAtTheHint) {
  JointDofs joint;
  joint.dofs = {rotation("a", {1, 0, 0}), rotation("b", {0, 1, 0}), rotation("c", {0, 0, 1})};
  for (const float sign : {-1.0f, 1.0f}) {
    const std::vector<float> values = {0.4f, sign * kPi / 2, -2.5f};
    const Transform local = local_from_dofs(joint, values);
    const std::vector<float> back = dofs_from_local(joint, local, values);
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(back[d], values[d], 1e-5f);
    }
    const std::vector<float> plain = dofs_from_local(joint, local);
    EXPECT_NEAR(plain[0], 0.0f, 1e-5f);
    expect_same(local_from_dofs(joint, plain), local, "locked");
  }
}

TEST(Dofs, DraggingThroughTheLockDoesNotJump) {
  JointDofs joint;
  joint.dofs = {rotation("a", {1, 0, 0}), rotation("b", {0, 1, 0}), rotation("c", {0, 0, 1})};
  std::vector<float> values = {0.3f, 0.0f, 0.7f};
  for (int step = 0; step <= 360; ++step) {
    values[1] = glm::radians(static_cast<float>(step));
    const std::vector<float> back = dofs_from_local(joint, local_from_dofs(joint, values), values);
    for (std::size_t d = 0; d < 3; ++d) {
      ASSERT_NEAR(back[d], values[d], 1e-4f) << "at " << step << " degrees";
    }
  }
}

TEST(Dofs, UniversalJointUsesNoThirdAngle) {
  // Turned past 90 degrees the other Euler triple would put half a turn into the axis that is not there.
  JointDofs joint;
  joint.dofs = {rotation("bend", {0, 0, 1}), rotation("side", {1, 0, 0})};
  for (const float second : {-2.6f, -kPi / 2, 0.2f, kPi / 2, 2.6f}) {
    const std::vector<float> values = {0.5f, second};
    const Transform local = local_from_dofs(joint, values);
    const std::vector<float> back = dofs_from_local(joint, local);
    EXPECT_NEAR(back[0], values[0], 1e-5f);
    EXPECT_NEAR(back[1], values[1], 1e-5f);
  }
}

TEST(Dofs, UniversalJointComesAsCloseAsItCan) {
  JointDofs joint;
  joint.dofs = {rotation("bend", {0, 0, 1}), rotation("side", {1, 0, 0})};
  test::Random random(36);
  const auto miss = [&](const glm::dquat& wanted, const std::vector<float>& values) {
    const glm::dquat made(local_from_dofs(joint, values).rotation);
    return glm::length(rotation_vector(normalized_or_identity(glm::conjugate(made) * wanted)));
  };
  for (int n = 0; n < 100; ++n) {
    const glm::dquat wanted = random.rotation(1.5);
    Transform local;
    local.rotation = glm::quat(wanted);
    const std::vector<float> found = dofs_from_local(joint, local);
    double best = 10;
    for (int a = -180; a < 180; a += 4) {
      for (int b = -180; b < 180; b += 4) {
        best = std::min(best, miss(wanted, {glm::radians(static_cast<float>(a)), glm::radians(static_cast<float>(b))}));
      }
    }
    EXPECT_LE(miss(wanted, found), best + 1e-6) << "case " << n;
  }
}

TEST(Dofs, AnglesWithinTheLimitsArePreferred) {
  JointDofs joint;
  joint.dofs = {rotation("bend", {0, 0, 1}, 0, glm::radians(300.0f))};
  const std::vector<float> values = {glm::radians(250.0f)};
  EXPECT_NEAR(dofs_from_local(joint, local_from_dofs(joint, values))[0], values[0], 1e-6f);
}

TEST(Dofs, HingeKeepsTheTwistPartOfAnyRotation) {
  JointDofs joint;
  joint.dofs = {rotation("bend", {1, 0, 0})};
  Transform local;
  local.rotation = glm::quat(glm::angleAxis(glm::radians(40.0), glm::dvec3(0, 0, 1)) *
                             glm::angleAxis(glm::radians(70.0), glm::dvec3(1, 0, 0)));
  EXPECT_NEAR(glm::degrees(dofs_from_local(joint, local)[0]), 70, 1e-4);
}

TEST(Dofs, SwingConeKeepsTheTwistAndTheLimits) {
  const glm::vec3 x(1, 0, 0);
  for (const RotationKind kind : {RotationKind::kAxes, RotationKind::kRotationVector}) {
    JointDofs ball;
    ball.rotation = kind;
    ball.dofs = {rotation("twist", x, -1, 1), rotation("bend", {0, 0, 1}, -2, 2), rotation("side", {0, 1, 0}, -2, 2)};
    ball.swing_limit = glm::radians(60.0f);
    test::Random random(33);
    for (int n = 0; n < 500; ++n) {
      std::vector<float> values = {random.real(-2.0f, 2.0f), random.real(-3.0f, 3.0f), random.real(-3.0f, 3.0f)};
      std::vector<float> clamped = values;
      clamp_to_limits(ball, clamped);
      const glm::vec3 swung = local_from_dofs(ball, clamped).rotation * x;
      EXPECT_LE(std::acos(std::clamp(swung.x, -1.0f, 1.0f)), *ball.swing_limit + 1e-3f);
      EXPECT_EQ(clamped[0], std::clamp(values[0], -1.0f, 1.0f));
      for (std::size_t d = 1; d < 3; ++d) {
        EXPECT_LE(std::abs(clamped[d]), std::abs(values[d]));
        EXPECT_GE(clamped[d] * values[d], 0.0f);
      }
      std::vector<float> again = clamped;
      clamp_to_limits(ball, again);
      EXPECT_EQ(again, clamped);
    }
    std::vector<float> inside = {0.5f, 0.3f, -0.2f};
    clamp_to_limits(ball, inside);
    EXPECT_EQ(inside, (std::vector<float>{0.5f, 0.3f, -0.2f}));
    std::vector<float> plain_bend = {0.0f, 1.5f, 0.0f};
    clamp_to_limits(ball, plain_bend);
    EXPECT_NEAR(glm::degrees(plain_bend[1]), 60, 1e-3);
  }
}

TEST(DefaultDofs, NamesOrderAndRestPose) {
  const Transform rest{{0.5f, 3, 0}, glm::quat(glm::angleAxis(0.7, glm::dvec3(0, 0.6, 0.8))), {1, 2, -0.5f}};
  for (const EulerOrder order : kEulerOrders) {
    const JointDofs joint = default_dofs(rest, {0, 1, 0}, order);
    ASSERT_EQ(joint.dofs.size(), 9u);
    EXPECT_EQ(euler_order(joint), order);
    EXPECT_EQ(local_from_dofs(joint, default_values(joint)), rest);
    for (std::size_t d = 0; d < 9; ++d) {
      const Dof& dof = joint.dofs[d];
      EXPECT_LE(dof.lower, dof.default_value);
      EXPECT_GE(dof.upper, dof.default_value);
      EXPECT_EQ(dof.folded, d >= 6);
    }
    std::vector<float> clamped = default_values(joint);
    clamp_to_limits(joint, clamped);
    EXPECT_EQ(clamped, default_values(joint));
  }
  const JointDofs joint = default_dofs(rest, {0, 1, 0});
  std::vector<std::string> names;
  for (const Dof& dof : joint.dofs) {
    names.push_back(dof.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"twist", "bend", "side", "tx", "ty", "tz", "sx", "sy", "sz"}));
  EXPECT_LT(glm::length(joint.dofs[0].axis - glm::vec3(0, 1, 0)), 1e-6f);
  EXPECT_LT(glm::length(joint.dofs[1].axis - glm::vec3(0, 0, 1)), 1e-6f);
  EXPECT_EQ(joint.find("ty"), 4);
  EXPECT_EQ(joint.find("nothing"), -1);
  EXPECT_EQ(joint.count(DofKind::kScale), 3);
}

TEST(DefaultDofs, ReproduceAnyTransform) {
  test::Random random(34);
  for (int n = 0; n < 500; ++n) {
    const Transform rest{random.vector(-1, 1), glm::quat(random.rotation()), random.vector(0.5f, 2.0f)};
    const JointDofs joint = default_dofs(rest, glm::vec3(random.unit()));
    const Transform other{random.vector(-1, 1), glm::quat(random.rotation()), random.vector(0.5f, 2.0f)};
    expect_same(local_from_dofs(joint, dofs_from_local(joint, other)), other, "default");
  }
}

TEST(DefaultDofs, SetEulerOrderMovesOnlyTheRotations) {
  JointDofs joint = default_dofs({}, {1, 0, 0});
  const JointDofs before = joint;
  for (const EulerOrder order : kEulerOrders) {
    set_euler_order(joint, order);
    EXPECT_EQ(euler_order(joint), order);
    for (std::size_t d = 0; d < 9; ++d) {
      const int same = before.find(joint.dofs[d].name);
      ASSERT_GE(same, 0);
      EXPECT_EQ(before.dofs[same].axis, joint.dofs[d].axis);
    }
    EXPECT_EQ(joint.dofs[3].name, "tx");
  }
  joint.dofs[0].name = "roll";
  EXPECT_FALSE(euler_order(joint).has_value());
}

TEST(BoneFrame, TwistRunsAlongTheBone) {
  test::Random random(35);
  for (int n = 0; n < 500; ++n) {
    const glm::vec3 direction(random.unit());
    const glm::mat3 frame = glm::mat3_cast(bone_frame(direction));
    EXPECT_LT(glm::length(frame[0] - direction), 1e-6f);
    EXPECT_NEAR(glm::determinant(frame), 1, 1e-5);
  }
  const auto bend_axis = [](const glm::vec3& direction) {
    return glm::mat3_cast(bone_frame(glm::normalize(direction)))[2];
  };
  EXPECT_LT(glm::length(bend_axis({1, 0, 0}) - glm::vec3(0, 0, 1)), 1e-6f);
  EXPECT_LT(glm::length(bend_axis({0, -1, 0}) - glm::vec3(0, 0, 1)), 1e-6f);
  EXPECT_LT(glm::length(bend_axis({0, 0, 1}) - glm::vec3(1, 0, 0)), 1e-6f);
  // A little askew is still the z axis's bone, on either side.
  EXPECT_GT(bend_axis({0.0f, 1.0f, 0.01f}).z, 0.99f);
  EXPECT_GT(bend_axis({0.0f, 1.0f, -0.01f}).z, 0.99f);
  EXPECT_EQ(bone_frame(glm::vec3(0)), kIdentityQuat);
}

}  // namespace
}  // namespace pelt::rig
