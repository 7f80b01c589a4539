#include "app/window.h"

// GLFW goes last: it brings OpenGL names that nothing here uses.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include "app/exporter.h"
#include "app/file_watch.h"
#include "app/glfw_window.h"
#include "app/laboratory.h"
#include "app/loader.h"
#include "app/pose_on_disk.h"
#include "app/preferences.h"
#include "app/preparer.h"
#include "app/report.h"
#include "app/sample_choice.h"
#include "app/session.h"
#include "app/surfaces.h"
#include "core/file.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "edit/opening.h"
#include "edit/pose_file.h"
#include "edit/reload.h"
#include "gltf/bundled.h"
#include "gltf/image_codec.h"
#include "render/environment.h"
#include "render/offscreen_context.h"
#include "render/picture.h"
#include "ui/actions.h"
#include "ui/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace pelt::app {
namespace {

constexpr double kCaretBlink = 0.4;       // seconds between pictures while a text field has the caret
constexpr float kTurntableSpeed = 0.5f;   // radians per second
constexpr double kReportInterval = 0.05;  // seconds, while something moves

void say(std::string_view message) {
  fmt::print(stderr, "pelt: {}\n", printable(message, 2000));
}

int fail(const std::string& message) {
  say(message);
  return 1;
}

/// The running window. Members in the order they depend on each other.
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
  std::filesystem::path preferences_file;
  PoseOnDisk pose_on_disk;
  ui::Preferences saved_preferences;
  ui::LightPreferences known_light;
  std::optional<render::Picture> picture;  ///< the viewport as it was drawn last
  std::vector<PictureKey> picture_key;     ///< what it shows, by pane
  std::string last_report;
  double last_report_time = -1;
  double last_frame_time = 0;
  SampleChoice sample_choice;
  bool needs_framing = false;
  bool quit = false;
  std::optional<ui::TeachingRig> lesson;  ///< its rig is being opened
  edit::Content given_up;                 ///< whose pose opening may lose
  FileWatch watch;                        ///< the file of the open character, or the one that could not be opened
  FileWatch next_watch;                   ///< the file being opened, from before it was
  Loader loader{jobs};
  Preparer preparer{jobs};
  Laboratory laboratory{jobs};
  JobSlot<Result<std::string>> exporter{jobs, Jobs::Kind::kAsked, "Exporting"};
  Surfaces surfaces{jobs};

  /// From any thread.
  void wake_up() {
    woken = true;
    glfwPostEmptyEvent();
  }
};

void show_error(Window& app, const std::string& message) {
  say(message);
  app.session.workspace.error = ui::Notice{Severity::kError, message, glfwGetTime()};
}

void show_notice(Window& app, const std::string& message) {
  app.session.workspace.notice = ui::Notice{Severity::kInfo, message, glfwGetTime()};
}

// The names behind the sentence stand where the mouse points at it.
void show_pose_report(Window& app, const std::string& file, const edit::PoseReport& report) {
  const std::string found = edit::summary(report);
  show_notice(app, found.empty() ? fmt::format("Pose opened from {}", file) : fmt::format("Pose opened: {}", found));
  if (!found.empty()) {
    constexpr std::size_t kMostNames = 40;
    app.session.workspace.notice->severity = report.missing() > 0 ? Severity::kWarning : Severity::kInfo;
    app.session.workspace.notice->details = fmt::format("{}: {}", file, edit::details(report, kMostNames));
  }
}

// An image that cannot be read leaves the environment as it is, and the reason in the window.
void open_environment(Window& app, const std::string& file) {
  render::ViewSettings& view = app.session.workspace.view;
  Result<render::EnvironmentImage> image = render::load_environment(file);
  if (!image) {
    show_error(app, image.error().message);
    return;
  }
  view.environment_image = std::make_shared<const render::EnvironmentImage>(*std::move(image));
  view.environment = render::Environment::kImage;
}

void use_light_preferences(Window& app) {
  const ui::LightPreferences& light = app.session.workspace.preferences.light;
  render::ViewSettings& view = app.session.workspace.view;
  view.tone = light.tone;
  view.exposure = light.exposure;
  view.occlusion = light.occlusion;
  if (light.environment == render::Environment::kImage) {
    open_environment(app, light.environment_file);
  } else {
    view.environment = light.environment;
  }
}

