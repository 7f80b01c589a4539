#include "edit/commands.h"

#include <cmath>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deform/skinning_methods.h"
#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::distance;
using test::dof;
using test::kDegree;
using test::kElbow;
using test::kHand;
using test::kRoot;
using test::kShoulder;
using test::local;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Applies the change, and checks that undoing and redoing it restores the states exactly.
void apply_and_check_inverse(Document& document, const Change& change) {
  const Content before = document.content;
  const std::size_t steps = document.history.cursor();
  apply(document, change);
  const Content after = document.content;
  ASSERT_NE(after, before) << "the change must do something";
  ASSERT_EQ(document.history.cursor(), steps + 1);
  const std::string text = document.history.undo_label();
  EXPECT_FALSE(text.empty());
  undo(document);
  EXPECT_EQ(document.content, before);
  ASSERT_TRUE(can_redo(document));
  EXPECT_EQ(document.history.redo_label(), text);
  redo(document);
  EXPECT_EQ(document.content, after);
}

TEST(Commands, C2_4_SliderIsClampedAndReadsTheUsedValue) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, -20 * kDegree});
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.0f);
  apply(document, SetDof{kElbow, 0, 200 * kDegree});
  EXPECT_EQ(dof_values(document, kElbow)[0], 140 * kDegree);
  const glm::quat expected = glm::angleAxis(140 * kDegree, glm::vec3(0, 0, 1));
  EXPECT_LT(glm::length(local(evaluate_pose(document), kElbow).rotation - expected), 1e-6f);
}

TEST(Commands, SetDofIsUndoneExactly) {
  Document document = arm_document();
  apply_and_check_inverse(document, SetDof{kElbow, 0, 30 * kDegree});
  apply_and_check_inverse(document, SetDof{kShoulder, dof(document, kShoulder, "bend"), 0.4f});
  apply_and_check_inverse(document, SetDof{kShoulder, dof(document, kShoulder, "twist"), -0.7f});
  const std::vector<float> values = dof_values(document, kShoulder);
  EXPECT_EQ(values[dof(document, kShoulder, "bend")], 0.4f);
  EXPECT_EQ(values[dof(document, kShoulder, "twist")], -0.7f);
  const Transform expected = rig::local_from_dofs(joint_dofs(document, kShoulder), values);
  EXPECT_EQ(local(evaluate_pose(document), kShoulder), expected);
}

TEST(Commands, SetDofBackToTheBaseLeavesNoOverride) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.0f});
  EXPECT_TRUE(document.content.overrides->empty());
}

TEST(Commands, SetJointLocalKeepsTheTransform) {
  Document document = arm_document();
  const Transform target{{0.1f, 0.2f, 0.3f}, glm::normalize(glm::quat(0.9f, 0.1f, -0.3f, 0.2f)), {1, 1, 1}};
  apply_and_check_inverse(document, SetJointLocal{kShoulder, target});
  EXPECT_LT(distance(local(evaluate_pose(document), kShoulder), target), 1e-7f);
  const Transform from_sliders = rig::local_from_dofs(joint_dofs(document, kShoulder), dof_values(document, kShoulder));
  EXPECT_LT(distance(from_sliders, target), 1e-6f) << "the sliders must say the same";
}

TEST(Commands, SetJointLocalNormalisesTheRotation) {
  Document document = arm_document();
  Transform target;
  target.rotation = glm::quat(2, 0, 0, 2);
  apply(document, SetJointLocal{kShoulder, target});
  EXPECT_NEAR(glm::length(local(evaluate_pose(document), kShoulder).rotation), 1.0f, 1e-6f);
}

TEST(Commands, NumbersThatAreNotFiniteChangeNothing) {
  Document document = arm_document();
  const Content before = document.content;
  for (const float bad : {kNotANumber, kInfinity, -kInfinity}) {
    apply(document, SetDof{kElbow, 0, bad});
    apply(document, SetMorph{0, bad});
    apply(document, SetTime{bad});
    apply(document, SetJointLocal{kShoulder, {{bad, 0, 0}, kIdentityQuat, {1, 1, 1}}});
    apply(document, SetJointLocal{kShoulder, {{}, glm::quat(bad, 0, 0, 0), {1, 1, 1}}});
    apply(document, SetJointLocal{kElbow, {{}, kIdentityQuat, {1, bad, 1}}});
    // A hinge has no sliders that would show the bad number once more.
    apply(document, SetJointLocal{kElbow, {{bad, 0, 0}, kIdentityQuat, {1, 1, 1}}, false});
    apply(document, SetJointLocal{kElbow, {{}, glm::quat(1, bad, 0, 0), {1, 1, 1}}, false});
    apply(document, SetJointLocal{kElbow, {{}, kIdentityQuat, {1, bad, 1}}, false});
    apply(document, ReplacePose{{{kHand, {{{0, bad, 0}}, {}}}}, {{0, bad}}});
    apply(document, ReplacePose{{{kElbow, {{{0, bad, 0}}, {0.5f}}}}, {}});
    apply(document, ReplacePose{{{kElbow, {{{0, 1, 0}}, {bad}}}}, {}});
  }
  EXPECT_EQ(document.content, before);
  EXPECT_FALSE(can_undo(document));
  EXPECT_EQ(document.state_version, 1u);
  apply(document, SetClip{0});
  apply(document, SetTime{kNotANumber});
  EXPECT_EQ(document.view.time, 1.0f);
}

