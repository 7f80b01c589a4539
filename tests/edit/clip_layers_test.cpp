// Clips that play over the main clip (§47), and what is baked to keys: laws over poses at many moments.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "edit/bake_edits.h"
#include "edit/behaviour_edits.h"
#include "edit/evaluation.h"
#include "edit/file_behaviour.h"
#include "edit/file_layers.h"
#include "edit/reload.h"
#include "edit/session.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "rig/clip.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::kElbow;
using test::kHand;
using test::kShoulder;

constexpr int kWave = 0;
constexpr int kSwing = 1;

// The arm with a second clip, "swing", over 0 to 2 s: elbow, shoulder, hand's place and size, and shapes.
Document two_clips() {
  rig::Character character = test::arm();
  rig::Clip swing;
  swing.name = "swing";
  const auto rotation = [](int joint, std::vector<float> times, const std::vector<float>& angles, glm::vec3 axis) {
    rig::Channel channel;
    channel.joint = joint;
    channel.path = rig::ChannelPath::kRotation;
    channel.width = 4;
    channel.times = std::move(times);
    for (const float angle : angles) {
      const glm::quat q = glm::angleAxis(angle, glm::normalize(axis));
      channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
    }
    return channel;
  };
  swing.channels.push_back(rotation(kElbow, {0, 0.7f, 2}, {0.1f, 1.2f, 0.1f}, {0, 0, 1}));
  swing.channels.push_back(rotation(kShoulder, {0, 1, 2}, {0.2f, -0.9f, 0.2f}, {1, 2, 0.5f}));
  rig::Channel place;
  place.joint = kHand;
  place.times = {0, 1.1f, 2};
  place.values = {0.25f, 0, 0, 0.3f, 0.1f, -0.2f, 0.25f, 0, 0};
  swing.channels.push_back(place);
  rig::Channel size = place;
  size.path = rig::ChannelPath::kScale;
  size.values = {1, 1, 1, 1.5f, 0.5f, 2, 1, 1, 1};
  swing.channels.push_back(size);
  rig::Channel shapes;
  shapes.joint = 9;
  shapes.path = rig::ChannelPath::kWeights;
  shapes.times = {0, 2};
  shapes.values = {0.1f, 0.2f, 0.3f, 0.9f, 0.8f, 0.7f};
  swing.channels.push_back(shapes);
  swing.end = 2;
  character.clips.push_back(std::move(swing));
  rig::finish(character);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetClip{kWave});
  return document;
}

Document layered(motion::ClipLayer layer) {
  Document document = two_clips();
  apply(document, SetClipLayers{{std::move(layer)}});
  EXPECT_EQ(document.content.behaviour->clip_layers.size(), 1u);
  return document;
}

rig::Pose pose_at(const Document& document, float time) {
  Document at = document;
  at.view.time = time;
  return evaluate_pose(at);
}

// What a clip alone says, at a moment on its own axis.
rig::Pose alone_at(const Document& document, int clip, float time) {
  Document alone = document;
  alone.content.behaviour = {};
  alone.content.clip = clip;
  return pose_at(alone, time);
}

std::vector<float> moments() {
  std::vector<float> out;
  for (int n = 0; n <= 40; ++n) {
    out.push_back(1 + 2.0f * static_cast<float>(n) / 40);
  }
  return out;
}

TEST(ClipLayers, C47_19_AWeightOfNothingIsTheClipToTheBit) {
  for (const motion::ClipLayerMode mode : {motion::ClipLayerMode::kOverride, motion::ClipLayerMode::kAdditive}) {
    const Document document = layered({.clip = "swing", .mode = mode, .weight = 0});
    const Document off = layered({.clip = "swing", .on = false, .mode = mode});
    for (const float time : moments()) {
      ASSERT_EQ(pose_at(document, time), alone_at(document, kWave, time)) << time;
      ASSERT_EQ(pose_at(off, time), alone_at(document, kWave, time)) << time;
    }
  }
}

