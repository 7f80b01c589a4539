#include "ui/viewport.h"

// Dragging a bone: Shoemake, "ARCBALL: A User Interface for Specifying Three-Dimensional Orientation Using a Mouse",
// Graphics Interface 1992, with the bone's own end as the point that follows the cursor.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <glm/gtc/matrix_transform.hpp>

#include "core/index.h"
#include "core/text.h"
#include "deform/vertex_steps.h"
#include "render/box_picking.h"
#include "render/look_colors.h"
#include "render/picture_text.h"
#include "rig/dofs.h"
#include "rig/joint_names.h"
#include "ui/actions.h"
#include "ui/backend_switch.h"
#include "ui/brush_tool.h"
#include "ui/context_menu.h"
#include "ui/handle_bar.h"
#include "ui/handled_joints.h"
#include "ui/hiding.h"
#include "ui/icons.h"
#include "ui/info_panel.h"
#include "ui/limit_arcs.h"
#include "ui/modes.h"
#include "ui/motion_panel.h"
#include "ui/motion_path.h"
#include "ui/pane_overlay.h"
#include "ui/picture_text.h"
#include "ui/place_tool.h"
#include "ui/reach_tool.h"
#include "ui/rotation_rings.h"
#include "ui/selected_dots.h"
#include "ui/selecting.h"
#include "ui/spring_marks.h"
#include "ui/tools.h"
#include "ui/transform_handle.h"
#include "ui/vertex_section.h"
#include "ui/viewport_geometry.h"
#include "ui/volume_jobs.h"
#include "ui/weights_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kFreeSpot = 14;  // layout units round a vertex that is looked at, which words keep off
constexpr float kClickSlop = 4;  // layout units the mouse may move during a click

// The point of the bone nearest to the ray.
glm::vec3 point_on_bone(const render::Bone& bone, const render::Ray& ray) {
  const glm::vec3 along = bone.tail - bone.head;
  const float length2 = std::max(glm::dot(along, along), 1e-12f);
  const float b = glm::dot(along, ray.direction);
  const glm::vec3 offset = bone.head - ray.origin;
  const float denominator = length2 - b * b;
  const float s = denominator > 1e-9f * length2
                      ? (b * glm::dot(ray.direction, offset) - glm::dot(along, offset)) / denominator
                      : 0.5f;
  return bone.head + std::clamp(s, 0.0f, 1.0f) * along;
}

bool begin_arcball(ViewportState& state, Desk& desk) {
  const int joint = state.hovered_joint;
  const render::Ray ray = ray_at(desk, state.pressed_at);
  for (const render::Bone& bone : render::bones(desk.character(), desk.scene.world, drawn_joints(desk))) {
    if (bone.joint != joint) {
      continue;
    }
    state.pivot = bone.head;
    const glm::vec3 offset = point_on_bone(bone, ray) - bone.head;
    const float length = glm::distance(bone.head, bone.tail);
    // Near its pivot a bone would spin: then its end is taken.
    const bool near_pivot = glm::length(offset) < 0.25f * length;
    state.radius = near_pivot ? length : glm::length(offset);
    if (state.radius < 1e-6f) {
      return false;
    }
    state.grabbed = near_pivot ? (bone.tail - bone.head) / length : offset / state.radius;
    state.drag = ViewportDrag::kArcball;
    state.joint = joint;
    state.start_local = pose_by_hand(desk).local[joint];
    state.parent_axes = perpendicular_axes(glm::dmat3(parent_world(desk, joint)));
    return true;
  }
  return false;
}

void drag_arcball(const ViewportState& state, Desk& desk) {
  const render::Ray ray = ray_at(desk, mouse());
  const glm::vec3 offset = ray.origin - state.pivot;
  const float b = glm::dot(offset, ray.direction);
  const float discriminant = b * b - (glm::dot(offset, offset) - state.radius * state.radius);
  glm::vec3 point;
  if (discriminant <= 0) {
    point = offset - b * ray.direction;  // beside the ball: its rim
  } else {
    // The grabbed point stays on the half of the ball it was taken on.
    const bool far_half = glm::dot(state.grabbed, ray.direction) > 0;
    point = offset + (-b + (far_half ? 1.0f : -1.0f) * std::sqrt(discriminant)) * ray.direction;
  }
  if (glm::length(point) < 1e-6f) {
    return;
  }
  const glm::dmat3 turn = glm::mat3_cast(glm::dquat(shortest_rotation(state.grabbed, glm::normalize(point))));
  const glm::dquat own = glm::quat_cast(glm::transpose(state.parent_axes) * turn * state.parent_axes);
  Transform local = state.start_local;
  local.rotation = glm::quat(glm::normalize(own * glm::dquat(local.rotation)));
  desk.change(edit::SetJointLocal{state.joint, local}, "arcball");
}

