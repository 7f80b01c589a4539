#include "edit/pose_file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;

std::string error_of(const Document& document, std::string_view text) {
  const Result<ReplacePose> pose = pose_from_json(document, text);
  return pose ? "no error" : pose.error().message;
}

// `entry` inside a well-formed pose file.
std::string pose(std::string_view entry) {
  return R"({"pelt": "pose", "version": 1, )" + std::string(entry) + "}";
}

TEST(PoseFile, IsStableAndHasOneJointPerLine) {
  Document document = arm_document();
  apply(document, SetJointLocal{3, {{0.25f, 0.5f, 0}, kIdentityQuat, {1, 1, 1}}, false});
  apply(document, SetJointLocal{1, {{0.2f, 0.4f, 0}, quat_xyzw(0.0f, 0.0f, 0.6f, 0.8f), {1, 2, 1}}, false});
  apply(document, SetJointLocal{8, {{1, 0, 0}, kIdentityQuat, {1, 1, 1}}, false});
  apply(document, SetMorph{0, 0.4f});
  EXPECT_EQ(pose_to_json(document), R"({
  "pelt": "pose",
  "version": 1,
  "joints": {
    "shoulder_l": {"rotation": [0, 0, 0.6, 0.8], "scale": [1, 2, 1]},
    "hand_l": {"translation": [0.25, 0.5, 0]}
  },
  "morphs": {
    "smile": 0.4
  },
  "nodes": {
    "8": {"translation": [1, 0, 0]}
  },
  "rest": [
    {"name": "root", "translation": [0, 1, 0]},
    {"name": "shoulder_l", "parent": 0, "translation": [0.2, 0.4, 0]},
    {"name": "elbow_l", "parent": 1, "translation": [0.3, 0, 0]},
    {"name": "hand_l", "parent": 2, "translation": [0.25, 0, 0]},
    {"name": "shoulder_r", "parent": 0, "translation": [-0.2, 0.4, 0]},
    {"name": "elbow_r", "parent": 4, "translation": [-0.3, 0, 0]},
    {"node": 6, "parent": 0, "translation": [0, 0.5, 0]},
    {"node": 8, "parent": 6}
  ]
}
)");
}

TEST(PoseFile, RestPoseIsEmpty) {
  EXPECT_EQ(pose_to_json(arm_document()), "{\n  \"pelt\": \"pose\",\n  \"version\": 1,\n  \"joints\": {}\n}\n");
}

TEST(PoseFile, RoundTripIsExact) {
  test::Random random(11);
  for (int i = 0; i < 200; ++i) {
    Document document = arm_document();
    for (int k = 0; k < 6; ++k) {
      apply(document, SetJointLocal{random.below(10),
                                    {random.vector(-1000, 1000), glm::quat(random.rotation()), random.vector(0.1f, 9)},
                                    false});
    }
    for (int m = 0; m < 3; ++m) {
      apply(document, SetMorph{m, random.real(-2.0f, 2.0f)});
    }
    const std::string text = pose_to_json(document);
    const Result<ReplacePose> read = pose_from_json(document, text);
    ASSERT_TRUE(read) << read.error().message;
    Document other = arm_document();
    apply(other, *read);
    ASSERT_EQ(evaluate_pose(other), evaluate_pose(document)) << text;
    ASSERT_EQ(pose_to_json(other), text);
  }
}

TEST(PoseFile, WritesWhatClipAndBasePoseSay) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2.5f});
  Document other = arm_document();
  apply(other, *pose_from_json(other, pose_to_json(document)));
  EXPECT_EQ(evaluate_pose(other), evaluate_pose(document));
  EXPECT_EQ(other.state.clip, -1);
}