TEST(Commands, ResetDofMovesOneSliderBack) {
  Document document = arm_document();
  const int bend = dof(document, kShoulder, "bend");
  const int side = dof(document, kShoulder, "side");
  apply(document, SetDof{kShoulder, bend, 0.4f});
  apply(document, SetDof{kShoulder, side, 0.2f});
  apply_and_check_inverse(document, ResetDof{kShoulder, bend});
  EXPECT_NEAR(dof_values(document, kShoulder)[bend], 0.0f, 1e-6f);
  EXPECT_EQ(dof_values(document, kShoulder)[side], 0.2f);
  apply(document, ResetDof{kShoulder, side});
  EXPECT_TRUE(document.content.overrides->empty());
}

TEST(Commands, AStepHasTheWordsOfItsCommand) {
  Document document = arm_document();
  edit::apply(document, {SetDof{kElbow, 0, 0.5f}, "drag", true, "In the words of a click"});
  edit::apply(document, {SetDof{kElbow, 0, 0.75f}, "drag", true});
  EXPECT_EQ(document.history.size(), 2u);
  EXPECT_EQ(document.history.undo_label(), "In the words of a click") << "of the first change of a step";
}

// While a clip plays, an override that says what the clip says holds the joint there; a slider that is reset does not.
TEST(Commands, SlidersOfSeveralJointsGoBackInOneStep) {
  Document document = arm_document();
  const int bend = dof(document, kShoulder, "bend");
  const SetDofs all{{{kShoulder, bend, 0.5f}, {kElbow, 0, 0.75f}}};
  apply(document, all);
  EXPECT_EQ(document.history.undo_label(), "Rotate 2 joints");
  apply(document, SetDof{kShoulder, bend + 1, 0.25f});
  const ResetDofs back{{{kShoulder, bend}, {kElbow, 0}}};
  EXPECT_EQ(label(document, back), "Reset 2 joints");
  EXPECT_EQ(label(document, ResetDofs{{{kElbow, 0}}}), "Reset elbow_l bend");
  apply_and_check_inverse(document, back);
  EXPECT_FALSE(document.content.overrides->contains(kElbow));
  const std::vector<float> values = dof_values(document, kShoulder);
  EXPECT_NEAR(values[bend], 0, 1e-6f);
  EXPECT_NEAR(values[bend + 1], 0.25f, 1e-6f) << "the other slider stays";
  // Of different kinds they are posed, and of one joint it is named.
  EXPECT_EQ(label(document, SetDofs{{{kShoulder, bend, 0.1f}, {kShoulder, bend + 1, 0.1f}}}), "Rotate shoulder_l");
  const int x = dof(document, kShoulder, "tx");
  ASSERT_GE(x, 0);
  EXPECT_EQ(label(document, SetDofs{{{kShoulder, bend, 0.1f}, {kHand, x, 0.1f}}}), "Pose 2 joints");
}

TEST(Commands, AnOverrideHoldsAJointAgainstTheClipUntilItIsReset) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2.0f});
  apply(document, SetJointLocal{kShoulder, local(evaluate_pose(document), kShoulder)});
  EXPECT_TRUE(document.content.overrides->contains(kShoulder));
  apply(document, SetDof{kElbow, 0, 0.0f});
  EXPECT_TRUE(document.content.overrides->contains(kElbow));
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, ResetDof{kElbow, 0});
  EXPECT_FALSE(document.content.overrides->contains(kElbow));
  apply(document, SetMorph{0, 0.5f});
  EXPECT_TRUE(document.content.morph_overrides->contains(0));
}

TEST(Commands, ResetsReachJointSubtreeAndAll) {
  Document document = arm_document();
  for (const int j : {kRoot, kShoulder, kHand}) {
    apply(document, SetJointLocal{j, {{1, 2, 3}, glm::angleAxis(0.3f, glm::vec3(0, 1, 0)), {1, 1, 1}}});
  }
  Document joint = document;
  apply_and_check_inverse(joint, ResetJoints{{kShoulder}, ResetScope::kJoint, ResetTo::kBase});
  EXPECT_EQ(joint.content.overrides->size(), 2u);
  Document subtree = document;
  apply_and_check_inverse(subtree, ResetJoints{{kShoulder}, ResetScope::kSubtree, ResetTo::kRest});
  EXPECT_EQ(subtree.content.overrides->size(), 1u);
  EXPECT_TRUE(subtree.content.overrides->contains(kRoot));
  for (const ResetTo to : {ResetTo::kBase, ResetTo::kRest}) {
    Document all = document;
    apply_and_check_inverse(all, ResetJoints{{}, ResetScope::kAll, to});
    EXPECT_TRUE(all.content.overrides->empty());
  }
}