bool inspects_vertices(const Desk& desk) {
  switch (desk.workspace.view.look) {
    case render::Look::kDifference:
    case render::Look::kWeights:
    case render::Look::kMask:
    case render::Look::kInfluences:
    case render::Look::kWeightSum:
      return true;
    default:
      return selects_vertices(desk);
  }
}

void pick_joint(Desk& desk, int joint) {
  const int active = desk.document().view.selected_joint();
  const edit::SelectBy by = select_by_keys();
  std::vector<int> picked = {joint};
  if (current_tool(desk.workspace).id == kChainTool && active >= 0) {
    if (active == joint && by != edit::SelectBy::kToggle) {
      return;  // the second click of a double click ends where the chain does
    }
    picked = edit::chain(desk.character().skeleton, active, joint);
    if (picked.empty()) {
      picked = {joint};  // it hangs in another tree
    }
  }
  select(desk, std::move(picked), by);
}

// The vertex with all others at its place, across seams.
edit::VertexSelection vertices_at(Desk& desk, const render::VertexHit& hit) {
  return edit::at_same_places(desk.character(), desk.workspace.panel<SelectionSection>().surfaces,
                              {{hit.part, {static_cast<std::uint32_t>(hit.vertex)}}});
}

void pick_vertex(Desk& desk, const render::VertexHit& hit) {
  const edit::VertexSelection& selected = desk.document().view.selected_vertices;
  const edit::VertexSelection picked = vertices_at(desk, hit);
  const edit::SelectBy by = select_by_keys();
  if (by == edit::SelectBy::kToggle) {
    // All of a place are what the one under the pointer becomes.
    const auto part = std::ranges::find(selected, hit.part, &edit::PartVertices::part);
    const bool is_selected =
        part != selected.end() && std::ranges::binary_search(part->vertices, static_cast<std::uint32_t>(hit.vertex));
    edit::VertexSelection now = edit::combined(selected, picked, edit::SelectBy::kAdd);
    desk.requests.select_vertices = is_selected ? edit::combined(now, picked, edit::SelectBy::kToggle) : now;
    return;
  }
  select_vertices(desk, picked, by);
  if (by == edit::SelectBy::kReplace) {
    desk.requests.pin = glm::ivec2(hit.part, hit.vertex);
  }
}

// What is meant by a place of the picture where there is nothing; with Shift or Ctrl it was a miss.
void pick_nothing(Desk& desk) {
  if (select_by_keys() == edit::SelectBy::kReplace) {
    let_go(desk);
  }
}

/// @param on_ring  it was a ring that was pressed and not moved: what lies under it is meant, and nothing is let go
void click(Desk& desk, glm::vec2 at, bool on_ring) {
  if (drags_volumes(desk) && hover_volume(desk.workspace.panel<VolumeHandles>(), at, desk)) {
    pick_joint(desk, hovered_volume_joint(desk.workspace.panel<VolumeHandles>(), desk));
    return;
  }
  if (desk.workspace.view.skeleton) {
    const int joint = joint_under(desk, at);
    if (joint >= 0) {
      pick_joint(desk, joint);
      return;
    }
  }
  const std::optional<render::VertexHit> hit = vertex_under(desk, at);
  if (!hit) {
    if (!on_ring) {
      pick_nothing(desk);
    }
    return;
  }
  if (selects_vertices(desk)) {
    pick_vertex(desk, *hit);
  } else if (inspects_vertices(desk)) {
    desk.requests.pin = glm::ivec2(hit->part, hit->vertex);
  } else {
    pick_joint(desk, joint_of(desk, *hit));
  }
}

