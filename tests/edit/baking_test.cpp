// What baking refuses and names, and clips that come and go under the layers that play them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edit/bake_edits.h"
#include "edit/behaviour_edits.h"
#include "edit/behaviour_readings.h"
#include "edit/constraint_edits.h"
#include "edit/file_behaviour.h"
#include "edit/file_layers.h"
#include "edit/session.h"
#include "edit_fixtures.h"
#include "gltf/export.h"
#include "gltf/import.h"
#include "motion/baking.h"
#include "motion/controls.h"
#include "rig/clip_changes.h"
#include "rig/kinematics.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::kElbow;
using test::kHand;
using test::kShoulder;
using testing::HasSubstr;

rig::Channel turning(int joint, std::vector<float> times, const std::vector<float>& angles) {
  rig::Channel channel;
  channel.joint = joint;
  channel.path = rig::ChannelPath::kRotation;
  channel.width = 4;
  channel.times = std::move(times);
  for (const float angle : angles) {
    const glm::quat q = glm::angleAxis(angle, glm::vec3(0, 0, 1));
    channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
  }
  return channel;
}

// The arm, whose clip "swing" turns shoulder and elbow over two seconds.
rig::Character swinging_character() {
  rig::Character character = test::arm();
  rig::Clip swing;
  swing.name = "swing";
  swing.channels = {turning(kShoulder, {0, 1, 2}, {0.2f, -0.9f, 0.2f}),
                    turning(kElbow, {0, 0.7f, 2}, {0.1f, 1.2f, 0.1f})};
  swing.end = 2;
  character.clips.push_back(std::move(swing));
  return character;
}

motion::SpringSet hand_springs() {
  motion::SpringSet springs;
  springs.chains = {{.name = "hand", .joints = {{.joint = "elbow_l"}}, .end = "hand_l"}};
  return springs;
}

Document swinging_arm() {
  Document document = make_document(std::make_shared<const rig::Character>(swinging_character()));
  apply(document, SetClip{1});
  apply(document, SetSprings{hand_springs()});
  document.view.timing.frame_rate = 30;
  return document;
}

std::size_t layer_of(const Document& document, std::string_view kind) {
  const auto found = std::ranges::find(document.content.pose_layers, kind, &rig::Layer::kind);
  return static_cast<std::size_t>(found - document.content.pose_layers.begin());
}

rig::Pose shown_at(Document document, float time) {
  apply(document, SetTime{time});
  return evaluate_pose(document);
}

// Keys of the clip count as much as the clip: at half of it the rest of the body would jump if they were to count
// whole.
TEST(Baking, WantsAClipThatCountsWhole) {
  Document document = swinging_arm();
  const auto expect_refused = [&](const Change& change, const char* share) {
    EXPECT_EQ(
        why_refused(document, change),
        fmt::format("the layer Clip counts {} %, and keys of it would count as much; let it count 100 % first", share));
    const Content before = document.content;
    apply(document, change);
    EXPECT_EQ(document.content, before);
  };
  const Document whole = document;
  apply(document, SetLayer{layer_of(document, "clip"), true, {0.5f}});
  expect_refused(BakeSprings{}, "50");
  apply(document, SetLayer{layer_of(document, "clip"), false, {1.0f}});
  expect_refused(BakeSprings{}, "0");
  document = whole;
  apply(document, SetSprings{});
  apply(document, PinJoints{{kHand}, true});
  EXPECT_EQ(why_refused(document, BakePins{}), "");
  apply(document, SetLayer{layer_of(document, "clip"), true, {0.25f}});
  expect_refused(BakePins{}, "25");
}

// The final rotation becomes the key: whatever turns the joint between the clip and the springs would do it again.
TEST(Baking, SpringsRefuseJointsThatOtherLayersMove) {
  Document document = swinging_arm();
  EXPECT_EQ(why_refused(document, BakeSprings{}), "");
  const auto expect_refused = [&](const Change& cause, const std::string& why) {
    apply(document, cause);
    EXPECT_EQ(why_refused(document, BakeSprings{}), why);
    undo(document);
    EXPECT_EQ(why_refused(document, BakeSprings{}), "");
  };
  expect_refused(SetSemanticSliders{{{"curl", 0, 1, {{"elbow_l.bend", 20}}, 0.5f}}},
                 "a slider moves elbow_l.bend, which swings; bring it back to 0 first");
  expect_refused(PinJoints{{kHand}, true}, "a pin moves elbow_l, which swings; bake the pins first");
  expect_refused(with_driver(document, "elbow_l.bend", "20"),
                 "a driver moves elbow_l, which swings; switch the driver off first");
  expect_refused(with_constraint(document, motion::ConstraintKind::kRotation, kElbow, kShoulder, false),
                 "a constraint moves elbow_l, which swings; switch the constraint off first");
  // What does not count moves nothing.
  apply(document, SetSemanticSliders{{{"curl", 0, 1, {{"elbow_l.bend", 20}}, 0}}});
  EXPECT_EQ(why_refused(document, BakeSprings{}), "");
  SetConstraints idle = with_constraint(document, motion::ConstraintKind::kRotation, kElbow, kShoulder, false);
  idle.constraints[0].weight = 0;
  apply(document, idle);
  EXPECT_EQ(why_refused(document, BakeSprings{}), "");
  rig::Character with_file = *document.content.character;
  with_file.constraints.push_back({.kind = rig::ConstraintKind::kRotation, .joint = kElbow, .source = kShoulder});
  document.content.character = std::make_shared<const rig::Character>(std::move(with_file));
  document.character = document.content.character;
  EXPECT_EQ(why_refused(document, BakeSprings{}),
            "a constraint of the file moves elbow_l, which swings; switch the layer Constraints off first");
}