// Rest, bind and zero pose all differ: the elbow rests bent by 30 degrees, was bound straight, and is at zero there
// too; the shoulder is somewhere else in each.
Document bent_rest_document() {
  rig::Character character = test::arm();
  character.skeleton.edit().rest[kElbow].rotation = glm::angleAxis(30 * kDegree, glm::vec3(0, 0, 1));
  character.skeleton.edit().rest[kShoulder].rotation = glm::angleAxis(0.2f, glm::vec3(1, 0, 0));
  rig::finish(character);
  character.skeleton.edit().dofs[kShoulder].orientation = glm::angleAxis(0.4f, glm::vec3(1, 0, 0));
  return make_document(std::make_shared<rig::Character>(std::move(character)));
}

TEST(Commands, C3_2_ResetsToRestBindAndZero) {
  const Document fresh = bent_rest_document();
  const rig::Character& character = *fresh.character;
  const struct {
    ResetTo to;
    BasePose base;
    rig::Pose expected;
  } cases[] = {{ResetTo::kRest, BasePose::kRest, rig::rest_pose(character)},
               {ResetTo::kBind, BasePose::kBind, rig::bind_pose(character)},
               {ResetTo::kZero, BasePose::kZero, rig::zero_pose(character)}};
  EXPECT_GT(distance(cases[0].expected, cases[1].expected), 0.05f);
  EXPECT_GT(distance(cases[0].expected, cases[2].expected), 0.05f);
  EXPECT_GT(distance(local(cases[1].expected, kShoulder), local(cases[2].expected, kShoulder)), 0.05f);
  for (const auto& one : cases) {
    Document by_joints = fresh;
    apply(by_joints, SetDof{kShoulder, 0, 0.9f});
    apply(by_joints, ResetJoints{{}, ResetScope::kAll, one.to});
    EXPECT_LT(distance(evaluate_pose(by_joints), one.expected), 2e-6f);
    EXPECT_EQ(by_joints.content.base, one.base);
    EXPECT_TRUE(by_joints.content.overrides->empty());
    Document one_joint = fresh;
    apply(one_joint, SetDof{kHand, 0, 0.9f});
    apply(one_joint, SetDof{kShoulder, 0, 0.9f});
    apply(one_joint, ResetJoints{{kShoulder}, ResetScope::kJoint, one.to});
    EXPECT_LT(distance(local(evaluate_pose(one_joint), kShoulder), local(one.expected, kShoulder)), 2e-6f);
    EXPECT_TRUE(one_joint.content.overrides->contains(kHand));
    // While a clip plays, all joints are held in that pose and the clip goes on with the rest.
    Document under_clip = fresh;
    apply(under_clip, SetClip{0});
    apply(under_clip, SetTime{2.0f});
    apply(under_clip, ResetJoints{{}, ResetScope::kAll, one.to});
    EXPECT_EQ(under_clip.content.clip, 0);
    EXPECT_EQ(under_clip.content.base, BasePose::kRest);
    EXPECT_LT(distance(evaluate_pose(under_clip), one.expected), 2e-6f);
    EXPECT_EQ(evaluate_pose(under_clip).morph_weights[0], 0.5f);
    Document by_base = fresh;
    apply(by_base, SetDof{kShoulder, 0, 0.9f});
    apply(by_base, SetClip{0});
    apply_and_check_inverse(by_base, SetBasePose{one.base});
    EXPECT_EQ(evaluate_pose(by_base), one.expected);
    EXPECT_TRUE(by_base.content.overrides->empty());
    EXPECT_EQ(by_base.content.clip, -1);
  }
}

TEST(Commands, C3_1_BindPoseMakesSkinMatricesIdentity) {
  Document document = bent_rest_document();
  apply(document, SetBasePose{BasePose::kBind});
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, evaluate_pose(document));
  const rig::Skin& skin = document.character->skins[0];
  std::vector<glm::mat4> matrices(skin.joints.size());
  rig::skin_matrices(skin, world.world(), matrices);
  for (const glm::mat4& m : matrices) {
    for (int c = 0; c < 4; ++c) {
      EXPECT_LT(glm::length(m[c] - glm::mat4(1.0f)[c]), 1e-6f);
    }
  }
}

