// Colliders of springs (§49) and the weights of constraints that a file has, as edits of the document.
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/collider_edits.h"
#include "edit/constraint_edits.h"
#include "edit/file_behaviour.h"
#include "edit/file_layers.h"
#include "edit/session.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/constraints.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

using motion::SpringCollider;
using rig::ColliderShape;
using test::apply;
using test::kElbow;
using test::kHand;
using test::kShoulder;

constexpr double kColliderSlack = 1e-5;  // metres

Document arm_that_swings() {
  Document document = test::arm_document();
  SetSprings springs;
  springs.springs.chains.push_back({.name = "arm"});
  springs.springs.chains[0].joints.push_back({.joint = motion::joint_reference(document.character->skeleton, kElbow)});
  apply(document, springs);
  EXPECT_EQ(document.content.behaviour->springs.chains.size(), 1u);
  return document;
}

const motion::SpringSet& springs_in(const Document& document) {
  return document.content.behaviour->springs;
}

Result<OpenedSession> opened_again(const Document& document) {
  const Result<SessionText> text = session_to_text(document, {"arm.glb", "sha256:0"});
  if (!text) {
    return text.error();
  }
  return session_from_text(text->json, document.file,
                           [](const std::string&) { return Result<std::string>(error("none")); });
}

Result<rig::Character> written_again(const Document& document) {
  rig::Character written = *document.content.character;
  PELT_TRY(put_layers(written, document.content));
  PELT_TRY_TO(const std::vector<std::uint8_t> bytes, gltf::export_glb(written));
  return gltf::import_memory(bytes, {});
}

TEST(Colliders, AFittingOneLiesOnTheBoneUnderAnyRestAndScale) {
  test::Random random(4);
  for (int turn = 0; turn < 40; ++turn) {
    rig::Character character = *test::arm_document().character;
    rig::Skeleton& skeleton = character.skeleton.edit();
    for (std::size_t j = 0; j < skeleton.parent.size(); ++j) {
      skeleton.rest[j].rotation = glm::quat(random.rotation());
      skeleton.rest[j].scale = glm::vec3(random.real(0.3f, 3.0f)) * (random.below(4) == 0 ? -1.0f : 1.0f);
    }
    rig::finish(character);
    rig::WorldMatrices world;
    world.evaluate(character.skeleton, rig::rest_pose(character));
    const glm::dmat4 elbow(world[kElbow]);
    const glm::dvec3 start(elbow[3]);
    const glm::dvec3 end(world[kHand][3]);
    const double length = glm::distance(start, end);
    const auto place = [&](const glm::vec3& local) { return glm::dvec3(elbow * glm::dvec4(glm::dvec3(local), 1)); };
    const SpringCollider sphere = fitting_collider(character, ColliderShape::kSphere, kElbow);
    EXPECT_LT(glm::distance(place(sphere.offset), 0.5 * (start + end)), kColliderSlack * (1 + length));
    EXPECT_NEAR(static_cast<double>(sphere.radius), 0.35 * length, kColliderSlack * (1 + length));
    const SpringCollider capsule = fitting_collider(character, ColliderShape::kCapsule, kElbow);
    EXPECT_LT(glm::distance(place(capsule.offset), start), kColliderSlack * (1 + length));
    EXPECT_LT(glm::distance(place(capsule.tail), end), kColliderSlack * (1 + length));
    SpringCollider plane = fitting_collider(character, ColliderShape::kPlane, kElbow);
    plane.name = "floor";
    const motion::SpringRig rig = motion::make_spring_rig(character, {{}, {plane}, {}});
    ASSERT_EQ(rig.colliders.size(), 1u);
    const glm::dvec3 up = motion::free_side(rig.colliders[0], elbow);
    EXPECT_LT(glm::distance(up, glm::dvec3(0, 1, 0)), 1e-5) << "a floor";
    // What lies below it is brought up to it, whatever the joint's space.
    glm::dvec3 tip = start - glm::dvec3(0.3, 2, 0.1);
    glm::dvec3 way;
    ASSERT_TRUE(motion::push_out(rig.colliders[0], elbow, 0.25, tip, way));
    EXPECT_NEAR(tip.y, start.y + 0.25, 1e-4);
  }
}

TEST(Colliders, AreAddedWithANameOfTheirOwnHeldOffByChainsAndRemoved) {
  Document document = arm_that_swings();
  const Content before = document.content;
  apply(document, with_collider(document, ColliderShape::kSphere, kShoulder));
  apply(document, with_collider(document, ColliderShape::kPlane, kShoulder));
  ASSERT_EQ(springs_in(document).colliders.size(), 2u);
  EXPECT_EQ(springs_in(document).colliders[0].name, "shoulder_l");
  EXPECT_EQ(springs_in(document).colliders[1].name, "shoulder_l 2");
  EXPECT_EQ(springs_in(document).chains[0].colliders, (std::vector<std::string>{"shoulder_l", "shoulder_l 2"}));
  EXPECT_EQ(document.history.undo_label(), "Add the collider shoulder_l 2");
  SetSprings moved{springs_in(document)};
  moved.springs.colliders[0].offset.x += 0.1f;
  apply(document, moved);
  EXPECT_EQ(document.history.undo_label(), "Change the collider shoulder_l");
  const Content whole = document.content;
  const Result<OpenedSession> again = opened_again(document);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again->document.content.behaviour, *whole.behaviour);
  const Result<rig::Character> character = written_again(document);
  ASSERT_TRUE(character) << character.error().message;
  EXPECT_EQ(file_behaviour(*character).behaviour, *whole.behaviour);
  apply(document, without_collider(document, 0));
  EXPECT_EQ(document.history.undo_label(), "Remove a collider");
  EXPECT_EQ(springs_in(document).chains[0].colliders, (std::vector<std::string>{"shoulder_l 2"}));
  EXPECT_EQ(motion::make_spring_rig(*document.character, springs_in(document)).faults[0], "");
  undo(document);
  EXPECT_EQ(document.content, whole);
  undo(document);
  undo(document);
  undo(document);
  EXPECT_EQ(document.content, before);
}

