// Sessions in the running window: opened, saved, saved unasked, recovered.
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/window_state.h"
#include "cli/session_file.h"
#include "cli/session_view.h"
#include "core/file.h"
#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/reload.h"
#include "formats/source_hash.h"
#include "ui/modes.h"
#include "ui/tabs.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace pelt::app {
namespace {

constexpr double kAutosaveDelay = 15;  // seconds after the first change; half of what may be lost at most
constexpr const char* kRecovers = "recovers";

std::string window_json(const Session& session) {
  const ui::Workspace& workspace = session.workspace;
  return cli::to_json({workspace.view, workspace.camera, std::string(workspace.tab), std::string(workspace.mode)},
                      session.document);
}

// The file that the character was read from, as it was read: a file that has changed since has another hash, which the
// next opening finds out.
Result<edit::SessionSource> source_of(Session& session) {
  edit::SessionOrigin& origin = session.document.origin;
  if (origin.packed != nullptr) {
    return edit::SessionSource{origin.file, origin.hash};
  }
  if (origin.hash.empty() || origin.file != session.opened.name) {
    if (session.opened.name.empty() || session.opened.name == "-") {
      return error("a session names its character's file, and this one came from none");
    }
    const bool is_as_it_was = !is_file(session.opened.name) || file_stamp(session.opened.name) == session.opened.stamp;
    PELT_TRY_TO(const std::string hash,
                is_as_it_was ? formats::source_hash(session.opened.name, session.opened.beside)
                             : Result<std::string>("unknown: it had changed when the session was saved"));
    origin.file = session.opened.name;
    origin.hash = hash;
  }
  return edit::SessionSource{origin.file, origin.hash};
}

void show_session(Window& app, const edit::Document& document) {
  ui::Workspace& workspace = app.session.workspace;
  const Result<cli::SessionView> shown = cli::session_view(document);
  if (!shown) {
    show_error(app, shown.error().message);
    return;
  }
  if (document.origin.window.empty()) {
    return;
  }
  const auto image = workspace.view.environment_image;
  workspace.view = shown->view;
  workspace.view.environment_image = image;
  app.needs_framing = !shown->camera;
  if (shown->camera) {
    workspace.camera = *shown->camera;
    workspace.framed.reset();
  }
  if (const ui::Tab* tab = ui::find_tab(shown->tab)) {
    ui::show_tab_in(workspace, tab->id, shown->mode);
  }
}

// The session that a recovered one was, or would have been saved to.
std::string recovered_path(const edit::Document& document) {
  const auto window = parse_json<nlohmann::json>(document.origin.window);
  const auto found = window && window->is_object() ? window->find(kRecovers) : nlohmann::json::const_iterator();
  return window && window->is_object() && found != window->end() && found->is_string() ? found->get<std::string>()
                                                                                       : std::string();
}

std::string time_of(const std::filesystem::path& path) {
  std::error_code failure;
  const auto written = std::filesystem::last_write_time(path, failure);
  const auto system = std::chrono::file_clock::to_sys(written);
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(system));
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local);
  return text.data();
}

}  // namespace

void take_session(Window& app, Loader::Finished& finished) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  cli::OpenedSessionFile& opened = *finished.session;
  const bool is_recovery = !app.saving.recovery.folder().empty() &&
                           std::filesystem::path(finished.file).parent_path() == app.saving.recovery.folder();
  ui::forget_character(workspace);
  end_autosaving(app);
  edit::open_document(session.document, std::move(opened.session.document));
  app.opening.lesson.reset();
  app.opening.next_watch = {};
  app.opening.watch = {};
  if (is_file(opened.source.file) && session.document.origin.packed == nullptr) {
    app.opening.watch.watch(StampedFile{opened.source.file, finished.stamp});
    app.opening.watch.also_watch(opened.beside);
  }
  const bool is_packed = session.document.origin.packed != nullptr;
  session.opened = {.name = is_packed ? std::string() : opened.source.file,
                    .allow_outside_uris = false,
                    .stamp = finished.stamp,
                    .beside = opened.beside,
                    .character = session.document.file};
  app.pose_on_disk.forget();
  workspace.playback.playing = false;
  workspace.error.reset();
  session.parity.reset();
  session.parity_error.clear();
  app.laboratory.forget(session);
  show_session(app, session.document);
  keep_all(session, session.document.content);
  workspace.session_path = finished.file;
  app.saving.stamp = file_stamp(finished.file);
  if (is_recovery) {
    workspace.session_path = recovered_path(session.document);
    app.saving.stamp = file_stamp(workspace.session_path);
    session.kept = {.overrides = {}, .morphs = {}, .character = nullptr, .content = {}};  // nothing of it is saved
    app.saving.recovered = finished.file;
    show_notice(app, "Recovered; save it to keep it");
  } else {
    remember_character_file(app, finished.file);
    keep_preferences(app);
    show_notice(app, fmt::format("Opened {}", printable(std::filesystem::path(finished.file).filename().string())));
  }
  if (const std::string lost = edit::lost_sentence(opened.session.lost); !lost.empty() || opened.is_changed) {
    workspace.notice->severity = Severity::kWarning;
    workspace.notice->text = fmt::format("The character's file has changed since the session was saved{}{}",
                                         lost.empty() ? "" : ". ", printable(lost, 400));
    workspace.notice->details = fmt::format("{}", fmt::join(opened.session.lost, "\n"));
  }
  set_title(app);
}