TEST(Commands, MirrorTwiceIsTheSamePose) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply(document, SetDof{kShoulder, dof(document, kShoulder, "twist"), 0.3f});
  const rig::Pose before = evaluate_pose(document);
  apply_and_check_inverse(document, MirrorPose{});
  EXPECT_GT(distance(evaluate_pose(document), before), 0.1f);
  EXPECT_EQ(local(evaluate_pose(document), kElbow), local(rig::rest_pose(*document.character), kElbow));
  apply(document, MirrorPose{});
  EXPECT_LT(distance(evaluate_pose(document), before), 1e-5f);
  Document rest = arm_document();
  apply(rest, MirrorPose{});
  EXPECT_FALSE(can_undo(rest)) << "the rest pose of a symmetric skeleton is its own mirror image";
}

rig::Pose mirrored_pose(const Document& document) {
  return rig::mirrored(*document.character, evaluate_pose(document));
}

// Only what was posed is mirrored: the clip goes on moving the rest, and no joint is held that nobody posed.
TEST(Commands, MirrorLeavesAloneWhatTheClipMoves) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2.5f});
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply_and_check_inverse(document, MirrorPose{MirrorDirection::kLeftToRight});
  EXPECT_EQ(document.content.overrides->size(), 2u);
  const rig::Pose both = evaluate_pose(document);
  apply(document, MirrorPose{MirrorDirection::kSwap});
  EXPECT_EQ(document.content.overrides->size(), 2u);
  EXPECT_LT(distance(evaluate_pose(document), both), 1e-5f) << "both sides are posed alike";
  Document other = arm_document();
  apply(other, SetClip{0});
  apply(other, SetDof{kElbow, 0, 0.7f});
  apply(other, MirrorPose{});
  EXPECT_FALSE(other.content.overrides->contains(kElbow));
  EXPECT_TRUE(other.content.overrides->contains(5));
  apply(other, MirrorPose{});
  EXPECT_TRUE(other.content.overrides->contains(kElbow));
  EXPECT_FALSE(other.content.overrides->contains(5));
}

TEST(Commands, MirrorGoesOneWay) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply(document, SetDof{4, dof(document, 4, "twist"), 0.4f});
  const Document before = document;
  apply(document, MirrorPose{MirrorDirection::kLeftToRight});
  EXPECT_TRUE(document.content.overrides->contains(kElbow));
  EXPECT_TRUE(document.content.overrides->contains(5));
  EXPECT_FALSE(document.content.overrides->contains(4)) << "the left shoulder was not posed";
  EXPECT_TRUE(document.content.overrides->contains(kElbow)) << "the left side stays";
  EXPECT_FALSE(document.content.overrides->contains(kShoulder));
  EXPECT_EQ(local(evaluate_pose(document), 5), local(mirrored_pose(before), 5));
  document = before;
  apply(document, MirrorPose{MirrorDirection::kRightToLeft});
  EXPECT_TRUE(document.content.overrides->contains(kShoulder));
  EXPECT_FALSE(document.content.overrides->contains(kElbow)) << "the right elbow was not posed";
  EXPECT_TRUE(document.content.overrides->contains(4)) << "the right side stays";
  EXPECT_FALSE(document.content.overrides->contains(5));
  EXPECT_EQ(local(evaluate_pose(document), kShoulder), local(mirrored_pose(before), kShoulder));
}

TEST(Commands, MirrorFromTheFirstJointOnLeavesWhatHasNoPartner) {
  Document document = arm_document();
  ASSERT_LT(rig::mirrored_joint(document.character->skeleton, kHand), 0);
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply(document, SetJointLocal{kHand, {{1, 2, 3}, kIdentityQuat, {1, 1, 1}}});
  apply(document, SetJointLocal{kRoot, {{0.5f, 1, 0}, kIdentityQuat, {1, 1, 1}}});
  const Transform hand = document.content.overrides->at(kHand).local;
  apply(document, MirrorPose{MirrorDirection::kSwap, {kRoot}});
  EXPECT_TRUE(document.content.overrides->contains(5));
  EXPECT_FALSE(document.content.overrides->contains(kElbow));
  EXPECT_EQ(local(evaluate_pose(document), kHand), hand);
  EXPECT_EQ(local(evaluate_pose(document), kRoot).translation, glm::vec3(-0.5f, 1, 0));
}