TEST(PoseFile, AbsentEntriesKeepTheRestPose) {
  const Document document = arm_document();
  const Result<ReplacePose> read =
      pose_from_json(document, pose(R"("joints": {"hand_l": {"rotation": [0, 0, 0.6, 0.8]}})"));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->overrides.size(), 1u);
  const Transform& hand = read->overrides.at(3).local;
  EXPECT_EQ(hand.translation, glm::vec3(0.25f, 0, 0));
  EXPECT_EQ(hand.scale, glm::vec3(1));
  EXPECT_EQ(hand.rotation, quat_xyzw(0.0f, 0.0f, 0.6f, 0.8f));
  EXPECT_EQ(read->overrides.at(3).dof_values.size(), joint_dofs(document, 3).dofs.size());
}

TEST(PoseFile, NodesAddressByIndex) {
  const Document document = arm_document();
  const Result<ReplacePose> read = pose_from_json(
      document, pose(R"("nodes": {"7": {"translation": [1, 2, 3]}, "9": {"weights": [0.1, 0.2, 0.3]}})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->overrides.at(7).local.translation, glm::vec3(1, 2, 3));
  EXPECT_THAT(read->morphs,
              testing::ElementsAre(testing::Pair(0, 0.1f), testing::Pair(1, 0.2f), testing::Pair(2, 0.3f)));
}

TEST(PoseFile, RotationsAreNormalised) {
  const Document document = arm_document();
  for (const char* rotation : {"[0, 0, 6, 8]", "[0, 0, 6e30, 8e30]", "[0, 0, 0.0006, 0.0008]"}) {
    const Result<ReplacePose> read =
        pose_from_json(document, pose(fmt::format(R"("joints": {{"hand_l": {{"rotation": {}}}}})", rotation)));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_NEAR(read->overrides.at(3).local.rotation.z, 0.6f, 1e-6f) << rotation;
    EXPECT_NEAR(read->overrides.at(3).local.rotation.w, 0.8f, 1e-6f) << rotation;
  }
}

TEST(PoseFile, MorphNameReachesAllNodesThatHaveIt) {
  rig::Character character = test::arm();
  rig::MeshNode second;
  second.joint = 6;
  second.mesh = 0;
  character.mesh_nodes.push_back(second);
  rig::finish(character);
  Document document = make_document(std::make_shared<rig::Character>(std::move(character)));
  const Result<ReplacePose> read = pose_from_json(document, pose(R"("morphs": {"smile": 0.5})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->morphs.size(), 2u);
  apply(document, *read);
  const std::string once = pose_to_json(document);
  EXPECT_THAT(once, testing::HasSubstr("\"smile\": 0.5"));
  EXPECT_EQ(once.find("smile"), once.rfind("smile"));
  // Different weights of one name are listed by node.
  apply(document, SetMorph{0, 0.75f});
  const std::string text = pose_to_json(document);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\"smile\"")));
  Document other = make_document(document.character);
  apply(other, *pose_from_json(other, text));
  EXPECT_EQ(evaluate_pose(other), evaluate_pose(document));
}

// The node without a name is posed, too; its targets without names are two.
TEST(PoseFile, ANodeSaysItsPlaceAndItsWeightsOnce) {
  rig::Character character = test::arm();
  rig::MeshNode second;
  second.joint = 6;
  second.mesh = 0;
  character.meshes.edit(0).morph_names = {"smile", "", ""};
  character.mesh_nodes.push_back(second);
  rig::finish(character);
  Document document = make_document(std::make_shared<rig::Character>(std::move(character)));
  const int first = document.character->morph_offset[6];
  apply(document, SetJointLocal{6, {{1, 2, 3}, kIdentityQuat, {1, 1, 1}}, false});
  apply(document, SetMorph{first + 1, 0.5f});
  apply(document, SetMorph{first + 2, 0.75f});
  EXPECT_THAT(pose_to_json(document),
              testing::HasSubstr("\"6\": {\"translation\": [1, 2, 3], \"weights\": [0, 0.5, 0.75]}"));
}

TEST(PoseFile, SaysWhatAJointIsInAHuman) {
  rig::Character character = test::arm();
  character.humanoid = {{"leftUpperArm", 1}};
  Document document = make_document(std::make_shared<rig::Character>(std::move(character)));
  apply(document, SetDof{1, 0, 0.5f});
  EXPECT_THAT(pose_to_json(document),
              testing::HasSubstr("{\"name\": \"shoulder_l\", \"parent\": 0, \"human\": \"leftUpperArm\", "));
}

TEST(PoseFile, MessagesSayWhatIsWrong) {
  const Document document = arm_document();
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {"", "not JSON: stopped at byte 1 of 0"},
      {"{\"pelt\": ", "not JSON: stopped at byte 10 of 9"},
      {"[]", "not a pose file: expected an object with \"pelt\": \"pose\""},
      {"{}", "not a pose file: expected an object with \"pelt\": \"pose\""},
      {R"({"pelt": "scene"})", "not a pose file: \"pelt\": expected \"pose\", got \"scene\""},
      {R"({"pelt": "pose"})", "version: expected 1, got none"},
      {R"({"pelt": "pose", "version": 2})", "version: expected 1, got 2"},
      {R"({"pelt": "pose", "version": "1"})", "version: expected 1, got \"1\""},
      {pose(R"("jionts": {})"),
       "pose: unknown entry \"jionts\" (did you mean \"joints\"?); expected one of pelt, version, joints, morphs, "
       "nodes, rest"},
      {pose(R"("joints": [])"), "\"joints\": expected an object, got array"},
      {pose(R"("joints": {"elbow_k": {}, "": {}})"),
       "the character has none of the joints that the file poses: , elbow_k"},
      {pose(R"("joints": {"twin": {}})"),
       "the character has none of the joints that the file poses: twin (twin or twin?)"},
      {pose(R"("rest": {})"), "\"rest\": expected an array, got object"},
      {pose(R"("rest": [{"name": 3}])"), "rest, entry 0: name: expected a string, got 3"},
      {pose(R"("rest": [{}, {"parent": 1}])"), "rest, entry 1: parent: expected a number below 1, got 1"},
      {pose(R"("rest": [{"parent": -1}])"), "rest, entry 0: parent: expected a number below 0, got -1"},
      {pose(R"("rest": [{"node": 0.5}])"), "rest, entry 0: node: expected a number below 2147483647, got 0.5"},
      {pose(R"("rest": [{"rotation": []}])"), "rest, entry 0: rotation: expected an array of 4 numbers, got 0 of them"},
      {pose(R"("joints": {"hand_l": 3})"), "joint \"hand_l\": expected an object, got number"},
      {pose(R"("joints": {"hand_l": {"rotaton": []}})"),
       "joint \"hand_l\": unknown entry \"rotaton\" (did you mean \"rotation\"?); expected one of rotation, "
       "translation, "
       "scale"},
      {pose(R"("joints": {"hand_l": {"rotation": [0, 0, 1]}})"),
       "joint \"hand_l\": rotation: expected an array of 4 numbers, got 3 of them"},
      {pose(R"("joints": {"hand_l": {"rotation": [0, 0, 0, 0]}})"),
       "joint \"hand_l\": rotation: expected a quaternion of length 1, got length 0"},
      {pose(R"("joints": {"hand_l": {"scale": [1, null, 1]}})"),
       "joint \"hand_l\": scale: number 1: expected a finite number, got null"},
      {pose(R"("joints": {"hand_l": {"scale": [1, 1e39, 1]}})"),
       "joint \"hand_l\": scale: number 1: expected a finite number, got 1e+39"},
      {pose(R"("joints": {"hand_l": {"scale": [1, 1e999, 1]}})"), "not JSON: a number is out of range"},
      {pose(R"("morphs": {"smlie": 1})"), "the character has none of the morph targets that the file poses: smlie"},
      {pose(R"("morphs": {"smile": "big"})"), "morph \"smile\": expected a finite number, got \"big\""},
      {pose(R"("nodes": {"99": {"translation": [0, 0, 0]}})"),
       "the character has none of the joints that the file poses: node 99"},
      {pose(R"("nodes": {"x": {}})"), "node x: expected the index of a node in its file"},
      {pose(R"("nodes": {"9": {"weights": 3}})"), "node 9: weights: expected an array, got number"},
      {pose(R"("nodes": {"9": {"weights": [1]}})"),
       "the character has none of the morph targets that the file poses: node 9 of 1 weights"},
      {pose(R"("nodes": {"9": {"weights": [1, 2, null]}})"),
       "node 9: weights: number 2: expected a finite number, got null"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(error_of(document, one.text), one.message) << one.text;
  }
}

TEST(PoseFile, WhatTheCharacterLacksIsLeftOutAndNamed) {
  const Document document = arm_document();
  PoseReport report;
  const Result<ReplacePose> read = pose_from_json(
      document,
      pose(R"("joints": {"hand_l": {"rotation": [0, 0, 0.6, 0.8]}, "tail": {}, "Elbow.R": {"scale": [2, 2, 2]}},
                        "morphs": {"smile": 0.5, "wink": 1})"),
      &report);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->overrides.size(), 2u);
  EXPECT_EQ(read->overrides.at(5).local.scale, glm::vec3(2));
  EXPECT_EQ(read->morphs.size(), 1u);
  EXPECT_EQ(summary(report), "2 of 3 joints, 1 by similar names; 1 of 2 shapes; 2 not found");
  EXPECT_THAT(report.not_found, testing::UnorderedElementsAre("wink", "tail"));
  EXPECT_THAT(report.guessed, testing::ElementsAre("Elbow.R is elbow_r"));
}

