#include "motion/drivers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hungry_drivers.h"
#include "math/angle.h"
#include "motion/memory.h"
#include "motion/pose_layers.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::motion {
namespace {

// An arm along x with a helper under the shoulder, which no clip moves; a mesh of one vertex with two shapes; a clip
// that bends the elbow from 0 to 140 degrees within two seconds, from its start at 1 s on.
struct Arm {
  rig::Character character;
  std::map<int, JointOverride> overrides;
  std::map<int, float> morph_overrides;
  BasePose base = BasePose::kRest;
  int clip = -1;
  float time = 0;
  static constexpr int kShoulder = 0, kElbow = 1, kHand = 2, kHelper = 3;

  Arm() {
    test::add_node(character, "shoulder", -1, {});
    test::add_node(character, "elbow", 0, {.translation = {1, 0, 0}});
    test::add_node(character, "hand", 1, {.translation = {1, 0, 0}});
    test::add_node(character, "biceps", 0, {.translation = {0.5f, 0.1f, 0}});
    mesh::Primitive primitive;
    primitive.topology = mesh::Topology::kPoints;
    primitive.positions = {{0.5f, 0.2f, 0}};
    primitive.indices = {0};
    for (const char* name : {"flexed", "tense"}) {
      mesh::MorphTarget target;
      target.position_deltas = {{0, 0.1f, 0}};
      primitive.morph_targets.push_back(target);
      names.emplace_back(name);
    }
    const std::uint16_t joints[] = {0, 3};
    const float weights[] = {0.5f, 0.5f};
    mesh::append_row(primitive.influences.edit(), joints, weights);
    test::add_skinned_mesh(character, "skin", {0, 1, 2, 3}, std::move(primitive));
    character.meshes.edit(0).morph_names = names;
    character.meshes.edit(0).morph_weights = {0, 0};
    rig::finish(character);
    set_hinge(kElbow, "bend", 0, 150);
    set_hinge(kHand, "bend", -80, 80);
    add_dofs();
    rig::Clip bend;
    bend.name = "bend";
    bend.start = 1;
    bend.end = 3;
    const glm::quat bent = glm::angleAxis(static_cast<float>(140 * kDegree), glm::vec3(0, 0, 1));
    bend.channels.push_back({.joint = kElbow,
                             .path = rig::ChannelPath::kRotation,
                             .times = {1, 3},
                             .values = {0, 0, 0, 1, bent.x, bent.y, bent.z, bent.w},
                             .width = 4});
    character.clips.push_back(bend);
  }
  std::vector<std::string> names;

