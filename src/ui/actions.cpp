#include "ui/actions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "deform/skinning_methods.h"
#include "edit/pose_file.h"
#include "render/picking.h"
#include "ui/brush_tool.h"
#include "ui/compare_panel.h"
#include "ui/handle_bar.h"
#include "ui/hiding.h"
#include "ui/key_actions.h"
#include "ui/key_editor.h"
#include "ui/modes.h"
#include "ui/pose_panel.h"
#include "ui/reach_tool.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/tree_panel.h"
#include "ui/viewport.h"
#include "ui/weight_tools_panel.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using render::Look;

constexpr float kQuarterTurn = std::numbers::pi_v<float> / 2;

void look_from(Desk& desk, float azimuth, float elevation) {
  desk.workspace.camera.azimuth = azimuth;
  desk.workspace.camera.elevation = elevation;
  desk.workspace.camera.roll = 0;
}

bool has_clip(const Desk& desk) {
  return desk.document().content.clip >= 0;
}
bool has_joint(const Desk& desk) {
  return desk.document().view.selected_joint() >= 0;
}
bool has_pins(const Desk& desk) {
  return !desk.document().content.pins.empty();
}

void toggle_playing(Desk& desk) {
  if (!has_clip(desk) && !desk.character().clips.empty()) {
    desk.change(edit::SetClip{0});
  }
  Playback& playback = desk.workspace.playback;
  playback.playing = !playback.playing;
  if (!playback.playing && edits_keys(desk)) {
    // Keys that are made now go to a whole frame where the others do.
    const float time = desk.document().view.time;
    desk.requests.commands.push_back(
        {edit::SetTime{static_cast<float>(snapped(desk, static_cast<double>(time)))}, {}, false});
  }
  if (playback.playing && playback.mode == LoopMode::kOnce && has_clip(desk)) {
    const edit::TimeRange range = edit::played_range(desk.document(), desk.document().content.clip);
    if (desk.document().view.time >= range.end) {
      desk.requests.commands.push_back({edit::SetTime{range.start}, {}, false});
    }
  }
}

void step(Desk& desk, int frames) {
  if (!has_clip(desk)) {
    return;
  }
  const edit::Document& document = desk.document();
  const edit::TimeRange range = edit::playhead_range(document, document.content.clip);
  desk.workspace.playback.playing = false;
  desk.requests.commands.push_back(
      {edit::SetTime{step_frames(document.view.time, frames, frame_rate(desk), range.start, range.end)}, {}, false});
}

void set_look(Desk& desk, Look look) {
  render::ViewSettings& view = desk.workspace.view;
  view.look = look;
  if (look == Look::kMask && view.weight_joint < 0) {
    view.weight_joint = desk.document().view.selected_joint();  // the mask is of one joint
  }
}

template <Look kLook>
void show(Desk& desk) {
  set_look(desk, kLook);
}
template <Look kLook>
bool shown(const Desk& desk) {
  return desk.workspace.view.look == kLook;
}

void toggle_weights(Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  if (render::is_weight_look(view.look)) {
    view.look = desk.workspace.look_before_weights;
    return;
  }
  desk.workspace.look_before_weights = view.look;
  view.look = Look::kWeights;
  if (desk.document().view.selected_joint() >= 0 && desk.workspace.weights_follow_selection) {
    view.weight_joint = desk.document().view.selected_joint();
  }
}

template <bool render::ViewSettings::*kMember>
void toggle(Desk& desk) {
  desk.workspace.view.*kMember = !(desk.workspace.view.*kMember);
}
template <bool render::ViewSettings::*kMember>
bool is_on(const Desk& desk) {
  return desk.workspace.view.*kMember;
}

// In a look without a joint's weights they would not be seen.
bool shows_isolines(const Desk& desk) {
  return render::shows_isolines(desk.workspace.view);
}
void toggle_isolines(Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  view.isolines = !shows_isolines(desk);
  if (view.isolines && !render::is_weight_look(view.look)) {
    toggle_weights(desk);
  }
  if (view.isolines && view.weight_joint < 0) {
    const auto& skins = desk.character().skins;
    const int first = skins.empty() || skins.front().joints.empty() ? -1 : skins.front().joints.front();
    view.weight_joint = desk.document().view.selected_joint() >= 0 ? desk.document().view.selected_joint() : first;
  }
}

template <const char* kId>
void enter(Desk& desk) {
  enter_mode(desk.workspace, kId);
  desk.workspace.panels_hidden = false;
  desk.workspace.help_open = false;
}
template <const char* kId>
bool is_in(const Desk& desk) {
  return desk.workspace.mode == kId;
}
constexpr char kLookMode[] = "look";
constexpr char kPoseMode[] = "pose";
constexpr char kAnimateMode[] = "animate";
constexpr char kWeightsMode[] = "weights";
constexpr char kRigMode[] = "rig";
constexpr char kLearnMode[] = "learn";

using JointsOf = std::vector<int> (*)(const rig::Skeleton&, std::span<const int>);
template <JointsOf kOf, edit::SelectBy kBy = edit::SelectBy::kReplace>
void select_joints(Desk& desk) {
  select(desk, kOf(desk.character().skeleton, desk.document().view.selected_joints), kBy);
}
void select_all_joints(Desk& desk) {
  std::vector<int> joints;
  for (const render::Bone& bone : render::bones(desk.character(), desk.scene.world, drawn_joints(desk))) {
    joints.push_back(bone.joint);
  }
  const int active = desk.document().view.selected_joint();
  if (std::ranges::find(joints, active) != joints.end()) {
    joints = edit::combined(joints, std::vector{active}, edit::SelectBy::kAdd);  // the active one stays it
  }
  select(desk, std::move(joints), edit::SelectBy::kReplace);
}
void select_other_side(Desk& desk) {
  std::vector<int> joints = edit::mirrored(desk.character().skeleton, desk.document().view.selected_joints);
  if (joints.empty()) {
    desk.workspace.notice =
        Notice{Severity::kInfo, "No selected joint has a partner on the other side", desk.scene.now};
    return;
  }
  select(desk, std::move(joints), edit::SelectBy::kReplace);
}
using VerticesOf = edit::VertexSelection (*)(const rig::Character&, edit::SurfaceCache&, const edit::VertexSelection&,
                                             const rig::HiddenSurface&);
