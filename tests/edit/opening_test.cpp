#include "edit/opening.h"

#include <numbers>

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace pelt::edit {
namespace {

constexpr float kQuarter = std::numbers::pi_v<float> / 2;

rig::Channel channel(rig::ChannelPath path, std::vector<float> from, const std::vector<float>& to) {
  rig::Channel out;
  out.joint = 0;
  out.path = path;
  out.times = {0, 1};
  out.width = static_cast<int>(from.size());
  out.values = std::move(from);
  out.values.insert(out.values.end(), to.begin(), to.end());
  return out;
}

// A post of two metres on one joint at its foot, which clips turn and move.
class Opening : public testing::Test {
 protected:
  void SetUp() override {
    test::add_node(character_, "hips", -1, {});
    mesh::Primitive primitive;
    primitive.topology = mesh::Topology::kPoints;
    primitive.positions = {{-0.2f, 0, 0}, {0.2f, 0, 0}, {0, 2, 0}, {0, 1, 0.2f}};
    primitive.indices = {0, 1, 2, 3};
    for (int v = 0; v < 4; ++v) {
      const std::uint16_t joints[] = {0};
      const float weights[] = {1.0f};
      mesh::append_row(primitive.influences.edit(), joints, weights);
    }
    test::add_skinned_mesh(character_, "post", {0}, std::move(primitive));
    rig::finish(character_);
  }
  void clip(const char* name, rig::Channel moves) {
    rig::Clip out;
    out.name = name;
    out.end = 1;
    out.channels.push_back(std::move(moves));
    character_.clips.push_back(std::move(out));
  }
  static rig::Channel falls() {
    return channel(rig::ChannelPath::kRotation, {0, 0, 0, 1}, {std::sin(kQuarter / 2), 0, 0, std::cos(kQuarter / 2)});
  }
  static rig::Channel moves(const glm::vec3& to) {
    return channel(rig::ChannelPath::kTranslation, {0, 0, 0}, {to.x, to.y, to.z});
  }

  rig::Character character_;
};

TEST_F(Opening, NamesThatPromiseRest) {
  for (const char* name : {"idle", "Idle", "IDLE", "Idle_01", "idle.001", "Armature|idle", "mixamo.com:Idle2"}) {
    EXPECT_EQ(idle_name(name), IdleName::kAlone) << name;
  }
  for (const char* name : {"breathing idle", "2H_Melee_Idle", "idle_root.001", "IdleLoop", "Idle to Walk"}) {
    EXPECT_EQ(idle_name(name), IdleName::kAmongOthers) << name;
  }
  for (const char* name : {"", "walk", "idling", "sidle", "Idler", "idle|walk"}) {
    EXPECT_EQ(idle_name(name), IdleName::kNo) << name;
  }
}

TEST_F(Opening, StandingIsMeasured) {
  clip("dies", falls());
  clip("leaps", moves({0, 1, 0}));
  clip("runs away", moves({3, 0, 0}));
  clip("steps", moves({0.5f, 0.1f, 0}));
  EXPECT_FALSE(stands(character_, 0));
  EXPECT_FALSE(stands(character_, 1));
  EXPECT_FALSE(stands(character_, 2));
  EXPECT_TRUE(stands(character_, 3));
  EXPECT_EQ(opening_clip(character_), 3);
}

// Upside down it is as tall, and its feet are where they were.
TEST_F(Opening, OnesHeadIsNoFeet) {
  rig::Clip turned;
  turned.name = "handstand";
  turned.end = 1;
  turned.channels.push_back(channel(rig::ChannelPath::kRotation, {1, 0, 0, 0}, {1, 0, 0, 0}));
  turned.channels.push_back(moves({0, 2, 0}));
  turned.channels.back().values = {0, 2, 0, 0, 2, 0};
  character_.clips.push_back(turned);
  EXPECT_FALSE(stands(character_, 0));
}

TEST_F(Opening, AnIdleClipComesFirst) {
  clip("walk", moves({0, 0, 0}));
  clip("lie idle", falls());
  clip("sit idle", moves({0, 0.1f, 0}));
  EXPECT_EQ(opening_clip(character_), 2) << "of those among other words the one that stands";
  clip("Idle", falls());
  EXPECT_EQ(opening_clip(character_), 3) << "by that name alone whatever it does";
}

TEST_F(Opening, WithoutAClipThatStandsTheRestPoseIsShown) {
  EXPECT_EQ(opening_clip(character_), -1);
  clip("dies", falls());
  EXPECT_EQ(opening_clip(character_), -1);
}

// A character may rest lying, as some exporters leave it, while all its clips stand.
TEST_F(Opening, ARestPoseThatLiesDoesNotDecide) {
  character_.skeleton.edit().rest[0].rotation = glm::angleAxis(kQuarter, glm::vec3(1, 0, 0));
  for (const char* name : {"dies", "walk", "run"}) {
    const bool dies = name[0] == 'd';
    clip(name, channel(rig::ChannelPath::kRotation, {0, 0, 0, 1},
                       dies ? std::vector<float>{std::sin(kQuarter / 2), 0, 0, std::cos(kQuarter / 2)}
                            : std::vector<float>{0, 0, 0, 1}));
  }
  EXPECT_EQ(opening_clip(character_), 1);
}

// Without a surface nothing is measured: names decide, then the order.
TEST_F(Opening, OfASkeletonAloneNamesDecide) {
  character_.mesh_nodes.clear();
  character_.meshes.clear();
  rig::finish(character_);
  clip("walk", moves({1, 0, 0}));
  EXPECT_EQ(opening_clip(character_), 0);
  clip("sword idle", moves({1, 0, 0}));
  EXPECT_EQ(opening_clip(character_), 1);
}

TEST_F(Opening, BoundsOfAClipHoldAllItsMoments) {
  clip("falls", falls());
  const Bounds bounds = clip_bounds(character_, 0);
  EXPECT_NEAR(bounds.upper.y, 2, 1e-5f);
  EXPECT_NEAR(bounds.upper.z, 2, 1e-5f);
  EXPECT_NEAR(bounds.lower.x, -0.2f, 1e-5f);
}

TEST_F(Opening, ASkeletonAloneStandsByItsJoints) {
  rig::Character bones;
  test::add_node(bones, "hips", -1, {.translation = {0, 1, 0}});
  test::add_node(bones, "head", 0, {.translation = {0, 1, 0}});
  test::add_node(bones, "foot", 0, {.translation = {0, -1, 0}});
  rig::finish(bones);
  rig::Clip walk;
  walk.end = 1;
  bones.clips = {walk};
  EXPECT_EQ(opening_clip(bones), 0);
  EXPECT_NEAR(clip_bounds(bones, 0).upper.y, 2, 1e-6f);
}

}  // namespace
}  // namespace pelt::edit