TEST(PoseFile, DeeplyNestedTextIsRefusedQuietly) {
  const std::string deep = pose("\"joints\": " + std::string(200'000, '[') + std::string(200'000, ']'));
  EXPECT_EQ(error_of(arm_document(), deep), "JSON: nested deeper than 64 levels at byte 105");
}

TEST(PoseFile, NamesThatJsonMustEscape) {
  rig::Character character = test::arm();
  character.skeleton.edit().name[1] = "a\"b\\c\n\xC3\xA9";
  character.skeleton.edit().name[2] = "\xFF not UTF-8";
  Document document = make_document(std::make_shared<rig::Character>(std::move(character)));
  apply(document, SetDof{2, 0, 0.5f});
  apply(document, SetJointLocal{1, {{9, 9, 9}, kIdentityQuat, {1, 1, 1}}, false});
  const std::string text = pose_to_json(document);
  Document other = make_document(document.character);
  const Result<ReplacePose> read = pose_from_json(other, text);
  ASSERT_TRUE(read) << read.error().message << text;
  apply(other, *read);
  EXPECT_EQ(evaluate_pose(other), evaluate_pose(document));
  EXPECT_THAT(text, testing::HasSubstr("\"2\": {"));
}

TEST(PoseFile, SavesAndLoads) {
  const std::filesystem::path folder = std::filesystem::path(PELT_TEST_OUTPUT_DIR) / "edit";
  std::filesystem::create_directories(folder);
  Document document = arm_document();
  apply(document, SetDof{2, 0, 0.5f});
  ASSERT_TRUE(save_pose(document, folder / "bent.json"));
  const Result<ReplacePose> read = load_pose(document, folder / "bent.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->overrides.size(), 1u);
  std::ofstream(folder / "bad.json") << "{}";
  EXPECT_EQ(load_pose(document, folder / "bad.json").error().message,
            (folder / "bad.json").string() + ": not a pose file: expected an object with \"pelt\": \"pose\"");
  EXPECT_FALSE(load_pose(document, folder / "absent.json"));
}

}  // namespace
}  // namespace pelt::edit
