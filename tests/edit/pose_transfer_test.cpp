#include "edit/pose_transfer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/pose_by_map.h"
#include "edit/pose_file.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

struct BodyJoint {
  const char* unreal;
  const char* mixamo;
  int parent;
  glm::vec3 position;
};
// Arms held out. Hips, spine and the left limbs; the right ones are their mirror images.
constexpr BodyJoint kBody[] = {{"pelvis", "mixamorig:Hips", -1, {0, 1, 0}},
                               {"spine_01", "mixamorig:Spine", 0, {0, 1.2f, 0}},
                               {"spine_02", "mixamorig:Spine1", 1, {0, 1.4f, -0.02f}},
                               {"head", "mixamorig:Head", 2, {0, 1.6f, 0}},
                               {"upperarm_l", "mixamorig:LeftArm", 2, {0.2f, 1.45f, 0}},
                               {"lowerarm_l", "mixamorig:LeftForeArm", 4, {0.45f, 1.45f, 0}},
                               {"hand_l", "mixamorig:LeftHand", 5, {0.7f, 1.45f, 0}},
                               {"index_01_l", "mixamorig:LeftHandIndex1", 6, {0.8f, 1.45f, 0}},
                               {"thigh_l", "mixamorig:LeftUpLeg", 0, {0.1f, 0.95f, 0}},
                               {"calf_l", "mixamorig:LeftLeg", 8, {0.1f, 0.5f, 0.02f}},
                               {"foot_l", "mixamorig:LeftFoot", 9, {0.1f, 0.1f, 0}},
                               {"ball_l", "mixamorig:LeftToeBase", 10, {0.1f, 0.02f, 0.1f}},
                               {"upperarm_r", "mixamorig:RightArm", 2, {-0.2f, 1.45f, 0}},
                               {"lowerarm_r", "mixamorig:RightForeArm", 12, {-0.45f, 1.45f, 0}},
                               {"hand_r", "mixamorig:RightHand", 13, {-0.7f, 1.45f, 0}},
                               {"thigh_r", "mixamorig:RightUpLeg", 0, {-0.1f, 0.95f, 0}},
                               {"calf_r", "mixamorig:RightLeg", 15, {-0.1f, 0.5f, 0.02f}},
                               {"foot_r", "mixamorig:RightFoot", 16, {-0.1f, 0.1f, 0}}};
constexpr int kBodySize = static_cast<int>(std::size(kBody));

/// How a body is made.
struct BodyStyle {
  bool mixamo = false;
  unsigned axes = 0;                           ///< seed of the joints' orientations; 0: all along the world's
  float size = 1;                              ///< of the body, metres per metre
  float unit = 1;                              ///< metres per unit below a node above the hips, which carries the scale
  float facing = 0;                            ///< turned about the vertical, radians
  float arms_down = 0;                         ///< radians that the arms hang below the horizontal at rest
  float legs_apart = 0;                        ///< radians that the legs are spread from the vertical at rest
  bool flipped_arm = false;                    ///< the right arm is a negative scale of the left one
  std::vector<std::string_view> without = {};  ///< Unreal names of joints that are left out
};

std::vector<glm::vec3> rest_positions(const BodyStyle& style) {
  std::vector<glm::vec3> out;
  for (const BodyJoint& joint : kBody) {
    glm::vec3 p = joint.position;
    const std::string name = joint.unreal;
    if (name.starts_with("lowerarm") || name.starts_with("hand") || name.starts_with("index")) {
      const float side = name.ends_with("_l") ? 1.0f : -1.0f;
      const glm::vec3 shoulder(0.2f * side, 1.45f, 0);
      p = shoulder + glm::angleAxis(-side * style.arms_down, glm::vec3(0, 0, 1)) * (p - shoulder);
    }
    if (name.starts_with("calf") || name.starts_with("foot") || name.starts_with("ball")) {
      const float side = name.ends_with("_l") ? 1.0f : -1.0f;
      const glm::vec3 hip(0.1f * side, 0.95f, 0);
      p = hip + glm::angleAxis(side * style.legs_apart, glm::vec3(0, 0, 1)) * (p - hip);
    }
    out.push_back(glm::angleAxis(style.facing, glm::vec3(0, 1, 0)) * (p * style.size));
  }
  return out;
}

