// History: what is a step, and that going back and forth restores states exactly.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pelt::edit
