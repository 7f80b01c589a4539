// Sessions as the running window opens, saves and recovers them, without a screen.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/opened_file.h"
#include "app/window_state.h"
#include "edit/commands.h"
#include "edit/edit_fixtures.h"
#include "edit/weight_text.h"
#include "gltf/export.h"
#include "rig/character_parts.h"
#include "support/output_folder.h"
#include "support/patience.h"

namespace pelt::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class WindowSessions : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::output_folder() / "window_sessions" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "work");
    ASSERT_EQ(setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1), 0);
    character_ = (folder_ / "work/cylinder.glb").string();
    session_ = (folder_ / "work/cylinder.pelt").string();
    ASSERT_TRUE(gltf::export_file(test::cylinder(), character_));
    app_ = start();
  }
  // Another program; while it is the only one it ends the one before as a kill does.
  [[nodiscard]] std::unique_ptr<Window> start() const {
    auto app = std::make_unique<Window>();
    app->kept.file = folder_ / "state.json";
    app->session.document = edit::make_document(std::make_shared<const rig::Character>(test::elbow()));
    keep_all(app->session, app->session.document.content);
    return app;
  }
  void restart() {
    app_.reset();
    app_ = start();
    offer_recovery(*app_);
  }

  void collect() const {
    ASSERT_TRUE(test::eventually([&] { return !app_->opening.loader.slot().active(); }));
    collect_loaded(*app_);
  }
  void open(const std::string& file, const cli::SessionOpening& how = {}) const {
    start_opening(*app_, file, how);
    collect();
  }
  // One step more that is not saved.
  void work() const {
    edit::apply(document(), {edit::SmoothWeights{.iterations = 1 + steps_++}, "", true});
    ASSERT_TRUE(has_unsaved_work(app_->session));
  }
  void save(const std::string& path) const {
    ui::Requests requests;
    requests.save_session = path;
    save_session(*app_, requests);
    // The hash of the character's file is found in the background.
    ASSERT_TRUE(test::eventually([&] {
      keep_saving(*app_);
      return !app_->saving.waiting;
    }));
  }
  // What happens within 20 seconds.
  void autosave() const {
    double now = 100;
    ASSERT_TRUE(test::eventually([&] {
      keep_autosaved(*app_, now += 20);
      return app_->saving.autosaved == document().content;
    }));
    ASSERT_EQ(app_->saving.autosaved, document().content);
  }
  // Opens the character, edits its weights, saves that.
  void make_session() const {
    open(character_);
    work();
    save(session_);
    ASSERT_FALSE(has_unsaved_work(app_->session)) << error_text();
  }
  // The character's file becomes one to which edits of the other do not apply.
  void replace_character() const { ASSERT_TRUE(gltf::export_file(test::elbow(), character_)); }
  // A session of unsaved work that no living program has.
  fs::path left_by_a_kill() {
    work();
    autosave();
    restart();
    const auto& offered = app_->session.workspace.recoverable;
    EXPECT_EQ(offered.size(), 1u);
    return offered.empty() ? fs::path() : fs::path(offered[0].file);
  }

  [[nodiscard]] edit::Document& document() const { return app_->session.document; }
  [[nodiscard]] const ui::Workspace& workspace() const { return app_->session.workspace; }
  [[nodiscard]] std::string error_text() const { return workspace().error ? workspace().error->text : ""; }
  [[nodiscard]] fs::path recovery() const { return folder_ / "state/pelt/recovery"; }
  [[nodiscard]] std::size_t data_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(session_ + ".d"), fs::directory_iterator()));
  }

  fs::path folder_;
  std::string character_;
  std::string session_;
  std::unique_ptr<Window> app_;
  mutable int steps_ = 0;
};

