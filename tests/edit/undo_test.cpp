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
  const State before = document.state;
  for (int i = 1; i <= 20; ++i) {
    apply(document, SetDof{kElbow, 0, static_cast<float>(i) * 0.05f}, "drag");
  }
  EXPECT_EQ(document.undo_stack.size(), 1u);
  end_merge(document);
  apply(document, SetDof{kElbow, 0, 1.1f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u) << "the next drag is a step of its own";
  apply(document, SetDof{kElbow, 0, 1.2f}, "other");
  apply(document, SetDof{kElbow, 0, 1.3f});
  apply(document, SetDof{kElbow, 0, 1.4f});
  EXPECT_EQ(document.undo_stack.size(), 5u);
  while (can_undo(document)) {
    undo(document);
  }
  EXPECT_EQ(document.state, before);
}

TEST(Undo, DragThatReturnsLeavesNoStep) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.0f}, "drag");
  EXPECT_FALSE(can_undo(document));
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 1u);
  undo(document);
  EXPECT_TRUE(document.state.overrides.empty());
}

TEST(Undo, DragThatBeginsWithNothingDoesNotJoinTheStepBefore) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u);
  undo(document);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.5f);
}

// Each drag is over where another command came between, whether or not that changed anything.
TEST(Undo, AnotherCommandEndsADrag) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.5f}, "other");
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u);
}

TEST(Undo, ADragThatReturnedIsOver) {
  Document document = arm_document();
  apply(document, SetDof{kHand, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  apply(document, SetDof{kElbow, 0, 0.0f}, "drag");
  ASSERT_EQ(document.undo_stack.size(), 1u);
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u) << "it does not join the step before";
  undo(document);
  EXPECT_TRUE(document.state.overrides.contains(kHand));
}

TEST(Undo, ADragThatReturnsWhileAClipPlaysLeavesNoStep) {
  Document document = arm_document();
  apply(document, SetClip{0});
  deform::SkinningSettings settings;
  settings.influence_limit = 2;
  apply(document, SetSkinning{settings}, "drag");
  edit::apply(document, {SetTime{2.5f}, "", false});
  apply(document, SetSkinning{{}}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 1u) << "the clip's alone";
  EXPECT_EQ(document.state.time, 2.5f);
}

TEST(Undo, UndoEndsADrag) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  apply(document, SetDof{kElbow, 0, 0.7f}, "drag");
  undo(document);
  apply(document, SetDof{kElbow, 0, 0.9f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u);
}

TEST(Undo, NothingChangedNothingRecorded) {
  Document document = arm_document();
  apply(document, SetDof{kElbow, 0, 0.5f});
  undo(document);
  const std::uint64_t version = document.state_version;
  apply(document, SetDof{kElbow, 0, 0.0f});
  apply(document, SetSkinning{document.state.skinning});
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
  const State before = document.state;
  undo(document);
  redo(document);
  EXPECT_EQ(document.state, before);
  EXPECT_EQ(document.state_version, 1u);
}

TEST(Undo, PlaybackLeavesHistoryAndDragAlone) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetDof{kElbow, 0, 0.5f}, "drag");
  edit::apply(document, {SetTime{1.5f}, "", false});
  apply(document, SetDof{kElbow, 0, 0.6f}, "drag");
  EXPECT_EQ(document.undo_stack.size(), 2u);
  edit::apply(document, {SetTime{2.5f}, "", false});
  undo(document);
  EXPECT_TRUE(document.state.overrides.empty());
  EXPECT_EQ(document.state.time, 2.5f) << "undoing a slider does not move the playhead";
  edit::apply(document, {SetTime{2.75f}, "", false});
  EXPECT_TRUE(can_redo(document)) << "playback keeps what can be redone";
  redo(document);
  EXPECT_EQ(dof_values(document, kElbow)[0], 0.6f);
  EXPECT_EQ(document.state.time, 2.75f);
  undo(document);
  undo(document);
  EXPECT_EQ(document.state, State{}) << "undoing the clip takes its time back too";
}

TEST(Undo, AClipThatStartsAtZeroTakesItsTimeAlong) {
  rig::Character character = test::arm();
  character.clips.edit(0).start = 0;
  Document document = make_document(std::make_shared<const rig::Character>(std::move(character)));
  apply(document, SetClip{0});
  edit::apply(document, {SetTime{2.5f}, "", false});
  undo(document);
  EXPECT_EQ(document.state, State{});
}

TEST(Undo, ScrubbingIsAStepThatMovesTheTime) {
  Document document = arm_document();
  apply(document, SetClip{0});
  apply(document, SetTime{2.0f}, "scrub");
  apply(document, SetTime{2.5f}, "scrub");
  EXPECT_EQ(document.undo_stack.size(), 2u);
  undo(document);
  EXPECT_EQ(document.state.time, 1.0f);
  redo(document);
  EXPECT_EQ(document.state.time, 2.5f);
}

