// What sliders make of a joint's transform, and what they leave of it.
#include <gtest/gtest.h>

#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::distance;
using test::dof;
using test::kDegree;
using test::kElbow;
using test::kShoulder;
using test::local;

TEST(Sliders, SliderKeepsWhatItCannotExpress) {
  Document document = arm_document();
  // Off the hinge's axis and away from its offset.
  const Transform odd{{0.35f, 0.02f, 0.01f}, glm::angleAxis(0.6f, glm::normalize(glm::vec3(1, 2, 3))), {2, 1.1f, 1}};
  apply(document, SetJointLocal{kElbow, odd, false});
  ASSERT_EQ(local(evaluate_pose(document), kElbow), odd);
  const float value = dof_values(document, kElbow)[0];
  apply(document, SetDof{kElbow, 0, value + 1e-4f});
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), odd), 2e-4f) << "touching a slider must not jump";
  apply(document, SetDof{kElbow, 0, value + 0.5f});
  apply(document, SetDof{kElbow, 0, value});
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), odd), 2e-6f);
}

TEST(Sliders, OneSliderDoesNotClampTheOthers) {
  Document document = arm_document();
  const int bend = dof(document, kShoulder, "bend");
  const int tx = dof(document, kShoulder, "tx");
  ASSERT_GE(tx, 0);
  Transform far = document.character->skeleton->rest[kShoulder];
  far.translation.x += 1000;
  apply(document, SetJointLocal{kShoulder, far, false});
  const float before = dof_values(document, kShoulder)[tx];
  apply(document, SetDof{kShoulder, bend, 0.3f});
  EXPECT_EQ(dof_values(document, kShoulder)[tx], before);
}

TEST(Sliders, SetJointLocalRespectsAuthoredLimits) {
  Document document = arm_document();
  Transform target = document.character->skeleton->rest[kElbow];
  target.rotation = glm::angleAxis(170 * kDegree, glm::vec3(0, 0, 1));
  target.translation += glm::vec3(0.1f, 0, 0);
  apply(document, SetJointLocal{kElbow, target});
  const Transform result = local(evaluate_pose(document), kElbow);
  EXPECT_EQ(dof_values(document, kElbow)[0], 140 * kDegree);
  EXPECT_NEAR(glm::angle(result.rotation), 140 * kDegree, 1e-5f);
  EXPECT_EQ(result.translation, document.character->skeleton->rest[kElbow].translation) << "a hinge does not move";
  apply(document, SetJointLocal{kElbow, target, false});
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), target), 1e-7f);
}

// The arm with these degrees of freedom at its left elbow.
Document with_elbow(std::vector<rig::Dof> dofs, std::optional<float> swing_limit = {}) {
  rig::Character character = test::arm();
  rig::JointDofs& elbow = character.skeleton.edit().dofs[kElbow];
  elbow.dofs = std::move(dofs);
  elbow.swing_limit = swing_limit;
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

const rig::Dof kBend = {.name = "bend", .axis = {0, 0, 1}, .lower = -3, .upper = 3};
const rig::Dof kSlide = {
    .name = "slide", .kind = rig::DofKind::kTranslation, .axis = {1, 0, 0}, .lower = -0.5f, .upper = 0.5f};
const rig::Dof kStretch = {
    .name = "stretch", .kind = rig::DofKind::kScale, .axis = {1, 0, 0}, .lower = 0, .upper = 4, .default_value = 1};

// Each slider moves what it is for by as much as it moves, whatever else the transform holds.
TEST(Sliders, MoveWhatTheyCannotExpressAlong) {
  Document document = with_elbow({kBend, kSlide, kStretch});
  const Transform odd{{0.35f, 0.02f, 0.01f}, glm::angleAxis(0.6f, glm::normalize(glm::vec3(1, 2, 3))), {2, 1.1f, 3}};
  apply(document, SetJointLocal{kElbow, odd, false});
  const std::vector<float> values = dof_values(document, kElbow);
  apply(document, SetDof{kElbow, 1, values[1] + 0.125f});
  Transform expected = odd;
  expected.translation.x += 0.125f;
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), expected), 1e-6f);
  apply(document, SetDof{kElbow, 2, 2 * values[2]});
  expected.scale.x *= 2;
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), expected), 1e-6f);
  apply(document, SetDof{kElbow, 0, values[0] + 0.25f});
  expected.rotation = glm::angleAxis(0.25f, glm::vec3(0, 0, 1)) * expected.rotation;
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), expected), 1e-6f);
  // From a scale of nothing there is only what the slider says.
  apply(document, SetDof{kElbow, 2, 0.0f});
  EXPECT_EQ(local(evaluate_pose(document), kElbow).scale.x, 0);
  apply(document, SetDof{kElbow, 2, 1.5f});
  EXPECT_EQ(local(evaluate_pose(document), kElbow).scale, glm::vec3(1.5f, 1.1f, 3));
}