  void set_hinge(int joint, const char* name, double lower, double upper) {
    rig::JointDofs& dofs = character.skeleton.edit().dofs[joint];
    dofs = {};
    dofs.offset = character.skeleton->rest[joint].translation;
    dofs.dofs.push_back({.name = name,
                         .axis = {0, 0, 1},
                         .lower = static_cast<float>(lower * kDegree),
                         .upper = static_cast<float>(upper * kDegree)});
  }
  void add_dofs() {
    rig::JointDofs& dofs = character.skeleton.edit().dofs[kHelper];
    dofs = {};
    dofs.offset = {0.5f, 0.1f, 0};
    dofs.dofs = {
        {.name = "turn", .axis = {0, 0, 1}, .lower = -3, .upper = 3},
        {.name = "ty", .kind = rig::DofKind::kTranslation, .axis = {0, 1, 0}, .lower = -0.05f, .upper = 0.05f},
        {.name = "s", .kind = rig::DofKind::kScale, .axis = {1, 0, 0}, .lower = 0.1f, .upper = 5, .default_value = 1}};
  }
  void bend_elbow(double degrees) {
    const float angle = static_cast<float>(degrees * kDegree);
    const rig::JointDofs& dofs = character.skeleton->dofs[kElbow];
    overrides[kElbow] = {rig::local_from_dofs(dofs, std::vector{angle}), {angle}};
  }
  [[nodiscard]] rig::Pose pose(const std::vector<Driver>& drivers, MotionMemory* memory = nullptr) const {
    const DriverRig rig = make_driver_rig(character, drivers);
    PoseSources sources{character, base, clip, time, overrides, morph_overrides};
    sources.drivers = &rig;
    sources.memory = memory;
    return layered_pose(standard_pose_layers(), sources);
  }
  [[nodiscard]] std::string fault(const std::string& target, const std::string& expression) const {
    const DriverRig rig = make_driver_rig(character, std::vector<Driver>{{target, expression}});
    EXPECT_EQ(rig.rows.size(), rig.faults[0].empty() ? 1u : 0u);
    return rig.faults[0];
  }
  // What an expression reads at the pose so far.
  [[nodiscard]] double reads(const std::string& expression) const {
    const DriverRig rig = make_driver_rig(character, std::vector<Driver>{{"shape(tense)", expression}});
    EXPECT_EQ(rig.faults[0], "");
    const PoseSources sources{character, base, clip, time, overrides, morph_overrides};
    rig::Pose pose = layered_pose(standard_pose_layers(), sources);
    rig::PoseBuilder builder(character.skeleton, pose);
    return read_driver(rig.rows.at(0), sources, builder).value.value_or(NAN);
  }
};

const std::string kBiceps = "0.02 * clamp((elbow.bend - 10) / (140 - 10), 0, 1)";

TEST(Drivers, C19_1_TheBicepsFollowsTheElbowOfTheRig) {
  Arm arm;
  const std::map<double, float> expected = {{0, 0.0f}, {10, 0.0f}, {75, 0.01f}, {140, 0.02f}, {150, 0.02f}};
  for (const auto& [theta, metres] : expected) {
    arm.bend_elbow(theta);
    const rig::Pose pose = arm.pose({{"biceps.ty", kBiceps}});
    EXPECT_NEAR(pose.local[Arm::kHelper].translation.y, 0.1f + metres, 1e-8) << theta;
    EXPECT_EQ(pose.local[Arm::kHelper].translation.x, 0.5f);
  }
}

// The clip bends it to 70 degrees after a second.
TEST(Drivers, FollowAClip) {
  Arm arm;
  arm.clip = 0;
  arm.time = 2;
  const rig::Pose pose = arm.pose({{"shape(flexed)", "elbow.bend / 140"}, {"shape(tense)", "t"}});
  EXPECT_NEAR(pose.morph_weights[0], 0.5f, 1e-6);
  EXPECT_EQ(pose.morph_weights[1], 1);
}

// C19.4 by the definition of linear blending, in the frame of a turned parent.
TEST(Drivers, C19_4_SkinOnTheHelperMovesByItsShare) {
  Arm arm;
  arm.bend_elbow(140);
  const float quarter = static_cast<float>(90 * kDegree);
  arm.overrides[Arm::kShoulder] = {{.rotation = glm::angleAxis(quarter, glm::vec3(0, 0, 1))}, {}};
  const rig::Pose still = arm.pose({});
  const rig::Pose moved = arm.pose({{"biceps.ty", kBiceps}});
  const rig::Skin& skin = arm.character.skins[0];
  const glm::vec4 vertex(0.5f, 0.2f, 0, 1);
  const auto skinned = [&](const rig::Pose& pose, float weight_of_helper) {
    rig::WorldMatrices world;
    world.evaluate(arm.character.skeleton, pose);
    return weight_of_helper * (rig::skin_matrix(skin, world.world(), 3) * vertex) +
           (1 - weight_of_helper) * (rig::skin_matrix(skin, world.world(), 0) * vertex);
  };
  // Its y is the world's -x behind the quarter turn of the shoulder.
  for (const float weight : {1.0f, 0.5f}) {
    const glm::vec4 way = skinned(moved, weight) - skinned(still, weight);
    EXPECT_NEAR(way.x, -0.02f * weight, 1e-6);
    EXPECT_NEAR(way.y, 0, 1e-6);
    EXPECT_NEAR(way.z, 0, 1e-6);
  }
}

// C19.5: where the driver says neutral, the skin is as if its helper's weight were still the parent's.
TEST(Drivers, C19_5_ANeutralHelperIsNoHelper) {
  Arm arm;
  const float turn = 0.7f;
  arm.overrides[Arm::kShoulder] = {{.rotation = glm::angleAxis(turn, glm::vec3(0, 0.6f, 0.8f))}, {}};
  const rig::Pose pose = arm.pose({{"biceps.ty", kBiceps}, {"biceps.s", "1 + elbow.bend / 100"}});
  rig::WorldMatrices world;
  world.evaluate(arm.character.skeleton, pose);
  const rig::Skin& skin = arm.character.skins[0];
  const glm::vec4 vertex(0.5f, 0.2f, 0, 1);
  const glm::vec4 with = 0.5f * (rig::skin_matrix(skin, world.world(), 3) * vertex) +
                         0.5f * (rig::skin_matrix(skin, world.world(), 0) * vertex);
  const glm::vec4 without = rig::skin_matrix(skin, world.world(), 0) * vertex;
  EXPECT_LE(glm::length(with - without), 1e-6f);
}

TEST(Drivers, ReadWhatTheRigDoes) {
  Arm arm;
  arm.bend_elbow(60);
  EXPECT_NEAR(arm.reads("elbow.bend"), 60, 1e-5);
  EXPECT_NEAR(arm.reads("distance(shoulder, hand)"), std::sqrt(3.0), 1e-6);  // two sides of 1 at 120 degrees
  EXPECT_NEAR(arm.reads("swing(elbow, x)"), 60, 1e-5);
  EXPECT_NEAR(arm.reads("twist(elbow, z)"), 60, 1e-5);
  EXPECT_NEAR(arm.reads("twist(elbow, x)"), 0, 1e-5);
  EXPECT_EQ(arm.reads("t"), 0) << "there is no clip";
  EXPECT_EQ(arm.reads("dt"), 1.0 / 60);
  arm.morph_overrides[0] = 0.25f;
  EXPECT_EQ(arm.reads("shape(flexed)"), 0.25);
  EXPECT_NEAR(arm.reads("biceps.s"), 1, 1e-6);
}

// C2.3's rotation, which is more than a hinge.
TEST(Drivers, SwingAndTwistAreThoseOfTheLocalRotation) {
  Arm arm;
  const glm::quat turn = glm::angleAxis(static_cast<float>(40 * kDegree), glm::vec3(0, 0, 1)) *
                         glm::angleAxis(static_cast<float>(70 * kDegree), glm::vec3(1, 0, 0));
  const glm::quat rest = glm::angleAxis(0.8f, glm::vec3(0, 1, 0));
  arm.character.skeleton.edit().rest[Arm::kElbow].rotation = rest;
  arm.overrides[Arm::kElbow] = {{.translation = {1, 0, 0}, .rotation = rest * turn}, {}};
  EXPECT_NEAR(arm.reads("twist(elbow, x)"), 70, 1e-4);
  EXPECT_NEAR(arm.reads("swing(elbow, x)"), 40, 1e-4);
}

TEST(Drivers, AJointPosedByHandSaysWhatItsSliderSays) {
  Arm arm;
  arm.bend_elbow(30);
  const float turned = static_cast<float>(390 * kDegree);  // as far as the transform knows, 30
  arm.overrides[Arm::kElbow].dof_values = {turned};
  EXPECT_NEAR(arm.reads("elbow.bend"), 390, 1e-4);
}

TEST(Drivers, AreClampedToTheLimitsOfTheirSlider) {
  const Arm arm;
  const rig::Pose pose = arm.pose({{"biceps.ty", "3"}, {"elbow.bend", "-20"}, {"hand.bend", "200"}});
  EXPECT_NEAR(pose.local[Arm::kHelper].translation.y, 0.15f, 1e-7);
  EXPECT_NEAR(glm::angle(pose.local[Arm::kElbow].rotation), 0, 1e-6);
  EXPECT_NEAR(glm::angle(pose.local[Arm::kHand].rotation) / kDegree, 80, 1e-4);
}

TEST(Drivers, ChangeNothingButTheirTarget) {
  Arm arm;
  const glm::quat tilt = glm::angleAxis(0.4f, glm::vec3(0, 1, 0));  // that no DOF expresses
  arm.overrides[Arm::kHelper] = {{.translation = {2, 3, 4}, .rotation = tilt, .scale = {1, 2, 3}}, {}};
  const rig::Pose pose = arm.pose({{"biceps.ty", "0.04"}});
  const Transform& local = pose.local[Arm::kHelper];
  EXPECT_EQ(local.rotation, tilt);
  EXPECT_EQ(local.scale, glm::vec3(1, 2, 3));
  EXPECT_EQ(local.translation.x, 2);
  EXPECT_EQ(local.translation.z, 4);
  EXPECT_NEAR(local.translation.y, 0.14f, 1e-6);
  const rig::Pose none = arm.pose({});
  EXPECT_EQ(none, arm.pose({{"biceps.ty", "0.04", false}})) << "a driver that is off";
}

TEST(Drivers, EachReadsWhatTheOthersWrote) {
  const Arm arm;
  std::vector<Driver> drivers = {{"shape(flexed)", "biceps.ty * 10"},
                                 {"biceps.ty", "hand.bend / 1000"},
                                 {"hand.bend", "20 + 0"},
                                 {"shape(tense)", "distance(shoulder, hand)"},
                                 {"elbow.bend", "hand.bend * 3"}};
  std::ranges::sort(drivers, {}, &Driver::target);
  const rig::Pose first = arm.pose(drivers);
  EXPECT_NEAR(first.morph_weights[0], 0.2f, 1e-5);
  EXPECT_NEAR(first.morph_weights[1], std::sqrt(3.0), 1e-5);
  do {
    ASSERT_EQ(arm.pose(drivers), first) << "C18.3: their order in the list says nothing";
  } while (std::ranges::next_permutation(drivers, {}, &Driver::target).found);
}

TEST(Drivers, C18_4_ACycleIsRefusedByName) {
  const Arm arm;
  EXPECT_EQ(arm.fault("elbow.bend", "elbow.bend + 1"), "it reads its own target: elbow.bend -> elbow.bend");
  EXPECT_EQ(arm.fault("elbow.bend", "twist(elbow, x)"), "it reads its own target: elbow.bend -> elbow.bend");
  EXPECT_EQ(arm.fault("elbow.bend", "distance(shoulder, hand)"), "it reads its own target: elbow.bend -> elbow.bend");
  EXPECT_EQ(arm.fault("shape(tense)", "shape(tense)"), "it reads its own target: shape(tense) -> shape(tense)");
  const std::vector<Driver> drivers = {{"hand.bend", "elbow.bend"},
                                       {"elbow.bend", "shape(tense) * 2"},
                                       {"shape(tense)", "hand.bend"},
                                       {"shape(flexed)", "hand.bend"},
                                       {"biceps.ty", "0.01"}};
  const DriverRig rig = make_driver_rig(arm.character, drivers);
  EXPECT_EQ(rig.faults[0], "it reads its own target: hand.bend -> elbow.bend -> shape(tense) -> hand.bend");
  EXPECT_EQ(rig.faults[1], "it reads its own target: elbow.bend -> shape(tense) -> hand.bend -> elbow.bend");
  EXPECT_EQ(rig.faults[2], "it reads its own target: shape(tense) -> hand.bend -> elbow.bend -> shape(tense)");
  EXPECT_EQ(rig.faults[3],
            "it reads targets that read each other: hand.bend -> elbow.bend -> shape(tense) -> hand.bend");
  EXPECT_EQ(rig.faults[4], "");
  ASSERT_EQ(rig.rows.size(), 1u);
  EXPECT_EQ(rig.rows[0].driver, 4);
}

TEST(Drivers, WhatCarriesBothEndsAlongIsNoCycle) {
  const Arm arm;
  EXPECT_EQ(arm.fault("biceps.ty", "distance(shoulder, hand)"), "") << "beside the way";
  EXPECT_EQ(arm.fault("hand.bend", "distance(shoulder, hand)"), "") << "an end turns about itself";
  EXPECT_EQ(arm.fault("shoulder.bend", "distance(shoulder, hand)"), "") << "carries both";
  EXPECT_EQ(arm.fault("shoulder.sx", "distance(elbow, hand)"), "it reads its own target: shoulder.sx -> shoulder.sx");
  EXPECT_EQ(arm.fault("biceps.ty", "biceps.turn"), "") << "another slider of the same joint";
  EXPECT_EQ(arm.fault("biceps.ty", "distance(biceps, hand)"), "it reads its own target: biceps.ty -> biceps.ty");
}

TEST(Drivers, FaultsNameWhatTheCharacterDoesNotHave) {
  const Arm arm;
  EXPECT_EQ(arm.fault("elbw.bend", "1"), "target: there is no joint 'elbw' (did you mean \"elbow\"?)");
  EXPECT_EQ(arm.fault("elbow.bnd", "1"), "target: joint 'elbow' has no slider 'bnd' (did you mean \"bend\"?)");
  EXPECT_EQ(arm.fault("shape(smile)", "1"), "target: there is no shape 'smile'");
  EXPECT_EQ(arm.fault("elbow.bend + 1", "1"),
            "target: expected a slider such as elbow_l.bend or a shape such as shape(smile), got 'elbow.bend + 1'");
  EXPECT_EQ(arm.fault("t", "1"),
            "target: expected a slider such as elbow_l.bend or a shape such as shape(smile), got 't'");
  EXPECT_EQ(arm.fault("biceps.ty", "1 + hnd.bend"), "column 5: there is no joint 'hnd' (did you mean \"hand\"?)");
  EXPECT_EQ(arm.fault("biceps.ty", "1 + hand.x"), "column 5: joint 'hand' has no slider 'x'");
  EXPECT_EQ(arm.fault("biceps.ty", "distance(hand, none)"), "column 1: there is no joint 'none'");
  EXPECT_EQ(arm.fault("biceps.ty", "2 * swing(\"\", x)"), "column 5: there is no joint ''");
  EXPECT_EQ(arm.fault("biceps.ty", "2 * shape(flexd)"),
            "column 5: there is no shape 'flexd' (did you mean \"flexed\"?)");
  EXPECT_EQ(arm.fault("biceps.ty", "1 +"), "column 4: expected a number, a name or '(', got the end");
  const DriverRig twice = make_driver_rig(arm.character, std::vector<Driver>{{"elbow.bend", "1"}, {"elbow.bend", "2"}});
  EXPECT_EQ(twice.faults[1], "another driver before it has the target elbow.bend");
}

TEST(Drivers, DoNothingInTheBindPose) {
  Arm arm;
  arm.base = BasePose::kBind;
  EXPECT_EQ(arm.pose({{"biceps.ty", "0.02"}}), arm.pose({}));
}

// The root has no value from the middle of the clip on; what it had in the last frame before stays.
TEST(Drivers, TheLastValidValueCountsWhereverThePlayheadComesFrom) {
  Arm arm;
  arm.clip = 0;
  const std::vector<Driver> drivers = {{"shape(flexed)", "sqrt(70.5 - elbow.bend)"},
                                       {"shape(tense)", "shape(flexed) * 2"}};
  arm.time = 1.5f;
  EXPECT_NEAR(arm.pose(drivers).morph_weights[0], std::sqrt(35.5), 1e-4);
  // 70 degrees a second and 60 frames: the last frame before it has 70 degrees.
  const double held = std::sqrt(0.5);
  for (const float time : {2.02f, 2.5f, 3.0f}) {
    arm.time = time;
    EXPECT_NEAR(arm.pose(drivers).morph_weights[0], held, 1e-3) << time;
    EXPECT_NEAR(arm.pose(drivers).morph_weights[1], 2 * held, 2e-3) << time;
  }
  MotionMemory forward;
  std::map<float, rig::Pose> played;
  for (float time = 1; time <= 3; time += 1.0f / 24) {
    arm.time = time;
    played[time] = arm.pose(drivers, &forward);
  }
  MotionMemory backward;
  for (auto at = played.rbegin(); at != played.rend(); ++at) {
    arm.time = at->first;
    ASSERT_EQ(arm.pose(drivers, &backward), at->second) << at->first;
    ASSERT_EQ(arm.pose(drivers), at->second) << at->first;
  }
}

TEST(Drivers, BeforeTheFirstValueItIsZero) {
  Arm arm;
  arm.morph_overrides[0] = 0.5f;
  EXPECT_EQ(arm.pose({{"shape(flexed)", "1 / elbow.bend"}}).morph_weights[0], 0) << "no clip";
  arm.clip = 0;
  arm.time = 1;
  EXPECT_EQ(arm.pose({{"shape(flexed)", "1 / elbow.bend"}}).morph_weights[0], 0) << "the first frame";
  // It has a value from 2.0072 s on, so in the next frame: what comes later does not count.
  arm.time = 2.005f;
  EXPECT_EQ(arm.pose({{"shape(flexed)", "sqrt(elbow.bend - 70.5)"}}).morph_weights[0], 0);
}

TEST(Drivers, TheWeightOfTheLayerIsAShare) {
  const Arm arm;
  const DriverRig rig = make_driver_rig(arm.character, std::vector<Driver>{{"shape(flexed)", "0.8"}});
  std::vector<rig::Layer> layers = standard_pose_layers();
  std::ranges::find(layers, "drivers", &rig::Layer::kind)->values = {0.25f};
  PoseSources sources{arm.character, arm.base, arm.clip, arm.time, arm.overrides, arm.morph_overrides};
  sources.drivers = &rig;
  EXPECT_NEAR(layered_pose(layers, sources).morph_weights[0], 0.2f, 1e-7);
}

}  // namespace
}  // namespace pelt::motion