// What the pointer is over becomes what the menu is about, unless it is among what is selected.
void open_menu_at(Desk& desk, glm::vec2 at) {
  const edit::View& view = desk.document().view;
  const int over = desk.workspace.view.skeleton ? joint_under(desk, at) : -1;
  const std::optional<render::VertexHit> hit = over < 0 ? vertex_under(desk, at) : std::nullopt;
  desk.workspace.context_part = hit ? hit->part : -1;
  if (over < 0 && hit && selects_vertices(desk)) {
    if (view.selected_vertices.empty()) {
      select_vertices(desk, vertices_at(desk, *hit), edit::SelectBy::kReplace);
    }
  } else if (const int joint = over >= 0 ? over
                               : hit     ? joint_of(desk, *hit)
                                         : -1;
             joint >= 0 && std::ranges::find(view.selected_joints, joint) == view.selected_joints.end()) {
    select(desk, joint);
  }
  open_context_menu(desk, over < 0 && selects_vertices(desk));
}

Rect dragged_box(const ViewportState& state) {
  const glm::vec2 lower = glm::min(state.pressed_at, mouse());
  const glm::vec2 size = glm::abs(state.pressed_at - mouse());
  return {lower.x, lower.y, size.x, size.y};
}

void select_in_box(const ViewportState& state, Desk& desk) {
  const Rect box = dragged_box(state);
  const glm::vec2 upper_left = cursor(desk, {box.x, box.y});
  const glm::vec2 lower_right = cursor(desk, {box.x + box.w, box.y + box.h});
  const render::PictureBox in_picture{{upper_left.x, lower_right.y}, {lower_right.x, upper_left.y}};
  const render::Camera& camera = desk.workspace.camera;
  const float aspect = Projector::aspect(desk);
  if (!selects_vertices(desk)) {
    select(desk,
           render::joints_in_box(desk.character(), desk.scene.world, camera, aspect, in_picture, drawn_joints(desk)),
           select_by_keys());
    return;
  }
  const int pane = std::clamp(state.pane, 0, edit::pane_count(desk.document().content) - 1);
  const std::vector<std::vector<std::uint32_t>> parts =
      render::vertices_in_box(desk.character(), desk.scene.deformed(pane), camera, aspect, in_picture,
                              desk.workspace.select_through, hidden_surface(desk));
  edit::VertexSelection picked;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].empty()) {
      picked.push_back({static_cast<int>(p), parts[p]});
    }
  }
  select_vertices(desk, picked, select_by_keys());
}

void set_pivot(Desk& desk, glm::vec2 at) {
  std::optional<glm::vec3> point;
  if (desk.workspace.view.skeleton) {
    const int joint = joint_under(desk, at);
    if (joint >= 0) {
      point = glm::vec3(desk.scene.world[joint][3]);
    }
  }
  if (!point) {
    if (const auto hit = vertex_under(desk, at)) {
      point = hit->position;
    }
  }
  if (point) {
    desk.workspace.camera.pivot = *point;  // the picture recentres on it, at the same distance
  }
}

void hover(ViewportState& state, const Projector& project, Desk& desk) {
  state.hovered_joint = -1;
  state.hovered_ring = kNoRing;
  state.hovered_vertex.reset();
  state.handle.hovered = HandlePart::kNone;
  if (!state.hovered) {
    return;
  }
  const glm::vec2 at = mouse();
  if (paints(desk) || pulls(desk)) {
    hover_brush(desk.workspace.panel<BrushTool>(), at, desk);
    return;
  }
  if (places_joints(desk)) {
    hover_place(desk.workspace.panel<PlaceTool>(), at, desk);
    return;
  }
  if (drags_volumes(desk) && hover_volume(desk.workspace.panel<VolumeHandles>(), at, desk)) {
    return;
  }
  if (reaches(desk)) {
    hover_reach(desk.workspace.panel<ReachTool>(), at, desk);
    return;
  }
  state.handle.hovered = handle_shown(desk) ? handle_under(desk, project, at) : HandlePart::kNone;
  if (state.handle.hovered != HandlePart::kNone) {
    return;
  }
  if (rings_shown(desk)) {
    state.hovered_ring = ring_under(desk, project, at);
  }
  if (desk.workspace.view.skeleton) {
    state.hovered_joint = joint_under(desk, at);
  }
  if (state.hovered_ring != kNoRing) {
    // A ring seen edge on lies over the selected bone like a line: then the bone is meant.
    const bool on_bone = state.hovered_joint >= 0 && state.hovered_joint == desk.document().view.selected_joint();
    if (!on_bone || !edge_on(desk, state.hovered_ring)) {
      state.hovered_joint = -1;
      return;
    }
    state.hovered_ring = kNoRing;
  }
  if (state.hovered_joint < 0 && inspects_vertices(desk)) {
    state.hovered_vertex = vertex_under(desk, at);
  }
}

