#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/file_watch.h"
#include "app/glfw_window.h"
#include "app/laboratory.h"
#include "app/loader.h"
#include "app/paint_layout.h"
#include "app/pose_on_disk.h"
#include "app/preparer.h"
#include "app/sample_choice.h"
#include "app/session.h"
#include "app/surfaces.h"
#include "cli/cli.h"
#include "core/jobs.h"
#include "render/picture.h"
#include "ui/workspace.h"

// The running window and what its sources do to it. Only window*.cpp include this.

namespace pelt::app {

/// What is kept between sessions, and what of it is on disk.
struct KeptPreferences {
  std::filesystem::path file;
  ui::Preferences saved;
  ui::LightPreferences known_light;  ///< what the command line asked for counts once
};

/// Files that are opened, and followed on disk.
struct Opening {
  explicit Opening(const std::shared_ptr<Jobs>& jobs) : loader(jobs) {}
  Loader loader;
  std::optional<ui::TeachingRig> lesson;  ///< its rig is being opened
  edit::Content given_up;                 ///< whose pose opening may lose
  FileWatch watch;                        ///< the file of the open character, or the one that could not be opened
  FileWatch next_watch;                   ///< the file being opened, from before it was
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
  ViewportPicture viewport;
  WrittenReport report;
  double last_frame_time = 0;
  bool needs_framing = false;
  bool quit = false;
  Opening opening{jobs};
  Preparer preparer{jobs};
  Laboratory laboratory{jobs};
  JobSlot<Result<std::string>> exporter{jobs, Jobs::Kind::kAsked, "Exporting"};
  Surfaces surfaces{jobs};
  PaintLayout paint_layout{jobs};

  /// From any thread.
  void wake_up();
};

// window_words.cpp: what the user is told.
void say(std::string_view message);
void show_error(Window& app, const std::string& message);
void show_notice(Window& app, const std::string& message);
void set_title(const Window& app);

// window_preferences.cpp
/// Reads what was kept and gives it to the workspace.
/// @returns a sentence for the user, empty where all is well
std::string take_preferences(Window& app);
void keep_preferences(Window& app);
/// An image that cannot be read leaves the environment as it is, and the reason in the window.
void open_environment(Window& app, const std::string& file);
/// Puts the file to the recent ones and its folder to those that are offered.
void remember_character_file(Window& app, const std::string& file);

// window_files.cpp
/// Whether a name is that of a file, and not of a bundled character or of standard input.
bool is_file(const std::string& name);
void start_opening(Window& app, const std::string& file);
/// Takes what has been read.
void collect_loaded(Window& app);
/// Opens the watched file again where it has changed, says where it is away. Tells whether there was news.
bool follow_file(Window& app);

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
/// Carries out what panels asked for, but for what belongs to the drawing of the picture.
void carry_out(Window& app, const ui::Requests& requests);
void save_screenshot(Window& app, std::span<const render::Frame> panes, const render::PaneLayout& layout,
                     const std::string& wanted);

}  // namespace pelt::app
