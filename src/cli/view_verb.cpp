#include <cstdlib>
#include <memory>
#include <string>

#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/draw.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session_view.h"
#include "cli/verbs.h"
#include "cli/vertex_report.h"
#include "edit/commands.h"
#include "edit/evaluation.h"
#include "edit/opening.h"

namespace pelt::cli {
namespace {

struct ViewOptions {
  EvaluationOptions evaluation;
  DrawingOptions drawing;
  std::string widget_report;
  bool watch = false;
};

void add_view_flags(Command& verb, ViewOptions& options) {
  add_file_argument(verb, options.evaluation, false);
  add_evaluation_flags(verb, options.evaluation);
  add_drawing_flags(verb, options.drawing);
  verb.add_flag("--watch", options.watch, "Reload the file when it changes; what is not whole yet is waited for");
  verb.add_option("--report-widgets", options.widget_report, "")->group("");
  verb.footer("Example:\n  pelt view fox.glb --clip Run --skeleton");
}

void check_view(const ViewOptions& options) {
  check_evaluation(options.evaluation);
  check_drawing(options.drawing);
  check_crowd(options.drawing, options.evaluation);
  require(!options.drawing.ui, "--ui", "belongs to `pelt render`; the window always has its panels");
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

// A clip plays unless the flags ask for another pose.
bool wants_a_clip(const EvaluationOptions& options) {
  return !names_session(options) && !options.clip && !options.bind_pose && !options.zero_pose && !options.pose;
}

// What the window is asked to start with before the file was opened.
ViewRequest plain_request(const ViewOptions& options) {
  ViewRequest request;
  request.file = options.evaluation.file.empty() ? "@mannequin" : options.evaluation.file;
  request.size = options.drawing.size_given ? options.drawing.size : request.size;
  request.widget_report = options.widget_report;
  request.watch = options.watch;
  request.allow_outside_uris = options.evaluation.allow_outside_uris;
  request.stamp = file_stamp(request.file);
  return request;
}

// The pose that the flags describe, or the clip that plays where they describe none.
Status pose_document(edit::Document& document, const EvaluationOptions& evaluation) {
  if (wants_a_clip(evaluation)) {
    edit::apply(document, {edit::SetClip{edit::opening_clip(*document.character)}, "", false});
  }
  std::vector<std::string> notes;
  if (Status status = apply_evaluation_flags(document, evaluation, notes); !status) {
    return status;
  }
  for (const std::string& note : notes) {
    print_note(note);
  }
  return {};
}

// Where the camera stands at the start.
Status place_camera(ViewRequest& request, const DrawingOptions& drawing) {
  edit::Evaluation shape;
  shape.hold_unprepared(true);  // the window opens first and prepares then
  Bounds bounds = shown_bounds(request.document, shape);
  if (request.document.content.clip >= 0) {
    bounds.add(edit::clip_bounds(*request.document.character, request.document.content.clip));
  }
  PELT_TRY_TO(const render::Camera camera, make_camera(request.document, shape.world(), bounds, drawing));
  request.camera = camera;
  const Result<SessionView> session = session_view(request.document);
  request.camera_given = drawing.camera || drawing.scene_camera || (session && session->camera);
  request.scene_camera = drawing.scene_camera.value_or(-1);
  return {};
}

Result<int> run_view(const ViewOptions& options, const WindowHooks& hooks) {
  if (!hooks.view) {
    return error("this build has no window; `pelt render FILE -o OUT.png` draws without one");
  }
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return error(
        "no display: neither DISPLAY nor WAYLAND_DISPLAY is set; `pelt render FILE -o OUT.png` draws without one");
  }
  ViewRequest request = plain_request(options);
  EvaluationOptions evaluation = options.evaluation;
  evaluation.file = request.file;
  Result<edit::Document> document = open_unposed(evaluation);
  if (!document) {
    // The window opens all the same and shows why; what was asked for by name cannot be looked up then.
    request.open_error = document.error().message;
    print_note(request.open_error);
    return hooks.view(std::move(request));
  }
  request.document = *std::move(document);
  for (const ReadFile& file : noted_files()) {
    if (file.role == kFileOfInput) {
      request.files_beside.push_back({file.path, file.stamp});
    }
  }
  PELT_TRY(pose_document(request.document, evaluation));
  const DrawingOptions& drawing = options.drawing;
  PELT_TRY(pin_vertex(request.document, drawing.vertex));
  open_panes(request.document, drawing);
  note_left_out(request.document);
  PELT_TRY_TO(render::ViewSettings view, view_settings(request.document, drawing));
  request.view = view;
  PELT_TRY_TO(std::optional<edit::SeriesAxis> plot, plot_axis(request.document, drawing));
  request.plot = plot;
  request.tab = drawing.tab.empty() && drawing.vertex ? "weights" : drawing.tab;
  PELT_TRY(place_camera(request, drawing));
  if (request.tab.empty() && !request.document.origin.path.empty()) {
    const Result<SessionView> session = session_view(request.document);
    request.tab = session ? session->tab : std::string();
    request.mode = session ? session->mode : std::string();
  }
  if (!request.document.origin.file.empty()) {
    request.stamp = file_stamp(request.document.origin.file);
  }
  request.light_given = !request.document.origin.window.empty() || drawing.environment || drawing.tone ||
                        drawing.exposure || drawing.occlusion;
  request.autoplay = !options.evaluation.time && !names_session(evaluation);
  return hooks.view(std::move(request));
}

}  // namespace

Verb add_view_verb(Command& verb) {
  const auto options = std::make_shared<ViewOptions>();
  add_view_flags(verb, *options);
  return {[options] { check_view(*options); },
          [options](const Surroundings& around) { return run_view(*options, around.hooks); }};
}

}  // namespace pelt::cli