ViewportDrag camera_drag(int button, const Desk& desk) {
  const ImGuiIO& io = ImGui::GetIO();
  if (button == ImGuiMouseButton_Left && io.KeyAlt) {
    return ViewportDrag::kOrbit;
  }
  if (button == ImGuiMouseButton_Left && current_tool(desk.workspace).id == kBoxTool) {
    return ViewportDrag::kBox;
  }
  if (desk.workspace.preferences.mouse == MouseScheme::kBlender) {
    if (button != ImGuiMouseButton_Middle) {
      return ViewportDrag::kNone;
    }
    return io.KeyShift ? ViewportDrag::kPan : io.KeyCtrl ? ViewportDrag::kDolly : ViewportDrag::kOrbit;
  }
  switch (button) {
    case ImGuiMouseButton_Left:
      return io.KeyShift ? ViewportDrag::kPan : ViewportDrag::kOrbit;
    case ImGuiMouseButton_Middle:
      return ViewportDrag::kPan;
    default:
      return ViewportDrag::kDolly;
  }
}

void handle_mouse(ViewportState& state, Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  ImGui::SetCursorScreenPos(ImVec2(view.x, view.y));
  ImGui::InvisibleButton(
      "##viewport", ImVec2(view.w, view.h),
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  ImGui::SetItemAllowOverlap();
  state.hovered = ImGui::IsItemHovered();
  if (!ImGui::IsItemActive() || ImGui::IsItemActivated()) {
    const glm::vec2 at = mouse() - glm::vec2(view.x, view.y);
    const int pane = pane_layout(desk).pane_at(glm::ivec2(glm::floor(at)));
    state.pane = pane >= 0 ? pane : state.pane;
  }
  const float height = picture(desk).h;
  const Projector project(desk);
  const bool active = ImGui::IsItemActive();
  const bool pressed = ImGui::IsItemActivated();
  const bool released = ImGui::IsItemDeactivated();
  const ImGuiIO& io = ImGui::GetIO();
  const glm::vec2 moved(io.MouseDelta.x, io.MouseDelta.y);
  render::Camera& camera = desk.workspace.camera;

  static constexpr std::array kButtons = {ImGuiMouseButton_Left, ImGuiMouseButton_Right, ImGuiMouseButton_Middle};
  if (!active) {
    hover(state, project, desk);
  }
  if (pressed) {
    state.pressed_at = mouse();
    state.moved = false;
    state.drag = ViewportDrag::kNone;
    if (desk.workspace.held_tool) {
      desk.workspace.held_tool->used = true;
    }
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left) && !io.KeyAlt && begin_ring(state, desk)) {
      state.drag = ViewportDrag::kRing;
    } else if (ImGui::IsMouseDown(ImGuiMouseButton_Left) && !io.KeyAlt && begin_handle(state.handle, project, desk)) {
      state.drag = ViewportDrag::kHandle;
    } else if (ImGui::IsMouseDown(ImGuiMouseButton_Left) && !io.KeyAlt &&
               begin_volume(desk.workspace.panel<VolumeHandles>(), mouse(), desk)) {
      state.drag = ViewportDrag::kVolume;
    } else if (ImGui::IsMouseDown(ImGuiMouseButton_Left) && !io.KeyAlt && (paints(desk) || pulls(desk)) &&
               begin_brush(desk.workspace.panel<BrushTool>(), mouse(), desk)) {
      state.drag = ViewportDrag::kBrush;  // a dab at once, whether the mouse moves or not
      state.moved = true;
    }
  }
  if (active && state.drag == ViewportDrag::kBrush && !pressed) {
    drag_brush(desk.workspace.panel<BrushTool>(), desk);
  }
  if (active) {
    const bool started = !state.moved && glm::distance(state.pressed_at, mouse()) > kClickSlop * desk.theme.scale;
    state.moved |= started;
    if (started && state.drag == ViewportDrag::kNone) {
      const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left);
      const bool on_bone = left && !io.KeyAlt && turns_joints(desk) && state.hovered_joint >= 0 &&
                           state.hovered_joint == desk.document().view.selected_joint();
      const bool on_limb =
          left && !io.KeyAlt && reaches(desk) && begin_reach(desk.workspace.panel<ReachTool>(), state.pressed_at, desk);
      if (on_limb) {
        state.drag = ViewportDrag::kReach;
      } else if (left && !io.KeyAlt && places_joints(desk) &&
                 begin_place(desk.workspace.panel<PlaceTool>(), state.pressed_at, desk)) {
        state.drag = ViewportDrag::kPlace;
      } else if (!on_bone || !begin_arcball(state, desk)) {
        for (const int button : kButtons) {
          if (ImGui::IsMouseDown(button)) {
            state.drag = camera_drag(button, desk);
          }
        }
      }
    }
    if (state.moved && (moved.x != 0 || moved.y != 0)) {
      switch (state.drag) {
        case ViewportDrag::kOrbit:
          render::orbit(camera, moved, height);
          break;
        case ViewportDrag::kPan:
          render::pan(camera, moved, height);
          break;
        case ViewportDrag::kDolly:
          render::dolly(camera, -moved.y / (24 * desk.theme.scale), cursor(desk, state.pressed_at),
                        Projector::aspect(desk));
          break;
        case ViewportDrag::kRing:
          drag_ring(state, project, moved, desk);
          break;
        case ViewportDrag::kArcball:
          drag_arcball(state, desk);
          break;
        case ViewportDrag::kHandle:
          drag_handle(state.handle, project, desk);
          break;
        case ViewportDrag::kReach:
          drag_reach(desk.workspace.panel<ReachTool>(), desk);
          break;
        case ViewportDrag::kPlace:
          drag_place(desk.workspace.panel<PlaceTool>(), desk);
          break;
        case ViewportDrag::kVolume:
          drag_volume(desk.workspace.panel<VolumeHandles>(), desk);
          break;
        case ViewportDrag::kBrush:  // has had its turn
        case ViewportDrag::kBox:    // is drawn, and counts when the button is released
        case ViewportDrag::kNone:
          break;
      }
    }
  }
  if (released) {
    const bool on_ring = state.drag == ViewportDrag::kRing || state.drag == ViewportDrag::kHandle;
    state.handle.grabbed = HandlePart::kNone;
    desk.workspace.panel<ReachTool>().dragging = false;
    desk.workspace.panel<PlaceTool>().dragging = false;
    end_brush(desk.workspace.panel<BrushTool>());
    end_volume(desk.workspace.panel<VolumeHandles>(), !io.MouseReleased[ImGuiMouseButton_Left]);
    if ((on_ring && state.moved) || state.drag == ViewportDrag::kArcball || state.drag == ViewportDrag::kReach ||
        state.drag == ViewportDrag::kBrush || state.drag == ViewportDrag::kPlace) {
      desk.requests.end_merge = true;
    } else if (state.drag == ViewportDrag::kBox && io.MouseReleased[ImGuiMouseButton_Left]) {
      select_in_box(state, desk);  // Esc ends the drag with the button down
    } else if (!state.moved && io.MouseReleased[ImGuiMouseButton_Left]) {
      click(desk, state.pressed_at, on_ring);
    } else if (!state.moved && io.MouseReleased[ImGuiMouseButton_Right]) {
      open_menu_at(desk, state.pressed_at);
    } else if (!state.moved && io.MouseReleased[ImGuiMouseButton_Middle]) {
      set_pivot(desk, state.pressed_at);
    }
    state.drag = ViewportDrag::kNone;
  }
  if (state.hovered && state.drag != ViewportDrag::kBrush && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    set_pivot(desk, mouse());
  }
  if (state.drag == ViewportDrag::kReach && io.MouseWheel != 0) {
    ReachTool& tool = desk.workspace.panel<ReachTool>();
    change_chain(tool, tool.joint, io.MouseWheel > 0 ? 1 : -1, desk);
    drag_reach(tool, desk);
  } else if (state.hovered && io.MouseWheel != 0) {
    render::dolly(camera, io.MouseWheel, cursor(desk, mouse()), Projector::aspect(desk));
  }
}

