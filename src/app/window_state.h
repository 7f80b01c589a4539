#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/exporter.h"
#include "app/file_watch.h"
#include "app/glfw_window.h"
#include "app/laboratory.h"
#include "app/loader.h"
#include "app/paint_layout.h"
#include "app/pose_on_disk.h"
#include "app/pose_pictures.h"
#include "app/preparer.h"
#include "app/recovery.h"
#include "app/sample_choice.h"
#include "app/session.h"
#include "app/source_job.h"
#include "app/surfaces.h"
#include "cli/cli.h"
#include "core/jobs.h"
#include "render/picture.h"
#include "ui/workspace.h"

// The running window and what its sources do to it. Only window*.cpp and their tests include this.

namespace pelt::app {

/// What is kept between sessions, and what of it is on disk.
struct KeptPreferences {
  std::filesystem::path file;
  ui::Preferences saved;
  ui::LightPreferences known_light;  ///< what the command line asked for counts once
};

/// The document as it was when its export began.
struct BeingExported {
  edit::Content content;
  std::string file;
  bool is_shown = true;  ///< the file gets the document's own surface and all of its layers
};

/// Files that are opened, and followed on disk.
struct Opening {
  explicit Opening(const std::shared_ptr<Jobs>& jobs) : loader(jobs) {}
  Loader loader;
  std::optional<ui::TeachingRig> lesson;    ///< its rig is being opened
  edit::Content given_up;                   ///< that opening may lose: what was not saved was asked about
  std::shared_ptr<RecoveryFile> recovered;  ///< what is being opened, where another program has left it behind
  FileWatch watch;                          ///< the file of the open character, or the one that could not be opened
  FileWatch next_watch;                     ///< the file being opened, from before it was
};

/// A session that is written once its character's file is known by its hash.
struct WaitingSave {
  std::string path;
  bool pack = false;  ///< in one file
};

/// Saving, and what is saved unasked.
struct Saving {
  /// @param jobs  of its own: what could be lost waits for nothing else
  explicit Saving(const std::shared_ptr<Jobs>& jobs)
      : source(jobs), autosave(jobs, Jobs::Kind::kAsked, "Saving what could be lost") {}
  Recovery recovery{recovery_folder()};
  std::optional<FileStamp> stamp = {};      ///< of the session, as this program last read or wrote it
  std::shared_ptr<RecoveryFile> recovered;  ///< what this was opened from, until it is saved elsewhere
  bool recovered_has_more = false;          ///< than could be opened: it stays for whoever can
  SourceJob source;                         ///< the hash of the character's file
  std::optional<WaitingSave> waiting;       ///< for that
  JobSlot<Status> autosave;
  edit::Content being_saved = {};  ///< by the autosave that runs
  edit::Content autosaved = {};    ///< by the last one
  double pending_since = -1;       ///< seconds; below 0: nothing is pending
  std::string complaint;           ///< why the last autosave failed, said once
};

/// The viewport as it was drawn last.
struct ViewportPicture {
  std::optional<render::Picture> picture;
  std::vector<PictureKey> key;  ///< what it shows, by pane
  SampleChoice sample_choice;
};

/// The file of --report-widgets as it was written last.
struct WrittenReport {
  std::string text;
  double time = -1;
};

/// Members in the order they depend on each other.
struct Window {
  cli::ViewRequest request;
  GLFWwindow* window = nullptr;
  render::Renderer* renderer = nullptr;
  Events events;
  std::atomic<bool> woken = false;  ///< by another thread
  std::shared_ptr<Jobs> jobs = std::make_shared<Jobs>([this] { wake_up(); });
  Session session;
  ui::Theme theme;
  ui::WidgetReport widgets;
  KeptPreferences kept;
  PoseOnDisk pose_on_disk;
  PosePictures pose_pictures;
  ViewportPicture viewport;
  WrittenReport report;
  double last_frame_time = 0;
  std::string title = {};  ///< of the window
  bool needs_framing = false;
  bool quit = false;
  std::optional<BeingExported> being_exported = {};  ///< the work of `exporter`
  bool is_leaving = false;                           ///< somebody wants to quit, and files are still being written
  Opening opening{jobs};
  Preparer preparer{jobs};
  Laboratory laboratory{jobs};
  JobSlot<Result<ExportReport>> exporter{jobs, Jobs::Kind::kAsked, "Exporting"};
  JobSlot<Result<std::string>> weight_text{jobs, Jobs::Kind::kAsked, "Saving weights"};
  Surfaces surfaces{jobs};
  PaintLayout paint_layout{jobs};
  Saving saving{std::make_shared<Jobs>([this] { wake_up(); })};

