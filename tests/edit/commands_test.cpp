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
  const State before = document.state;
  const std::size_t steps = document.undo_stack.size();
  apply(document, change);
  const State after = document.state;
  ASSERT_NE(after, before) << "the change must do something";
  ASSERT_EQ(document.undo_stack.size(), steps + 1);
  const std::string text = document.undo_stack.back().label;
  EXPECT_FALSE(text.empty());
  undo(document);
  EXPECT_EQ(document.state, before);
  ASSERT_TRUE(can_redo(document));
  EXPECT_EQ(document.redo_stack.back().label, text);
  redo(document);
  EXPECT_EQ(document.state, after);
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
  EXPECT_EQ(values[static_cast<std::size_t>(dof(document, kShoulder, "bend"))], 0.4f);
  EXPECT_EQ(values[static_cast<std::size_t>(dof(document, kShoulder, "twist"))], -0.7f);
  const Transform expected = rig::local_from_dofs(joint_dofs(document, kShoulder), values);
  EXPECT_EQ(local(evaluate_pose(document), kShoulder), expected);
}

TEST(Commands, SetDofBackToTheBaseLeavesNoOverride) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.0f});
  EXPECT_TRUE(document.state.overrides.empty());
}

TEST(Commands, SliderKeepsWhatItCannotExpress) {
  Document document = arm_document();
  // Off the hinge's axis and away from its offset.
  const Transform odd{{0.35f, 0.02f, 0.01f}, glm::angleAxis(0.6f, glm::normalize(glm::vec3(1, 2, 3))), {1, 1.1f, 1}};
  apply(document, SetJointLocal{kElbow, odd, false});
  ASSERT_EQ(local(evaluate_pose(document), kElbow), odd);
  const float value = dof_values(document, kElbow)[0];
  apply(document, SetDof{kElbow, 0, value + 1e-4f});
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), odd), 2e-4f) << "touching a slider must not jump";
  apply(document, SetDof{kElbow, 0, value + 0.5f});
  apply(document, SetDof{kElbow, 0, value});
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), odd), 2e-6f);
}

TEST(Commands, OneSliderDoesNotClampTheOthers) {
  Document document = arm_document();
  const int bend = dof(document, kShoulder, "bend");
  const int tx = dof(document, kShoulder, "tx");
  ASSERT_GE(tx, 0);
  Transform far = document.character->skeleton->rest[kShoulder];
  far.translation.x += 1000;
  apply(document, SetJointLocal{kShoulder, far, false});
  const float before = dof_values(document, kShoulder)[static_cast<std::size_t>(tx)];
  apply(document, SetDof{kShoulder, bend, 0.3f});
  EXPECT_EQ(dof_values(document, kShoulder)[static_cast<std::size_t>(tx)], before);
}

TEST(Commands, SetJointLocalKeepsTheTransform) {
  Document document = arm_document();
  const Transform target{{0.1f, 0.2f, 0.3f}, glm::normalize(glm::quat(0.9f, 0.1f, -0.3f, 0.2f)), {1, 1, 1}};
  apply_and_check_inverse(document, SetJointLocal{kShoulder, target});
  EXPECT_LT(distance(local(evaluate_pose(document), kShoulder), target), 1e-7f);
  const Transform from_sliders = rig::local_from_dofs(joint_dofs(document, kShoulder), dof_values(document, kShoulder));
  EXPECT_LT(distance(from_sliders, target), 1e-6f) << "the sliders must say the same";
}

