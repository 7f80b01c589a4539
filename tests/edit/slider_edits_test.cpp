// Degrees of freedom of joints as an edit: the pose stays, and undo, sessions and files have them.
#include "edit/slider_edits.h"

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/session.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/axis_choices.h"
#include "rig/character_parts.h"
#include "rig/joint_types.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::distance;
using test::kElbow;
using test::kHand;
using test::kShoulder;
using testing::HasSubstr;

const rig::JointDofs& sliders_in(const Document& document, int joint) {
  return document.character->skeleton->dofs[joint];
}

rig::JointDofs ball_of(const Document& document, int joint) {
  rig::JointDofs dofs = rig::change_type(joint_dofs(document, joint), {rig::JointType::kBall}, {1, 0, 0});
  dofs.orientation = glm::angleAxis(0.25f, glm::vec3(0, 0.6f, 0.8f));
  dofs.dofs[0].lower = -0.5f;
  dofs.dofs[1].default_value = 0.125f;
  dofs.swing_limit = 0.75f;
  return dofs;
}

TEST(SetJointSliders, IsAStepThatKeepsThePose) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 1.0f});
  const rig::Pose before = evaluate_pose(document);
  const auto character = document.content.character;
  const std::uint64_t hash = content_hash(document.content);
  const SetJointSliders change{kElbow, ball_of(document, kElbow)};
  EXPECT_EQ(label(document, Change(change)), "Degrees of freedom of elbow_l");
  apply(document, change);
  EXPECT_EQ(evaluate_pose(document), before) << "bit by bit";
  EXPECT_NE(content_hash(document.content), hash);
  EXPECT_TRUE(sliders_in(document, kElbow).authored);
  const std::vector<float>& values = document.content.overrides->at(kElbow).dof_values;
  ASSERT_EQ(values.size(), 3u);
  EXPECT_LT(distance(rig::local_from_dofs(change.dofs, values), before.local[kElbow]), 1e-6f);
  EXPECT_TRUE(document.content.character->meshes.is(character->meshes)) << "a cheap copy";
  undo(document);
  EXPECT_EQ(document.content.overrides->at(kElbow).dof_values.size(), 1u);
  EXPECT_EQ(content_hash(document.content), hash);
  redo(document);
  EXPECT_EQ(sliders_in(document, kElbow).swing_limit, 0.75f);
}

TEST(SetJointSliders, TheSameAgainIsNoStep) {
  Document document = arm_document();
  apply(document, SetJointSliders{kElbow, joint_dofs(document, kElbow)});
  EXPECT_FALSE(can_undo(document));
}

// A turn that was counted on stays counted where the slider keeps its name.
TEST(SetJointSliders, SlidersThatKeepTheirNamesKeepTheirTurns) {
  Document document = arm_document();
  rig::JointDofs wheel = joint_dofs(document, kElbow);
  wheel.dofs[0].upper = 20;
  apply(document, SetJointSliders{kElbow, wheel});
  apply(document, SetDof{kElbow, 0, 15.0f});
  apply(document, SetJointSliders{kElbow, rig::change_type(wheel, {rig::JointType::kHinge, true}, {1, 0, 0})});
  EXPECT_NEAR(dof_values(document, kElbow)[0], 15.0f, 1e-5f);
}

TEST(SetJointSliders, TakeTheRotationOrderIn) {
  Document document = arm_document();
  apply(document, SetEulerOrder{kShoulder, EulerOrder::kZYX});
  apply(document, SetJointLocal{kShoulder, {.rotation = glm::angleAxis(1.0f, glm::vec3(0.6f, 0.8f, 0))}, false});
  const rig::JointDofs shown = joint_dofs(document, kShoulder);
  const std::vector<float> values = dof_values(document, kShoulder);
  apply(document, SetJointSliders{kShoulder, shown});
  EXPECT_TRUE(document.content.euler_orders->empty());
  EXPECT_EQ(rig::euler_order(joint_dofs(document, kShoulder)), EulerOrder::kZYX);
  EXPECT_EQ(dof_values(document, kShoulder), values);
  undo(document);
  EXPECT_EQ(document.content.euler_orders->at(kShoulder), EulerOrder::kZYX);
}