// Whoever opens a file again and answers Discard wants it as it is on disk; a reload keeps the edits.
TEST_F(WindowSessions, AFileOpenedAgainIsOpenedAnewAndAReloadKeepsEdits) {
  open(character_);
  const auto as_read = document().content.character;
  work();
  reload_file(*app_);
  collect();
  EXPECT_TRUE(edit::can_undo(document()));
  EXPECT_TRUE(has_unsaved_work(app_->session));
  open(character_);
  EXPECT_FALSE(edit::can_undo(document()));
  EXPECT_EQ(document().history.size(), 1u);
  EXPECT_FALSE(has_unsaved_work(app_->session));
  EXPECT_TRUE(rig::equal(*document().content.character, *as_read));
}

TEST_F(WindowSessions, WhatIsSavedOpensAgain) {
  make_session();
  const std::uint64_t saved = edit::content_hash(document().content);
  restart();
  open(session_);
  EXPECT_EQ(error_text(), "");
  EXPECT_EQ(workspace().session_path, session_);
  EXPECT_FALSE(has_unsaved_work(app_->session));
  EXPECT_EQ(edit::content_hash(document().content), saved);
  work();
  save(session_);
  EXPECT_EQ(error_text(), "") << "it is as this program read it";
  EXPECT_FALSE(has_unsaved_work(app_->session));
}

TEST_F(WindowSessions, ASessionOfWhichSomethingIsLostIsNotWrittenOver) {
  make_session();
  const std::string saved = content_of(session_);
  replace_character();
  restart();
  open(session_);
  EXPECT_EQ(workspace().session_path, "") << "Save asks for a name";
  EXPECT_TRUE(has_unsaved_work(app_->session));
  ASSERT_TRUE(workspace().error) << "a banner stays";
  EXPECT_EQ(workspace().error->severity, Severity::kWarning);
  EXPECT_THAT(error_text(), HasSubstr("cylinder.pelt holds something that does not apply"));
  EXPECT_THAT(workspace().error->details, HasSubstr("edits of ")) << "with what was lost";
  save(folder_ / "work/other.pelt");
  EXPECT_EQ(workspace().session_path, folder_ / "work/other.pelt");
  EXPECT_FALSE(has_unsaved_work(app_->session));
  EXPECT_EQ(content_of(session_), saved);
  EXPECT_EQ(data_files(), 2u);
}

TEST_F(WindowSessions, WhatIsRecoveredGoesOnceItsWorkIsWrittenAsideAnew) {
  make_session();
  const fs::path left = left_by_a_kill();
  open(left);
  EXPECT_EQ(workspace().session_path, session_);
  EXPECT_TRUE(has_unsaved_work(app_->session));
  EXPECT_TRUE(fs::exists(left));
  autosave();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(app_->saving.recovered, nullptr);
  EXPECT_TRUE(left_behind(recovery()).empty()) << "the new one has a living program";
  save(session_);
  EXPECT_EQ(error_text(), "") << "nobody has written the session since";
  EXPECT_TRUE(fs::is_empty(recovery()));
}

TEST_F(WindowSessions, WhatIsRecoveredInPartStays) {
  make_session();
  const fs::path left = left_by_a_kill();
  const std::string before = content_of(left);
  replace_character();
  open(left);
  EXPECT_EQ(workspace().session_path, "");
  EXPECT_THAT(error_text(), HasSubstr("What was recovered holds something"));
  autosave();
  EXPECT_EQ(content_of(left), before) << "what is written aside now has less";
  save(folder_ / "work/other.pelt");
  EXPECT_EQ(content_of(left), before);
  EXPECT_EQ(left_behind(recovery()), std::vector{left}) << "the next start offers it again";
  EXPECT_TRUE(fs::exists(left.string() + ".d"));
}