// Nobody waits for thirty billion samples.
TEST(Baking, FarKeysAndManyFramesAreRefused) {
  Document document = swinging_arm();
  document.view.timing.work_end = 1;
  rig::Character far = *document.content.character;
  rig::Channel& elbow = far.clips.edit(1).channels[1];
  elbow.times.back() = 1e9f;
  elbow.interpolation = rig::Interpolation::kStep;
  rig::update_range(far.clips.edit(1));
  document.content.character = std::make_shared<const rig::Character>(far);
  document.character = document.content.character;
  EXPECT_THAT(why_refused(document, BakeSprings{}),
              HasSubstr("keys outside the work range, and at most 2e+07 are made"));
  apply(document, BakeSprings{});
  EXPECT_TRUE(document.content.behaviour->springs.chains[0].on) << "nothing was baked";
  far.clips.edit(1).channels[1].interpolation = rig::Interpolation::kLinear;
  document.content.character = std::make_shared<const rig::Character>(far);
  document.character = document.content.character;
  EXPECT_EQ(why_refused(document, BakeSprings{}), "") << "its own keys stay";
  document.view.timing.work_end = 1000;
  EXPECT_EQ(why_refused(document, BakeSprings{}), "expected at most 20000 frames, got 30000: shorten the work range");
}

// A channel that is not LINEAR is sampled at frames before and behind the range, and the range is what is seen.
TEST(Baking, StepsOutsideTheRangeBecomeFrames) {
  Document document = swinging_arm();
  rig::Character character = *document.content.character;
  rig::Channel& elbow = character.clips.edit(1).channels[1];
  elbow.interpolation = rig::Interpolation::kStep;
  document.content.character = std::make_shared<const rig::Character>(character);
  document.character = document.content.character;
  document.view.timing.frame_rate = 10;
  document.view.timing.work_start = 0.5f;
  document.view.timing.work_end = 1;
  const Document before = document;
  apply(document, BakeSprings{});
  const rig::Channel& baked = document.content.character->clips[1].channels[1];
  ASSERT_EQ(baked.times.size(), 21u);
  for (std::size_t i = 0; i < baked.times.size(); ++i) {
    EXPECT_NEAR(baked.times[i], 0.1 * static_cast<double>(i), 1e-6);
  }
  Document plain = before;
  plain.content.behaviour = {};
  for (const float time : {0.0f, 0.2f, 0.4f, 1.5f, 2.0f}) {
    EXPECT_LT(test::distance(shown_at(document, time), shown_at(plain, time)), 1e-6f) << time;
  }
  for (const float time : {0.5f, 0.8f, 1.0f}) {
    EXPECT_LT(test::distance(shown_at(document, time), shown_at(before, time)), 1e-6f) << time;
  }
}

TEST(Baking, AnEndOnTheGridGetsOneKey) {
  EXPECT_EQ(motion::frame_times(0, std::nextafter(31 / 30.0f, 2.0f), 30).size(), 32u);
  EXPECT_EQ(motion::frame_times(0, std::nextafter(31 / 30.0f, 0.0f), 30).size(), 32u);
  EXPECT_EQ(motion::frame_times(0, 1.05f, 30).size(), 33u) << "an end between frames";
  EXPECT_EQ(motion::frame_times(2, 2, 30), std::vector<float>{2});
}