TEST(Commands, MirrorOfALimbLeavesTheOthersAlone) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply(document, SetDof{kShoulder, 0, 0.3f});
  apply(document, SetDof{0, 0, 0.2f});
  const JointOverride root = document.content.overrides->at(0);
  for (const int limb : {kElbow, 5}) {  // the side that is selected does not matter
    Document copy = document;
    apply(copy, MirrorPose{MirrorDirection::kLeftToRight, {limb}});
    EXPECT_TRUE(copy.content.overrides->contains(5));
    EXPECT_FALSE(copy.content.overrides->contains(4)) << "the shoulder lies above the limb";
    EXPECT_EQ(copy.content.overrides->at(0), root);
  }
  apply(document, MirrorPose{MirrorDirection::kLeftToRight});
  EXPECT_EQ(document.content.overrides->at(0), root) << "what is in the middle belongs to neither side";
  apply(document, MirrorPose{MirrorDirection::kSwap});
  EXPECT_NE(document.content.overrides->at(0), root);
}

TEST(Commands, MirrorOfSeveralJointsIsAboutAllOfThem) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply(document, SetDof{kShoulder, 0, 0.3f});
  apply(document, MirrorPose{MirrorDirection::kLeftToRight, {kElbow, kShoulder}});
  EXPECT_TRUE(document.content.overrides->contains(5));
  EXPECT_TRUE(document.content.overrides->contains(4)) << "the shoulder is one of them";
}

TEST(Commands, MirrorsAreNamed) {
  const Document document = arm_document();
  EXPECT_EQ(label(document, MirrorPose{}), "Swap left and right");
  EXPECT_EQ(label(document, MirrorPose{MirrorDirection::kLeftToRight}), "Mirror left to right");
  EXPECT_EQ(label(document, MirrorPose{MirrorDirection::kRightToLeft, {1}}), "Mirror right to left from shoulder_l");
  EXPECT_EQ(label(document, MirrorPose{MirrorDirection::kRightToLeft, {1, 2}}), "Mirror right to left from 2 joints");
}

TEST(Commands, ADraggedBoneIsNamedLikeARing) {
  const Document document = arm_document();
  Transform local = document.character->skeleton->rest[kElbow];
  local.rotation = glm::angleAxis(0.5f, glm::vec3(0, 0, 1));
  EXPECT_EQ(label(document, SetJointLocal{kElbow, local}), "Rotate elbow_l");
  EXPECT_EQ(label(document, SetJointLocal{kElbow, local}), label(document, SetDof{kElbow, 0, 0.5f}));
  local.translation.x += 1;
  EXPECT_EQ(label(document, SetJointLocal{kElbow, local}), "Pose elbow_l");
}

TEST(Commands, MorphsAreSetAndReset) {
  Document document = arm_document();
  apply_and_check_inverse(document, SetMorph{0, 0.5f});
  apply_and_check_inverse(document, SetMorph{1, 0.75f});
  EXPECT_THAT(evaluate_pose(document).morph_weights, testing::ElementsAre(0.5f, 0.75f, 0.0f));
  apply(document, SetMorph{1, 0.25f});
  EXPECT_FALSE(document.content.morph_overrides->contains(1)) << "back at the file's weight";
  apply_and_check_inverse(document, ResetMorphs{});
  EXPECT_THAT(evaluate_pose(document).morph_weights, testing::ElementsAre(0.0f, 0.25f, 0.0f));
}

TEST(Commands, OverrideWinsOverTheClip) {
  Document document = arm_document();
  apply_and_check_inverse(document, SetClip{0});
  EXPECT_EQ(document.view.time, 1.0f) << "a clip begins at its own start";
  apply(document, SetTime{2.0f});
  const rig::Pose clip = evaluate_pose(document);
  EXPECT_LT(distance(local(clip, kShoulder), {{0.2f, 0.4f, 0}, glm::angleAxis(0.5f, glm::vec3(0, 0, 1)), {1, 1, 1}}),
            1e-6f);
  EXPECT_EQ(clip.morph_weights[0], 0.5f);
  const Transform held = document.character->skeleton->rest[kShoulder];
  apply(document, SetJointLocal{kShoulder, held});
  apply(document, SetMorph{0, 0.0f});
  apply(document, SetTime{3.0f});
  EXPECT_EQ(local(evaluate_pose(document), kShoulder), held);
  EXPECT_EQ(evaluate_pose(document).morph_weights[0], 0.0f);
  EXPECT_EQ(local(evaluate_pose(document), kHand).translation, glm::vec3(0.3f, 0.1f, 0));
  apply(document, ResetJoints{{kShoulder}, ResetScope::kJoint, ResetTo::kBase});
  EXPECT_LT(distance(local(evaluate_pose(document), kShoulder),
                     {{0.2f, 0.4f, 0}, glm::angleAxis(1.0f, glm::vec3(0, 0, 1)), {1, 1, 1}}),
            1e-6f);
  apply(document, SetTime{99});
  EXPECT_EQ(document.view.time, 3.0f);
  apply(document, SetClip{-1});
  EXPECT_EQ(document.content.clip, -1);
  EXPECT_EQ(document.view.time, 3.0f) << "where an undo finds it again";
}

