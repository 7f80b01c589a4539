#include <cstdlib>

#include "cli/draw.h"
#include "cli/open.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/vertex_report.h"
#include "edit/commands.h"
#include "edit/evaluation.h"
#include "edit/opening.h"

namespace pelt::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

// A clip plays unless the flags ask for another pose.
bool wants_a_clip(const EvaluationOptions& options) {
  return !options.clip && !options.bind_pose && !options.zero_pose && !options.pose;
}

}  // namespace

Result<int> run_view(const ViewOptions& options, const WindowHooks& hooks) {
  if (!hooks.view) {
    return error("this build has no window; `pelt render FILE -o OUT.png` draws without one");
  }
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
    return error(
        "no display: neither DISPLAY nor WAYLAND_DISPLAY is set; `pelt render FILE -o OUT.png` draws without one");
  }
  ViewRequest request;
  request.file = options.evaluation.file.empty() ? "@mannequin" : options.evaluation.file;
  request.size = options.drawing.size_given ? options.drawing.size : request.size;
  request.widget_report = options.widget_report;
  request.watch = options.watch;
  request.allow_outside_uris = options.evaluation.allow_outside_uris;
  EvaluationOptions evaluation = options.evaluation;
  evaluation.file = request.file;
  request.stamp = file_stamp(request.file);
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
  const rig::Character& character = *request.document.character;
  if (wants_a_clip(evaluation)) {
    edit::apply(request.document, {edit::SetClip{edit::opening_clip(character)}, "", false});
  }
  std::vector<std::string> notes;
  if (Status status = apply_evaluation_flags(request.document, evaluation, notes); !status) {
    return status.error();
  }
  for (const std::string& note : notes) {
    print_note(note);
  }
  if (Status pinned = pin_vertex(request.document, options.drawing.vertex); !pinned) {
    return pinned.error();
  }
  open_panes(request.document, options.drawing);
  note_left_out(request.document);
  Result<render::ViewSettings> view = view_settings(request.document, options.drawing);
  if (!view) {
    return view.error();
  }
  request.view = *view;
  Result<std::optional<edit::SeriesAxis>> plot = plot_axis(request.document, options.drawing);
  if (!plot) {
    return plot.error();
  }
  request.plot = *plot;
  request.tab = options.drawing.tab.empty() && options.drawing.vertex ? "weights" : options.drawing.tab;
  edit::Evaluation shape;
  shape.hold_unprepared(true);  // the window opens first and prepares then
  Bounds bounds = shown_bounds(request.document, shape);
  if (request.document.state.clip >= 0) {
    bounds.add(edit::clip_bounds(character, request.document.state.clip));
  }
  const Result<render::Camera> camera = make_camera(request.document, shape.world(), bounds, options.drawing);
  if (!camera) {
    return camera.error();
  }
  request.camera = *camera;
  request.camera_given = options.drawing.camera || options.drawing.scene_camera;
  request.scene_camera = options.drawing.scene_camera.value_or(-1);
  request.light_given =
      options.drawing.environment || options.drawing.tone || options.drawing.exposure || options.drawing.occlusion;
  request.autoplay = !options.evaluation.time;
  return hooks.view(std::move(request));
}

}  // namespace pelt::cli
