// How far the poses of a battery turn a human body of which the file tells no limits.
#include <cmath>

#include <gmock/gmock.h>

#include "edit/pose_battery.h"
#include "edit_fixtures.h"
#include "gltf/bundled.h"
#include "motion/world_frames.h"

namespace pelt::edit {
namespace {

using testing::Contains;
using testing::HasSubstr;

// The mannequin as exporters write characters: names and places of joints, and no limits.
rig::Character without_limits() {
  rig::Character character = *gltf::import_bundled("mannequin");
  character.skeleton.edit().dofs.clear();
  rig::finish(character);
  return character;
}

Document plausible_document(rig::Character character) {
  return make_document(std::make_shared<const rig::Character>(std::move(character)));
}

glm::dvec3 place(const motion::WorldFrames& frames, const rig::Skeleton& skeleton, const char* name) {
  return frames.position[static_cast<std::size_t>(skeleton.find(name))];
}

// Degrees by which the way from a to b goes on differently from b to c, below 0 where that is to the back of the body.
double bend(const motion::WorldFrames& frames, const rig::Skeleton& skeleton, const char* a, const char* b,
            const char* c, double forward) {
  const glm::dvec3 upper = place(frames, skeleton, b) - place(frames, skeleton, a);
  const glm::dvec3 lower = place(frames, skeleton, c) - place(frames, skeleton, b);
  const glm::dvec3 off = lower - glm::normalize(upper) * glm::dot(glm::normalize(upper), lower);
  return motion::angle_between(upper, lower) / double{test::kDegree} * (off.z * forward < 0 ? -1 : 1);
}

motion::WorldFrames frames_of(const Document& document) {
  motion::WorldFrames frames;
  motion::world_frames(document.character->skeleton, evaluate_pose(document).local, frames);
  return frames;
}

TEST(PlausibleBattery, NoPoseBendsAnElbowOrAKneeTheWrongWay) {
  const Document document = plausible_document(without_limits());
  const rig::Skeleton& skeleton = document.character->skeleton;
  BatteryRanges ranges;
  const std::vector<TrialPose> poses = make_battery(document, {.clips = false, .plausible = true}, &ranges);
  ASSERT_TRUE(ranges.is_human);
  EXPECT_EQ(ranges.own, 0);
  EXPECT_GT(ranges.body, 40);
  double most_elbow = 0;
  double most_knee = 0;
  for (const TrialPose& pose : poses) {
    const motion::WorldFrames frames = frames_of(posed(document, pose));
    for (const char* side : {"l", "r"}) {
      const std::string suffix = std::string("_") + side;
      const double elbow = bend(frames, skeleton, ("shoulder" + suffix).c_str(), ("elbow" + suffix).c_str(),
                                ("wrist" + suffix).c_str(), 1);
      const double knee =
          bend(frames, skeleton, ("hip" + suffix).c_str(), ("knee" + suffix).c_str(), ("ankle" + suffix).c_str(), -1);
      most_elbow = std::max(most_elbow, std::abs(elbow));
      most_knee = std::max(most_knee, std::abs(knee));
      if (const auto* local = std::get_if<SetJointLocal>(&pose.what)) {
        if (local->joint == skeleton.find("elbow" + suffix)) {
          EXPECT_GT(elbow, -6) << pose.label;
          EXPECT_LT(elbow, 151) << pose.label;
        } else if (local->joint == skeleton.find("knee" + suffix)) {
          EXPECT_GT(knee, -6) << pose.label;
          EXPECT_LT(knee, 136) << pose.label;
        }
      }
    }
  }
  EXPECT_NEAR(most_elbow, 150, 1);
  EXPECT_NEAR(most_knee, 135, 1);
  EXPECT_EQ(sentence(ranges).find("within limits"), std::string::npos);
  EXPECT_THAT(sentence(ranges), HasSubstr("as far as people can turn them"));
}

TEST(PlausibleBattery, AnArmIsRaisedAndLoweredFromWhereItRests) {
  const Document document = plausible_document(without_limits());
  const rig::Skeleton& skeleton = document.character->skeleton;
  const int arm = skeleton.find("shoulder_l");
  double lowest = 180;
  double highest = 0;
  for (const TrialPose& pose : make_battery(document, {.clips = false, .plausible = true})) {
    const auto* local = std::get_if<SetJointLocal>(&pose.what);
    if (local != nullptr && local->joint == arm && pose.label.find("abduction") != std::string::npos) {
      const motion::WorldFrames frames = frames_of(posed(document, pose));
      const glm::dvec3 way = place(frames, skeleton, "elbow_l") - place(frames, skeleton, "shoulder_l");
      const double raised = std::atan2(way.x, -way.y) / double{test::kDegree};  // +X is the left
      lowest = std::min(lowest, raised);
      highest = std::max(highest, raised);
    }
  }
  EXPECT_NEAR(lowest, 0, 0.1) << "at the side of the body, whatever the rest pose is";
  EXPECT_NEAR(highest, 120, 0.1) << "the collar bone, which this body has, takes 60 of 180";
}

TEST(PlausibleBattery, LimitsOfAFileCountMore) {
  const Document document = plausible_document(rig::Character(*gltf::import_bundled("mannequin")));
  BatteryRanges ranges;
  const std::vector<TrialPose> poses = make_battery(document, {.clips = false, .plausible = true}, &ranges);
  EXPECT_TRUE(ranges.is_human);
  EXPECT_GT(ranges.own, 40);
  const int elbow = document.character->skeleton->find("elbow_l");
  for (const TrialPose& pose : poses) {
    const auto* local = std::get_if<SetJointLocal>(&pose.what);
    EXPECT_TRUE(local == nullptr || local->joint != elbow) << pose.label;
  }
}

TEST(PlausibleBattery, WhatIsNoBodyTurnsAQuarterBothWays) {
  const Document document = test::arm_document();
  BatteryRanges ranges;
  const std::vector<TrialPose> poses = make_battery(document, {.clips = false, .plausible = true}, &ranges);
  EXPECT_FALSE(ranges.is_human);
  EXPECT_EQ(poses.size(), make_battery(document, {.clips = false}).size());
  EXPECT_EQ(ranges.own, 2);
  EXPECT_EQ(ranges.free, 4);
  EXPECT_EQ(sentence(ranges),
            "2 joints within limits of their own; 4 joints that nothing limits by 90\u00b0 both ways");
}

}  // namespace
}  // namespace pelt::edit
