#include "cli/draw.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "cli/back_picture.h"
#include "cli/open.h"
#include "cli/output.h"
#include "cli/session_view.h"
#include "cli/vertex_report.h"
#include "core/index.h"
#include "core/text.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_steps.h"
#include "edit/commands.h"
#include "edit/hiding.h"
#include "measure/diet.h"
#include "render/environment.h"
#include "render/ghosts.h"
#include "render/panes.h"
#include "rig/appearance.h"

namespace pelt::cli {
namespace {

Result<render::Camera> scene_camera(const edit::Document& document, std::span<const glm::mat4> world,
                                    const Bounds& bounds, int index) {
  const rig::Character& character = *document.character;
  if (!has_index(character.cameras, index)) {
    return error("--scene-camera {}: the file has {} camera(s)", index, character.cameras.size());
  }
  const rig::Appearance looks = rig::appearance(character, {.clip = document.content.clip, .time = document.view.time});
  const rig::Camera& source = looks.cameras[index];
  if (source.joint < 0) {
    return error("--scene-camera {}: no node carries that camera", index);
  }
  const auto camera = render::camera_of(source, world[source.joint], bounds);
  if (!camera) {
    return error("--scene-camera {}: its node has no direction", index);
  }
  return *camera;
}

// The lines and points over the surface that a frame's view asks for. They stay in `marks`.
void set_surface_marks(render::Frame& frame, const edit::Document& document, edit::Evaluation& evaluation,
                       edit::SurfaceMarks& marks) {
  if (frame.view.cage) {
    frame.cage = marks.cage(document, evaluation, frame.pane);
    frame.cage_points = marks.cage_points(document, evaluation, frame.pane);
  }
  if (frame.view.t_junctions) {
    frame.surface_marks = marks.crack_points(document, evaluation, frame.pane);
  }
}

// The poses before and after the playhead, which stay in `evaluation` until another picture asks.
void set_ghosts(render::Frame& frame, const edit::Document& document, edit::Evaluation& evaluation) {
  const render::GhostSettings& settings = frame.view.ghosts;
  // Where none is shown, none of an earlier picture is kept, nor the character that it was of.
  const edit::GhostMoments wanted = settings.shown ? ghost_moments(settings) : edit::GhostMoments();
  for (const edit::GhostPose& pose : evaluation.ghosts(document, wanted)) {
    frame.ghosts.push_back({&pose.pose, pose.world, pose.version, render::ghost_color(settings, pose.moment.place)});
  }
}

// Sets what the look kDifference compares a pane's frame with, where it shows that look. A pane that differs from its
// reference in the backend alone is compared with the other backend: the CPU's word for both would hide everything.
// While the evaluation holds back a method that is not prepared, the pane is clay: no map may say that all is equal.
void set_reference(render::Frame& frame, const edit::Document& document, edit::Evaluation& evaluation) {
  if (frame.view.look != render::Look::kDifference) {
    return;
  }
  render::Compare& compare = frame.view.compare;
  switch (compare.reference) {
    case render::Reference::kOtherBackend:
      break;
    case render::Reference::kBindShape:
      frame.reference = &evaluation.bound(document);
      break;
    case render::Reference::kPane: {
      if (compare.pane < 0 || compare.pane >= edit::pane_count(document.content)) {
        frame.view.look = render::Look::kClay;
        break;
      }
      deform::SkinningSettings same_backend = evaluation.skinning(compare.pane);
      same_backend.backend = frame.skinning.backend;
      if (frame.character != &edit::shown_character(document, compare.pane)) {  // of other weights
        frame.reference = &evaluation.deformed(document, compare.pane);
      } else if (same_backend == frame.skinning && same_backend != evaluation.skinning(compare.pane)) {
        compare.reference = render::Reference::kOtherBackend;
      } else if (same_backend != frame.skinning) {  // the same settings make the same shape: no reference but itself
        frame.reference = &evaluation.deformed(document, compare.pane);
      }
      break;
    }
    case render::Reference::kMethod: {
      deform::SkinningSettings settings = frame.skinning;
      settings.method = compare.method;
      if (evaluation.available(document, settings, frame.pane)) {
        frame.reference = &evaluation.deformed_under(document, settings, frame.pane);
      } else {
        frame.view.look = render::Look::kClay;
      }
      break;
    }
    case render::Reference::kFullPrecision: {
      const deform::SkinningSettings settings = measure::full_precision(frame.skinning);
      if (evaluation.available(document, settings, frame.pane)) {
        frame.reference = &evaluation.deformed_under(document, settings, frame.pane);
      } else {
        frame.view.look = render::Look::kClay;
      }
      break;
    }
  }
}

/// The picture of --behind, else the session's; a session's that cannot be opened is only told about.
Status set_picture_behind(render::Behind& behind, const edit::Document& document, const DrawingOptions& options) {
  if (options.behind.empty()) {
    if (const std::string why = open_session_picture(behind, document.origin.path); !why.empty()) {
      print_note(why);
    }
  } else {
    note_read(options.behind, "--behind");
    auto picture = load_back_picture(options.behind);
    if (!picture) {
      return picture.error().in("--behind");
    }
    behind = {.picture = *std::move(picture), .without_background = true};  // it was asked for
  }
  behind.opacity = options.behind_opacity.value_or(behind.opacity);
  return {};
}

/// Lines of equal weight are about the weights of one joint, and so is a picture with them.
Status set_isolines(render::ViewSettings& view, const DrawingOptions& options) {
  if (!options.isolines) {
    return {};
  }
  view.isolines = true;
  view.look = options.look.value_or(render::Look::kWeights);
  if (!render::shows_isolines(view)) {
    return error("--isolines: the lines are of one joint's weights; add --joint NAME, and no other look than weights");
  }
  return {};
}

/// Parts that --hide and --only name.
Status set_hidden_parts(rig::SharedHiding& hiding, const rig::Character& character, const DrawingOptions& options) {
  std::vector<int> only;
  for (const std::string& name : options.only) {
    const Result<int> part = resolve_part(character, name);
    if (!part) {
      return part.error().in("--only");
    }
    only.push_back(*part);
  }
  if (!only.empty()) {
    hiding = edit::show_only_parts(hiding, character, only);
  }
  for (const std::string& name : options.hide) {
    const Result<int> part = resolve_part(character, name);
    if (!part) {
      return part.error().in("--hide");
    }
    hiding = edit::set_part_hidden(hiding, character, *part, true);
  }
  return {};
}

}  // namespace

edit::GhostMoments ghost_moments(const render::GhostSettings& settings) {
  return {.before = settings.before, .after = settings.after, .step = settings.step, .on_keys = settings.on_keys};
}

Bounds shown_bounds(const edit::Document& document, edit::Evaluation& evaluation) {
  Bounds bounds;
  for (int pane = 0; pane < edit::pane_count(document.content); ++pane) {
    const deform::DeformedCharacter& shape = evaluation.deformed(document, pane);
    bounds.add(shape.bounds);
    if (document.view.pinned_part >= 0 && document.view.pinned_vertex >= 0) {
      const deform::VertexSteps steps =
          deform::vertex_steps(*document.character, evaluation.pose(), evaluation.world(), evaluation.skinning(pane),
                               shape, document.view.pinned_part, document.view.pinned_vertex);
      for (const deform::JointStep& step : steps.joints) {
        bounds.add(step.ghost);
      }
    }
  }
  if (bounds.empty()) {
    for (const glm::mat4& world : evaluation.world()) {
      bounds.add(glm::vec3(world[3]));
    }
  }
  return bounds;
}

Result<render::ViewSettings> view_settings(const edit::Document& document, const DrawingOptions& options) {
  PELT_TRY_TO(SessionView session, session_view(document));
  render::ViewSettings view = session.view;
  for (const std::string& note : session.notes) {
    print_note(note);
  }
  PELT_TRY(set_picture_behind(view.behind, document, options));
  PELT_TRY(set_hidden_parts(view.hiding, *document.character, options));
  view.look = options.look.value_or(view.look);
  if (!options.joint.empty()) {
    const Result<int> joint = resolve_joint(document.character->skeleton, options.joint);
    if (!joint) {
      return joint.error().in("--joint");
    }
    view.weight_joint = *joint;
  }
  PELT_TRY(set_isolines(view, options));
  view.skeleton = view.skeleton || options.skeleton || document.character->parts.empty();
  view.deforming_only = view.deforming_only || options.deforming_only;
  view.joint_names = view.joint_names || options.joint_names;
  view.wireframe = view.wireframe || options.wireframe;
  view.normal_lines = view.normal_lines || options.normals;
  view.rotation_centers = view.rotation_centers || options.centers;
  if (options.centers) {
    bool any = false;
    for (int pane = 0; pane < edit::pane_count(document.content); ++pane) {
      any = any || deform::skinning_methods()[edit::skinning_of(document.content, pane).method].has_centers;
    }
    if (!any) {
      return error("--centers: {} has none; add --method cor",
                   deform::skinning_methods()[document.content.skinning.method].id);
    }
  }
  view.cage = view.cage || options.cage;
  view.t_junctions = view.t_junctions || options.mark_t_junctions;
  view.grid = view.grid && options.grid;
  view.ground = view.ground && options.grid;
  view.samples = options.samples;
  if (options.ghosts) {
    view.ghosts = *options.ghosts;
  }
  view.instances = options.instances > 0 ? options.instances : view.instances;
  if (options.variant) {
    PELT_TRY_TO(const int variant, resolve_variant(*document.character, *options.variant));
    view.variant = variant;
  }
  if (options.environment) {
    view.environment = options.environment->environment;
    if (view.environment == render::Environment::kImage) {
      note_read(options.environment->file, "--environment");
      Result<render::EnvironmentImage> image = render::load_environment(options.environment->file);
      if (!image) {
        return image.error().in("--environment");
      }
      view.environment_image = std::make_shared<const render::EnvironmentImage>(*std::move(image));
    }
  }
  view.tone = options.tone.value_or(view.tone);
  view.exposure = options.exposure.value_or(view.exposure);
  view.occlusion = options.occlusion.value_or(view.occlusion);
  view.background = options.background ? options.background : view.background;
  view.wipe = view.wipe || options.wipe.has_value();
  view.wipe_position = options.wipe.value_or(view.wipe_position);
  // Flags of the difference map are about nothing else.
  if (options.measure || options.against || options.range) {
    view.look = render::Look::kDifference;
  }
  view.compare.measure = options.measure.value_or(view.compare.measure);
  if (options.against) {
    view.compare.reference = options.against->reference;
    view.compare.pane = options.against->pane;
    view.compare.method = options.against->method;
  }
  if (options.range) {
    view.compare.range = static_cast<float>(*options.range / measure::info(view.compare.measure).shown_per_unit);
  }
  return view;
}

void open_panes(edit::Document& document, const DrawingOptions& options) {
  const auto change = [&](edit::Change what) { edit::apply(document, {std::move(what), "", false}); };
  if (options.panes.empty()) {
    return;  // a session has its own
  }
  change(edit::SetPanes{1 + static_cast<int>(options.panes.size())});
  for (std::size_t i = 0; i < options.panes.size(); ++i) {
    change(edit::SetSkinning{with_pane(document.content.skinning, options.panes[i]), 1 + static_cast<int>(i)});
  }
}

render::Frame make_frame(const edit::Document& document, edit::Evaluation& evaluation, FrameRequest request, int pane,
                         edit::SurfaceMarks* marks, const std::function<bool(const render::Frame&)>& needs_cpu) {
  render::Frame frame;
  frame.character = &edit::shown_character(document, pane);
  frame.pose = &evaluation.pose();
  frame.world = evaluation.world();
  frame.pose_version = evaluation.version();
  frame.skinning = evaluation.skinning(pane);
  frame.cache = evaluation.cache().get();
  frame.time_skinning = request.time_skinning;
  frame.paint = request.paint;
  frame.pane = pane;
  frame.view = std::move(request.view);
  frame.camera = request.camera;
  frame.size = request.size;
  frame.pixel_scale = request.pixel_scale;
  frame.clip = document.content.clip;
  frame.clip_seconds = edit::clip_seconds(document);
  if (request.select) {
    frame.selected_joints = document.view.selected_joints;
  }
  frame.hovered_joint = request.hovered_joint;
  frame.pinned_part = document.view.pinned_part;
  frame.pinned_vertex = document.view.pinned_vertex;
  set_reference(frame, document, evaluation);
  set_ghosts(frame, document, evaluation);
  if (marks != nullptr) {
    set_surface_marks(frame, document, evaluation, *marks);
  }
  frame.bounds = request.bounds;
  if (needs_cpu(frame)) {
    frame.deformed = &evaluation.deformed(document, pane);
  }
  return frame;
}

std::vector<render::Frame> pane_frames(const edit::Document& document, edit::Evaluation& evaluation,
                                       const FrameRequest& request, std::size_t count, edit::SurfaceMarks* marks) {
  evaluation.update(document);
  std::vector<render::Frame> frames;
  for (std::size_t i = 0; i < count; ++i) {
    const int pane = static_cast<int>(i);
    FrameRequest of_pane = request;
    of_pane.bounds.add(evaluation.deformed(document, pane).bounds);
    frames.push_back(
        make_frame(document, evaluation, std::move(of_pane), pane, marks, [](const render::Frame&) { return true; }));
  }
  return frames;
}

std::vector<render::PictureText> picture_texts(std::span<const render::Frame> frames, const render::PaneLayout& layout,
                                               const std::function<std::span<const measure::PosedCrack>(int)>& cracks) {
  std::vector<render::PictureText> out;
  for (std::size_t pane = 0; pane < frames.size(); ++pane) {
    render::Frame frame = frames[pane];
    frame.size = layout.pictures[pane].size;
    std::vector<render::PictureText> texts = render::vertex_texts(frame);
    if (frame.view.joint_names) {
      std::ranges::move(render::joint_texts(frame), std::back_inserter(texts));
    }
    if (frame.view.t_junctions) {
      std::ranges::move(render::crack_texts(frame, cracks(frame.pane)), std::back_inserter(texts));
    }
    for (render::PictureText& text : texts) {
      text.pixel += glm::vec2(layout.pictures[pane].origin);
      if (layout.shown[pane].contains(glm::ivec2(text.pixel))) {
        out.push_back(std::move(text));
      }
    }
  }
  return out;
}

Result<std::optional<edit::SeriesAxis>> plot_axis(const edit::Document& document, const DrawingOptions& options) {
  if (options.plot.empty()) {
    return std::optional<edit::SeriesAxis>();
  }
  const std::size_t dot = options.plot.rfind('.');
  if (dot == std::string::npos) {
    return error("--plot: expected JOINT.DOF, got \"{}\"", printable(options.plot));
  }
  const Result<ResolvedDof> slider = resolve_dof(document, options.plot.substr(0, dot), options.plot.substr(dot + 1));
  if (!slider) {
    return slider.error().in(fmt::format("--plot {}", printable(options.plot)));
  }
  return std::optional(edit::sweep_of(document, slider->joint, slider->index));
}

Result<render::Camera> make_camera(const edit::Document& document, std::span<const glm::mat4> world,
                                   const Bounds& bounds, const DrawingOptions& options) {
  if (options.scene_camera) {
    return scene_camera(document, world, bounds, *options.scene_camera);
  }
  PELT_TRY_TO(const SessionView session, session_view(document));
  if (session.camera && !options.camera) {
    render::Camera camera = *session.camera;
    camera.orthographic = camera.orthographic || options.ortho;
    camera.near_far_radius = std::max(1e-3f, glm::length(bounds.center() - camera.pivot) + 0.6f * bounds.diagonal());
    return camera;
  }
  render::Camera camera;
  camera.orthographic = options.ortho;
  if (options.camera) {
    camera.azimuth = options.camera->azimuth;
    camera.elevation = options.camera->elevation;
  }
  render::ViewSettings view;
  view.wipe = options.wipe.has_value();
  const glm::vec2 picture(
      render::pane_layout(options.size, edit::pane_count(document.content), view, 1).pictures.front().size);
  render::frame(camera, bounds, picture.x / picture.y);
  if (options.camera && options.camera->distance) {
    camera.distance = *options.camera->distance;
  }
  return camera;
}

}  // namespace pelt::cli