template <VerticesOf kOf>
void select_vertices_by(Desk& desk) {
  select_vertices(desk,
                  kOf(desk.character(), desk.workspace.panel<SelectionSection>().surfaces,
                      desk.document().view.selected_vertices, hidden_surface(desk)),
                  edit::SelectBy::kReplace);
}
bool has_vertices(const Desk& desk) {
  return selects_vertices(desk) && !desk.document().view.selected_vertices.empty();
}
bool means_parts(const Desk& desk) {
  return !parts_meant(desk).empty();
}
bool has_meshes_selected(const Desk& desk) {
  return !selected_mesh_nodes(desk).empty();
}

template <edit::MirrorDirection kDirection>
void mirror(Desk& desk) {
  desk.change(mirror_change(desk, kDirection));
}

void save_pose(Desk& desk) {
  if (desk.workspace.pose_path.empty()) {
    open(desk.workspace.browser, BrowserPurpose::kSavePose, desk);
  } else {
    desk.requests.save_pose = desk.workspace.pose_path;
  }
}

void save_session(Desk& desk) {
  if (desk.workspace.session_path.empty()) {
    open(desk.workspace.browser, BrowserPurpose::kSaveSession, desk);
  } else {
    desk.requests.save_session = desk.workspace.session_path;
  }
}

void copy_pose(Desk& desk) {
  ImGui::SetClipboardText(edit::pose_to_json(desk.document()).c_str());
  desk.workspace.panel<KeyEditor>().copied.clear();  // what was copied last is pasted
  desk.workspace.notice = Notice{Severity::kInfo, "Pose copied", desk.scene.now};
}

void paste_pose(Desk& desk) {
  const char* const text = ImGui::GetClipboardText();
  edit::PoseReport report;
  Result<edit::ReplacePose> pose = edit::pose_from_json(desk.document(), text == nullptr ? "" : text, &report);
  if (!pose) {
    desk.workspace.error =
        Notice{Severity::kError, "The clipboard holds no pose: " + pose.error().message, desk.scene.now};
    return;
  }
  desk.change(*std::move(pose));
  desk.workspace.playback.playing = false;
  const std::string found = edit::summary(report);
  desk.workspace.notice =
      Notice{report.missing() > 0 ? Severity::kWarning : Severity::kInfo,
             found.empty() ? "Pose pasted" : "Pose pasted: " + found, desk.scene.now, edit::details(report)};
}

// Also in the menu: a window too small for its text has no room for the tab.
template <int kPercent>
void set_text_size(Desk& desk) {
  desk.workspace.preferences.ui_scale = kPercent / 100.0f;
}
template <int kPercent>
bool has_text_size(const Desk& desk) {
  return desk.workspace.preferences.ui_scale == kPercent / 100.0f;
}

void reset_camera(Desk& desk) {
  const render::Camera fresh;
  render::Camera& camera = desk.workspace.camera;
  camera.azimuth = fresh.azimuth;
  camera.elevation = fresh.elevation;
  camera.roll = 0;
  camera.yfov = fresh.yfov;
  camera.orthographic = false;
  frame_all(desk.workspace, desk.scene);
}

// The pinned vertex where the active pane has it.
std::optional<glm::vec3> pinned_point(const Desk& desk) {
  const std::size_t part = desk.document().view.pinned_part;  // -1 is none of them
  const std::size_t vertex = desk.document().view.pinned_vertex;
  if (!desk.scene.deformed || part >= desk.character().parts.size()) {
    return std::nullopt;
  }
  const std::span<const glm::vec3> positions =
      desk.scene.deformed(desk.document().view.active_pane).parts[part].positions;
  return vertex < positions.size() ? std::optional(positions[vertex]) : std::nullopt;
}

Bounds selected_vertices_bounds(const Desk& desk) {
  Bounds bounds;
  if (!desk.scene.deformed) {
    return bounds;
  }
  const deform::DeformedCharacter& shape = desk.scene.deformed(desk.document().view.active_pane);
  for (const edit::PartVertices& of_part : desk.document().view.selected_vertices) {
    const auto& positions = shape.parts[of_part.part].positions;
    for (const std::uint32_t v : of_part.vertices) {
      bounds.add(positions[v]);
    }
  }
  return bounds;
}

// Of one joint all that hangs below it, of several their pivots.
Bounds selected_joints_bounds(const Desk& desk) {
  Bounds bounds;
  const std::vector<int>& joints = desk.document().view.selected_joints;
  for (const int joint : joints) {
    for (const int j : joints.size() == 1 ? desk.character().skeleton->subtree(joint) : std::vector<int>{joint}) {
      if (j < static_cast<int>(desk.scene.world.size())) {
        bounds.add(glm::vec3(desk.scene.world[j][3]));
      }
    }
  }
  return bounds;
}

