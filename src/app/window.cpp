#include "app/window.h"

// GLFW goes last: it brings OpenGL names that nothing here uses.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include "app/report.h"
#include "app/window_state.h"
#include "cli/session_file.h"
#include "core/file.h"
#include "edit/opening.h"
#include "gltf/bundled.h"
#include "render/offscreen_context.h"
#include "ui/actions.h"
#include "ui/compare_panel.h"
#include "ui/modes.h"
#include "ui/tools.h"
#include "ui/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace pelt::app {
namespace {

constexpr double kCaretBlink = 0.4;       // seconds between pictures while a text field has the caret
constexpr float kTurntableSpeed = 0.5f;   // radians per second
constexpr double kReportInterval = 0.05;  // seconds, while something moves

int fail(const std::string& message) {
  say(message);
  return 1;
}

void advance_time(Window& app, float elapsed) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  const edit::Document& document = session.document;
  if (workspace.playback.playing && document.content.clip >= 0) {
    const edit::TimeRange range = edit::played_range(document, document.content.clip);
    const float time = ui::advance(workspace.playback, document.view.time, range.start, range.end, elapsed);
    edit::apply(session.document, {edit::SetTime{time}, {}, false});
  }
  if (workspace.view.turntable) {
    workspace.camera.azimuth = std::remainder(workspace.camera.azimuth + elapsed * kTurntableSpeed, 6.2831853f);
  }
}

bool animating(const Window& app) {
  const ui::Workspace& workspace = app.session.workspace;
  return (app.session.preview && app.session.preview->moves) ||
         (workspace.playback.playing && app.session.document.content.clip >= 0) || workspace.view.turntable;
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
  if (app.request.widget_report.empty() || (!settled && glfwGetTime() - app.report.time < kReportInterval)) {
    return;
  }
  glm::ivec2 size(0);
  glfwGetWindowSize(app.window, &size.x, &size.y);
  std::string text = window_report(app.session, scene, app.widgets, size, app.theme.scale);
  if (text == app.report.text) {
    return;
  }
  if (const Status written = write_file_atomically(app.request.widget_report, text); !written) {
    say(written.error().message);
  }
  app.report.text = std::move(text);
  app.report.time = glfwGetTime();
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
  for (const int key : std::exchange(app.events.released, {})) {
    ui::release_tool(key, desk);
  }
}

// Puts the viewport's picture into the window. One that would be the same is copied: moving the mouse over panels must
// not cost a rendering.
Status show_picture(Window& app, std::span<const render::Frame> panes, const render::PaneLayout& layout,
                    glm::ivec2 origin, bool& drawn_anew) {
  ViewportPicture& viewport = app.viewport;
  if (!viewport.picture || viewport.picture->size() != layout.size) {
    viewport.picture.reset();
    PELT_TRY_TO(render::Picture made, render::Picture::make(layout.size));
    viewport.picture.emplace(std::move(made));
    viewport.key = {};
  }
  std::vector<PictureKey> key = picture_key(panes);
  drawn_anew = !(key == viewport.key);
  if (drawn_anew) {
    viewport.key = {};
    if (const Status drawn = app.renderer->draw(panes, layout, viewport.picture->framebuffer()); !drawn) {
      return drawn;
    }
    viewport.key = std::move(key);
  }
  viewport.picture->copy_to(0, origin);
  return {};
}

// Where a picture takes long (software rendering) it is drawn without antialiasing while something moves, and again
// with it when that is over.
bool hurried(const Window& app) {
  const bool moving = animating(app) || ImGui::IsMouseDown(ImGuiMouseButton_Left) ||
                      ImGui::IsMouseDown(ImGuiMouseButton_Middle) || ImGui::IsMouseDown(ImGuiMouseButton_Right);
  return moving && app.viewport.sample_choice.too_slow();
}