TEST(Sliders, KeepToTheSwingLimit) {
  const rig::Dof twist = {.name = "twist", .axis = {1, 0, 0}, .lower = -3, .upper = 3};
  const rig::Dof side = {.name = "side", .axis = {0, 1, 0}, .lower = -3, .upper = 3};
  Document document = with_elbow({twist, side, kBend, kSlide}, 0.5f);
  apply(document, SetDof{kElbow, 0, 1.0f});
  EXPECT_EQ(dof_values(document, kElbow)[0], 1.0f) << "a twist does not swing";
  apply(document, SetDof{kElbow, 2, 1.0f});
  EXPECT_NEAR(dof_values(document, kElbow)[2], 0.5f, 1e-5f);
  // A transform may swing farther; the limit is kept by whoever turns it, not by what moves it.
  Transform far = document.character->skeleton->rest[kElbow];
  far.rotation = glm::angleAxis(1.0f, glm::vec3(0, 0, 1));
  apply(document, SetJointLocal{kElbow, far, false});
  apply(document, SetDof{kElbow, 3, 0.25f});
  EXPECT_NEAR(dof_values(document, kElbow)[2], 1.0f, 1e-5f);
  apply(document, SetDof{kElbow, 1, 0.1f});
  EXPECT_LT(dof_values(document, kElbow)[2], 0.6f);
  apply(document, SetJointLocal{kElbow, far});
  EXPECT_NEAR(dof_values(document, kElbow)[2], 0.5f, 1e-5f);
}

// A swing limit is one though nobody wrote the sliders.
TEST(Sliders, ASwingLimitOfDefaultSlidersIsKept) {
  rig::Character character = test::arm();
  character.skeleton.edit().dofs[kShoulder].swing_limit = 0.5f;
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  ASSERT_FALSE(joint_dofs(document, kShoulder).authored);
  Transform far = document.character->skeleton->rest[kShoulder];
  far.rotation = glm::angleAxis(1.0f, glm::vec3(0, 0, 1));
  apply(document, SetJointLocal{kShoulder, far});
  EXPECT_NEAR(glm::angle(local(evaluate_pose(document), kShoulder).rotation), 0.5f, 1e-4f);
}

// What a joint has no slider for stays as it is when its bone is dragged; what it has one for follows.
TEST(Sliders, ADraggedBoneChangesOnlyWhatItHasSlidersFor) {
  const Transform before{{0.35f, 0.02f, 0.01f}, glm::angleAxis(0.6f, glm::normalize(glm::vec3(1, 2, 3))), {2, 1, 3}};
  const Transform target{{0.5f, 0.25f, 0.125f}, glm::angleAxis(0.5f, glm::vec3(0, 0, 1)), {3, 2, 1}};
  const auto dragged = [&](std::vector<rig::Dof> dofs) {
    Document document = with_elbow(std::move(dofs));
    apply(document, SetJointLocal{kElbow, before, false});
    apply(document, SetJointLocal{kElbow, target});
    return local(evaluate_pose(document), kElbow);
  };
  const Transform hinge = dragged({kBend});
  EXPECT_LT(distance({before.translation, target.rotation, before.scale}, hinge), 1e-6f);
  const Transform slider = dragged({kSlide});
  EXPECT_LT(distance({{0.5f, 0, 0}, before.rotation, before.scale}, slider), 1e-6f) << "along its axis alone";
  const Transform stretcher = dragged({kStretch});
  EXPECT_LT(distance({before.translation, before.rotation, {3, 1, 1}}, stretcher), 1e-6f) << "along its axis alone";
}

}  // namespace
}  // namespace pelt::edit