void keep_preferences(Window& app) {
  // What the command line asked for counts this once.
  if (const ui::LightPreferences light = ui::light_of(app.session.workspace.view); light != app.known_light) {
    app.known_light = light;
    app.session.workspace.preferences.light = light;
  }
  const ui::Preferences& preferences = app.session.workspace.preferences;
  if (preferences == app.saved_preferences) {
    return;
  }
  app.saved_preferences = preferences;
  if (const Status saved = save_preferences(app.preferences_file, preferences); !saved) {
    say("preferences not kept: " + saved.error().message);
  }
}

void set_title(const Window& app) {
  glfwSetWindowTitle(app.window,
                     fmt::format("{} \u2013 Pelt", printable(app.session.document.character->name)).c_str());
}

std::string absolute(const std::string& file) {
  std::error_code failure;
  const std::filesystem::path path = std::filesystem::absolute(file, failure);
  return failure ? file : path.lexically_normal().string();
}

bool is_file(const std::string& name) {
  return !name.empty() && !name.starts_with('@') && name != "-";
}

// What is opened is watched from before it is read: no change may slip in between.
// What the command line allowed holds for the file that it named.
bool may_leave_folder(const Window& app, const std::string& file) {
  return app.request.allow_outside_uris && file == app.request.file;
}

void start_opening(Window& app, const std::string& file) {
  app.next_watch.watch(is_file(file) ? std::filesystem::path(file) : std::filesystem::path());
  app.given_up = app.session.document.content;
  app.loader.start(file, may_leave_folder(app, file));
}

// A newer version of the character shown has come: camera, pose, selection and panels stay.
void take_newer_version(Window& app, std::shared_ptr<const rig::Character> character) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  const rig::SurfaceChoice surface = session.surface_to_come.value_or(session.document.surface);
  const rig::Character& before = *session.document.character;
  ui::follow_newer_version(workspace, before, *character, edit::matching_joints(before.skeleton, character->skeleton));
  session.opened.character = character;
  const bool unsaved = has_unsaved_pose(session);
  edit::reload_character(session.document, std::move(character));
  if (!unsaved) {
    keep_pose(session);  // its angles were read anew
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
  show_notice(app, fmt::format("Reloaded {}", printable(session.document.character->name)));
  set_title(app);
}

// A character has come: it replaces the one shown.
void take_character(Window& app, const std::string& file, std::shared_ptr<const rig::Character> character, int clip) {
  Session& session = app.session;
  session.opened.character = character;
  edit::open_character(session.document, std::move(character));
  ui::Workspace& workspace = session.workspace;
  ui::forget_character(workspace);
  app.pose_on_disk.forget();
  workspace.view.skeleton = workspace.view.skeleton || session.document.character->parts.empty();
  workspace.playback.playing = clip >= 0;
  edit::apply(session.document, {edit::SetClip{clip}, {}, false});
  session.parity.reset();
  session.parity_error.clear();
  app.laboratory.forget(session);
  app.needs_framing = true;
  if (!file.starts_with('@')) {
    const std::string path = absolute(file);
    remember_file(workspace.preferences, path);
    workspace.preferences.folders["character"] = std::filesystem::path(path).parent_path().string();
    keep_preferences(app);
  }
  show_notice(app, fmt::format("Opened {}", printable(session.document.character->name)));
  set_title(app);
  if (app.lesson && file == lesson_file(*app.lesson)) {
    ui::Requests first;
    first.measure_series = begin_lesson(session, *app.lesson);
    update(session);
    app.laboratory.update(session, first);
  }
  app.lesson.reset();
  keep_pose(session);
}

