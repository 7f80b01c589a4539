// Constraints of the document (§18): laws over random poses, cycles, and the ways of a document.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "edit/behaviour_edits.h"
#include "edit/constraint_edits.h"
#include "edit/evaluation.h"
#include "edit/file_behaviour.h"
#include "edit/file_layers.h"
#include "edit/session.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "reversed_followers.h"
#include "rig/constraints.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

using motion::Constraint;
using motion::ConstraintKind;
using test::apply;
using test::kElbow;
using test::kHand;
using test::kRoot;
using test::kShoulder;

constexpr int kOtherShoulder = 4;
constexpr int kOtherElbow = 5;

// The arm with other turns and places of all joints at each call.
Document posed_arm(test::Random& random) {
  Document document = test::arm_document();
  for (int j = 0; j < 6; ++j) {
    Transform local = document.character->skeleton->rest[static_cast<std::size_t>(j)];
    local.rotation = glm::quat(random.rotation());
    local.translation += random.vector(-0.2f, 0.2f);
    apply(document, SetJointLocal{j, local});
  }
  return document;
}

std::vector<glm::mat4> world_matrices_of(const Document& document) {
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, evaluate_pose(document));
  return world.world();
}

double apart(const glm::mat4& a, const glm::mat4& b) {
  double worst = 0;
  for (int c = 0; c < 4; ++c) {
    worst = std::max(worst, static_cast<double>(glm::length(a[c] - b[c])));
  }
  return worst;
}

TEST(Constraints, C18_5_AWeightOfNothingIsThePoseToTheBit) {
  test::Random random(1);
  for (const motion::ConstraintKindInfo& kind : motion::constraint_kinds()) {
    Document document = posed_arm(random);
    const rig::Pose before = evaluate_pose(document);
    SetConstraints change = with_constraint(document, kind.kind, kHand, kOtherElbow, false);
    change.constraints[0].height = 5;
    apply(document, change);
    ASSERT_EQ(document.content.behaviour->constraints.size(), 1u) << kind.id;
    EXPECT_NE(evaluate_pose(document), before) << kind.id;
    change.constraints[0].weight = 0;
    apply(document, change);
    EXPECT_EQ(evaluate_pose(document), before) << kind.id;
    change.constraints[0].weight = 1;
    change.constraints[0].on = false;
    apply(document, change);
    EXPECT_EQ(evaluate_pose(document), before) << kind.id;
  }
}

TEST(Constraints, C18_5_APositionIsThatOfTheTargetWhateverParentsDo) {
  test::Random random(2);
  for (int n = 0; n < 100; ++n) {
    Document document = posed_arm(random);
    apply(document, with_constraint(document, ConstraintKind::kPosition, kHand, kOtherElbow, false));
    const std::vector<glm::mat4> world = world_matrices_of(document);
    ASSERT_LT(glm::length(world[kHand][3] - world[kOtherElbow][3]), 2e-6f);
    // Half of it is half the way; an axis that is off stays.
    SetConstraints half{document.content.behaviour->constraints};
    half.constraints[0].weight = 0.5f;
    half.constraints[0].axes = {true, false, true};
    Document other = document;
    other.content.behaviour = {};
    const glm::vec3 from(world_matrices_of(other)[kHand][3]);
    const glm::vec3 to(world[kOtherElbow][3]);
    apply(document, half);
    const glm::vec3 wanted((from.x + to.x) / 2, from.y, (from.z + to.z) / 2);
    ASSERT_LT(glm::length(glm::vec3(world_matrices_of(document)[kHand][3]) - wanted), 2e-6f);
  }
}

