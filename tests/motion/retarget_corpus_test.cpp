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
