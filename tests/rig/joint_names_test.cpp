#include "rig/joint_matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::rig {
namespace {

// Hips to head, one arm with a thumb and one leg on each side, as programs call them. In the order of kBody.
struct NamingScheme {
  const char* program;
  std::vector<std::string> names;
};
constexpr const char* kBodyRoles[] = {"hips",          "spine 0",       "spine 1",       "neck",      "head",
                                      "leftShoulder",  "leftUpperArm",  "leftLowerArm",  "leftHand",  "leftThumb1",
                                      "leftIndex2",    "leftUpperLeg",  "leftLowerLeg",  "leftFoot",  "leftToes",
                                      "rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand", "rightThumb1",
                                      "rightIndex2",   "rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes"};
constexpr int kBodyParents[] = {-1, 0, 1, 2, 3, 2, 5, 6, 7, 8, 8, 0, 11, 12, 13, 2, 15, 16, 17, 18, 18, 0, 21, 22, 23};

// "{}" stands for the side.
NamingScheme scheme(const char* program, std::vector<std::string> middle, const std::vector<std::string>& limb,
                    const char* left, const char* right) {
  NamingScheme out{program, std::move(middle)};
  for (const char* side : {left, right}) {
    for (const std::string& name : limb) {
      out.names.push_back(fmt::format(fmt::runtime(name), side));
    }
  }
  return out;
}

std::vector<NamingScheme> naming_schemes() {
  return {
      scheme("Mixamo", {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Neck", "mixamorig:Head"},
             {"mixamorig:{}Shoulder", "mixamorig:{}Arm", "mixamorig:{}ForeArm", "mixamorig:{}Hand",
              "mixamorig:{}HandThumb1", "mixamorig:{}HandIndex2", "mixamorig:{}UpLeg", "mixamorig:{}Leg",
              "mixamorig:{}Foot", "mixamorig:{}ToeBase"},
             "Left", "Right"),
      scheme("Unreal", {"pelvis", "spine_01", "spine_02", "neck_01", "head"},
             {"clavicle_{}", "upperarm_{}", "lowerarm_{}", "hand_{}", "thumb_01_{}", "index_02_{}", "thigh_{}",
              "calf_{}", "foot_{}", "ball_{}"},
             "l", "r"),
      scheme("VRoid", {"J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_Neck", "J_Bip_C_Head"},
             {"J_Bip_{}_Shoulder", "J_Bip_{}_UpperArm", "J_Bip_{}_LowerArm", "J_Bip_{}_Hand", "J_Bip_{}_Thumb1",
              "J_Bip_{}_Index2", "J_Bip_{}_UpperLeg", "J_Bip_{}_LowerLeg", "J_Bip_{}_Foot", "J_Bip_{}_ToeBase"},
             "L", "R"),
      scheme("VRM", {"hips", "spine", "chest", "neck", "head"},
             {"{}Shoulder", "{}UpperArm", "{}LowerArm", "{}Hand", "{}ThumbMetacarpal", "{}IndexIntermediate",
              "{}UpperLeg", "{}LowerLeg", "{}Foot", "{}Toes"},
             "left", "right"),
      scheme("Biped", {"Bip001 Pelvis", "Bip001 Spine", "Bip001 Spine1", "Bip001 Neck", "Bip001 Head"},
             {"Bip001 {} Clavicle", "Bip001 {} UpperArm", "Bip001 {} Forearm", "Bip001 {} Hand", "Bip001 {} Thumb1",
              "Bip001 {} Index2", "Bip001 {} Thigh", "Bip001 {} Calf", "Bip001 {} Foot", "Bip001 {} Toe"},
             "L", "R"),
      scheme("Blender", {"DEF-hips", "DEF-spine", "DEF-chest", "DEF-neck", "DEF-head"},
             {"DEF-shoulder.{}", "DEF-upper_arm.{}", "DEF-forearm.{}", "DEF-hand.{}", "DEF-thumb.01.{}",
              "DEF-f_index.02.{}", "DEF-thigh.{}", "DEF-shin.{}", "DEF-foot.{}", "DEF-toe.{}"},
             "L", "R"),
      scheme("Blender through FBX", {"hips", "abdomen", "chest", "neck", "head"},
             {"shoulderFBXASC046{}", "upper_armFBXASC046{}", "forearmFBXASC046{}", "handFBXASC046{}",
              "thumbFBXASC04601FBXASC046{}", "f_indexFBXASC04602FBXASC046{}", "thighFBXASC046{}", "shinFBXASC046{}",
              "footFBXASC046{}", "toeFBXASC046{}"},
             "L", "R"),
      scheme("the mannequin", {"hips", "spine_01", "chest", "neck", "head"},
             {"clavicle_{}", "shoulder_{}", "elbow_{}", "wrist_{}", "thumb_01_{}", "index_02_{}", "hip_{}", "knee_{}",
              "ankle_{}", "toes_{}"},
             "l", "r"),
      scheme("Daz", {"hip", "abdomen", "chest", "neck", "head"},
             {"{}Collar", "{}Shldr", "{}ForeArm", "{}Hand", "{}Thumb1", "{}Index2", "{}Thigh", "{}Shin", "{}Foot",
              "{}Toe"},
             "l", "r"),
      scheme("side first", {"hip", "waist", "chest", "neck", "head"},
             {"{}-clavicle", "{}-arm", "{}-forearm", "{}-hand", "{}-thumb1", "{}-index2", "{}-thigh", "{}-leg",
              "{}-foot", "{}-toe"},
             "l", "r"),
  };
}

NamedJoints body_of(const NamingScheme& scheme) {
  NamedJoints out;
  out.name = scheme.names;
  out.parent.assign(std::begin(kBodyParents), std::end(kBodyParents));
  return out;
}

Character character_of(const NamedJoints& joints) {
  Character character;
  for (std::size_t j = 0; j < joints.name.size(); ++j) {
    test::add_node(character, joints.name[j], joints.parent[j], {});
  }
  finish(character);
  return character;
}

TEST(JointNames, PartsOfABodyInEveryProgramsWords) {
  for (const NamingScheme& one : naming_schemes()) {
    const std::vector<std::string> roles = human_roles(body_of(one));
    ASSERT_EQ(roles.size(), std::size(kBodyRoles));
    for (std::size_t i = 0; i < roles.size(); ++i) {
      EXPECT_EQ(roles[i], kBodyRoles[i]) << one.program << ": " << one.names[i];
    }
  }
}

TEST(JointNames, EveryProgramsBodyIsFoundInEveryOther) {
  for (const NamingScheme& from : naming_schemes()) {
    for (const NamingScheme& to : naming_schemes()) {
      const Character character = character_of(body_of(to));
      const std::vector<JointMatch> matches = match_joints(body_of(from), character);
      for (std::size_t i = 0; i < matches.size(); ++i) {
        EXPECT_EQ(matches[i].joint, static_cast<int>(i))
            << from.program << " to " << to.program << ": " << from.names[i] << " and " << to.names[i];
      }
    }
  }
}

TEST(JointNames, SpellingsOfOneName) {
  const JointName name = parse_joint_name("hand_02_l");
  for (const char* other :
       {"Hand.02.L", "mixamorig:LeftHand2", "L_Hand_02", "lHand02", "hand2-left", "Bip001 L Hand2", "DEF-hand.02.L",
        "jnt_hand_02_l", "armature|Hand2_L", "HAND_02_L", "handFBXASC04602FBXASC046L"}) {
    EXPECT_EQ(parse_joint_name(other), name) << other;
  }
  for (const char* other : {"hand_02_r", "hand_03_l", "hand_02", "handle_02_l", "hand_twist_02_l"}) {
    EXPECT_NE(parse_joint_name(other), name) << other;
  }
  EXPECT_EQ(parse_joint_name("lefthand").side, Side::kLeft);
  EXPECT_EQ(parse_joint_name("leftover").side, Side::kNone);
  EXPECT_EQ(parse_joint_name("LThigh"), parse_joint_name("thigh_l"));
  EXPECT_EQ(parse_joint_name("left_hand_r").side, Side::kLeft) << "the first word tells";
  EXPECT_EQ(parse_joint_name("tail_99999999999999999999").numbers, std::vector<int>{0}) << "no number of a bone";
}

TEST(JointNames, TheVeryNameWinsAndNothingIsGivenTwice) {
  NamedJoints from;
  from.name = {"Hand.L", "hand_l", "tail"};
  Character to;
  test::add_node(to, "hand_l", -1, {});
  test::add_node(to, "tail_1", -1, {});
  finish(to);
  const std::vector<JointMatch> matches = match_joints(from, to);
  EXPECT_EQ(matches[0].joint, -1);
  EXPECT_EQ(matches[1].joint, 0);
  EXPECT_TRUE(matches[1].exact);
  EXPECT_EQ(matches[2].joint, -1) << "another number is another joint";
}

TEST(JointNames, SeveralThatCouldBeMeantAreNamed) {
  NamedJoints from;
  from.name = {"Hand.L"};
  Character to;
  test::add_node(to, "hand_l", -1, {});
  test::add_node(to, "l-hand", -1, {});
  finish(to);
  const std::vector<JointMatch> matches = match_joints(from, to);
  EXPECT_EQ(matches[0].joint, -1);
  EXPECT_THAT(matches[0].ambiguous, testing::ElementsAre(0, 1));
  // The other way round two would have one.
  NamedJoints two;
  two.name = {"Hand.L", "L-hand"};
  Character one;
  test::add_node(one, "hand_l", -1, {});
  finish(one);
  for (const JointMatch& match : match_joints(two, one)) {
    EXPECT_EQ(match.joint, -1);
    EXPECT_THAT(match.ambiguous, testing::ElementsAre(0));
  }
}

// "twin" and "twin": the one that a skin follows is meant, a mesh beside it is not.
TEST(JointNames, OfSeveralTheOneThatDeformsIsMeant) {
  Character to;
  for (const char* name : {"tail", "tail", "l-fin", "Fin.L"}) {
    test::add_node(to, name, -1, {});
  }
  mesh::Primitive primitive;
  primitive.positions = {{0, 0, 0}};
  primitive.indices = {0};
  primitive.topology = mesh::Topology::kPoints;
  const std::uint16_t joints[] = {1, 3};
  const float weights[] = {0.5f, 0.5f};
  mesh::append_row(primitive.influences.edit(), joints, weights);
  test::add_skinned_mesh(to, "body", {0, 1, 2, 3}, std::move(primitive));
  finish(to);
  NamedJoints from;
  from.name = {"tail", "fin_l"};
  const std::vector<JointMatch> matches = match_joints(from, to);
  EXPECT_EQ(matches[0].joint, 1);
  EXPECT_TRUE(matches[0].exact);
  EXPECT_EQ(matches[1].joint, 3);
  EXPECT_FALSE(matches[1].exact);
}

TEST(JointNames, SerialNumbersOfAnExporterSayNothing) {
  NamedJoints from;
  from.name = {"Tail_01", "Wing_02", "Horn_03", "Ear_04"};
  Character to;
  for (const char* name : {"Ear", "Horn", "Wing", "Tail"}) {
    test::add_node(to, name, -1, {});
  }
  finish(to);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(match_joints(from, to)[i].joint, 3 - static_cast<int>(i)) << from.name[i];
  }
}

std::vector<std::string> roles_of(std::vector<std::string> names, std::vector<int> parents,
                                  std::vector<char> preferred = {}) {
  return human_roles({.name = std::move(names), .parent = std::move(parents), .role = {}, .preferred = preferred});
}

TEST(JointNames, WhatASideContradictsIsNoPartOfABody) {
  EXPECT_THAT(roles_of({"thumb_01", "hand", "foot", "upperarm", "head_l", "hips_r"}, {-1, 0, 0, 0, 0, 0}),
              testing::Each(""));
}

TEST(JointNames, ARoleIsGivenOnce) {
  using testing::ElementsAre;
  EXPECT_THAT(roles_of({"hips", "hand_l", "Hand.L"}, {-1, 0, 0}), ElementsAre("hips", "", ""));
  EXPECT_THAT(roles_of({"hips", "hand_l", "Hand.L"}, {-1, 0, 1}), ElementsAre("hips", "leftHand", ""));
  EXPECT_THAT(roles_of({"hips", "hand_l", "Hand.L"}, {-1, 0, 0}, {0, 0, 1}), ElementsAre("hips", "", "leftHand"));
  EXPECT_THAT(roles_of({"hips", "spine_01", "spine_02"}, {-1, 0, 0}), ElementsAre("hips", "", "")) << "no chain";
}

TEST(JointNames, ArmAndLegMeanWhatOtherNamesLeaveOver) {
  using testing::ElementsAre;
  EXPECT_THAT(roles_of({"leg_l"}, {-1}), ElementsAre("leftUpperLeg"));
  EXPECT_THAT(roles_of({"thigh_l", "leg_l"}, {-1, 0}), ElementsAre("leftUpperLeg", "leftLowerLeg"));
  EXPECT_THAT(roles_of({"thigh_l", "shin_l", "leg_l"}, {-1, 0, 0}), ElementsAre("leftUpperLeg", "leftLowerLeg", ""));
  EXPECT_THAT(roles_of({"arm_l", "upperarm_l"}, {-1, 0}), ElementsAre("", "leftUpperArm"));
  EXPECT_THAT(roles_of({"arm_l", "upperarm_r"}, {-1, -1}), ElementsAre("leftUpperArm", "rightUpperArm"));
}

TEST(JointNames, AHandAloneHasItsSideBeforeEveryName) {
  EXPECT_THAT(roles_of({"L_thumb_01", "L_thumb_02", "L_index_01", "L_index_02"}, {-1, 0, -1, 2}),
              testing::ElementsAre("leftThumb1", "leftThumb2", "leftIndex1", "leftIndex2"));
}

TEST(JointNames, RolesThatAFileGivesAreVrms) {
  NamedJoints joints;
  joints.name = {"a", "b", "c", "d", "hand_l"};
  joints.parent = {-1, 0, 1, 2, 3};
  joints.role = {"chest", "leftThumbMetacarpal", "leftThumbProximal", "leftIndexProximal", ""};
  EXPECT_THAT(human_roles(joints), testing::ElementsAre("spine 0", "leftThumb1", "leftThumb2", "leftIndex1", ""));
}

TEST(JointNames, OfAWristAndAHandTheUpperOneIsTheHand) {
  NamedJoints knight;
  knight.name = {"hips", "upperarm.l", "lowerarm.l", "wrist.l", "hand.l", "handslot.l", "handIK.l"};
  knight.parent = {-1, 0, 1, 2, 3, 4, 0};
  EXPECT_THAT(human_roles(knight),
              testing::ElementsAre("hips", "leftUpperArm", "leftLowerArm", "leftHand", "", "", ""));
}

TEST(JointNames, TorsosOfDifferentLengthsMeetAtTheirEnds) {
  const auto torso = [](int count) {
    NamedJoints out;
    for (int n = 0; n < count; ++n) {
      out.name.push_back(fmt::format("{}_{}", count % 2 == 0 ? "spine" : "torso", n));
      out.parent.push_back(n - 1);
    }
    return out;
  };
  const auto matched = [&](int from, int to) {
    std::vector<int> out;
    for (const JointMatch& match : match_joints(torso(from), character_of(torso(to)))) {
      out.push_back(match.joint);
    }
    return out;
  };
  EXPECT_THAT(matched(2, 3), testing::ElementsAre(0, 2));
  EXPECT_THAT(matched(3, 2), testing::ElementsAre(0, -1, 1));
  EXPECT_THAT(matched(4, 3), testing::ElementsAre(0, -1, 1, 2));
  EXPECT_THAT(matched(4, 1), testing::ElementsAre(-1, -1, -1, 0));
  EXPECT_THAT(matched(1, 4), testing::ElementsAre(0));
}

TEST(JointNames, CommonPrefixes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(common_joint_prefix(Names{"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Head", "mixamorig:LeftArm"}),
            "mixamorig:");
  EXPECT_EQ(common_joint_prefix(Names{"Bip001", "Bip001 Pelvis", "Bip001 Spine", "Bip001 L Arm", "Bip001 R Arm"}),
            "Bip001 ");
  EXPECT_EQ(common_joint_prefix(Names{"a_b_x", "a_b_y", "a_b_z", "a_b_w", "a_b_v"}), "a_b_");
  EXPECT_EQ(common_joint_prefix(Names{"a_b_x", "a_b_y", "a_b_z", "a_w", "a_v"}), "a_");
  EXPECT_EQ(common_joint_prefix(Names{"tail_1", "tail_2", "tail_3", "tail_4"}), "") << "numbers alone say nothing";
  EXPECT_EQ(common_joint_prefix(Names{"x:a", "x:b", "x:c"}), "") << "too few to tell";
  EXPECT_EQ(common_joint_prefix(Names{"x:a", "x:b", "x:c", "x:d", "hips", "head"}), "") << "two of six have it not";
  EXPECT_EQ(common_joint_prefix(Names{"hips", "spine", "head", "hand_l", "hand_r"}), "");
  EXPECT_EQ(common_joint_prefix(Names{}), "");
}

TEST(JointNames, DeformingJointsAreThoseThatWeightsUse) {
  Character character;
  for (const char* name : {"root", "arm", "ik", "end"}) {
    test::add_node(character, name, character.skeleton->size() - 1, {});
  }
  mesh::Primitive primitive;
  primitive.positions = {{0, 0, 0}};
  primitive.indices = {0};
  primitive.topology = mesh::Topology::kPoints;
  const std::uint16_t joints[] = {1, 2};
  const float weights[] = {1.0f, 0.0f};
  mesh::append_row(primitive.influences.edit(), joints, weights);
  test::add_skinned_mesh(character, "body", {0, 1, 2, 3}, std::move(primitive));
  finish(character);
  EXPECT_THAT(deforming_joints(character), testing::ElementsAre(0, 1, 0, 0, 0));
}

}  // namespace
}  // namespace pelt::rig
