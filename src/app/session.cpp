#include "app/session.h"

#include <algorithm>
#include <iterator>

#include "cli/draw.h"
#include "gltf/bundled.h"
#include "measure/compare.h"

namespace pelt::app {

static_assert(edit::kPaneLimit <= render::kMostPanes);

bool update(Session& session) {
  const bool changed = session.evaluation.update(session.document);
  if (!session.posed_bounds || session.bounds_character != session.document.character_version) {
    session.posed_bounds.emplace(*session.document.character);
    session.bounds_character = session.document.character_version;
  }
  return changed;
}

bool is_as_read(const Session& session) {
  return session.opened.character.lock() == edit::own_character(session.document);
}

void keep_pose(Session& session) {
  session.kept_overrides = *session.document.content.overrides;
  session.kept_morphs = *session.document.content.morph_overrides;
}

bool has_unsaved_pose(const Session& session) {
  const edit::Content& content = session.document.content;
  const bool posed = !content.overrides->empty() || !content.morph_overrides->empty();
  return posed && (*content.overrides != session.kept_overrides || *content.morph_overrides != session.kept_morphs);
}

Bounds posed_bounds(const Session& session) {
  Bounds bounds = session.posed_bounds->evaluate(session.evaluation.world());
  if (bounds.empty()) {
    for (const glm::mat4& world : session.evaluation.world()) {
      bounds.add(glm::vec3(world[3]));
    }
  }
  return bounds;
}

ui::Scene make_scene(Session& session, const ui::Loading& loading, double now) {
  ui::Scene scene;
  scene.document = &session.document;
  scene.pose = &session.evaluation.pose();
  scene.world = session.evaluation.world();
  scene.pose_version = session.evaluation.version();
  scene.bounds = posed_bounds(session);
  if (const auto& crowd = session.stats.crowd; crowd && crowd->refused.empty()) {
    scene.bounds.add(crowd->bounds);
  }
  scene.deformed = [&session](int pane) -> const deform::DeformedCharacter& {
    return session.evaluation.deformed(session.document, pane);
  };
  scene.stats = &session.stats;
  scene.device = session.device;
  scene.parity = session.parity;
  scene.parity_error = session.parity_error;
  scene.loading = loading;
  scene.skin_cache = session.evaluation.cache();
  scene.measurements = &session.measurements;
  scene.cracks = [&session](int pane) -> std::optional<std::span<const measure::PosedCrack>> {
    if (!session.surface_marks.knows_t_junctions(session.document)) {
      return std::nullopt;
    }
    return session.surface_marks.cracks(session.document, session.evaluation, pane);
  };
  scene.surface_to_come = session.surface_to_come;
  scene.cpu_milliseconds = session.evaluation.cpu_seconds(session.document.view.active_pane) * 1e3;
  scene.frame_milliseconds = session.frame_milliseconds;
  scene.frames_per_second = session.frames_per_second;
  scene.now = now;
  scene.pose_unsaved = has_unsaved_pose(session);
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    const std::string_view name = file.name.substr(0, file.name.rfind('.'));
    scene.bundled.push_back("@" + std::string(name));
  }
  return scene;
}

render::Frame make_frame(Session& session, const render::Renderer& renderer, glm::ivec2 size, float pixel_scale,
                         int pane) {
  const edit::Document& document = session.document;
  const ui::Workspace& workspace = session.workspace;
  render::Frame frame;
  frame.character = document.character.get();
  frame.character_version = document.character_version;
  frame.pose = &session.evaluation.pose();
  frame.world = session.evaluation.world();
  frame.pose_version = session.evaluation.version();
  frame.pane = pane;
  frame.time_skinning = workspace.tab == ui::Tab::kSkinning && !workspace.panels_hidden;
  frame.skinning = session.evaluation.skinning(pane);
  frame.cache = session.evaluation.cache().get();
  frame.view = workspace.view;
  frame.camera = workspace.camera;
  frame.size = size;
  frame.pixel_scale = pixel_scale;
  frame.bounds = posed_bounds(session);
  frame.clip = document.content.clip;
  frame.clip_seconds = edit::clip_seconds(document);
  frame.selected_joint = document.view.selected_joint;
  frame.hovered_joint =
      workspace.viewport.hovered_joint >= 0 ? workspace.viewport.hovered_joint : workspace.viewport.tree_hovered_joint;
  frame.pinned_part = document.view.pinned_part;
  frame.pinned_vertex = document.view.pinned_vertex;
  // Nothing within this ball around the pivot is clipped, wherever the user moved the pivot.
  const float reach = glm::length(frame.bounds.center() - frame.camera.pivot) + 0.5f * frame.bounds.diagonal();
  frame.camera.near_far_radius = std::max(1e-3f, 1.1f * reach);
  cli::set_reference(frame, document, session.evaluation);
  cli::set_surface_marks(frame, document, session.evaluation, session.surface_marks);
  if (renderer.needs_cpu(frame)) {
    frame.deformed = &session.evaluation.deformed(document, pane);
  }
  return frame;
}

render::PaneLayout pane_layout(const Session& session, glm::ivec2 size, float pixel_scale) {
  return render::pane_layout(size, edit::pane_count(session.document.content), session.workspace.view, pixel_scale);
}

std::vector<render::Frame> make_frames(Session& session, const render::Renderer& renderer,
                                       const render::PaneLayout& layout, float pixel_scale) {
  std::vector<render::Frame> frames;
  for (const render::PixelRect& picture : layout.pictures) {
    frames.push_back(make_frame(session, renderer, picture.size, pixel_scale, static_cast<int>(frames.size())));
  }
  return frames;
}

namespace {

PictureKey key_of(const render::Frame& frame) {
  return {frame.pane,
          frame.character_version,
          frame.pose_version,
          frame.skinning,
          frame.time_skinning,
          frame.view,
          frame.camera,
          frame.size,
          frame.pixel_scale,
          frame.selected_joint,
          frame.hovered_joint,
          {frame.pinned_part, frame.pinned_vertex},
          frame.cage.size() + frame.surface_marks.size()};
}

}  // namespace

std::vector<PictureKey> picture_key(std::span<const render::Frame> frames) {
  std::vector<PictureKey> keys;
  std::ranges::transform(frames, std::back_inserter(keys), key_of);
  return keys;
}

void measure_parity(Session& session, render::Renderer& renderer) {
  const int pane = session.document.view.active_pane;
  render::Frame frame = make_frame(session, renderer, glm::ivec2(64), 1, pane);
  // The document stays on its backend: only this comparison asks for the GPU's result.
  frame.skinning.backend = deform::Backend::kGpu;
  const deform::DeformedCharacter& cpu = session.evaluation.deformed(session.document, pane);
  frame.deformed = &cpu;
  const Result<deform::DeformedCharacter> gpu = renderer.read_back(frame);
  session.parity.reset();
  session.parity_error.clear();
  session.parity_tried = session.evaluation.version();
  if (!gpu) {
    session.parity_error = gpu.error().message;
    return;
  }
  session.parity = ui::Parity{measure::difference(*gpu, cpu), static_cast<double>(cpu.bounds.diagonal()),
                              session.evaluation.version()};
}

}  // namespace pelt::app