TEST(Commands, SetJointLocalRespectsAuthoredLimits) {
  Document document = arm_document();
  Transform target = document.character->skeleton->rest[kElbow];
  target.rotation = glm::angleAxis(170 * kDegree, glm::vec3(0, 0, 1));
  target.translation += glm::vec3(0.1f, 0, 0);
  apply(document, SetJointLocal{kElbow, target});
  const Transform result = local(evaluate_pose(document), kElbow);
  EXPECT_EQ(dof_values(document, kElbow)[0], 140 * kDegree);
  EXPECT_EQ(result.translation, document.character->skeleton->rest[kElbow].translation) << "a hinge does not move";
  apply(document, SetJointLocal{kElbow, target, false});
  EXPECT_LT(distance(local(evaluate_pose(document), kElbow), target), 1e-7f);
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
  const State before = document.state;
  for (const float bad : {kNotANumber, kInfinity, -kInfinity}) {
    apply(document, SetDof{kElbow, 0, bad});
    apply(document, SetMorph{0, bad});
    apply(document, SetTime{bad});
    apply(document, SetJointLocal{kShoulder, {{bad, 0, 0}, kIdentityQuat, {1, 1, 1}}});
    apply(document, SetJointLocal{kShoulder, {{}, glm::quat(bad, 0, 0, 0), {1, 1, 1}}});
    apply(document, SetJointLocal{kElbow, {{}, kIdentityQuat, {1, bad, 1}}});
    apply(document, ReplacePose{{{kHand, {{{0, bad, 0}}, {}}}}, {{0, bad}}});
  }
  EXPECT_EQ(document.state, before);
  EXPECT_FALSE(can_undo(document));
  EXPECT_EQ(document.state_version, 1u);
}

TEST(Commands, ResetDofMovesOneSliderBack) {
  Document document = arm_document();
  const int bend = dof(document, kShoulder, "bend");
  const int side = dof(document, kShoulder, "side");
  apply(document, SetDof{kShoulder, bend, 0.4f});
  apply(document, SetDof{kShoulder, side, 0.2f});
  apply_and_check_inverse(document, ResetDof{kShoulder, bend});
  EXPECT_NEAR(dof_values(document, kShoulder)[static_cast<std::size_t>(bend)], 0.0f, 1e-6f);
  EXPECT_EQ(dof_values(document, kShoulder)[static_cast<std::size_t>(side)], 0.2f);
  apply(document, ResetDof{kShoulder, side});
  EXPECT_TRUE(document.state.overrides.empty());
}

TEST(Commands, ResetsReachJointSubtreeAndAll) {
  Document document = arm_document();
  for (const int j : {kRoot, kShoulder, kHand}) {
    apply(document, SetJointLocal{j, {{1, 2, 3}, glm::angleAxis(0.3f, glm::vec3(0, 1, 0)), {1, 1, 1}}});
  }
  Document joint = document;
  apply_and_check_inverse(joint, ResetJoints{kShoulder, ResetScope::kJoint, ResetTo::kBase});
  EXPECT_EQ(joint.state.overrides.size(), 2u);
  Document subtree = document;
  apply_and_check_inverse(subtree, ResetJoints{kShoulder, ResetScope::kSubtree, ResetTo::kRest});
  EXPECT_EQ(subtree.state.overrides.size(), 1u);
  EXPECT_TRUE(subtree.state.overrides.contains(kRoot));
  for (const ResetTo to : {ResetTo::kBase, ResetTo::kRest}) {
    Document all = document;
    apply_and_check_inverse(all, ResetJoints{-1, ResetScope::kAll, to});
    EXPECT_TRUE(all.state.overrides.empty());
  }
}