// Joints in the order of kBody behind one node that carries scale and facing's counterpart: nothing.
Document body(const BodyStyle& style) {
  rig::Character character;
  test::Random random(style.axes);
  const std::vector<glm::vec3> positions = rest_positions(style);
  test::add_node(character, "Armature", -1, {.scale = glm::vec3(style.unit)});
  std::vector<glm::mat4> world = {to_matrix(character.skeleton->rest[0])};
  std::vector<int> joint_of(kBodySize, 0);
  for (int i = 0; i < kBodySize; ++i) {
    const BodyJoint& joint = kBody[i];
    int above = joint.parent < 0 ? 0 : joint_of[joint.parent];
    joint_of[i] = above;
    const glm::quat rotation = style.axes == 0 ? kIdentityQuat : glm::quat(random.rotation());
    if (std::ranges::find(style.without, joint.unreal) != style.without.end()) {
      continue;
    }
    const std::string_view name = joint.unreal;
    const glm::vec3 flip(style.flipped_arm && name.ends_with("_r") && !name.starts_with("thigh") &&
                                 !name.starts_with("calf") && !name.starts_with("foot")
                             ? -1.0f
                             : 1.0f,
                         1, 1);
    const glm::mat4 placed = glm::translate(glm::mat4(1.0f), positions[i]) * glm::mat4_cast(rotation) *
                             glm::scale(glm::mat4(1.0f), style.unit * flip);
    const glm::mat4 local = affine_inverse(world[above]) * placed;
    const glm::vec3 scale = name == "upperarm_r" ? flip : glm::vec3(1);
    Transform rest = decompose(local * glm::scale(glm::mat4(1.0f), scale)).transform;
    rest.scale = scale;
    joint_of[i] = test::add_node(character, style.mixamo ? joint.mixamo : joint.unreal, above, rest);
    world.push_back(world[above] * to_matrix(rest));
  }
  rig::finish(character);
  return make_document(std::make_shared<rig::Character>(std::move(character)));
}

glm::vec3 position(const Document& document, int i, bool mixamo) {
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, evaluate_pose(document));
  const int j = document.character->skeleton->find(mixamo ? kBody[i].mixamo : kBody[i].unreal);
  return j < 0 ? glm::vec3(NAN) : glm::vec3(world[j][3]);
}

// Turns every joint but some, and moves the hips.
void pose_at_random(Document& document, test::Random& random) {
  const rig::Skeleton& skeleton = document.character->skeleton;
  for (int j = 1; j < skeleton.size(); ++j) {
    if (random.below(4) == 0) {
      continue;
    }
    Transform local = skeleton.rest[j];
    local.rotation = glm::normalize(local.rotation * glm::quat(random.rotation()));
    test::apply(document, SetJointLocal{j, local, false});
  }
  Transform hips = evaluate_pose(document).local[1];
  hips.translation += glm::vec3(0.1f, -0.2f, 0.3f) / glm::length(glm::vec3(to_matrix(skeleton.rest[0])[0]));
  test::apply(document, SetJointLocal{1, hips, false});
}

PoseReport carry_over(const Document& from, Document& to) {
  PoseReport report;
  const Result<ReplacePose> pose = pose_from_json(to, pose_to_json(from), &report);
  EXPECT_TRUE(pose) << pose.error().message;
  if (pose) {
    test::apply(to, *pose);
  }
  return report;
}