TEST(Constraints, C18_5_AKeptOffsetMovesNothingAndStays) {
  test::Random random(3);
  for (int n = 0; n < 100; ++n) {
    Document document = posed_arm(random);
    const std::vector<glm::mat4> before = world_matrices_of(document);
    const ConstraintKind kind = n % 2 == 0 ? ConstraintKind::kPosition : ConstraintKind::kParent;
    apply(document, with_constraint(document, kind, kHand, kOtherElbow, true));
    ASSERT_LT(apart(world_matrices_of(document)[kHand], before[kHand]), 5e-6) << n;
    // All above move: the joint as the target sees it stays.
    for (const int j : {kRoot, kShoulder, kElbow, kOtherShoulder}) {
      Transform local = document.character->skeleton->rest[static_cast<std::size_t>(j)];
      local.rotation = glm::quat(random.rotation());
      apply(document, SetJointLocal{j, local});
    }
    const std::vector<glm::mat4> after = world_matrices_of(document);
    if (kind == ConstraintKind::kParent) {
      const glm::mat4 relative = glm::inverse(before[kOtherElbow]) * before[kHand];
      ASSERT_LT(apart(glm::inverse(after[kOtherElbow]) * after[kHand], relative), 1e-5) << n;
    } else {
      ASSERT_LT(glm::length((after[kHand][3] - after[kOtherElbow][3]) - (before[kHand][3] - before[kOtherElbow][3])),
                5e-6f);
    }
  }
}

// A scale with signs comes back from a matrix with others and half a turn more: mixed as they are, one would go through
// nothing.
TEST(Constraints, C18_5_AKeptOffsetMovesNoMirroredJointAtAnyWeight) {
  test::Random random(11);
  for (const glm::vec3& signs : {glm::vec3(-1, -1, -1), glm::vec3(1, 1, -1), glm::vec3(-1, -1, 1), glm::vec3(-1, 1, 1),
                                 glm::vec3(1, -1, -1), glm::vec3(1, 1, 1)}) {
    Document document = posed_arm(random);
    Transform mirrored = evaluate_pose(document).local[kHand];
    mirrored.scale = signs * glm::vec3(1, 2, 0.5f);
    apply(document, SetJointLocal{kHand, mirrored, false});
    const std::vector<glm::mat4> before = world_matrices_of(document);
    SetConstraints change = with_constraint(document, ConstraintKind::kParent, kHand, kOtherElbow, true);
    for (const float weight : {0.0f, 0.3f, 0.5f, 1.0f}) {
      change.constraints[0].weight = weight;
      apply(document, change);
      EXPECT_LT(apart(world_matrices_of(document)[kHand], before[kHand]), 1e-5)
          << weight << " of " << signs.x << signs.y << signs.z;
    }
  }
}

TEST(Constraints, C18_5_AFloorIsNeverPenetratedAndHoldsNothingAbove) {
  test::Random random(4);
  int held = 0;
  for (int n = 0; n < 200; ++n) {
    Document document = posed_arm(random);
    const std::vector<glm::mat4> before = world_matrices_of(document);
    SetConstraints change = with_constraint(document, ConstraintKind::kFloor, kHand, -1, false);
    change.constraints[0].height = 1.3f;
    apply(document, change);
    const std::vector<glm::mat4> after = world_matrices_of(document);
    ASSERT_GT(after[kHand][3].y, 1.3f - 2e-6f);
    ASSERT_NEAR(after[kHand][3].x, before[kHand][3].x, 2e-6f);
    if (before[kHand][3].y >= 1.3f) {
      ASSERT_EQ(after[kHand], before[kHand]);
    } else {
      ++held;
    }
  }
  EXPECT_GT(held, 20);
}

TEST(Constraints, AnAimedAxisPointsAtTheTarget) {
  test::Random random(5);
  for (int n = 0; n < 100; ++n) {
    Document document = posed_arm(random);
    SetConstraints change = with_constraint(document, ConstraintKind::kAim, kElbow, kOtherElbow, false);
    change.constraints[0].axis = {0, 1, 0};
    apply(document, change);
    const std::vector<glm::mat4> world = world_matrices_of(document);
    const glm::vec3 axis = glm::normalize(glm::vec3(world[kElbow][1]));
    const glm::vec3 to = glm::normalize(glm::vec3(world[kOtherElbow][3] - world[kElbow][3]));
    ASSERT_LT(glm::length(axis - to), 2e-6f) << n;
  }
}