// Where the skeleton is not drawn: a dot on each selected joint beside the active one, which has the rings.
void draw_also_selected(const Projector& project, Desk& desk) {
  const std::vector<int>& joints = desk.document().view.selected_joints;
  if (desk.workspace.view.skeleton || joints.size() < 2 || !(rings_shown(desk) || handle_shown(desk))) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const int joint : std::span(joints).first(joints.size() - 1)) {
    if (const auto at = project(glm::vec3(desk.scene.world[joint][3]))) {
      list.AddCircleFilled(ImVec2(at->x, at->y), desk.theme.px(5), faded(color::kBackground, 0.7f));
      list.AddCircleFilled(ImVec2(at->x, at->y), desk.theme.px(3.5f), color::kAccent);
    }
  }
}

void draw_names(const ViewportState& state, const Projector& project, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const rig::Skeleton& skeleton = desk.character().skeleton;
  std::vector<Rect> taken;
  ImGui::PushFont(desk.theme.small);
  const auto name_one = [&](int joint, ImU32 ink, bool always) {
    if (joint < 0 || joint >= static_cast<int>(desk.scene.world.size())) {
      return;
    }
    if (const auto at = project(glm::vec3(desk.scene.world[joint][3]))) {
      draw_picture_text(list, desk.theme, *at, printable(skeleton.label(joint)), ink, taken,
                        always ? WhereTaken::kStay : WhereTaken::kLeaveOut);
    }
  };
  const int hovered = state.hovered_joint >= 0 ? state.hovered_joint : state.tree_hovered_joint;
  const int selected = desk.document().view.selected_joint();
  name_one(hovered, IM_COL32_WHITE, true);
  if (desk.workspace.view.joint_names) {
    if (selected != hovered) {
      name_one(selected, color::kWarning, true);
    }
    constexpr std::size_t kMostNames = 160;
    for (const render::Bone& bone : render::bones(desk.character(), desk.scene.world, drawn_joints(desk))) {
      if (taken.size() >= kMostNames) {
        break;
      }
      if (bone.joint != hovered && bone.joint != selected) {
        name_one(bone.joint, color::kText, false);
      }
    }
  }
  ImGui::PopFont();
}