// Whatever joints are called, whatever way their axes lie, whatever unit they are in, whatever way the body faces: the
// same body takes the same pose.
TEST(PoseTransfer, TheSameBodyInAnotherRigTakesTheSamePose) {
  const BodyStyle sources[] = {{.axes = 5}, {.axes = 5, .unit = 0.01f}};
  const BodyStyle targets[] = {{.mixamo = true},
                               {.axes = 5, .size = 1.8f},
                               {.mixamo = true, .axes = 13, .flipped_arm = true},
                               {.mixamo = true, .axes = 6},
                               {.axes = 7},
                               {.mixamo = true, .axes = 8, .size = 1.8f},
                               {.mixamo = true, .axes = 9, .unit = 0.01f},
                               {.mixamo = true, .axes = 10, .facing = std::numbers::pi_v<float>},
                               {.axes = 11, .facing = std::numbers::pi_v<float> / 2}};
  test::Random random(31);
  for (const BodyStyle& style : targets) {
    for (int n = 0; n < 10; ++n) {
      Document from = body(sources[n % 2]);
      pose_at_random(from, random);
      Document to = body(style);
      const PoseReport report = carry_over(from, to);
      EXPECT_EQ(report.missing(), 0);
      EXPECT_EQ(report.guessed.empty(), !style.mixamo);
      for (int i = 0; i < kBodySize; ++i) {
        const glm::vec3 wanted =
            glm::angleAxis(style.facing, glm::vec3(0, 1, 0)) * (position(from, i, false) * style.size);
        EXPECT_LT(glm::distance(position(to, i, style.mixamo), wanted), 1e-4f * style.size)
            << kBody[i].unreal << " axes " << style.axes;
      }
    }
  }
}

TEST(PoseTransfer, ARestPoseThatIsTheSameKeepsEveryBit) {
  test::Random random(32);
  Document from = body({.axes = 5});
  pose_at_random(from, random);
  Document to = body({.axes = 5});
  const PoseReport report = carry_over(from, to);
  EXPECT_TRUE(report.exact());
  EXPECT_EQ(summary(report), "");
  EXPECT_EQ(evaluate_pose(to), evaluate_pose(from));
}

// Arms that hang at rest, given the pose of arms that are held out, point where those point.
TEST(PoseTransfer, LimbsPointWhereTheyPointWhateverTheyRestLike) {
  test::Random random(33);
  const BodyStyle style{.mixamo = true, .axes = 12, .arms_down = 0.8f};
  for (int n = 0; n < 10; ++n) {
    Document from = body({.axes = 5});
    const rig::Skeleton& skeleton = from.character->skeleton;
    for (const char* name : {"spine_01", "upperarm_l", "lowerarm_l", "hand_l", "upperarm_r"}) {
      const int j = skeleton.find(name);
      Transform local = skeleton.rest[j];
      local.rotation = glm::normalize(local.rotation * glm::quat(random.rotation()));
      test::apply(from, SetJointLocal{j, local, false});
    }
    Document to = body(style);
    carry_over(from, to);
    for (const auto& [a, b] : {std::pair(4, 5), std::pair(5, 6), std::pair(6, 7), std::pair(12, 13)}) {
      const glm::vec3 wanted = glm::normalize(position(from, b, false) - position(from, a, false));
      const glm::vec3 made = glm::normalize(position(to, b, true) - position(to, a, true));
      EXPECT_GT(glm::dot(wanted, made), 0.99999f) << kBody[a].unreal;
    }
    // What was not posed keeps its rest, and legs hang as they did.
    EXPECT_LT(glm::distance(position(to, 10, true), rest_positions(style)[10]), 1e-5f);
  }
}