// Rest, bind and zero pose all differ: the elbow rests bent by 30 degrees, was bound straight, and is at zero there
// too.
Document bent_rest_document() {
  rig::Character character = test::arm();
  character.skeleton.edit().rest[kElbow].rotation = glm::angleAxis(30 * kDegree, glm::vec3(0, 0, 1));
  character.skeleton.edit().rest[kShoulder].rotation = glm::angleAxis(0.2f, glm::vec3(1, 0, 0));
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
  for (const auto& one : cases) {
    Document by_joints = fresh;
    apply(by_joints, SetDof{kShoulder, 0, 0.9f});
    apply(by_joints, ResetJoints{-1, ResetScope::kAll, one.to});
    EXPECT_LT(distance(evaluate_pose(by_joints), one.expected), 2e-6f);
    Document by_base = fresh;
    apply(by_base, SetDof{kShoulder, 0, 0.9f});
    apply(by_base, SetClip{0});
    apply_and_check_inverse(by_base, SetBasePose{one.base});
    EXPECT_EQ(evaluate_pose(by_base), one.expected);
    EXPECT_TRUE(by_base.state.overrides.empty());
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
  EXPECT_EQ(document.state.overrides.size(), 2u);
  const rig::Pose both = evaluate_pose(document);
  apply(document, MirrorPose{MirrorDirection::kSwap});
  EXPECT_EQ(document.state.overrides.size(), 2u);
  EXPECT_LT(distance(evaluate_pose(document), both), 1e-5f) << "both sides are posed alike";
  Document other = arm_document();
  apply(other, SetClip{0});
  apply(other, SetDof{kElbow, 0, 0.7f});
  apply(other, MirrorPose{});
  EXPECT_FALSE(other.state.overrides.contains(kElbow));
  EXPECT_TRUE(other.state.overrides.contains(5));
  apply(other, MirrorPose{});
  EXPECT_TRUE(other.state.overrides.contains(kElbow));
  EXPECT_FALSE(other.state.overrides.contains(5));
}

TEST(Commands, MirrorGoesOneWay) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply(document, SetDof{4, dof(document, 4, "twist"), 0.4f});
  const Document before = document;
  apply(document, MirrorPose{MirrorDirection::kLeftToRight});
  EXPECT_TRUE(document.state.overrides.contains(kElbow));
  EXPECT_TRUE(document.state.overrides.contains(5));
  EXPECT_FALSE(document.state.overrides.contains(4)) << "the left shoulder was not posed";
  EXPECT_EQ(local(evaluate_pose(document), 5), local(mirrored_pose(before), 5));
  document = before;
  apply(document, MirrorPose{MirrorDirection::kRightToLeft});
  EXPECT_TRUE(document.state.overrides.contains(kShoulder));
  EXPECT_FALSE(document.state.overrides.contains(kElbow)) << "the right elbow was not posed";
  EXPECT_EQ(local(evaluate_pose(document), kShoulder), local(mirrored_pose(before), kShoulder));
}

TEST(Commands, MirrorOfALimbLeavesTheOthersAlone) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.7f});
  apply(document, SetDof{kShoulder, 0, 0.3f});
  apply(document, SetDof{0, 0, 0.2f});
  const JointOverride root = document.state.overrides.at(0);
  for (const int limb : {kElbow, 5}) {  // the side that is selected does not matter
    Document copy = document;
    apply(copy, MirrorPose{MirrorDirection::kLeftToRight, limb});
    EXPECT_TRUE(copy.state.overrides.contains(5));
    EXPECT_FALSE(copy.state.overrides.contains(4)) << "the shoulder lies above the limb";
    EXPECT_EQ(copy.state.overrides.at(0), root);
  }
  apply(document, MirrorPose{MirrorDirection::kLeftToRight});
  EXPECT_EQ(document.state.overrides.at(0), root) << "what is in the middle belongs to neither side";
  apply(document, MirrorPose{MirrorDirection::kSwap});
  EXPECT_NE(document.state.overrides.at(0), root);
}

TEST(Commands, MirrorsAreNamed) {
  const Document document = arm_document();
  EXPECT_EQ(label(document, MirrorPose{}), "Swap left and right");
  EXPECT_EQ(label(document, MirrorPose{MirrorDirection::kLeftToRight}), "Mirror left to right");
  EXPECT_EQ(label(document, MirrorPose{MirrorDirection::kRightToLeft, 1}), "Mirror right to left from shoulder_l");
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

TEST(Undo, ACancelledDragLeavesNothing) {
  Document document = arm_document();
  apply(document, SetDof{kShoulder, 0, 0.3f}, "ring#1");
  end_merge(document);
  const Document before = document;
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.state, before.state) << "a drag that has changed nothing";
  apply(document, SetDof{kElbow, 0, 0.3f}, "ring#2");
  apply(document, SetDof{kElbow, 0, 0.6f}, "ring#2");
  cancel_merge(document, "ring#1");
  EXPECT_NE(document.state, before.state) << "another drag";
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.state, before.state);
  EXPECT_EQ(document.undo_stack, before.undo_stack);
  EXPECT_FALSE(can_redo(document));
  apply(document, SetDof{kElbow, 0, 0.1f}, "ring#2");
  EXPECT_EQ(document.undo_stack.size(), 2u);
}

