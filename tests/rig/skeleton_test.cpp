#include "rig/skeleton.h"
#include "rig/joint_matching.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rig/tree_walk.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Against a walk from each node up to its root.
TEST(TreeWalk, TellsWhatIsAboveWhat) {
  test::Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    Skeleton skeleton;
    for (int j = 0; j < 40; ++j) {
      skeleton.parent.push_back(j == 0 ? -1 : random.below(j + 1) - 1);
    }
    std::vector<int> listed;
    for (int k = 0; k < 15; ++k) {
      listed.push_back(random.below(40));  // some of them twice
    }
    const auto place_of = [&](int node) {
      const auto found = std::ranges::find(listed, node);
      return found == listed.end() ? -1 : static_cast<int>(found - listed.begin());
    };
    const TreeWalk walk = walk_tree(skeleton);
    const std::vector<int> nearest = nearest_listed(walk, listed);
    for (int node = 0; node < 40; ++node) {
      std::vector<int> up = {node};
      while (skeleton.parent[up.back()] >= 0) {
        up.push_back(skeleton.parent[up.back()]);
      }
      EXPECT_EQ(walk.root[node], up.back());
      for (int above = 0; above < 40; ++above) {
        EXPECT_EQ(walk.is_within(node, above), std::ranges::find(up, above) != up.end()) << node << " " << above;
      }
      const auto is_listed = [&](int one) { return place_of(one) >= 0; };
      const auto first = std::find_if(up.begin() + 1, up.end(), is_listed);
      for (std::size_t k = 0; k < listed.size(); ++k) {
        if (listed[k] == node) {
          EXPECT_EQ(nearest[k], first == up.end() ? -1 : place_of(*first)) << "trial " << trial << ", node " << node;
        }
      }
    }
  }
}

TEST(ParentsFirstOrder, DepthFirstSiblingsAscending) {
  //  3 -> 1, 4;  1 -> 0;  2 alone
  const std::vector<int> parents = {1, 3, -1, -1, 3};
  const auto order = parents_first_order(parents);
  ASSERT_TRUE(order);
  EXPECT_THAT(*order, ElementsAre(2, 3, 1, 0, 4));
}

TEST(ParentsFirstOrder, SequenceDecidesAmongSiblings) {
  const std::vector<int> parents = {1, 3, -1, -1, 3};
  const auto order = parents_first_order(parents, std::vector<int>{3, 4, 1, 0, 2});
  ASSERT_TRUE(order);
  EXPECT_THAT(*order, ElementsAre(3, 4, 1, 0, 2));
}

TEST(ParentsFirstOrder, NothingHasAnEmptyOrder) {
  const auto order = parents_first_order({});
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->empty());
}

TEST(ParentsFirstOrder, NamesTheNodeOfABadParent) {
  const auto high = parents_first_order(std::vector<int>{-1, 5, 0});
  ASSERT_FALSE(high);
  EXPECT_EQ(high.error().message, "node 1: parent: expected -1 to 2, got 5");
  const auto low = parents_first_order(std::vector<int>{-1, 0, -2});
  ASSERT_FALSE(low);
  EXPECT_EQ(low.error().message, "node 2: parent: expected -1 to 2, got -2");
}

TEST(ParentsFirstOrder, C4_2_CyclesAreErrors) {
  // 4 hangs below the cycle 1 -> 2 -> 3 -> 1 without being part of it.
  const auto cycle = parents_first_order(std::vector<int>{-1, 3, 1, 2, 2});
  ASSERT_FALSE(cycle);
  EXPECT_EQ(cycle.error().message, "node 1: is its own ancestor: expected a tree, got a cycle through node 3");
  const auto own_parent = parents_first_order(std::vector<int>{-1, 0, 2});
  ASSERT_FALSE(own_parent);
  EXPECT_EQ(own_parent.error().message, "node 2: is its own ancestor: expected a tree, got a cycle through node 2");
  const auto tail_first = parents_first_order(std::vector<int>{1, 2, 1});
  ASSERT_FALSE(tail_first);
  EXPECT_THAT(tail_first.error().message, HasSubstr("cycle"));
}

TEST(ParentsFirstOrder, LongChainInReverse) {
  constexpr int kCount = 50000;
  std::vector<int> parents(kCount);
  for (int i = 0; i < kCount; ++i) {
    parents[i] = i + 1 < kCount ? i + 1 : -1;
  }
  const auto order = parents_first_order(parents);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->front(), kCount - 1);
  EXPECT_EQ(order->back(), 0);
}

