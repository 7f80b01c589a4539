#include "ui/rotation_rings.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "rig/dofs.h"
#include "ui/handled_joints.h"
#include "ui/selecting.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kRingRadius = 78;  // layout units on the screen
constexpr float kRingReach = 7;    // layout units around a ring that grab it
constexpr float kEdgeOn = 0.2f;    // cosine below which a ring's plane says too little about the mouse
constexpr int kRingSegments = 96;
constexpr float kViewRingSize = 1.18f;  // of the largest other ring
constexpr float kSnap = std::numbers::pi_v<float> / 12;
constexpr float kRingTurn = 2 * std::numbers::pi_v<float>;

bool has_selection(const Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  return joint >= 0 && joint < static_cast<int>(desk.scene.world.size());
}

void basis(const glm::vec3& axis, glm::vec3& u, glm::vec3& v) {
  const glm::vec3 other = std::abs(axis.x) < 0.7f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
  u = glm::normalize(glm::cross(axis, other));
  v = glm::cross(axis, u);
}

// Calls body(a, b, in_front) for the ring's segments on the screen.
template <typename Body>
void for_ring_segments(const Desk& desk, const Projector& project, const Ring& ring, const Body& body) {
  glm::vec3 u;
  glm::vec3 v;
  basis(ring.axis, u, v);
  const glm::vec3 eye = towards_eye(desk, ring.center);
  std::optional<glm::vec2> last;
  for (int i = 0; i <= kRingSegments; ++i) {
    const float angle = static_cast<float>(i) * 2 * std::numbers::pi_v<float> / kRingSegments;
    const glm::vec3 offset = std::cos(angle) * u + std::sin(angle) * v;
    const std::optional<glm::vec2> at = project(ring.center + ring.radius * offset);
    if (at && last) {
      body(*last, *at, glm::dot(offset, eye) > -0.05f);
    }
    last = at;
  }
}

// Where the ray meets the ring's plane, as an angle; nothing where the plane is seen edge on.
std::optional<float> plane_angle(const ViewportState& state, const render::Ray& ray) {
  const float slope = glm::dot(ray.direction, state.ring_axis);
  if (std::abs(slope) < kEdgeOn) {
    return std::nullopt;
  }
  const float t = glm::dot(state.pivot - ray.origin, state.ring_axis) / slope;
  const glm::vec3 offset = ray.origin + t * ray.direction - state.pivot;
  return std::atan2(glm::dot(offset, state.ring_v), glm::dot(offset, state.ring_u));
}

// 0 to 2 of a ring about the handle's axes, else -1.
int axis_of_ring(int dof) {
  const auto* const found = std::ranges::find(kAxisRings, dof);
  return found == std::end(kAxisRings) ? -1 : static_cast<int>(found - std::begin(kAxisRings));
}

// All joints, from where they were when the drag began.
void turn_in_world(const ViewportState& state, float angle, Desk& desk) {
  const int axis = axis_of_ring(state.dof);
  desk.change(axis >= 0 ? turned(state.turned_joints, axis, static_cast<double>(angle))
                        : turned_about(state.turned_joints, glm::dvec3(state.ring_axis), static_cast<double>(angle)),
              "ring");
}

float snapped(float value) {
  return ImGui::GetIO().KeyCtrl ? std::round(value / kSnap) * kSnap : value;
}

