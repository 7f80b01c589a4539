#include "app/session.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/draw.h"
#include "core/text.h"
#include "gltf/bundled.h"
#include "measure/compare.h"
#include "ui/brush_tool.h"
#include "ui/skinning_panel.h"
#include "ui/widgets.h"

namespace pelt::app {

static_assert(edit::kPaneLimit <= render::kMostPanes);

const edit::Document& shown_document(const Session& session) {
  return session.preview ? session.preview->document : session.document;
}

void show_preview(Session& session, const ui::Preview& preview) {
  const edit::Document& document = session.document;
  if (preview.subject.empty()) {
    session.preview.reset();
    return;
  }
  // Beyond what documents count to, so that an evaluation never takes one for the other.
  constexpr std::uint64_t kFirstPreview = std::uint64_t{1} << 63;
  static std::uint64_t previews = 0;  // of all windows
  std::optional<ShownPreview>& shown = session.preview;
  if (!shown || shown->key != preview.key || shown->state_version != document.state_version ||
      shown->character_version != document.character_version) {
    shown = ShownPreview{.key = preview.key,
                         .character_version = document.character_version,
                         .state_version = document.state_version,
                         .moves = preview.moves,
                         .document = edit::without_history(document)};
    for (const edit::Change& change : preview.changes) {
      edit::apply(shown->document, {change, {}, false});
    }
    // What was carried out since it was asked for may have brought another character.
    const auto fits = [&](const std::shared_ptr<const rig::Character>& one) {
      return one == nullptr || edit::can_stand_in(*one, *shown->document.character);
    };
    if (std::ranges::all_of(preview.stand_ins, fits)) {
      std::vector<std::shared_ptr<const rig::Character>>& made = shown->document.stand_ins;
      for (std::size_t pane = 0; pane < preview.stand_ins.size(); ++pane) {
        const std::shared_ptr<const rig::Character>& one = preview.stand_ins[pane];
        // Panes that show the same share it, so that they are known to be alike.
        const auto same = std::ranges::find(preview.stand_ins, one) - preview.stand_ins.begin();
        made.push_back(one == nullptr                     ? nullptr
                       : std::cmp_less(same, made.size()) ? made[static_cast<std::size_t>(same)]
                                                          : edit::stand_in(*one, *shown->document.character));
      }
    }
    shown->document.state_version = kFirstPreview + ++previews;
  }
  shown->moves = preview.moves;
  if (preview.time && shown->document.view.time != *preview.time) {
    edit::apply(shown->document, {edit::SetTime{*preview.time}, {}, false});
    shown->document.state_version = kFirstPreview + ++previews;
  }
}

bool update(Session& session) {
  const edit::Document& document = shown_document(session);
  const bool changed = session.evaluation.update(document);
  session.posed_bounds.update(*document.character);
  return changed;
}

bool is_as_read(const Session& session) {
  return session.opened.character.lock() == edit::own_character(session.document);
}

void keep_pose(Session& session) {
  session.kept.overrides = *session.document.content.overrides;
  session.kept.morphs = *session.document.content.morph_overrides;
}

void keep_all(Session& session, const edit::Content& content) {
  session.kept = {*content.overrides, *content.morph_overrides, content.character, content};
}

void keep_in_scene(Session& session, const std::shared_ptr<const rig::Character>& before) {
  const std::shared_ptr<const rig::Character>& now = session.document.content.character;
  if (session.kept.character == before) {
    session.kept.character = now;
  }
  if (session.kept.content.character == before) {
    session.kept.content.character = now;
  }
}

namespace {

// Names what a content has beside its character that was not kept. Base pose, clip, methods and panes are ways of
// looking; what somebody made is work without a session, too.
std::vector<std::string_view> made_beside_character(const edit::Content& content, const Kept& kept) {
  std::vector<std::string_view> out;
  const auto add = [&](bool differs, std::string_view what) {
    if (differs) {
      out.push_back(what);
    }
  };
  const bool posed = !content.overrides->empty() || !content.morph_overrides->empty();
  const edit::Content& before = kept.content;
  add(posed && (*content.overrides != kept.overrides || *content.morph_overrides != kept.morphs), "the pose");
  add(content.selections != before.selections, "named selections");
  add(content.euler_orders != before.euler_orders, "rotation orders");
  add(content.pins != before.pins, "pins");
  add(content.behaviour != before.behaviour, "drivers, springs and constraints");
  add(content.library != before.library, "stored poses");
  add(content.kept_poses != before.kept_poses, "poses kept for painting");
  add(content.locked_joints != before.locked_joints, "locks of joints");
  add(content.volumes != before.volumes, "volumes for binding");
  add(content.pose_layers != before.pose_layers || content.deformer_layers != before.deformer_layers, "layers");
  return out;
}

std::string ago(double seconds) {
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  return minutes < 1    ? std::string("less than a minute ago")
         : minutes < 60 ? ui::count_of(minutes, "minute", "minutes") + " ago"
                        : ui::count_of(minutes / 60, "hour", "hours") + " ago";
}

}  // namespace

bool has_unsaved_work(const Session& session) {
  const edit::Content& content = session.document.content;
  const Kept& kept = session.kept;
  return content.character != kept.character || !made_beside_character(content, kept).empty() ||
         (!session.workspace.session_path.empty() && content != kept.content);
}

void note_export(Session& session, const edit::Content& content, const std::string& file, bool is_whole, double now) {
  session.exported = ExportedWork{content.character, file, now, is_whole};
  if (is_whole && session.workspace.session_path.empty() && made_beside_character(content, session.kept).empty()) {
    keep_all(session, content);
  }
}

std::string words_of_export(const Session& session, double now) {
  if (!session.exported) {
    return {};
  }
  const ExportedWork& exported = *session.exported;
  const edit::Content& content = session.document.content;
  std::vector<std::string_view> missing = made_beside_character(content, session.kept);
  if (exported.character.lock() != content.character) {
    missing.insert(missing.begin(), "what was changed of the character since");
  }
  if (!exported.is_whole) {
    missing.insert(missing.begin(), "what the export left out or rounded");
  }
  std::string out =
      fmt::format("Exported to {} {}; the session is not saved.",
                  printable(std::filesystem::path(exported.file).filename().string(), 200), ago(now - exported.when));
  if (!missing.empty()) {
    out += fmt::format(" Not in that file: {}.", fmt::join(missing, ", "));
  }
  return out;
}

Bounds posed_bounds(const Session& session) {
  const edit::Evaluation& evaluation = session.evaluation;
  const auto of_pane = [&](int pane) {
    return session.posed_bounds.evaluate(*shown_document(session).character, evaluation.pose(), evaluation.world(),
                                         evaluation.skinning(pane));
  };
  Bounds bounds = of_pane(0);
  for (int pane = 1; pane < edit::pane_count(session.document.content); ++pane) {
    if (evaluation.skinning(pane).layers != evaluation.skinning(0).layers) {  // one of the two is being prepared
      bounds.add(of_pane(pane));
    }
  }
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
    return session.evaluation.deformed(shown_document(session), pane);
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
    return session.surface_marks.cracks(shown_document(session), session.evaluation, pane);
  };
  scene.surface_to_come = session.surface_to_come;
  scene.cpu_milliseconds = session.evaluation.cpu_seconds(session.document.view.active_pane) * 1e3;
  scene.frame_milliseconds = session.frame_milliseconds;
  scene.frames_per_second = session.frames_per_second;
  scene.now = now;
  scene.unsaved = has_unsaved_work(session);
  scene.exported = words_of_export(session, now);
  for (const EmbeddedFile& file : gltf::bundled_characters()) {
    const std::string_view name = file.name.substr(0, file.name.rfind('.'));
    scene.bundled.push_back("@" + std::string(name));
  }
  return scene;
}