void collect_loaded(Window& app) {
  std::optional<Loader::Finished> finished = app.loader.take();
  if (!finished) {
    return;
  }
  if (finished->character) {
    const bool newer = is_file(finished->file) && app.session.document.character->source == finished->file;
    const edit::Content& state = app.session.document.content;
    if (!newer && has_unsaved_pose(app.session) &&
        (state.overrides != app.given_up.overrides || state.morph_overrides != app.given_up.morph_overrides)) {
      // The pose was changed while the file was being read: nobody was asked about that one.
      const std::optional<ui::TeachingRig> lesson = std::exchange(app.lesson, std::nullopt);
      app.session.workspace.leaving = ui::Leaving{
          .open_file = lesson ? std::string() : finished->file, .teach = lesson, .quit = false, .saving = false};
      app.next_watch = {};
      return;
    }
    if (app.next_watch.active() || app.watch.file() != finished->file) {
      app.watch = std::exchange(app.next_watch, {});
    }
    app.watch.also_watch(finished->files);
    app.session.opened = {.name = finished->file,
                          .allow_outside_uris = may_leave_folder(app, finished->file),
                          .stamp = finished->stamp,
                          .beside = std::move(finished->files),
                          .character = {}};
    if (newer) {
      take_newer_version(app, *std::move(finished->character));
    } else {
      take_character(app, finished->file, *std::move(finished->character), finished->clip);
    }
  } else {
    app.next_watch = {};
    show_error(app, finished->character.error().message);
  }
}

void collect_exported(Window& app) {
  if (const std::optional<Result<std::string>> exported = app.exporter.take(); exported && *exported) {
    show_notice(app, **exported);
  } else if (exported) {
    show_error(app, exported->error().message);
  }
}

// Opens the watched file again where it has changed, says where it is away. Tells whether there was news.
bool follow_file(Window& app) {
  if (!app.session.workspace.watch || app.loader.slot().active()) {
    return false;
  }
  const FileNews news = app.watch.look(glfwGetTime());
  if (news == FileNews::kNone) {
    return false;
  }
  if (news == FileNews::kGone) {
    show_error(app, fmt::format("{} is gone; the character stays as it is, and the file is read again when it is back",
                                printable(app.watch.gone().filename().string(), 200)));
    return true;
  }
  app.next_watch = {};
  app.loader.start(app.watch.file().string(), may_leave_folder(app, app.watch.file().string()));
  return true;
}

void advance_time(Window& app, float elapsed) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  const edit::Document& document = session.document;
  if (workspace.playback.playing && document.content.clip >= 0) {
    const rig::Clip& clip = document.character->clips[static_cast<std::size_t>(document.content.clip)];
    const float time = ui::advance(workspace.playback, document.view.time, clip.start, clip.end, elapsed);
    edit::apply(session.document, {edit::SetTime{time}, {}, false});
  }
  if (workspace.view.turntable) {
    workspace.camera.azimuth = std::remainder(workspace.camera.azimuth + elapsed * kTurntableSpeed, 6.2831853f);
  }
}

bool animating(const Window& app) {
  const ui::Workspace& workspace = app.session.workspace;
  return (workspace.playback.playing && app.session.document.content.clip >= 0) || workspace.view.turntable;
}

// A name that is free, where pictures were saved last: pelt-mannequin-1.png and so on.
std::filesystem::path free_picture_name(const Window& app) {
  std::error_code failure;
  std::string name = app.session.document.character->name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '-');
  const auto& folders = app.session.workspace.preferences.folders;
  const auto last = folders.find("picture");
  const std::filesystem::path folder = last != folders.end() && std::filesystem::is_directory(last->second, failure)
                                           ? std::filesystem::path(last->second)
                                           : std::filesystem::current_path(failure);
  for (int i = 1;; ++i) {
    std::filesystem::path path = folder / fmt::format("pelt-{}-{}.png", name, i);
    if (!std::filesystem::exists(path, failure)) {
      return path;
    }
  }
}

// What a person names is never written over the file that is shown or the light it stands in.
Status check_not_shown(const Window& app, const std::string& path) {
  const std::vector<ReadFile> read = {{app.session.document.character->source, "the open file"},
                                      {app.session.workspace.preferences.light.environment_file, "the environment"}};
  return check_not_read(path, read);
}

void save_screenshot(Window& app, std::span<const render::Frame> panes, const render::PaneLayout& layout,
                     const std::string& wanted) {
  const Result<render::ImageRgba> image = app.renderer->render_image(panes, layout);
  if (!image) {
    show_error(app, image.error().in("screenshot").message);
    return;
  }
  const std::vector<std::uint8_t> png = gltf::encode_png(image->pixels, {image->width, image->height});
  const std::filesystem::path path = wanted.empty() ? free_picture_name(app) : std::filesystem::path(wanted);
  const std::string_view bytes(reinterpret_cast<const char*>(png.data()), png.size());
  const Status free = check_not_shown(app, path.string());
  if (const Status written = free ? write_file_atomically(path, bytes) : free; !written) {
    show_error(app, written.error().in("screenshot").message);
    return;
  }
  show_notice(app, fmt::format("Picture saved as {}", path.string()));
}