TEST(ClipLayers, C47_19_AnOverrideOfAllIsItsClipToTheBit) {
  const Document document = layered({.clip = "swing"});
  const Document itself = layered({.clip = "wave"});
  for (const float time : moments()) {
    // All that "wave" moves "swing" moves too; the clip of the layer starts with the main one, which starts at 1 s.
    ASSERT_EQ(pose_at(document, time), alone_at(document, kSwing, time - 1)) << time;
    ASSERT_EQ(pose_at(itself, time), alone_at(itself, kWave, time)) << time;
  }
  EXPECT_NE(pose_at(document, 1.7f), alone_at(document, kWave, 1.7f));
}

TEST(ClipLayers, ACrossFadeIsTheShareOfBoth) {
  const Document document = layered({.clip = "swing", .weight = 0.25f});
  for (const float time : moments()) {
    const rig::Pose from = alone_at(document, kWave, time);
    const rig::Pose to = alone_at(document, kSwing, time - 1);
    rig::Pose wanted = from;
    for (const int j : {kShoulder, kElbow}) {
      wanted.local[j].rotation =
          glm::quat(rig::slerp_shortest(glm::dquat(from.local[j].rotation), glm::dquat(to.local[j].rotation), 0.25));
    }
    wanted.local[kHand].translation = glm::mix(from.local[kHand].translation, to.local[kHand].translation, 0.25f);
    wanted.local[kHand].scale = glm::mix(from.local[kHand].scale, to.local[kHand].scale, 0.25f);
    const rig::Pose made = pose_at(document, time);
    ASSERT_LT(test::distance(made, wanted), 1e-6f) << time;
    for (std::size_t m = 0; m < made.morph_weights.size(); ++m) {
      ASSERT_NEAR(made.morph_weights[m], 0.75f * from.morph_weights[m] + 0.25f * to.morph_weights[m], 1e-6f);
    }
  }
}

TEST(ClipLayers, C47_20_ADifferenceFromRestOnTheRestIsTheClip) {
  rig::Character character = *two_clips().character;
  rig::Clip still;  // moves nothing: the rest pose, over two seconds
  still.name = "still";
  rig::Channel channel;
  channel.joint = 0;
  channel.times = {0, 2};
  const glm::vec3 rest = character.skeleton->rest[0].translation;
  channel.values = {rest.x, rest.y, rest.z, rest.x, rest.y, rest.z};
  still.channels = {channel};
  still.end = 2;
  character.clips.push_back(still);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetClip{2});
  apply(document, SetClipLayers{{{.clip = "swing",
                                  .mode = motion::ClipLayerMode::kAdditive,
                                  .reference = motion::AdditiveReference::kRest}}});
  for (float time = 0; time <= 2; time += 0.05f) {
    const rig::Pose made = pose_at(document, time);
    const rig::Pose wanted = alone_at(document, kSwing, time);
    ASSERT_LT(test::distance(made, wanted), 1e-6f) << time;
    for (std::size_t m = 0; m < made.morph_weights.size(); ++m) {
      ASSERT_NEAR(made.morph_weights[m], wanted.morph_weights[m], 1e-6f) << time;
    }
  }
}

// q_base * (q_reference^-1 * q), for half of it half the turn; the first frame is no change.
TEST(ClipLayers, C47_20_ADifferenceFromTheFirstFrameComesOnTop) {
  const Document document = layered({.clip = "swing", .mode = motion::ClipLayerMode::kAdditive, .weight = 0.5f});
  EXPECT_LT(test::distance(pose_at(document, 1), alone_at(document, kWave, 1)), 1e-6f);
  for (const float time : moments()) {
    const rig::Pose base = alone_at(document, kWave, time);
    const rig::Pose first = alone_at(document, kSwing, 0);
    const rig::Pose said = alone_at(document, kSwing, time - 1);
    const rig::Pose made = pose_at(document, time);
    const glm::dquat change =
        glm::inverse(glm::dquat(first.local[kShoulder].rotation)) * glm::dquat(said.local[kShoulder].rotation);
    const glm::dquat wanted =
        glm::dquat(base.local[kShoulder].rotation) * glm::angleAxis(glm::angle(change) * 0.5, glm::axis(change));
    ASSERT_LT(
        test::distance(Transform{.rotation = glm::quat(wanted)}, Transform{.rotation = made.local[kShoulder].rotation}),
        1e-6f)
        << time;
    const glm::vec3 place =
        base.local[kHand].translation + 0.5f * (said.local[kHand].translation - first.local[kHand].translation);
    ASSERT_LT(glm::length(made.local[kHand].translation - place), 1e-6f) << time;
    const glm::vec3 size = 1.0f + (said.local[kHand].scale - 1.0f) * 0.5f;
    ASSERT_LT(glm::length(made.local[kHand].scale - size), 1e-6f) << time;
  }
}