// An arm follows the spine although a joint of the spine is missing.
TEST(PoseTransfer, WhatAMissingJointTurnsIsNotLost) {
  test::Random random(34);
  Document from = body({.axes = 5});
  const int spine = from.character->skeleton->find("spine_02");
  Transform local = from.character->skeleton->rest[spine];
  local.rotation = glm::normalize(local.rotation * glm::angleAxis(0.7f, glm::vec3(0, 0, 1)));
  test::apply(from, SetJointLocal{spine, local, false});
  Document to = body({.axes = 14, .without = {"spine_02"}});
  PoseReport report;
  ASSERT_FALSE(pose_from_json(to, pose_to_json(from), &report)) << "the only joint posed is missing";
  const int head = from.character->skeleton->find("head");
  local = from.character->skeleton->rest[head];
  local.rotation = glm::normalize(local.rotation * glm::angleAxis(0.3f, glm::vec3(1, 0, 0)));
  test::apply(from, SetJointLocal{head, local, false});
  report = carry_over(from, to);
  EXPECT_EQ(summary(report), "1 of 2 joints; 1 not found");
  EXPECT_EQ(details(report), "missing: spine_02");
  const auto forearm = [](const Document& document) {
    return glm::normalize(position(document, 5, false) - position(document, 4, false));
  };
  EXPECT_GT(glm::dot(forearm(from), forearm(to)), 0.99999f);
  EXPECT_LT(glm::dot(forearm(from), glm::vec3(1, 0, 0)), 0.99f) << "the spine turns the arm";
}

// Turns a joint in its own space.
void turn(Document& document, const char* name, float angle, const glm::vec3& axis) {
  const int j = document.character->skeleton->find(name);
  Transform local = document.character->skeleton->rest[j];
  local.rotation = glm::normalize(local.rotation * glm::angleAxis(angle, axis));
  test::apply(document, SetJointLocal{j, local, false});
}

glm::quat world_rotation(const Document& document, const char* name) {
  rig::WorldMatrices world;
  world.evaluate(document.character->skeleton, evaluate_pose(document));
  return decompose(world[document.character->skeleton->find(name)]).transform.rotation;
}

// What a joint has turned since it rested, in the world.
glm::quat turned_since_rest(const Document& document, const char* name) {
  return world_rotation(document, name) * glm::conjugate(world_rotation(make_document(document.character), name));
}

TEST(PoseTransfer, JointsMissingInARowPassTheirTurnsOn) {
  Document from = body({.axes = 5});
  turn(from, "spine_01", 0.7f, {0, 0, 1});
  turn(from, "head", 0.3f, {1, 0, 0});
  for (const unsigned axes : {0u, 5u, 14u}) {  // 5: each joint rests as it does in the source
    Document to = body({.axes = axes, .without = {"spine_01", "spine_02"}});
    carry_over(from, to);
    for (const char* name : {"head", "upperarm_l", "hand_r"}) {
      EXPECT_GT(std::abs(glm::dot(turned_since_rest(to, name), turned_since_rest(from, name))), 0.999999f)
          << name << " axes " << axes;
    }
  }
}

// Its axes lie in the world as they do in the source, but it hangs on a joint with other axes.
TEST(PoseTransfer, AMissingJointThatDoesNotTurnChangesNothing) {
  Document from = body({.axes = 5});
  turn(from, "head", 0.3f, {1, 0, 0});
  Document to = body({.axes = 5, .without = {"spine_02"}});
  carry_over(from, to);
  EXPECT_GT(std::abs(glm::dot(world_rotation(to, "head"), world_rotation(from, "head"))), 0.999999f);
  ASSERT_EQ(to.content.overrides->size(), 1u) << "arms were not posed";
  EXPECT_EQ(to.content.overrides->begin()->first, to.character->skeleton->find("head"));
}

TEST(PoseTransfer, ATurnThatIsLostReachesAJointThatRestsAlike) {
  Document from = body({});
  turn(from, "spine_02", 0.7f, {0, 0, 1});
  turn(from, "head", 0.3f, {1, 0, 0});
  Document to = body({.without = {"spine_02"}});
  carry_over(from, to);
  EXPECT_GT(std::abs(glm::dot(world_rotation(to, "head"), world_rotation(from, "head"))), 0.999999f);
}