// Settings for which a method has to prepare before they can take effect: of a pane, or of what panes are compared
// with.
std::optional<deform::SkinningSettings> unprepared(const Session& session) {
  const edit::Document& document = session.document;
  const int panes = edit::pane_count(document.content);
  for (int pane = 0; pane < panes; ++pane) {
    if (session.evaluation.waits(pane)) {
      return edit::skinning_of(document.content, pane);
    }
  }
  const render::ViewSettings& view = session.workspace.view;
  const bool full_precision = view.compare.reference == render::Reference::kFullPrecision;
  if (view.look == render::Look::kDifference &&
      (full_precision || view.compare.reference == render::Reference::kMethod)) {
    for (int pane = 0; pane < panes; ++pane) {
      deform::SkinningSettings settings = session.evaluation.skinning(pane);
      if (full_precision) {
        settings = measure::full_precision(settings);
      } else {
        settings.method = view.compare.method;
      }
      if (!session.evaluation.available(document, settings)) {
        return settings;
      }
    }
  }
  return std::nullopt;
}

// Panes go back to what they show, since what they wait for will not come.
void stop_preparing(Window& app) {
  Session& session = app.session;
  app.preparer.cancel();
  for (int pane = 0; pane < edit::pane_count(session.document.content); ++pane) {
    if (session.evaluation.waits(pane)) {
      edit::apply(session.document, {edit::SetSkinning{session.evaluation.skinning(pane), pane}, {}, true});
    }
  }
  update(session);            // takes back what panes wait for
  if (unprepared(session)) {  // what is compared with
    session.workspace.view.compare.reference = render::Reference::kOtherBackend;
  }
}

void keep_preparing(Window& app) {
  const std::optional<deform::SkinningSettings> wanted = unprepared(app.session);
  if (app.preparer.failed()) {
    stop_preparing(app);
    show_error(app, "not enough memory to prepare the skinning method");
  } else if (wanted) {
    app.preparer.start(app.session.evaluation.cache(), app.session.document.character, *wanted);
  } else if (app.preparer.active()) {
    app.preparer.cancel();
  }
}

// What goes on in the background.
ui::Loading loading_of(const Window& app) {
  const auto shown = [](const std::optional<Jobs::Row>& row) {
    return row ? ui::Loading{true, row->name, row->what, row->fraction} : ui::Loading{};
  };
  if (app.loader.slot().active()) {
    return shown(app.loader.slot().row());
  }
  if (app.exporter.active()) {
    return shown(app.exporter.row());
  }
  if (ui::Loading surface = app.surfaces.loading(); surface.active) {
    return surface;
  }
  return unprepared(app.session) ? shown(app.jobs->row(app.preparer.id())) : ui::Loading{};
}

// What somebody waits for takes back what was begun with it; anything else just ends.
void cancel_job(Window& app, Jobs::SlotId job) {
  if (job == app.loader.slot().id()) {
    app.loader.cancel();
    show_notice(app, "Opening cancelled");
  } else if (job == app.exporter.id()) {
    app.exporter.cancel();
    show_notice(app, "Export cancelled");
  } else if (job == app.surfaces.id()) {
    app.surfaces.cancel(app.session);
    show_notice(app, "The surface stays as it is");
  } else if (job == app.preparer.id()) {
    stop_preparing(app);
    show_notice(app, "Preparing cancelled");
  } else {
    app.jobs->cancel(job);
  }
}

// The job whose card stands in the middle of the window.
Jobs::SlotId shown_job(const Window& app) {
  return app.loader.slot().active()      ? app.loader.slot().id()
         : app.exporter.active()         ? app.exporter.id()
         : app.surfaces.loading().active ? app.surfaces.id()
                                         : app.preparer.id();
}

