#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_pelt.h"
#include "gltf/import.h"
#include "rig/clip.h"
#include "support/requirements.h"

namespace pelt::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

class RetargetVerb : public PeltTest {
 protected:
  [[nodiscard]] rig::Character written(const std::string& name) const {
    gltf::ImportOptions strict;
    strict.check_conformance = true;
    const auto character = gltf::import_file(folder_ / name, strict);
    EXPECT_TRUE(character) << (character ? "" : character.error().message);
    if (!character) {
      return {};
    }
    for (const Diagnostic& one : character->diagnostics) {
      EXPECT_NE(one.severity, Severity::kError) << one.place << ": " << one.message;
    }
    return *character;
  }
};

TEST_F(RetargetVerb, WritesTheMotionAsFirstClipOnItsOwnMoments) {
  const Outcome outcome =
      pelt({"retarget", "@mannequin", "@mannequin", "--motion-clip", "walk", "-o", "walk.glb", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const rig::Character character = written("walk.glb");
  ASSERT_EQ(character.clips.size(), 4u);
  EXPECT_EQ(character.clips[0].name, "walk");
  EXPECT_EQ(character.clips[2].name, "walk") << "the file's own clips follow";
  EXPECT_EQ(character.clips[0].start, character.clips[2].start);
  EXPECT_EQ(character.clips[0].end, character.clips[2].end);
  // To itself is the identity, through files as well.
  for (const float time : character.clips[2].channels[0].times) {
    rig::Pose made = rig::rest_pose(character);
    rig::Pose own = made;
    rig::apply(character.clips[0], time, character.morph_offset, made);
    rig::apply(character.clips[2], time, character.morph_offset, own);
    for (int j = 0; j < character.skeleton->size(); ++j) {
      EXPECT_NEAR(std::abs(glm::dot(made.local[j].rotation, own.local[j].rotation)), 1, 1e-6) << j;
      EXPECT_LT(glm::distance(made.local[j].translation, own.local[j].translation), 1e-6f) << j;
    }
  }
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["character"], "@mannequin");
  ASSERT_EQ(report["retargets"].size(), 1u);
  const json& certificate = report["retargets"][0]["certificate"];
  EXPECT_LT(certificate["limb_error"]["max_degrees"].get<double>(), 0.001);
  EXPECT_EQ(certificate["limbs"].size(), 10u);
  EXPECT_NEAR(certificate["root_factor"].get<double>(), 1, 1e-6);
  EXPECT_EQ(certificate["jumps"]["count"], 0);
  EXPECT_TRUE(certificate["unmapped"]["character"].empty());
}

TEST_F(RetargetVerb, TakesMapsAndWritesThem) {
  ASSERT_EQ(pelt({"retarget", "@mannequin", "@robot", "-o", "a.glb", "--write-map", "map.json"}).code, 0);
  json map = json::parse(content_of(folder_ / "map.json"));
  EXPECT_EQ(map["pelt"], "joint-map");
  std::erase_if(map["rows"].get_ref<json::array_t&>(), [](const json& row) { return row["role"] != "leftUpperArm"; });
  ASSERT_EQ(map["rows"].size(), 1u);
  std::ofstream(folder_ / "arm.json") << map.dump();
  ASSERT_EQ(pelt({"retarget", "@mannequin", "@robot", "-o", "b.glb", "--map", "arm.json"}).code, 0);
  const rig::Character character = written("b.glb");
  for (const rig::Channel& channel : character.clips[0].channels) {
    EXPECT_EQ(character.skeleton->name[channel.joint], map["rows"][0]["target"]);
  }
  std::ofstream(folder_ / "bad.json") << R"({"pelt": "joint-map", "version": 1, "rows": [{"target": "nobody"}]})";
  const Outcome outcome = pelt({"retarget", "@mannequin", "@robot", "-o", "c.glb", "--map", "bad.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("bad.json: row 0: the character has no joint \"nobody\""));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c.glb"));
}

TEST_F(RetargetVerb, SeveralMotionsBecomeClipsOfOneFileOrFilesOfAFolder) {
  ASSERT_EQ(pelt({"retarget", "@mannequin", "@mannequin", "--motion-clip", "wave", "-o", "wave.bvh"}).code, 0);
  ASSERT_EQ(pelt({"retarget", "@mannequin", "@mannequin", "--motion-clip", "walk", "-o", "walk.bvh"}).code, 0);
  const Outcome together = pelt({"retarget", "walk.bvh", "wave.bvh", "@robot", "-o", "both.gltf", "--rate", "24"});
  ASSERT_EQ(together.code, 0) << together.err;
  const rig::Character both = written("both.gltf");
  EXPECT_EQ(both.clips[0].name, "walk");
  EXPECT_EQ(both.clips[1].name, "wave");
  EXPECT_NEAR(both.clips[0].channels[0].times[1], 1.0 / 24, 1e-6);
  EXPECT_THAT(together.out, HasSubstr("walk.bvh on @robot: walk"));
  ASSERT_EQ(pelt({"retarget", "walk.bvh", "wave.bvh", "@robot", "-o", "folder"}).code, 0);
  EXPECT_EQ(written("folder/walk.glb").clips[0].name, "walk");
  EXPECT_EQ(written("folder/wave.glb").clips[0].name, "wave");
  ASSERT_EQ(pelt({"retarget", "wave.bvh", "@mannequin", "-o", "wave.vrma"}).code, 0);
  EXPECT_EQ(written("wave.vrma").vrm, 1);
  const Outcome back = pelt({"retarget", "wave.vrma", "@mannequin", "-o", "back.glb"});
  ASSERT_EQ(back.code, 0) << back.err;
  EXPECT_THAT(back.out, HasSubstr("limb directions: mean 0.000, p95 0.000, most 0.000 degrees"));
}

TEST_F(RetargetVerb, SaysWhatIsWrongWithTheCommandLine) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"retarget", "@mannequin", "-o", "x.glb"},
                                             {"retarget", "@mannequin", "@robot", "-o", "x.obj"},
                                             {"retarget", "@mannequin", "@robot", "-o", "x.glb", "--align", "arms"},
                                             {"retarget", "@mannequin", "@robot", "-o", "x.glb", "--up", "w"},
                                             {"retarget", "@mannequin", "@robot", "-o", "x.glb", "--rate", "0"},
                                             {"retarget", "@mannequin", "@robot", "-o", "x.glb", "--scale", "0.01"},
                                             {"retarget", "@mannequin", "@mannequin", "@robot", "-o", "x.bvh"},
                                             {"retarget", "@mannequin", "@mannequin", "@robot", "-o", "x.vrma"}}) {
    const Outcome outcome = pelt(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, testing::StartsWith("pelt: "));
  }
  const Outcome still = pelt({"retarget", "@elbow", "@cylinder", "-o", "x.glb"});
  EXPECT_EQ(still.code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.glb"));
  EXPECT_EQ(pelt({"retarget", arm_, "@robot", "-o", arm_}).code, 1) << "never over what is read";
}

TEST_F(RetargetVerb, HoldsFeetOfATakeOnACharacterOfTheCorpus) {
  PELT_NEEDS_CORPUS("mocap/walk_meredith.bvh");
  const std::string corpus = PELT_CORPUS_DIR;
  const Outcome outcome = pelt({"retarget", corpus + "/mocap/walk_meredith.bvh", corpus + "/characters/human.glb", "-o",
                                "walk.glb", "--hold-feet", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json certificate = json::parse(outcome.out)["retargets"][0]["certificate"];
  EXPECT_EQ(certificate["frames"], 1064);
  EXPECT_LT(certificate["slide"]["max_over_leg"].get<double>(), 0.01);
  EXPECT_GE(certificate["slide"]["ankles"]["contacts"].get<int>(), 10);
  EXPECT_EQ(written("walk.glb").clips[0].channels[0].times.size(), 1064u);
}

}  // namespace
}  // namespace pelt::test