// The feet stand on the ground in both, however far apart.
TEST(PoseTransfer, FeetAreNotBroughtAlongWithTheLegs) {
  Document from = body({});
  turn(from, "thigh_l", 0.4f, {1, 0, 0});
  turn(from, "foot_l", 0.2f, {0, 1, 0});
  Document to = body({.mixamo = true, .axes = 16, .legs_apart = 0.5f});
  carry_over(from, to);
  EXPECT_GT(std::abs(glm::dot(turned_since_rest(to, "mixamorig:LeftFoot"), turned_since_rest(from, "foot_l"))),
            0.999999f);
  const glm::vec3 thigh = position(to, 9, true) - position(to, 8, true);
  EXPECT_GT(glm::dot(glm::normalize(thigh), glm::normalize(position(from, 9, false) - position(from, 8, false))),
            0.99999f);
}

// Where the upper arm was not posed it hangs as it did, and the forearm turns from there.
TEST(PoseTransfer, AForearmAloneTurnsFromWhereItHangs) {
  Document from = body({});
  turn(from, "lowerarm_l", 0.6f, {0, 1, 0});
  Document to = body({.mixamo = true, .axes = 17, .arms_down = 0.8f});
  carry_over(from, to);
  EXPECT_GT(std::abs(glm::dot(turned_since_rest(to, "mixamorig:LeftForeArm"), turned_since_rest(from, "lowerarm_l"))),
            0.999999f);
  EXPECT_EQ(to.content.overrides->size(), 1u);
}

// The hips go as far as the legs are long; of a body without whole legs, as it is large.
TEST(PoseTransfer, DistancesCountInLengthsOfLegs) {
  const auto hips_move = [](const BodyStyle& style, float legs) {
    Document from = body({});
    Transform hips = from.character->skeleton->rest[1];
    hips.translation.y -= 0.1f;
    test::apply(from, SetJointLocal{1, hips, false});
    Document to = body(style);
    if (legs != 1) {
      rig::Character longer = *to.character;
      for (const char* name : {"LeftLeg", "RightLeg", "LeftFoot", "RightFoot"}) {
        longer.skeleton.edit().rest[longer.skeleton->find("mixamorig:" + std::string(name))].translation *= legs;
      }
      to = make_document(std::make_shared<rig::Character>(std::move(longer)));
    }
    const float before = position(to, 0, style.mixamo).y;
    carry_over(from, to);
    return before - position(to, 0, style.mixamo).y;
  };
  EXPECT_NEAR(hips_move({}, 1), 0.1f, 1e-6f);
  EXPECT_NEAR(hips_move({.mixamo = true}, 2), 0.2f, 1e-6f);
  EXPECT_NEAR(hips_move({.size = 3, .without = {"foot_l"}}, 1), 0.3f, 0.02f);
}

// Without thighs on both sides the arms tell which way a body faces.
TEST(PoseTransfer, ArmsTellTheFacingWhereLegsDoNot) {
  Document from = body({});
  turn(from, "upperarm_l", 0.5f, {0, 0, 1});
  Document to = body({.axes = 18, .facing = std::numbers::pi_v<float>, .without = {"thigh_r"}});
  carry_over(from, to);
  const glm::vec3 raised = position(from, 5, false) * glm::vec3(-1, 1, -1);
  EXPECT_LT(glm::distance(position(to, 5, false), raised), 1e-5f);
}

Document limb(const char* name, const Transform& rest) {
  rig::Character character;
  test::add_node(character, name, -1, rest);
  rig::finish(character);
  return make_document(std::make_shared<rig::Character>(std::move(character)));
}

// Twice as long along X, which is the other one's Y; of sizes at rest of four and of two.
TEST(PoseTransfer, AJointGrowsInTheSameDirectionAsMuch) {
  Document from = limb("tail", {.scale = glm::vec3(4)});
  test::apply(from, SetJointLocal{0, {.scale = {8, 4, 4}}, false});
  Document to = limb("tail", {.rotation = glm::angleAxis(0.5f * std::numbers::pi_v<float>, glm::vec3(0, 0, 1)),
                              .scale = glm::vec3(2)});
  carry_over(from, to);
  EXPECT_LT(glm::distance(evaluate_pose(to).local[0].scale, glm::vec3(2, 4, 2)), 1e-5f);
}