TEST(Skeleton, FamilyWithAndWithoutChildLists) {
  test::Random random(21);
  Skeleton skeleton;
  for (int j = 0; j < 200; ++j) {
    skeleton.parent.push_back(j < 3 ? -1 : random.below(j));
  }
  Skeleton linked = skeleton;
  linked.link_children();
  for (int j = 0; j < 200; ++j) {
    EXPECT_EQ(skeleton.children(j), linked.children(j));
    EXPECT_EQ(skeleton.subtree(j), linked.subtree(j));
    std::vector<int> expected;
    for (int other = 0; other < 200; ++other) {
      bool inside = false;
      for (int at = other; at >= 0; at = skeleton.parent[at]) {
        inside = inside || at == j;
      }
      EXPECT_EQ(skeleton.is_within(other, j), inside);
      if (inside) {
        expected.push_back(other);
      }
    }
    EXPECT_EQ(skeleton.subtree(j), expected);
  }
}

TEST(Skeleton, NamesAndSourceNodes) {
  Skeleton skeleton;
  skeleton.parent = {-1, 0, 0};
  skeleton.name = {"hip", "", "hip"};
  skeleton.source_node = {7, 12, 3};
  EXPECT_EQ(skeleton.find("hip"), 0);
  EXPECT_EQ(skeleton.find("knee"), -1);
  EXPECT_EQ(skeleton.from_source_node(3), 2);
  EXPECT_EQ(skeleton.from_source_node(0), -1);
  EXPECT_EQ(skeleton.label(0), "hip");
  EXPECT_EQ(skeleton.label(1), "node 12");
}

// The partner of the first of these names.
std::string partner(std::vector<std::string> names) {
  Skeleton skeleton;
  skeleton.name = std::move(names);
  skeleton.parent.assign(skeleton.name.size(), -1);
  const int found = mirrored_joint(skeleton, 0);
  return found < 0 ? "none" : skeleton.name[found];
}

TEST(MirroredJoint, KnownNamingSchemes) {
  const std::pair<std::string, std::string> pairs[] = {
      {"elbow_l", "elbow_r"},
      {"elbow_L", "elbow_R"},
      {"hand.L", "hand.R"},
      {"hand.L.001", "hand.R.001"},
      {"Hand-l", "Hand-r"},
      {"L_Hand", "R_Hand"},
      {"l_hand", "r_hand"},
      {"Bip01 L Thigh", "Bip01 R Thigh"},
      {"finger_01_l", "finger_01_r"},
      {"LeftArm", "RightArm"},
      {"leftUpperArm", "rightUpperArm"},
      {"UPPER_LEFT", "UPPER_RIGHT"},
      {"arm_left_2", "arm_right_2"},
      {"mixamorig:LeftHandThumb1", "mixamorig:RightHandThumb1"},
      {"armLeft", "armRight"},
      {"lefthand", "righthand"},
      {"LThigh", "RThigh"},
      {"shoulderFBXASC046L", "shoulderFBXASC046R"},
      {"b_LeftUpperArm_09", "b_RightUpperArm_06"},
  };
  for (const auto& [left, right] : pairs) {
    EXPECT_EQ(partner({left, "root", right, "other"}), right);
    EXPECT_EQ(partner({right, "root", left, "other"}), left);
  }
}

TEST(MirroredJoint, NamesWithoutASideAreTheirOwn) {
  for (const char* name : {"spine", "", "leftover", "LOD0", "bright", "pelvis.001", "l3", "Rig", "l:hips", "collar"}) {
    EXPECT_EQ(partner({name, "root"}), name);
  }
}

TEST(MirroredJoint, SideWithoutPartnerIsNone) {
  EXPECT_EQ(partner({"elbow_l", "elbow", "hand_r"}), "none");
  EXPECT_EQ(partner({"LeftArm", "RightLeg"}), "none");
  // Two joints that differ only in their serial numbers cannot be told apart.
  EXPECT_EQ(partner({"LeftArm_1", "RightArm_2", "RightArm_3"}), "none");
}

TEST(MirroredJoint, ExactPartnerBeatsTheSerialNumber) {
  EXPECT_EQ(partner({"leg_l_2", "leg_r_1", "leg_r_2", "leg_r_3"}), "leg_r_2");
}

TEST(Skeleton, TwentyThousandNodesAreNotQuadratic) {
  Character character;
  for (int j = 0; j < 20000; ++j) {
    test::add_node(character, "joint_" + std::to_string(j) + "_l", j - 1, {.translation = {0.001f, 0, 0}});
  }
  finish(character);
  const Pose pose = zero_pose(character);
  EXPECT_EQ(pose.local, character.skeleton->rest);
  EXPECT_EQ(mirrored(character, pose).local.size(), 20000u);
  const std::vector<JointMatch> matches = match_joints(named_joints(character), character);
  EXPECT_EQ(matches[19999].joint, 19999);
  EXPECT_EQ(bind_pose(character).local, pose.local);
  EXPECT_EQ(character.skeleton->subtree(0).size(), 20000u);
  WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  EXPECT_NEAR(world[19999][3].x, 20.0f, 0.01f);
}

}  // namespace
}  // namespace pelt::rig