render::Frame make_frame(Session& session, const render::Renderer& renderer, glm::ivec2 size, float pixel_scale,
                         int pane) {
  const edit::Document& document = shown_document(session);
  const ui::Workspace& workspace = session.workspace;
  const Bounds bounds = posed_bounds(session);
  cli::FrameRequest request{.view = workspace.view,
                            .camera = workspace.camera,
                            .size = size,
                            .pixel_scale = pixel_scale,
                            .bounds = bounds,
                            .hovered_joint = workspace.viewport.hovered_joint >= 0
                                                 ? workspace.viewport.hovered_joint
                                                 : workspace.viewport.tree_hovered_joint,
                            .select = true,
                            .time_skinning = workspace.tab == ui::kSkinningTab && !workspace.panels_hidden,
                            // One layout for all weights that a surface may have: going from one to another is quick.
                            .paint = session.paint || !document.stand_ins.empty()};
  // Nothing within this ball around the pivot is clipped, wherever the user moved the pivot.
  const float reach = glm::length(bounds.center() - request.camera.pivot) + 0.5f * bounds.diagonal();
  request.camera.near_far_radius = std::max(1e-3f, 1.1f * reach);
  render::Frame frame = cli::make_frame(document, session.evaluation, std::move(request), pane, &session.surface_marks,
                                        [&renderer](const render::Frame& made) { return renderer.needs_cpu(made); });
  const auto plan = std::ranges::find(session.plans, frame.skinning, &BatchPlans::value_type::first);
  frame.plan = plan == session.plans.end() ? nullptr : plan->second;
  frame.hold_shadows = workspace.panel<ui::BrushTool>().busy && !workspace.playback.playing;
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

std::vector<std::uint64_t> ghost_versions(const render::Frame& frame) {
  std::vector<std::uint64_t> versions;
  for (const render::Ghost& ghost : frame.ghosts) {
    versions.push_back(ghost.version);
  }
  return versions;
}

PictureKey key_of(const render::Frame& frame) {
  return {frame.pane,
          render::AppearanceParts(*frame.character),
          frame.pose_version,
          frame.skinning,
          frame.paint,
          frame.hold_shadows,
          frame.time_skinning,
          frame.view,
          frame.camera,
          frame.size,
          frame.pixel_scale,
          {frame.selected_joints.begin(), frame.selected_joints.end()},
          frame.hovered_joint,
          {frame.pinned_part, frame.pinned_vertex},
          ghost_versions(frame),
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
  const deform::DeformedCharacter& cpu = session.evaluation.deformed(shown_document(session), pane);
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