void carry_out(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  const bool was_as_read = is_as_read(session);
  if (const std::string notice = ui::apply(requests, session.document); !notice.empty()) {
    show_notice(app, notice);
  }
  if (requests.show_scene && was_as_read) {
    session.opened.character = edit::own_character(session.document);  // the same file, in other parts
  }
  if (requests.cancel_loading) {
    cancel_job(app, shown_job(app));
  }
  if (requests.cancel_job) {
    cancel_job(app, *requests.cancel_job);
  }
  if (!requests.open_file.empty()) {
    app.lesson.reset();  // one that never came
    start_opening(app, requests.open_file);
  }
  if (requests.reload) {
    start_opening(app, session.document.character->source.string());
  }
  if (!requests.open_pose.empty()) {
    edit::PoseReport report;
    if (Result<edit::ReplacePose> pose = app.pose_on_disk.open(session.document, requests.open_pose, report)) {
      edit::apply(session.document, {*std::move(pose), {}, true});
      session.workspace.pose_path = app.pose_on_disk.path().string();
      session.workspace.playback.playing = false;
      session.workspace.error.reset();  // perhaps of a pose that could not be opened
      keep_pose(session);
      show_pose_report(app, requests.open_pose, report);
    } else {
      show_error(app, pose.error().message);
    }
  }
  if (!requests.open_environment.empty()) {
    open_environment(app, requests.open_environment);
  }
  if (!requests.save_pose.empty()) {
    const Status free = check_not_shown(app, requests.save_pose);
    if (const Status saved = free ? app.pose_on_disk.save(session.document, requests.save_pose) : free) {
      session.workspace.pose_path = requests.save_pose;
      session.workspace.error.reset();  // perhaps of the attempt before
      keep_pose(session);
      show_notice(app, fmt::format("Pose saved to {}", requests.save_pose));
    } else {
      show_error(app, saved.error().message);
    }
  }
  if (requests.export_character) {
    app.exporter.start([character = session.document.character, pose = edit::evaluate_pose(session.document),
                        request = *requests.export_character](const Progress& progress) {
      return export_character(*character, pose, request, progress);
    });
  }
  if (!requests.save_table.empty() && session.measurements.series) {
    const Status free = check_not_shown(app, requests.save_table);
    if (const Status saved =
            free ? write_file_atomically(requests.save_table, edit::to_csv(*session.measurements.series)) : free) {
      show_notice(app, fmt::format("Numbers saved to {}", requests.save_table));
    } else {
      show_error(app, saved.error().message);
    }
  }
  if (requests.teach) {
    app.lesson = requests.teach;
    start_opening(app, std::string(lesson_file(*requests.teach)));
  }
  app.quit |= requests.quit;
}

float wanted_scale(const Window& app) {
  if (app.session.workspace.preferences.ui_scale > 0) {
    return app.session.workspace.preferences.ui_scale;
  }
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(app.window, &x, &y);
  return std::clamp(x, 0.75f, 4.0f);
}

void follow_scale(Window& app) {
  const float scale = wanted_scale(app);
  if (app.theme.regular != nullptr && std::abs(scale - app.theme.scale) < 0.01f) {
    return;
  }
  const bool again = app.theme.regular != nullptr;
  app.theme = ui::apply_theme(scale);
  if (again) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
}

void write_report(Window& app, const ui::Scene& scene, bool settled) {
  if (app.request.widget_report.empty() || (!settled && glfwGetTime() - app.last_report_time < kReportInterval)) {
    return;
  }
  glm::ivec2 size(0);
  glfwGetWindowSize(app.window, &size.x, &size.y);
  std::string text = window_report(app.session, scene, app.widgets, size, app.theme.scale);
  if (text == app.last_report) {
    return;
  }
  if (const Status written = write_file_atomically(app.request.widget_report, text); !written) {
    say(written.error().message);
  }
  app.last_report = std::move(text);
  app.last_report_time = glfwGetTime();
}

void press_keys(Window& app, ui::Desk& desk) {
  const bool busy = ImGui::GetIO().WantTextInput || ImGui::IsAnyItemActive() ||
                    ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  for (const ui::Chord& chord : app.events.pressed) {
    if (!busy) {
      ui::press(chord, desk);
    }
  }
  app.events.pressed.clear();
}