// A clip may have any name in its file; what is made of it has one that a session holds.
TEST(Baking, ABakedClipHasASoundName) {
  for (const std::string& name : {std::string(198, 'a'), std::string("a\nb"), std::string(5000, 'x')}) {
    rig::Character character = swinging_character();
    character.clips.edit(1).name = name;
    Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
    apply(document, SetClip{1});
    apply(document, SetClipLayers{{{.clip = "wave", .weight = 0.5f}}});
    apply(document, BakeClipLayers{});
    apply(document, InsertClip{std::make_shared<const rig::Clip>(document.content.character->clips[1])});
    ASSERT_EQ(document.content.character->clips.size(), 4u);
    const std::string baked = document.content.character->clips[2].name;
    EXPECT_TRUE(baked.ends_with(" baked")) << baked;
    const Result<SessionText> text = session_to_text(document, {"arm.glb", "sha256:0"});
    ASSERT_TRUE(text) << text.error().message;
    const Result<OpenedSession> opened =
        session_from_text(text->json, document.file, [&](const std::string& file) -> Result<std::string> {
          return std::ranges::find(text->files, file, &SessionFile::name)->bytes;
        });
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->document.content.character->clips[2].name, baked);
    EXPECT_EQ(content_hash(opened->document.content), content_hash(document.content));
  }
}

TEST(ClipLayers, AnotherClipOfTheNameOfOneThatIsGoneDoesNotPlay) {
  rig::Character character = swinging_character();
  rig::Clip other = character.clips[1];
  other.channels.pop_back();
  character.clips.push_back(other);  // "swing", too
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetClip{0});
  apply(document, SetClipLayers{{{.clip = "swing"}, {.clip = "#2"}}});
  apply(document, RemoveClip{1});
  EXPECT_EQ(document.content.behaviour->clip_layers[0].clip, "") << "the other one was never asked for";
  EXPECT_EQ(document.content.behaviour->clip_layers[1].clip, "swing") << "which it is called by now";
  undo(document);
  EXPECT_EQ(document.content.behaviour->clip_layers[0].clip, "swing");
  apply(document, RemoveClip{2});
  EXPECT_EQ(document.content.behaviour->clip_layers[0].clip, "swing");
  EXPECT_EQ(document.content.behaviour->clip_layers[1].clip, "");
}

// Of three clips two are written: layers go by the numbers that these have in the new file.
TEST(ClipLayers, AFileOfSomeClipsHasTheLayersOfThese) {
  rig::Character character = swinging_character();
  character.clips.push_back(character.clips[0]);
  for (std::size_t c = 0; c < 3; ++c) {
    character.clips.edit(c).name.clear();
  }
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetClip{1});
  apply(document, SetClipLayers{{{.clip = "#2"}, {.clip = "#0"}}});
  std::vector<std::string> lost;
  const std::vector<int> clips = {2, 1};
  const Content content = with_layers_of_clips(document.content, clips, lost);
  EXPECT_EQ(lost, std::vector<std::string>{"the layer of the clip #0"});
  rig::Character written = *document.character;
  ASSERT_TRUE(put_layers(written, content));
  const Result<std::vector<std::uint8_t>> bytes = gltf::export_glb(rig::with_clips(std::move(written), clips));
  ASSERT_TRUE(bytes);
  const Result<rig::Character> again = gltf::import_memory(*bytes, {});
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->clips.size(), 2u);
  const motion::Behaviour behaviour = file_behaviour(*again).behaviour;
  ASSERT_EQ(behaviour.clip_layers.size(), 1u);
  EXPECT_EQ(behaviour.clip_layers[0].clip, "#1");
  EXPECT_TRUE(std::ranges::equal(again->clips[1].channels[0].values, document.character->clips[2].channels[0].values));
}

// What a driver is said to read is what it reads in the picture: with the clips over the main one.
TEST(Behaviour, ReadingsSeeClipLayersAndLeaveTheMemoryAsItIs) {
  Document document = swinging_arm();
  apply(document, SetSprings{});
  apply(document, SetClip{0});
  apply(document, SetClipLayers{{{.clip = "swing", .speed = 0.5f}}});
  apply(document, with_driver(document, "shape(smile)", "sqrt(60 - elbow_l.bend) / 10"));  // has no value above 60
  for (const float time : {1.0f, 1.7f, 2.4f, 3.0f}) {
    apply(document, SetTime{time});
    document.motion = std::make_shared<MotionCache>();
    const std::vector<DriverState> states = driver_states(document);
    const rig::Pose pose = evaluate_pose(document);
    Document fresh = document;
    fresh.motion = std::make_shared<MotionCache>();
    EXPECT_EQ(pose, evaluate_pose(fresh)) << time;
    const double bend = static_cast<double>(
        rig::dofs_from_local(joint_dofs(document, kElbow), pose.local[static_cast<std::size_t>(kElbow)])[0]);
    EXPECT_NEAR(states[0].inputs.at(0), bend / static_cast<double>(test::kDegree), 1e-3) << time;
    if (states[0].value) {
      EXPECT_NEAR(*states[0].value, static_cast<double>(pose.morph_weights[0]), 1e-5) << time;
    }
  }
}

}  // namespace
}  // namespace pelt::edit