// Where only the shapes of two skeletons tell which joint is which, the turns go over as a motion does, and a motion
// has no scales.
TEST(PoseTransfer, JointsFoundByShapeGrowAsMuch) {
  const rig::Character mannequin = *gltf::import_bundled("mannequin");
  const rig::Skeleton& skeleton = mannequin.skeleton;
  PosedRig from;
  from.joints.parent = skeleton.parent;
  from.rest = skeleton.rest;
  for (int j = 0; j < skeleton.size(); ++j) {
    from.joints.name.push_back("n" + std::to_string(j));
    from.joints.role.emplace_back();
  }
  const int elbow = skeleton.find("elbow_l");
  const int wrist = skeleton.find("wrist_l");
  from.posed[elbow] = {.rotation = skeleton.rest[elbow].rotation * glm::angleAxis(0.7f, glm::vec3(0, 1, 0)),
                       .translation = std::nullopt,
                       .scale = 1.5f * skeleton.rest[elbow].scale};
  from.posed[wrist].scale = 0.5f * skeleton.rest[wrist].scale;
  const std::optional<MappedPose> mapped = pose_by_joint_map(from, mannequin);
  ASSERT_TRUE(mapped);
  for (const auto& [joint, factor] : {std::pair(elbow, 1.5f), std::pair(wrist, 0.5f)}) {
    const int follower = mapped->follows[static_cast<std::size_t>(joint)];
    ASSERT_EQ(follower, joint);
    ASSERT_TRUE(mapped->locals.contains(follower));
    EXPECT_LT(glm::distance(mapped->locals.at(follower).scale, factor * skeleton.rest[follower].scale), 1e-5f);
  }
}

// What a pose file says of nodes without names of their own is for the same node of the same rig.
TEST(PoseTransfer, ANodeIsTheSameWhereItsNumberAndItsParentAre) {
  const auto rig_of = [](const char* second, const char* third, int third_parent) {
    rig::Character character;
    test::add_node(character, "root", -1, {});
    test::add_node(character, second, 0, {});
    test::add_node(character, third, third_parent, {});
    rig::finish(character);
    return make_document(std::make_shared<rig::Character>(std::move(character)));
  };
  Document from = rig_of("chain", "", 1);
  for (const int j : {0, 2}) {
    test::apply(from, SetJointLocal{j, {.translation = {0, 1, 0}}, false});
  }
  Document same = rig_of("chain", "", 1);
  EXPECT_EQ(carry_over(from, same).joints_found, 2);
  Document named = rig_of("chain", "hand", 1);
  EXPECT_THAT(carry_over(from, named).not_found, testing::ElementsAre("node 2"));
  Document elsewhere = rig_of("chain", "", 0);
  EXPECT_THAT(carry_over(from, elsewhere).not_found, testing::ElementsAre("node 2"));
}

Result<ReplacePose> read_from(const Document& to, std::string_view entries, PoseReport& report) {
  return pose_from_json(to, fmt::format(R"({{"pelt": "pose", "version": 1, {}}})", entries), &report);
}

TEST(PoseTransfer, AJointThatTheRestPoseDoesNotListIsTakenAsItIs) {
  const Document to = body({.axes = 19});
  PoseReport report;
  const Result<ReplacePose> pose =
      read_from(to, R"("joints": {"calf_l": {"rotation": [0, 0, 0.6, 0.8]}}, "rest": [{"name": "pelvis"}])", report);
  ASSERT_TRUE(pose) << pose.error().message;
  EXPECT_EQ(pose->overrides.at(to.character->skeleton->find("calf_l")).local.rotation,
            quat_xyzw(0.0f, 0.0f, 0.6f, 0.8f));
}