// Puts the viewport's picture into the window. One that would be the same is copied: moving the mouse over panels must
// not cost a rendering.
Status show_picture(Window& app, std::span<const render::Frame> panes, const render::PaneLayout& layout,
                    glm::ivec2 origin, bool& drawn_anew) {
  if (!app.picture || app.picture->size() != layout.size) {
    app.picture.reset();
    Result<render::Picture> made = render::Picture::make(layout.size);
    if (!made) {
      return made.error();
    }
    app.picture.emplace(*std::move(made));
    app.picture_key = {};
  }
  std::vector<PictureKey> key = picture_key(panes);
  drawn_anew = !(key == app.picture_key);
  if (drawn_anew) {
    app.picture_key = {};
    if (const Status drawn = app.renderer->draw(panes, layout, app.picture->framebuffer()); !drawn) {
      return drawn;
    }
    app.picture_key = std::move(key);
  }
  app.picture->copy_to(0, origin);
  return {};
}

// Where a picture takes long (software rendering) it is drawn without antialiasing while something moves, and again
// with it when that is over.
bool hurried(const Window& app) {
  const bool moving = animating(app) || ImGui::IsMouseDown(ImGuiMouseButton_Left) ||
                      ImGui::IsMouseDown(ImGuiMouseButton_Middle) || ImGui::IsMouseDown(ImGuiMouseButton_Right);
  return moving && app.sample_choice.too_slow();
}

// ImGui asks which keys are down, not which were pressed: where pictures take long, one that is up again by now would
// be lost to its text fields.
void begin_frame(Window& app) {
  ImGuiIO& io = ImGui::GetIO();
  for (const int key : app.events.went_down) {
    io.KeysDown[key] = true;
  }
  ImGui::NewFrame();
  for (const int key : std::exchange(app.events.went_down, {})) {
    io.KeysDown[key] = glfwGetKey(app.window, key) == GLFW_PRESS;
  }
}

void draw_frame(Window& app) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  collect_loaded(app);
  collect_exported(app);
  follow_file(app);
  follow_scale(app);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  begin_frame(app);

  const double now = glfwGetTime();
  const double elapsed = std::clamp(now - app.last_frame_time, 0.0, 0.25);  // a pause must not make a clip leap
  app.last_frame_time = now;
  const bool moving = animating(app);
  advance_time(app, static_cast<float>(elapsed));
  update(session);
  if (moving && elapsed > 0) {
    const auto rate = static_cast<float>(1 / elapsed);
    session.frames_per_second = session.frames_per_second > 0 ? 0.9f * session.frames_per_second + 0.1f * rate : rate;
  } else if (!moving) {
    session.frames_per_second = 0;
  }

  ui::Requests requests;
  ui::Scene scene = make_scene(session, loading_of(app), now);
  scene.difference = [&app](int pane) { return app.renderer->difference(pane); };
  app.widgets.clear();
  ui::Desk desk{scene, workspace, requests, app.widgets, app.theme};
  press_keys(app, desk);
  if (!app.events.dropped.empty()) {
    requests.open_file = std::exchange(app.events.dropped, {});
  }
  requests.quit |= std::exchange(app.events.close, false);
  ui::draw_window(desk);
  carry_out(app, requests);
  ui::forget_lost_panes(workspace, session.document);
  if (const Status shown = app.surfaces.update(session, requests); !shown) {
    show_error(app, shown.error().message);
  }
  update(session);
  if (const std::string mended = app.laboratory.update(session, requests); !mended.empty()) {
    show_notice(app, mended);
  }
  update(session);  // a mended copy may have come
  keep_preparing(app);
  if (app.needs_framing) {
    scene.bounds = posed_bounds(session);
    scene.world = session.evaluation.world();
    ui::frame_all(workspace, scene);
    app.needs_framing = false;
    app.events.frames_wanted = kFramesAfterEvent;
  }

  glm::ivec2 window_size(0);
  glm::ivec2 pixels(0);
  glfwGetWindowSize(app.window, &window_size.x, &window_size.y);
  glfwGetFramebufferSize(app.window, &pixels.x, &pixels.y);
  const ui::Rect& view = workspace.layout.viewport;
  const float density = window_size.x > 0 ? static_cast<float>(pixels.x) / static_cast<float>(window_size.x) : 1.0f;
  const glm::ivec2 size = glm::max(glm::ivec2(glm::vec2(view.w, view.h) * density), glm::ivec2(1));
  const glm::ivec2 origin(static_cast<int>(view.x * density), pixels.y - static_cast<int>((view.y + view.h) * density));
  const render::PaneLayout layout = pane_layout(session, size, app.theme.scale);
  std::vector<render::Frame> panes = make_frames(session, *app.renderer, layout, app.theme.scale);
  const int samples = workspace.view.samples;
  const bool hurry = hurried(app);
  const auto set_samples = [&](int count) {
    for (render::Frame& frame : panes) {
      frame.view.samples = count;
    }
  };
  set_samples(hurry ? 1 : samples);
  const bool parity_tried =
      (session.parity || !session.parity_error.empty()) && session.parity_tried == session.evaluation.version();
  const bool measure = requests.measure_parity || (workspace.parity_continuous && !parity_tried);
  const double start = glfwGetTime();
  bool drawn_anew = false;
  if (const Status drawn = show_picture(app, panes, layout, origin, drawn_anew); !drawn) {
    const bool known = workspace.error && workspace.error->text == drawn.error().message;
    if (!known) {
      show_error(app, drawn.error().message);
    }
  }
  session.stats = app.renderer->stats(session.document.view.active_pane);
  if (measure) {
    measure_parity(session, *app.renderer);
    app.events.frames_wanted = std::max(app.events.frames_wanted, 2);
  }
  if (requests.screenshot || !requests.picture.empty()) {
    set_samples(samples);
    save_screenshot(app, panes, layout, requests.picture);
  }
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(app.window);
  if (drawn_anew) {
    session.frame_milliseconds = (glfwGetTime() - start) * 1e3;
    app.sample_choice.note(session.frame_milliseconds, !hurry || samples == 1);
  }
  if (ui::revealing(workspace, session.measurements)) {
    wake(app.window);  // a table that has just come into sight finds its columns' widths in the pictures after it
  }
  // Overlays follow one picture later, as does what timers say of it.
  const bool timed = drawn_anew && panes.front().time_skinning;
  if (timed || !requests.commands.empty() || requests.select_joint || requests.active_pane || requests.pin ||
      requests.undo || requests.redo || requests.travel || requests.playhead) {
    app.events.frames_wanted = std::max(app.events.frames_wanted, 2);
  }
  scene = make_scene(session, scene.loading, now);
  write_report(app, scene, app.events.frames_wanted <= 1 && !animating(app));
}

