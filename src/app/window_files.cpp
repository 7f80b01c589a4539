// Characters that the running window opens, and follows on disk.
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/window_state.h"
#include "core/text.h"
#include "edit/reload.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace pelt::app {
namespace {

// What the command line allowed holds for the file that it named.
bool may_leave_folder(const Window& app, const std::string& file) {
  return app.request.allow_outside_uris && file == app.request.file;
}

// What was allowed for the open character, on the command line or by an answer, holds as long as it is open.
bool may_leave_folder_again(const Window& app, const std::string& file) {
  return app.session.opened.allow_outside_uris && file == app.session.opened.name;
}

// A newer version of the character shown has come: camera, pose, selection and panels stay.
void take_newer_version(Window& app, std::shared_ptr<const rig::Character> character) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  const rig::SurfaceChoice surface = session.surface_to_come.value_or(session.document.surface);
  const bool unsaved = has_unsaved_work(session);
  const edit::ReloadReport report = edit::reload_character(session.document, std::move(character));
  const std::string shown_again = ui::follow_newer_version(workspace, report.numbers, *session.document.character);
  session.opened.character = session.document.file;
  session.document.origin.hash.clear();  // of the older version
  app.saving.source.cancel();
  if (!unsaved) {
    keep_all(session, session.document.content);  // its angles were read anew
  }
  workspace.playback.playing = workspace.playback.playing && session.document.content.clip >= 0;
  session.parity.reset();
  session.parity_error.clear();
  app.laboratory.forget(session);
  ui::Requests again;
  again.surface = surface;
  if (const Status made = app.surfaces.update(session, again); !made) {
    show_error(app, made.error().message);
  }
  const std::string lost = edit::lost_sentence(report.lost);
  std::string notice = "Reloaded " + printable(session.document.character->name);
  for (const std::string& sentence : {lost, shown_again}) {
    notice += sentence.empty() ? "" : ". " + printable(sentence);
  }
  show_notice(app, std::move(notice));
  set_title(app);
}

// A character has come: it replaces the one shown.
void take_character(Window& app, const std::string& file, std::shared_ptr<const rig::Character> character, int clip) {
  Session& session = app.session;
  session.opened.character = character;
  edit::open_character(session.document, std::move(character));
  ui::Workspace& workspace = session.workspace;
  ui::forget_character(workspace);
  end_autosaving(app);
  app.saving.waiting.reset();
  session.exported.reset();
  workspace.session_path.clear();
  app.pose_on_disk.forget();
  workspace.view.skeleton = workspace.view.skeleton || session.document.character->parts.empty();
  workspace.playback.playing = clip >= 0;
  edit::apply(session.document, {edit::SetClip{clip}, {}, false});
  session.parity.reset();
  session.parity_error.clear();
  app.laboratory.forget(session);
  app.needs_framing = true;
  if (!file.starts_with('@')) {
    remember_character_file(app, file);
    keep_preferences(app);
  }
  show_notice(app, fmt::format("Opened {}", printable(session.document.character->name)));
  set_title(app);
  if (app.opening.lesson && file == lesson_file(*app.opening.lesson)) {
    ui::Requests first;
    first.measure_series = begin_lesson(session, *app.opening.lesson);
    update(session);
    app.laboratory.update(session, first);
  }
  app.opening.lesson.reset();
  keep_all(session, session.document.content);
}

void read(Window& app, const std::string& file, Loader::How how) {
  // Watched from before it is read: no change may slip in between.
  app.opening.next_watch.watch(is_file(file) ? std::filesystem::path(file) : std::filesystem::path());
  app.opening.given_up = app.session.document.content;
  app.opening.loader.start(file, std::move(how));
}

// Whether a file may be opened: one that a program left behind is taken, so that no other offers it meanwhile. What was
// taken before for another opening is let go.
bool take_left_behind(Window& app, const std::string& file) {
  std::shared_ptr<RecoveryFile>& taken = app.opening.recovered;
  if (!app.saving.recovery.holds(file)) {
    taken.reset();
    return true;
  }
  if (taken == nullptr || taken->session() != file) {
    taken = RecoveryFile::take(file);
  }
  return taken != nullptr;
}

}  // namespace

bool is_file(const std::string& name) {
  return !name.empty() && !name.starts_with('@') && name != "-";
}

void start_opening(Window& app, const std::string& file, cli::SessionOpening session) {
  if (!take_left_behind(app, file)) {
    show_error(app, fmt::format("{} is being recovered already, here or in another window of Pelt",
                                printable(std::filesystem::path(file).filename().string(), 200)));
    return;
  }
  const bool may_leave = may_leave_folder(app, file);
  session.import.allow_outside_uris = session.import.allow_outside_uris || may_leave;
  session.allow_outside = session.allow_outside || may_leave || app.opening.recovered != nullptr;  // Pelt wrote it
  read(app, file, {may_leave, std::move(session)});
}

void reload_file(Window& app) {
  const std::string file = app.session.document.character->source.string();
  read(app, file, {may_leave_folder(app, file) || may_leave_folder_again(app, file), {}, true});
}

void collect_loaded(Window& app) {
  std::optional<Loader::Finished> finished = app.opening.loader.take();
  if (!finished) {
    return;
  }
  if (finished->character) {
    // A file that is opened again is opened anew: whoever answered "Discard" wants the edits to be gone.
    const bool newer =
        finished->reload && is_file(finished->file) && app.session.document.character->source == finished->file;
    const edit::Content& state = app.session.document.content;
    if (!newer && has_unsaved_work(app.session) && state != app.opening.given_up) {
      // The pose was changed while the file was being read: nobody was asked about that one.
      const std::optional<ui::TeachingRig> lesson = std::exchange(app.opening.lesson, std::nullopt);
      app.session.workspace.leaving = ui::Leaving{.open_file = lesson ? std::string() : finished->file,
                                                  .located = finished->how.located,
                                                  .agreed = finished->how.allow_outside,
                                                  .teach = lesson};
      app.opening.next_watch = {};
      return;
    }
    if (finished->session != nullptr) {
      take_session(app, *finished);
      return;
    }
    if (app.opening.next_watch.active() || app.opening.watch.file() != finished->file) {
      app.opening.watch = std::exchange(app.opening.next_watch, {});
    }
    app.opening.watch.also_watch(finished->files);
    app.session.opened = {.name = finished->file,
                          .allow_outside_uris = may_leave_folder(app, finished->file) ||
                                                (newer && may_leave_folder_again(app, finished->file)),
                          .stamp = finished->stamp,
                          .beside = std::move(finished->files),
                          .character = {}};
    if (newer) {
      take_newer_version(app, *std::move(finished->character));
    } else {
      take_character(app, finished->file, *std::move(finished->character), finished->clip);
    }
  } else {
    app.opening.next_watch = {};
    show_error(app, finished->character.error().message);
    ask_about_session(app, *finished);
  }
}

bool follow_file(Window& app) {
  if (!app.session.workspace.watch || app.opening.loader.slot().active()) {
    return false;
  }
  const FileNews news = app.opening.watch.look(glfwGetTime());
  if (news == FileNews::kNone) {
    return false;
  }
  if (news == FileNews::kGone) {
    show_error(app, fmt::format("{} is gone; the character stays as it is, and the file is read again when it is back",
                                printable(app.opening.watch.gone().filename().string(), 200)));
    return true;
  }
  app.opening.next_watch = {};
  const std::string file = app.opening.watch.file().string();
  app.opening.loader.start(file, {may_leave_folder(app, file) || may_leave_folder_again(app, file), {}, true});
  return true;
}

}  // namespace pelt::app