TEST(SetJointSliders, WhatNoJointCanHaveChangesNothing) {
  Document document = arm_document();
  const rig::JointDofs good = joint_dofs(document, kElbow);
  const auto refused = [&](const std::function<void(rig::JointDofs&)>& spoil) {
    rig::JointDofs bad = good;
    bad.dofs[0].upper = 1;
    spoil(bad);
    apply(document, SetSlidersOfJoints{{{kHand, ball_of(document, kHand)}, {kElbow, bad}}});
    EXPECT_FALSE(can_undo(document));
    EXPECT_EQ(notice(document, SetJointSliders{kElbow, bad}), "");
    return why_refused(document, SetJointSliders{kElbow, bad});
  };
  constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
  constexpr float kEndless = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refused([](auto& d) { d.dofs[0].lower = 2; }), HasSubstr("lower <= upper"));
  EXPECT_THAT(refused([](auto& d) { d.dofs[0].upper = kEndless; }), HasSubstr("not finite"));
  EXPECT_THAT(refused([](auto& d) { d.dofs[0].default_value = kNoNumber; }), HasSubstr("not finite"));
  EXPECT_THAT(refused([](auto& d) { d.dofs[0].name = "a\nb"; }), HasSubstr("one line"));
  EXPECT_THAT(refused([](auto& d) { d.dofs[0].name = std::string(41, 'x'); }), HasSubstr("40 bytes"));
  EXPECT_THAT(refused([](auto& d) { d.offset.y = kNoNumber; }), HasSubstr("offset"));
  EXPECT_THAT(refused([](auto& d) { d.scale.z = kEndless; }), HasSubstr("scale"));
  EXPECT_THAT(refused([](auto& d) { d.orientation *= 2.0f; }), HasSubstr("orientation"));
  EXPECT_THAT(refused([](auto& d) {
                for (int n = 0; n < 16; ++n) {
                  d.dofs.push_back({"t" + std::to_string(n), rig::DofKind::kTranslation});
                }
              }),
              HasSubstr("at most 16"));
  EXPECT_EQ(why_refused(document, SetJointSliders{kElbow, good}), "");
}

TEST(WithAxis, TheDirectionCountsAndNothingElseIsTaken) {
  rig::JointDofs hinge = rig::change_type(joint_dofs(arm_document(), kElbow), {rig::JointType::kHinge}, {1, 0, 0});
  ASSERT_TRUE(rig::has_free_axis(hinge, 0));
  const Result<rig::JointDofs> turned = with_axis(hinge, 0, {0, 3, 4});
  ASSERT_TRUE(turned) << turned.error().message;
  EXPECT_NEAR(glm::distance(turned->dofs[0].axis, glm::vec3(0, 0.6f, 0.8f)), 0, 1e-6f);
  EXPECT_EQ(turned->dofs[0].upper, hinge.dofs[0].upper);
  for (const glm::vec3& none : {glm::vec3(0), glm::vec3(std::numeric_limits<float>::quiet_NaN(), 0, 1)}) {
    EXPECT_FALSE(with_axis(hinge, 0, none));
  }
  // Two rotations stay perpendicular: neither has an axis of its own to choose.
  const rig::JointDofs ball = rig::change_type(hinge, {rig::JointType::kBall}, {1, 0, 0});
  EXPECT_FALSE(with_axis(ball, 0, {0, 1, 1}));
  EXPECT_TRUE(rig::check_dofs(*turned));
}

TEST(SetSlidersOfJoints, AreOneStep) {
  Document document = arm_document();
  const SetSlidersOfJoints change{{{kHand, ball_of(document, kHand)}, {kElbow, ball_of(document, kElbow)}}};
  EXPECT_EQ(label(document, Change(change)), "Degrees of freedom of 2 joints");
  apply(document, change);
  EXPECT_TRUE(sliders_in(document, kHand).authored);
  EXPECT_EQ(sliders_in(document, kElbow).dofs.size(), 3u);
  undo(document);
  EXPECT_FALSE(can_undo(document));
  EXPECT_EQ(sliders_in(document, kElbow).dofs.size(), 1u);
}