TEST(Commands, EulerOrderKeepsThePose) {
  Document document = arm_document();
  apply(document, SetDof{kShoulder, dof(document, kShoulder, "bend"), 0.5f});
  apply(document, SetDof{kShoulder, dof(document, kShoulder, "twist"), 0.8f});
  apply(document, SetDof{kShoulder, dof(document, kShoulder, "side"), -0.4f});
  const rig::Pose before = evaluate_pose(document);
  const std::optional<EulerOrder> own = rig::euler_order(document.character->skeleton->dofs[kShoulder]);
  ASSERT_TRUE(own);
  for (const EulerOrder order : kEulerOrders) {
    apply(document, SetEulerOrder{kShoulder, order});
    EXPECT_EQ(rig::euler_order(joint_dofs(document, kShoulder)), order);
    EXPECT_EQ(evaluate_pose(document), before);
    const Transform made = rig::local_from_dofs(joint_dofs(document, kShoulder), dof_values(document, kShoulder));
    EXPECT_LT(distance(made, local(before, kShoulder)), 1e-6f);
    EXPECT_EQ(document.content.euler_orders->contains(kShoulder), order != *own);
  }
  apply(document, SetEulerOrder{kElbow, EulerOrder::kZXY});
  EXPECT_FALSE(document.content.euler_orders->contains(kElbow)) << "a hinge has no order";
}

TEST(Commands, SkinningSettingsAreUndone) {
  Document document = arm_document();
  deform::SkinningSettings settings;
  settings.backend = deform::Backend::kCpu;
  apply_and_check_inverse(document, SetSkinning{settings});
  EXPECT_EQ(document.history.undo_label(), "Skin on the CPU");
  settings.method = 0;
  settings.influence_limit = 2;
  apply_and_check_inverse(document, SetSkinning{settings});
}

TEST(Commands, EachSkinningSettingHasItsName) {
  const auto label_of = [](const auto& change) {
    Document document = arm_document();
    deform::SkinningSettings settings;
    settings.method = deform::find_method("delta-mush");
    apply(document, SetSkinning{settings});
    change(settings);
    apply(document, SetSkinning{settings});
    return document.history.undo_label();
  };
  using Settings = deform::SkinningSettings;
  EXPECT_EQ(label_of([](Settings& s) { s.method = deform::find_method("dqs"); }), "Skin by Dual quaternion");
  EXPECT_EQ(label_of([](Settings& s) { s.influence_limit = 2; }), "Limit influences");
  EXPECT_EQ(label_of([](Settings& s) { s.backend = deform::Backend::kCpu; }), "Skin on the CPU");
  EXPECT_EQ(label_of([](Settings& s) { s.normals = deform::NormalVariant::kExact; }), "Change normals");
  EXPECT_EQ(label_of([](Settings& s) { s.prune_threshold = 0.1f; }), "Prune weights");
  EXPECT_EQ(label_of([](Settings& s) { s.weight_format = mesh::WeightFormat::kUnorm8; }),
            "Change how weights are stored");
  EXPECT_EQ(label_of([](Settings& s) { s.partition = true; }), "Draw rigid triangles apart");
  EXPECT_EQ(label_of([](Settings& s) { s.palette_limit = 24; }), "Change palette limit");
  EXPECT_EQ(label_of([](Settings& s) { s.weights_as_stored = !s.weights_as_stored; }), "Use weights as stored");
  for (const deform::MethodParameter& parameter :
       deform::skinning_methods()[deform::find_method("delta-mush")].parameters) {
    EXPECT_EQ(label_of([&](Settings& s) {
                parameter.set(s.parameters,
                              parameter.get(s.parameters) == parameter.minimum ? parameter.maximum : parameter.minimum);
              }),
              "Change " + std::string(parameter.label) + " of Delta mush");
  }
}

TEST(Commands, SettingsThatAreTakenBackAreNamedToo) {
  Document document = arm_document();
  deform::SkinningSettings settings;
  settings.backend = deform::Backend::kCpu;
  settings.partition = true;
  settings.weights_as_stored = true;
  apply(document, SetSkinning{settings});
  const auto label_without = [&](auto change) {
    deform::SkinningSettings other = settings;
    change(other);
    return label(document, SetSkinning{other});
  };
  EXPECT_EQ(label_without([](auto& s) { s.backend = deform::Backend::kGpu; }), "Skin on the GPU");
  EXPECT_EQ(label_without([](auto& s) { s.partition = false; }), "Draw all triangles together");
  EXPECT_EQ(label_without([](auto& s) { s.weights_as_stored = false; }), "Normalise weights");
}