namespace pelt::motion {
namespace {

// A hostile file. drivers_cost_test.cpp measures the time.
TEST(Drivers, ManyThatReadMuchAreOrderedInTime) {
  const test::HungryDrivers hungry;
  const DriverRig rig = make_driver_rig(hungry.character, hungry.drivers);
  EXPECT_NE(rig.faults.back(), "");
  EXPECT_EQ(rig.faults.back(), "expected at most 1000 drivers that read 10000 things");
}

// Poses are single precision: what it cannot hold is no value, and no vertex becomes infinite.
TEST(Drivers, WhatNoPoseCanHoldIsNoValue) {
  const Arm arm;
  for (const char* expression : {"1e200", "-1e39", "1e308 * 10"}) {
    const rig::Pose pose = arm.pose({{"shape(flexed)", expression}, {"shape(tense)", "0.5"}});
    EXPECT_EQ(pose.morph_weights[0], 0) << expression;
    EXPECT_EQ(pose.morph_weights[1], 0.5f);
  }
  EXPECT_EQ(arm.pose({{"shape(flexed)", "3e38"}}).morph_weights[0], 3e38f);
}

// Another order of rotations moves the joint's sliders about; a driver means the one that it names.
TEST(Drivers, MeanTheSliderOfTheirNameInEveryOrderOfRotations) {
  for (const EulerOrder order : kEulerOrders) {
    Arm arm;
    arm.character.skeleton.edit().dofs[Arm::kShoulder] = rig::default_dofs({}, glm::vec3(1, 0, 0));
    const std::map<int, EulerOrder> orders = {{Arm::kShoulder, order}};
    for (const char* name : {"twist", "side", "bend"}) {
      const rig::JointDofs& own = arm.character.skeleton->dofs[Arm::kShoulder];
      const DriverRig rig =
          make_driver_rig(arm.character, std::vector<Driver>{{fmt::format("shoulder.{}", name), "25"},
                                                             {"shape(tense)", fmt::format("shoulder.{} / 100", name)}});
      PoseSources sources{arm.character, arm.base, arm.clip, arm.time, arm.overrides, arm.morph_overrides};
      sources.euler_orders = &orders;
      sources.drivers = &rig;
      const rig::Pose pose = layered_pose(standard_pose_layers(), sources);
      const glm::quat wanted = glm::angleAxis(static_cast<float>(25 * kDegree), own.dofs[own.find(name)].axis);
      EXPECT_NEAR(std::abs(glm::dot(pose.local[Arm::kShoulder].rotation, own.orientation * wanted)), 1, 1e-6)
          << name << ' ' << static_cast<int>(order);
      EXPECT_NEAR(pose.morph_weights[1], 0.25f, 1e-5) << name;
    }
  }
}

}  // namespace
}  // namespace pelt::motion