// ImGui asks which keys are down, not which were pressed: where pictures take long, one that is up again by now would
// be lost to its text fields.
void begin_imgui(Window& app) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGuiIO& io = ImGui::GetIO();
  for (const int key : app.events.went_down) {
    io.KeysDown[key] = true;
  }
  apply_modifiers(app.window, false);
  ImGui::NewFrame();
  apply_modifiers(app.window, true);
  for (const int key : std::exchange(app.events.went_down, {})) {
    io.KeysDown[key] = glfwGetKey(app.window, key) == GLFW_PRESS;
  }
}

// Lets time pass for clip and turntable, and counts pictures while they move.
void step_time(Window& app, double now) {
  Session& session = app.session;
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
}

// Draws the panels and carries out what they, keys and drops ask for.
ui::Requests draw_panels(Window& app, ui::Scene& scene) {
  Session& session = app.session;
  ui::Workspace& workspace = session.workspace;
  ui::Requests requests;
  app.widgets.clear();
  ui::Desk desk{scene, workspace, requests, app.widgets, app.theme};
  press_keys(app, desk);
  if (!app.events.dropped.empty()) {
    const std::string file = std::exchange(app.events.dropped, {});
    (is_pose_file(file) ? requests.open_poses : requests.open_file) = file;
  }
  requests.quit |= std::exchange(app.events.close, false);
  ui::draw_window(desk);
  app.pose_pictures.add_pictures(session, *app.renderer, requests.commands);
  carry_out(app, requests);
  show_preview(session, requests.preview);
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
  app.paint_layout.update(session, *app.renderer, workspace.mode == "weights" && !workspace.panels_hidden);
  if (app.needs_framing) {
    scene.bounds = posed_bounds(session);
    scene.world = session.evaluation.world();
    ui::frame_all(workspace, scene);
    app.needs_framing = false;
    app.events.frames_wanted = kFramesAfterEvent;
  }
  return requests;
}

// The place of the viewport in the window, pixels of the framebuffer, y up.
render::PixelRect viewport_pixels(const Window& app) {
  glm::ivec2 window_size(0);
  glm::ivec2 pixels(0);
  glfwGetWindowSize(app.window, &window_size.x, &window_size.y);
  glfwGetFramebufferSize(app.window, &pixels.x, &pixels.y);
  const ui::Rect& view = app.session.workspace.layout.viewport;
  const float density = window_size.x > 0 ? static_cast<float>(pixels.x) / static_cast<float>(window_size.x) : 1.0f;
  return {{static_cast<int>(view.x * density), pixels.y - static_cast<int>((view.y + view.h) * density)},
          glm::max(glm::ivec2(glm::vec2(view.w, view.h) * density), glm::ivec2(1))};
}

void set_samples(std::span<render::Frame> panes, int count) {
  for (render::Frame& frame : panes) {
    frame.view.samples = count;
  }
}

void measure_parity_if_wanted(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  const bool tried =
      (session.parity || !session.parity_error.empty()) && session.parity_tried == session.evaluation.version();
  if (requests.measure_parity || (session.workspace.parity_continuous && !tried)) {
    measure_parity(session, *app.renderer);
    app.events.frames_wanted = std::max(app.events.frames_wanted, 2);
  }
}

// Draws what the viewport shows, below the panels, and saves it where that was asked for.
void draw_viewport(Window& app, const ui::Requests& requests) {
  Session& session = app.session;
  const render::PixelRect place = viewport_pixels(app);
  const render::PaneLayout layout = pane_layout(session, place.size, app.theme.scale);
  std::vector<render::Frame> panes = make_frames(session, *app.renderer, layout, app.theme.scale);
  const int samples = session.workspace.view.samples;
  const bool hurry = hurried(app);
  set_samples(panes, hurry ? 1 : samples);
  const double start = glfwGetTime();
  bool drawn_anew = false;
  if (const Status drawn = show_picture(app, panes, layout, place.origin, drawn_anew); !drawn) {
    const std::optional<ui::Notice>& known = session.workspace.error;
    if (!known || known->text != drawn.error().message) {
      show_error(app, drawn.error().message);
    }
  }
  PaintLayout::drawn(session);
  session.stats = app.renderer->stats(session.document.view.active_pane);
  measure_parity_if_wanted(app, requests);
  if (requests.screenshot || !requests.picture.empty()) {
    set_samples(panes, samples);
    save_screenshot(app, panes, layout, requests.picture);
  }
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(app.window);
  if (drawn_anew) {
    session.frame_milliseconds = (glfwGetTime() - start) * 1e3;
    app.viewport.sample_choice.note(session.frame_milliseconds, !hurry || samples == 1);
    if (panes.front().time_skinning) {
      app.events.frames_wanted = std::max(app.events.frames_wanted, 2);  // timers say it a picture later
    }
  }
}