TEST(ClipLayers, C47_19_JointsOutsideTheMaskStayToTheBit) {
  const Document one = layered({.clip = "swing", .joints = {"elbow_l"}});
  const Document limb = layered({.clip = "swing", .joints = {"elbow_l"}, .below = true});
  for (const float time : moments()) {
    const rig::Pose plain = alone_at(one, kWave, time);
    const rig::Pose full = alone_at(one, kSwing, time - 1);
    rig::Pose wanted = plain;
    wanted.local[kElbow] = full.local[kElbow];
    ASSERT_EQ(pose_at(one, time), wanted) << time;
    wanted.local[kHand] = full.local[kHand];
    ASSERT_EQ(pose_at(limb, time), wanted) << time;
  }
}

TEST(ClipLayers, C47_19_SpeedAndOffsetChooseTheMoment) {
  const Document twice = layered({.clip = "swing", .speed = 2, .loops = false});
  const Document later = layered({.clip = "swing", .offset = 0.5f, .loops = false});
  const Document back = layered({.clip = "swing", .speed = -1, .offset = 2, .loops = false});
  for (const float time : moments()) {
    const float seconds = time - 1;
    EXPECT_EQ(pose_at(twice, time), alone_at(twice, kSwing, std::min(2 * seconds, 2.0f))) << time;
    EXPECT_LT(test::distance(pose_at(later, time), alone_at(twice, kSwing, std::min(seconds + 0.5f, 2.0f))), 1e-6f);
    EXPECT_LT(test::distance(pose_at(back, time), alone_at(twice, kSwing, 2 - seconds)), 1e-6f) << time;
  }
}

TEST(ClipLayers, C47_20_ALoopBeginsAgainAndItsFirstPassHasItsEnd) {
  const motion::ClipLayer looped{.clip = "swing", .speed = 3};
  EXPECT_EQ(motion::clip_layer_seconds(looped, 0, 2), 0);
  EXPECT_DOUBLE_EQ(motion::clip_layer_seconds(looped, 2.0 / 3, 2), 2);
  EXPECT_NEAR(motion::clip_layer_seconds(looped, 0.7, 2), 0.1, 1e-12);
  EXPECT_NEAR(motion::clip_layer_seconds(looped, 1.5, 2), 0.5, 1e-12);
  EXPECT_EQ(motion::clip_layer_seconds(looped, 1.5, 0), 0) << "a clip of one key";
  motion::ClipLayer held = looped;
  held.loops = false;
  EXPECT_EQ(motion::clip_layer_seconds(held, 1.5, 2), 2);
  motion::ClipLayer back = looped;
  back.speed = -1;
  EXPECT_NEAR(motion::clip_layer_seconds(back, 0.5, 2), 1.5, 1e-12);
  // "swing" ends as it begins, but for its shapes: no joint jumps at the seam.
  const Document document = layered(looped);
  const float seam = 1 + 2.0f / 3;
  EXPECT_LT(test::distance(pose_at(document, seam - 1e-4f), pose_at(document, seam + 1e-4f)), 2e-3f);
}

