// Sessions in the running window: opened, saved, saved unasked, recovered.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/window_state.h"
#include "cli/back_picture.h"
#include "cli/session_file.h"
#include "cli/session_view.h"
#include "core/file.h"
#include "core/guarded_json.h"
#include "core/text.h"
#include "edit/held_edits.h"
#include "edit/reload.h"
#include "ui/modes.h"
#include "ui/tabs.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace pelt::app {
namespace {

constexpr double kAutosaveDelay = 15;  // seconds after the first change; half of what may be lost at most
constexpr double kHashDelay = 1;       // seconds until it is looked again whether the character's file is known
// What an autosave says beside how it was drawn: the session that it would have been saved to, as this program knew it.
constexpr const char* kRecovers = "recovers";
constexpr const char* kRecoversStamp = "recovers_stamp";

std::string window_json(const Session& session, const std::filesystem::path& path) {
  const ui::Workspace& workspace = session.workspace;
  return cli::to_json({workspace.view, workspace.camera, std::string(workspace.tab), std::string(workspace.mode), {}},
                      session.document, path);
}

// The file that the character was read from, as it was read: a file that has changed since has another hash, which the
// next opening finds out. Nothing while that is being found in the background.
std::optional<Result<edit::SessionSource>> source_of(Window& app) {
  using Source = Result<edit::SessionSource>;
  Session& session = app.session;
  edit::SessionOrigin& origin = session.document.origin;
  if (origin.packed == nullptr && (origin.hash.empty() || origin.file != session.opened.name)) {
    if (session.opened.name.empty() || session.opened.name == "-") {
      return Source(error("a session names its character's file, and this one came from none"));
    }
    const std::optional<Result<std::string>> hash =
        app.saving.source.hash_of({session.opened.name, session.opened.stamp, session.opened.beside});
    if (!hash) {
      return std::nullopt;
    }
    if (!*hash) {
      return Source(hash->error());
    }
    origin.file = session.opened.name;
    origin.hash = **hash;
    origin.outside_uris = cli::reads_outside(session.opened.name, session.opened.beside);
  }
  return Source(edit::SessionSource{origin.file, origin.hash, origin.outside_uris});
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
  std::string told = cli::open_session_picture(workspace.view.behind, document.origin.path);
  for (const std::string& note : shown->notes) {
    told += (told.empty() ? "" : ". ") + note;
  }
  if (!told.empty()) {
    show_error(app, told);
  }
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

/// What an autosave says of the session that it would have been saved to.
struct Recovers {
  std::string path;                ///< empty: it was saved to none
  std::optional<FileStamp> stamp;  ///< of that session, as the program that saved unasked had read or written it
};

Recovers recovers_of(std::string_view window) {
  Recovers out;
  const auto json = parse_json<nlohmann::json>(window);
  if (!json || !json->is_object()) {
    return out;
  }
  if (const auto path = json->find(kRecovers); path != json->end() && path->is_string()) {
    out.path = path->get<std::string>();
  }
  const auto stamp = json->find(kRecoversStamp);
  if (stamp != json->end() && stamp->is_array() && stamp->size() == 2 && (*stamp)[0].is_number_integer() &&
      (*stamp)[1].is_number_unsigned()) {
    using Time = std::filesystem::file_time_type;
    out.stamp = FileStamp{Time(Time::duration((*stamp)[0].get<Time::rep>())), (*stamp)[1].get<std::uintmax_t>()};
  }
  return out;
}

std::string autosave_json(const Window& app, const std::filesystem::path& file) {
  const std::string& path = app.session.workspace.session_path;
  nlohmann::ordered_json window = nlohmann::ordered_json::parse(window_json(app.session, file));
  std::error_code failure;
  window[kRecovers] = path.empty() ? std::string() : std::filesystem::absolute(path, failure).string();
  if (const std::optional<FileStamp>& stamp = app.saving.stamp; !path.empty() && stamp) {
    window[kRecoversStamp] = {stamp->time.time_since_epoch().count(), stamp->size};
  }
  return window.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
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

// How the session that an autosave would have been saved to stands to it now.
std::string compared_with_session(const std::filesystem::path& autosave, const Recovers& recovers) {
  if (recovers.path.empty()) {
    return {};
  }
  const std::string name = printable(std::filesystem::path(recovers.path).filename().string());
  const std::optional<FileStamp> now = file_stamp(recovers.path);
  if (!now) {
    return fmt::format("The session {} is not there any more.", name);
  }
  const std::optional<FileStamp> written = file_stamp(autosave);
  std::string saved = time_of(recovers.path);
  if (saved == time_of(autosave)) {
    saved.clear();  // the question has that time already
  }
  if (now == recovers.stamp || !written) {
    return fmt::format("It is newer than the session {}{}.", name, saved.empty() ? "" : ", which was saved " + saved);
  }
  return fmt::format("The session {} was saved again{}{}.", name, saved.empty() ? "" : " " + saved,
                     now->time > written->time ? " and is newer than this" : ", of which this knows nothing");
}

// What a session has beyond what could be opened, in a banner that stays.
void show_lost(Window& app, const std::string& file, bool is_recovered) {
  const std::vector<std::string>& lost = app.session.document.origin.lost;
  const bool is_one = lost.size() == 1;
  const std::string name = printable(std::filesystem::path(file).filename().string(), 200);
  const std::string text = fmt::format(
      "{} holds {} not apply to its character as it is now. {} left out here and {} {}; Save asks for another name.",
      is_recovered ? "What was recovered" : name,
      is_one ? "something that does" : fmt::format("{} things that do", lost.size()), is_one ? "It is" : "They are",
      is_one ? "stays" : "stay", is_recovered ? "to be recovered again" : fmt::format("in {}", name));
  say(fmt::format("{} {}", text, fmt::join(lost, ", ")));
  app.session.workspace.error =
      ui::Notice{Severity::kWarning, text, glfwGetTime(), fmt::format("{}", fmt::join(lost, "\n"))};
}

// Lets go of what the document was recovered from: it goes, unless it has more than that.
void let_go_of_recovered(Saving& saving) {
  if (saving.recovered != nullptr && !saving.recovered_has_more) {
    saving.recovered->discard();
  }
  saving.recovered.reset();
  saving.recovered_has_more = false;
}

// Nothing is to be saved unasked, and what was is not needed. Waits for nothing: what still runs removes its own file
// when it has ended.
void forget_autosaved(Saving& saving) {
  saving.autosave.cancel();
  saving.recovery.forget();
  saving.autosaved = {};
  saving.being_saved = {};
  saving.pending_since = -1;
}

}  // namespace

void begin_session(Window& app, std::optional<FileStamp> stamp) {
  Session& session = app.session;
  Saving& saving = app.saving;
  const edit::SessionOrigin& origin = session.document.origin;
  const bool has_more = !origin.lost.empty();
  keep_all(session, session.document.content);
  session.exported.reset();
  session.workspace.session_path = origin.path;
  saving.stamp = stamp;
  if (saving.recovered != nullptr) {
    const Recovers recovers = recovers_of(origin.window);
    session.workspace.session_path = recovers.path;
    saving.stamp = recovers.stamp;
    saving.recovered_has_more = has_more;
  }
  if (has_more) {
    session.workspace.session_path.clear();
  }
  if (has_more || saving.recovered != nullptr) {
    session.kept = {.overrides = {}, .morphs = {}, .character = nullptr, .content = {}};  // nothing of it is saved
  }
  session.workspace.offers_held = origin.held != nullptr;
  if (has_more) {
    show_lost(app, origin.path, saving.recovered != nullptr);
  } else if (origin.is_changed) {
    show_notice(app, "The character's file has changed since the session was saved");
    session.workspace.notice->severity = Severity::kWarning;
  }
}

void answer_held(Window& app, const ui::Requests& requests) {
  edit::Document& document = app.session.document;
  if (!*requests.carry_over_held) {
    document.origin.held = nullptr;
    return;
  }
  const Result<std::string> done = edit::carry_over_held(document);
  if (!done) {
    show_error(app, done.error().message);
    document.origin.held = nullptr;
    return;
  }
  show_notice(app, *done);
  if (document.origin.lost.empty()) {
    app.session.workspace.error.reset();  // the banner of what was lost
  } else {
    show_lost(app, document.origin.path, app.saving.recovered != nullptr);
  }
}

void take_session(Window& app, Loader::Finished& finished) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  cli::OpenedSessionFile& opened = *finished.session;
  const bool is_recovery = app.opening.recovered != nullptr && app.opening.recovered->session() == finished.file;
  ui::forget_character(workspace);
  end_autosaving(app);
  app.saving.waiting.reset();
  edit::open_document(session.document, std::move(opened.session.document));
  app.opening.lesson.reset();
  app.opening.next_watch = {};
  app.opening.watch = {};
  const bool is_packed = session.document.origin.packed != nullptr;
  if (is_file(opened.source.file) && !is_packed) {
    app.opening.watch.watch(StampedFile{opened.source.file, finished.stamp});
    app.opening.watch.also_watch(opened.beside);
  }
  session.opened = {.name = is_packed ? std::string() : opened.source.file,
                    .allow_outside_uris = opened.source.outside_uris,
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
  if (is_recovery) {
    app.saving.recovered = std::move(app.opening.recovered);
    show_notice(app, "Recovered; save it to keep it");
  } else {
    remember_character_file(app, finished.file);
    keep_preferences(app);
    show_notice(app, fmt::format("Opened {}", printable(std::filesystem::path(finished.file).filename().string())));
  }
  app.opening.recovered.reset();
  begin_session(app, finished.session_stamp);
  set_title(app);
}

void ask_about_session(Window& app, const Loader::Finished& finished) {
  ui::Workspace& workspace = app.session.workspace;
  const ui::PendingSession pending{finished.file, finished.how.located, finished.how.allow_outside,
                                   printable(finished.failure.error.message, 600)};
  if (finished.failure.kind == cli::SessionFailure::Kind::kOutside) {
    workspace.outside = pending;
  } else if (finished.failure.kind == cli::SessionFailure::Kind::kMissing) {
    workspace.missing = pending;
  } else if (app.saving.recovery.holds(finished.file)) {
    app.opening.recovered.reset();  // for whoever can read it
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
  const std::optional<Result<edit::SessionSource>> found = free ? source_of(app) : free.error();
  if (!found) {
    app.saving.waiting = WaitingSave{path, false};
    return;
  }
  const Result<edit::SessionSource>& source = *found;
  const Status saved = source ? cli::save_session_file(session.document, *source, path, window_json(session, path))
                              : Status(source.error());
  if (!saved) {
    show_error(app, saved.error().message);
    app.saving.source.cancel();  // the next attempt looks again
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
  const std::optional<Result<edit::SessionSource>> found = free ? source_of(app) : free.error();
  if (!found) {
    app.saving.waiting = WaitingSave{path, true};
    return;
  }
  const Result<edit::SessionSource>& source = *found;
  const Status packed = source ? cli::pack_session_file(session.document, *source, session.opened.beside, path,
                                                        window_json(session, path))
                               : Status(source.error());
  if (!packed) {
    show_error(app, packed.error().message);
    app.saving.source.cancel();
    return;
  }
  if (path == session.workspace.session_path) {
    app.saving.stamp = file_stamp(path);  // no other program changed it
  }
  show_notice(app, fmt::format("Session packed into {}", path));
}

void keep_saving(Window& app) {
  if (!app.saving.waiting || !source_of(app)) {
    return;
  }
  const WaitingSave waiting = *std::exchange(app.saving.waiting, std::nullopt);
  ui::Requests again;
  if (waiting.pack) {
    again.pack_session = waiting.path;
    pack_session(app, again);
  } else {
    again.save_session = waiting.path;
    save_session(app, again);
  }
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
    app.session.workspace.recoverable.push_back({left.string(), fmt::format("{}, {}", printable(name), time_of(left)),
                                                 compared_with_session(left, recovers_of(head->window))});
  }
}

std::optional<double> autosave_due(const Window& app, double now) {
  const Saving& saving = app.saving;
  if (saving.pending_since < 0 || saving.autosave.active()) {
    return std::nullopt;
  }
  return std::max(0.0, saving.pending_since + kAutosaveDelay - now);
}

void keep_autosaved(Window& app, double now) {
  Session& session = app.session;
  Saving& saving = app.saving;
  if (const std::optional<Status> done = saving.autosave.take()) {
    if (*done) {
      saving.autosaved = saving.being_saved;
      saving.complaint.clear();
      if (!saving.recovered_has_more) {
        let_go_of_recovered(saving);
      }
    } else if (saving.complaint != done->error().message) {
      saving.complaint = done->error().message;
      show_error(app, fmt::format("What is not saved could be lost: {}", saving.complaint));
    }
    saving.being_saved = {};
  }
  const edit::Content& content = session.document.content;
  if (!has_unsaved_work(session)) {
    forget_autosaved(saving);  // what was written aside was undone since
    return;
  }
  if (content == saving.autosaved) {
    saving.pending_since = -1;
    return;
  }
  if (saving.pending_since < 0) {
    saving.pending_since = now;
  }
  if (now - saving.pending_since < kAutosaveDelay || saving.autosave.active()) {
    return;
  }
  const std::optional<Result<edit::SessionSource>> found = source_of(app);
  if (!found) {
    saving.pending_since = now + kHashDelay - kAutosaveDelay;
    return;
  }
  saving.pending_since = now;
  const Result<std::shared_ptr<RecoveryFile>> file = saving.recovery.file();
  const Result<edit::SessionSource>& source = *found;
  if (!file || !source) {
    const std::string why = !file ? file.error().message : source.error().message;
    if (std::exchange(saving.complaint, why) != why) {
      show_error(app, fmt::format("What is not saved could be lost: {}", why));
    }
    return;
  }
  saving.being_saved = content;
  // The work holds the file: as long as it writes the lock is held, and nothing is removed that it may write again.
  saving.autosave.start([document = edit::without_history(session.document), source = *source, file = *file,
                         json = autosave_json(app, (*file)->session())](const Progress&) {
    return std::optional<Status>(cli::save_session_file(document, source, file->session(), json));
  });
}

void end_autosaving(Window& app) {
  forget_autosaved(app.saving);
  let_go_of_recovered(app.saving);
}

}  // namespace pelt::app