TEST(PoseTransfer, AnEmptyRestPoseIsNone) {
  PoseReport report;
  ASSERT_TRUE(
      read_from(body({.mixamo = true}), R"("joints": {"calf_l": {"rotation": [0, 0, 0.6, 0.8]}}, "rest": [])", report));
  EXPECT_FALSE(report.rest_known);
}

TEST(PoseTransfer, RolesOfAHumanTellWhatNamesDoNot) {
  const Document to = body({});
  PoseReport report;
  const Result<ReplacePose> pose = read_from(
      to,
      R"("joints": {"Bone.007": {"rotation": [0, 0, 0.6, 0.8]}}, "rest": [{"name": "Bone.007", "human": "leftHand"}])",
      report);
  ASSERT_TRUE(pose) << pose.error().message;
  EXPECT_THAT(report.guessed, testing::ElementsAre("Bone.007 is hand_l"));
}

TEST(PoseTransfer, AMorphWithoutANameIsNoneOfThoseWithout) {
  PoseReport report;
  const Result<ReplacePose> pose = read_from(test::arm_document(), R"("morphs": {"smile": 1, "": 0.5})", report);
  ASSERT_TRUE(pose) << pose.error().message;
  EXPECT_EQ(pose->morphs.size(), 1u);
  EXPECT_EQ(report.shapes_found, 1);
}

TEST(PoseTransfer, SentencesSayWhatWasFound) {
  PoseReport report;
  report.joints = 45;
  report.joints_found = 38;
  report.not_found = {"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_EQ(summary(report), "38 of 45 joints; 7 not found");
  EXPECT_EQ(details(report, 2), "missing: a, b and 5 more");
  report.guessed = {"LeftArm is upperarm_l"};
  report.rest_known = true;
  report.shapes = 3;
  report.shapes_found = 3;
  EXPECT_EQ(summary(report), "38 of 45 joints, 1 by similar names; 3 of 3 shapes; 7 not found");
  EXPECT_EQ(details(report, 1), "missing: a and 6 more; LeftArm is upperarm_l");
}

// Version 1 files without a rest pose go on meaning what they did, also by similar names.
TEST(PoseTransfer, WithoutARestPoseRotationsAreTakenOver) {
  Document to = body({.mixamo = true, .axes = 15});
  PoseReport report;
  const Result<ReplacePose> pose =
      pose_from_json(to, R"({"pelt": "pose", "version": 1, "joints": {"calf_l": {"rotation": [0, 0, 0.6, 0.8]},
              "tail": {"rotation": [0, 0, 0.6, 0.8]}}})",
                     &report);
  ASSERT_TRUE(pose) << pose.error().message;
  const int knee = to.character->skeleton->find("mixamorig:LeftLeg");
  EXPECT_EQ(pose->overrides.at(knee).local.rotation, quat_xyzw(0.0f, 0.0f, 0.6f, 0.8f));
  EXPECT_EQ(summary(report), "1 of 2 joints, 1 by similar names; 1 not found");
  EXPECT_THAT(details(report), testing::HasSubstr("the file does not tell its rest pose"));
}

// A node without a name is known by its number only where the rest of the rig agrees.
TEST(PoseTransfer, NumbersOfAnotherFileSayNothing) {
  Document from = test::arm_document();
  test::apply(from, SetJointLocal{6, {{1, 2, 3}, kIdentityQuat, {1, 1, 1}}, false});
  test::apply(from, SetDof{1, 0, 0.5f});
  Document to = body({});
  const PoseReport report = carry_over(from, to);
  EXPECT_EQ(report.joints_found, 1);
  EXPECT_THAT(report.guessed, testing::ElementsAre("shoulder_l is upperarm_l"));
  EXPECT_THAT(report.not_found, testing::ElementsAre("node 6"));
}

}  // namespace
}  // namespace pelt::edit
