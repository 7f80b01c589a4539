#include "rig/kinematics.h"

#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::rig {
namespace {

bool same_bits(const glm::mat4& a, const glm::mat4& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

TEST(Kinematics, C4_1_PlanarChain) {
  const double lengths[] = {1, 0.8, 0.5};
  const double angles[] = {30, 45, -60};
  // Joint k carries the hinge, node k + 1 sits at its bone's end.
  std::vector<int> parent;
  std::vector<glm::dmat4> local;
  for (int k = 0; k < 3; ++k) {
    const glm::dmat4 shift = glm::translate(glm::dmat4(1.0), glm::dvec3(k == 0 ? 0.0 : lengths[k - 1], 0, 0));
    parent.push_back(k - 1);
    local.push_back(shift * glm::rotate(glm::dmat4(1.0), glm::radians(angles[k]), glm::dvec3(0, 0, 1)));
  }
  parent.push_back(2);
  local.push_back(glm::translate(glm::dmat4(1.0), glm::dvec3(lengths[2], 0, 0)));
  std::vector<glm::dmat4> world(4);
  local_to_world<double>(parent, local, world);
  const glm::dvec2 ends[] = {{0.866025, 0.5}, {1.073081, 1.272741}, {1.556044, 1.402150}};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(world[k + 1][3].x, ends[k].x, 5e-7);
    EXPECT_NEAR(world[k + 1][3].y, ends[k].y, 5e-7);
  }
}

TEST(Kinematics, C4_2_ShuffledTreeEqualsWalkingUp) {
  constexpr int kCount = 500;
  test::Random random(42);
  std::vector<int> name(kCount);  // a random renaming of a random tree: parents in any order
  std::iota(name.begin(), name.end(), 0);
  for (int i = kCount; i-- > 1;) {
    std::swap(name[i], name[random.below(i + 1)]);
  }
  std::vector<int> parents(kCount, -1);
  std::vector<glm::dmat4> local(kCount);
  for (int i = 0; i < kCount; ++i) {
    const std::size_t node = name[i];
    parents[node] = i < 3 ? -1 : name[random.below(i)];
    local[node] = glm::translate(glm::dmat4(1.0), random.dvector(-1.0, 1.0)) * glm::mat4_cast(random.rotation());
  }
  const auto order = parents_first_order(parents);
  ASSERT_TRUE(order);
  std::vector<int> new_index(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    new_index[(*order)[i]] = static_cast<int>(i);
  }
  std::vector<int> sorted_parents;
  std::vector<glm::dmat4> sorted_local;
  for (const int node : *order) {
    const int above = parents[node];
    sorted_parents.push_back(above < 0 ? -1 : new_index[above]);
    sorted_local.push_back(local[node]);
  }
  std::vector<glm::dmat4> world(kCount);
  local_to_world<double>(sorted_parents, sorted_local, world);
  for (std::size_t node = 0; node < kCount; ++node) {
    glm::dmat4 expected(1.0);
    for (int at = static_cast<int>(node); at >= 0; at = parents[at]) {
      expected = local[at] * expected;
    }
    const glm::dmat4& actual = world[new_index[node]];
    for (int c = 0; c < 4; ++c) {
      EXPECT_LT(glm::length(actual[c] - expected[c]), 1e-12) << "node " << node;
    }
  }
}

TEST(Kinematics, C4_2_ChainOfTenThousandNodes) {
  constexpr int kCount = 10000;
  std::vector<int> parents(kCount);
  for (int i = 0; i < kCount; ++i) {
    parents[i] = i + 1 < kCount ? i + 1 : -1;  // the last node is the root
  }
  ASSERT_TRUE(parents_first_order(parents));
  std::iota(parents.begin(), parents.end(), -1);
  const std::vector<glm::dmat4> local(kCount, glm::translate(glm::dmat4(1.0), glm::dvec3(1, 0, 0)));
  std::vector<glm::dmat4> world(kCount);
  local_to_world<double>(parents, local, world);
  EXPECT_EQ(world.back()[3], glm::dvec4(kCount, 0, 0, 1));
}

TEST(Kinematics, C4_3_ChangeTouchesExactlyTheSubtree) {
  const Character character = test::random_rig({.seed = 43, .joints = 120, .vertices = 3, .scaled = true});
  test::Random random(44);
  Pose pose = test::random_pose(character, random, 1.0);
  WorldMatrices incremental;
  incremental.evaluate(character.skeleton, pose);
  for (int n = 0; n < 40; ++n) {
    const std::vector<glm::mat4> before = incremental.world();
    const int changed = random.below(120);
    pose.local[changed].rotation = glm::quat(random.rotation());
    pose.local[changed].translation += glm::vec3(0.25f, 0, 0);
    incremental.update(character.skeleton, pose, changed);
    EXPECT_EQ(incremental.computed(), character.skeleton->subtree(changed).size());
    WorldMatrices full;
    full.evaluate(character.skeleton, pose);
    EXPECT_EQ(full.computed(), pose.local.size());
    for (int j = 0; j < character.skeleton->size(); ++j) {
      EXPECT_TRUE(same_bits(incremental[j], full[j])) << "joint " << j;
      const bool touched = !same_bits(incremental[j], before[j]);
      EXPECT_EQ(touched, character.skeleton->is_within(j, changed)) << "joint " << j << " below " << changed;
    }
  }
}

TEST(Kinematics, C4_1_EvaluateIsTheProductOfLocalMatrices) {
  for (const int joints : {1, 2, 3, 4, 5, 15, 16, 17, 18, 80}) {
    const Character character = test::random_rig({.seed = 45, .joints = joints, .vertices = 3, .scaled = true});
    test::Random random(46);
    Pose pose = test::random_pose(character, random, 3.0);
    pose.local.back().scale = glm::vec3(-1, 2, -0.5f);
    WorldMatrices world;
    world.evaluate(character.skeleton, pose);
    std::vector<glm::mat4> local(pose.local.size());
    local_matrices(pose, local);
    std::vector<glm::mat4> product(local.size());
    local_to_world<float>(character.skeleton->parent, local, product);
    for (int j = 0; j < character.skeleton->size(); ++j) {
      EXPECT_TRUE(world[j] == product[j]) << "joint " << j << " of " << joints;
    }
  }
}

TEST(Kinematics, ResidualIsAppliedAfterScale) {
  Pose pose;
  pose.local = {{.translation = {1, 2, 3}, .scale = {2, 1, 1}}};
  pose.residual = {glm::mat4(1.0f)};
  pose.residual[0][1][0] = 0.5f;
  const glm::mat4 expected = to_matrix(pose.local[0]) * pose.residual[0];
  EXPECT_TRUE(same_bits(local_matrix(pose, 0), expected));
  std::vector<glm::mat4> all(1);
  local_matrices(pose, all);
  EXPECT_TRUE(same_bits(all[0], expected));
  EXPECT_EQ(all[0][1], glm::vec4(1, 1, 0, 0));
}

}  // namespace
}  // namespace pelt::rig