TEST(ClipLayers, C47_20_FadesAreStraightAndALayerHasItsTime) {
  const motion::ClipLayer layer{
      .clip = "swing", .weight = 0.8f, .start = 0.5f, .length = 1, .fade_in = 0.25f, .fade_out = 0.5f};
  const auto share = [&](double seconds) { return motion::clip_layer_share(layer, seconds, 2); };
  EXPECT_EQ(share(0.499), 0);
  EXPECT_EQ(share(0.5), 0);
  EXPECT_NEAR(share(0.625), 0.4, 1e-6);
  EXPECT_NEAR(share(0.75), 0.8, 1e-6);
  EXPECT_NEAR(share(1.0), 0.8, 1e-6);
  EXPECT_NEAR(share(1.25), 0.4, 1e-6);
  EXPECT_EQ(share(1.5), 0);
  EXPECT_EQ(share(1.6), 0);
  motion::ClipLayer endless = layer;
  endless.length = 0;
  EXPECT_NEAR(motion::clip_layer_share(endless, 1.75, 2), 0.4, 1e-6) << "up to the end of the main clip";
  EXPECT_NEAR(motion::clip_layer_share(endless, 1.75, 0), 0.8, 1e-6) << "which has none";
}

TEST(ClipLayers, TheOrderCounts) {
  Document document = two_clips();
  const motion::ClipLayer swing{.clip = "swing"};
  const motion::ClipLayer more{.clip = "wave", .mode = motion::ClipLayerMode::kAdditive};
  apply(document, SetClipLayers{{swing, more}});
  const rig::Pose on_top = pose_at(document, 2);
  apply(document, SetClipLayers{{more, swing}});
  EXPECT_EQ(pose_at(document, 2), alone_at(document, kSwing, 1)) << "the last one hides the other";
  EXPECT_NE(on_top, pose_at(document, 2));
}

TEST(ClipLayers, SeekingEqualsPlayingBelowSpringsToo) {
  Document document = layered({.clip = "swing", .speed = 1.7f, .fade_in = 0.3f});
  motion::SpringChain chain{.name = "hand", .joints = {{.joint = "elbow_l"}}, .end = "hand_l"};
  motion::SpringSet springs;
  springs.chains = {chain};
  apply(document, SetSprings{springs});
  std::vector<rig::Pose> played;
  for (const float time : moments()) {
    apply(document, SetTime{time});
    played.push_back(evaluate_pose(document));
  }
  const std::vector<float> times = moments();
  for (std::size_t n = times.size(); n-- > 0;) {
    Document fresh = document;
    fresh.motion = std::make_shared<MotionCache>();
    ASSERT_EQ(pose_at(fresh, times[n]), played[n]) << times[n];
  }
  // Other keys of a layer's clip are another motion.
  apply(document, SetTime{2});
  const rig::Pose before = evaluate_pose(document);
  apply(document, SetKeys{kSwing, {{{kElbow, rig::ChannelPath::kRotation, -1}, 0.7f, {1, 0, 0, 0}}}});
  EXPECT_NE(evaluate_pose(document), before);
  undo(document);
  EXPECT_EQ(evaluate_pose(document), before);
}

TEST(ClipLayers, WhatIsNotThereIsRefusedAndNumbersGoIntoTheirRanges) {
  Document document = two_clips();
  EXPECT_EQ(why_refused(document, SetClipLayers{{{.clip = "swng"}}}),
            "clip layer 0: there is no clip 'swng' (did you mean \"swing\"?)");
  EXPECT_EQ(why_refused(document, SetClipLayers{{{.clip = "swing"}, {.clip = "wave", .joints = {"elbw_l"}}}}),
            "clip layer 1: there is no joint 'elbw_l' (did you mean \"elbow_l\"?)");
  const Content before = document.content;
  apply(document, SetClipLayers{{{.clip = "swng"}}});
  apply(document, SetClipLayers{{{.clip = "swing", .speed = NAN}}});
  EXPECT_EQ(document.content, before);
  apply(document, SetClipLayers{{{.clip = "swing", .weight = 7, .speed = -100, .start = -1, .below = true}}});
  EXPECT_EQ(document.content.behaviour->clip_layers[0],
            (motion::ClipLayer{.clip = "swing", .weight = 1, .speed = -motion::kFastestClipLayer}));
}

