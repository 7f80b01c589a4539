// What counts as unsaved, with and without a session.
#include "app/session.h"

#include <gtest/gtest.h>

#include "cli/draw.h"
#include "cli/session_view.h"
#include "edit/commands.h"
#include "motion/controls.h"
#include "support/fixtures.h"

namespace pelt::app {
namespace {

class UnsavedWork : public testing::Test {
 protected:
  void SetUp() override {
    session_.document = edit::make_document(std::make_shared<rig::Character>(test::cylinder()));
    keep_all(session_, session_.document.content);
  }
  void apply(edit::Change change) { edit::apply(session_.document, {std::move(change), {}, true}); }
  Session session_;
};

TEST_F(UnsavedWork, WhatSomebodyMadeIsWorkUntilItIsSavedOrUndone) {
  const std::pair<const char*, edit::Change> kMade[] = {
      {"a selection with a name", edit::NameSelection{"tip", {{1}, {}}}},
      {"vertices with a name", edit::NameSelection{"ring", {{}, {{0, 0, {1, 2}}}}}},
      {"a rotation order", edit::SetEulerOrder{1, EulerOrder::kZXY}},
      {"a layer", edit::SetLayer{edit::find_layer(session_.document.content, "push"), true, {0.01f, 0.5f}}},
      {"a pose", edit::SetDof{1, 0, 0.5f}},
      {"a pin", edit::PinJoints{{1}, true}},
      {"a driver",
       edit::with_driver(session_.document, motion::control_text(*session_.document.character, 1, 0), "10")},
      {"a stored pose", edit::StorePoses{{edit::stored_pose(session_.document, "as it is")}}},
      {"a kept pose", edit::KeepPose{}},
      {"a name", edit::RenameJoint{1, "end"}}};
  for (const auto& [what, change] : kMade) {
    SCOPED_TRACE(what);
    ASSERT_FALSE(has_unsaved_work(session_));
    apply(change);
    EXPECT_TRUE(has_unsaved_work(session_));
    edit::undo(session_.document);
    EXPECT_FALSE(has_unsaved_work(session_)) << "undone";
    edit::redo(session_.document);
    EXPECT_TRUE(has_unsaved_work(session_));
    keep_all(session_, session_.document.content);
  }
}

TEST_F(UnsavedWork, WaysOfLookingAreNoneWithoutASession) {
  deform::SkinningSettings settings;
  settings.influence_limit = 3;
  for (const edit::Change& change : {edit::Change(edit::SetBasePose{edit::BasePose::kBind}),
                                     edit::Change(edit::SetPanes{2}), edit::Change(edit::SetSkinning{settings, 0})}) {
    apply(change);
    EXPECT_FALSE(has_unsaved_work(session_));
  }
  session_.workspace.session_path = "a.pelt";
  EXPECT_TRUE(has_unsaved_work(session_)) << "a session holds them";
}

TEST_F(UnsavedWork, AnExportThatHoldsEverythingIsNoLoss) {
  EXPECT_EQ(words_of_export(session_, 0), "");
  apply(edit::RenameJoint{1, "end"});
  note_export(session_, session_.document.content, "/somewhere/out.glb", false, 10);
  EXPECT_TRUE(has_unsaved_work(session_)) << "something was left out";
  EXPECT_EQ(
      words_of_export(session_, 200),
      "Exported to out.glb 3 minutes ago; the session is not saved. Not in that file: what the export left out or "
      "rounded.");
  note_export(session_, session_.document.content, "/somewhere/out.glb", true, 10);
  EXPECT_FALSE(has_unsaved_work(session_));
  // What no glTF file holds, and what came later, is still lost.
  apply(edit::SetDof{1, 0, 0.5f});
  note_export(session_, session_.document.content, "/somewhere/out.glb", true, 10);
  EXPECT_TRUE(has_unsaved_work(session_));
  apply(edit::RenameJoint{1, "tip"});
  EXPECT_EQ(words_of_export(session_, 20),
            "Exported to out.glb less than a minute ago; the session is not saved. Not in that file: what was changed "
            "of the character since, the pose.");
}

TEST_F(UnsavedWork, AnExportDoesNotSaveASession) {
  session_.workspace.session_path = "a.pelt";
  apply(edit::RenameJoint{1, "end"});
  note_export(session_, session_.document.content, "out.glb", true, 0);
  EXPECT_TRUE(has_unsaved_work(session_)) << "the session's file is the older one";
}

TEST(ShownPreview, ShowsAnotherPoseAndLeavesTheDocumentAsItIs) {
  Session session;
  session.document = edit::make_document(std::make_shared<rig::Character>(test::cylinder()));
  keep_all(session, session.document.content);
  update(session);
  const rig::Pose before = session.evaluation.pose();
  const std::uint64_t hash = edit::content_hash(session.document.content);
  const std::uint64_t version = session.document.state_version;
  const ui::Preview bent{.subject = "a", .key = "a 1", .changes = {edit::SetDof{1, 0, 0.5f}}};
  show_preview(session, bent);
  update(session);
  edit::Document wanted = edit::without_history(session.document);
  edit::apply(wanted, {bent.changes[0], {}, false});
  EXPECT_EQ(session.evaluation.pose(), edit::evaluate_pose(wanted));
  EXPECT_NE(session.evaluation.pose(), before);
  EXPECT_EQ(edit::content_hash(session.document.content), hash);
  EXPECT_EQ(session.document.state_version, version);
  EXPECT_FALSE(has_unsaved_work(session));
  EXPECT_FALSE(edit::can_undo(session.document));
  const std::uint64_t shown = session.evaluation.version();
  show_preview(session, bent);
  EXPECT_FALSE(update(session)) << "the same preview costs nothing";
  EXPECT_EQ(session.evaluation.version(), shown);
  // A change of the document below the preview is seen in it.
  edit::apply(session.document, {edit::SetDof{1, 1, 0.25f}, {}, true});
  show_preview(session, bent);
  update(session);
  edit::apply(wanted, {edit::SetDof{1, 1, 0.25f}, {}, false});
  EXPECT_EQ(session.evaluation.pose(), edit::evaluate_pose(wanted));
  show_preview(session, {});
  update(session);
  EXPECT_EQ(session.evaluation.pose(), edit::evaluate_pose(session.document));
}

TEST(SessionView, KeepsTabAndMode) {
  edit::Document document = edit::make_document(std::make_shared<rig::Character>(test::cylinder()));
  const cli::SessionView view{.tab = "info", .mode = "rig"};
  document.origin.window = cli::to_json(view, document, {});
  const Result<cli::SessionView> again = cli::session_view(document);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->tab, "info");
  EXPECT_EQ(again->mode, "rig");
  document.origin.window = R"({"tab": "info"})";  // of before modes were saved
  const Result<cli::SessionView> older = cli::session_view(document);
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_EQ(older->tab, "info");
  EXPECT_EQ(older->mode, "");
}

// Panes under one method with other weights: what they show, and what they are compared with.
TEST(CandidatesInPanes, AreShownByThePreviewAndComparedWithEachOther) {
  Session session;
  session.document = edit::make_document(std::make_shared<rig::Character>(test::cylinder()));
  for (const edit::Change& change : {edit::Change(edit::SetPanes{2}),
                                     edit::Change(edit::SetSkinning{edit::skinning_of(session.document.content, 0), 1}),
                                     edit::Change(edit::SetDof{1, 0, 1.0f})}) {
    edit::apply(session.document, {change, {}, false});
  }
  edit::Document smoothed = session.document;
  edit::apply(smoothed, {edit::SmoothWeights{.strength = 1, .iterations = 20}, {}, true});
  const std::shared_ptr<const rig::Character> other = smoothed.content.character;
  ASSERT_NE(other, session.document.character);
  ui::Preview preview{.subject = "weights", .key = "a"};
  preview.stand_ins = {nullptr, other};
  show_preview(session, preview);
  update(session);
  const edit::Document& shown = shown_document(session);
  EXPECT_TRUE(session.document.stand_ins.empty());
  EXPECT_EQ(&edit::shown_character(shown, 0), shown.character.get());
  EXPECT_TRUE(edit::same_weights(edit::shown_character(shown, 1), *other));
  const auto frame_of = [&](int pane) {
    cli::FrameRequest request;
    request.view.look = render::Look::kDifference;
    request.view.compare = {.measure = measure::Measure::kDistance, .reference = render::Reference::kPane};
    request.view.compare.pane = 0;
    return cli::make_frame(shown, session.evaluation, request, pane, nullptr,
                           [](const render::Frame&) { return true; });
  };
  const render::Frame frame = frame_of(1);
  EXPECT_EQ(frame.character, &edit::shown_character(shown, 1));
  ASSERT_EQ(frame.reference, &session.evaluation.deformed(shown, 0));
  EXPECT_NE(frame.deformed->parts[0].positions, frame.reference->parts[0].positions);
  EXPECT_EQ(frame_of(0).reference, nullptr) << "held against itself";

  preview.key = "b";
  preview.stand_ins = {other, other};
  show_preview(session, preview);
  EXPECT_EQ(&edit::shown_character(shown_document(session), 0), &edit::shown_character(shown_document(session), 1));
  preview.key = "c";
  preview.stand_ins = {nullptr, std::make_shared<const rig::Character>(test::elbow())};
  show_preview(session, preview);
  EXPECT_TRUE(shown_document(session).stand_ins.empty()) << "of another character";
}

}  // namespace
}  // namespace pelt::app