// The pinned vertex and the joints of its ghost points, with their weights.
void draw_vertex_texts(const Projector& project, int pane, Desk& desk) {
  if (!desk.workspace.view.ghost_points) {
    return;
  }
  const std::optional<deform::VertexSteps> steps = pinned_steps(desk, pane);
  if (!steps) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<Rect> taken;
  if (const auto spot = project(steps->result)) {  // what is looked at stays free of words
    const float room = desk.theme.px(kFreeSpot);
    taken.push_back({spot->x - room, spot->y - room, 2 * room, 2 * room});
  }
  ImGui::PushFont(desk.theme.small);
  const auto write = [&](const glm::vec3& point, const std::string& text, ImU32 ink) {
    if (const auto at = project(point)) {
      draw_picture_text(list, desk.theme, *at, text, ink, taken, WhereTaken::kMoveDown);
    }
  };
  write(steps->result, fmt::format("vertex {}", steps->vertex), IM_COL32_WHITE);
  for (const deform::JointStep& step : steps->joints) {
    write(step.ghost, render::ghost_text(desk.character(), step), packed(render::joint_color(step.joint)));
  }
  ImGui::PopFont();
}

void draw_box(const ViewportState& state, Desk& desk) {
  if (state.drag != ViewportDrag::kBox || !state.moved) {
    return;
  }
  const Rect box = dragged_box(state);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 lower(box.x, box.y);
  const ImVec2 upper(box.x + box.w, box.y + box.h);
  list.AddRectFilled(lower, upper, faded(color::kAccent, 0.15f));
  list.AddRect(lower, upper, color::kAccent, 0, 0, desk.theme.px(1));
  desk.report["viewport.box"] = box;
}