// Roll, aim and rotation of the document say what those of a VRM file say.
TEST(Constraints, KindsOfFilesAreThoseOfFiles) {
  test::Random random(6);
  struct Pair {
    ConstraintKind own;
    rig::ConstraintKind of_file;
  };
  for (const Pair& pair :
       {Pair{ConstraintKind::kRoll, rig::ConstraintKind::kRoll}, Pair{ConstraintKind::kAim, rig::ConstraintKind::kAim},
        Pair{ConstraintKind::kRotation, rig::ConstraintKind::kRotation}}) {
    Document document = posed_arm(random);
    rig::Pose wanted = evaluate_pose(document);
    SetConstraints change = with_constraint(document, pair.own, kOtherElbow, kElbow, false);
    change.constraints[0].axis = {1, 0, 0};
    const rig::NodeConstraint in_file{pair.of_file, kOtherElbow, kElbow, {1, 0, 0}, 1};
    rig::apply_constraints(document.character->skeleton, std::span(&in_file, 1), wanted);
    apply(document, change);
    EXPECT_EQ(evaluate_pose(document), wanted);
  }
}

TEST(Constraints, C18_3_WhatIsFollowedComesFirstInAnyOrder) {
  test::Random random(7);
  Document document = posed_arm(random);
  apply(document, with_constraint(document, ConstraintKind::kPosition, kOtherShoulder, kHand, false));
  apply(document, with_constraint(document, ConstraintKind::kPosition, 6, kOtherElbow, false));
  apply(document, with_constraint(document, ConstraintKind::kFloor, kElbow, -1, false));
  SetConstraints change{document.content.behaviour->constraints};
  ASSERT_EQ(change.constraints.size(), 3u);
  change.constraints[2].height = 3;
  apply(document, change);
  const rig::Pose wanted = evaluate_pose(document);
  const std::vector<glm::mat4> world = world_matrices_of(document);
  EXPECT_LT(glm::length(world[kOtherShoulder][3] - world[kHand][3]), 3e-6f) << "the hand hangs on the elbow";
  EXPECT_LT(glm::length(world[6][3] - world[kOtherElbow][3]), 3e-6f);
  std::sort(change.constraints.begin(), change.constraints.end(),
            [](const Constraint& a, const Constraint& b) { return a.joint < b.joint; });
  do {
    apply(document, change);
    EXPECT_EQ(evaluate_pose(document), wanted);
  } while (std::next_permutation(change.constraints.begin(), change.constraints.end(),
                                 [](const Constraint& a, const Constraint& b) { return a.joint < b.joint; }));
}

TEST(Constraints, C18_4_CyclesAreRefusedByName) {
  Document document = test::arm_document();
  apply(document, with_constraint(document, ConstraintKind::kPosition, kOtherElbow, kElbow, false));
  const SetConstraints cycle = with_constraint(document, ConstraintKind::kParent, kShoulder, kOtherElbow, true);
  EXPECT_EQ(why_refused(document, cycle),
            "Parent of shoulder_l to elbow_r: joints that follow each other: shoulder_l -> elbow_r -> shoulder_l");
  const Content before = document.content;
  apply(document, cycle);
  EXPECT_EQ(document.content, before);
  EXPECT_EQ(why_refused(document, with_constraint(document, ConstraintKind::kAim, kShoulder, kShoulder, false)),
            "Aim of shoulder_l to shoulder_l: it follows itself: shoulder_l -> shoulder_l");
  EXPECT_EQ(why_refused(document, with_constraint(document, ConstraintKind::kPosition, kShoulder, kHand, false)),
            "Position of shoulder_l to hand_l: it follows a joint that it carries: shoulder_l -> hand_l -> shoulder_l");
  EXPECT_EQ(why_refused(document, SetConstraints{{{.joint = "elbw_l", .target = "hand_l"}}}),
            "Position of elbw_l to hand_l: there is no joint 'elbw_l' (did you mean \"elbow_l\"?)");
  // A copy of turns may follow what hangs on it: only the joint's own rotation is read.
  EXPECT_EQ(why_refused(document, with_constraint(document, ConstraintKind::kRotation, kShoulder, kHand, false)), "");
}

