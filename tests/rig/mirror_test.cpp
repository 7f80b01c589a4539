#include <gtest/gtest.h>

#include "rig/character.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

// A body symmetric in x = 0 whose joints are oriented at will, as exporters leave them: world positions are given, rest
// rotations are random, local transforms follow.
class MirrorTest : public testing::Test {
 protected:
  void SetUp() override {
    test::Random random(77);
    add("hips", -1, {0, 1, 0}, random);
    add("chest", 0, {0, 1.4f, 0.02f}, random);
    for (const char* side : {"l", "r"}) {
      const float x = side[0] == 'l' ? 1.0f : -1.0f;
      const int shoulder = add(std::string("shoulder_") + side, 1, {0.2f * x, 1.4f, 0}, random);
      const int elbow = add(std::string("elbow_") + side, shoulder, {0.5f * x, 1.35f, -0.05f}, random);
      add(std::string("hand_") + side, elbow, {0.75f * x, 1.3f, 0.05f}, random);
    }
    finish(character_);
  }

  int add(const std::string& name, int parent, const glm::vec3& position, test::Random& random) {
    const glm::mat4 world = glm::translate(glm::mat4(1.0f), position) * glm::mat4_cast(glm::quat(random.rotation()));
    const glm::mat4 above = parent < 0 ? glm::mat4(1.0f) : rest_world_[static_cast<std::size_t>(parent)];
    const int j = test::add_node(character_, name, parent, decompose(affine_inverse(above) * world).transform);
    rest_world_.push_back(above * to_matrix(character_.skeleton.rest.back()));
    return j;
  }

  std::vector<glm::vec3> positions(const Pose& pose) const {
    WorldMatrices world;
    world.evaluate(character_.skeleton, pose);
    std::vector<glm::vec3> out;
    for (const glm::mat4& matrix : world.world()) {
      out.emplace_back(matrix[3]);
    }
    return out;
  }

  // Every joint stands where its partner's reflection stands.
  void expect_reflected(const Pose& a, const Pose& b) const {
    const std::vector<glm::vec3> before = positions(a);
    const std::vector<glm::vec3> after = positions(b);
    for (int j = 0; j < character_.skeleton.size(); ++j) {
      const auto k = static_cast<std::size_t>(mirrored_joint(character_.skeleton, j));
      EXPECT_LT(glm::length(after[static_cast<std::size_t>(j)] - before[k] * glm::vec3(-1, 1, 1)), 2e-6f)
          << character_.skeleton.label(j);
    }
  }

  static void expect_close(const Pose& a, const Pose& b, double tolerance) {
    for (std::size_t j = 0; j < a.local.size(); ++j) {
      const glm::dquat turn = glm::conjugate(glm::dquat(a.local[j].rotation)) * glm::dquat(b.local[j].rotation);
      EXPECT_LT(glm::length(rotation_vector(turn)), tolerance);
      EXPECT_LT(glm::length(a.local[j].translation - b.local[j].translation), tolerance);
      EXPECT_LT(glm::length(a.local[j].scale - b.local[j].scale), tolerance);
    }
  }

  Character character_;
  std::vector<glm::mat4> rest_world_;
};

TEST_F(MirrorTest, RaisedLeftHandBecomesRaisedRightHand) {
  Pose pose = rest_pose(character_);
  const auto shoulder = static_cast<std::size_t>(character_.skeleton.find("shoulder_l"));
  pose.local[shoulder].rotation =
      pose.local[shoulder].rotation * glm::angleAxis(1.2f, glm::normalize(glm::vec3(1, 2, -1)));
  const Pose other = mirrored(character_, pose);
  expect_reflected(pose, other);
  // The left arm is down again, exactly.
  EXPECT_EQ(other.local[shoulder], character_.skeleton.rest[shoulder]);
}

TEST_F(MirrorTest, WholePoseIsReflected) {
  test::Random random(78);
  for (int n = 0; n < 20; ++n) {
    const Pose pose = test::random_pose(character_, random, 1.5, 0.2f);
    expect_reflected(pose, mirrored(character_, pose));
  }
}

TEST_F(MirrorTest, TwiceIsTheOriginal) {
  test::Random random(79);
  for (int n = 0; n < 20; ++n) {
    const Pose pose = test::random_pose(character_, random, 1.5, 0.2f, 0.5f);
    expect_close(mirrored(character_, mirrored(character_, pose)), pose, 5e-6);
  }
}

TEST_F(MirrorTest, RestStaysRestBitForBit) {
  const Pose rest = rest_pose(character_);
  EXPECT_EQ(mirrored(character_, rest), rest);
}

TEST_F(MirrorTest, MirroredRestScalesAreAllowed) {
  // One side modelled by a negative scale, as mirrored rigs often are.
  character_.skeleton.rest[2].scale = {-1, 1, 1};
  test::Random random(80);
  const Pose pose = test::random_pose(character_, random, 1.0);
  const Pose twice = mirrored(character_, mirrored(character_, pose));
  expect_close(twice, pose, 5e-6);
}

}  // namespace
}  // namespace pelt::rig