// How wide the widest of the marked cracks are.
void draw_crack_texts(const Projector& project, int pane, Desk& desk) {
  const auto cracks = desk.workspace.view.t_junctions && desk.scene.cracks ? desk.scene.cracks(pane) : std::nullopt;
  if (!cracks) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<Rect> taken;
  ImGui::PushFont(desk.theme.small);
  for (const std::size_t i : render::told_cracks(*cracks)) {
    if (const auto at = project((*cracks)[i].vertex)) {
      draw_picture_text(list, desk.theme, *at, render::crack_text((*cracks)[i]), color::kWarning, taken,
                        WhereTaken::kLeaveOut);
    }
  }
  ImGui::PopFont();
}

// The vertices of the finding that is looked at.
void draw_marks(const Projector& project, int pane, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::vector<glm::vec3> points = marked_points(desk, pane);
  const float radius = desk.theme.px(points.size() > 100 ? 2.5f : 4);
  for (const glm::vec3& point : points) {
    if (const auto at = project(point)) {
      list.AddCircleFilled(ImVec2(at->x, at->y), radius + desk.theme.px(1), IM_COL32(0, 0, 0, 160), 12);
      list.AddCircleFilled(ImVec2(at->x, at->y), radius, color::kWarning, 12);
    }
  }
}

struct ToolbarButton {
  const char* action;
  const char* icon;
  bool gap = false;
};
constexpr std::array kToolbar = {
    ToolbarButton{"look.shaded", icon::kSun},      ToolbarButton{"look.clay", icon::kClay},
    ToolbarButton{"view.weights", icon::kWeights}, ToolbarButton{"view.skeleton", icon::kCharacter, true},
    ToolbarButton{"view.names", icon::kTag},       ToolbarButton{"view.edges", icon::kWire},
    ToolbarButton{"view.grid", icon::kGrid},       ToolbarButton{"view.frame", icon::kTarget, true}};
constexpr float kToolbarPad = 3;  // layout units
constexpr float kToolbarGap = 8;  // layout units between groups, and to the corner of the picture

float toolbar_width(const Desk& desk, bool with_backend) {
  const auto gaps = static_cast<float>(std::ranges::count(kToolbar, true, &ToolbarButton::gap));
  const float gap = desk.theme.px(kToolbarGap);
  return ImGui::GetFrameHeight() * static_cast<float>(kToolbar.size()) + gaps * gap + 2 * desk.theme.px(kToolbarPad) +
         (with_backend ? gap + backend_switch_width(desk) : 0.0f);
}

void draw_toolbar(Desk& desk) {
  const Rect& rect = desk.workspace.viewport.toolbar;
  if (rect.empty()) {
    return;
  }
  const float pad = desk.theme.px(kToolbarPad);
  const float gap = desk.theme.px(kToolbarGap);
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, desk.theme.px(5));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, faded(color::kPanel, 0.86f));
  if (ImGui::BeginChild("##toolbar", ImVec2(rect.w, rect.h), false,
                        ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar)) {
    bool first = true;
    for (const ToolbarButton& tool : kToolbar) {
      if (!first) {
        ImGui::SameLine(0, tool.gap ? gap : 0.0f);
      }
      first = false;
      const Action* action = find_action(tool.action);
      const std::string key = name_of(action->key);
      const std::string help = key.empty() ? action->label : fmt::format("{} ({})", action->label, key);
      if (icon_button(desk, (std::string("toolbar.") + tool.action).c_str(), tool.icon, {},
                      action->checked != nullptr && action->checked(desk))) {
        run(*action, desk);
      }
      tip(help);
    }
    if (rect.w > toolbar_width(desk, false)) {
      deform::SkinningSettings settings = edit::skinning_of(desk.document().content, desk.document().view.active_pane);
      ImGui::SameLine(0, gap);
      if (backend_switch(desk, "toolbar.backend", settings.backend, backend_switch_width(desk))) {
        desk.change(edit::SetSkinning{settings, desk.document().view.active_pane});
      }
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
}

// Where bones can be grabbed, for tests.
void report_bones(const Projector& project, Desk& desk) {
  if (!desk.workspace.view.skeleton) {
    return;
  }
  constexpr std::size_t kMostBones = 200;
  const std::vector<render::Bone> bones = render::bones(desk.character(), desk.scene.world, drawn_joints(desk));
  for (std::size_t i = 0; i < std::min(bones.size(), kMostBones); ++i) {
    if (const auto at = project((bones[i].head + bones[i].tail) * 0.5f)) {
      desk.report["bone." + desk.character().skeleton->label(bones[i].joint)] = {at->x - 1, at->y - 1, 2, 2};
    }
  }
}

}  // namespace