void draw_frame(Window& app) {
  Session& session = app.session;
  collect_loaded(app);
  collect_exported(app);
  collect_weight_text(app);
  follow_file(app);
  keep_saving(app);
  keep_autosaved(app, glfwGetTime());
  set_title(app);
  follow_scale(app);
  begin_imgui(app);
  const double now = glfwGetTime();
  step_time(app, now);
  ui::Scene scene = make_scene(session, loading_of(app), now);
  scene.given_up = session.document.content == app.opening.given_up;
  scene.difference = [&app](int pane) { return app.renderer->difference(pane); };
  // Where the CPU rasterises, drawing numbers takes longer than asking the shape it has skinned.
  if (!session.stats.software) {
    scene.vertex_at = [&app](int pane, glm::vec2 at) {
      const render::PaneLayout layout = pane_layout(app.session, viewport_pixels(app).size, app.theme.scale);
      return vertex_at(app.session, *app.renderer, layout, app.theme.scale, pane, at);
    };
  }
  scene.pose_picture = [&app](const Shared<edit::StoredPose>& pose) { return app.pose_pictures.texture(pose); };
  const ui::Requests requests = draw_panels(app, scene);
  draw_viewport(app, requests);
  if (app.pose_pictures.make_next(session, *app.renderer)) {
    app.viewport.key = {};  // what the renderer says of a pane is of that picture
    app.events.frames_wanted = std::max(app.events.frames_wanted, 2);
  }
  if (ui::revealing(session.workspace, session.measurements)) {
    wake(app.window);  // a table that has just come into sight finds its columns' widths in the pictures after it
  }
  // Overlays follow one picture later.
  if (!requests.commands.empty() || requests.select_joints || requests.select_vertices || requests.active_pane ||
      requests.stop_after || requests.pin || !requests.preview.subject.empty() || requests.undo || requests.redo ||
      requests.travel || requests.playhead || requests.next_picture) {
    app.events.frames_wanted = std::max(app.events.frames_wanted, 2);
  }
  scene = make_scene(session, scene.loading, now);
  write_report(app, scene, app.events.frames_wanted <= 1 && !animating(app));
}

// Nothing moves: sleeps until something happens, or until a caret blinks or a notice is over.
void sleep_until_event(Window& app, double shortest) {
  const ui::Workspace& workspace = app.session.workspace;
  const bool timed = ImGui::GetIO().WantTextInput || workspace.notice.has_value() || !app.jobs->list().empty();
  while (app.events.frames_wanted == 0 && !app.woken) {
    const double due = autosave_due(app, glfwGetTime()).value_or(60.0);
    glfwWaitEventsTimeout(std::min(due, timed ? kCaretBlink : workspace.watch ? kWatchInterval : 60.0));
    if (timed || follow_file(app) || due <= 0) {
      break;
    }
  }
  if (workspace.notice && glfwGetTime() - workspace.notice->shown_since > workspace.notice->seconds() + 4) {
    app.session.workspace.notice.reset();
  }
  app.last_frame_time = std::max(app.last_frame_time, glfwGetTime() - shortest);
}

void wait_while_minimised(Window& app) {
  glm::ivec2 size(0);
  glfwGetFramebufferSize(app.window, &size.x, &size.y);
  while ((size.x == 0 || size.y == 0) && !app.events.close) {
    glfwWaitEvents();
    glfwGetFramebufferSize(app.window, &size.x, &size.y);
  }
}

