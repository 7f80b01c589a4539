#include "edit/key_edits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "edit/edit_fixtures.h"
#include "edit/evaluation.h"
#include "edit/reload.h"
#include "edit/session.h"
#include "rig/character_parts.h"
#include "rig/clip_changes.h"

namespace pelt::edit {
namespace {

using rig::ChannelPath;
using test::kElbow;
using test::kHand;
using test::kShoulder;

constexpr ChannelId kShoulderTurn{kShoulder, ChannelPath::kRotation};
constexpr ChannelId kHandMove{kHand, ChannelPath::kTranslation};

void do_it(Document& document, Change change, const std::string& key = {}) {
  edit::apply(document, {std::move(change), key, true});
}

Document waving() {
  Document document = test::arm_document();
  edit::apply(document, {SetClip{0}, {}, false});
  return document;
}

const rig::Channel* channel(const Document& document, const ChannelId& id) {
  return find_channel(document.content.character->clips[document.content.clip], id);
}

TEST(KeyEdits, C47_14_WhatIsPosedBecomesKeysWhereThatIsWished) {
  Document document = waving();
  do_it(document, SetTime{2});
  do_it(document, SetDof{kElbow, 0, 0.5f});
  EXPECT_EQ(document.content.overrides->size(), 1U);
  EXPECT_EQ(channel(document, {kElbow, ChannelPath::kRotation}), nullptr);
  undo(document);
  document.view.timing.auto_key = true;
  do_it(document, SetDof{kElbow, 0, 0.5f}, "slider");
  do_it(document, SetDof{kElbow, 0, 1.0f}, "slider");
  end_merge(document);
  EXPECT_TRUE(document.content.overrides->empty());
  const rig::Channel* const bent = channel(document, {kElbow, ChannelPath::kRotation});
  ASSERT_NE(bent, nullptr);
  EXPECT_EQ(bent->times, std::vector<float>{2});
  EXPECT_NEAR(dof_values(document, kElbow)[0], 1.0f, 1e-6f);
  EXPECT_EQ(channel(document, {kElbow, ChannelPath::kTranslation}), nullptr) << "only what was posed";
  EXPECT_EQ(document.history.size(), 2U) << "one step for the drag";
  // Another time: another key of the same channel.
  do_it(document, SetTime{3});
  do_it(document, SetDof{kElbow, 0, 0.25f});
  EXPECT_EQ(channel(document, {kElbow, ChannelPath::kRotation})->times, (std::vector<float>{2, 3}));
  do_it(document, SetTime{2.5f});
  EXPECT_NEAR(dof_values(document, kElbow)[0], 0.625f, 1e-6f);
  // A shape as well, in the channel that has all shapes of its node.
  do_it(document, SetMorph{1, 0.75f});
  EXPECT_TRUE(document.content.morph_overrides->empty());
  EXPECT_EQ(channel(document, {9, ChannelPath::kWeights})->times, (std::vector<float>{1, 2.5f, 3}));
  EXPECT_EQ(evaluate_pose(document).morph_weights[1], 0.75f);
  travel(document, 0);
  EXPECT_EQ(document.content.character, document.file);
}

TEST(KeyEdits, C47_14_KeyingKeepsThePoseAndTheCurves) {
  Document document = waving();
  do_it(document, SetTime{1.5f});
  const rig::Pose before = evaluate_pose(document);
  do_it(document, KeyJoints{0, {kShoulder, kHand}});
  EXPECT_EQ(channel(document, kShoulderTurn)->times, (std::vector<float>{1, 1.5f, 3}));
  EXPECT_EQ(channel(document, kHandMove)->times, (std::vector<float>{1, 1.5f, 2}));
  EXPECT_EQ(channel(document, {kHand, ChannelPath::kRotation})->times, std::vector<float>{1.5f});
  EXPECT_EQ(channel(document, {kShoulder, ChannelPath::kScale}), nullptr);
  for (std::size_t j = 0; j < before.local.size(); ++j) {
    EXPECT_EQ(evaluate_pose(document).local[j].translation, before.local[j].translation);
  }
  // What is posed by hand becomes the key, and lets go of the clip.
  do_it(document, SetDof{kElbow, 0, 0.75f});
  const rig::Pose posed = evaluate_pose(document);
  do_it(document, KeyJoints{0, {kElbow}});
  EXPECT_TRUE(document.content.overrides->empty());
  EXPECT_EQ(evaluate_pose(document).local[kElbow].rotation, posed.local[kElbow].rotation);
}

TEST(KeyEdits, ADragMovesKeysFromWhereTheyBegan) {
  Document document = waving();
  do_it(document, SetTime{1.5f});
  do_it(document, KeyJoints{0, {kHand}});
  const auto begun = std::make_shared<const rig::Clip>(document.content.character->clips[0]);
  const KeySelection middle = {{kHandMove, {1.5f}}};
  const std::size_t steps = document.history.size();
  do_it(document, MoveKeys{0, middle, {.offset = 0.5}, begun}, "drag");  // onto the key at 2
  EXPECT_EQ(channel(document, kHandMove)->times, (std::vector<float>{1, 2}));
  do_it(document, MoveKeys{0, middle, {.offset = 0.25}, begun}, "drag");
  EXPECT_EQ(channel(document, kHandMove)->times, (std::vector<float>{1, 1.75f, 2})) << "the one it met is back";
  do_it(document, MoveKeys{0, middle, {.offset = 0.75}, begun}, "drag");
  end_merge(document);
  EXPECT_EQ(channel(document, kHandMove)->times, (std::vector<float>{1, 2, 2.25f}));
  EXPECT_EQ(document.history.size(), steps + 1);
  // A drag before 0 s stops there, with the distances of its keys.
  const KeySelection two = {{kShoulderTurn, {1, 3}}};
  do_it(document, MoveKeys{0, two, {.offset = -5}});
  EXPECT_EQ(channel(document, kShoulderTurn)->times, (std::vector<float>{0, 2}));
  EXPECT_EQ(document.content.character->clips[0].start, 0);
}

TEST(KeyEdits, CopiedKeysAreSetWithTheirTangents) {
  Document document = waving();
  do_it(document, SetInterpolation{0, {kHandMove}, rig::Interpolation::kCubicSpline});
  do_it(document, SetTangent{0, kHandMove, 2, rig::KeySide::kIn, {1, 2, 3}, true});
  std::vector<KeyValue> copied =
      copied_keys(document.content.character->clips[0], {{kHandMove, {2}}, {kShoulderTurn, {3}}});
  ASSERT_EQ(copied.size(), 2U);
  for (KeyValue& key : copied) {
    key.time += 1;
  }
  do_it(document, SetKeys{0, copied});
  const rig::Channel& hand = *channel(document, kHandMove);
  EXPECT_EQ(hand.times, (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(std::ranges::equal(rig::key_tangent(hand, 2, rig::KeySide::kIn), std::vector<float>{1, 2, 3}));
  EXPECT_EQ(rig::key_tangent(hand, 2, rig::KeySide::kOut)[0], 0);
  EXPECT_EQ(channel(document, kShoulderTurn)->times, (std::vector<float>{1, 3, 4}));
}

TEST(KeyEdits, TheLastKeyTakesItsChannelAlong) {
  Document document = waving();
  do_it(document, RemoveKeys{0, {{kShoulderTurn, {1, 3}}, {kHandMove, {2}}}});
  EXPECT_EQ(channel(document, kShoulderTurn), nullptr);
  EXPECT_EQ(channel(document, kHandMove)->times, std::vector<float>{1});
  EXPECT_EQ(document.content.character->clips[0].end, 3) << "of the shapes";
}

TEST(ClipEdits, ClipsComeAndGo) {
  Document document = waving();
  do_it(document, AddClip{"", 0});
  EXPECT_EQ(document.content.clip, 1);
  EXPECT_EQ(document.content.character->clips[1].name, "clip");
  EXPECT_TRUE(std::ranges::equal(document.content.character->clips[1].channels[0].values,
                                 document.content.character->clips[0].channels[0].values));
  do_it(document, RenameClip{1, "wave"});
  EXPECT_EQ(document.content.character->clips[1].name, "wave 2");
  do_it(document, AddClip{"jump"});
  EXPECT_EQ(document.content.clip, 2);
  do_it(document, SetTime{1.25f});
  EXPECT_EQ(document.view.time, 1.25f) << "an empty clip has room for keys";
  do_it(document, KeyJoints{2, {kElbow}});
  EXPECT_EQ(document.content.character->clips[2].start, 1.25f);
  do_it(document, RemoveClip{0});
  EXPECT_EQ(document.content.clip, 1);
  EXPECT_EQ(document.content.character->clips.size(), 2U);
  EXPECT_EQ(document.content.character->clips[1].name, "jump");
  do_it(document, RemoveClip{1});
  EXPECT_EQ(document.content.clip, 0);
  do_it(document, RemoveClip{0});
  EXPECT_EQ(document.content.clip, -1);
  travel(document, 0);
  EXPECT_EQ(document.content.character, document.file);
  EXPECT_EQ(document.content.clip, 0);
}

TEST(ClipEdits, EachOperationIsARowWithSoundNumbers) {
  for (const ClipOperation& operation : clip_operations()) {
    SCOPED_TRACE(operation.id);
    EXPECT_EQ(&clip_operations()[find_clip_operation(operation.id)], &operation);
    Document document = waving();
    ClipNumbers numbers = standard_numbers(operation);
    if (operation.id == "trim") {
      numbers = {1.5, 2.5};
    }
    const ChangeClip change{0, find_clip_operation(operation.id), numbers};
    if (operation.id == "on-the-spot" || operation.id == "travel-to-root") {
      EXPECT_EQ(refusal(document, change),
                "shoulder_l moves, which is above hand_l: the way of hand_l alone says little");
      do_it(document, RemoveKeys{0, {{kShoulderTurn, {1, 3}}}});
    }
    const std::size_t steps = document.history.size();
    EXPECT_EQ(refusal(document, change), "");
    do_it(document, change);
    EXPECT_EQ(document.history.size(), steps + (operation.id == "fit" ? 0 : 1))
        << "two keys are as few as there can be";
    if (!operation.fields.empty()) {
      ChangeClip wrong = change;
      wrong.numbers[0] = operation.fields[0].maximum * 2 + 1;
      EXPECT_THAT(refusal(document, wrong), testing::HasSubstr("expected numbers within the ranges"));
    }
  }
  Document document = waving();
  do_it(document, ChangeClip{0, find_clip_operation("trim"), {1.5, 2.5}});
  const rig::Clip& trimmed = document.content.character->clips[0];
  EXPECT_EQ(trimmed.start, 0);
  EXPECT_EQ(trimmed.end, 1);
  EXPECT_EQ(refusal(document, ChangeClip{0, find_clip_operation("trim"), {2, 1}}),
            "trim: expected an end behind the start at 2 s, got 1 s");
}

TEST(KeyEdits, C47_5_SeekingEqualsPlayingAfterEdits) {
  Document document = waving();
  document.view.timing.auto_key = true;
  do_it(document, SetTime{1.75f});
  do_it(document, SetDof{kElbow, 0, 1.0f});
  do_it(document, SetInterpolation{0, {kShoulderTurn, kHandMove}, rig::Interpolation::kCubicSpline});
  std::vector<rig::Pose> played;
  for (int f = 0; f <= 60; ++f) {
    do_it(document, SetTime{1 + static_cast<float>(f) / 30});
    played.push_back(evaluate_pose(document));
  }
  for (int f = 60; f >= 0; f -= 7) {
    do_it(document, SetTime{1 + static_cast<float>(f) / 30});
    EXPECT_EQ(evaluate_pose(document), played[f]);
  }
}

TEST(KeyEdits, ANewerFileKeepsTheEditsThatApply) {
  Document document = waving();
  do_it(document, RemoveKeys{0, {{kHandMove, {2}}}});
  do_it(document, AddClip{"own"});
  do_it(document, KeyJoints{1, {kElbow}});
  // Another version: a joint in front of all others, and one more clip.
  rig::Character newer = test::arm();
  newer.clips.emplace_back().name = "own";
  rig::finish(newer);
  Document same = document;
  const ReloadReport report = reload_character(same, std::make_shared<const rig::Character>(newer));
  EXPECT_TRUE(report.lost.empty()) << report.lost.front();
  ASSERT_EQ(same.content.character->clips.size(), 3U);
  EXPECT_EQ(find_channel(same.content.character->clips[0], kHandMove)->times, std::vector<float>{1});
  EXPECT_EQ(same.content.character->clips[2].channels.size(), 1U);
  // The file's clip changed, too: it wins, and a sentence says so.
  newer.clips.edit(0).channels[0].times[1] = 2.5f;
  const ReloadReport other = reload_character(document, std::make_shared<const rig::Character>(newer));
  ASSERT_EQ(other.lost.size(), 1U);
  EXPECT_EQ(other.lost[0], "edits of clip \"wave\": it changed in the file, too");
  EXPECT_EQ(find_channel(document.content.character->clips[0], kHandMove)->times, (std::vector<float>{1, 2}));
}

TEST(KeyEdits, ASessionOfClipsNamesWhatIsLost) {
  Document document = waving();
  do_it(document, RemoveKeys{0, {{kHandMove, {2}}}});
  do_it(document, AddClip{"own"});
  do_it(document, KeyJoints{1, {kElbow, kHand}});
  document.view.timing = {.frame_rate = 24, .in_seconds = true, .auto_key = true, .work_start = 0.5f, .work_end = 4};
  const Result<SessionText> text = session_to_text(document, {"a.glb", "h"});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(text->json, testing::HasSubstr("\"version\": 3"));
  const SessionFiles files = [&](const std::string& name) -> Result<std::string> {
    return std::ranges::find(text->files, name, &SessionFile::name)->bytes;
  };
  const Result<OpenedSession> same = session_from_text(text->json, document.file, files);
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_TRUE(rig::equal(*same->document.content.character, *document.content.character));
  EXPECT_EQ(same->document.view.timing, document.view.timing);
  // Without the elbow, and with another wave.
  rig::Character newer = test::arm();
  newer.skeleton.edit().name[kElbow] = "ellbogen";
  newer.clips.edit(0).channels[0].times[1] = 2.5f;
  const Result<OpenedSession> other =
      session_from_text(text->json, std::make_shared<const rig::Character>(newer), files);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_THAT(other->lost, testing::UnorderedElementsAre("edits of the clip wave", "keys of elbow_l in own"));
  EXPECT_EQ(other->document.content.character->clips[1].channels.size(), 1U);
}

// Clips that are renamed, made and removed in any order come back from a session, with what the file says of them.
TEST(ClipEdits, AnyOrderOfChangesToTheListOfClipsFitsIntoASession) {
  rig::Character character = test::arm();
  for (const char* name : {"walk", "run"}) {
    rig::Clip clip = character.clips[0];
    clip.name = name;
    character.clips.push_back(clip);
  }
  for (std::size_t c = 0; c < character.clips.size(); ++c) {
    character.clips.edit(c).source = static_cast<int>(c);
    character.kept.push_back({fmt::format("/animations/{}", c), "", "{\"number\": 1}"});
  }
  const auto file = std::make_shared<const rig::Character>(std::move(character));
  test::Random random(18);
  for (int round = 0; round < 60; ++round) {
    Document document = make_document(file);
    for (int n = 0; n < 6; ++n) {
      const int clips = static_cast<int>(document.content.character->clips.size());
      const int one = clips > 0 ? random.below(clips) : -1;
      const int what = random.below(4);
      if (what == 0 || one < 0) {
        do_it(document, AddClip{"", random.below(clips + 1) - 1});
      } else if (what == 1) {
        do_it(document, RenameClip{one, fmt::format("name {}", random.below(3))});
      } else if (what == 2) {
        do_it(document, RemoveClip{one});
      } else {
        do_it(document, ChangeClip{one, find_clip_operation("reverse")});
      }
    }
    const Result<SessionText> text = session_to_text(document, {"a.glb", "h"});
    ASSERT_TRUE(text) << round << ": " << text.error().message;
    // A rename alone says the name and not the keys.
    const SessionFiles files = [&](const std::string& name) -> Result<std::string> {
      return std::ranges::find(text->files, name, &SessionFile::name)->bytes;
    };
    const Result<OpenedSession> again = session_from_text(text->json, document.file, files);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(rig::equal(*again->document.content.character, *document.content.character));
    // The same file read anew: nothing is lost.
    Document same = document;
    EXPECT_TRUE(reload_character(same, std::make_shared<const rig::Character>(*file)).lost.empty()) << round;
    EXPECT_TRUE(rig::equal(*same.content.character, *document.content.character)) << round;
  }
}

TEST(ClipEdits, TheRoomOfANewClipIsNotTheWorkRangeOfOthers) {
  Document document = waving();
  const TimeRange before = played_range(document, 0);
  do_it(document, AddClip{"own"});
  EXPECT_EQ(played_range(document, 1).end, 2);
  EXPECT_EQ(played_range(document, 0).end, before.end);
  undo(document);
  EXPECT_EQ(played_range(document, 0).end, before.end);
  EXPECT_EQ(played_range(document, 0).start, before.start);
  do_it(document, AddClip{"own"});
  do_it(document, RemoveClip{0});
  ASSERT_EQ(document.content.character->clips[0].name, "own");
  EXPECT_EQ(played_range(document, 0).end, 2) << "it goes with its clip";
  do_it(document, RemoveClip{0});
  do_it(document, AddClip{"other"});
  EXPECT_EQ(played_range(document, 0).end, 2);
}

// The room belongs to the clip, whatever number it has: through undo, redo, removal, a session and a newer file.
TEST(ClipEdits, TheRoomOfANewClipGoesWhereItGoes) {
  Document document = waving();
  const TimeRange wave = played_range(document, 0);
  do_it(document, AddClip{"own"});
  undo(document);
  rig::Clip longer = document.content.character->clips[0];
  for (rig::Channel& channel : longer.channels) {
    channel.times = {0, 10};
  }
  longer.end = 10;
  longer.start = 0;
  do_it(document, InsertClip{std::make_shared<const rig::Clip>(longer)});
  EXPECT_EQ(played_range(document, 1).end, 10) << "another clip with the number of the one that went";
  EXPECT_EQ(playhead_range(document, 1).end, 10);
  undo(document);
  do_it(document, AddClip{"own"});
  do_it(document, AddClip{"second"});
  EXPECT_EQ(played_range(document, 1).end, 2);
  EXPECT_EQ(played_range(document, 2).end, 2);
  do_it(document, RemoveClip{0});
  undo(document);
  EXPECT_EQ(played_range(document, 0).end, wave.end);
  EXPECT_EQ(played_range(document, 0).start, wave.start);
  EXPECT_EQ(played_range(document, 1).end, 2);
  undo(document);
  undo(document);
  redo(document);
  EXPECT_EQ(played_range(document, 1).end, 2) << "made again";
  const Result<SessionText> text = session_to_text(document, {"a.glb", "h"});
  ASSERT_TRUE(text) << text.error().message;
  const SessionFiles files = [&](const std::string& name) -> Result<std::string> {
    return std::ranges::find(text->files, name, &SessionFile::name)->bytes;
  };
  const Result<OpenedSession> opened = session_from_text(text->json, document.file, files);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(playhead_range(opened->document, 1).end, 2);
  EXPECT_EQ(content_hash(opened->document.content), content_hash(document.content));
  rig::Character newer = test::arm();
  longer.name = "before all others";
  std::vector<Shared<rig::Clip>>& clips = newer.clips.edit_items();
  clips.insert(clips.begin(), Shared<rig::Clip>(longer));
  rig::finish(newer);
  reload_character(document, std::make_shared<const rig::Character>(newer));
  ASSERT_EQ(document.content.character->clips[2].name, "own");
  EXPECT_EQ(played_range(document, 0).end, 10);
  EXPECT_EQ(played_range(document, 1).end, wave.end);
  EXPECT_EQ(played_range(document, 2).end, 2);
  do_it(document, SetTime{1});
  do_it(document, KeyJoints{2, {kElbow}});
  EXPECT_EQ(played_range(document, 2).end, 2) << "one key takes no time";
  do_it(document, SetTime{1.5f});
  do_it(document, KeyJoints{2, {kElbow}});
  EXPECT_EQ(played_range(document, 2).start, 1);
  EXPECT_EQ(played_range(document, 2).end, 1.5f);
  EXPECT_EQ(playhead_range(document, 2).end, 2) << "the room stays for more keys";
}

// As sessions said it that were saved by the program before: by the number of the clip, in the view.
TEST(ClipEdits, TheRoomOfAnOlderSessionIsThatOfItsClip) {
  Document document = waving();
  do_it(document, AddClip{"own"});
  Result<SessionText> text = session_to_text(document, {"a.glb", "h"});
  ASSERT_TRUE(text) << text.error().message;
  nlohmann::json json = nlohmann::json::parse(text->json);
  json["clips"][0].erase("room");
  json["view"]["timing"] = {{"work_range", {0, 2}}, {"work_clip", 1}};
  const Result<OpenedSession> opened = session_from_text(
      json.dump(), document.file, [](const std::string&) { return Result<std::string>(error("none")); });
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_FALSE(opened->document.view.timing.has_work_range());
  EXPECT_EQ(playhead_range(opened->document, 1).end, 2);
  EXPECT_EQ(playhead_range(opened->document, 0).end, 3);
}

// No file can hold a key before 0 s: what is posed there stays posed by hand.
TEST(KeyEdits, NothingIsLostWhereNoKeyCanBe) {
  rig::Character character = test::arm();
  for (rig::Channel& channel : character.clips.edit(0).channels) {
    for (float& time : channel.times) {
      time -= 3;
    }
  }
  rig::update_range(character.clips.edit(0));
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  do_it(document, SetClip{0});
  document.view.timing.auto_key = true;
  do_it(document, SetTime{-1.5f});
  ASSERT_LT(document.view.time, 0);
  do_it(document, SetDof{kElbow, 0, 0.5f});
  EXPECT_TRUE(document.content.overrides->contains(kElbow));
  do_it(document, KeyJoints{0, {kElbow}});
  EXPECT_TRUE(document.content.overrides->contains(kElbow));
  EXPECT_NEAR(dof_values(document, kElbow)[0], 0.5f, 1e-6f);
}

}  // namespace
}  // namespace pelt::edit