TEST(Constraints, NumbersThatCannotBeUsedAreNamed) {
  Document document = test::arm_document();
  const SetConstraints sound = with_constraint(document, ConstraintKind::kAim, kHand, kOtherElbow, false);
  const auto why = [&](const auto& spoil) {
    SetConstraints change = sound;
    spoil(change.constraints[0]);
    const Content before = document.content;
    apply(document, change);
    EXPECT_EQ(document.content, before);
    return why_refused(document, change);
  };
  EXPECT_EQ(why_refused(document, sound), "");
  EXPECT_EQ(why([](Constraint& one) { one.weight = NAN; }),
            "Aim of hand_l to elbow_r: it has a number that is not finite");
  EXPECT_EQ(why([](Constraint& one) { one.axis = {0, 0, 0}; }), "Aim of hand_l to elbow_r: its axis has no direction");
  EXPECT_EQ(why([](Constraint& one) { one.offset.translation.x = INFINITY; }),
            "Aim of hand_l to elbow_r: its offset has a number that is not finite");
  Transform nothing = document.character->skeleton->rest[kOtherElbow];
  nothing.scale = glm::vec3(0);
  apply(document, SetJointLocal{kOtherElbow, nothing, false});
  EXPECT_EQ(
      why_refused(document, with_constraint(document, ConstraintKind::kParent, kHand, kOtherElbow, true)),
      "Parent of hand_l to elbow_r: its target is scaled to nothing, or its offset has a number that is not finite");
  EXPECT_EQ(why_refused(document, SetClipLayers{{{.clip = "wave", .speed = NAN}}}),
            "clip layer 0: it has a number that is not finite");
}

// A chain of followers in the worst order, and a cycle through all of them. constraints_cost_test.cpp measures the
// time.
TEST(Constraints, C18_3_AThousandInReverseAreOrderedInTime) {
  constexpr int kCount = 1000;
  for (const bool cycle : {false, true}) {
    const test::ReversedFollowers followers(kCount, cycle);
    const motion::ConstraintRig rig = motion::make_constraint_rig(followers.character, followers.constraints);
    EXPECT_EQ(rig.rows.size(), cycle ? 0u : static_cast<std::size_t>(kCount));
    for (std::size_t r = 0; r < rig.rows.size(); ++r) {
      EXPECT_EQ(rig.rows[r].joint, static_cast<int>(r) + 1);
    }
    EXPECT_EQ(rig.faults[0].empty(), !cycle);
    if (cycle) {
      EXPECT_LT(rig.faults[0].size(), 300u) << "not all names";
      EXPECT_NE(rig.faults[0].find(fmt::format("{} more -> ", kCount - 12)), std::string::npos) << rig.faults[0];
    }
  }
}

TEST(Constraints, SessionsFilesRenamesAndUndoKeepThem) {
  test::Random random(8);
  Document document = posed_arm(random);
  for (const motion::ConstraintKindInfo& kind : motion::constraint_kinds()) {
    apply(document, with_constraint(document, kind.kind, kHand, kOtherElbow, true));
  }
  SetConstraints change{document.content.behaviour->constraints};
  ASSERT_EQ(change.constraints.size(), motion::constraint_kinds().size());
  change.constraints[0].axes = {true, false, true};
  change.constraints[0].weight = 0.25f;
  change.constraints[1].on = false;
  apply(document, change);
  const Result<SessionText> text = session_to_text(document, {"arm.glb", "sha256:0"});
  ASSERT_TRUE(text) << text.error().message;
  const Result<OpenedSession> opened = session_from_text(
      text->json, document.file, [](const std::string&) { return Result<std::string>(error("none")); });
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(*opened->document.content.behaviour, *document.content.behaviour);
  EXPECT_EQ(evaluate_pose(opened->document), evaluate_pose(document));
  rig::Character written = *document.character;
  ASSERT_TRUE(put_layers(written, document.content));
  const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(written);
  ASSERT_TRUE(bytes);
  const Result<rig::Character> again = gltf::import_memory(*bytes, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(file_behaviour(*again).behaviour, *document.content.behaviour);
  const rig::Pose before = evaluate_pose(document);
  apply(document, RenameJoint{kOtherElbow, "Ellen"});
  EXPECT_EQ(document.content.behaviour->constraints[0].target, "Ellen");
  EXPECT_EQ(evaluate_pose(document), before);
  undo(document);
  EXPECT_EQ(document.content.behaviour->constraints, change.constraints);
}

}  // namespace
}  // namespace pelt::edit