// From where the drag began to where the ring is now, and what Ctrl stops at.
void draw_wedge(const ViewportState& state, const Projector& project, ImU32 ink, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto on_ring = [&](float angle, float share) {
    const glm::vec3 offset = std::cos(angle) * state.ring_u + std::sin(angle) * state.ring_v;
    return project(state.pivot + share * state.radius * offset);
  };
  const float applied = snapped(state.start_value + state.turned) - state.start_value;
  const float swept = std::clamp(applied, -kRingTurn, kRingTurn);
  const float first = state.start_angle - state.turned;
  const auto center = project(state.pivot);
  const int steps = std::max(1, static_cast<int>(std::ceil(std::abs(swept) / 0.06f)));
  // One polygon for each half turn: convex, and without seams between its triangles.
  const int halves = std::max(1, static_cast<int>(std::ceil(std::abs(swept) / std::numbers::pi_v<float>)));
  for (int half = 0; center && half < halves; ++half) {
    list.PathLineTo(ImVec2(center->x, center->y));
    for (int i = half * steps / halves; i <= (half + 1) * steps / halves; ++i) {
      if (const auto at = on_ring(first + swept * static_cast<float>(i) / static_cast<float>(steps), 1)) {
        list.PathLineTo(ImVec2(at->x, at->y));
      }
    }
    list.PathFillConvex(faded(ink, 0.25f));
  }
  for (const float end : {first, first + swept}) {
    if (const auto at = on_ring(end, 1); at && center) {
      list.AddLine(ImVec2(center->x, center->y), ImVec2(at->x, at->y), ink, desk.theme.px(1.5f));
    }
  }
  if (!ImGui::GetIO().KeyCtrl) {
    return;
  }
  const float nearest = std::round(state.start_value / kSnap) * kSnap - state.start_value;
  for (int i = 0; i < 24; ++i) {
    const float angle = first + nearest + kSnap * static_cast<float>(i);
    const auto from = on_ring(angle, i % 6 == 0 ? 0.9f : 0.95f);
    const auto to = on_ring(angle, 1.06f);
    if (from && to) {
      list.AddLine(ImVec2(from->x, from->y), ImVec2(to->x, to->y), color::kText, desk.theme.px(1.2f));
    }
  }
}

std::string ring_text(const ViewportState& state, const rig::JointDofs& dofs, bool dragging, int shown, Desk& desk) {
  const float turned = (snapped(state.start_value + state.turned) - state.start_value) * kDegreesPerRadian;
  if (shown == kViewRing) {
    return dragging ? fmt::format("View  {:+.1f}\u00b0", turned) : "About the view";
  }
  if (const int axis = axis_of_ring(shown); axis >= 0) {
    const HandleAxes axes = desk.workspace.preferences.handles.axes;
    const std::string about = fmt::format("{} {}", kHandleAxes[static_cast<std::size_t>(axes)].label, "XYZ"[axis]);
    return dragging ? fmt::format("{}  {:+.1f}\u00b0", about, turned) : about;
  }
  const int joint = desk.document().view.selected_joint();
  const float degrees = edit::dof_values(desk.document(), joint)[shown] * kDegreesPerRadian;
  const std::string now = fmt::format("{}  {:.1f}\u00b0", dofs.dofs[shown].name, degrees);
  return dragging ? fmt::format("{}  ({:+.1f}\u00b0)", now, turned) : now;
}

float ring_radius(const Desk& desk, const glm::vec3& center) {
  const Rect view = picture(desk);
  return std::min(kRingRadius * desk.theme.scale, 0.16f * std::min(view.w, view.h)) * metres_per_pixel(desk, center);
}

// Three about the axes that handles are set to, and one about the view.
std::vector<Ring> axis_rings(const HandledJoints& handled, const Desk& desk) {
  std::vector<Ring> rings;
  if (!can_be(rig::DofKind::kRotation, handled, desk)) {
    return rings;
  }
  const glm::vec3 center(handled.center);
  const float radius = ring_radius(desk, center);
  for (int axis = 0; axis < 3; ++axis) {
    rings.push_back({kAxisRings[axis], center, glm::vec3(handled.axes[axis]), radius});
  }
  if (desk.workspace.preferences.handles.axes != HandleAxes::kView) {  // else one of the three is that
    rings.push_back({kViewRing, center, towards_eye(desk, center), radius * kViewRingSize});
  }
  return rings;
}

}  // namespace

glm::mat4 parent_world(const Desk& desk, int joint) {
  const int parent = desk.character().skeleton->parent[joint];
  return parent < 0 ? glm::mat4(1.0f) : desk.scene.world[parent];
}