void frame_selection(Desk& desk) {
  Bounds bounds = is_about_vertices(desk) ? selected_vertices_bounds(desk) : Bounds();
  if (bounds.empty()) {
    bounds = selected_joints_bounds(desk);
  }
  if (bounds.empty()) {
    if (const std::optional<glm::vec3> point = pinned_point(desk)) {
      bounds.add(*point);
    }
  }
  if (bounds.empty()) {
    frame_all(desk.workspace, desk.scene);
    return;
  }
  // They may have no size of their own: leave room for the flesh around it.
  const float room = std::max(0.06f * desk.scene.bounds.diagonal(), 1e-3f);
  bounds.lower -= room;
  bounds.upper += room;
  frame_box(desk.workspace, desk.document(), bounds);
}

const deform::SkinningSettings& active_skinning(const Desk& desk) {
  return edit::skinning_of(desk.document().content, desk.document().view.active_pane);
}

void next_method(Desk& desk) {
  deform::SkinningSettings settings = active_skinning(desk);
  settings.method = (settings.method + 1) % static_cast<int>(deform::skinning_methods().size());
  desk.change(edit::SetSkinning{settings, desk.document().view.active_pane});
}

template <deform::Backend kBackend>
void skin_on(Desk& desk) {
  deform::SkinningSettings settings = active_skinning(desk);
  settings.backend = kBackend;
  desk.change(edit::SetSkinning{settings, desk.document().view.active_pane});
}
template <deform::Backend kBackend>
bool skins_on(const Desk& desk) {
  return active_skinning(desk).backend == kBackend;
}

void toggle_backend(Desk& desk) {
  deform::SkinningSettings settings = active_skinning(desk);
  settings.backend = settings.backend == deform::Backend::kGpu ? deform::Backend::kCpu : deform::Backend::kGpu;
  desk.change(edit::SetSkinning{settings, desk.document().view.active_pane});
}

bool has_panes(const Desk& desk) {
  return edit::pane_count(desk.document().content) > 1;
}
void next_pane(Desk& desk) {
  desk.requests.active_pane = (desk.document().view.active_pane + 1) % edit::pane_count(desk.document().content);
}
bool wipes(const Desk& desk) {
  return desk.workspace.view.wipe && has_panes(desk);
}

template <measure::Measure kMeasure>
void measure(Desk& desk) {
  render::Compare& compare = desk.workspace.view.compare;
  if (compare.measure != kMeasure) {
    compare.measure = kMeasure;
    compare.range = 0;
  }
  if (desk.workspace.view.look != Look::kDifference) {
    toggle_difference(desk);
  }
}
template <measure::Measure kMeasure>
bool measures(const Desk& desk) {
  return desk.workspace.view.look == Look::kDifference && desk.workspace.view.compare.measure == kMeasure;
}

template <bool kClip>
void plot_over(Desk& desk) {
  show_tab(desk.workspace, kCompareTab);
  desk.workspace.panel<ComparePanel>().over_clip = kClip;
  reveal_plot(desk.workspace.panel<ComparePanel>());
  request_plot(desk.workspace.panel<ComparePanel>(), desk);
}
template <bool kClip>
bool plots_over(const Desk& desk) {
  ComparePanel panel = desk.workspace.panel<ComparePanel>();
  panel.over_clip = kClip;
  return can_plot(panel, desk);
}
void run_the_battery(Desk& desk) {
  show_tab(desk.workspace, kCompareTab);
  request_battery(desk);
  reveal_battery(desk.workspace.panel<ComparePanel>());
}

void escape(Desk& desk) {
  Workspace& workspace = desk.workspace;
  if (workspace.help_open || workspace.about_open || workspace.history_open) {
    workspace.help_open = false;
    workspace.about_open = false;
    workspace.history_open = false;
  } else if (workspace.error) {
    workspace.error.reset();
  } else if (!workspace.previewed.empty()) {
    workspace.preview_ended = workspace.previewed;
  } else if (cancel_foresight(workspace.panel<WeightToolsPanel>())) {
    workspace.notice = Notice{Severity::kInfo, "Transfer cancelled", desk.scene.now};
  } else {
    let_go(desk);
  }
}

void deselect(Desk& desk) {
  if (is_about_vertices(desk)) {
    let_go(desk);
    return;
  }
  select(desk, -1);
  if (shows_pin(desk) && !selects_vertices(desk)) {
    desk.requests.pin = glm::ivec2(-1);
  }
}

constexpr std::array kMenus = {"File", "Edit", "Select", "View", "Skinning", "Compare", "Playback", "Learn", "Help"};

constexpr Chord key(char character) {
  return {character, false, false};
}
constexpr Chord ctrl(char character, bool shift = false) {
  return {character, true, shift};
}

template <HandleAxes kAxes>
constexpr Action axes_action(std::string_view id, bool separated = false) {
  return {.id = id,
          .label = kHandleAxes[static_cast<std::size_t>(kAxes)].label,
          .menu = "Edit/Handles",
          .key = {},
          .run = [](Desk& d) { d.workspace.preferences.handles.axes = kAxes; },
          .checked = [](const Desk& d) { return d.workspace.preferences.handles.axes == kAxes; },
          .separated = separated};
}
template <HandlePivot kPivot>
constexpr Action pivot_action(std::string_view id, bool separated = false) {
  return {.id = id,
          .label = kHandlePivots[static_cast<std::size_t>(kPivot)].label,
          .menu = "Edit/Handles",
          .key = {},
          .run = [](Desk& d) { d.workspace.preferences.handles.pivot = kPivot; },
          .checked = [](const Desk& d) { return d.workspace.preferences.handles.pivot == kPivot; },
          .separated = separated};
}