TEST(ClipLayers, ARenamedOrRemovedClipIsFollowed) {
  Document document = layered({.clip = "swing"});
  const rig::Pose before = pose_at(document, 2);
  apply(document, RenameClip{kSwing, "sway"});
  EXPECT_EQ(document.content.behaviour->clip_layers[0].clip, "sway");
  EXPECT_EQ(pose_at(document, 2), before);
  apply(document, RenameJoint{kElbow, "Ellen"});
  EXPECT_EQ(pose_at(document, 2), before);
  // A clip without a name is known by its number, which others that go change.
  document.content.character = [&] {
    rig::Character unnamed = *document.content.character;
    unnamed.clips.edit(kSwing).name.clear();
    unnamed.clips.push_back(unnamed.clips[kWave]);
    return std::make_shared<const rig::Character>(std::move(unnamed));
  }();
  document.character = document.content.character;
  apply(document, SetClipLayers{{{.clip = motion::clip_reference(*document.character, kSwing)}}});
  EXPECT_EQ(document.content.behaviour->clip_layers[0].clip, "#1");
  apply(document, SetClip{2});
  apply(document, RemoveClip{kWave});
  EXPECT_EQ(document.content.behaviour->clip_layers[0].clip, "#0");
  EXPECT_EQ(pose_at(document, 2), before);
  apply(document, RemoveClip{0});
  EXPECT_EQ(document.content.behaviour->clip_layers[0].clip, "") << "and not what has the number now";
}

TEST(ClipLayers, SessionsFilesAndNewVersionsKeepThem) {
  const Document document = layered({.clip = "swing",
                                     .on = false,
                                     .mode = motion::ClipLayerMode::kAdditive,
                                     .reference = motion::AdditiveReference::kRest,
                                     .weight = 0.3f,
                                     .speed = -0.7f,
                                     .start = 0.1f,
                                     .offset = -0.2f,
                                     .length = 1.3f,
                                     .fade_in = 0.4f,
                                     .fade_out = 0.15f,
                                     .loops = false,
                                     .joints = {"elbow_l", "node 6"},
                                     .below = true});
  const Result<SessionText> text = session_to_text(document, {"arm.glb", "sha256:0"});
  ASSERT_TRUE(text) << text.error().message;
  const Result<OpenedSession> opened = session_from_text(
      text->json, document.file, [](const std::string&) { return Result<std::string>(error("none")); });
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(*opened->document.content.behaviour, *document.content.behaviour);
  rig::Character written = *document.character;
  ASSERT_TRUE(put_layers(written, document.content));
  const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(written);
  ASSERT_TRUE(bytes);
  const Result<rig::Character> again = gltf::import_memory(*bytes, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(file_behaviour(*again).behaviour, *document.content.behaviour);
  Document reloaded = document;
  rig::Character newer = *document.character;
  newer.skeleton.edit().name[kElbow] = "paw";
  reload_character(reloaded, std::make_shared<const rig::Character>(newer));
  EXPECT_EQ(reloaded.content.behaviour->clip_layers[0].joints[0], "elbow_l") << "said, and kept";
  EXPECT_NE(content_hash(document.content), content_hash(two_clips().content));
}

// Where joints are; a file may give them other numbers.
std::vector<glm::vec3> places(const rig::Character& character, const rig::Pose& pose) {
  rig::WorldMatrices world;
  world.evaluate(character.skeleton, pose);
  std::vector<glm::vec3> out;
  for (const char* name : {"root", "shoulder_l", "elbow_l", "hand_l", "shoulder_r", "elbow_r"}) {
    out.emplace_back(world[character.skeleton->find(name)][3]);
  }
  return out;
}

double furthest(const std::vector<glm::vec3>& a, const std::vector<glm::vec3>& b) {
  double worst = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    worst = std::max(worst, static_cast<double>(glm::length(a[j] - b[j])));
  }
  return worst;
}

Document exported_and_opened(const Document& document) {
  const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(*document.content.character);
  EXPECT_TRUE(bytes);
  Result<rig::Character> again = gltf::import_memory(*bytes, {});
  EXPECT_TRUE(again) << again.error().message;
  Document out = make_document(std::make_shared<const rig::Character>(*std::move(again)));
  out.content.clip = document.content.clip;
  return out;
}

