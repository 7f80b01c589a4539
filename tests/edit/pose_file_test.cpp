#include "edit/pose_file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit_fixtures.h"
#include "support/output_folder.h"

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
  EXPECT_EQ(other.content.clip, -1);
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

// A file that poses nothing is the rest pose, and not one of which nothing is found.
TEST(PoseFile, NothingPosedIsAPose) {
  const Document document = arm_document();
  for (const char* entry : {R"("joints": {})", R"("morphs": {})", R"("rest": [{"name": "somewhere else"}])"}) {
    const Result<ReplacePose> read = pose_from_json(document, pose(entry));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->overrides.empty());
    EXPECT_TRUE(read->morphs.empty());
  }
}

// By their numbers where the rest pose does not list them, which is what a number means in a file that says no more.
TEST(PoseFile, NodesThatTheRestPoseDoesNotListAreThoseOfTheirNumber) {
  const Document document = arm_document();
  PoseReport report;
  const Result<ReplacePose> read = pose_from_json(document, pose(R"("rest": [{"name": "root"}, {"node": 6}],
      "joints": {"": {"translation": [9, 9, 9]}},
      "nodes": {"0": {"scale": [2, 2, 2]}, "8": {"translation": [1, 2, 3]}, "99": {"translation": [1, 2, 3]}})"),
                                                  &report);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->overrides.size(), 2u);
  EXPECT_EQ(read->overrides.at(0).local.scale, glm::vec3(2));
  EXPECT_EQ(read->overrides.at(8).local.translation, glm::vec3(1, 2, 3));
  EXPECT_THAT(report.not_found, testing::UnorderedElementsAre("", "node 99"));
}

// One that the rest pose lists by its number, for want of a name, is not one that has a name.
TEST(PoseFile, AListedNodeIsNoneThatHasANameOfItsOwn) {
  const Document document = arm_document();
  PoseReport report;
  const Result<ReplacePose> read = pose_from_json(
      document, pose(R"("rest": [{"node": 0}], "nodes": {"0": {"scale": [2, 2, 2]}}, "morphs": {"smile": 1})"),
      &report);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->overrides.empty());
  EXPECT_THAT(report.not_found, testing::ElementsAre("node 0"));
}

// A node without a name that is the first of all, hangs on nothing and carries the mesh.
TEST(PoseFile, TheFirstNodeMayBeWithoutAName) {
  rig::Character character;
  test::add_node(character, "", -1, {.translation = {0, 1, 0}});
  mesh::Mesh mesh;
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{0, 0, 0}};
  primitive.indices = {0};
  for (const char* name : {"", "smile"}) {
    primitive.morph_targets.push_back({name, {{0, 0, 1}}, {}, {}});
    mesh.morph_names.emplace_back(name);
  }
  mesh.primitives.push_back(std::move(primitive));
  character.meshes.push_back(std::move(mesh));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetJointLocal{0, {{1, 2, 3}, kIdentityQuat, {1, 1, 1}}, false});
  apply(document, SetMorph{0, 0.5f});
  apply(document, SetMorph{1, 0.25f});
  const std::string text = pose_to_json(document);
  EXPECT_EQ(text, R"({
  "pelt": "pose",
  "version": 1,
  "joints": {},
  "morphs": {
    "smile": 0.25
  },
  "nodes": {
    "0": {"translation": [1, 2, 3], "weights": [0.5, 0.25]}
  },
  "rest": [
    {"node": 0, "translation": [0, 1, 0]}
  ]
}
)");
  PoseReport report;
  const Result<ReplacePose> read = pose_from_json(document, text, &report);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(report.exact()) << summary(report);
  EXPECT_EQ(read->overrides.at(0).local.translation, glm::vec3(1, 2, 3));
  EXPECT_EQ(read->morphs, (std::map<int, float>{{0, 0.5f}, {1, 0.25f}}));
}

// The joints of skins, what is posed, and what both hang on; nothing else of the file.
TEST(PoseFile, ListsTheRigAndWhatIsPosed) {
  rig::Character character;
  test::add_node(character, "stage", -1, {});
  test::add_node(character, "prop", -1, {});
  test::add_node(character, "part of the prop", 1, {});
  test::add_node(character, "bone", 0, {});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{0, 0, 0}};
  primitive.indices = {0};
  test::add_skinned_mesh(character, "skin", {3}, std::move(primitive));
  rig::finish(character);
  const Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  const auto rest_after = [&](int posed) {
    Document copy = document;
    apply(copy, SetJointLocal{posed, {{1, 2, 3}, kIdentityQuat, {1, 1, 1}}, false});
    const std::string text = pose_to_json(copy);
    return text.substr(text.find("\"rest\""));
  };
  EXPECT_EQ(rest_after(3),
            "\"rest\": [\n    {\"name\": \"stage\"},\n    {\"name\": \"bone\", \"parent\": 0}\n  ]\n}\n");
  EXPECT_EQ(rest_after(0), rest_after(3));
  EXPECT_EQ(rest_after(1),
            "\"rest\": [\n    {\"name\": \"stage\"},\n    {\"name\": \"prop\"},\n    {\"name\": \"bone\", \"parent\": "
            "0}\n  ]\n}\n");
}