// The window draws recent files and bundled characters below "Open...".
constexpr std::array kActions = {
    Action{"file.open", "Open\u2026", "File", ctrl('O'),
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kOpenCharacter, d); }},
    Action{"file.reload",
           "Reload",
           "File",
           {kKeyF5},
           [](Desk& d) { d.requests.reload = true; },
           nullptr,
           [](const Desk& d) { return !d.character().source.empty(); }},
    Action{"file.watch",
           "Reload when it changes",
           "File",
           {},
           [](Desk& d) { d.workspace.watch = !d.workspace.watch; },
           [](const Desk& d) { return d.workspace.watch; }},
    Action{"file.save", "Save session", "File", ctrl('S'), save_session},
    Action{"file.save-as", "Save session as\u2026", "File", ctrl('S', true),
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kSaveSession, d); }},
    Action{"file.pack",
           "Pack session\u2026",
           "File",
           {},
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kPackSession, d); },
           nullptr,
           nullptr,
           true},
    Action{"file.open-pose",
           "Open pose\u2026",
           "File",
           {},
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kOpenPose, d); },
           nullptr,
           nullptr,
           true},
    Action{"file.save-pose", "Save pose", "File", {}, save_pose},
    Action{"file.save-pose-as",
           "Save pose as\u2026",
           "File",
           {},
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kSavePose, d); }},
    Action{"file.export",
           "Export\u2026",
           "File",
           {},
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kExportCharacter, d); },
           nullptr,
           nullptr,
           true},
    Action{"file.screenshot",
           "Screenshot",
           "File",
           {kKeyF12},
           [](Desk& d) { d.requests.screenshot = true; },
           nullptr,
           nullptr,
           true},
    Action{"file.save-picture",
           "Save picture as\u2026",
           "File",
           {},
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kSavePicture, d); }},
    Action{"file.quit", "Quit", "File", ctrl('Q'), [](Desk& d) { d.requests.quit = true; }, nullptr, nullptr, true},

    Action{"edit.undo", "Undo", "Edit", ctrl('Z'), [](Desk& d) { d.requests.undo = true; }, nullptr,
           [](const Desk& d) { return edit::can_undo(d.document()); }},
    Action{"edit.redo", "Redo", "Edit", ctrl('Z', true), [](Desk& d) { d.requests.redo = true; }, nullptr,
           [](const Desk& d) { return edit::can_redo(d.document()); }},
    Action{"edit.history", "History", "Edit", ctrl('H'),
           [](Desk& d) { d.workspace.history_open = !d.workspace.history_open; },
           [](const Desk& d) { return d.workspace.history_open; }},
    Action{"edit.copy-pose", "Copy pose", "Edit", ctrl('C'), copy_pose},
    Action{"edit.paste-pose", "Paste pose", "Edit", ctrl('V'), paste_pose, nullptr, nullptr, true},
    Action{
        "edit.mirror", "Swap left and right", "Edit", {}, mirror<edit::MirrorDirection::kSwap>, nullptr, nullptr, true},
    Action{
        "edit.mirror-left-to-right", "Mirror left to right", "Edit", {}, mirror<edit::MirrorDirection::kLeftToRight>},
    Action{
        "edit.mirror-right-to-left", "Mirror right to left", "Edit", {}, mirror<edit::MirrorDirection::kRightToLeft>},
    Action{"edit.mirror-limb",
           "Mirror only the selected limb",
           "Edit",
           {},
           [](Desk& d) { d.workspace.panel<PosePanel>().mirror_limb = !d.workspace.panel<PosePanel>().mirror_limb; },
           [](const Desk& d) { return d.workspace.panel<PosePanel>().mirror_limb; }},
    Action{"edit.reset-joint",
           "Reset joint",
           "Edit",
           {},
           [](Desk& d) { reset_selected(d, edit::ResetScope::kJoint, edit::ResetTo::kBase); },
           nullptr,
           has_joint,
           true},
    Action{"edit.reset-subtree",
           "Reset joint and below",
           "Edit",
           {},
           [](Desk& d) { reset_selected(d, edit::ResetScope::kSubtree, edit::ResetTo::kBase); },
           nullptr,
           has_joint},
    Action{"edit.reset-all",
           "Reset whole pose",
           "Edit",
           {},
           [](Desk& d) { reset_selected(d, edit::ResetScope::kAll, edit::ResetTo::kBase); }},
    Action{"edit.reset-shapes", "Reset shapes", "Edit", {}, [](Desk& d) { d.change(edit::ResetMorphs{}); }},
    Action{"edit.rename-joint",
           "Rename joint",
           "Edit",
           {kKeyF2},
           [](Desk& d) {
             d.workspace.panel<TreePanel>().renaming = Renaming{.joint = d.document().view.selected_joint()};
           },
           nullptr,
           [](const Desk& d) { return has_joint(d) && !d.workspace.layout.left.empty(); },
           true},

    Action{.id = "pose.symmetric",
           .label = "Symmetric posing",
           .menu = "Edit",
           .key = {},
           .run = toggle_symmetric_posing,
           .checked = [](const Desk& d) { return d.document().view.symmetric_posing; }},
    Action{.id = "handle.next-axes",
           .label = "Next axes of handles",
           .menu = "Edit/Handles",
           .key = key(','),
           .run = next_handle_axes},
    Action{.id = "handle.next-pivot",
           .label = "Next pivot of handles",
           .menu = "Edit/Handles",
           .key = key('.'),
           .run = next_handle_pivot},
    axes_action<HandleAxes::kLocal>("handle.axes.local", true),
    axes_action<HandleAxes::kParent>("handle.axes.parent"),
    axes_action<HandleAxes::kWorld>("handle.axes.world"),
    axes_action<HandleAxes::kView>("handle.axes.view"),
    axes_action<HandleAxes::kBone>("handle.axes.bone"),
    pivot_action<HandlePivot::kOwn>("handle.pivot.own", true),
    pivot_action<HandlePivot::kMedian>("handle.pivot.median"),
    pivot_action<HandlePivot::kActive>("handle.pivot.active"),

    Action{.id = "pose.pin",
           .label = "Pin, or let go",
           .menu = "Edit/Pins",
           .key = {'P', false, true},
           .run = toggle_pins,
           .enabled = has_joint},
    Action{.id = "pose.pin-limbs", .label = "Pin hands and feet", .menu = "Edit/Pins", .key = {}, .run = pin_limbs},
    Action{.id = "pose.unpin-all",
           .label = "Let all pins go",
           .menu = "Edit/Pins",
           .key = {},
           .run = unpin_all,
           .enabled = has_pins},
    Action{.id = "pose.bake-pins",
           .label = "Bake pins to keys",
           .menu = "Edit/Pins",
           .key = {},
           .run = bake_pins,
           .enabled = has_pins},

    Action{"select.branch", "Hierarchy", "Select", ctrl('L'), select_joints<edit::branch>, nullptr, has_joint},
    Action{"select.mirror", "Mirror selection", "Select", ctrl('M'), select_other_side, nullptr, has_joint},
    Action{"select.above", "Parent", "Select", {kKeyUp}, select_joints<edit::above>, nullptr, has_joint},
    Action{"select.below", "Child", "Select", {kKeyDown}, select_joints<edit::below>, nullptr, has_joint},
    Action{"select.with-above",
           "Extend to parent",
           "Select",
           {kKeyUp, false, true},
           select_joints<edit::above, edit::SelectBy::kAdd>,
           nullptr,
           has_joint},
    Action{"select.with-below",
           "Extend to child",
           "Select",
           {kKeyDown, false, true},
           select_joints<edit::below, edit::SelectBy::kAdd>,
           nullptr,
           has_joint},
    Action{"select.all", "All joints", "Select", ctrl('A'), select_all_joints},
    Action{.id = "select.connected",
           .label = "Linked",
           .menu = "Select",
           .key = ctrl('L'),
           .run = select_vertices_by<edit::connected>,
           .enabled = has_vertices,
           .separated = true,
           .mode = kWeightsMode},
    Action{.id = "select.grow",
           .label = "Grow",
           .menu = "Select",
           .key = {kKeyUp},
           .run = select_vertices_by<edit::grown>,
           .enabled = has_vertices,
           .mode = kWeightsMode},
    Action{.id = "select.shrink",
           .label = "Shrink",
           .menu = "Select",
           .key = {kKeyDown},
           .run = select_vertices_by<edit::shrunk>,
           .enabled = has_vertices,
           .mode = kWeightsMode},
    Action{.id = "select.all-vertices",
           .label = "All vertices",
           .menu = "Select",
           .key = ctrl('A'),
           .run = [](Desk& d) { select_vertices(d, edit::all_vertices(d.character()), edit::SelectBy::kReplace); },
           .enabled = selects_vertices,
           .mode = kWeightsMode},
    Action{"edit.deselect", "Deselect", "Select", ctrl('A', true), deselect, nullptr, nullptr, true},

    Action{"view.front", "Front", "View", key('1'), [](Desk& d) { look_from(d, 0, 0); }},
    Action{"view.right", "Right", "View", key('3'), [](Desk& d) { look_from(d, kQuarterTurn, 0); }},
    Action{"view.top", "Top", "View", key('7'), [](Desk& d) { look_from(d, 0, kQuarterTurn); }},
    Action{"view.orthographic", "Orthographic", "View", key('5'),
           [](Desk& d) { d.workspace.camera.orthographic = !d.workspace.camera.orthographic; },
           [](const Desk& d) { return d.workspace.camera.orthographic; }},
    Action{"view.frame", "Frame selection", "View", key('F'), frame_selection},
    Action{"view.home", "Reset camera", "View", {kKeyHome}, reset_camera},
    Action{"view.scene-camera",
           "Next scene camera",
           "View",
           {},
           [](Desk& d) {
             look_through(d, (d.workspace.scene_camera + 1) % static_cast<int>(d.character().cameras.size()));
           },
           nullptr,
           [](const Desk& d) { return !d.character().cameras.empty(); }},
    Action{"view.turntable",
           "Turntable",
           "View",
           {},
           toggle<&render::ViewSettings::turntable>,
           is_on<&render::ViewSettings::turntable>},
    Action{"view.skeleton", "Skeleton", "View", key('B'), toggle<&render::ViewSettings::skeleton>,
           is_on<&render::ViewSettings::skeleton>, nullptr, true},
    Action{"view.deforming",
           "Only bones that deform",
           "View",
           {},
           toggle<&render::ViewSettings::deforming_only>,
           is_on<&render::ViewSettings::deforming_only>},
    Action{"view.names", "Joint names", "View", key('N'), toggle<&render::ViewSettings::joint_names>,
           is_on<&render::ViewSettings::joint_names>},
    Action{"view.axes", "Joint axes", "View", key('A'), toggle<&render::ViewSettings::joint_axes>,
           is_on<&render::ViewSettings::joint_axes>},
    Action{"view.edges", "Edges", "View", key('E'), toggle<&render::ViewSettings::wireframe>,
           is_on<&render::ViewSettings::wireframe>},
    Action{"view.normals",
           "Normal lines",
           "View",
           {},
           toggle<&render::ViewSettings::normal_lines>,
           is_on<&render::ViewSettings::normal_lines>},
    Action{"view.grid", "Grid", "View", key('G'), toggle<&render::ViewSettings::grid>,
           is_on<&render::ViewSettings::grid>},
    Action{.id = "view.ghosts",
           .label = "Ghosts",
           .menu = "View",
           .key = {'O', false, true},
           .run = [](Desk& d) { d.workspace.view.ghosts.shown = !d.workspace.view.ghosts.shown; },
           .checked = [](const Desk& d) { return d.workspace.view.ghosts.shown; },
           .enabled = has_clip},
    Action{"view.behind",
           "Picture behind\u2026",
           "View",
           {},
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kOpenBehind, d); },
           nullptr,
           nullptr,
           true},
    Action{"view.behind-shown",
           "Show the picture behind",
           "View",
           {},
           [](Desk& d) { d.workspace.view.behind.shown = !d.workspace.view.behind.shown; },
           [](const Desk& d) { return d.workspace.view.behind.picture != nullptr && d.workspace.view.behind.shown; },
           [](const Desk& d) { return d.workspace.view.behind.picture != nullptr; }},
    Action{"view.hide",
           "Hide meshes",
           "View",
           {},
           [](Desk& d) { hide_nodes(d, selected_mesh_nodes(d)); },
           nullptr,
           has_meshes_selected,
           true},
    Action{"view.isolate",
           "Isolate meshes",
           "View",
           {},
           [](Desk& d) { isolate_nodes(d, selected_mesh_nodes(d)); },
           nullptr,
           has_meshes_selected},
    Action{"view.hide-part", "Hide this part", "View", {}, hide_parts, nullptr, means_parts},
    Action{"view.isolate-part", "Show only this part", "View", {}, show_only_parts, nullptr, means_parts},
    Action{.id = "view.hide-faces",
           .label = "Hide faces of the selection",
           .menu = "View",
           .key = {'H', false, true, true},
           .run = hide_selected_faces,
           .enabled = has_vertices,
           .mode = kWeightsMode},
    Action{.id = "view.hide-other-faces",
           .label = "Hide the other faces",
           .menu = "View",
           .key = {'H', false, true},
           .run = hide_other_faces,
           .enabled = has_vertices,
           .mode = kWeightsMode},
    Action{
        "view.show-faces", "Show all faces", "View", {'H', false, false, true}, show_all_faces, nullptr, hides_faces},
    Action{"view.show-all", "Show all again", "View", {}, show_everything, nullptr, hides_anything},
    Action{"view.weights", "Weights", "View", key('W'), toggle_weights, shown<Look::kWeights>, nullptr, true},
    Action{"view.isolines", "Isolines of weights", "View", Chord{'W', false, true}, toggle_isolines, shows_isolines},
    Action{"look.shaded", "Shaded", "View/Look", {}, show<Look::kShaded>, shown<Look::kShaded>},
    Action{"look.clay", "Clay", "View/Look", {}, show<Look::kClay>, shown<Look::kClay>},
    Action{"look.mask", "Weight mask", "View/Look", {}, show<Look::kMask>, shown<Look::kMask>},
    Action{"look.influences", "Influence count", "View/Look", {}, show<Look::kInfluences>, shown<Look::kInfluences>},
    Action{"look.weight-sum", "Weight-sum error", "View/Look", {}, show<Look::kWeightSum>, shown<Look::kWeightSum>},
    Action{"look.batches", "Palette batches", "View/Look", {}, show<Look::kBatches>, shown<Look::kBatches>},
    Action{"look.normals", "Normals", "View/Look", {}, show<Look::kNormals>, shown<Look::kNormals>},
    Action{"look.base-color", "Base colour", "View/Look", {}, show<Look::kBaseColor>, shown<Look::kBaseColor>},
    Action{"look.tangents", "Tangents", "View/Look", {}, show<Look::kTangents>, shown<Look::kTangents>},
    Action{"look.uv-checker", "UV checker", "View/Look", {}, show<Look::kUvChecker>, shown<Look::kUvChecker>},
    Action{"look.occlusion", "Occlusion", "View/Look", {}, show<Look::kOcclusion>, shown<Look::kOcclusion>},
    Action{"look.roughness", "Roughness", "View/Look", {}, show<Look::kRoughness>, shown<Look::kRoughness>},
    Action{"look.metallic", "Metallic", "View/Look", {}, show<Look::kMetallic>, shown<Look::kMetallic>},
    Action{"look.wireframe", "Wireframe", "View/Look", {}, show<Look::kWireframe>, shown<Look::kWireframe>},
    Action{"look.difference", "Difference", "View/Look", {}, show<Look::kDifference>, shown<Look::kDifference>},
    Action{"mode.look", "Look", "View/Mode", ctrl('1'), enter<kLookMode>, is_in<kLookMode>},
    Action{"mode.pose", "Pose", "View/Mode", ctrl('2'), enter<kPoseMode>, is_in<kPoseMode>},
    Action{"mode.animate", "Animate", "View/Mode", ctrl('3'), enter<kAnimateMode>, is_in<kAnimateMode>},
    Action{"mode.weights", "Weights", "View/Mode", ctrl('4'), enter<kWeightsMode>, is_in<kWeightsMode>},
    Action{"mode.rig", "Rig", "View/Mode", ctrl('5'), enter<kRigMode>, is_in<kRigMode>},
    Action{"mode.learn", "Learn", "View/Mode", ctrl('6'), enter<kLearnMode>, is_in<kLearnMode>},
    Action{"text.auto", "As the monitor", "View/Size of text", {}, set_text_size<0>, has_text_size<0>},
    Action{"text.100", "100 %", "View/Size of text", {}, set_text_size<100>, has_text_size<100>},
    Action{"text.125", "125 %", "View/Size of text", {}, set_text_size<125>, has_text_size<125>},
    Action{"text.150", "150 %", "View/Size of text", {}, set_text_size<150>, has_text_size<150>},
    Action{"text.200", "200 %", "View/Size of text", {}, set_text_size<200>, has_text_size<200>},
    Action{"view.panels",
           "Hide panels",
           "View",
           {kKeyTab},
           [](Desk& d) { d.workspace.panels_hidden = !d.workspace.panels_hidden; },
           [](const Desk& d) { return d.workspace.panels_hidden; },
           nullptr,
           true},

    Action{
        "skinning.gpu", "On the GPU", "Skinning", {}, skin_on<deform::Backend::kGpu>, skins_on<deform::Backend::kGpu>},
    Action{
        "skinning.cpu", "On the CPU", "Skinning", {}, skin_on<deform::Backend::kCpu>, skins_on<deform::Backend::kCpu>},
    Action{"skinning.backend", "Switch GPU | CPU", "Skinning", key('C'), toggle_backend},
    Action{"skinning.next-method", "Next method", "Skinning", key('M'), next_method},
    Action{"skinning.parity",
           "Measure CPU/GPU parity",
           "Skinning",
           {},
           [](Desk& d) { d.requests.measure_parity = true; },
           nullptr,
           nullptr,
           true},

    Action{"compare.panes", "Next number of panes", "Compare", key('S'),
           [](Desk& d) { set_pane_count(d, edit::pane_count(d.document().content) % edit::kPaneLimit + 1); }},
    Action{"compare.next-pane", "Next pane", "Compare", key('P'), next_pane, nullptr, has_panes},
    Action{"compare.wipe", "Wipe between two panes", "Compare", key('X'), toggle_wipe,
           [](const Desk& d) { return wipes(d); }},
    Action{"compare.difference", "Difference on the skin", "Compare", key('D'), toggle_difference,
           shown<Look::kDifference>, nullptr, true},
    Action{"compare.distance",
           "Distance",
           "Compare/Measure",
           {},
           measure<measure::Measure::kDistance>,
           measures<measure::Measure::kDistance>},
    Action{"compare.edge-strain",
           "Edge strain",
           "Compare/Measure",
           {},
           measure<measure::Measure::kEdgeStrain>,
           measures<measure::Measure::kEdgeStrain>},
    Action{"compare.area-strain",
           "Area strain",
           "Compare/Measure",
           {},
           measure<measure::Measure::kAreaStrain>,
           measures<measure::Measure::kAreaStrain>},
    Action{"compare.volume-change",
           "Volume change",
           "Compare/Measure",
           {},
           measure<measure::Measure::kVolumeChange>,
           measures<measure::Measure::kVolumeChange>},
    Action{"compare.normal-angle",
           "Normal angle",
           "Compare/Measure",
           {},
           measure<measure::Measure::kNormalAngle>,
           measures<measure::Measure::kNormalAngle>},
    Action{.id = "weights.pick-joint",
           .label = "Joint under the mouse",
           .menu = "Select",
           .key = key('J'),
           .run = pick_painted_joint,
           .mode = kWeightsMode},
    Action{.id = "weights.lock-joint",
           .label = "Lock the joint under the mouse",
           .menu = "Edit",
           .key = key('L'),
           .run = lock_joint_under_mouse,
           .mode = kWeightsMode},
    Action{"compare.plot-joint", "Plot over the joint's slider", "Compare", key('J'), plot_over<false>, nullptr,
           plots_over<false>, true},
    Action{"compare.plot-clip", "Plot over the clip", "Compare", key('T'), plot_over<true>, nullptr, plots_over<true>},
    Action{"compare.export", "Export the plot\u2026", "Compare", ctrl('E'),
           [](Desk& d) { open(d.workspace.browser, BrowserPurpose::kSaveTable, d); }, nullptr,
           [](const Desk& d) { return d.scene.measurements->series.has_value(); }},
    Action{"compare.battery", "Which method does it need?", "Compare", key('Q'), run_the_battery, nullptr, nullptr,
           true},

    Action{"learn.elbow", "The elbow that shrinks", "Learn", key('K'),
           [](Desk& d) { d.requests.teach = TeachingRig::kElbow; }},
    Action{"learn.candy-wrapper", "The candy wrapper", "Learn", key('L'),
           [](Desk& d) { d.requests.teach = TeachingRig::kCandyWrapper; }},
    Action{"learn.control-points", "Skinned control points", "Learn", key('U'),
           [](Desk& d) { d.requests.teach = TeachingRig::kControlPoints; }},

    Action{"playback.play",
           "Play",
           "Playback",
           {kKeySpace},
           toggle_playing,
           [](const Desk& d) { return d.workspace.playback.playing; },
           [](const Desk& d) { return !d.character().clips.empty(); }},
    Action{
        "playback.previous", "Previous frame", "Playback", {kKeyLeft}, [](Desk& d) { step(d, -1); }, nullptr, has_clip},
    Action{"playback.next", "Next frame", "Playback", {kKeyRight}, [](Desk& d) { step(d, 1); }, nullptr, has_clip},
    Action{"playback.loop",
           "Loop",
           "Playback",
           {},
           [](Desk& d) { d.workspace.playback.mode = LoopMode::kLoop; },
           [](const Desk& d) { return d.workspace.playback.mode == LoopMode::kLoop; },
           nullptr,
           true},
    Action{"playback.ping-pong",
           "Ping-pong",
           "Playback",
           {},
           [](Desk& d) { d.workspace.playback.mode = LoopMode::kPingPong; },
           [](const Desk& d) { return d.workspace.playback.mode == LoopMode::kPingPong; }},
    Action{"playback.once",
           "Once",
           "Playback",
           {},
           [](Desk& d) { d.workspace.playback.mode = LoopMode::kOnce; },
           [](const Desk& d) { return d.workspace.playback.mode == LoopMode::kOnce; }},

    Action{.id = "keys.insert",
           .label = "Insert key",
           .menu = "Playback/Keys",
           .key = key('K'),
           .run = insert_keys,
           .enabled = has_clip,
           .mode = kAnimateMode},
    Action{.id = "keys.remove",
           .label = "Remove keys",
           .menu = "Playback/Keys",
           .key = {kKeyDelete},
           .run = remove_selected_keys,
           .enabled = has_selected_keys,
           .mode = kAnimateMode},
    Action{.id = "keys.copy",
           .label = "Copy keys",
           .menu = "Playback/Keys",
           .key = ctrl('C'),
           .run = copy_keys,
           .enabled = has_selected_keys,
           .mode = kAnimateMode},
    Action{.id = "keys.paste",
           .label = "Paste keys",
           .menu = "Playback/Keys",
           .key = ctrl('V'),
           .run = paste_keys,
           .enabled = has_copied_keys,
           .mode = kAnimateMode},
    Action{.id = "keys.select-all",
           .label = "Select all keys",
           .menu = "Playback/Keys",
           .key = {.key = 'A', .alt = true},
           .run = select_all_keys,
           .enabled = has_clip,
           .mode = kAnimateMode},
    Action{.id = "keys.snap",
           .label = "Snap keys to frames",
           .menu = "Playback/Keys",
           .key = {},
           .run = snap_selected_keys,
           .enabled = has_selected_keys},
    Action{.id = "keys.previous",
           .label = "Previous key",
           .menu = "Playback/Keys",
           .key = {.key = kKeyLeft, .ctrl = true},
           .run = [](Desk& d) { go_to_key(d, -1); },
           .enabled = has_clip,
           .separated = true},
    Action{.id = "keys.next",
           .label = "Next key",
           .menu = "Playback/Keys",
           .key = {.key = kKeyRight, .ctrl = true},
           .run = [](Desk& d) { go_to_key(d, 1); },
           .enabled = has_clip},
    Action{.id = "keys.automatic",
           .label = "Automatic keys",
           .menu = "Playback/Keys",
           .key = {},
           .run = toggle_auto_key,
           .checked = [](const Desk& d) { return d.document().view.timing.auto_key; },
           .enabled = has_clip},

    Action{"help.keys", "Keys and mouse", "Help", key('H'),
           [](Desk& d) { d.workspace.help_open = !d.workspace.help_open; },
           [](const Desk& d) { return d.workspace.help_open; }},
    Action{"help.about",
           "About Pelt",
           "Help",
           {},
           [](Desk& d) { d.workspace.about_open = !d.workspace.about_open; },
           [](const Desk& d) { return d.workspace.about_open; },
           nullptr,
           true},
};

}  // namespace

