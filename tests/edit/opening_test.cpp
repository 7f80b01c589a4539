#include "edit/opening.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

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

/// A post of two metres on joint 0 with wings on joint 1, five metres to both sides, which stands away from the origin
/// and above the ground; clips say where it is from its place, and how it turns and grows.
class Figure {
 public:
  explicit Figure(const glm::vec3& wings = {5, 2, 0}) {
    test::add_node(character_, "hips", -1, {.translation = kPlace});
    test::add_node(character_, "wings", 0, {});
    mesh::Primitive primitive;
    primitive.topology = mesh::Topology::kPoints;
    for (const glm::vec3& p : {glm::vec3(-0.2f, 0, 0), glm::vec3(0.2f, 0, 0), glm::vec3(0, 2, 0), glm::vec3(0, 1, 0.2f),
                               glm::vec3(0, 1, -0.2f), wings, wings * glm::vec3(-1, 1, 1)}) {
      const auto wing = static_cast<std::uint16_t>(primitive.positions.size() >= 5);
      primitive.indices.push_back(static_cast<std::uint32_t>(primitive.positions.size()));
      primitive.positions.push_back(p + kPlace);
      mesh::append_row(primitive.influences.edit(), std::array{wing}, std::array{1.0f});
    }
    test::add_skinned_mesh(character_, "figure", {0, 1}, std::move(primitive));
    rig::finish(character_);
  }
  Figure& clip(const char* name, const Transform& from, const Transform& to, const glm::vec3& wings = glm::vec3(0)) {
    rig::Clip out;
    out.name = name;
    out.end = 1;
    const auto quaternion = [](const glm::quat& q) { return std::vector{q.x, q.y, q.z, q.w}; };
    const auto vector = [](const glm::vec3& v) { return std::vector{v.x, v.y, v.z}; };
    out.channels = {
        channel(rig::ChannelPath::kTranslation, vector(kPlace + from.translation), vector(kPlace + to.translation)),
        channel(rig::ChannelPath::kRotation, quaternion(from.rotation), quaternion(to.rotation)),
        channel(rig::ChannelPath::kScale, vector(from.scale), vector(to.scale)),
        channel(rig::ChannelPath::kTranslation, vector(wings), vector(wings))};
    out.channels.back().joint = 1;
    character_.clips.push_back(std::move(out));
    return *this;
  }
  Figure& still(const char* name, const Transform& at = {}) { return clip(name, at, at); }
  rig::Character& character() { return character_; }

 private:
  static constexpr glm::vec3 kPlace{3, 5, 4};
  rig::Character character_;
};

bool stands_while(const Transform& from, const Transform& to) {
  return stands(Figure().clip("", from, to).character(), 0);
}

const Transform kOnItsHead{{0, 2, 0}, glm::angleAxis(2 * kQuarter, glm::vec3(1, 0, 0)), {1, 1, 1}};
const Transform kLying{{0, 0, 0}, glm::angleAxis(kQuarter, glm::vec3(1, 0, 0)), {1, 1, 1}};

TEST(OpeningFigure, HowMuchOfEverythingIsStillStanding) {
  EXPECT_TRUE(stands_while({}, {}));
  EXPECT_TRUE(stands_while({}, {.scale = {1, 0.85f, 1}})) << "crouching";
  EXPECT_FALSE(stands_while({}, {.scale = {1, 0.75f, 1}})) << "sitting";
  EXPECT_TRUE(stands_while({}, {.scale = {1, 1.45f, 1}})) << "reaching up";
  EXPECT_FALSE(stands_while({}, {.scale = {1, 1.55f, 1}}));
  EXPECT_TRUE(stands_while({}, {.translation = {0, 0.35f, 0}})) << "stepping up";
  EXPECT_FALSE(stands_while({}, {.translation = {0, 0.45f, 0}})) << "flying";
  EXPECT_TRUE(stands_while({}, {.translation = {0, -0.35f, 0}}));
  EXPECT_FALSE(stands_while({}, {.translation = {0, -0.45f, 0}})) << "falling";
  // Ten metres wide; it may begin elsewhere.
  EXPECT_TRUE(stands_while({.translation = {20, 0, -9}}, {.translation = {24.5f, 0, -9}}));
  EXPECT_FALSE(stands_while({.translation = {20, 0, -9}}, {.translation = {25.5f, 0, -9}}));
  EXPECT_TRUE(stands_while({.translation = {20, 0, -9}}, {.translation = {20, 0, -4.5f}}));
  EXPECT_FALSE(stands_while({.translation = {20, 0, -9}}, {.translation = {20, 0, -3.5f}}));
  EXPECT_FALSE(stands_while({}, {.translation = {4, 0, 4}})) << "as the crow flies";
  EXPECT_FALSE(stands_while(kOnItsHead, kOnItsHead));
}

// Wings that hang down are no fall, since the trunk stands.
TEST(OpeningFigure, OnlyTheTrunkStands) {
  Figure figure;
  figure.clip("", {}, {}, {0, -2, 0});
  EXPECT_TRUE(stands(figure.character(), 0));
}

// What has no height of its own neither stands nor lies.
TEST(OpeningFigure, WhatIsFlatStands) {
  rig::Character flat;
  test::add_node(flat, "plate", -1, {.translation = {0, 3, 0}});
  test::add_node(flat, "rim", 0, {.translation = {1, 0, 0}});
  rig::finish(flat);
  flat.clips.push_back(rig::Clip());
  EXPECT_TRUE(stands(flat, 0));
}