TEST(Baking, C47_21_LayersBecomeAClipThatPlaysTheSame) {
  Document document = layered({.clip = "swing", .weight = 0.7f, .speed = 1.3f, .fade_in = 0.5f});
  motion::ClipLayer more{.clip = "wave", .mode = motion::ClipLayerMode::kAdditive, .speed = -1};
  std::vector<motion::ClipLayer> layers = document.content.behaviour->clip_layers;
  layers.push_back(more);
  apply(document, SetClipLayers{layers});
  document.view.timing.frame_rate = 24;
  const Document before = document;
  EXPECT_EQ(why_refused(document, BakeClipLayers{}), "");
  apply(document, BakeClipLayers{});
  ASSERT_EQ(document.content.character->clips.size(), 3u);
  EXPECT_EQ(document.content.clip, 2);
  EXPECT_EQ(document.content.character->clips[2].name, "wave baked");
  EXPECT_EQ(why_refused(document, BakeClipLayers{}), "no clip layer is on");
  const Document exported = exported_and_opened(document);
  for (int frame = 0; frame <= 48; ++frame) {
    const auto time = static_cast<float>(1 + frame / 24.0);
    const rig::Pose wanted = pose_at(before, time);
    EXPECT_LT(furthest(places(*before.character, wanted), places(*document.character, pose_at(document, time))), 1e-6);
    EXPECT_LT(furthest(places(*before.character, wanted), places(*exported.character, pose_at(exported, time))), 1e-6)
        << frame;
    const rig::Pose made = pose_at(exported, time);
    for (std::size_t m = 0; m < wanted.morph_weights.size(); ++m) {
      EXPECT_NEAR(made.morph_weights[m], wanted.morph_weights[m], 1e-6f);
    }
  }
  undo(document);
  EXPECT_EQ(document.content, before.content);
  EXPECT_EQ(why_refused(two_clips(), BakeClipLayers{}), "no clip layer is on");
}

TEST(Baking, C47_21_SpringsBecomeKeysThatPlayTheSame) {
  Document document = two_clips();
  motion::SpringChain chain{.name = "hand", .joints = {{.joint = "elbow_l"}}, .end = "hand_l"};
  motion::SpringSet springs;
  springs.chains = {chain};
  EXPECT_EQ(why_refused(document, BakeSprings{}), "nothing swings");
  apply(document, SetSprings{springs});
  apply(document, SetDof{kElbow, 0, 0.4f});
  document.view.timing.frame_rate = 30;
  const Document before = document;
  apply(document, SetClipLayers{{{.clip = "swing"}}});
  EXPECT_EQ(why_refused(document, BakeSprings{}),
            "a clip layer moves elbow_l, which swings; bake the clip layers first");
  undo(document);
  apply(document, BakeSprings{});
  EXPECT_FALSE(document.content.behaviour->springs.chains[0].on);
  EXPECT_FALSE(document.content.overrides->contains(kElbow));
  const Document exported = exported_and_opened(document);
  double swung = 0;
  for (int frame = 0; frame <= 60; ++frame) {
    const auto time = static_cast<float>(1 + frame / 30.0);
    const std::vector<glm::vec3> wanted = places(*before.character, pose_at(before, time));
    EXPECT_LT(furthest(wanted, places(*document.character, pose_at(document, time))), 1e-6) << frame;
    EXPECT_LT(furthest(wanted, places(*exported.character, pose_at(exported, time))), 1e-6) << frame;
    Document still = before;
    still.content.behaviour = {};
    swung = std::max(swung, furthest(wanted, places(*before.character, pose_at(still, time))));
  }
  EXPECT_GT(swung, 0.005) << "there was something to bake";
  undo(document);
  EXPECT_EQ(document.content, before.content);
}