TEST(Colliders, HoldTheTipBack) {
  Document document = arm_that_swings();
  SetSprings heavy{springs_in(document)};
  heavy.springs.chains[0].joints[0].stiffness = 0.5f;  // it hangs far down
  apply(document, heavy);
  const auto lowest = [&] {
    rig::WorldMatrices world;
    world.evaluate(document.character->skeleton, evaluate_pose(document));
    return static_cast<double>(world[kHand][3].y);
  };
  const double hanging = lowest();
  SetSprings floor = with_collider(document, ColliderShape::kPlane, kShoulder);
  // The plane hangs a little above where the tip is now.
  rig::WorldMatrices rest;
  rest.evaluate(document.character->skeleton, rig::rest_pose(*document.character));
  const double height = hanging + 0.05;
  floor.springs.colliders[0].offset =
      glm::vec3(glm::inverse(glm::dmat4(rest[kShoulder])) *
                glm::dvec4(glm::dvec3(rest[kShoulder][3].x, height, rest[kShoulder][3].z), 1));
  apply(document, floor);
  EXPECT_GT(lowest(), hanging + 0.04);
  EXPECT_NEAR(lowest(), height, 1e-3);
}

TEST(Colliders, WhatCannotBeIsRefusedBySentence) {
  Document document = arm_that_swings();
  apply(document, with_collider(document, ColliderShape::kSphere, kShoulder));
  const Content before = document.content;
  struct Case {
    void (*spoil)(SpringCollider& collider);
    const char* sentence;
  };
  const Case kCases[] = {
      {[](SpringCollider& c) { c.joint = "elbw_l"; },
       "collider shoulder_l: there is no joint 'elbw_l' (did you mean \"elbow_l\"?)"},
      {[](SpringCollider& c) { c.radius = -1; }, "collider shoulder_l: expected a radius of 0 or more, got -1"},
      {[](SpringCollider& c) { c.normal = glm::vec3(0); }, "collider shoulder_l: expected finite places and a normal"},
      {[](SpringCollider& c) { c.tail.y = std::numeric_limits<float>::infinity(); },
       "collider shoulder_l: expected finite places and a normal"}};
  for (const Case& one : kCases) {
    SetSprings change{springs_in(document)};
    one.spoil(change.springs.colliders[0]);
    EXPECT_EQ(why_refused(document, change), one.sentence);
    apply(document, change);
    EXPECT_EQ(document.content, before);
  }
  SetSprings twins{springs_in(document)};
  twins.springs.colliders.push_back(twins.springs.colliders[0]);
  twins.springs.colliders[1].radius = 2;
  EXPECT_EQ(why_refused(document, twins), "collider shoulder_l: another one has this name");
}

TEST(FileConstraints, TheirWeightIsChangedKeptExportedAndUndone) {
  rig::Character character = *test::arm_document().character;
  character.constraints.push_back(
      {.kind = rig::ConstraintKind::kRotation, .joint = kHand, .source = kShoulder, .weight = 1});
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  const glm::quat turn = glm::angleAxis(1.0f, glm::normalize(glm::vec3(1, 2, 3)));
  Transform local = document.character->skeleton->rest[kShoulder];
  local.rotation = turn;
  apply(document, SetJointLocal{kShoulder, local});
  const auto angle = [&](const Document& shown) {
    const glm::quat rest = shown.character->skeleton->rest[kHand].rotation;
    const glm::quat now = evaluate_pose(shown).local[kHand].rotation;
    return 2 * std::acos(std::min(1.0f, std::abs(glm::dot(rest, now))));
  };
  const float whole = angle(document);
  ASSERT_GT(whole, 0.5f);
  const Content before = document.content;
  apply(document, SetFileConstraintWeight{0, 0.25f});
  EXPECT_EQ(document.history.undo_label(), "Weight of the constraint of hand_l");
  EXPECT_NEAR(angle(document), 0.25f * whole, 1e-4f) << "along the arc, as VRMC_node_constraint says";
  const Result<OpenedSession> again = opened_again(document);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->document.content.character->constraints[0].weight, 0.25f);
  EXPECT_EQ(evaluate_pose(again->document), evaluate_pose(document));
  EXPECT_TRUE(again->lost.empty());
  const Result<rig::Character> written = written_again(document);
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_EQ(written->constraints.size(), 1u);
  EXPECT_EQ(written->constraints[0].weight, 0.25f);
  undo(document);
  EXPECT_EQ(document.content, before);
  apply(document, SetFileConstraintWeight{0, 7});
  EXPECT_EQ(document.content, before) << "1 is the most";
  for (const SetFileConstraintWeight& nothing : {SetFileConstraintWeight{1, 0.5f}, SetFileConstraintWeight{-1, 0.5f},
                                                 SetFileConstraintWeight{0, std::numeric_limits<float>::quiet_NaN()}}) {
    apply(document, nothing);
    EXPECT_EQ(document.content, before);
  }
}

}  // namespace
}  // namespace pelt::edit