TEST(Commands, PanesCopyTheActiveOneButEachShowsAnotherMethod) {
  Document document = arm_document();
  deform::SkinningSettings settings;
  settings.influence_limit = 3;
  apply(document, SetSkinning{settings});
  apply_and_check_inverse(document, SetPanes{2});
  EXPECT_EQ(document.history.undo_label(), "Show 2 panes");
  ASSERT_EQ(pane_count(document.content), 2);
  EXPECT_EQ(skinning_of(document.content, 0), settings);
  EXPECT_NE(skinning_of(document.content, 1).method, settings.method);
  EXPECT_EQ(skinning_of(document.content, 1).influence_limit, 3);
  document.view.active_pane = 1;
  apply_and_check_inverse(document, SetPanes{4});
  std::set<int> methods;
  for (int pane = 0; pane < 4; ++pane) {
    methods.insert(skinning_of(document.content, pane).method);
    EXPECT_EQ(skinning_of(document.content, pane).influence_limit, 3);
  }
  EXPECT_EQ(methods.size(), 4u) << "no two panes show the same";
  for (const int method : methods) {
    const deform::SkinningMethod& row = deform::skinning_methods()[method];
    EXPECT_EQ(row.prepare, nullptr) << row.id << " would have to be prepared first";
    EXPECT_NE(row.id, "rigid");
  }
  EXPECT_FALSE(methods.contains(deform::find_method("lbs-sum"))) << "which looks like linear blending";
  apply(document, SetPanes{9});
  EXPECT_EQ(pane_count(document.content), kPaneLimit) << "clamped";
  apply_and_check_inverse(document, SetPanes{0});
  EXPECT_EQ(pane_count(document.content), 1) << "clamped";
}

TEST(Commands, EachPaneHasItsOwnSettings) {
  Document document = arm_document();
  apply(document, SetPanes{3});
  deform::SkinningSettings settings = skinning_of(document.content, 2);
  settings.backend = deform::Backend::kCpu;
  apply_and_check_inverse(document, SetSkinning{settings, 2});
  EXPECT_EQ(document.history.undo_label(), "Skin on the CPU");
  EXPECT_EQ(skinning_of(document.content, 0), deform::SkinningSettings());
  EXPECT_EQ(skinning_of(document.content, 2), settings);
}

TEST(Commands, TheActivePaneIsOneThatIsThere) {
  Document document = arm_document();
  apply(document, SetPanes{3});
  EXPECT_EQ(document.view.active_pane, 0);
  document.view.active_pane = 2;
  apply(document, SetPanes{2});
  EXPECT_EQ(document.view.active_pane, 1);
  undo(document);
  EXPECT_EQ(document.view.active_pane, 1) << "which pane is active is not undone";
  document.view.active_pane = 2;
  undo(document);
  EXPECT_EQ(document.view.active_pane, 0);
  redo(document);
  document.view.active_pane = 2;
  open_character(document, document.character);
  EXPECT_EQ(pane_count(document.content), 3) << "panes stay";
  EXPECT_EQ(document.view.active_pane, 2) << "and so does which of them is active";
}

TEST(Commands, WeightsAsStoredAreThoseOfOneFile) {
  Document document = arm_document();
  apply(document, SetPanes{2});
  for (int pane = 0; pane < 2; ++pane) {
    deform::SkinningSettings settings = skinning_of(document.content, pane);
    settings.weights_as_stored = true;
    settings.influence_limit = 2;
    apply(document, SetSkinning{settings, pane});
  }
  open_character(document, document.character);
  for (int pane = 0; pane < 2; ++pane) {
    EXPECT_FALSE(skinning_of(document.content, pane).weights_as_stored);
    EXPECT_EQ(skinning_of(document.content, pane).influence_limit, 2) << "other settings stay";
  }
}

TEST(Commands, ReplacePoseForgetsEverythingElse) {
  Document document = arm_document();
  apply(document, SetBasePose{BasePose::kZero});
  apply(document, SetClip{0});
  apply(document, SetTime{2.0f});
  apply(document, SetDof{kElbow, 0, 0.3f});
  apply(document, SetMorph{1, 1.0f});
  const Transform hand{{0.3f, 0, 0}, kIdentityQuat, {1, 1, 1}};
  apply_and_check_inverse(document, ReplacePose{{{kHand, {hand, {}}}}, {{0, 1.0f}}});
  EXPECT_EQ(document.content.base, BasePose::kRest);
  EXPECT_EQ(document.content.clip, -1);
  EXPECT_EQ(document.content.overrides->size(), 1u);
  EXPECT_EQ(document.content.morph_overrides->size(), 1u);
  EXPECT_EQ(dof_values(document, kHand).size(), joint_dofs(document, kHand).dofs.size());
  EXPECT_EQ(local(evaluate_pose(document), kHand), hand);
  EXPECT_EQ(evaluate_pose(document).morph_weights[0], 1.0f);
}