void ask_about_session(Window& app, const Loader::Finished& finished) {
  ui::Workspace& workspace = app.session.workspace;
  if (finished.failure.kind == cli::SessionFailure::Kind::kOutside) {
    workspace.outside = finished.file;
  } else if (finished.failure.kind == cli::SessionFailure::Kind::kMissing) {
    workspace.missing = finished.file;
  }
}

void save_session(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  const std::string& path = requests.save_session;
  // What another program has written there meanwhile is replaced by the second attempt alone.
  if (const std::optional<FileStamp> now = file_stamp(path);
      path == session.workspace.session_path && now && now != std::exchange(app.saving.stamp, now)) {
    show_error(app, fmt::format("{} was changed by another program since it was opened or saved here; save again to "
                                "replace it, or save under another name",
                                printable(path, 200)));
    return;
  }
  const Status free = check_not_shown(app, path);
  const Result<edit::SessionSource> source = free ? source_of(session) : free.error();
  const Status saved =
      source ? cli::save_session_file(session.document, *source, path, window_json(session)) : Status(source.error());
  if (!saved) {
    show_error(app, saved.error().message);
    return;
  }
  session.workspace.session_path = path;
  app.saving.stamp = file_stamp(path);
  session.workspace.error.reset();  // perhaps of the attempt before
  keep_all(session, session.document.content);
  end_autosaving(app);
  remember_character_file(app, path);
  keep_preferences(app);
  show_notice(app, fmt::format("Session saved to {}", path));
  set_title(app);
}

void pack_session(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  const std::string& path = requests.pack_session;
  const Status free = check_not_shown(app, path);
  const Result<edit::SessionSource> source = free ? source_of(session) : free.error();
  const Status packed =
      source ? cli::pack_session_file(session.document, *source, session.opened.beside, path, window_json(session))
             : Status(source.error());
  if (!packed) {
    show_error(app, packed.error().message);
    return;
  }
  show_notice(app, fmt::format("Session packed into {}", path));
}

void recover(Window& app, const ui::Requests& requests) {
  cli::SessionOpening how;
  how.allow_outside = true;  // this program wrote it
  start_opening(app, requests.recover, how);
}

void discard_recovery(Window&, const ui::Requests& requests) {
  remove_left_behind(requests.discard);
}

void offer_recovery(Window& app) {
  for (const std::filesystem::path& left : left_behind(app.saving.recovery.folder())) {
    const Result<std::string> text = read_file(left, edit::kSessionLimits.bytes);
    const Result<edit::SessionHead> head = text ? edit::session_head(*text) : text.error();
    if (!head) {
      continue;  // it stays for whoever can read it
    }
    const std::string name = std::filesystem::path(head->source.file).filename().string();
    app.session.workspace.recoverable.push_back({left.string(), fmt::format("{}, {}", printable(name), time_of(left))});
  }
}

std::optional<double> autosave_due(const Window& app) {
  const Saving& saving = app.saving;
  if (saving.pending_since < 0) {
    return std::nullopt;
  }
  return std::max(0.0, saving.pending_since + kAutosaveDelay - glfwGetTime());
}

void keep_autosaved(Window& app) {
  Session& session = app.session;
  Saving& saving = app.saving;
  if (const std::optional<Status> done = saving.autosave.take()) {
    if (*done) {
      saving.autosaved = saving.being_saved;
      saving.complaint.clear();
      if (!saving.recovered.empty()) {
        remove_left_behind(std::exchange(saving.recovered, {}));
      }
    } else if (saving.complaint != done->error().message) {
      saving.complaint = done->error().message;
      show_error(app, fmt::format("What is not saved could be lost: {}", saving.complaint));
    }
    saving.being_saved = {};
  }
  const edit::Content& content = session.document.content;
  if (!has_unsaved_work(session)) {
    saving.pending_since = -1;
    if (!saving.autosave.active()) {
      saving.recovery.forget();  // what was written aside was undone since
      saving.autosaved = {};
    }
    return;
  }
  if (content == saving.autosaved) {
    saving.pending_since = -1;
    return;
  }
  if (saving.pending_since < 0) {
    saving.pending_since = glfwGetTime();
  }
  if (glfwGetTime() - saving.pending_since < kAutosaveDelay || saving.autosave.active()) {
    return;
  }
  saving.pending_since = glfwGetTime();
  const Result<std::filesystem::path> file = saving.recovery.file();
  const Result<edit::SessionSource> source = source_of(session);
  if (!file || !source) {
    const std::string why = !file ? file.error().message : source.error().message;
    if (std::exchange(saving.complaint, why) != why) {
      show_error(app, fmt::format("What is not saved could be lost: {}", why));
    }
    return;
  }
  nlohmann::ordered_json window = nlohmann::ordered_json::parse(window_json(session));
  std::error_code failure;
  window[kRecovers] = session.workspace.session_path.empty()
                          ? std::string()
                          : std::filesystem::absolute(session.workspace.session_path, failure).string();
  saving.being_saved = content;
  saving.autosave.start(
      [document = edit::without_history(session.document), source = *source, file = *file,
       json = window.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)](const Progress&) {
        return std::optional<Status>(cli::save_session_file(document, source, file, json));
      });
}

void end_autosaving(Window& app) {
  Saving& saving = app.saving;
  saving.autosave.wait(std::chrono::seconds(10));  // it must not write behind what is removed now
  saving.autosave.cancel();
  saving.recovery.forget();
  if (!saving.recovered.empty()) {
    remove_left_behind(std::exchange(saving.recovered, {}));
  }
  saving.autosaved = {};
  saving.being_saved = {};
  saving.pending_since = -1;
}

}  // namespace pelt::app