TEST(Commands, MorphsAreSetAndReset) {
  Document document = arm_document();
  apply_and_check_inverse(document, SetMorph{0, 0.5f});
  apply_and_check_inverse(document, SetMorph{1, 0.75f});
  EXPECT_THAT(evaluate_pose(document).morph_weights, testing::ElementsAre(0.5f, 0.75f, 0.0f));
  apply(document, SetMorph{1, 0.25f});
  EXPECT_FALSE(document.state.morph_overrides.contains(1)) << "back at the file's weight";
  apply_and_check_inverse(document, ResetMorphs{});
  EXPECT_THAT(evaluate_pose(document).morph_weights, testing::ElementsAre(0.0f, 0.25f, 0.0f));
}

TEST(Commands, OverrideWinsOverTheClip) {
  Document document = arm_document();
  apply_and_check_inverse(document, SetClip{0});
  EXPECT_EQ(document.state.time, 1.0f) << "a clip begins at its own start";
  apply_and_check_inverse(document, SetTime{2.0f});
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
  apply(document, ResetJoints{kShoulder, ResetScope::kJoint, ResetTo::kBase});
  EXPECT_LT(distance(local(evaluate_pose(document), kShoulder),
                     {{0.2f, 0.4f, 0}, glm::angleAxis(1.0f, glm::vec3(0, 0, 1)), {1, 1, 1}}),
            1e-6f);
  apply(document, SetTime{99});
  EXPECT_EQ(document.state.time, 3.0f);
  apply(document, SetClip{-1});
  EXPECT_EQ(document.state.time, 0.0f);
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
    EXPECT_EQ(document.state.euler_orders.contains(kShoulder), order != *own);
  }
  apply(document, SetEulerOrder{kElbow, EulerOrder::kZXY});
  EXPECT_FALSE(document.state.euler_orders.contains(kElbow)) << "a hinge has no order";
}

TEST(Commands, SkinningSettingsAreUndone) {
  Document document = arm_document();
  deform::SkinningSettings settings;
  settings.backend = deform::Backend::kCpu;
  apply_and_check_inverse(document, SetSkinning{settings});
  EXPECT_EQ(document.undo_stack.back().label, "Skin on the CPU");
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
    return document.undo_stack.back().label;
  };
  using Settings = deform::SkinningSettings;
  EXPECT_EQ(label_of([](Settings& s) { s.method = deform::find_method("dqs"); }), "Skin by Dual quaternion");
  EXPECT_EQ(label_of([](Settings& s) { s.influence_limit = 2; }), "Limit influences");
  EXPECT_EQ(label_of([](Settings& s) { s.prune_threshold = 0.1f; }), "Prune weights");
  EXPECT_EQ(label_of([](Settings& s) { s.weight_format = mesh::WeightFormat::kUnorm8; }),
            "Change how weights are stored");
  EXPECT_EQ(label_of([](Settings& s) { s.partition = true; }), "Draw rigid triangles apart");
  EXPECT_EQ(label_of([](Settings& s) { s.palette_limit = 24; }), "Change palette limit");
  EXPECT_EQ(label_of([](Settings& s) { s.weights_as_stored = !s.weights_as_stored; }), "Use weights as stored");
  for (const deform::MethodParameter& parameter :
       deform::skinning_methods()[static_cast<std::size_t>(deform::find_method("delta-mush"))].parameters) {
    EXPECT_EQ(label_of([&](Settings& s) {
                parameter.set(s.parameters,
                              parameter.get(s.parameters) == parameter.minimum ? parameter.maximum : parameter.minimum);
              }),
              "Change " + std::string(parameter.label) + " of Delta mush");
  }
}