// Only the work range is baked: what the joint did before and after it stays.
TEST(Baking, KeysOutsideTheWorkRangeStay) {
  Document document = two_clips();
  apply(document, SetClip{kSwing});
  motion::SpringChain chain{.name = "hand", .joints = {{.joint = "elbow_l"}}, .end = "hand_l"};
  motion::SpringSet springs;
  springs.chains = {chain};
  apply(document, SetSprings{springs});
  document.view.timing.frame_rate = 10;
  document.view.timing.work_start = 0.5f;
  document.view.timing.work_end = 1;
  const Document before = document;
  apply(document, BakeSprings{});
  EXPECT_EQ(pose_at(document, 0), alone_at(before, kSwing, 0));
  EXPECT_EQ(pose_at(document, 2), alone_at(before, kSwing, 2));
  for (const float time : {0.5f, 0.7f, 1.0f}) {
    EXPECT_LT(test::distance(pose_at(document, time), pose_at(before, time)), 1e-6f) << time;
  }
}

// A hand that is pinned while the clip swings its arm: keys hold it in any program.
TEST(Baking, C47_21_PinsBecomeKeysThatPlayTheSame) {
  Document document = two_clips();
  apply(document, SetClip{-1});
  EXPECT_EQ(why_refused(document, BakePins{}), "there is no clip for the keys");
  apply(document, SetClip{kSwing});
  EXPECT_EQ(why_refused(document, BakePins{}), "nothing is pinned");
  document.view.timing.frame_rate = 30;
  apply(document, SetTime{0.5f});
  const Document free = document;
  apply(document, PinJoints{{kHand}, true});
  apply(document, SetDof{kElbow, 0, 0.4f});
  const Document before = document;
  apply(document, SetClipLayers{{{.clip = "swing"}}});
  EXPECT_EQ(why_refused(document, BakePins{}),
            "a clip layer moves elbow_l, which is pinned; bake the clip layers first");
  undo(document);
  apply(document, SetSemanticSliders{{{"curl", 0, 1, {{"elbow_l.bend", 20}}, 0.5f}}});
  EXPECT_EQ(why_refused(document, BakePins{}),
            "a slider moves elbow_l.bend, which is pinned; bring it back to 0 first");
  undo(document);
  apply(document, BakePins{});
  EXPECT_TRUE(document.content.pins.empty());
  EXPECT_FALSE(document.content.overrides->contains(kElbow));
  const Document exported = exported_and_opened(document);
  double held = 0;
  for (int frame = 0; frame <= 60; ++frame) {
    const auto time = static_cast<float>(frame / 30.0);
    const std::vector<glm::vec3> wanted = places(*before.character, pose_at(before, time));
    EXPECT_LT(furthest(wanted, places(*document.character, pose_at(document, time))), 2e-6) << frame;
    EXPECT_LT(furthest(wanted, places(*exported.character, pose_at(exported, time))), 2e-6) << frame;
    held = std::max(held, furthest(wanted, places(*before.character, pose_at(free, time))));
  }
  EXPECT_GT(held, 0.05) << "there was something to bake";
  undo(document);
  EXPECT_EQ(document.content, before.content);
}

// With automatic keys: what only the clip moves becomes a key; where another clip plays over it, a key would not be
// what is seen, and the joint stays posed.
TEST(ClipLayers, WhatTheyMoveStaysPosedByHand) {
  Document document = two_clips();
  apply(document, SetClip{kWave});
  apply(document, SetClipLayers{{{.clip = "swing", .joints = {"elbow_l"}}}});
  document.view.timing.auto_key = true;
  apply(document, SetTime{1.5f});
  apply(document, SetDof{kElbow, 0, 0.3f});
  EXPECT_TRUE(document.content.overrides->contains(kElbow));
  EXPECT_NEAR(dof_values(document, kElbow)[0], 0.3f, 1e-5f);
  apply(document, SetJointLocal{kHand, {.translation = {0.3f, 0.1f, 0}}, false});
  EXPECT_FALSE(document.content.overrides->contains(kHand));
  EXPECT_NEAR(evaluate_pose(document).local[kHand].translation.y, 0.1f, 1e-5f);
  apply(document, KeyJoints{kWave, {kElbow}});
  EXPECT_TRUE(document.content.overrides->contains(kElbow));
}

}  // namespace
}  // namespace pelt::edit