TEST(Undo, OldStepsAreForgotten) {
  Document document = arm_document();
  for (std::size_t i = 1; i <= kUndoLimit + 50; ++i) {
    apply(document, SetMorph{0, static_cast<float>(i)});
  }
  EXPECT_EQ(document.undo_stack.size(), kUndoLimit);
  while (can_undo(document)) {
    undo(document);
  }
  EXPECT_EQ(document.state.morph_overrides.at(0), 50.0f);
}

Change random_change(const Document& document, test::Random& random) {
  const int joint = random.below(document.character->skeleton->size());
  const int dof_count =
      static_cast<int>(document.character->skeleton->dofs[static_cast<std::size_t>(joint)].dofs.size());
  switch (random.below(13)) {
    case 0:
    case 1:
      return SetDof{joint, random.below(dof_count), random.real(-4.0f, 4.0f)};
    case 2:
      return SetJointLocal{
          joint, {random.vector(-1, 1), glm::quat(random.rotation()), random.vector(0.5f, 2.0f)}, random.below(2) == 0};
    case 3:
      return ResetDof{joint, random.below(dof_count)};
    case 4:
      return ResetJoints{joint, static_cast<ResetScope>(random.below(3)), static_cast<ResetTo>(random.below(4))};
    case 5:
      return SetBasePose{static_cast<BasePose>(random.below(3))};
    case 6:
      return MirrorPose{static_cast<MirrorDirection>(random.below(3)), random.below(2) == 0 ? -1 : joint};
    case 7:
      return SetMorph{random.below(3), random.real(-1.0f, 2.0f)};
    case 8:
      return random.below(4) == 0 ? Change(ResetMorphs{}) : Change(SetMorph{random.below(3), 0.5f});
    case 9:
      return SetClip{random.below(2) - 1};
    case 10:
      return SetTime{random.real(0.0f, 4.0f)};
    case 11:
      return SetEulerOrder{joint, kEulerOrders[static_cast<std::size_t>(random.below(6))]};
    default: {
      deform::SkinningSettings settings;
      settings.method = random.below(2);
      settings.influence_limit = random.below(9);
      return SetSkinning{settings};
    }
  }
}

// After each of 1000 random commands the state is remembered; undoing everything and redoing everything must pass
// through the remembered states exactly. In blocks that fit the bounded history.
TEST(Undo, ThousandRandomCommandsAndBack) {
  test::Random random(7);
  Document document = arm_document();
  int recorded = 0;
  for (int block = 0; block < 5; ++block) {
    document.undo_stack.clear();
    document.redo_stack.clear();
    end_merge(document);
    std::vector<State> states = {document.state};
    for (int i = 0; i < 200; ++i) {
      const std::size_t steps = document.undo_stack.size();
      const char* key = random.below(3) == 0 ? "drag" : "";
      apply(document, random_change(document, random), key);
      for (const auto& [j, value] : document.state.overrides) {
        ASSERT_TRUE(std::isfinite(glm::length(value.local.rotation)));
        ASSERT_EQ(value.dof_values.size(), document.character->skeleton->dofs[static_cast<std::size_t>(j)].dofs.size());
      }
      if (document.undo_stack.size() > steps) {
        states.push_back(document.state);
      } else if (document.undo_stack.size() == steps) {
        states.back() = document.state;
      } else {
        states.pop_back();
      }
      ASSERT_EQ(states.size(), document.undo_stack.size() + 1);
    }
    recorded += static_cast<int>(states.size());
    for (std::size_t i = states.size(); i-- > 0;) {
      ASSERT_EQ(document.state, states[i]) << "block " << block << ", step " << i;
      undo(document);
    }
    for (const State& state : states) {
      ASSERT_EQ(document.state, state);
      redo(document);
    }
    ASSERT_EQ(document.state, states.back());
  }
  EXPECT_GT(recorded, 500) << "most random commands must do something";
}

TEST(Undo, ACancelledDragLeavesNothing) {
  Document document = arm_document();
  apply(document, SetDof{kShoulder, 0, 0.3f}, "ring#1");
  end_merge(document);
  const Document before = document;
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.state, before.state) << "a drag that has changed nothing";
  apply(document, SetDof{kElbow, 0, 0.3f}, "ring#2");
  apply(document, SetDof{kElbow, 0, 0.6f}, "ring#2");
  cancel_merge(document, "ring#1");
  EXPECT_NE(document.state, before.state) << "another drag";
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.state, before.state);
  EXPECT_EQ(document.undo_stack, before.undo_stack);
  EXPECT_FALSE(can_redo(document));
  apply(document, SetDof{kElbow, 0, 0.1f}, "ring#2");
  EXPECT_EQ(document.undo_stack.size(), 2u);
  end_merge(document);
  cancel_merge(document, "");
  EXPECT_EQ(document.undo_stack.size(), 2u) << "no drag has no name";
  cancel_merge(document, "ring#2");
  EXPECT_EQ(document.undo_stack.size(), 2u) << "that one has ended";
}

}  // namespace
}  // namespace pelt::edit