std::string name_of(const Chord& chord) {
  if (chord.key == kNoKey) {
    return {};
  }
  std::string name = std::string(chord.ctrl ? "Ctrl+" : "") + (chord.alt ? "Alt+" : "") + (chord.shift ? "Shift+" : "");
  switch (chord.key) {
    case kKeySpace:
      return name + "Space";
    case kKeyTab:
      return name + "Tab";
    case kKeyHome:
      return name + "Home";
    case kKeyLeft:
      return name + "\u2190";
    case kKeyRight:
      return name + "\u2192";
    case kKeyUp:
      return name + "\u2191";
    case kKeyDown:
      return name + "\u2193";
    case kKeyEscape:
      return name + "Esc";
    case kKeyF1:
      return name + "F1";
    case kKeyF2:
      return name + "F2";
    case kKeyF5:
      return name + "F5";
    case kKeyF12:
      return name + "F12";
    case kKeyDelete:
      return name + "Delete";
    default:
      return name + static_cast<char>(chord.key);
  }
}

std::span<const Action> actions() {
  return kActions;
}
std::span<const char* const> menus() {
  return kMenus;
}

const Action* find_action(std::string_view id) {
  const auto found = std::find_if(kActions.begin(), kActions.end(), [&](const Action& a) { return a.id == id; });
  return found == kActions.end() ? nullptr : &*found;
}