TEST(Commands, PanesCopyTheActiveOneButEachShowsAnotherMethod) {
  Document document = arm_document();
  deform::SkinningSettings settings;
  settings.influence_limit = 3;
  apply(document, SetSkinning{settings});
  apply_and_check_inverse(document, SetPanes{2});
  EXPECT_EQ(document.undo_stack.back().label, "Show 2 panes");
  ASSERT_EQ(pane_count(document.state), 2);
  EXPECT_EQ(skinning_of(document.state, 0), settings);
  EXPECT_NE(skinning_of(document.state, 1).method, settings.method);
  EXPECT_EQ(skinning_of(document.state, 1).influence_limit, 3);
  document.active_pane = 1;
  apply_and_check_inverse(document, SetPanes{4});
  std::set<int> methods;
  for (int pane = 0; pane < 4; ++pane) {
    methods.insert(skinning_of(document.state, pane).method);
    EXPECT_EQ(skinning_of(document.state, pane).influence_limit, 3);
  }
  EXPECT_EQ(methods.size(), 4u) << "no two panes show the same";
  EXPECT_FALSE(methods.contains(deform::find_method("lbs-sum"))) << "which looks like linear blending";
  apply(document, SetPanes{9});
  EXPECT_EQ(pane_count(document.state), kPaneLimit) << "clamped";
  apply_and_check_inverse(document, SetPanes{0});
  EXPECT_EQ(pane_count(document.state), 1) << "clamped";
}

TEST(Commands, EachPaneHasItsOwnSettings) {
  Document document = arm_document();
  apply(document, SetPanes{3});
  deform::SkinningSettings settings = skinning_of(document.state, 2);
  settings.backend = deform::Backend::kCpu;
  apply_and_check_inverse(document, SetSkinning{settings, 2});
  EXPECT_EQ(document.undo_stack.back().label, "Skin on the CPU");
  EXPECT_EQ(skinning_of(document.state, 0), deform::SkinningSettings());
  EXPECT_EQ(skinning_of(document.state, 2), settings);
}

TEST(Commands, TheActivePaneIsOneThatIsThere) {
  Document document = arm_document();
  apply(document, SetPanes{3});
  document.active_pane = 2;
  apply(document, SetPanes{2});
  EXPECT_EQ(document.active_pane, 1);
  undo(document);
  EXPECT_EQ(document.active_pane, 1) << "which pane is active is not undone";
  document.active_pane = 2;
  undo(document);
  EXPECT_EQ(document.active_pane, 0);
  redo(document);
  document.active_pane = 2;
  open_character(document, document.character);
  EXPECT_EQ(pane_count(document.state), 3) << "panes stay";
  EXPECT_EQ(document.active_pane, 2) << "and so does which of them is active";
}

TEST(Commands, WeightsAsStoredAreThoseOfOneFile) {
  Document document = arm_document();
  apply(document, SetPanes{2});
  for (int pane = 0; pane < 2; ++pane) {
    deform::SkinningSettings settings = skinning_of(document.state, pane);
    settings.weights_as_stored = true;
    settings.influence_limit = 2;
    apply(document, SetSkinning{settings, pane});
  }
  open_character(document, document.character);
  for (int pane = 0; pane < 2; ++pane) {
    EXPECT_FALSE(skinning_of(document.state, pane).weights_as_stored);
    EXPECT_EQ(skinning_of(document.state, pane).influence_limit, 2) << "other settings stay";
  }
}

TEST(Commands, ReplacePoseForgetsEverythingElse) {
  Document document = arm_document();
  apply(document, SetBasePose{BasePose::kZero});
  apply(document, SetClip{0});
  apply(document, SetDof{kElbow, 0, 0.3f});
  const Transform hand{{0.3f, 0, 0}, kIdentityQuat, {1, 1, 1}};
  apply_and_check_inverse(document, ReplacePose{{{kHand, {hand, {}}}}, {{0, 1.0f}}});
  EXPECT_EQ(document.state.base, BasePose::kRest);
  EXPECT_EQ(document.state.clip, -1);
  EXPECT_EQ(document.state.overrides.size(), 1u);
  EXPECT_EQ(dof_values(document, kHand).size(), joint_dofs(document, kHand).dofs.size());
  EXPECT_EQ(local(evaluate_pose(document), kHand), hand);
  EXPECT_EQ(evaluate_pose(document).morph_weights[0], 1.0f);
}

