// History: what is a step, and that going back and forth restores states exactly.
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "edit/reload.h"
#include "edit_fixtures.h"

namespace pelt::edit {
namespace {

using test::apply;
using test::arm_document;
using test::kElbow;
using test::kHand;
using test::kShoulder;

TEST(Undo, OneStepPerDrag) {
  Document document = arm_document();
  const Content before = document.content;
  for (int i = 1; i <= 20; ++i) {
    apply(document, SetDof{kElbow, 0, static_cast<float>(i) * 0.05f}, "drag");
  }
  EXPECT_EQ(document.history.cursor(), 1u);
  end_merge(document);
  apply(document, SetDof{kElbow, 0, 1.1f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u) << "the next drag is a step of its own";
  apply(document, SetDof{kElbow, 0, 1.2f}, "other");
  apply(document, SetDof{kElbow, 0, 1.3f});
  apply(document, SetDof{kElbow, 0, 1.4f});
  EXPECT_EQ(document.history.cursor(), 5u);
  while (can_undo(document)) {
    undo(document);
  }
  EXPECT_EQ(document.content, before);
}

TEST(Undo, DragThatReturnsLeavesNoStep) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.0f}, "drag");
  EXPECT_FALSE(can_undo(document));
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.history.cursor(), 1u);
  undo(document);
  EXPECT_TRUE(document.content.overrides->empty());
}

TEST(Undo, DragThatBeginsWithNothingDoesNotJoinTheStepBefore) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u);
  undo(document);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.5f);
}

// Each drag is over where another command came between, whether or not that changed anything.
TEST(Undo, AnotherCommandEndsADrag) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.5f}, "other");
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u);
}

TEST(Undo, ADragThatReturnedIsOver) {
  Document document = arm_document();
  apply(document, SetDof{kHand, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.0f}, "drag");
  ASSERT_EQ(document.history.cursor(), 1u);
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u) << "it does not join the step before";
  undo(document);
  EXPECT_TRUE(document.content.overrides->contains(kHand));
}

TEST(Undo, ADragThatReturnsWhileAClipPlaysLeavesNoStep) {
  Document document = arm_document();
  apply(document, SetClip{0});
  deform::SkinningSettings settings;
  settings.influence_limit = 2;
  apply(document, SetSkinning{settings}, "drag");
  edit::apply(document, {SetTime{2.5f}, "", false});
  apply(document, SetSkinning{{}}, "drag");
  EXPECT_EQ(document.history.cursor(), 1u) << "the clip's alone";
  EXPECT_EQ(document.view.time, 2.5f);
}

TEST(Undo, UndoEndsADrag) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.7f}, "drag");
  undo(document);
  apply(document, SetDof{kElbow, 0, 0.9f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u);
}

TEST(Undo, NothingChangedNothingRecorded) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  undo(document);
  const std::uint64_t version = document.state_version;
  apply(document, SetDof{kElbow, 0, 0.0f});
  apply(document, SetSkinning{document.content.skinning});
  apply(document, SetTime{1.0f});
  apply(document, ResetMorphs{});
  EXPECT_TRUE(can_redo(document)) << "what could be redone stays";
  EXPECT_EQ(document.state_version, version);
  apply(document, SetDof{kElbow, 0, 0.2f});
  EXPECT_FALSE(can_redo(document));
}

TEST(Undo, OrdinaryStepsShowTheSameCharacter) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  const std::uint64_t character_version = document.character_version;
  const std::uint64_t state_version = document.state_version;
  undo(document);
  redo(document);
  EXPECT_EQ(document.character_version, character_version);
  EXPECT_EQ(document.state_version, state_version + 2);
}

TEST(Undo, WithoutHistoryIsHarmless) {
  Document document = arm_document();
  const Content before = document.content;
  undo(document);
  redo(document);
  EXPECT_EQ(document.content, before);
  EXPECT_EQ(document.state_version, 1u);
}

TEST(Undo, PlaybackLeavesHistoryAndDragAlone) {
  const Document arm = arm_document();
  Document document = arm;
  apply(document, SetClip{0});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  edit::apply(document, {SetTime{1.5f}, "", false});
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u);
  edit::apply(document, {SetTime{2.5f}, "", false});
  undo(document);
  EXPECT_TRUE(document.content.overrides->empty());
  EXPECT_EQ(document.view.time, 2.5f) << "undoing a slider does not move the playhead";
  edit::apply(document, {SetTime{2.75f}, "", false});
  EXPECT_TRUE(can_redo(document)) << "playback keeps what can be redone";
  redo(document);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.6f);
  EXPECT_EQ(document.view.time, 2.75f);
  undo(document);
  undo(document);
  EXPECT_EQ(document.content, arm.content);
  EXPECT_EQ(document.view.time, 2.75f) << "nor does undoing the clip";
}