TEST(SetJointSliders, KeepTheSurfaceThatIsShown) {
  Document document = make_document(std::make_shared<const rig::Character>(test::cylinder()));
  const rig::SurfaceChoice choice = {.subdivisions = 1};
  auto made = rig::with_surface(*own_character(document), choice);
  ASSERT_TRUE(made.has_value());
  show_surface(document, std::make_shared<const rig::Character>(*made), choice, 0.25);
  const auto shown = document.character;
  const std::uint64_t version = document.character_version;
  apply(document, SetJointSliders{1, ball_of(document, 1)});
  EXPECT_GT(document.character_version, version);
  EXPECT_EQ(document.surface, choice);
  EXPECT_TRUE(document.character->meshes.is(shown->meshes));
  EXPECT_TRUE(rig::equal(sliders_in(document, 1), own_character(document)->skeleton->dofs[1]));
  EXPECT_EQ(sliders_in(document, 1).swing_limit, 0.75f);
}

TEST(SetJointSliders, ASessionHasThem) {
  Document document = arm_document();
  apply(document, SetJointSliders{kElbow, ball_of(document, kElbow)});
  const Result<SessionText> text = session_to_text(document, {"arm.glb", "sha256:0"});
  ASSERT_TRUE(text);
  const Result<OpenedSession> again =
      session_from_text(text->json, document.file, [](const std::string&) { return Result<std::string>(error("")); });
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(rig::equal(sliders_in(again->document, kElbow), sliders_in(document, kElbow)));
}

// extras.pelt.dofs read back give the same, of each kind of joint.
TEST(SetJointSliders, TheExportedFileHasThem) {
  for (int type = 0; type < rig::kJointTypeCount; ++type) {
    Document document = arm_document();
    rig::JointDofs dofs = ball_of(document, kElbow);
    dofs.scale = {2, 3, 4};
    dofs = rig::change_type(dofs, {static_cast<rig::JointType>(type), type % 2 == 0, type == 3}, {1, 0, 0});
    for (rig::Dof& dof : dofs.dofs) {
      dof.folded = dof.name == "side";
    }
    apply(document, SetJointSliders{kElbow, dofs});
    const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(*document.character);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const Result<rig::Character> read = gltf::import_memory(*bytes, "");
    ASSERT_TRUE(read) << read.error().message;
    const int elbow = read->skeleton->find("elbow_l");
    EXPECT_TRUE(rig::equal(read->skeleton->dofs[elbow], sliders_in(document, kElbow))) << type;
  }
}

// The partners of bundled characters: with the same slider values, what MirrorPose makes.
TEST(MirroredSliders, OfBundledCharactersAreTheMirrorImage) {
  test::Random random(44);
  int pairs = 0;
  for (const char* name : {"mannequin", "robot"}) {
    const Result<rig::Character> character = gltf::import_bundled(name);
    ASSERT_TRUE(character);
    const rig::Skeleton& skeleton = character->skeleton;
    const rig::Mirror mirror(*character);
    for (int j = 0; j < skeleton.size(); ++j) {
      const int partner = mirror.partner(j);
      if (partner < 0 || partner == j) {
        continue;
      }
      ++pairs;
      const rig::JointDofs& own = skeleton.dofs[j];
      const rig::JointDofs other = rig::mirrored_dofs(*character, j, partner, character->skeleton->dofs[j]);
      ASSERT_TRUE(rig::check_dofs(other)) << rig::check_dofs(other).error().message;
      for (int n = 0; n < 10; ++n) {
        std::vector<float> values = rig::default_values(own);
        for (std::size_t d = 0; d < values.size(); ++d) {
          values[d] = own.dofs[d].kind == rig::DofKind::kScale ? values[d] : random.real(-1.5f, 1.5f);
        }
        rig::Pose pose = rig::rest_pose(*character);
        pose.local[j] = rig::local_from_dofs(own, values);
        const rig::Pose image = rig::mirrored(*character, pose);
        EXPECT_LT(distance(image.local[partner], rig::local_from_dofs(other, values)), 2e-6f)
            << name << ' ' << skeleton.label(j);
      }
    }
  }
  EXPECT_GT(pairs, 20);
}

}  // namespace
}  // namespace pelt::edit