TEST(OpeningFigure, RestIsTheRestPoseAndNoClip) {
  Figure figure;
  figure.still("dies", kLying).still("stands");
  EXPECT_FALSE(stands(figure.character(), 0));
  EXPECT_TRUE(stands(figure.character(), 1));
  EXPECT_EQ(opening_clip(figure.character()), 1);
}

TEST(OpeningFigure, TheFirstOfEqualsIsShown) {
  EXPECT_EQ(opening_clip(Figure().still("walk").still("run").character()), 0);
  EXPECT_EQ(opening_clip(Figure().still("idle").still("Idle").character()), 0);
  EXPECT_EQ(opening_clip(Figure().still("stand idle").still("sit idle").character()), 0);
  EXPECT_EQ(opening_clip(Figure().still("head idle", kOnItsHead).still("sit idle").character()), 1);
  EXPECT_EQ(opening_clip(Figure().still("head", kOnItsHead).still("sit").character()), 1);
  EXPECT_EQ(idle_name("walk Idle run"), IdleName::kAmongOthers);
}

// Where the rest pose lies, most clips tell how it stands; none of them is upright beside that.
TEST(OpeningFigure, MostClipsTellHowItStandsWhereItRestsLying) {
  Figure figure({0.25f, 2, 0});
  Transform deep = kLying;  // and below where it rests
  deep.translation.y = -3;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const bool lies = name[0] == 'c' || name[0] == 'e';
    figure.still(name, lies ? deep : Transform());
  }
  rig::Character& character = figure.character();
  character.skeleton.edit().rest[0].rotation = kLying.rotation;
  EXPECT_EQ(opening_clip(character), 0);
  std::vector<Shared<rig::Clip>>& clips = character.clips.edit_items();
  std::swap(clips[0], clips[2]);
  EXPECT_EQ(opening_clip(character), 1) << "lies, stands, stands, stands, lies";
}

// A clip may be highest in its midst; both ends are as at rest.
TEST(OpeningFigure, C47_BoundsHoldTheMidstOfAClip) {
  Figure figure;
  figure.still("jump");
  rig::Channel& channel = figure.character().clips.edit(0).channels[0];
  channel.times = {0, 0.5f, 1};
  channel.values = {3, 5, 4, 3, 8, 4, 3, 5, 4};
  const Bounds bounds = clip_bounds(figure.character(), 0);
  EXPECT_NEAR(bounds.upper.y, 10, 1e-5f);
  EXPECT_NEAR(bounds.lower.y, 5, 1e-5f);
}

TEST(OpeningFigure, BoundsHoldWhatNoSkinMoves) {
  Figure figure;
  figure.still("shift", {.translation = {0, 0, 2}});
  rig::Character& character = figure.character();
  // A mesh on the node itself, and a vertex that no joint moves, which hangs on the mesh's node.
  mesh::Mesh hat;
  hat.primitives.push_back(mesh::Primitive());
  hat.primitives.edit(0).topology = mesh::Topology::kPoints;
  hat.primitives.edit(0).positions = {{0, 3, 0}};
  hat.primitives.edit(0).indices = {0};
  mesh::append_row(hat.primitives.edit(0).influences.edit(), std::array<std::uint16_t, 1>{7}, std::array{1.0f});
  character.meshes.push_back(std::move(hat));
  character.mesh_nodes.push_back({.joint = 0, .mesh = 1, .skin = -1, .morph_weights = {}});
  mesh::Primitive& skinned = character.meshes.edit(0).primitives.edit(0);
  skinned.positions.push_back({0, -7, 0});
  mesh::append_row(skinned.influences.edit(), {}, {});
  rig::finish(character);
  Bounds bounds = clip_bounds(character, 0);
  EXPECT_NEAR(bounds.upper.y, 5 + 3, 1e-5f);
  EXPECT_NEAR(bounds.upper.z, 4 + 2 + 0.2f, 1e-5f);
  EXPECT_NEAR(bounds.lower.y, -7, 1e-5f);
  // Without weights at all the mesh hangs on its node, too.
  character.meshes.edit(0).primitives.edit(0).influences = {};
  bounds = clip_bounds(character, 0);
  EXPECT_NEAR(bounds.lower.y, -7, 1e-5f);
}

TEST(OpeningFigure, BoundsHoldWhatConstraintsMove) {
  Figure figure({5, 0, 0});
  figure.still("turn");
  rig::Character& character = figure.character();
  test::add_node(character, "leader", -1, {});
  rig::finish(character);
  const int leader = character.skeleton->size() - 1;
  character.constraints = {{.kind = rig::ConstraintKind::kRotation, .joint = 1, .source = leader, .weight = 1}};
  const glm::quat turned = glm::angleAxis(kQuarter, glm::vec3(0, 0, 1));
  rig::Channel turns = channel(rig::ChannelPath::kRotation, {turned.x, turned.y, turned.z, turned.w},
                               {turned.x, turned.y, turned.z, turned.w});
  turns.joint = leader;
  character.clips.edit(0).channels.push_back(std::move(turns));
  EXPECT_NEAR(clip_bounds(character, 0).upper.y, 5 + 5, 1e-4f) << "a wing stands up";
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
  EXPECT_NEAR(clip_bounds(bones, 0).lower.y, 0, 1e-6f);
  bones.skeleton.edit().rest[0].translation = {0, 9, 0};
  bones.skeleton.edit().rest[1].translation = {0, -1, 0};
  EXPECT_NEAR(clip_bounds(bones, 0).upper.y, 9, 1e-6f) << "the first joint is one of them";
}

}  // namespace
}  // namespace pelt::edit