std::span<const char> drawn_joints(const Desk& desk) {
  ViewportState& state = desk.workspace.viewport;
  if (!desk.workspace.view.deforming_only) {
    return {};
  }
  if (state.deforming_of != desk.document().character) {
    state.deforming = rig::deforming_joints(desk.character());
    state.deforming_of = desk.document().character;
  }
  return state.deforming;
}

Rect toolbar_rect(const Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  const float side = ImGui::GetFrameHeight();
  const float pad = desk.theme.px(kToolbarPad);
  const float gap = desk.theme.px(kToolbarGap);
  float width = toolbar_width(desk, true);
  if (pane_size(desk.workspace, desk.document()).x < width + 2 * gap) {
    width = toolbar_width(desk, false);  // the tabs have the switch, too
  }
  if (view.w < width + 2 * gap || view.h < 4 * side) {
    return {};
  }
  return {view.x + gap, view.y + gap, width, side + 2 * pad};
}

void draw_viewport(ViewportState& state, Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  if (view.empty()) {
    return;
  }
  desk.report["viewport"] = view;
  handle_mouse(state, desk);
  follow_volumes(desk.workspace.panel<VolumeHandles>(), desk);
  report_bones(Projector(desk), desk);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const render::PaneLayout layout = pane_layout(desk);
  for (std::size_t pane = 0; pane < layout.shown.size(); ++pane) {
    const Rect shown = in_window(layout.shown[pane], desk);
    const Projector project(desk, in_window(layout.pictures[pane], desk));
    list.PushClipRect(ImVec2(shown.x, shown.y), ImVec2(shown.x + shown.w, shown.y + shown.h), true);
    if (desk.workspace.mode == "rig") {
      draw_limit_arcs(project, desk);
      draw_spring_marks(project, desk);
    }
    if (desk.workspace.mode == "animate") {
      draw_motion_path(project, desk);
      draw_motion_source(project, desk);
    }
    draw_also_selected(project, desk);
    draw_rings(state, project, desk);
    draw_handle(state.handle, project, desk);
    draw_reach(desk.workspace.panel<ReachTool>(), project, desk);
    draw_place(desk.workspace.panel<PlaceTool>(), project, desk);
    draw_volumes(desk.workspace.panel<VolumeHandles>(), project, desk);
    draw_brush(desk.workspace.panel<BrushTool>(), project, desk);
    // Ten thousand dots ask: the eye is found once.
    const render::Camera& camera = desk.workspace.camera;
    const glm::vec3 eye = camera.eye();
    const glm::vec3 straight = towards_eye(desk, camera.pivot);
    draw_selected_dots(
        project, [&](const glm::vec3& at) { return camera.orthographic ? straight : glm::normalize(eye - at); },
        static_cast<int>(pane), desk);
    draw_names(state, project, desk);
    draw_vertex_texts(project, static_cast<int>(pane), desk);
    draw_crack_texts(project, static_cast<int>(pane), desk);
    draw_marks(project, static_cast<int>(pane), desk);
    draw_box(state, desk);
    list.PopClipRect();
  }
  draw_toolbar(desk);
  draw_tool_strip(desk);
  draw_handle_bar(desk);
  draw_pane_overlay(state.toolbar, desk);
  // All panes share it; it stands in the one that the tabs are about. The halves of a wipe come and go.
  const std::size_t active = std::max(0, desk.document().view.active_pane);
  const Rect home = layout.wipe || active >= layout.shown.size() ? view : in_window(layout.shown[active], desk);
  list.PushClipRect(ImVec2(home.x, home.y), ImVec2(home.x + home.w, home.y + home.h), true);
  draw_legend(desk, home);
  list.PopClipRect();
}

}  // namespace pelt::ui