const Action* find_action(const Chord& chord, std::string_view mode) {
  if (chord.key == kNoKey) {
    return nullptr;
  }
  const Action* general = nullptr;
  for (const Action& action : kActions) {
    if (action.key == chord && !action.mode.empty() && action.mode == mode) {
      return &action;
    }
    general = action.key == chord && action.mode.empty() ? &action : general;
  }
  return general;
}

bool enabled(const Action& action, const Desk& desk) {
  return action.enabled == nullptr || action.enabled(desk);
}

void run(const Action& action, Desk& desk) {
  if (enabled(action, desk)) {
    action.run(desk);
  }
}

std::string key_here(const Action& action, const Desk& desk) {
  return find_action(action.key, desk.workspace.mode) == &action ? name_of(action.key) : std::string();
}

bool press(const Chord& chord, Desk& desk) {
  if (chord == Chord{kKeyEscape}) {
    escape(desk);
    return true;
  }
  if (chord == Chord{'F'} && begin_resizing(desk.workspace.panel<BrushTool>(), desk)) {
    return true;
  }
  if (press_tool(chord, desk)) {
    return true;
  }
  const Action* action = find_action(chord, desk.workspace.mode);
  if (action == nullptr) {
    return false;
  }
  if ((paints(desk) || pulls(desk)) && action->menu == std::string_view("Learn")) {
    return true;  // a slip of the hand that paints opens no other character
  }
  if (!enabled(*action, desk)) {
    action = find_action(chord, "");  // what the mode cannot do now leaves the key to what it does everywhere
  }
  if (action != nullptr) {
    run(*action, desk);
  }
  return true;
}

}  // namespace pelt::ui