TEST(Undo, OneStepPerDrag) {
  Document document = arm_document();
  const State before = document.state;
  for (int i = 1; i <= 20; ++i) {
    apply(document, SetDof{kElbow, 0, static_cast<float>(i) * 0.05f}, "drag");
  }
  EXPECT_EQ(document.undo_stack.size(), 1u);
  end_merge(document);
  apply(document, SetDof{kElbow, 0, 1.1f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u) << "the next drag is a step of its own";
  apply(document, SetDof{kElbow, 0, 1.2f}, "other");
  apply(document, SetDof{kElbow, 0, 1.3f});
  apply(document, SetDof{kElbow, 0, 1.4f});
  EXPECT_EQ(document.undo_stack.size(), 5u);
  while (can_undo(document)) {
    undo(document);
  }
  EXPECT_EQ(document.state, before);
}

TEST(Undo, DragThatReturnsLeavesNoStep) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.0f}, "drag");
  EXPECT_FALSE(can_undo(document));
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 1u);
  undo(document);
  EXPECT_TRUE(document.state.overrides.empty());
}

TEST(Undo, DragThatBeginsWithNothingDoesNotJoinTheStepBefore) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u);
  undo(document);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.5f);
}

TEST(Undo, UndoEndsADrag) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.7f}, "drag");
  undo(document);
  apply(document, SetDof{kElbow, 0, 0.9f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u);
}

TEST(Undo, NothingChangedNothingRecorded) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  undo(document);
  const std::uint64_t version = document.state_version;
  apply(document, SetDof{kElbow, 0, 0.0f});
  apply(document, SetSkinning{document.state.skinning});
  apply(document, SetTime{1.0f});
  apply(document, ResetMorphs{});
  EXPECT_TRUE(can_redo(document)) << "what could be redone stays";
  EXPECT_EQ(document.state_version, version);
  apply(document, SetDof{kElbow, 0, 0.2f});
  EXPECT_FALSE(can_redo(document));
}

TEST(Undo, WithoutHistoryIsHarmless) {
  Document document = arm_document();
  const State before = document.state;
  undo(document);
  redo(document);
  EXPECT_EQ(document.state, before);
  EXPECT_EQ(document.state_version, 1u);
}

TEST(Undo, PlaybackLeavesHistoryAndDragAlone) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  edit::apply(document, {SetTime{1.5f}, "", false});
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u);
  edit::apply(document, {SetTime{2.5f}, "", false});
  undo(document);
  EXPECT_TRUE(document.state.overrides.empty());
  EXPECT_EQ(document.state.time, 2.5f) << "undoing a slider does not move the playhead";
  edit::apply(document, {SetTime{2.75f}, "", false});
  EXPECT_TRUE(can_redo(document)) << "playback keeps what can be redone";
  redo(document);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.6f);
  EXPECT_EQ(document.state.time, 2.75f);
  undo(document);
  undo(document);
  EXPECT_EQ(document.state, State{}) << "undoing the clip takes its time back too";
}

TEST(Undo, ScrubbingIsAStepThatMovesTheTime) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2.0f}, "scrub");
  apply(document, SetTime{2.5f}, "scrub");
  EXPECT_EQ(document.undo_stack.size(), 2u);
  undo(document);
  EXPECT_EQ(document.state.time, 1.0f);
  redo(document);
  EXPECT_EQ(document.state.time, 2.5f);
}

TEST(Undo, OldStepsAreForgotten) {
  Document document = arm_document();
  for (std::size_t i = 1; i <= kUndoLimit + 50; ++i) {
    apply(document, SetMorph{0, static_cast<float>(i)});
  }
  EXPECT_EQ(document.undo_stack.size(), kUndoLimit);
  while (can_undo(document)) {
    undo(document);
  }
  EXPECT_EQ(document.state.morph_overrides.at(0), 50.0f);
}