void run_loop(Window& app) {
  const double shortest = shortest_frame();
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
      sleep_until_event(app, shortest);
    }
    if (app.woken.exchange(false)) {
      wake(app.window);  // the first picture collects what has come, the next ones show it
    }
    wait_while_minimised(app);
  }
}

// Sets the workspace as the command line wants it.
void set_workspace(Window& app) {
  ui::Workspace& workspace = app.session.workspace;
  const cli::ViewRequest& request = app.request;
  workspace.jobs = app.jobs;
  workspace.watch = request.watch;
  workspace.camera = request.camera;
  if (request.scene_camera >= 0) {
    workspace.scene_camera = request.scene_camera;
    workspace.looked_through = workspace.camera;
    workspace.own_lens = ui::Lens{};
  }
  const std::string_view tab = request.plot && request.tab.empty() ? ui::kCompareTab : std::string_view(request.tab);
  if (const ui::Tab* wanted = ui::find_tab(tab)) {
    ui::show_tab_in(workspace, wanted->id, request.mode);
  }
  app.needs_framing = !request.camera_given;
}

// Shows the character of the command line; where there is none the mannequin, since something is always on screen.
Status show_first_character(Window& app) {
  Session& session = app.session;
  cli::ViewRequest& request = app.request;
  const std::string& source = request.document.origin.file;
  if (is_file(request.file) && (source.empty() || is_file(source)) && request.document.origin.packed == nullptr) {
    app.opening.watch.watch(StampedFile{source.empty() ? request.file : source, request.stamp});
  }
  app.opening.watch.also_watch(request.files_beside);
  if (request.document.character) {
    session.document = std::move(request.document);
    session.opened = opened_file(request, session.document);
    if (is_file(request.file)) {
      remember_character_file(app, request.file);
    }
  } else {
    PELT_TRY_TO(rig::Character mannequin, gltf::open_character("@mannequin"));
    session.document = edit::make_document(std::make_shared<rig::Character>(std::move(mannequin)));
    session.opened.name = "mannequin";
    // The command line has said it on stderr already.
    session.workspace.error = ui::Notice{Severity::kError, request.open_error, 0};
    edit::apply(session.document, {edit::SetClip{edit::opening_clip(*session.document.character)}, {}, false});
    if (is_file(request.file) && cli::is_session_file(request.file)) {
      start_opening(app, request.file);  // once more: here the user can be asked about its character
    }
  }
  session.workspace.playback.playing = request.autoplay && session.document.content.clip >= 0;
  begin_session(app, file_stamp(session.document.origin.path));
  return {};
}

// The plot of --plot.
void begin_plot(Window& app, const edit::SeriesAxis& axis) {
  app.session.document.view.select_only(axis.joint);
  ui::ComparePanel& panel = app.session.workspace.panel<ui::ComparePanel>();
  panel.dof = axis.dof;
  panel.quantity = edit::kRingQuantity;
  ui::reveal_plot(panel);
  ui::Requests first;
  first.measure_series = axis;
  app.laboratory.update(app.session, first);
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
  app.session.device = app.renderer->device();
  app.session.evaluation.hold_unprepared(true);
  app.session.workspace.view = app.request.view;
  const std::string note = take_preferences(app);
  set_workspace(app);
  if (const Status shown = show_first_character(app); !shown) {
    return fail(shown.error().message);
  }
  if (!note.empty()) {
    say(note);
    app.session.workspace.notice = ui::Notice{Severity::kWarning, note, glfwGetTime()};
  }

  glfwSetWindowUserPointer(app.window, &app.events);
  install_callbacks(app.window);
  const ImGuiLibrary imgui(app.window);  // chains to the callbacks above
  set_title(app);
  offer_recovery(app);
  update(app.session);
  if (app.request.plot) {
    begin_plot(app, *app.request.plot);
  }
  run_loop(app);
  end_autosaving(app);
  keep_preferences(app);
  return 0;
}

}  // namespace pelt::app
