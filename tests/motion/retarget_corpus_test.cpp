#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/open.h"
#include "math/angle.h"
#include "motion/certificate.h"
#include "motion/retarget.h"
#include "support/requirements.h"

namespace pelt::motion {
namespace {

std::string corpus_file(const std::string& below) {
  return std::string(PELT_CORPUS_DIR) + "/" + below;
}

rig::Character opened_character(const std::string& name) {
  const auto character = formats::open_character(name.starts_with('@') ? name : corpus_file(name));
  EXPECT_TRUE(character) << (character ? "" : character.error().message);
  return character ? *character : rig::Character{};
}

/// One take on one character, with its certificate.
struct Take {
  RetargetRig source;
  RetargetRig target;
  JointMap map;
  Retargeted made;
  Certificate certificate;
};

Take retargeted_take(const std::string& motion, const std::string& character, const RetargetSettings& settings = {}) {
  Take out;
  auto source = source_rig(opened_character(motion), 0, settings);
  EXPECT_TRUE(source) << (source ? "" : source.error().message);
  out.source = *std::move(source);
  out.target = target_rig(opened_character(character));
  out.map = make_joint_map(out.source, out.target);
  auto made = retarget(out.source, out.target, out.map, settings);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  out.made = *std::move(made);
  out.certificate = certify(out.source, out.target, out.map, out.made);
  return out;
}

TEST(RetargetCorpus, CmuTakeOnItsOtherSkeletonPointsAsTheTakeItself) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_asf.gltf");
  const Take take = retargeted_take("mocap/cmu_01_01.bvh", "mocap/cmu_01_asf.gltf");
  std::ifstream file(corpus_file("mocap/cmu_01_01_directions.json"));
  const nlohmann::json expected = nlohmann::json::parse(file);
  const rig::Skeleton& skeleton = take.target.character.skeleton;
  rig::Pose pose = rig::rest_pose(take.target.character);
  WorldFrames frames;
  double worst = 0;
  int compared = 0;
  for (const nlohmann::json& frame : expected["frames"]) {
    rig::apply(take.made.clip, take.made.times.at(frame["bvh_frame"].get<std::size_t>()),
               take.target.character.morph_offset, pose);
    world_frames(skeleton, pose.local, frames);
    for (const auto& [name, direction] : frame["directions"].items()) {
      const int j = skeleton.find(name);
      const int end = skeleton.children(j).front();
      const glm::dvec3 wanted(direction[0].get<double>(), direction[1].get<double>(), direction[2].get<double>());
      const double off = angle_between(frames.position[end] - frames.position[j], wanted) / kDegree;
      worst = std::max(worst, off);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 92 * 9);
  EXPECT_LT(worst, 0.05) << "degrees";
  EXPECT_EQ(take.made.times.size(), 2752u);
}

TEST(RetargetCorpus, SolesAreLevelWhileFeetStandThoughTheZeroPoseSpreadsTheLegs) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_01.bvh");
  const Take take = retargeted_take("mocap/cmu_01_01.bvh", "characters/human.glb");
  rig::Pose pose = rig::rest_pose(take.target.character);
  WorldFrames frames;
  for (const auto& [side, role] : {std::pair(0, "leftFoot"), std::pair(1, "rightFoot")}) {
    const int foot = take.target.body.find(role);
    glm::dvec3 sum(0);
    for (const FootContact& contact : take.made.contacts) {
      for (int f = contact.first; f <= contact.last && contact.side == side && !contact.is_toe; f += 4) {
        rig::apply(take.made.clip, take.made.times[f], take.target.character.morph_offset, pose);
        world_frames(take.target.character.skeleton, pose.local, frames);
        sum += frames.orientation[foot] * glm::transpose(take.target.frames.orientation[foot]) * glm::dvec3(0, 1, 0);
      }
    }
    EXPECT_LT(angle_between(sum, {0, 1, 0}) / kDegree, 5) << role << ": the zero pose tips them by 20 degrees";
  }
}

TEST(RetargetCorpus, PalmsAndFingersLieAsInTheMotion) {
  PELT_NEEDS_CORPUS("mocap/freebvh.bvh");
  const Take take = retargeted_take("mocap/freebvh.bvh", "characters/human.glb");
  rig::Pose their_pose = rig::rest_pose(take.source.character);
  rig::Pose our_pose = rig::rest_pose(take.target.character);
  WorldFrames theirs;
  WorldFrames ours;
  for (const std::size_t f : {std::size_t{0}, std::size_t{20}, std::size_t{60}}) {
    frames_at(take.source, take.made.times[f], their_pose, theirs);
    rig::apply(take.made.clip, take.made.times[f], take.target.character.morph_offset, our_pose);
    world_frames(take.target.character.skeleton, our_pose.local, ours);
    const auto way = [](const RetargetRig& rig, const WorldFrames& frames, const char* a, const char* b) {
      return frames.position[rig.body.find(b)] - frames.position[rig.body.find(a)];
    };
    for (const auto& [a, b, degrees] :
         {std::tuple("leftHand", "leftMiddle1", 3.0), std::tuple("leftLittle1", "leftIndex1", 15.0),
          std::tuple("rightHand", "rightMiddle1", 3.0), std::tuple("rightLittle1", "rightIndex1", 15.0),
          std::tuple("leftIndex1", "leftIndex2", 0.1), std::tuple("rightThumb1", "rightThumb2", 0.1)}) {
      EXPECT_LT(angle_between(way(take.source, theirs, a, b), way(take.target, ours, a, b)) / kDegree, degrees)
          << a << " to " << b << " in frame " << f;
    }
  }
}

TEST(RetargetCorpus, AJointInTheForearmTakesItsShareOfTheTwist) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_01.bvh");
  const Take take = retargeted_take("mocap/cmu_01_01.bvh", "@mannequin");
  const rig::Skeleton& skeleton = take.target.character.skeleton;
  const int twist = skeleton.find("forearm_twist_l");
  const int wrist = skeleton.find("wrist_l");
  rig::Pose pose = rig::rest_pose(take.target.character);
  double most = 0;
  for (std::size_t f = 0; f < take.made.times.size(); f += 50) {
    rig::apply(take.made.clip, take.made.times[f], take.target.character.morph_offset, pose);
    const auto about_bone = [&](int j) {
      const glm::dquat turn = glm::dquat(pose.local[j].rotation) * glm::inverse(glm::dquat(skeleton.rest[j].rotation));
      const glm::dvec3 axis(1, 0, 0);  // the mannequin's bones lie along x
      return twist_angle(swing_twist(glm::normalize(turn), axis).twist, axis);
    };
    most = std::max(most, std::abs(about_bone(twist)));
    EXPECT_NEAR(about_bone(twist), about_bone(wrist), 6 * kDegree) << "half each, since it is in the middle";
  }
  EXPECT_GT(most, 5 * kDegree) << "or nothing is tried";
}