// While a box is drawn with the left button nothing else is to be caught by it; where limbs are dragged no ring is, and
// Move and Scale have handles of their own, and a ring would cover the skin of the joint that is painted.
bool turns_joints(const Desk& desk) {
  const std::string_view tool = current_tool(desk.workspace).id;
  return tool != kBoxTool && tool != kReachTool && tool != kMoveTool && tool != kScaleTool && tool != kPlaceTool &&
         tool != kPaintTool && tool != kPullTool;
}

bool rings_shown(const Desk& desk) {
  return has_selection(desk) && turns_joints(desk);
}

int ring_under(const Desk& desk, const Projector& project, glm::vec2 at) {
  int best = kNoRing;
  float nearest = kRingReach * desk.theme.scale;
  for (const Ring& ring : all_rings(desk)) {
    for_ring_segments(desk, project, ring, [&](glm::vec2 a, glm::vec2 b, bool front) {
      const float distance = distance_to_segment(at, a, b);
      if (front && distance < nearest) {
        nearest = distance;
        best = ring.dof;
      }
    });
  }
  return best;
}

bool edge_on(const Desk& desk, int dof) {
  for (const Ring& ring : all_rings(desk)) {
    if (ring.dof == dof && dof != kViewRing) {
      return std::abs(glm::dot(ring.axis, towards_eye(desk, ring.center))) < 2 * kEdgeOn;
    }
  }
  return false;
}

bool begin_ring(ViewportState& state, Desk& desk) {
  if (state.hovered_ring == kNoRing) {
    return false;
  }
  const std::vector<Ring> rings = all_rings(desk);
  const auto ring = std::ranges::find(rings, state.hovered_ring, &Ring::dof);
  if (ring == rings.end()) {
    return false;
  }
  const int joint = desk.document().view.selected_joint();
  state.joint = joint;
  state.dof = ring->dof;
  state.start_value = ring->dof >= 0 ? edit::dof_values(desk.document(), joint)[ring->dof] : 0.0f;
  state.pivot = ring->center;
  state.ring_axis = ring->axis;
  state.radius = ring->radius;
  basis(ring->axis, state.ring_u, state.ring_v);
  state.turned = 0;
  state.start_angle = plane_angle(state, ray_at(desk, mouse())).value_or(0.0f);
  state.turned_joints = handled_joints(desk);
  return true;
}

void drag_ring(ViewportState& state, const Projector& project, glm::vec2 moved, Desk& desk) {
  if (const std::optional<float> angle = plane_angle(state, ray_at(desk, mouse()))) {
    float step = *angle - state.start_angle;
    step -= kRingTurn * std::round(step / kRingTurn);
    state.turned += step;
    state.start_angle = *angle;
  } else {
    // Edge on: the nearest point of the ring moves along its tangent.
    const glm::vec3 tangent = glm::cross(state.ring_axis, towards_eye(desk, state.pivot));
    const auto a = project(state.pivot);
    const auto b = project(state.pivot + tangent * state.radius);
    if (a && b && glm::distance(*a, *b) > 1) {
      const glm::vec2 along = *b - *a;
      state.turned += glm::dot(moved, along) / glm::dot(along, along);
    }
  }
  const float value = snapped(state.start_value + state.turned);
  if (state.dof == kViewRing || axis_of_ring(state.dof) >= 0) {
    turn_in_world(state, value, desk);
  } else {
    change_dof(desk, state.joint, state.dof, value, "ring");
  }
}