TEST_F(WindowSessions, ARecoveredSessionIsTakenAsLongAsItIsOpen) {
  make_session();
  const fs::path left = left_by_a_kill();
  open(left);
  EXPECT_TRUE(left_behind(recovery()).empty());
  {
    const std::unique_ptr<Window> second = start();
    start_opening(*second, left.string());
    ASSERT_TRUE(second->session.workspace.error);
    EXPECT_THAT(second->session.workspace.error->text, HasSubstr("is being recovered already"));
    EXPECT_FALSE(second->opening.loader.slot().active());
    ui::Requests discard;
    discard.discard = left.string();
    discard_recovery(*second, discard);
    EXPECT_TRUE(fs::exists(left));
  }
  end_autosaving(*app_);  // given up
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(WindowSessions, WhatCouldNotBeRecoveredIsLetGo) {
  make_session();
  const fs::path left = left_by_a_kill();
  std::ofstream(left) << "{\"pelt\": \"session\"}";
  open(left);
  EXPECT_FALSE(error_text().empty());
  EXPECT_EQ(left_behind(recovery()), std::vector{left});
}

TEST_F(WindowSessions, AnOldAutosaveDoesNotWriteOverANewerSession) {
  make_session();
  work();
  autosave();
  // The other program lives on while this one saves: as where both had it open, and one was killed.
  std::unique_ptr<Window> killed = std::exchange(app_, start());
  open(session_);
  work();
  work();
  save(session_);
  ASSERT_EQ(error_text(), "");
  fs::last_write_time(session_, fs::file_time_type::clock::now() + 1h);
  const std::string newer = content_of(session_);
  killed.reset();
  restart();
  ASSERT_EQ(workspace().recoverable.size(), 1u);
  EXPECT_THAT(workspace().recoverable[0].session, HasSubstr("The session cylinder.pelt was saved again"));
  EXPECT_THAT(workspace().recoverable[0].session, HasSubstr("and is newer than this"));
  open(workspace().recoverable[0].file);
  ASSERT_EQ(workspace().session_path, session_);
  save(session_);
  EXPECT_THAT(error_text(), HasSubstr("was changed by another program"));
  EXPECT_EQ(content_of(session_), newer) << "said, and not done";
  save(session_);
  EXPECT_EQ(error_text(), "");
  EXPECT_NE(content_of(session_), newer);
}

// A pose that was kept is work, and comes back after a kill with where the skin was in it.
TEST_F(WindowSessions, AKeptPoseOutlivesAKill) {
  make_session();
  edit::apply(document(), {edit::KeepPose{}, "", true});
  ASSERT_TRUE(has_unsaved_work(app_->session));
  const edit::KeptPoses kept = document().content.kept_poses;
  ASSERT_EQ(kept.size(), 1u);
  ASSERT_FALSE(kept[0].places.empty());
  (void)left_by_a_kill();
  open(workspace().recoverable.at(0).file);
  EXPECT_EQ(document().content.kept_poses, kept);
  EXPECT_TRUE(app_->session.document.lost.empty());
}

// On another thread: it can be cancelled, and then there is no file.
TEST_F(WindowSessions, WeightsAreSavedAsATextInTheBackground) {
  open(character_);
  const std::string file = (folder_ / "work/weights.txt").string();
  const auto ended = [&] { return !app_->weight_text.active(); };
  save_weight_text(*app_, file);
  ASSERT_TRUE(test::eventually(ended));
  collect_weight_text(*app_);
  EXPECT_EQ(content_of(file), edit::weights_as_text(*edit::own_character(document())));
  ASSERT_TRUE(workspace().notice);
  EXPECT_EQ(workspace().notice->text, "Weights saved to " + file);
  app_->session.workspace.notice.reset();
  save_weight_text(*app_, (folder_ / "nowhere/weights.txt").string());
  ASSERT_TRUE(test::eventually(ended));
  collect_weight_text(*app_);
  EXPECT_THAT(error_text(), HasSubstr("nowhere"));
  const std::string other = (folder_ / "work/other.txt").string();
  save_weight_text(*app_, other);
  cancel_job(*app_, app_->weight_text.id());
  EXPECT_EQ(workspace().notice->text, "The weights are not saved");
  ASSERT_TRUE(test::eventually(ended));
  collect_weight_text(*app_);
  EXPECT_EQ(workspace().notice->text, "The weights are not saved") << "nothing is delivered any more";
}

TEST_F(WindowSessions, TheQuestionSaysHowTheSessionStandsToIt) {
  make_session();
  (void)left_by_a_kill();
  EXPECT_THAT(workspace().recoverable.at(0).session, HasSubstr("It is newer than the session cylinder.pelt"));
  // Both are of the same minute, or of two: in either case no time stands there twice.
  const std::string& label = workspace().recoverable.at(0).label;
  const std::string time = label.substr(label.rfind(", ") + 2);
  ASSERT_EQ(time.size(), std::string("2026-11-26 14:32").size()) << label;
  EXPECT_THAT(workspace().recoverable.at(0).session, testing::Not(HasSubstr(time)));
  fs::last_write_time(session_, fs::file_time_type::clock::now() - 1h);
  restart();
  EXPECT_THAT(workspace().recoverable.at(0).session, HasSubstr("of which this knows nothing"));
  fs::remove(session_);
  restart();
  EXPECT_EQ(workspace().recoverable.at(0).session, "The session cylinder.pelt is not there any more.");
  open(workspace().recoverable.at(0).file);
  save(session_);
  EXPECT_EQ(error_text(), "") << "nothing is written over";
  EXPECT_TRUE(fs::exists(session_));
}

TEST_F(WindowSessions, WorkDoneWhileASessionIsReadIsAskedAboutWithAllThatWasSaid) {
  make_session();
  restart();
  open(character_);
  fs::rename(character_, folder_ / "work/moved.glb");
  open(session_);
  EXPECT_EQ(workspace().missing.file, session_);
  EXPECT_THAT(workspace().missing.why, HasSubstr("its character is not at"));
  cli::SessionOpening how;
  how.located = folder_ / "work/moved.glb";
  how.allow_outside = true;
  start_opening(*app_, session_, how);
  work();
  collect();
  ASSERT_TRUE(workspace().leaving);
  EXPECT_EQ(workspace().leaving->open_file, session_);
  EXPECT_EQ(workspace().leaving->located, how.located);
  EXPECT_TRUE(workspace().leaving->agreed);
  app_->session.workspace.leaving.reset();
  open(session_, how);
  EXPECT_EQ(workspace().session_path, session_) << "given up by an answer";
}

// A character whose buffer lies beside its folder.
// A vertex of the character's file has moved, so that the session's weights are offered as a transfer.
TEST_F(WindowSessions, EditsOfAnotherVersionOfTheFileAreCarriedOverOrLeftOut) {
  make_session();
  const mesh::Influences edited = *document().content.character->meshes[0].primitives[0].influences;
  rig::Character newer = test::cylinder();
  newer.meshes.edit(0).primitives.edit(0).positions.edit()[0].y += 0.01f;
  ASSERT_TRUE(gltf::export_file(newer, character_));
  for (const bool carries : {false, true}) {
    open(session_);
    ASSERT_TRUE(workspace().offers_held);
    ASSERT_NE(document().origin.held, nullptr);
    EXPECT_THAT(error_text(), HasSubstr("holds something that does not apply to its character"));
    const edit::Content before = document().content;
    ui::Requests answer;
    answer.carry_over_held = carries;
    answer_held(*app_, answer);
    EXPECT_EQ(document().origin.held, nullptr);
    EXPECT_EQ(document().content == before, !carries);
    EXPECT_EQ(edit::can_undo(document()), carries);
    EXPECT_EQ(error_text().empty(), carries) << "the banner stays as long as something is lost";
    EXPECT_TRUE(workspace().session_path.empty()) << "saving asks for a name";
  }
  ASSERT_TRUE(workspace().notice);
  EXPECT_THAT(workspace().notice->text, HasSubstr("vertices matched, at most "));
  const mesh::Influences& rows = document().content.character->meshes[0].primitives[0].influences;
  for (std::size_t v = 1; v < edited.vertex_count(); ++v) {
    ASSERT_TRUE(mesh::same_row(rows.row(v), edited.row(v))) << v;
  }
  edit::undo(document());
  EXPECT_TRUE(rig::equal(*document().content.character, *document().file));
}

class WindowSessionsOutside : public WindowSessions {
 protected:
  void SetUp() override {
    WindowSessions::SetUp();
    character_ = (folder_ / "work/cylinder.gltf").string();
    gltf::ExportOptions how;
    how.form = gltf::FileForm::kSeparate;
    ASSERT_TRUE(gltf::export_file(test::cylinder(), character_, how));
    fs::path buffer;
    for (const auto& entry : fs::directory_iterator(folder_ / "work")) {
      buffer = entry.path().extension() == ".bin" ? entry.path() : buffer;
    }
    ASSERT_FALSE(buffer.empty());
    const std::string name = buffer.filename().string();
    buffer_ = folder_ / name;
    fs::rename(buffer, buffer_);
    std::string text = content_of(character_);
    const std::size_t at = text.find("\"" + name);
    ASSERT_NE(at, std::string::npos);
    text.insert(at + 1, "../");
    std::ofstream(character_) << text;
    allow();
  }
  // As `--allow-outside-uris` on the command line does.
  void allow() const {
    app_->request.file = character_;
    app_->request.allow_outside_uris = true;
  }
  fs::path buffer_;
};

TEST_F(WindowSessionsOutside, ItsSessionAsksAndThenOpens) {
  make_session();
  EXPECT_THAT(content_of(session_), HasSubstr("\"outside_uris\": true"));
  const std::uint64_t saved = edit::content_hash(document().content);
  restart();
  open(session_);
  EXPECT_EQ(workspace().outside.file, session_) << error_text();
  EXPECT_THAT(workspace().outside.why, HasSubstr("was read with files outside of its folder"));
  cli::SessionOpening agreed;
  agreed.allow_outside = true;
  open(session_, agreed);
  EXPECT_EQ(workspace().session_path, session_) << error_text();
  EXPECT_EQ(edit::content_hash(document().content), saved);
  EXPECT_TRUE(app_->session.opened.allow_outside_uris);
  const auto before = document().file;
  reload_file(*app_);
  collect();
  EXPECT_EQ(document().file, before) << "read again as it was: nothing is missing";
  work();
  save(session_);
  EXPECT_THAT(content_of(session_), HasSubstr("\"outside_uris\": true")) << "it is noted again";
}

TEST_F(WindowSessionsOutside, WhatAKillLeftOpensAsItWasRead) {
  make_session();
  const fs::path left = left_by_a_kill();
  open(left);
  EXPECT_EQ(workspace().outside.file, "") << error_text();
  EXPECT_EQ(workspace().session_path, session_);
  EXPECT_EQ(document().file->meshes[0].primitives[0].vertex_count(),
            test::cylinder().meshes[0].primitives[0].vertex_count());
}

TEST_F(WindowSessionsOutside, ABufferThatHasChangedIsNotHashedForTheEdits) {
  open(character_);
  work();
  std::ofstream(buffer_, std::ios::app) << "another";
  save(session_);
  ASSERT_EQ(error_text(), "");
  EXPECT_EQ(document().origin.hash.find("sha256:"), std::string::npos) << document().origin.hash;
}

TEST_F(WindowSessions, WhatCouldBeLostWaitsForNothingElse) {
  open(character_);
  work();
  std::atomic<bool> ends = false;
  std::vector<std::unique_ptr<JobSlot<bool>>> slots;
  for (int i = 0; i < 40; ++i) {
    for (const Jobs::Kind kind : {Jobs::Kind::kLong, Jobs::Kind::kLive, Jobs::Kind::kAsked}) {
      slots.push_back(std::make_unique<JobSlot<bool>>(app_->jobs, kind, "busy"));
      slots.back()->start([&](const Progress&) {
        while (!ends) {
          std::this_thread::sleep_for(1ms);
        }
        return std::optional(true);
      });
    }
  }
  autosave();
  EXPECT_EQ(static_cast<int>(std::distance(fs::directory_iterator(recovery()), fs::directory_iterator())), 3)
      << "session, data and lock";
  ends = true;
  EXPECT_TRUE(test::eventually([&] { return app_->jobs->list().empty(); }));
}

TEST_F(WindowSessions, GivingUpWaitsForNoAutosaveAndTheLockOutlivesIt) {
  open(character_);
  std::atomic<bool> ends = false;
  std::atomic<bool> begun = false;
  std::shared_ptr<RecoveryFile> file = *app_->saving.recovery.file();
  const fs::path session = file->session();
  app_->saving.autosave.start([&, held = file](const Progress&) {
    begun = true;
    while (!ends) {
      std::this_thread::sleep_for(1ms);
    }
    std::ofstream(held->session()) << "late";
    return std::optional(Status());
  });
  file.reset();
  ASSERT_TRUE(test::eventually([&] { return begun.load(); }));
  const auto before = std::chrono::steady_clock::now();
  end_autosaving(*app_);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 60s) << "it ends only afterwards";
  EXPECT_TRUE(fs::exists(fs::path(session).replace_extension(".lock")));
  EXPECT_EQ(RecoveryFile::take(session), nullptr) << "nobody may take what is being written";
  ends = true;
  EXPECT_TRUE(test::eventually([&] { return fs::is_empty(recovery()); })) << "nothing is left of it";
}