void run_loop(Window& app) {
  const double shortest = shortest_frame();
  const ui::Workspace& workspace = app.session.workspace;
  app.last_frame_time = glfwGetTime();
  double kept = 0;
  while (!app.quit) {
    const double begun = glfwGetTime();
    draw_frame(app);
    app.events.frames_wanted = std::max(0, app.events.frames_wanted - 1);
    const bool moving = app.events.frames_wanted > 0 || animating(app);
    // Also for an end that nobody announces; not for every step of a drag.
    if (!ImGui::IsAnyMouseDown() && (!moving || glfwGetTime() > kept + 1)) {
      keep_preferences(app);
      kept = glfwGetTime();
    }
    if (moving) {
      const double rest = shortest - (glfwGetTime() - begun);
      if (rest > 0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(rest));
      }
      glfwPollEvents();
    } else {
      // Nothing moves: sleep until something happens, or until a caret blinks or a notice is over.
      const bool timed = ImGui::GetIO().WantTextInput || workspace.notice.has_value() || !app.jobs->list().empty();
      while (app.events.frames_wanted == 0 && !app.woken) {
        glfwWaitEventsTimeout(timed ? kCaretBlink : workspace.watch ? kWatchInterval : 60.0);
        if (timed || follow_file(app)) {
          break;
        }
      }
      if (workspace.notice && glfwGetTime() - workspace.notice->shown_since > workspace.notice->seconds() + 4) {
        app.session.workspace.notice.reset();
      }
      app.last_frame_time = std::max(app.last_frame_time, glfwGetTime() - shortest);
    }
    if (app.woken.exchange(false)) {
      wake(app.window);  // the first picture collects what has come, the next ones show it
    }
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(app.window, &width, &height);
    while ((width == 0 || height == 0) && !app.events.close) {  // minimised
      glfwWaitEvents();
      glfwGetFramebufferSize(app.window, &width, &height);
    }
  }
}

}  // namespace

