#include "rig/key_folding.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rig/clip_error.h"
#include "rig/kinematics.h"
#include "support/fixtures.h"

namespace pelt::rig {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr KeyTolerance kTenthOfAMillimetre = {.distance = 1e-4, .angle = 0.1 * std::numbers::pi / 180};

/// The cylinder of ALGORITHMS.md §0 with one clip of one channel on its tip.
Character with_channel(Channel channel) {
  Character character = test::cylinder();
  channel.joint = 1;
  character.clips.clear();
  Clip& clip = character.clips.emplace_back();
  clip.start = channel.times.front();
  clip.end = channel.times.back();
  clip.channels.push_back(std::move(channel));
  return character;
}

std::vector<float> times_of(const Character& character) {
  return character.clips[0].channels.at(0).times;
}

Channel rotation_about_z(std::vector<float> times, std::vector<double> degrees, Interpolation interpolation) {
  Channel channel{.path = ChannelPath::kRotation,
                  .interpolation = interpolation,
                  .times = std::move(times),
                  .values = {},
                  .width = 4};
  for (const double angle : degrees) {
    const double half = angle * std::numbers::pi / 360;
    channel.values.insert(channel.values.end(),
                          {0, 0, static_cast<float>(std::sin(half)), static_cast<float>(std::cos(half))});
  }
  return channel;
}

Channel slide(std::vector<float> times, std::vector<float> heights, Interpolation interpolation) {
  Channel channel{
      .path = ChannelPath::kTranslation, .interpolation = interpolation, .times = std::move(times), .values = {}};
  for (const float height : heights) {
    channel.values.insert(channel.values.end(), {0, height, 0});
  }
  return channel;
}

TEST(KeyFolding, AConstantTrackKeepsItsFirstAndLastKey) {
  for (const Interpolation interpolation : {Interpolation::kStep, Interpolation::kLinear}) {
    const Character character = with_channel(slide({0, 1, 2, 3, 4.5f}, {1, 1, 1, 1, 1}, interpolation));
    const Character folded = with_folded_keys(character, kTenthOfAMillimetre);
    EXPECT_THAT(times_of(folded), ElementsAre(0.0f, 4.5f));
    EXPECT_EQ(folded.clips[0].duration(), character.clips[0].duration());
  }
}

TEST(KeyFolding, ALineKeepsItsEndsAndCorners) {
  const Character character = with_channel(slide({0, 1, 2, 3, 4}, {1, 1.25f, 1.5f, 1.25f, 1}, Interpolation::kLinear));
  EXPECT_THAT(times_of(with_folded_keys(character, kTenthOfAMillimetre)), ElementsAre(0.0f, 2.0f, 4.0f));
}

TEST(KeyFolding, AStepKeepsTheKeysThatSaySomethingNew) {
  const Character character = with_channel(slide({0, 1, 2, 3, 4}, {1, 1.25f, 1.25f, 1.5f, 1.5f}, Interpolation::kStep));
  EXPECT_THAT(times_of(with_folded_keys(character, kTenthOfAMillimetre)), ElementsAre(0.0f, 1.0f, 3.0f, 4.0f));
}

// A step that creeps by less than the tolerance must not drift away: each key is held against the last one kept.
TEST(KeyFolding, SmallStepsAddUp) {
  std::vector<float> times, heights;
  for (int k = 0; k < 100; ++k) {
    times.push_back(static_cast<float>(k));
    heights.push_back(1 + 0.3e-4f * static_cast<float>(k));
  }
  const Character character = with_channel(slide(times, heights, Interpolation::kStep));
  const Character folded = with_folded_keys(character, kTenthOfAMillimetre);
  EXPECT_LT(times_of(folded).size(), 60u);
  EXPECT_LE(clip_error(character, folded).distance, kTenthOfAMillimetre.distance);
}

TEST(KeyFolding, AnEvenTurnIsAnArc) {
  const Character even = with_channel(rotation_about_z({0, 1, 2, 3, 4}, {0, 30, 60, 90, 120}, Interpolation::kLinear));
  EXPECT_THAT(times_of(with_folded_keys(even, kTenthOfAMillimetre)), ElementsAre(0.0f, 4.0f));
  // Beyond half a turn the short way is the other one.
  const Character round =
      with_channel(rotation_about_z({0, 1, 2, 3, 4}, {0, 80, 160, 240, 320}, Interpolation::kLinear));
  EXPECT_THAT(times_of(with_folded_keys(round, kTenthOfAMillimetre)), ElementsAre(0.0f, 2.0f, 4.0f));
}

TEST(KeyFolding, NegatedRotationsAreTheSame) {
  Channel channel = rotation_about_z({0, 1, 2}, {40, 40, 40}, Interpolation::kStep);
  for (std::size_t i = 4; i < 8; ++i) {
    channel.values[i] = -channel.values[i];
  }
  EXPECT_THAT(times_of(with_folded_keys(with_channel(channel), kTenthOfAMillimetre)), ElementsAre(0.0f, 2.0f));
}

// Of x = t^3 every key between the ends can go: in-tangent, value, out-tangent are 3t^2, t^3, 3t^2.
TEST(KeyFolding, ACubicKeepsWhatItsTangentsGiveBack) {
  Channel channel{
      .path = ChannelPath::kTranslation, .interpolation = Interpolation::kCubicSpline, .times = {}, .values = {}};
  for (int k = 0; k <= 8; ++k) {
    const float t = static_cast<float>(k) / 8;
    channel.times.push_back(t);
    channel.values.insert(channel.values.end(), {0, 3 * t * t, 0, 0, t * t * t, 0, 0, 3 * t * t, 0});
  }
  EXPECT_THAT(times_of(with_folded_keys(with_channel(channel), kTenthOfAMillimetre)), ElementsAre(0.0f, 1.0f));
  // A key whose tangents differ is a corner.
  channel.values[9 * 4 + 7] += 1;
  EXPECT_THAT(times_of(with_folded_keys(with_channel(channel), kTenthOfAMillimetre)), testing::Contains(0.5f));
}

TEST(KeyFolding, PropertiesLoseOnlyWhatChangesNothing) {
  Character character = with_channel(slide({0, 4}, {1, 1.5f}, Interpolation::kLinear));
  Channel keys{.path = ChannelPath::kWeights,
               .interpolation = Interpolation::kLinear,
               .times = {0, 1, 2, 3, 4},
               .values = {0, 0.5f, 1, 1.0002f, 1},
               .width = 1};
  character.clips.edit(0).properties.push_back(
      {PropertyOwner::kMaterial, 0, "pbrMetallicRoughness/metallicFactor", keys});
  const Character folded = with_folded_keys(character, kTenthOfAMillimetre);
  EXPECT_THAT(folded.clips[0].properties.at(0).keys.times, ElementsAre(0.0f, 2.0f, 3.0f, 4.0f));
}

TEST(KeyFolding, RestingChannelsGoWhereTheClipKeepsItsEnds) {
  Character character = with_channel(slide({0, 4}, {1, 1.5f}, Interpolation::kLinear));
  const glm::vec3 rest = character.skeleton->rest[0].translation;
  Channel still{.joint = 0, .path = ChannelPath::kTranslation, .times = {0, 2, 4}, .values = {}};
  for (int k = 0; k < 3; ++k) {
    still.values.insert(still.values.end(), {rest.x, rest.y, rest.z});
  }
  character.clips.edit(0).channels.push_back(still);
  EXPECT_THAT(with_folded_keys(character, kTenthOfAMillimetre).clips[0].channels, SizeIs(2));
  const Character dropped = with_folded_keys(character, kTenthOfAMillimetre, true);
  ASSERT_THAT(dropped.clips[0].channels, SizeIs(1));
  EXPECT_EQ(dropped.clips[0].channels[0].joint, 1);
  // Alone, or longer than the others, it stays.
  character.clips.edit(0).channels.erase(character.clips[0].channels.begin());
  EXPECT_THAT(with_folded_keys(character, kTenthOfAMillimetre, true).clips[0].channels, SizeIs(1));
}

// The resting channel is longer than the one that moves, at both ends.
TEST(KeyFolding, ARestingChannelThatAClipBeginsAndEndsWithStays) {
  Character character = with_channel(slide({1, 3}, {1, 1.5f}, Interpolation::kLinear));
  const glm::vec3 rest = character.skeleton->rest[0].translation;
  for (const auto& [begin, end] : {std::pair(0.0f, 2.0f), std::pair(2.0f, 4.0f)}) {
    Channel still{.joint = 0, .path = ChannelPath::kTranslation, .times = {begin, end}, .values = {}};
    still.values = {rest.x, rest.y, rest.z, rest.x, rest.y, rest.z};
    character.clips.edit(0).channels = {character.clips[0].channels[0], still};
    character.clips.edit(0).start = std::min(begin, 1.0f);
    character.clips.edit(0).end = std::max(end, 3.0f);
    EXPECT_THAT(with_folded_keys(character, kTenthOfAMillimetre, true).clips[0].channels, SizeIs(2)) << begin;
  }
}

TEST(KeyFolding, RestingMorphWeightsStay) {
  Character character = test::random_rig({.seed = 4, .joints = 3, .vertices = 20, .morph_targets = 2});
  const Channel still{.joint = character.mesh_nodes[0].joint,
                      .path = ChannelPath::kWeights,
                      .times = {0, 1},
                      .values = {0, 0, 0, 0},
                      .width = 2};
  Channel slides = slide({0, 1}, {0, 1}, Interpolation::kLinear);
  slides.joint = 0;
  character.clips = {Clip{.name = "", .channels = {slides, still}, .properties = {}, .start = 0, .end = 1}};
  EXPECT_THAT(with_folded_keys(character, kTenthOfAMillimetre, true).clips[0].channels, SizeIs(2));
}

TEST(KeyFolding, AChannelKeepsWhatItMovesAndWhereItCameFrom) {
  Character character = test::random_rig({.seed = 4, .joints = 3, .vertices = 20, .morph_targets = 2});
  const Channel one{.joint = character.mesh_nodes[0].joint,
                    .path = ChannelPath::kWeights,
                    .times = {0, 1, 2},
                    .values = {1, 1, 1},
                    .width = 1,
                    .morph_target = 1,
                    .source = 3,
                    .source_sampler = 7};
  character.clips = {Clip{.name = "", .channels = {one}, .properties = {}, .start = 0, .end = 2}};
  const Channel folded = with_folded_keys(character, kTenthOfAMillimetre).clips[0].channels.at(0);
  EXPECT_THAT(folded.times, ElementsAre(0.0f, 2.0f));
  EXPECT_EQ(folded.morph_target, 1);
  EXPECT_EQ(folded.source, 3);
  EXPECT_EQ(folded.source_sampler, 7);
}

// Below a parent that makes centimetres of metres, a twentieth of a unit is half a millimetre.
TEST(KeyFolding, LengthsCountInTheWorld) {
  Channel channel = slide({0, 1, 2, 3}, {1, 1.005f, 1, 1.005f}, Interpolation::kLinear);
  Character character = with_channel(channel);
  EXPECT_THAT(times_of(with_folded_keys(character, kTenthOfAMillimetre)), SizeIs(4));
  character.skeleton.edit().rest[0].scale = glm::vec3(0.01f);
  EXPECT_THAT(times_of(with_folded_keys(character, kTenthOfAMillimetre)), SizeIs(2));
}

// Nothing is carried anywhere, so only angles count; those of a chain add up.
TEST(KeyFolding, AnglesOfAChainAddUp) {
  Character character;
  Clip clip;
  clip.end = 20;
  for (int j = 0; j < 8; ++j) {
    test::add_node(character, fmt::format("joint_{}", j), j - 1, {});
    std::vector<float> times;
    std::vector<double> degrees;
    for (int k = 0; k <= 20; ++k) {
      times.push_back(static_cast<float>(k));
      degrees.push_back(k % 2 == 0 ? 0 : 0.09);
    }
    clip.channels.push_back(rotation_about_z(times, degrees, Interpolation::kLinear));
    clip.channels.back().joint = j;
  }
  character.clips = {clip};
  finish(character);
  const Character folded = with_folded_keys(character, kTenthOfAMillimetre);
  EXPECT_LE(clip_error(character, folded).angle, kTenthOfAMillimetre.angle);
}

TEST(KeyFolding, CubicScalesCountByTheirValues) {
  Channel channel{.path = ChannelPath::kScale, .interpolation = Interpolation::kCubicSpline, .times = {}, .values = {}};
  for (int k = 0; k <= 4; ++k) {
    channel.times.push_back(static_cast<float>(k));
    const float s = k == 2 ? 1.00001f : 1.0f;
    channel.values.insert(channel.values.end(), {0, 0, 0, s, s, s, 0, 0, 0});
  }
  EXPECT_THAT(times_of(with_folded_keys(with_channel(channel), kTenthOfAMillimetre)), ElementsAre(0.0f, 4.0f));
}

// The vertex is small by itself; at the end its morph target has taken it ten metres away.
TEST(ClipError, WhatMorphsCarryFarMovesFar) {
  Character character;
  test::add_node(character, "body", -1, {});
  mesh::Primitive primitive;
  primitive.topology = mesh::Topology::kPoints;
  primitive.positions = {{0.001f, 0, 0}};
  primitive.indices = {0};
  primitive.morph_targets.push_back({"far", {{10, 0, 0}}, {}, {}});
  character.meshes.push_back(
      {.name = "", .primitives = {std::move(primitive)}, .morph_names = {}, .morph_weights = {}});
  character.mesh_nodes.push_back({.joint = 0, .mesh = 0, .skin = -1, .morph_weights = {}});
  finish(character);
  Clip clip;
  clip.end = 1;
  clip.channels.push_back(rotation_about_z({0, 1}, {0, 0}, Interpolation::kLinear));
  clip.channels.back().joint = 0;
  clip.channels.push_back({.joint = 0, .path = ChannelPath::kWeights, .times = {0, 1}, .values = {0, 1}, .width = 1});
  character.clips = {clip};
  Character turned = character;
  turned.clips.edit(0).channels[0].values = rotation_about_z({0, 1}, {1, 1}, Interpolation::kLinear).values;
  const ClipError error = clip_error(character, turned);
  EXPECT_NEAR(error.distance, 10.001 * 2 * std::sin(0.5 * std::numbers::pi / 180), 1e-4);
  EXPECT_EQ(error.time, 1);
  EXPECT_EQ(error.clip, 0);
}

TEST(ClipError, WhatAConstraintTurnsCounts) {
  Character character;
  test::add_node(character, "source", -1, {});
  test::add_node(character, "follower", -1, {});
  test::add_node(character, "tip", 1, {.translation = {1, 0, 0}});
  character.constraints.push_back({.kind = ConstraintKind::kRotation, .joint = 1, .source = 0});
  finish(character);
  Clip clip;
  clip.end = 1;
  clip.channels.push_back(rotation_about_z({0, 1}, {0, 0}, Interpolation::kLinear));
  clip.channels.back().joint = 0;
  character.clips = {clip};
  Character turned = character;
  turned.clips.edit(0).channels[0].values = rotation_about_z({0, 1}, {0, 60}, Interpolation::kLinear).values;
  EXPECT_NEAR(clip_error(character, turned).distance, 1.0, 1e-5);
}

/// Wriggling joints under keys of every interpolation, dense enough that some can go.
Character wriggling(int seed, Interpolation interpolation) {
  Character character =
      test::random_rig({.seed = static_cast<std::uint32_t>(seed), .joints = 12, .vertices = 60, .morph_targets = 2});
  Clip clip;
  clip.end = 4;
  for (int j = 0; j < character.skeleton->size(); ++j) {
    for (const ChannelPath path : {ChannelPath::kTranslation, ChannelPath::kRotation, ChannelPath::kScale}) {
      const Transform& rest = character.skeleton->rest[j];
      Channel channel{.joint = j,
                      .path = path,
                      .interpolation = interpolation,
                      .times = {},
                      .values = {},
                      .width = path == ChannelPath::kRotation ? 4 : 3};
      const double speed = 0.3 + 0.2 * ((j + static_cast<int>(path) + seed) % 5);
      for (int k = 0; k <= 60; ++k) {
        const double t = k / 15.0;
        channel.times.push_back(static_cast<float>(t));
        const auto value_at = [&](double time) {
          const double swing = std::sin(speed * time + j);
          std::vector<double> out;
          if (path == ChannelPath::kRotation) {
            const glm::dquat q =
                glm::normalize(glm::dquat(rest.rotation) * glm::dquat(1.0, 0.3 * swing, 0.2 * swing * swing, 0.1));
            out = {q.x, q.y, q.z, q.w};
          } else {
            const glm::dvec3 v = path == ChannelPath::kScale
                                     ? glm::dvec3(rest.scale) * (1 + 0.1 * swing)
                                     : glm::dvec3(rest.translation) + glm::dvec3(0.02 * swing, 0.01, 0);
            out = {v.x, v.y, v.z};
          }
          return out;
        };
        const std::vector<double> value = value_at(t);
        const auto tangent = [&] {
          const std::vector<double> after = value_at(t + 1e-4), before = value_at(t - 1e-4);
          for (std::size_t i = 0; i < value.size(); ++i) {
            channel.values.push_back(static_cast<float>((after[i] - before[i]) / 2e-4));
          }
        };
        if (interpolation == Interpolation::kCubicSpline) {
          tangent();
        }
        for (const double v : value) {
          channel.values.push_back(static_cast<float>(v));
        }
        if (interpolation == Interpolation::kCubicSpline) {
          tangent();
        }
      }
      clip.channels.push_back(std::move(channel));
    }
  }
  character.clips = {clip};
  return character;
}

/// The farthest that linear blending takes a vertex, or that an origin lies, by brute force at `steps` even moments.
double farthest_apart(const Character& a, const Character& b, int steps) {
  double most = 0;
  for (int i = 0; i <= steps; ++i) {
    const float time = a.clips[0].start + a.clips[0].duration() * static_cast<float>(i) / static_cast<float>(steps);
    std::vector<std::vector<glm::mat4>> worlds;
    for (const Character* character : {&a, &b}) {
      Pose pose = rest_pose(*character);
      apply(character->clips[0], time, character->morph_offset, pose);
      WorldMatrices world;
      world.evaluate(character->skeleton, pose);
      worlds.push_back(world.world());
    }
    for (std::size_t j = 0; j < worlds[0].size(); ++j) {
      most = std::max(most, static_cast<double>(glm::distance(glm::vec3(worlds[0][j][3]), glm::vec3(worlds[1][j][3]))));
    }
    for (const Part& part : a.parts) {
      const mesh::Primitive& primitive = a.primitive(part);
      const Skin& skin = a.skins[part.skin];
      for (std::size_t v = 0; v < primitive.vertex_count(); ++v) {
        glm::vec3 apart(0.0f);
        const mesh::InfluenceRow row = primitive.influences->row(v);
        for (std::size_t k = 0; k < row.joints.size(); ++k) {
          const std::size_t slot = row.joints[k];
          const glm::vec4 position(primitive.positions[v], 1.0f);
          apart += row.weights[k] *
                   glm::vec3((skin_matrix(skin, worlds[0], slot) - skin_matrix(skin, worlds[1], slot)) * position);
        }
        most = std::max(most, static_cast<double>(glm::length(apart)));
      }
    }
  }
  return most;
}

TEST(KeyFolding, TheWholeShapeStaysWithinTheToleranceAtTenTimesTheKeyRate) {
  constexpr double kRounding = 3e-6;  // metres, of the single precision of the brute force
  for (const Interpolation interpolation :
       {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
    for (int seed = 1; seed <= 2; ++seed) {
      const Character character = wriggling(seed, interpolation);
      for (const double millimetres : {0.05, 2.0}) {
        const KeyTolerance tolerance{.distance = millimetres / 1000, .angle = 0.5 * std::numbers::pi / 180};
        const Character folded = with_folded_keys(character, tolerance);
        const ClipError error = clip_error(character, folded);
        EXPECT_LE(error.distance, tolerance.distance);
        EXPECT_LE(error.angle, tolerance.angle);
        const double apart = farthest_apart(character, folded, 600);
        EXPECT_LE(apart, tolerance.distance + kRounding) << static_cast<int>(interpolation) << " " << seed;
        EXPECT_LE(apart, error.distance + kRounding) << "nothing lies farther than what is said";
        EXPECT_GE(apart, error.distance * 0.5 - kRounding) << "and what is said is somewhere so";
        if (millimetres > 1 && interpolation != Interpolation::kStep) {
          EXPECT_LT(key_count(folded), key_count(character) * 2 / 3) << static_cast<int>(interpolation);
        }
        for (std::size_t c = 0; c < folded.clips[0].channels.size(); ++c) {
          const Channel& channel = folded.clips[0].channels[c];
          EXPECT_EQ(channel.times.front(), character.clips[0].channels[c].times.front());
          EXPECT_EQ(channel.times.back(), character.clips[0].channels[c].times.back());
          EXPECT_EQ(channel.interpolation, interpolation);
        }
      }
    }
  }
}

// Two tracks share their times: one that would keep most of its keys had better keep all.
TEST(KeyFolding, FewerKeysMustBeWorthTheirTimes) {
  Channel straight = slide({}, {}, Interpolation::kLinear);
  Channel crooked = straight;
  straight.joint = crooked.joint = 1;
  crooked.path = ChannelPath::kScale;
  for (int k = 0; k <= 100; ++k) {
    const float t = static_cast<float>(k) / 25;
    straight.times.push_back(t);
    straight.values.insert(straight.values.end(), {0, 1 + 0.1f * t, 0});
    crooked.values.insert(crooked.values.end(), {1, k % 10 == 5 ? 1.0f : 1 + 0.02f * static_cast<float>(k % 2), 1});
  }
  crooked.times = straight.times;
  Character character = with_channel(straight);
  character.clips.edit(0).channels.push_back(crooked);
  const Character folded = with_folded_keys(character, kTenthOfAMillimetre);
  EXPECT_THAT(folded.clips[0].channels[0].times, ElementsAre(0.0f, 4.0f));
  EXPECT_EQ(folded.clips[0].channels[1].times, crooked.times);
  character.clips.edit(0).channels.erase(character.clips[0].channels.begin());
  EXPECT_LT(times_of(with_folded_keys(character, kTenthOfAMillimetre)).size(), crooked.times.size());
}

TEST(KeyFolding, MorphWeightsCountByWhatTheyMove) {
  Character character = test::random_rig({.seed = 4, .joints = 3, .vertices = 60, .morph_targets = 2});
  const int node = character.mesh_nodes[0].joint;
  Channel channel{.joint = node, .path = ChannelPath::kWeights, .times = {}, .values = {}, .width = 2};
  for (int k = 0; k <= 40; ++k) {
    channel.times.push_back(static_cast<float>(k) / 10);
    channel.values.insert(channel.values.end(), {static_cast<float>(std::sin(k * 0.05)), 0.25f});
  }
  character.clips = {Clip{.name = "smile", .channels = {channel}, .properties = {}, .start = 0, .end = 4}};
  const Character folded = with_folded_keys(character, kTenthOfAMillimetre);
  EXPECT_LT(key_count(folded), key_count(character));
  EXPECT_GT(key_count(folded), 2u);
  const ClipError error = clip_error(character, folded);
  EXPECT_LE(error.distance, kTenthOfAMillimetre.distance);
  EXPECT_GT(error.distance, 0) << "what morphs move is measured";
}

TEST(KeyFolding, ShortRotationsAreMultiplesAndHardlyTurn) {
  const Character character = wriggling(2, Interpolation::kLinear);
  const Character rounded = with_short_rotations(character);
  for (const Channel& channel : rounded.clips[0].channels) {
    for (const float value : channel.values) {
      if (channel.path == ChannelPath::kRotation) {
        EXPECT_EQ(std::round(value * 32767) / 32767, value);
      }
    }
  }
  const double angle = clip_error(character, rounded).angle;
  EXPECT_GT(angle, 0);
  EXPECT_LT(angle, 12 * 0.005 * std::numbers::pi / 180) << "in a chain of twelve";
  const Character cubic = wriggling(2, Interpolation::kCubicSpline);
  EXPECT_EQ(with_short_rotations(cubic).clips[0].channels[1].values, cubic.clips[0].channels[1].values);
}

TEST(KeyFolding, StopsWhenAsked) {
  const Character character = wriggling(1, Interpolation::kLinear);
  const auto stop = [](float, std::string_view) { return false; };
  EXPECT_EQ(key_count(with_folded_keys(character, kTenthOfAMillimetre, false, stop)), key_count(character));
}

}  // namespace
}  // namespace pelt::rig
