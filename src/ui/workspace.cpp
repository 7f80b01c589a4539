#include "ui/workspace.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "core/text.h"
#include "edit/hiding.h"
#include "edit/opening.h"
#include "edit/reload.h"
#include "render/environment.h"
#include "rig/appearance.h"
#include "ui/history_panel.h"
#include "ui/key_editor.h"
#include "ui/library_panel.h"
#include "ui/modes.h"
#include "ui/place_tool.h"
#include "ui/pose_panel.h"
#include "ui/reach_tool.h"
#include "ui/skeleton_section.h"
#include "ui/skinning_panel.h"
#include "ui/volume_jobs.h"

namespace pelt::ui {

LightPreferences light_of(const render::ViewSettings& view) {
  return {.environment = view.environment,
          .environment_file = view.environment_image != nullptr ? view.environment_image->name : std::string(),
          .tone = view.tone,
          .exposure = view.exposure,
          .occlusion = view.occlusion};
}

Outcome apply(const Requests& requests, edit::Document& document) {
  std::string notice;
  std::string refused;
  for (const edit::Command& command : requests.commands) {
    const std::string remark = edit::notice(document, command.change);
    if (const std::string why = edit::why_refused(document, command.change); !why.empty()) {
      refused = fmt::format("Nothing changes: {}", printable(why, 400));
      continue;
    }
    const std::uint64_t version = document.state_version;
    edit::apply(document, command);
    if (!remark.empty() && document.state_version != version) {
      notice = fmt::format("{}: {}", printable(command.label.empty() ? label(document, command.change) : command.label),
                           printable(remark, 400));
    }
  }
  if (requests.end_merge) {
    edit::end_merge(document);
  }
  edit::cancel_merge(document, requests.cancel_merge);
  if (requests.undo && edit::can_undo(document)) {
    notice = fmt::format("Undone: {}", printable(document.history.undo_label()));
    edit::undo(document);
  }
  if (requests.redo && edit::can_redo(document)) {
    notice = fmt::format("Redone: {}", printable(document.history.redo_label()));
    edit::redo(document);
  }
  if (requests.travel && *requests.travel != document.history.cursor()) {
    edit::travel(document, *requests.travel);
    notice = "Gone to: " + history_label(document, *requests.travel);
  }
  const bool travelled = requests.undo || requests.redo || requests.travel.has_value();
  if (const std::string lost = edit::lost_sentence(document.lost); travelled && !notice.empty() && !lost.empty()) {
    notice += ". " + printable(lost);
  }
  if (requests.playhead) {
    edit::apply(document, {edit::SetTime{*requests.playhead}, {}, false});
  }
  if (requests.select_joints) {
    document.view.selected_joints = *requests.select_joints;
  }
  if (requests.select_vertices) {
    document.view.selected_vertices = *requests.select_vertices;
  }
  if (requests.pin) {
    document.view.pinned_part = requests.pin->x;
    document.view.pinned_vertex = requests.pin->y;
  }
  if (requests.select_joints || requests.select_vertices || requests.pin) {
    edit::keep_valid(document.view, document);  // they were asked for before commands changed the character
  }
  if (requests.show_scene) {
    edit::show_scene(document, *requests.show_scene);
  }
  if (requests.timing) {
    document.view.timing = *requests.timing;
    edit::keep_valid(document.view, document);
  }
  if (requests.symmetric_posing) {
    document.view.symmetric_posing = *requests.symmetric_posing;
  }
  if (requests.stop_after) {
    edit::stop_after(document, *requests.stop_after);
  }
  if (requests.active_pane) {
    document.view.active_pane = std::clamp(*requests.active_pane, 0, edit::pane_count(document.content) - 1);
  }
  return {std::move(notice), std::move(refused)};
}

void show_tab(Workspace& workspace, std::string_view id) {
  workspace.tab = find_tab(id)->id;
  follow_tab(workspace);
  workspace.panels_hidden = false;
  workspace.help_open = false;
}

namespace {

// What is being dragged was found in a character that is not there any more: numbers of joints mean others now.
void end_drags(Workspace& workspace) {
  workspace.before_drag.reset();
  workspace.panel<SkinningPanel>().surface.exploding.reset();
  workspace.viewport = {};
  ReachTool& reach = workspace.panel<ReachTool>();
  reach.dragging = false;
  reach.swivelling = false;
  reach.joint = -1;
  reach.tip = -1;
  workspace.panel<PlaceTool>() = {};
  forget_volume_work(workspace.panel<VolumeHandles>());
  PosePanel& pose = workspace.panel<PosePanel>();
  pose.breakdown_from.clear();
  pose.breakdown = 0;
  KeyEditor& keys = workspace.panel<KeyEditor>();
  keys.drag.reset();
  keys.selected.clear();
  keys.copied.clear();
  put_down(workspace.panel<LibraryPanel>());
  if (ImGui::GetCurrentContext() != nullptr) {
    ImGui::ClearActiveID();
  }
}

}  // namespace

void forget_character(Workspace& workspace) {
  workspace.error.reset();
  end_drags(workspace);
  workspace.panel<KeyEditor>().open.clear();
  forget_skeleton(workspace.panel<SkeletonSection>());
  workspace.view.weight_joint = -1;
  workspace.view.variant = -1;
  workspace.view.toggled_nodes.clear();
  workspace.view.hiding = nullptr;
  workspace.pose_path.clear();
  leave_scene_camera(workspace);
}

std::string remap(render::ViewSettings& view, const edit::Remap& numbers, const rig::Character& now) {
  view.weight_joint = edit::remapped(numbers.joints, view.weight_joint);
  for (int& node : view.toggled_nodes) {
    node = edit::remapped(numbers.joints, node);
  }
  std::erase(view.toggled_nodes, -1);
  std::ranges::sort(view.toggled_nodes);
  view.variant = edit::remapped(numbers.variants, view.variant);
  int lost = 0;
  view.hiding = edit::remapped(numbers, view.hiding, now, lost);
  return lost == 0
             ? std::string()
             : fmt::format("What was hidden of {} is shown again: {} other now",
                           lost == 1 ? "one part" : fmt::format("{} parts", lost), lost == 1 ? "it is" : "they are");
}

std::string follow_newer_version(Workspace& workspace, const edit::Remap& numbers, const rig::Character& now) {
  workspace.error.reset();
  end_drags(workspace);
  forget_skeleton(workspace.panel<SkeletonSection>());  // its volume is about where the mesh was
  std::set<int>& open = workspace.panel<KeyEditor>().open;
  std::set<int> still_open;
  for (const int joint : open) {
    still_open.insert(edit::remapped(numbers.joints, joint));
  }
  still_open.erase(-1);
  open = std::move(still_open);
  return remap(workspace.view, numbers, now);
}

namespace {

Lens lens_of(const render::Camera& camera) {
  return {camera.yfov, camera.orthographic};
}

}  // namespace

void look_through(Desk& desk, int camera) {
  const Lens lens = lens_of(desk.workspace.camera);
  if (!desk.workspace.own_lens || lens != desk.workspace.lent_lens) {
    desk.workspace.own_lens = lens;
  }
  desk.workspace.scene_camera = camera;
  desk.workspace.looked_through = desk.workspace.camera;
  follow_scene_camera(desk);
  desk.workspace.view.turntable = desk.workspace.view.turntable && !desk.workspace.looked_through;
}

void follow_scene_camera(Desk& desk) {
  Workspace& workspace = desk.workspace;
  const std::size_t camera = workspace.scene_camera;  // -1 is none of them
  if (!workspace.looked_through || *workspace.looked_through != workspace.camera ||
      camera >= desk.character().cameras.size()) {
    workspace.looked_through.reset();
    return;
  }
  const edit::Document& document = desk.document();
  const rig::Appearance looks =
      rig::appearance(desk.character(), {.clip = document.content.clip, .time = document.view.time});
  const rig::Camera& source = looks.cameras[camera];
  const std::size_t joint = source.joint;
  if (joint < desk.scene.world.size()) {
    workspace.looked_through = render::camera_of(source, desk.scene.world[joint], desk.scene.bounds);
    if (workspace.looked_through) {
      workspace.camera = *workspace.looked_through;
      workspace.lent_lens = lens_of(workspace.camera);
    }
  }
}

void leave_scene_camera(Workspace& workspace) {
  render::Camera& camera = workspace.camera;
  if (workspace.own_lens && lens_of(camera) == workspace.lent_lens) {
    camera.yfov = workspace.own_lens->yfov;
    camera.orthographic = workspace.own_lens->orthographic;
  }
  camera.roll = 0;
  workspace.own_lens.reset();
  workspace.looked_through.reset();
  workspace.scene_camera = -1;
}

glm::vec2 pane_size(const Workspace& workspace, const edit::Document& document) {
  const Rect& view = workspace.layout.viewport;
  const glm::ivec2 size(static_cast<int>(view.w), static_cast<int>(view.h));
  return render::pane_layout(size, edit::pane_count(document.content), workspace.view, 1).pictures.front().size;
}

FramingRoom framing_room(const Workspace& workspace, const edit::Document& document) {
  FramingRoom room{.pane = pane_size(workspace, document), .covered = 0};
  // In a narrow picture the toolbar would lie over the head.
  constexpr float kNarrow = 0.6f;
  const Rect& toolbar = workspace.viewport.toolbar;
  const Rect& view = workspace.layout.viewport;
  if (!view.empty() && !toolbar.empty() && toolbar.w > kNarrow * room.pane.x) {
    room.covered = (toolbar.y + toolbar.h - view.y) / room.pane.y;
  }
  // So would the banner of findings, where no toolbar keeps it at the side.
  const Rect& findings = workspace.viewport.findings;
  const bool is_above = !findings.empty() && findings.y + findings.h < view.y + 0.5f * view.h;
  if (!view.empty() && toolbar.empty() && is_above && findings.w > (1 - kNarrow) * room.pane.x) {
    room.covered = std::max(room.covered, (findings.y + findings.h - view.y) / room.pane.y);
  }
  return room;
}

void keep_in_panes(Workspace& workspace, const edit::Document& document) {
  const int panes = edit::pane_count(document.content) + (workspace.view.wipe ? edit::kPaneLimit : 0);
  const glm::vec2 size = pane_size(workspace, document);
  const auto narrow = [](glm::vec2 pane) { return std::min(1.0f, pane.x / std::max(1.0f, pane.y)); };
  const bool changed = workspace.panes_counted != 0 && workspace.panes_counted != panes;
  const bool looked_through = workspace.looked_through && *workspace.looked_through == workspace.camera;
  const bool framed = workspace.framed && *workspace.framed == workspace.camera;  // is framed anew
  if (changed && !framed && !looked_through && size.x >= 1 && workspace.panes_seen.x >= 1) {
    workspace.camera.distance *= narrow(workspace.panes_seen) / narrow(size);
  }
  workspace.panes_counted = panes;
  workspace.panes_seen = size;
}

void frame_all(Workspace& workspace, const Scene& scene) {
  // Once in a while is often enough for the exact shape.
  Bounds bounds = scene.deformed ? Bounds() : scene.bounds;
  for (int pane = 0; scene.deformed && pane < edit::pane_count(scene.document->content); ++pane) {
    bounds.add(scene.deformed(pane).bounds);  // one method bulges where another shrinks
  }
  if (bounds.empty()) {
    for (const glm::mat4& matrix : scene.world) {
      bounds.add(glm::vec3(matrix[3]));
    }
  }
  // What plays must stay in the picture.
  const int clip = scene.document->content.clip;
  if (workspace.playback.playing && clip >= 0) {
    bounds.add(edit::clip_bounds(*scene.document->character, clip));
  }
  if (bounds.empty()) {
    return;
  }
  frame_box(workspace, *scene.document, bounds);
  workspace.framed_room = framing_room(workspace, *scene.document);
  workspace.framed = workspace.camera;
}

void frame_box(Workspace& workspace, const edit::Document& document, const Bounds& bounds) {
  const FramingRoom room = framing_room(workspace, document);
  const float aspect = workspace.layout.viewport.empty() ? 1.0f : room.pane.x / room.pane.y;
  render::frame(workspace.camera, bounds, aspect, room.covered);
}

}  // namespace pelt::ui
