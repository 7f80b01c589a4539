#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rig/character.h"
#include "rig/joint_names.h"
#include "rig/kinematics.h"
#include "rig/mirror.h"
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
    const glm::mat4 above = parent < 0 ? glm::mat4(1.0f) : rest_world_[parent];
    const int j = test::add_node(character_, name, parent, decompose(affine_inverse(above) * world).transform);
    rest_world_.push_back(above * to_matrix(character_.skeleton->rest.back()));
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
    for (int j = 0; j < character_.skeleton->size(); ++j) {
      const std::size_t k = mirrored_joint(character_.skeleton, j);
      EXPECT_LT(glm::length(after[j] - before[k] * glm::vec3(-1, 1, 1)), 2e-6f) << character_.skeleton->label(j);
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
  const std::size_t shoulder = character_.skeleton->find("shoulder_l");
  pose.local[shoulder].rotation =
      pose.local[shoulder].rotation * glm::angleAxis(1.2f, glm::normalize(glm::vec3(1, 2, -1)));
  const Pose other = mirrored(character_, pose);
  expect_reflected(pose, other);
  // The left arm is down again, exactly.
  EXPECT_EQ(other.local[shoulder], character_.skeleton->rest[shoulder]);
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

// Every joint's world axes at rest: its partner's in the mirror, the same on both sides, the mirror's but for the two
// axes across the bone, none at all. The image stands where the reflection stands whichever it is.
TEST(Mirror, EveryConventionOfAxes) {
  const glm::mat3 mirror(-1, 0, 0, 0, 1, 0, 0, 0, 1);
  test::Random random(81);
  for (int convention = 0; convention < 4; ++convention) {
    Character character;
    std::vector<glm::mat4> world;
    const auto add = [&](const char* name, int parent, const glm::vec3& at, const glm::mat3& axes) {
      const glm::mat4 placed = glm::translate(glm::mat4(1.0f), at) * glm::mat4(axes);
      const glm::mat4 above = parent < 0 ? glm::mat4(1.0f) : world[parent];
      test::add_node(character, name, parent, decompose(affine_inverse(above) * placed).transform);
      world.push_back(above * to_matrix(character.skeleton->rest.back()));
      return character.skeleton->size() - 1;
    };
    add("hips", -1, {0, 1, 0}, glm::mat3(1.0f));
    for (const bool left : {true, false}) {
      test::Random axes(82);  // the same for both sides
      int parent = 0;
      for (int n = 1; n <= 3; ++n) {
        glm::mat3 own = glm::mat3_cast(glm::quat(axes.rotation()));
        if (convention == 3) {
          own = glm::mat3(1.0f);
        } else if (!left && convention == 0) {
          own = mirror * own * mirror;  // turned as the mirror turns
        } else if (!left && convention == 1) {
          own = -(mirror * own);  // all three axes of the reflection, turned around
        }
        const float x = left ? 0.25f : -0.25f;
        const std::string name = fmt::format("arm_{}_{}", n, left ? "l" : "r");
        parent = add(name.c_str(), parent, {x * static_cast<float>(n), 1.4f, 0.02f * static_cast<float>(n)}, own);
      }
    }
    finish(character);
    const Mirror sides(character);
    EXPECT_EQ(sides.side(character.skeleton->find("arm_2_l")), Side::kLeft);
    EXPECT_EQ(sides.side(character.skeleton->find("hips")), Side::kNone);
    for (int n = 0; n < 10; ++n) {
      const Pose pose = test::random_pose(character, random, 2.0, 0.1f);
      WorldMatrices before;
      WorldMatrices after;
      before.evaluate(character.skeleton, pose);
      after.evaluate(character.skeleton, mirrored(character, pose));
      for (int j = 0; j < character.skeleton->size(); ++j) {
        const glm::vec3 wanted = mirror * glm::vec3(before[sides.partner(j)][3]);
        EXPECT_LT(glm::distance(glm::vec3(after[j][3]), wanted), 2e-6f)
            << "convention " << convention << ", joint " << j;
      }
    }
  }
}

// A body that looks along +X has its left at -Z.
TEST(Mirror, ThePlaneLiesWhereThePartnersDo) {
  Character character;
  test::add_node(character, "hips", -1, {});
  test::add_node(character, "arm_l", 0, {.translation = {0, 1, -0.5f}});
  test::add_node(character, "arm_r", 0, {.translation = {0, 1, 0.5f}});
  finish(character);
  Transform raised = character.skeleton->rest[1];
  raised.translation += glm::vec3(0.1f, 0.2f, 0.3f);
  const glm::vec3 image = Mirror(character).image(2, raised).translation;
  EXPECT_LT(glm::distance(image, glm::vec3(0.1f, 1.2f, 0.2f)), 1e-6f);
}

// A character that lies on its side.
TEST(Mirror, ThePlaneMayLieAcrossTheHeight) {
  Character character;
  test::add_node(character, "arm_l", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "arm_r", -1, {.translation = {0, -1, 0}});
  finish(character);
  EXPECT_LT(glm::distance(Mirror(character).image(1, {.translation = {0.1f, 1.5f, 0.3f}}).translation,
                          glm::vec3(0.1f, -1.5f, 0.3f)),
            1e-6f);
}

TEST(Mirror, ANameTellsTheSideBeforeThePlaceDoes) {
  Character character;
  test::add_node(character, "arm_l", -1, {.translation = {-1, 0, 0}});  // it looks the other way
  test::add_node(character, "arm_r", -1, {.translation = {1, 0, 0}});
  test::add_node(character, "leftfin", -1, {.translation = {1, 0, 0}});  // no word that says "left" for sure
  test::add_node(character, "rightfin", -1, {.translation = {-1, 0, 0}});
  finish(character);
  const Mirror mirror(character);
  EXPECT_EQ(mirror.side(0), Side::kLeft);
  EXPECT_EQ(mirror.side(1), Side::kRight);
  EXPECT_EQ(mirror.partner(2), 3);
  EXPECT_EQ(mirror.side(2), Side::kLeft);
  EXPECT_EQ(mirror.side(3), Side::kRight);
}

// A scale along the bone stays along the bone where the partner's axes are others.
TEST(Mirror, ScalesFollowTheAxes) {
  Character character;
  test::add_node(character, "arm_l", -1, {.translation = {1, 0, 0}});
  test::add_node(character, "arm_r", -1,
                 {.translation = {-1, 0, 0}, .rotation = glm::angleAxis(1.5707963f, glm::vec3(0, 0, 1))});
  finish(character);
  Transform longer = character.skeleton->rest[0];
  longer.scale = {2, 1, 3};
  EXPECT_LT(glm::distance(Mirror(character).image(1, longer).scale, glm::vec3(1, 2, 3)), 1e-6f);
  // Each axis lies along the next one of the partner; what grows by half grows by half.
  character.skeleton.edit().rest[1].rotation = glm::angleAxis(2.0943951f, glm::normalize(glm::vec3(1)));
  character.skeleton.edit().rest[1].scale = glm::vec3(10);
  character.skeleton.edit().rest[0].scale = glm::vec3(2);
  longer.scale = {3, 4, 5};
  EXPECT_LT(glm::distance(Mirror(character).image(1, longer).scale, glm::vec3(20, 25, 15)), 1e-5f);
}

// Where only one axis lies along one of the partner's, each axis follows the one of its own name.
TEST(Mirror, ScalesOfCrookedAxesKeepTheirNames) {
  const float half = std::sqrt(0.5f);
  Character character;
  test::add_node(character, "arm_l", -1, {.translation = {1, 0, 0}});
  test::add_node(
      character, "arm_r", -1,
      {.translation = {-1, 0, 0}, .rotation = glm::quat_cast(glm::mat3(0, 1, 0, -half, 0, half, half, 0, half))});
  finish(character);
  Transform longer = character.skeleton->rest[1];
  longer.scale = {2, 3, 4};
  EXPECT_LT(glm::distance(Mirror(character).image(0, longer).scale, glm::vec3(2, 3, 4)), 1e-6f);
  // What was flat at rest tells no factor.
  character.skeleton.edit().rest[1].scale.y = 0;
  EXPECT_LT(glm::distance(Mirror(character).image(0, longer).scale, glm::vec3(2, 1, 4)), 1e-6f);
}

// Of two axes along which partners lie apart alike the first one counts; nearly alike is alike. Sizes do not matter.
TEST(Mirror, ThePlaneIsThatOfTheAxisAcrossUnlessAnotherIsClearlyLonger) {
  const auto image_of_a_shift = [](const glm::vec3& place) {
    Character character;
    test::add_node(character, "arm_l", -1, {.translation = place});
    test::add_node(character, "arm_r", -1, {.translation = -place});
    finish(character);
    Transform moved{.translation = place};
    moved.translation += glm::vec3(1, 2, 4);
    return Mirror(character).image(1, moved).translation + place;
  };
  for (const float size : {0.001f, 1.0f, 1000.0f}) {
    const float near = 1e-6f + 5e-7f * size;
    EXPECT_LT(glm::distance(image_of_a_shift(size * glm::vec3(1, 1.005f, 0)), glm::vec3(-1, 2, 4)), near) << size;
    EXPECT_LT(glm::distance(image_of_a_shift(size * glm::vec3(1, 0, 1.005f)), glm::vec3(-1, 2, 4)), near) << size;
    EXPECT_LT(glm::distance(image_of_a_shift(size * glm::vec3(1, 1.1f, 0)), glm::vec3(1, -2, 4)), near) << size;
    EXPECT_LT(glm::distance(image_of_a_shift(size * glm::vec3(1, 0, 1.1f)), glm::vec3(1, 2, -4)), near) << size;
  }
}

TEST(Mirror, WhatHasNoPartnerOrLiesInThePlaneHasNoSide) {
  Character character;
  test::add_node(character, "arm_l", -1, {.translation = {1, 0, 0}});
  test::add_node(character, "arm_r", -1, {.translation = {-1, 0, 0}});
  test::add_node(character, "tail_l", -1, {.translation = {0.5f, 0, 0}});
  test::add_node(character, "leftfin", -1, {.translation = {0, 1, 0}});
  test::add_node(character, "rightfin", -1, {.translation = {0, 1, 0.5f}});
  finish(character);
  const Mirror mirror(character);
  ASSERT_EQ(mirror.partner(2), -1);
  EXPECT_EQ(mirror.side(2), Side::kNone);
  ASSERT_EQ(mirror.partner(3), 4);
  EXPECT_EQ(mirror.side(3), Side::kNone);
  EXPECT_EQ(mirror.side(4), Side::kNone);
}

TEST_F(MirrorTest, MirroredRestScalesAreAllowed) {
  // One side modelled by a negative scale, as mirrored rigs often are.
  character_.skeleton.edit().rest[2].scale = {-1, 1, 1};
  test::Random random(80);
  const Pose pose = test::random_pose(character_, random, 1.0);
  const Pose twice = mirrored(character_, mirrored(character_, pose));
  expect_close(twice, pose, 5e-6);
}

// The right arm is the left one under a negative scale, so that all local transforms below are the same.
TEST(Mirror, ALimbBelowANegativeScaleIsReflectedToo) {
  test::Random random(83);
  Character character;
  test::add_node(character, "chest", -1, {.translation = {0, 1, 0}});
  const glm::mat3 axes = glm::mat3_cast(glm::quat(random.rotation()));
  const glm::mat3 mirror(-1, 0, 0, 0, 1, 0, 0, 0, 1);
  const Transform elbow{.translation = {0.1f, 0.3f, 0}, .rotation = glm::quat(random.rotation())};
  const Transform hand{.translation = {0, 0.2f, 0.1f}};
  test::add_node(character, "shoulder_l", 0, {.translation = {0.2f, 0, 0}, .rotation = glm::quat_cast(axes)});
  test::add_node(character, "elbow_l", 1, elbow);
  test::add_node(character, "hand_l", 2, hand);
  test::add_node(
      character, "shoulder_r", 0,
      {.translation = {-0.2f, 0, 0}, .rotation = glm::quat_cast(mirror * axes * mirror), .scale = {-1, 1, 1}});
  test::add_node(character, "elbow_r", 4, elbow);
  test::add_node(character, "hand_r", 5, hand);
  finish(character);
  for (int n = 0; n < 10; ++n) {
    Pose pose = rest_pose(character);
    for (Transform& local : pose.local) {
      local.rotation = local.rotation * glm::quat(random.rotation());
    }
    WorldMatrices before;
    WorldMatrices after;
    before.evaluate(character.skeleton, pose);
    after.evaluate(character.skeleton, mirrored(character, pose));
    for (int j = 0; j < character.skeleton->size(); ++j) {
      const int k = Mirror(character).partner(j);
      EXPECT_LT(glm::distance(glm::vec3(after[j][3]), mirror * glm::vec3(before[k][3])), 2e-6f) << j;
    }
  }
}

}  // namespace
}  // namespace pelt::rig