Change random_change(const Document& document, test::Random& random) {
  const int joint = random.below(document.character->skeleton->size());
  const int dof_count =
      static_cast<int>(document.character->skeleton->dofs[static_cast<std::size_t>(joint)].dofs.size());
  switch (random.below(13)) {
    case 0:
    case 1:
      return SetDof{joint, random.below(dof_count), random.real(-4.0f, 4.0f)};
    case 2:
      return SetJointLocal{
          joint, {random.vector(-1, 1), glm::quat(random.rotation()), random.vector(0.5f, 2.0f)}, random.below(2) == 0};
    case 3:
      return ResetDof{joint, random.below(dof_count)};
    case 4:
      return ResetJoints{joint, static_cast<ResetScope>(random.below(3)), static_cast<ResetTo>(random.below(4))};
    case 5:
      return SetBasePose{static_cast<BasePose>(random.below(3))};
    case 6:
      return MirrorPose{static_cast<MirrorDirection>(random.below(3)), random.below(2) == 0 ? -1 : joint};
    case 7:
      return SetMorph{random.below(3), random.real(-1.0f, 2.0f)};
    case 8:
      return random.below(4) == 0 ? Change(ResetMorphs{}) : Change(SetMorph{random.below(3), 0.5f});
    case 9:
      return SetClip{random.below(2) - 1};
    case 10:
      return SetTime{random.real(0.0f, 4.0f)};
    case 11:
      return SetEulerOrder{joint, kEulerOrders[static_cast<std::size_t>(random.below(6))]};
    default: {
      deform::SkinningSettings settings;
      settings.method = random.below(2);
      settings.influence_limit = random.below(9);
      return SetSkinning{settings};
    }
  }
}

// After each of 1000 random commands the state is remembered; undoing everything and redoing everything must pass
// through the remembered states exactly. In blocks that fit the bounded history.
TEST(Undo, ThousandRandomCommandsAndBack) {
  test::Random random(7);
  Document document = arm_document();
  int recorded = 0;
  for (int block = 0; block < 5; ++block) {
    document.undo_stack.clear();
    document.redo_stack.clear();
    end_merge(document);
    std::vector<State> states = {document.state};
    for (int i = 0; i < 200; ++i) {
      const std::size_t steps = document.undo_stack.size();
      const char* key = random.below(3) == 0 ? "drag" : "";
      apply(document, random_change(document, random), key);
      for (const auto& [j, value] : document.state.overrides) {
        ASSERT_TRUE(std::isfinite(glm::length(value.local.rotation)));
        ASSERT_EQ(value.dof_values.size(), document.character->skeleton->dofs[static_cast<std::size_t>(j)].dofs.size());
      }
      if (document.undo_stack.size() > steps) {
        states.push_back(document.state);
      } else if (document.undo_stack.size() == steps) {
        states.back() = document.state;
      } else {
        states.pop_back();
      }
      ASSERT_EQ(states.size(), document.undo_stack.size() + 1);
    }
    recorded += static_cast<int>(states.size());
    for (std::size_t i = states.size(); i-- > 0;) {
      ASSERT_EQ(document.state, states[i]) << "block " << block << ", step " << i;
      undo(document);
    }
    for (const State& state : states) {
      ASSERT_EQ(document.state, state);
      redo(document);
    }
    ASSERT_EQ(document.state, states.back());
  }
  EXPECT_GT(recorded, 500) << "most random commands must do something";
}

TEST(Commands, LabelsNameTheThing) {
  const Document document = arm_document();
  EXPECT_EQ(label(document, SetDof{kElbow, 0, 1}), "Rotate elbow_l");
  EXPECT_EQ(label(document, SetDof{kShoulder, dof(document, kShoulder, "tx"), 1}), "Move shoulder_l");
  EXPECT_EQ(label(document, ResetDof{kElbow, 0}), "Reset elbow_l bend");
  EXPECT_EQ(label(document, ResetJoints{kElbow, ResetScope::kSubtree, ResetTo::kBind}),
            "Reset elbow_l and below to bind");
  EXPECT_EQ(label(document, SetMorph{1, 1}), "Set frown");
  EXPECT_EQ(label(document, SetMorph{2, 1}), "Set shape 2");
  EXPECT_EQ(label(document, SetClip{0}), "Clip wave");
}

}  // namespace
}  // namespace pelt::edit