// The playhead is where one looks: no step moves it, but into a clip that is shorter.
TEST(Undo, ThePlayheadStaysUnlessTheClipIsShorter) {
  rig::Character character = test::arm();
  rig::Clip brief = character.clips[0];
  brief.name = "brief";
  brief.end = 2;
  character.clips.push_back(brief);
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetClip{1});
  apply(document, SetClip{0});
  apply(document, SetTime{2.75f}, "scrub");
  EXPECT_EQ(document.history.cursor(), 2u) << "scrubbing is no step";
  undo(document);
  EXPECT_EQ(document.content.clip, 1);
  EXPECT_EQ(document.view.time, 2.0f);
  redo(document);
  EXPECT_EQ(document.view.time, 2.0f);
  apply(document, SetTime{2.5f});
  apply(document, SetBasePose{BasePose::kRest});
  undo(document);
  EXPECT_EQ(document.content.clip, 0);
  EXPECT_EQ(document.view.time, 2.5f) << "the picture from before the clip was let go";
}

TEST(Undo, ScrubbingLeavesADragAloneAndWhatCanBeRedone) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetTime{2.0f}, "scrub");
  apply(document, SetDof{kElbow, 0, 0.75f}, "drag");
  EXPECT_EQ(document.history.cursor(), 2u) << "one drag";
  undo(document);
  apply(document, SetTime{1.5f}, "scrub");
  EXPECT_TRUE(can_redo(document));
}

TEST(Undo, ACancelledDragLeavesNothing) {
  Document document = arm_document();
  apply(document, SetDof{kShoulder, 0, 0.3f}, "ring#1");
  end_merge(document);
  const Document before = document;
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.content, before.content) << "a drag that has changed nothing";
  apply(document, SetDof{kElbow, 0, 0.3f}, "ring#2");
  apply(document, SetDof{kElbow, 0, 0.6f}, "ring#2");
  cancel_merge(document, "ring#1");
  EXPECT_NE(document.content, before.content) << "another drag";
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.content, before.content);
  EXPECT_EQ(document.history.size(), before.history.size());
  EXPECT_EQ(document.history.undo_label(), before.history.undo_label());
  EXPECT_EQ(document.history.bytes(), before.history.bytes());
  EXPECT_FALSE(can_redo(document));
  apply(document, SetDof{kElbow, 0, 0.1f}, "ring#2");
  EXPECT_EQ(document.history.cursor(), 2u);
  end_merge(document);
  cancel_merge(document, "");
  EXPECT_EQ(document.history.cursor(), 2u) << "no drag has no name";
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.history.cursor(), 2u) << "that one has ended";
}

// Five steps of which three are undone. @return the hash of the content at each place
std::vector<std::uint64_t> with_three_to_redo(Document& document) {
  auto weighed = std::make_shared<rig::Character>(*document.character);
  weighed->meshes.edit(0).primitives.edit(0).influences.edit().set_row(1, std::array<std::uint16_t, 2>{0, 3},
                                                                       std::array{0.5f, 0.5f});
  apply(document, SetDof{kShoulder, 0, 0.3f});
  apply(document, SetMorph{0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.3f});
  apply(document, ReplaceCharacter{weighed});
  apply(document, SetClip{0});
  std::vector<std::uint64_t> hashes;
  for (std::size_t place = 0; place < document.history.size(); ++place) {
    hashes.push_back(content_hash(document.history.content(place, document.content)));
  }
  travel(document, 2);
  return hashes;
}

// Weights of the row that the step behind the cursor changes, too.
Change other_weights(const Document& document, float share) {
  auto character = std::make_shared<rig::Character>(*own_character(document));
  character->meshes.edit(0).primitives.edit(0).influences.edit().set_row(1, std::array<std::uint16_t, 2>{1, 2},
                                                                         std::array{share, 1 - share});
  return ReplaceCharacter{character};
}

void expect_at_each_place(Document& document, const std::vector<std::uint64_t>& hashes) {
  ASSERT_EQ(document.history.size(), hashes.size());
  for (std::size_t place = document.history.cursor(); place < hashes.size(); ++place) {
    EXPECT_EQ(content_hash(document.content), hashes[place]) << "place " << place;
    redo(document);
  }
  for (std::size_t place = hashes.size(); place-- > 0;) {
    EXPECT_EQ(content_hash(document.content), hashes[place]) << "place " << place;
    undo(document);
  }
}

TEST(Undo, ACancelledDragKeepsWhatCanBeRedone) {
  for (const int moves : {1, 2, 5}) {
    SCOPED_TRACE(moves);
    Document document = arm_document();
    const std::vector<std::uint64_t> hashes = with_three_to_redo(document);
    const Document before = document;
    for (int i = 0; i < moves; ++i) {
      apply(document, other_weights(document, 0.1f * static_cast<float>(i + 1)), "stroke");
      EXPECT_FALSE(can_redo(document));
      EXPECT_EQ(document.history.size(), 4u);
      EXPECT_GT(document.history.bytes(), before.history.bytes()) << "what is set aside is held";
    }
    cancel_merge(document, "stroke");
    EXPECT_EQ(document.content, before.content);
    EXPECT_EQ(document.history.bytes(), before.history.bytes());
    EXPECT_EQ(document.history.redo_label(), before.history.redo_label());
    expect_at_each_place(document, hashes);
  }
}