TEST(PoseFile, SummariesNameOnlyWhatThereIs) {
  PoseReport joints;
  joints.joints = 3;
  joints.joints_found = 3;
  EXPECT_EQ(summary(joints), "");
  EXPECT_EQ(details(joints), "");
  joints.guessed = {"a is b"};
  EXPECT_EQ(summary(joints), "3 of 3 joints, 1 by similar names");
  EXPECT_EQ(details(joints), "a is b; the file does not tell its rest pose, so rotations were taken as they are");
  joints.rest_known = true;
  EXPECT_EQ(details(joints), "a is b");
  joints.guessed.clear();
  joints.joints_found = 1;
  joints.not_found = {"c", "d"};
  EXPECT_EQ(summary(joints), "1 of 3 joints; 2 not found");
  EXPECT_EQ(details(joints, 1), "missing: c and 1 more");
  PoseReport shapes;
  shapes.shapes = 2;
  shapes.shapes_found = 1;
  EXPECT_EQ(summary(shapes), "1 of 2 shapes; 1 not found");
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
  EXPECT_THAT(once, testing::Not(testing::HasSubstr("weights"))) << "the name says it for both";
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
      {pose(R"("joints": {"a": {}, "b": {}, "c": {}, "d": {}, "e": {}, "f": {}, "g": {}})"),
       "the character has none of the joints that the file poses: a, b, c, d, e and 2 more"},
      {pose(R"("rest": [{"naem": "hips"}])"),
       "rest, entry 0: unknown entry \"naem\" (did you mean \"name\"?); expected one of name, node, parent, human, "
       "rotation, translation, scale"},
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
      {pose(R"("joints": {"hand_l": {"rotation": {"x": 0, "y": 0, "z": 0, "w": 1}}})"),
       "joint \"hand_l\": rotation: expected an array of 4 numbers, got object"},
      {pose(R"("joints": {"hand_l": {"rotation": [0, 0, 0, 0]}})"),
       "joint \"hand_l\": rotation: expected a quaternion of length 1, got length 0"},
      {pose(R"("joints": {"hand_l": {"scale": [1, null, 1]}})"),
       "joint \"hand_l\": scale: number 1: expected a finite number, got null"},
      {pose(R"("joints": {"hand_l": {"scale": [1, 1e39, 1]}})"),
       "joint \"hand_l\": scale: number 1: expected a finite number, got 1e+39"},
      {pose(R"("joints": {"hand_l": {"scale": [1, 1e999, 1]}})"), "not JSON: a number is out of range"},
      {pose(R"("morphs": {"smlie": 1})"), "the character has none of the morph targets that the file poses: smlie"},
      {pose(R"("morphs": {"smile": "big"})"), "morph \"smile\": expected a finite number, got \"big\""},
      {pose(R"("morphs": {"smile": 1e39})"), "morph \"smile\": expected a finite number, got 1e+39"},
      {pose(R"("morphs": {"smile": [1, 2, 3, "é"]})"),
       "morph \"smile\": expected a finite number, got [1,2,3,\"\\u00e9\"]"},
      {pose(R"("nodes": {"99": {"translation": [0, 0, 0]}})"),
       "the character has none of the joints that the file poses: node 99"},
      {pose(R"("nodes": {"99": {"weights": [1]}})"),
       "the character has none of the morph targets that the file poses: node 99 of 1 weights"},
      {pose(R"("nodes": {"7": {"weights": []}})"),
       "the character has none of the morph targets that the file poses: node 7 of 0 weights"},
      {pose(R"("nodes": {"x": {}})"), "node x: expected the index of a node in its file"},
      {pose(R"("nodes": {"-1": {}})"), "node -1: expected the index of a node in its file"},
      {pose(R"("nodes": {"7": {"scael": []}})"),
       "node 7: unknown entry \"scael\" (did you mean \"scale\"?); expected one of rotation, translation, scale, "
       "weights"},
      {pose(R"("nodes": {"7": {"scale": 3}})"), "node 7: scale: expected an array of 3 numbers, got number"},
      {pose(R"("nodes": {"9": {"weights": {"a": 1, "b": 2, "c": 3}}})"),
       "node 9: weights: expected an array, got object"},
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
  const std::filesystem::path folder = test::output_folder() / "edit";
  std::filesystem::create_directories(folder);
  Document document = arm_document();
  apply(document, SetDof{2, 0, 0.5f});
  std::filesystem::remove(folder / "bent.json");
  ASSERT_TRUE(save_pose(document, folder / "bent.json"));
  std::string content;
  const Result<ReplacePose> read = load_pose(document, folder / "bent.json", nullptr, &content);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(content, pose_to_json(document));
  EXPECT_FALSE(save_pose(document, folder / "no such folder" / "bent.json"));
  EXPECT_EQ(read->overrides.size(), 1u);
  std::ofstream(folder / "bad.json") << "{}";
  EXPECT_EQ(load_pose(document, folder / "bad.json").error().message,
            (folder / "bad.json").string() + ": not a pose file: expected an object with \"pelt\": \"pose\"");
  EXPECT_FALSE(load_pose(document, folder / "absent.json"));
}

}  // namespace
}  // namespace pelt::edit