TEST(Commands, ReplacePoseTakesTheSlidersThatItIsGiven) {
  Document document = arm_document();
  // Beyond a right angle about the middle axis: other angles make the same rotation.
  std::vector<float> values(joint_dofs(document, kShoulder).dofs.size(), 0.0f);
  for (const char* name : {"bend", "twist", "side"}) {
    values[dof(document, kShoulder, name)] = 2.0f;
  }
  const Transform turned = rig::local_from_dofs(joint_dofs(document, kShoulder), values);
  ASSERT_NE(rig::dofs_from_local(joint_dofs(document, kShoulder), turned), values);
  apply(document, ReplacePose{{{kShoulder, {turned, values}}}, {}});
  EXPECT_EQ(dof_values(document, kShoulder), values);
  Transform twice = turned;
  twice.rotation = twice.rotation * 2.0f;
  apply(document, ReplacePose{{{kShoulder, {twice, {}}}}, {}});
  EXPECT_NEAR(glm::length(local(evaluate_pose(document), kShoulder).rotation), 1.0f, 1e-6f);
}

TEST(Commands, LabelsNameTheThing) {
  const Document document = arm_document();
  EXPECT_EQ(label(document, SetDof{kElbow, 0, 1}), "Rotate elbow_l");
  EXPECT_EQ(label(document, SetDof{kShoulder, dof(document, kShoulder, "tx"), 1}), "Move shoulder_l");
  EXPECT_EQ(label(document, ResetDof{kElbow, 0}), "Reset elbow_l bend");
  EXPECT_EQ(label(document, ResetJoints{{kElbow}, ResetScope::kSubtree, ResetTo::kBind}),
            "Reset elbow_l and below to bind");
  EXPECT_EQ(label(document, SetMorph{1, 1}), "Set frown");
  EXPECT_EQ(label(document, SetMorph{2, 1}), "Set shape 2");
  EXPECT_EQ(label(document, SetClip{0}), "Clip wave");
  EXPECT_EQ(label(document, SetClip{-1}), "No clip");
  EXPECT_EQ(label(document, SetDof{kShoulder, dof(document, kShoulder, "sx"), 1}), "Scale shoulder_l");
  const std::pair<ResetTo, const char*> resets[] = {{ResetTo::kBase, "Reset elbow_l to the base pose"},
                                                    {ResetTo::kRest, "Reset elbow_l to rest"},
                                                    {ResetTo::kBind, "Reset elbow_l to bind"},
                                                    {ResetTo::kZero, "Reset elbow_l to zero"}};
  for (const auto& [to, text] : resets) {
    EXPECT_EQ(label(document, ResetJoints{{kElbow}, ResetScope::kJoint, to}), text);
  }
  EXPECT_EQ(label(document, ResetJoints{{}, ResetScope::kAll, ResetTo::kRest}), "Reset all to rest");
  EXPECT_EQ(label(document, ResetJoints{{kElbow, kShoulder}, ResetScope::kSubtree, ResetTo::kZero}),
            "Reset 2 joints and below to zero");
  EXPECT_EQ(label(document, MirrorPose{MirrorDirection::kSwap, {kRoot}}), "Swap left and right from root");
  Transform larger = document.character->skeleton->rest[kElbow];
  larger.scale *= 2.0f;
  EXPECT_EQ(label(document, SetJointLocal{kElbow, larger}), "Pose elbow_l");
  EXPECT_EQ(label(document, SetPanes{0}), "Show one pane");
  EXPECT_EQ(label(document, SetPanes{1}), "Show one pane");
  EXPECT_EQ(label(document, SetPanes{2}), "Show 2 panes");
}

TEST(Commands, LabelsOfWhatHasNoName) {
  rig::Character character = test::arm();
  character.clips.push_back(rig::Clip());
  character.skins.edit(0).name = "";
  mesh::Primitive hat;
  hat.topology = mesh::Topology::kPoints;
  hat.positions = {{0, 0, 0}};
  hat.indices = {0};
  hat.morph_targets = {{"wink", {{0, 0, 1}}, {}, {}}, {"", {{0, 0, 1}}, {}, {}}};
  test::add_skinned_mesh(character, "hat", {kRoot}, std::move(hat));
  character.meshes.edit_back().morph_names = {"wink", ""};
  rig::finish(character);
  const Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  EXPECT_EQ(label(document, SetClip{1}), "Clip 1");
  EXPECT_EQ(label(document, RebindSkin{0}), "Re-bind skin 0");
  EXPECT_EQ(label(document, RebindSkin{1}), "Re-bind hat");
  EXPECT_EQ(label(document, SetMorph{0, 1}), "Set smile");
  EXPECT_EQ(label(document, SetMorph{3, 1}), "Set wink") << "the first of its mesh";
  EXPECT_EQ(label(document, SetMorph{4, 1}), "Set shape 4");
}

}  // namespace
}  // namespace pelt::edit
