#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "math/angle.h"
#include "motion/certificate.h"
#include "motion/foot_lock.h"
#include "motion/retarget.h"

namespace pelt::motion {
namespace {

using testing::HasSubstr;

/// A joint of a figure made by hand.
struct FigureJoint {
  const char* name;
  int parent;
  glm::vec3 offset;
  glm::quat rotation = kIdentityQuat;
};

rig::Character figure(const std::vector<FigureJoint>& joints) {
  rig::Character character;
  rig::Skeleton& skeleton = character.skeleton.edit();
  rig::Scene scene;
  for (const FigureJoint& joint : joints) {
    Transform rest;
    rest.translation = joint.offset;
    rest.rotation = joint.rotation;
    if (joint.parent < 0) {
      scene.roots.push_back(skeleton.size());
    }
    skeleton.parent.push_back(joint.parent);
    skeleton.name.emplace_back(joint.name);
    skeleton.rest.push_back(rest);
    skeleton.source_node.push_back(static_cast<int>(skeleton.name.size()) - 1);
  }
  character.scenes.push_back(scene);
  rig::finish(character);
  return character;
}

glm::quat about(const glm::vec3& axis, double degrees) {
  return glm::angleAxis(static_cast<float>(degrees * kDegree), axis);
}

rig::Channel turning(int joint, const std::vector<glm::quat>& keys) {
  rig::Channel out;
  out.joint = joint;
  out.path = rig::ChannelPath::kRotation;
  out.width = 4;
  for (std::size_t f = 0; f < keys.size(); ++f) {
    out.times.push_back(0.5f * static_cast<float>(f));
    out.values.insert(out.values.end(), {keys[f].x, keys[f].y, keys[f].z, keys[f].w});
  }
  return out;
}

rig::Channel moving(int joint, const std::vector<glm::vec3>& keys) {
  rig::Channel out;
  out.joint = joint;
  for (std::size_t f = 0; f < keys.size(); ++f) {
    out.times.push_back(0.5f * static_cast<float>(f));
    out.values.insert(out.values.end(), {keys[f].x, keys[f].y, keys[f].z});
  }
  return out;
}

void add_clip(rig::Character& character, std::vector<rig::Channel> channels) {
  rig::Clip clip;
  clip.name = "made";
  clip.end = channels.front().times.back();
  clip.channels = std::move(channels);
  character.clips.push_back(std::move(clip));
}

// A person of 1.6 units in T pose, legs and arms of a given size, with a trunk of `spine_joints`.
rig::Character person(float size = 1, int spine_joints = 2, const char* prefix = "") {
  std::vector<FigureJoint> joints = {{"Hips", -1, glm::vec3(0, 0.9f, 0) * size}};
  std::vector<std::string> names = {"Hips"};
  const auto add = [&](const char* name, int parent, const glm::vec3& offset) {
    joints.push_back({name, parent, offset * size});
    return static_cast<int>(joints.size()) - 1;
  };
  static const char* const kSpines[] = {"Spine", "Spine1", "Spine2", "Spine3", "Spine4"};
  int chest = 0;
  for (int n = 0; n < spine_joints; ++n) {
    chest = add(kSpines[n], chest, {0, 0.45f / static_cast<float>(spine_joints), 0});
  }
  const int neck = add("Neck", chest, {0, 0.1f, 0});
  add("Head", neck, {0, 0.1f, 0});
  for (const bool left : {true, false}) {
    const float s = left ? 1.0f : -1.0f;
    const int shoulder = add(left ? "LeftShoulder" : "RightShoulder", chest, {s * 0.05f, 0.05f, 0});
    const int arm = add(left ? "LeftArm" : "RightArm", shoulder, {s * 0.12f, 0, 0});
    const int forearm = add(left ? "LeftForeArm" : "RightForeArm", arm, {s * 0.28f, 0, 0});
    add(left ? "LeftHand" : "RightHand", forearm, {s * 0.25f, 0, 0});
    const int thigh = add(left ? "LeftUpLeg" : "RightUpLeg", 0, {s * 0.1f, -0.05f, 0});
    const int shin = add(left ? "LeftLeg" : "RightLeg", thigh, {0, -0.4f, 0});
    const int foot = add(left ? "LeftFoot" : "RightFoot", shin, {0, -0.4f, 0});
    add(left ? "LeftToeBase" : "RightToeBase", foot, {0, -0.05f, 0.15f});
  }
  rig::Character out = figure(joints);
  for (std::string& name : out.skeleton.edit().name) {
    name = prefix + name;
  }
  return out;
}

struct Carried {
  RetargetRig source;
  RetargetRig target;
  JointMap map;
  Retargeted made;
  rig::Pose pose(float time) const {
    rig::Pose out = rig::rest_pose(target.character);
    rig::apply(made.clip, time, target.character.morph_offset, out);
    return out;
  }
  WorldFrames frames(float time) const {
    WorldFrames out;
    world_frames(target.character.skeleton, pose(time).local, out);
    return out;
  }
  [[nodiscard]] int joint(const char* name) const { return target.character.skeleton->find(name); }
};

Carried carried(const rig::Character& from, const rig::Character& to, const RetargetSettings& settings = {}) {
  auto source = source_rig(from, 0, settings);
  EXPECT_TRUE(source);
  Carried out{*source, target_rig(to), {}, {}};
  out.map = make_joint_map(out.source, out.target);
  auto made = retarget(out.source, out.target, out.map, settings);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  out.made = made ? *made : Retargeted{};
  return out;
}

void expect_near(const glm::dvec3& actual, const glm::dvec3& wanted, double tolerance) {
  EXPECT_NEAR(glm::distance(actual, wanted), 0, tolerance)
      << actual.x << " " << actual.y << " " << actual.z << " instead of " << wanted.x << " " << wanted.y << " "
      << wanted.z;
}

// Everything turns and the hips move.
rig::Character moving_person() {
  rig::Character out = person();
  std::vector<rig::Channel> channels = {moving(0, {{0, 0.9f, 0}, {0.3f, 0.8f, 0.2f}, {1, 0.85f, -0.4f}})};
  for (int j = 0; j < out.skeleton->size(); ++j) {
    const auto n = static_cast<float>(j);
    channels.push_back(turning(j, {kIdentityQuat, about(glm::normalize(glm::vec3(n, 1, 2)), 10 + 3 * j),
                                   about(glm::normalize(glm::vec3(-1, n, 0.5f)), 50 - 4 * j)}));
  }
  add_clip(out, std::move(channels));
  return out;
}

TEST(Retarget, C48_2_ToItselfIsTheIdentity) {
  const rig::Character character = moving_person();
  const Carried same = carried(character, character);
  for (const float time : {0.0f, 0.5f, 1.0f}) {
    rig::Pose wanted = rig::rest_pose(character);
    rig::apply(character.clips[0], time, character.morph_offset, wanted);
    const rig::Pose made = same.pose(time);
    for (int j = 0; j < character.skeleton->size(); ++j) {
      SCOPED_TRACE(character.skeleton->label(j));
      EXPECT_NEAR(std::abs(glm::dot(made.local[j].rotation, wanted.local[j].rotation)), 1, 1e-6);
      expect_near(made.local[j].translation, wanted.local[j].translation, 1e-6);
    }
  }
  EXPECT_EQ(same.made.times, (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(same.made.clip.name, "made");
}

TEST(Retarget, C48_2_ReferencePoseGivesReferencePose) {
  rig::Character still = person();
  add_clip(still, {turning(0, {kIdentityQuat, kIdentityQuat})});
  const Carried small = carried(still, person(0.5f, 4));
  const rig::Pose made = small.pose(0);
  for (int j = 0; j < small.target.character.skeleton->size(); ++j) {
    const Transform& rest = small.target.character.skeleton->rest[j];
    EXPECT_NEAR(std::abs(glm::dot(made.local[j].rotation, rest.rotation)), 1, 1e-6);
    expect_near(made.local[j].translation, rest.translation, 1e-6);
  }
}

TEST(Retarget, C48_3_BonesOfOtherAxesPointWhereTheSourceDoes) {
  // The source's arm lies along +x and turns to -y; the target's lies along its own y, which rests along +x.
  rig::Character from = figure({{"root", -1, {0, 1, 0}}, {"arm", 0, {0, 0, 0}}, {"end", 1, {1, 0, 0}}});
  add_clip(from, {turning(1, {kIdentityQuat, about({0, 0, 1}, -90)})});
  const rig::Character to =
      figure({{"root", -1, {0, 1, 0}}, {"arm", 0, {0, 0, 0}, about({0, 0, 1}, -90)}, {"end", 1, {0, 1, 0}}});
  for (const Alignment alignment : {Alignment::kNone, Alignment::kLimbs}) {
    const Carried arm = carried(from, to, {.alignment = alignment});
    const WorldFrames frames = arm.frames(0.5f);
    expect_near(frames.position[2] - frames.position[1], {0, -1, 0}, 1e-6);
  }
}

TEST(Retarget, C48_4_TheRootsWayIsScaledByTheHeightsOfTheHips) {
  rig::Character from = figure({{"Hips", -1, {0, 1.2f, 0}}, {"Foot", 0, {0, -1.2f, 0}}});
  add_clip(from, {moving(0, {{0, 1.2f, 0}, {1.2f, 1.2f, 0.4f}})});
  const rig::Character to = figure({{"Hips", -1, {0, 0.9f, 0}}, {"Foot", 0, {0, -0.9f, 0}}});
  const Carried moved = carried(from, to);
  EXPECT_NEAR(moved.made.size, 0.75, 1e-6);
  expect_near(moved.frames(0.5f).position[0], {0.9, 0.9, 0.3}, 1e-6);
}

TEST(Retarget, ArmsThatHangAtRestAreRaisedToTheSourcesFirst) {
  rig::Character from = person();
  add_clip(from, {turning(from.skeleton->find("LeftForeArm"), {kIdentityQuat, about({0, 1, 0}, -60)})});
  rig::Character hanging = person(1.3f);
  const int arm = hanging.skeleton->find("LeftArm");
  const int forearm = hanging.skeleton->find("LeftForeArm");
  const int hand = hanging.skeleton->find("LeftHand");
  hanging.skeleton.edit().rest[arm].rotation = about({0, 0, 1}, -70);
  const Carried limbs = carried(from, hanging);
  WorldFrames theirs;
  rig::Pose pose = rig::rest_pose(from);
  frames_at(limbs.source, 0.5f, pose, theirs);
  const WorldFrames ours = limbs.frames(0.5f);
  for (const auto& [a, b] : {std::pair(arm, forearm), std::pair(forearm, hand)}) {
    EXPECT_LT(angle_between(ours.position[b] - ours.position[a], theirs.position[b] - theirs.position[a]), 1e-6);
  }
  const Carried none = carried(from, hanging, {.alignment = Alignment::kNone});
  const WorldFrames apart = none.frames(0);
  EXPECT_NEAR(angle_between(apart.position[forearm] - apart.position[arm], {1, 0, 0}) / kDegree, 70, 1e-4);
  const std::vector<Transform> shown = aligned_reference(limbs.source, limbs.target, limbs.map, {});
  EXPECT_NEAR(std::abs(glm::dot(shown[arm].rotation, kIdentityQuat)), 1, 1e-6) << "the preview of the alignment";
}

TEST(Retarget, FeetOfASpreadStanceStayLevelWhenTheLegsCloseAndTheOtherWayRound) {
  // One stands with closed legs at rest, the other one with legs apart and level feet.
  rig::Character apart = person(1.2f);
  for (const auto& [side, degrees] : {std::pair("Left", 15.0), std::pair("Right", -15.0)}) {
    rig::Skeleton& skeleton = apart.skeleton.edit();
    skeleton.rest[skeleton.find(std::string(side) + "UpLeg")].rotation = about({0, 0, 1}, degrees);
    skeleton.rest[skeleton.find(std::string(side) + "Foot")].rotation = about({0, 0, 1}, -degrees);
  }
  rig::Character closed = person();
  for (rig::Character* still : {&apart, &closed}) {
    const std::vector<glm::quat> same(9, still->skeleton->rest[0].rotation);
    add_clip(*still, {turning(0, same)});
  }
  for (const auto& [from, to] : {std::pair(&closed, &apart), std::pair(&apart, &closed)}) {
    const Carried stance = carried(*from, *to);
    const WorldFrames frames = stance.frames(1);
    for (const char* name : {"LeftFoot", "RightFoot"}) {
      const int foot = stance.joint(name);
      const glm::dmat3 turn = frames.orientation[foot] * glm::transpose(stance.target.frames.orientation[foot]);
      EXPECT_LT(turn_angle(turn) / kDegree, 0.01) << name;
    }
    const glm::dvec3 thigh = frames.position[stance.joint("LeftLeg")] - frames.position[stance.joint("LeftUpLeg")];
    EXPECT_NEAR(angle_between(thigh, {0, -1, 0}) / kDegree, from == &apart ? 15 : 0, 1e-3);
  }
}

TEST(Retarget, TrunksOfOtherNumbersOfJointsShareTheBend) {
  rig::Character from = person(1, 1);
  const int spine = from.skeleton->find("Spine");
  add_clip(from, {turning(spine, {kIdentityQuat, about({1, 0, 0}, 40)})});
  const Carried five = carried(from, person(1, 5));
  const rig::Pose bent = five.pose(0.5f);
  for (const char* name : {"Spine", "Spine1", "Spine2", "Spine3", "Spine4"}) {
    EXPECT_NEAR(static_cast<double>(glm::angle(bent.local[five.joint(name)].rotation)) / kDegree, 8, 1e-3) << name;
  }
  rig::Character many = person(1, 5);
  std::vector<rig::Channel> bends;
  for (const char* name : {"Spine", "Spine1", "Spine2", "Spine3", "Spine4"}) {
    bends.push_back(turning(many.skeleton->find(name), {kIdentityQuat, about({1, 0, 0}, 8)}));
  }
  add_clip(many, std::move(bends));
  const Carried one = carried(many, person(1, 1));
  EXPECT_NEAR(static_cast<double>(glm::angle(one.pose(0.5f).local[one.joint("Spine")].rotation)) / kDegree, 40, 1e-3);
}

TEST(Retarget, ASourceThatFacesAnotherWayOrHasZUpIsTurned) {
  rig::Character from = person();
  add_clip(from, {moving(0, {{0, 0.9f, 0}, {0, 0.9f, 1}}),
                  turning(from.skeleton->find("LeftArm"), {kIdentityQuat, about({0, 0, 1}, -90)})});
  for (const glm::quat& turn : {about({0, 1, 0}, 90), about({1, 0, 0}, 90)}) {
    // The whole source stands turned, its root's own keys too.
    std::vector<FigureJoint> joints = {{"world", -1, {0, 0, 0}, turn}};
    rig::Character turned = from;
    rig::Skeleton& skeleton = turned.skeleton.edit();
    for (int j = 0; j < skeleton.size(); ++j) {
      joints.push_back({skeleton.name[j].c_str(), skeleton.parent[j] + 1, skeleton.rest[j].translation});
    }
    rig::Character whole = figure(joints);
    for (rig::Channel channel : from.clips[0].channels) {
      ++channel.joint;
      if (whole.clips.empty()) {
        add_clip(whole, {channel});
      } else {
        whole.clips.edit(0).channels.push_back(channel);
      }
    }
    const Carried same = carried(whole, person());
    const WorldFrames frames = same.frames(0.5f);
    expect_near(frames.position[0], {0, 0.9, 1}, 1e-5);
    expect_near(frames.position[same.joint("LeftForeArm")] - frames.position[same.joint("LeftArm")], {0, -0.28, 0},
                1e-5);
  }
}

TEST(Retarget, HeldFeetStayAndTheRestOfTheLegFollows) {
  // Both feet stand in the source while the hips sway, since its knees bend; the target has other proportions.
  rig::Character from = person();
  const rig::Skeleton& skeleton = from.skeleton;
  std::vector<glm::vec3> hips;
  std::vector<glm::quat> thighs;
  std::vector<glm::quat> shins;
  std::vector<glm::quat> feet;
  for (int f = 0; f <= 60; ++f) {
    const double bend = 25 + 15 * std::sin(f / 9.0);  // degrees
    const double lean = 8 * std::sin(f / 13.0);
    const double knee = 0.4 * std::cos((bend - lean) * kDegree) + 0.4 * std::cos((bend + lean) * kDegree);
    const double ahead = 0.4 * std::sin((bend - lean) * kDegree) - 0.4 * std::sin((bend + lean) * kDegree);
    hips.emplace_back(0, 0.1 + knee, -ahead);
    thighs.push_back(about({1, 0, 0}, -(bend - lean)));
    shins.push_back(about({1, 0, 0}, 2 * bend));
    feet.push_back(about({1, 0, 0}, -(bend + lean)));
  }
  std::vector<rig::Channel> channels = {moving(0, hips)};
  for (const std::string side : {"Left", "Right"}) {
    channels.push_back(turning(skeleton.find(side + "UpLeg"), thighs));
    channels.push_back(turning(skeleton.find(side + "Leg"), shins));
    channels.push_back(turning(skeleton.find(side + "Foot"), feet));
  }
  add_clip(from, std::move(channels));
  rig::Character to = person();
  rig::Skeleton& other = to.skeleton.edit();
  for (const char* side : {"Left", "Right"}) {
    other.rest[other.find(std::string(side) + "Leg")].translation.y = -0.5f;
    other.rest[other.find(std::string(side) + "Foot")].translation.y = -0.25f;
  }
  other.rest[0].translation.y = 0.85f;
  const Carried free = carried(from, to);
  const Carried held = carried(from, to, {.hold_feet = true});
  EXPECT_GT(certify(free.source, free.target, free.map, free.made).slide_share(), 0.02) << "or nothing is tried";
  EXPECT_LT(certify(held.source, held.target, held.map, held.made).slide_share(), 1e-4);
  const int thigh = held.joint("LeftUpLeg");
  const int shin = held.joint("LeftLeg");
  const int foot = held.joint("LeftFoot");
  for (int f = 0; f <= 60; ++f) {
    const float time = 0.5f * static_cast<float>(f);
    const WorldFrames frames = held.frames(time);
    const glm::dvec3 knee = frames.position[shin] - (frames.position[thigh] + frames.position[foot]) * 0.5;
    EXPECT_GT(knee.z, 0.0) << "knees stay in front";
    expect_near(frames.position[foot], held.frames(0).position[foot], 1e-5);
    const WorldFrames as_moved = free.frames(time);
    EXPECT_LT(turn_angle(frames.orientation[foot] * glm::transpose(as_moved.orientation[foot])), 1e-5)
        << "feet keep their turn";
  }
}

TEST(FootLock, StridesAreFittedToWhatTheLegsDo) {
  const RetargetRig rig = target_rig(person());
  RetargetTracks tracks;
  tracks.joints = {0};
  tracks.scales.resize(1);
  tracks.rotations.resize(1);
  tracks.translations.resize(1);
  for (int f = 0; f <= 20; ++f) {
    tracks.times.push_back(0.05f * static_cast<float>(f));
    tracks.rotations[0].push_back(kIdentityQuat);
    tracks.translations[0].emplace_back(0, 0.9f, 0.02f * static_cast<float>(f));
  }
  const std::vector<FootContact> stands = {{.side = 0, .is_toe = false, .first = 0, .last = 20}};
  EXPECT_NEAR(stride_factor(rig, stands, tracks, 0), 1 / 1.5, 1e-9) << "legs that do nothing slide the least in place";
  // The left thigh swings back so that the foot moves by half of the way.
  tracks.joints.push_back(rig.character.skeleton->find("LeftUpLeg"));
  tracks.scales.emplace_back();
  tracks.translations.emplace_back();
  tracks.rotations.emplace_back();
  for (int f = 0; f <= 20; ++f) {
    tracks.rotations[1].push_back(about({1, 0, 0}, std::asin(0.01 * (f - 10) / 0.8) / kDegree));
  }
  EXPECT_NEAR(stride_factor(rig, stands, tracks, 0), 1 / 1.5, 1e-6) << "half of the way is beyond what is believed";
  for (int f = 0; f <= 20; ++f) {
    tracks.rotations[1][static_cast<std::size_t>(f)] = about({1, 0, 0}, std::asin(0.018 * (f - 10) / 0.8) / kDegree);
  }
  EXPECT_NEAR(stride_factor(rig, stands, tracks, 0), 0.9, 1e-3);
  EXPECT_EQ(stride_factor(rig, {}, tracks, 0), 1.0);
}

TEST(Retarget, ARateMakesNewKeys) {
  const rig::Character character = moving_person();
  const rig::Clip& clip = character.clips[0];
  EXPECT_EQ(retarget_times(clip, {}), (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(retarget_times(clip, 4), (std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1}));
}

TEST(Retarget, WhatCannotBeCarriedOverIsSaid) {
  const rig::Character character = moving_person();
  const auto none = source_rig(character, 3, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "the motion has no clip 3, there are 1");
  const auto source = source_rig(character, 0, {});
  ASSERT_TRUE(source);
  const auto empty = retarget(*source, target_rig(character), {}, {});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message, "no joint of the character follows one of the motion");
  const auto endless =
      retarget(*source, target_rig(character), make_joint_map(*source, target_rig(character)), {.rate = 1e9});
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("keys; expected at most"));
  const auto stopped = retarget(*source, target_rig(character), make_joint_map(*source, target_rig(character)), {},
                                [](float, std::string_view) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_THAT(stopped.error().message, HasSubstr("cancelled"));
}

TEST(FootContacts, AreLowAndSlow) {
  std::vector<glm::dvec3> at;
  std::vector<float> times;
  for (int f = 0; f < 90; ++f) {
    // Stands for 30 frames, goes a metre in an arc, stands again.
    const double way = std::clamp((f - 30) / 30.0, 0.0, 1.0);
    at.emplace_back(way, 0.05 + 0.2 * std::sin(way * std::numbers::pi), 0);
    times.push_back(static_cast<float>(f) / 60.0f);
  }
  const std::vector<FootContact> contacts = find_contacts(at, times, 0.8);
  ASSERT_EQ(contacts.size(), 2u);
  EXPECT_EQ(contacts[0].first, 0);
  EXPECT_NEAR(contacts[0].last, 30, 2);
  EXPECT_NEAR(contacts[1].first, 60, 2);
  EXPECT_EQ(contacts[1].last, 89);
  EXPECT_TRUE(find_contacts({}, {}, 0.8).empty());
}

// C48.2 between the keys, too: values that are held and values along splines.
TEST(Retarget, C48_2_ToItselfIsTheIdentityAlsoWhereKeysAreHeldOrSplines) {
  for (const rig::Interpolation interpolation : {rig::Interpolation::kStep, rig::Interpolation::kCubicSpline}) {
    rig::Character character = moving_person();
    rig::Clip& clip = character.clips.edit(0);
    for (rig::Channel& channel : clip.channels) {
      channel.interpolation = interpolation;
      if (interpolation == rig::Interpolation::kCubicSpline) {
        std::vector<float> values;
        const auto width = static_cast<std::size_t>(channel.width);
        for (std::size_t k = 0; k < channel.times.size(); ++k) {
          for (std::size_t part = 0; part < 3; ++part) {
            for (std::size_t i = 0; i < width; ++i) {
              const float slope = channel.path == rig::ChannelPath::kTranslation ? 0.7f : 0.0f;
              values.push_back(part == 1 ? channel.values[k * width + i] : slope);
            }
          }
        }
        channel.values = values;
      }
    }
    const Carried same = carried(character, character);
    // Between two frames of the clip's rate keys are straight: off by at most the square of a frame times an eighth of
    // the curves' largest acceleration, which is 6 * 0.6 / 0.5^2 + 6 * 0.7 / 0.5 in z, and 25 with x.
    const double tolerance = interpolation == rig::Interpolation::kStep ? 1e-6 : 25.0 / 8 / (30 * 30);
    for (const float time : {0.1f, 0.26f, 0.49f, 0.5f, 0.73f, 0.99f, 1.0f}) {
      rig::Pose wanted = rig::rest_pose(character);
      rig::apply(character.clips[0], time, character.morph_offset, wanted);
      const rig::Pose made = same.pose(time);
      for (int j = 0; j < character.skeleton->size(); ++j) {
        EXPECT_NEAR(std::abs(glm::dot(made.local[j].rotation, wanted.local[j].rotation)), 1, tolerance) << time;
        expect_near(made.local[j].translation, wanted.local[j].translation, tolerance);
      }
    }
  }
}

TEST(Retarget, MomentsOfManyChannelsAreCountedTogether) {
  rig::Character from = person();
  std::vector<rig::Channel> channels;
  constexpr int kEach = 40'000;
  for (int j = 0; j < from.skeleton->size(); ++j) {
    rig::Channel channel = moving(j, {});
    for (int k = 0; k < kEach; ++k) {
      channel.times.push_back(static_cast<float>(k) + 0.03f * static_cast<float>(j));
      channel.values.insert(channel.values.end(), 3, 0.0f);
    }
    channels.push_back(std::move(channel));
  }
  add_clip(from, std::move(channels));
  const std::vector<float> times = retarget_times(from.clips[0], {});
  EXPECT_EQ(times.size(), static_cast<std::size_t>(kEach * from.skeleton->size()));
  EXPECT_TRUE(std::ranges::is_sorted(times));
}

}  // namespace
}  // namespace pelt::motion