struct TakeOnCharacter {
  const char* motion;
  const char* character;
};
void PrintTo(const TakeOnCharacter& row, std::ostream* out) {
  *out << row.motion << " on " << row.character;
}
class ThreeTakes : public testing::TestWithParam<TakeOnCharacter> {};

TEST_P(ThreeTakes, AreMappedWithoutHelpAndSlideLittleWithHeldFeet) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_01.bvh");
  const Take free = retargeted_take(GetParam().motion, GetParam().character);
  const Take take = retargeted_take(GetParam().motion, GetParam().character, {.hold_feet = true});
  EXPECT_TRUE(take.source.body.is_complete());
  EXPECT_TRUE(take.target.body.is_complete());
  EXPECT_EQ(take.certificate.limbs.size(), 10u) << "four limbs and the foot on each side";
  EXPECT_LT(free.certificate.all.max, 0.05) << "degrees";
  EXPECT_GE(take.certificate.ankles.contacts, 5);
  EXPECT_GT(free.certificate.slide_share(), 0.01) << "or holding has nothing to do";
  EXPECT_LT(take.certificate.slide_share(), 0.01);
  EXPECT_LT(take.certificate.penetration, 0.001 * take.certificate.leg);
}

constexpr std::array kTakes = {"mocap/cmu_01_01.bvh", "mocap/walk_meredith.bvh", "mocap/freebvh.bvh"};
constexpr std::array kCharacters = {"@mannequin", "characters/human.glb", "characters/knight.glb",
                                    "characters/rigged_mesh.glb", "characters/mannequiny.glb"};

std::vector<TakeOnCharacter> takes_on_characters() {
  std::vector<TakeOnCharacter> out;
  for (const char* motion : kTakes) {
    for (const char* character : kCharacters) {
      out.push_back({motion, character});
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ThreeTakes, testing::ValuesIn(takes_on_characters()),
                         [](const auto& row) { return "n" + std::to_string(row.index); });

}  // namespace
}  // namespace pelt::motion