TEST(Undo, ADragThatReturnsKeepsWhatCanBeRedone) {
  Document document = arm_document();
  const std::vector<std::uint64_t> hashes = with_three_to_redo(document);
  apply(document, SetMorph{0, 0.25f}, "drag");
  apply(document, SetMorph{0, 0.5f}, "drag");
  EXPECT_TRUE(can_redo(document));
  apply(document, SetMorph{0, 0.75f}, "drag");
  EXPECT_FALSE(can_redo(document)) << "it went on";
  cancel_merge(document, "drag");
  expect_at_each_place(document, hashes);
}

// However a drag ends, what could be redone before it is gone with its bytes.
TEST(Undo, ADragThatEndsForgetsWhatCouldBeRedone) {
  const std::vector<std::function<void(Document&)>> ends = {
      [](Document& document) { end_merge(document); },
      [](Document& document) {
        apply(document, SetDof{kElbow, 0, 0.1f});
        undo(document);
      },
      [](Document& document) {
        apply(document, SetDof{kElbow, 0, 0.1f}, "another");
        cancel_merge(document, "another");
      },
      [](Document& document) {
        undo(document);
        redo(document);
      },
      [](Document& document) { redo(document); },
      [](Document& document) { travel(document, document.history.cursor()); },
      [](Document& document) { apply(document, SetBasePose{BasePose::kRest}, "changes nothing"); },
      [](Document& document) { reload_character(document, std::make_shared<const rig::Character>(test::arm())); },
      [](Document& document) {
        rig::Character newer = test::arm();
        newer.name = "newer";
        reload_character(document, std::make_shared<const rig::Character>(newer));
      },
  };
  for (std::size_t i = 0; i < ends.size(); ++i) {
    SCOPED_TRACE(i);
    Document document = arm_document();
    with_three_to_redo(document);
    Document fresh = arm_document();
    apply(fresh, SetDof{kShoulder, 0, 0.3f});
    apply(fresh, SetMorph{0, 0.5f});
    for (Document* each : {&document, &fresh}) {
      apply(*each, SetMorph{1, 0.75f}, "drag");
      ends[i](*each);
      cancel_merge(*each, "drag");
    }
    EXPECT_EQ(document.history.size(), fresh.history.size());
    EXPECT_EQ(can_redo(document), can_redo(fresh));
    EXPECT_EQ(document.history.bytes(), fresh.history.bytes());
    EXPECT_EQ(content_hash(document.content), content_hash(fresh.content));
  }
}

TEST(Undo, WhatIsSetAsideIsForgottenBeforeAnyStep) {
  Document document = arm_document();
  const std::vector<std::uint64_t> hashes = with_three_to_redo(document);
  const std::size_t last = document.history.step(5).bytes;
  apply(document, SetMorph{0, 0.25f}, "drag");
  document.history.set_limit(document.history.bytes() - 1);
  EXPECT_EQ(document.history.size(), 4u);
  cancel_merge(document, "drag");
  EXPECT_EQ(document.history.size(), 5u) << "the farthest is gone";
  EXPECT_GT(last, 0u);
  expect_at_each_place(document, {hashes.begin(), hashes.end() - 1});
  travel(document, 2);
  apply(document, SetMorph{0, 0.25f}, "drag");
  document.history.set_limit(1);
  EXPECT_EQ(document.history.size(), 2u);
  EXPECT_EQ(document.history.bytes(), document.history.step(0).bytes);
}

// The scene is where one looks: a drag may go on in another.
TEST(Undo, AnotherSceneDuringADragLosesNothing) {
  rig::Character character = test::arm();
  character.scenes = {{.name = "all", .roots = {0, 9}}, {.name = "bones", .roots = {0}}};
  rig::finish(character);
  const auto shared = std::make_shared<const rig::Character>(character);
  for (const bool is_before : {false, true}) {
    SCOPED_TRACE(is_before);
    Document plain = make_document(shared);
    Document document = make_document(shared);
    for (Document* each : {&plain, &document}) {
      with_three_to_redo(*each);
      if (is_before) {
        show_scene(*each, 1);
        show_scene(*each, 0);
      }
    }
    apply(document, other_weights(document, 0.25f), "stroke");
    show_scene(document, 1);
    apply(document, other_weights(document, 0.5f), "stroke");
    show_scene(document, 0);
    show_scene(document, 1);
    apply(document, other_weights(document, 0.75f), "stroke");
    EXPECT_FALSE(can_redo(document));
    cancel_merge(document, "stroke");
    show_scene(plain, 1);
    std::vector<std::uint64_t> hashes;
    for (std::size_t place = 0; place < plain.history.size(); ++place) {
      hashes.push_back(content_hash(plain.history.content(place, plain.content)));
    }
    expect_at_each_place(document, hashes);
  }
}

}  // namespace
}  // namespace pelt::edit
