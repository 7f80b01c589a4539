#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/open.h"
#include "motion/joint_map.h"
#include "motion/retarget.h"
#include "support/requirements.h"

namespace pelt::motion {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

rig::Character opened_for_map(const std::string& name) {
  const auto character =
      formats::open_character(name.starts_with('@') ? name : std::string(PELT_CORPUS_DIR) + "/" + name);
  EXPECT_TRUE(character) << (character ? "" : character.error().message);
  return character ? *character : rig::Character{};
}

std::string name_of_role(const rig::Character& character, const HumanBody& body, const char* role) {
  const int j = body.find(role);
  return j < 0 ? "none" : character.skeleton->label(j);
}

std::vector<std::string> names_of(const rig::Character& character, const std::vector<int>& joints) {
  std::vector<std::string> out;
  for (const int j : joints) {
    out.push_back(character.skeleton->label(j));
  }
  return out;
}

TEST(HumanBody, TheCmuLibrarysTwoSpellingsAreOneBody) {
  PELT_NEEDS_CORPUS("mocap/cmu_01_asf.gltf");
  const rig::Character bvh = opened_for_map("mocap/cmu_01_01.bvh");
  const rig::Character asf = opened_for_map("mocap/cmu_01_asf.gltf");
  const HumanBody first = target_rig(bvh).body;
  const HumanBody second = target_rig(asf).body;
  for (const auto& [role, theirs, ours] :
       {std::tuple("hips", "Hips", "root"), std::tuple("leftUpperLeg", "LeftUpLeg", "lfemur"),
        std::tuple("rightLowerLeg", "RightLeg", "rtibia"), std::tuple("leftFoot", "LeftFoot", "lfoot"),
        std::tuple("rightUpperArm", "RightArm", "rhumerus"), std::tuple("leftLowerArm", "LeftForeArm", "lradius"),
        std::tuple("leftHand", "LeftHand", "lwrist"), std::tuple("rightShoulder", "RightShoulder", "rclavicle"),
        std::tuple("head", "Head", "head"), std::tuple("leftToes", "LeftToeBase", "ltoes")}) {
    EXPECT_EQ(name_of_role(bvh, first, role), theirs) << role;
    EXPECT_EQ(name_of_role(asf, second, role), ours) << role;
  }
  EXPECT_THAT(names_of(bvh, first.torso), ElementsAre("LowerBack", "Spine", "Spine1"));
  EXPECT_THAT(names_of(asf, second.torso), ElementsAre("lowerback", "upperback", "thorax"));
  EXPECT_THAT(names_of(bvh, first.neck), ElementsAre("Neck", "Neck1"));
  EXPECT_THAT(names_of(asf, second.neck), ElementsAre("lowerneck", "upperneck"));
}

class BodiesByShape : public testing::TestWithParam<const char*> {};

TEST_P(BodiesByShape, NamelessSkeletonsGetTheRolesThatNamesGive) {
  if (std::string(GetParam())[0] != '@') {
    PELT_NEEDS_CORPUS(GetParam());
  }
  rig::Character character = opened_for_map(GetParam());
  const HumanBody named = target_rig(character).body;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    character.skeleton.edit().name[j] = std::to_string(j);
  }
  const HumanBody shaped = target_rig(character).body;
  for (const char* role : {"hips", "head", "leftUpperArm", "leftLowerArm", "leftHand", "rightUpperArm", "rightLowerArm",
                           "rightHand", "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperLeg", "rightLowerLeg",
                           "rightFoot", "leftToes", "rightToes"}) {
    EXPECT_EQ(shaped.find(role), named.find(role)) << role << ": " << name_of_role(character, named, role);
  }
  EXPECT_EQ(shaped.torso, named.torso);
  EXPECT_GT(glm::dot(shaped.facing[2], named.facing[2]), 0.99) << "the same way of facing";
  for (const auto& [role, joint] : shaped.roles) {
    EXPECT_EQ(joint.reason, "by the shape of the skeleton") << role;
    EXPECT_LT(joint.confidence, 0.9);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BodiesByShape,
                         testing::Values("@mannequin", "characters/human.glb", "characters/knight.glb",
                                         "characters/rigged_mesh.glb", "characters/mannequiny.glb",
                                         "mocap/cmu_01_01.bvh", "mocap/walk_meredith.bvh", "mocap/freebvh.bvh"));

TEST(JointMapFile, SaysAndReadsEveryRow) {
  const rig::Character character = opened_for_map("@mannequin");
  const rig::Skeleton& skeleton = character.skeleton;
  const RetargetRig rig = target_rig(character);
  JointMap map = make_joint_map(rig, rig);
  ASSERT_EQ(map.rows.size(), 57u) << "each of 56 joints, and the node of the mesh, follows itself";
  MappedJoint mixed = *map.find(skeleton.find("spine_02"));
  mixed.other = skeleton.find("hips");
  mixed.share = 0.25;
  map.set(mixed);
  map.erase(skeleton.find("toes_l"));
  const std::string text = to_json(map, skeleton, skeleton);
  EXPECT_THAT(text, HasSubstr(R"({"target":"spine_02","source":"spine_02","other":"hips","share":0.25,)"));
  const auto read = read_joint_map(text, skeleton, skeleton);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->rows.size(), map.rows.size());
  for (std::size_t n = 0; n < map.rows.size(); ++n) {
    EXPECT_EQ(read->rows[n].target, map.rows[n].target);
    EXPECT_EQ(read->rows[n].source, map.rows[n].source);
    EXPECT_EQ(read->rows[n].other, map.rows[n].other);
    EXPECT_EQ(read->rows[n].role, map.rows[n].role);
    EXPECT_NEAR(read->rows[n].share, map.rows[n].share, 1e-4);
  }
  EXPECT_EQ(to_json(*read, skeleton, skeleton), text);
}

TEST(JointMapFile, FaultsNameTheirRow) {
  const rig::Character character = opened_for_map("@elbow");
  const rig::Skeleton& skeleton = character.skeleton;
  const auto message = [&](const std::string& rows) {
    const auto map =
        read_joint_map(R"({"pelt": "joint-map", "version": 1, "rows": [)" + rows + "]}", skeleton, skeleton);
    return map ? std::string() : map.error().message;
  };
  const std::string good = R"({"target": "forearm", "source": "forearm"})";
  EXPECT_EQ(message(good), "");
  EXPECT_EQ(message(R"({"target": "forearm", "source": null})"), "");
  EXPECT_EQ(message(good + "," + good), "row 1: the joint \"forearm\" has a row already");
  EXPECT_EQ(message(R"({"target": "forearms", "source": "forearm"})"),
            "row 0: the character has no joint \"forearms\" (did you mean \"forearm\"?)");
  EXPECT_EQ(message(R"({"target": "forearm", "source": 3})"), "row 0: expected a text \"source\", got number");
  EXPECT_EQ(message(R"({"target": "forearm", "source": "forearm", "share": 2})"),
            "row 0: \"share\": expected a number from 0 to 1, got 2");
  const auto other = read_joint_map(R"({"pelt": "pose"})", skeleton, skeleton);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "expected a joint map, {\"pelt\": \"joint-map\", ...}");
}

}  // namespace
}  // namespace pelt::motion