TEST_F(WindowSessions, TheWindowSleepsWhileItIsSavedUnasked) {
  open(character_);
  work();
  keep_autosaved(*app_, 100);
  EXPECT_DOUBLE_EQ(autosave_due(*app_, 105).value_or(-1), 10);
  EXPECT_DOUBLE_EQ(autosave_due(*app_, 130).value_or(-1), 0);
  std::atomic<bool> ends = false;
  app_->saving.autosave.start([&](const Progress&) {
    while (!ends) {
      std::this_thread::sleep_for(1ms);
    }
    return std::optional(Status());
  });
  EXPECT_EQ(autosave_due(*app_, 130), std::nullopt) << "its end wakes the window";
  ends = true;
  EXPECT_TRUE(test::eventually([&] { return !app_->saving.autosave.active(); }));
}

TEST_F(WindowSessions, TheCommandLineOpensASessionAsTheFileMenuDoes) {
  make_session();
  restart();
  open(session_);
  const OpenedFile by_menu = app_->session.opened;
  cli::ViewRequest request;
  request.file = session_;
  request.stamp = by_menu.stamp;
  const OpenedFile by_command = opened_file(request, document());
  EXPECT_EQ(by_command.name, character_);
  EXPECT_EQ(by_command.name, by_menu.name);
  EXPECT_EQ(by_command.character.lock(), by_menu.character.lock());
  app_->session.opened = by_command;
  EXPECT_FALSE(is_as_read(app_->session)) << "its weights are edited: what is said of the file is not true of it";
  begin_session(*app_, file_stamp(session_));
  EXPECT_EQ(workspace().session_path, session_);
  EXPECT_FALSE(has_unsaved_work(app_->session));
  replace_character();
  restart();
  open(session_);
  begin_session(*app_, file_stamp(session_));
  EXPECT_EQ(workspace().session_path, "") << "here as well";
  EXPECT_TRUE(has_unsaved_work(app_->session));

  cli::ViewRequest plain;
  plain.file = character_;
  plain.allow_outside_uris = true;
  restart();  // else it would be a newer version of what is open
  open(character_);
  EXPECT_EQ(opened_file(plain, document()).name, character_);
  EXPECT_EQ(opened_file(plain, document()).character.lock(), edit::own_character(document()));
  EXPECT_TRUE(opened_file(plain, document()).allow_outside_uris);
}

}  // namespace
}  // namespace pelt::app