  /// From any thread.
  void wake_up();
};

// window_words.cpp: what the user is told.
void say(std::string_view message);
void show_error(Window& app, const std::string& message);
void show_notice(Window& app, const std::string& message);
/// With a mark where something is not saved.
void set_title(Window& app);

// window_preferences.cpp
/// Reads what was kept and gives it to the workspace.
/// @returns a sentence for the user, empty where all is well
std::string take_preferences(Window& app);
void keep_preferences(Window& app);
/// An image that cannot be read leaves the environment as it is, and the reason in the window.
void open_environment(Window& app, const std::string& file);
void open_behind(Window& app, const std::string& file);
/// Puts the file to the recent ones and its folder to those that are offered.
void remember_character_file(Window& app, const std::string& file);

// window_motion.cpp
/// Motion of another skeleton, for the tab that puts it on the character.
void open_motion(Window& app, const std::string& file);

void open_joint_map(Window& app, const std::string& file);
void save_joint_map(Window& app, const std::string& file);

// window_weights.cpp
/// Weights of another character, and weights as a text, for the tab that puts them on this one.
void open_weights_from(Window& app, const std::string& file);
void open_weight_text(Window& app, const std::string& file);
void open_volume(Window& app, const std::string& file);
void save_weight_text(Window& app, const std::string& file);
/// Says what became of a text that was saved in the background.
void collect_weight_text(Window& app);

// window_library.cpp
/// Whether a file that was dropped holds poses.
bool is_pose_file(const std::string& file);
/// Adds the poses of a file to the library.
void open_poses(Window& app, const std::string& file);
/// Writes the library into a file.
void save_poses(Window& app, const std::string& file);

// window_files.cpp
/// Whether a name is that of a file, and not of a bundled character or of standard input.
bool is_file(const std::string& name);
void start_opening(Window& app, const std::string& file, cli::SessionOpening session = {});
/// The file of the open character again, as it was read.
void reload_file(Window& app);
/// Takes what has been read.
void collect_loaded(Window& app);
/// Opens the watched file again where it has changed, says where it is away. Tells whether there was news.
bool follow_file(Window& app);

// window_sessions.cpp
/// A session has come: it replaces what was open.
void take_session(Window& app, Loader::Finished& finished);
/// The document was opened from a session, or from a file of another kind: what of it is saved, and where Save writes.
/// Says what of a session could not be opened, which is then never written over without a name.
/// @param stamp  of the session, from before it was read
void begin_session(Window& app, std::optional<FileStamp> stamp);
/// What the user is asked where a session could not be opened for another reason than its own.
void ask_about_session(Window& app, const Loader::Finished& finished);
void save_session(Window& app, const ui::Requests& requests);
/// Writes the session that waited for the hash of its character's file, once that is known.
void keep_saving(Window& app);
void pack_session(Window& app, const ui::Requests& requests);
void discard_recovery(Window& app, const ui::Requests& requests);
void answer_held(Window& app, const ui::Requests& requests);
/// Offers what earlier programs have left behind.
void offer_recovery(Window& app);
/// Lets unsaved work be saved where the next start finds it, at most kAutosaveDelay after the first change.
/// @param now  seconds, any origin
void keep_autosaved(Window& app, double now);
/// Seconds until keep_autosaved() has something to do; nothing where it has not, or is told when it has.
std::optional<double> autosave_due(const Window& app, double now);
/// There is nothing left to be recovered: it was saved, or given up.
void end_autosaving(Window& app);

// window_jobs.cpp: what goes on in the background.
/// What is shown of it in the middle of the window.
ui::Loading loading_of(const Window& app);
/// Ends a job; what somebody waits for takes back what was begun with it.
void cancel_job(Window& app, Jobs::SlotId job);
/// Ends the job whose card stands in the middle of the window.
void cancel_shown_job(Window& app);
/// Lets methods prepare that panes wait for.
void keep_preparing(Window& app);
void collect_exported(Window& app);

// window_requests.cpp
/// What a person names is never written over the file that is shown or the light it stands in.
Status check_not_shown(const Window& app, const std::string& path);
/// Carries out what panels asked for, but for what belongs to the drawing of the picture.
void carry_out(Window& app, const ui::Requests& requests);
void save_screenshot(Window& app, std::span<const render::Frame> panes, const render::PaneLayout& layout,
                     const std::string& wanted);

}  // namespace pelt::app