void draw_rings(const ViewportState& state, const Projector& project, Desk& desk) {
  if (!rings_shown(desk)) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const int joint = desk.document().view.selected_joint();
  const rig::JointDofs dofs = edit::joint_dofs(desk.document(), joint);
  const bool dragging = state.drag == ViewportDrag::kRing;
  for (const Ring& ring : all_rings(desk)) {
    const bool hot = dragging ? state.dof == ring.dof : state.hovered_ring == ring.dof;
    if (dragging && !hot) {
      continue;
    }
    const int axis = axis_of_ring(ring.dof);
    const ImU32 ink = ring.dof == kViewRing ? faded(color::kText, hot ? 1.0f : 0.55f)
                      : axis >= 0           ? color::kAxis[axis]
                                            : dof_color(dofs.dofs[ring.dof]);
    if (dragging) {
      draw_wedge(state, project, ink, desk);
    }
    if (ring.dof == kViewRing) {
      if (const auto right = project(
              ring.center + glm::transpose(glm::mat3(desk.workspace.camera.view_from_world()))[0] * ring.radius)) {
        desk.report["ring.view"] = {right->x - 2, right->y - 2, 4, 4};
      }
    }
    for_ring_segments(desk, project, ring, [&](glm::vec2 a, glm::vec2 b, bool front) {
      const float width = (hot ? 3.2f : 2.0f) * desk.theme.scale;
      list.AddLine(ImVec2(a.x, a.y), ImVec2(b.x, b.y), front ? ink : faded(ink, 0.22f),
                   front ? width : desk.theme.scale);
    });
  }
  const int shown = dragging ? state.dof : state.hovered_ring;
  if (shown == kViewRing || axis_of_ring(shown) >= 0 || has_index(dofs.dofs, shown)) {
    const std::string label = ring_text(state, dofs, dragging, shown, desk);
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    const ImVec2 at(mouse().x + desk.theme.px(16), mouse().y + desk.theme.px(14));
    const float pad = desk.theme.px(5);
    list.AddRectFilled(ImVec2(at.x - pad, at.y - pad * 0.6f), ImVec2(at.x + size.x + pad, at.y + size.y + pad * 0.6f),
                       faded(color::kBackground, 0.9f), desk.theme.px(3));
    list.AddText(at, color::kText, label.c_str());
  }
}

std::vector<Ring> rotation_rings(const Desk& desk) {
  std::vector<Ring> rings;
  if (!has_selection(desk)) {
    return rings;
  }
  const int joint = desk.document().view.selected_joint();
  const rig::JointDofs dofs = edit::joint_dofs(desk.document(), joint);
  const std::vector<float> values = edit::dof_values(desk.document(), joint);
  const glm::mat3 parent(parent_world(desk, joint));
  const float handed = glm::determinant(parent) < 0 ? -1.0f : 1.0f;  // a mirroring parent turns the other way
  const glm::vec3 center(desk.scene.world[joint][3]);
  const float radius = ring_radius(desk, center);
  // Later rotations carry the axes of earlier ones: from the last DOF back to the first.
  glm::quat after = dofs.orientation;
  for (std::size_t i = dofs.dofs.size(); i-- > 0;) {
    const rig::Dof& dof = dofs.dofs[i];
    if (dof.kind != rig::DofKind::kRotation) {
      continue;
    }
    const glm::vec3 axis = parent * (after * dof.axis);
    if (glm::length(axis) > 1e-9f) {
      rings.push_back({static_cast<int>(i), center, handed * glm::normalize(axis), radius});
    }
    if (dofs.rotation == rig::RotationKind::kAxes) {
      after = after * glm::angleAxis(values[i], dof.axis);
    }
  }
  // Smaller rings inside larger ones, so that those in one plane can be told apart.
  float size = 1;
  for (Ring& ring : rings) {
    ring.radius *= size;
    size *= 0.9f;
  }
  return rings;
}

std::vector<Ring> all_rings(const Desk& desk) {
  const HandleOptions& options = desk.workspace.preferences.handles;
  const bool several = options.pivot != HandlePivot::kOwn && desk.document().view.selected_joints.size() > 1;
  if (has_selection(desk) && (options.axes != HandleAxes::kLocal || several)) {
    const HandledJoints handled = handled_joints(desk);
    if (options.axes != HandleAxes::kLocal || handled.about_center) {
      return axis_rings(handled, desk);
    }
  }
  std::vector<Ring> rings = rotation_rings(desk);
  constexpr std::size_t kBall = 3;
  if (rings.size() >= kBall) {
    const Ring& largest = *std::ranges::max_element(rings, {}, &Ring::radius);
    rings.push_back({kViewRing, largest.center, towards_eye(desk, largest.center), largest.radius * kViewRingSize});
  }
  return rings;
}

}  // namespace pelt::ui