int run_window(cli::ViewRequest request) {
  const GlfwLibrary glfw;
  if (!glfw.ready) {
    return fail(fmt::format("no window can be opened: {}; `pelt render` draws to a file instead", glfw_error()));
  }
  const WindowPointer window = create_window(request.size);
  if (!window) {
    return fail(fmt::format("no OpenGL 3.3 window: {}", glfw_error()));
  }
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  glfwSetWindowSizeLimits(window.get(), 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
  if (const Status loaded = render::load_gl(glfwGetProcAddress); !loaded) {
    return fail(loaded.error().message);
  }
  Result<std::unique_ptr<render::Renderer>> renderer = render::Renderer::create();
  if (!renderer) {
    return fail(renderer.error().message);
  }

  Window app;
  app.request = std::move(request);
  app.window = window.get();
  app.renderer = renderer->get();
  LoadedPreferences kept = load_preferences(preferences_path());
  app.preferences_file = std::move(kept.file);
  app.saved_preferences = std::move(kept.preferences);
  ui::Workspace& workspace = app.session.workspace;
  workspace.preferences = app.saved_preferences;
  workspace.view = app.request.view;
  workspace.watch = app.request.watch;
  if (is_file(app.request.file)) {
    app.watch.watch(StampedFile{app.request.file, app.request.stamp});
  }
  app.watch.also_watch(app.request.files_beside);
  if (!app.request.light_given) {
    use_light_preferences(app);
  }
  app.known_light = ui::light_of(workspace.view);
  workspace.jobs = app.jobs;
  workspace.camera = app.request.camera;
  if (app.request.scene_camera >= 0) {
    workspace.scene_camera = app.request.scene_camera;
    workspace.looked_through = workspace.camera;
    workspace.own_lens = ui::Lens{};
  }
  workspace.tab = ui::find_tab(app.request.tab).value_or(app.request.plot ? ui::Tab::kCompare : workspace.tab);
  app.needs_framing = !app.request.camera_given;
  app.session.device = app.renderer->device();
  app.session.evaluation.hold_unprepared(true);
  if (app.request.document.character) {
    app.session.document = std::move(app.request.document);
    app.session.opened = {.name = app.request.file,
                          .allow_outside_uris = app.request.allow_outside_uris,
                          .stamp = app.request.stamp,
                          .beside = app.request.files_beside,
                          .character = edit::own_character(app.session.document)};
    if (!app.request.file.empty() && !app.request.file.starts_with('@') && app.request.file != "-") {
      const std::string path = absolute(app.request.file);
      remember_file(workspace.preferences, path);
      workspace.preferences.folders["character"] = std::filesystem::path(path).parent_path().string();
    }
  } else {
    // Something is always on screen.
    Result<rig::Character> mannequin = gltf::open_character("@mannequin");
    if (!mannequin) {
      return fail(mannequin.error().message);
    }
    app.session.document = edit::make_document(std::make_shared<rig::Character>(*std::move(mannequin)));
    // The command line has said it on stderr already.
    workspace.error = ui::Notice{Severity::kError, app.request.open_error, 0};
    edit::apply(app.session.document, {edit::SetClip{edit::opening_clip(*app.session.document.character)}, {}, false});
  }
  if (!kept.note.empty()) {
    fmt::print(stderr, "pelt: {}\n", kept.note);
    workspace.notice = ui::Notice{Severity::kWarning, kept.note, glfwGetTime()};
  }
  workspace.playback.playing = app.request.autoplay && app.session.document.content.clip >= 0;
  keep_pose(app.session);

  glfwSetWindowUserPointer(app.window, &app.events);
  install_callbacks(app.window);
  const ImGuiLibrary imgui(app.window);  // chains to the callbacks above
  set_title(app);
  update(app.session);
  if (app.request.plot) {
    app.session.document.view.selected_joint = app.request.plot->joint;
    workspace.compare.dof = app.request.plot->dof;
    workspace.compare.quantity = edit::kRingQuantity;
    ui::reveal_plot(workspace.compare);
    ui::Requests first;
    first.measure_series = app.request.plot;
    app.laboratory.update(app.session, first);
  }
  run_loop(app);
  keep_preferences(app);
  return 0;
}

}  // namespace pelt::app
