// Handles that follow the mouse: the picture of a point p0 + t p1 in homogeneous coordinates is linear over linear, so
// that the t whose picture is a given pixel has a closed form, in perspective as well.
#include "ui/transform_handle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "rig/character.h"
#include "ui/tools.h"
#include "ui/viewport_geometry.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kArrowLength = 86;    // layout units
constexpr float kArrowReach = 8;      // around what grabs it
constexpr float kSquareFrom = 0.34f;  // of the arrow's length
constexpr float kSquareTo = 0.54f;
constexpr float kShaftFrom = 0.16f;
constexpr float kCenterRadius = 8;     // layout units
constexpr double kAxisHidden = 0.985;  // cosine to the view from which on an axis says nothing about the mouse
constexpr double kAxisFades = 0.93;
constexpr double kPlaneHidden = 0.12;  // cosine between a plane's normal and the view below which it is a line
constexpr double kPlaneFades = 0.3;
constexpr double kSmallestFactor = 0.01;
constexpr double kFactorStep = 0.1;
constexpr const char* kHandleMerge = "handle";

struct PartAxes {
  HandlePart part;
  int first;
  int second;  // -1: an arrow
};
constexpr std::array kParts = {PartAxes{HandlePart::kX, 0, -1}, PartAxes{HandlePart::kY, 1, -1},
                               PartAxes{HandlePart::kZ, 2, -1}, PartAxes{HandlePart::kYZ, 1, 2},
                               PartAxes{HandlePart::kZX, 2, 0}, PartAxes{HandlePart::kXY, 0, 1}};

const PartAxes* axes_of_part(HandlePart part) {
  const auto found = std::ranges::find(kParts, part, &PartAxes::part);
  return found == kParts.end() ? nullptr : &*found;
}

// What a plane is coloured by: the axis across it.
int color_axis(const PartAxes& part) {
  return part.second < 0 ? part.first : 3 - part.first - part.second;
}

// Of the camera, in the world: to the right of the picture, up in it, to the viewer.
glm::dmat3 view_axes(const Desk& desk) {
  return glm::transpose(glm::dmat3(desk.workspace.camera.view_from_world()));
}

double arrow_length(const Desk& desk, const glm::dvec3& center) {
  const Rect view = picture(desk);
  const float pixels = std::min(kArrowLength * desk.theme.scale, 0.17f * std::min(view.w, view.h));
  return static_cast<double>(pixels) * static_cast<double>(metres_per_pixel(desk, glm::vec3(center)));
}

// How much of a part is seen: 1 all, 0 it cannot be grabbed.
float visibility(const PartAxes& part, const glm::dmat3& axes, const glm::dvec3& eye) {
  if (part.second < 0) {
    const double along = std::abs(glm::dot(axes[part.first], eye));
    return static_cast<float>(std::clamp((kAxisHidden - along) / (kAxisHidden - kAxisFades), 0.0, 1.0));
  }
  const double across = std::abs(glm::dot(axes[color_axis(part)], eye));
  return static_cast<float>(std::clamp((across - kPlaneHidden) / (kPlaneFades - kPlaneHidden), 0.0, 1.0));
}

// The handle as it is shown: at the joints where they are now, along the axes that the drag began with.
struct ShownHandle {
  HandledJoints handled;
  double length = 1;
  glm::dvec3 eye = glm::dvec3(0, 0, 1);
  glm::dvec3 stretch = glm::dvec3(1);  // arrows grow with what is scaled
  bool scales = false;
  bool able = true;  // any of the joints can be moved or scaled
};

ShownHandle shown_handle(const TransformHandle* handle, const Desk& desk) {
  ShownHandle shown;
  shown.scales = current_tool(desk.workspace).id == kScaleTool;
  shown.handled = handled_joints(desk);
  if (shown.handled.joints.empty()) {
    return shown;
  }
  shown.length = arrow_length(desk, shown.handled.center);
  if (handle != nullptr && handle->grabbed != HandlePart::kNone) {
    shown.handled.axes = handle->start.axes;
    shown.length = handle->length;
    if (handle->scales) {
      shown.stretch = handle->wanted;
      shown.handled.center = handle->start.center;
    }
  }
  shown.eye = glm::dvec3(towards_eye(desk, glm::vec3(shown.handled.center)));
  shown.able = can_be(shown.scales ? rig::DofKind::kScale : rig::DofKind::kTranslation, shown.handled, desk);
  return shown;
}

std::array<glm::dvec3, 4> square(const ShownHandle& shown, const PartAxes& part) {
  const glm::dvec3 u = shown.handled.axes[part.first] * (shown.length * shown.stretch[part.first]);
  const glm::dvec3 v = shown.handled.axes[part.second] * (shown.length * shown.stretch[part.second]);
  const auto at = [&](double s, double t) { return shown.handled.center + s * u + t * v; };
  return {at(kSquareFrom, kSquareFrom), at(kSquareTo, kSquareFrom), at(kSquareTo, kSquareTo),
          at(kSquareFrom, kSquareTo)};
}

glm::dvec3 tip_of(const ShownHandle& shown, int axis, double share) {
  return shown.handled.center + shown.handled.axes[axis] * (share * shown.length * shown.stretch[axis]);
}

bool is_inside(std::span<const glm::vec2> corners, glm::vec2 at) {
  bool left = false;
  bool right = false;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const glm::vec2 a = corners[i];
    const glm::vec2 b = corners[(i + 1) % corners.size()];
    const float side = (b.x - a.x) * (at.y - a.y) - (b.y - a.y) * (at.x - a.x);
    (side < 0 ? left : right) = true;
  }
  return !(left && right);
}

std::optional<std::array<glm::vec2, 4>> projected(const Projector& project, const std::array<glm::dvec3, 4>& points) {
  std::array<glm::vec2, 4> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto at = project(glm::vec3(points[i]));
    if (!at) {
      return std::nullopt;
    }
    out[i] = *at;
  }
  return out;
}

// Where the mouse is on what was grabbed.
std::optional<glm::dvec2> grip_of(HandlePart part, const HandledJoints& handled, const Projector& project,
                                  const glm::dvec2& pixel, const Desk& desk) {
  if (part == HandlePart::kCenter) {
    const glm::dmat3 view = view_axes(desk);
    return place_in_plane(project, handled.center, view[0], view[1], pixel);
  }
  const PartAxes& axes = *axes_of_part(part);
  if (axes.second < 0) {
    const std::optional<double> place = place_on_line(project, handled.center, handled.axes[axes.first], pixel);
    return place ? std::optional(glm::dvec2(*place, 0)) : std::nullopt;
  }
  return place_in_plane(project, handled.center, handled.axes[axes.first], handled.axes[axes.second], pixel);
}

double to_step(double value, double step) {
  return ImGui::GetIO().KeyCtrl ? std::round(value / step) * step : value;
}

glm::dvec3 wanted_move(const TransformHandle& handle, const glm::dvec2& grip, const Desk& desk) {
  const glm::dvec2 by = grip - handle.gripped;
  if (handle.grabbed == HandlePart::kCenter) {
    const glm::dmat3 view = view_axes(desk);
    const glm::dvec2 stepped(to_step(by.x, handle.step), to_step(by.y, handle.step));
    return glm::transpose(handle.start.axes) * (view[0] * stepped.x + view[1] * stepped.y);
  }
  const PartAxes& axes = *axes_of_part(handle.grabbed);
  glm::dvec3 out(0);
  out[axes.first] = to_step(by.x, handle.step);
  if (axes.second >= 0) {
    out[axes.second] = to_step(by.y, handle.step);
  }
  return out;
}

glm::dvec3 wanted_scale(const TransformHandle& handle, const glm::dvec2& grip) {
  const auto factor = [&](double value) { return std::max(to_step(value, kFactorStep), kSmallestFactor); };
  if (handle.grabbed == HandlePart::kCenter) {
    // To the right and upwards it grows, twice as large after an arrow's length.
    const glm::dvec2 by = grip - handle.gripped;
    return glm::dvec3(factor(1 + (by.x + by.y) / handle.length));
  }
  const PartAxes& axes = *axes_of_part(handle.grabbed);
  glm::dvec3 out(1);
  if (axes.second < 0) {
    out[axes.first] = factor(grip.x / handle.gripped.x);
  } else {
    const double by = factor((grip.x + grip.y) / (handle.gripped.x + handle.gripped.y));
    out[axes.first] = by;
    out[axes.second] = by;
  }
  return out;
}

void draw_cube(ImDrawList& list, glm::vec2 at, float r, ImU32 ink) {
  list.AddRectFilled(ImVec2(at.x - r, at.y - r), ImVec2(at.x + r, at.y + r), ink, 1);
}

void draw_arrow(const ShownHandle& shown, int axis, const Projector& project, ImU32 ink, bool hot, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto from = project(glm::vec3(tip_of(shown, axis, kShaftFrom)));
  const auto to = project(glm::vec3(tip_of(shown, axis, 1)));
  if (!from || !to) {
    return;
  }
  const float width = desk.theme.px(hot ? 3.6f : 2.4f);
  list.AddLine(ImVec2(from->x, from->y), ImVec2(to->x, to->y), ink, width);
  const float size = desk.theme.px(hot ? 7.5f : 6);
  if (shown.scales) {
    draw_cube(list, *to, size * 0.8f, ink);
  } else if (const glm::vec2 along = *to - *from; glm::length(along) > 1) {
    const glm::vec2 u = glm::normalize(along);
    const glm::vec2 v(-u.y, u.x);
    const glm::vec2 a = *to + u * size * 1.9f;
    const glm::vec2 b = *to + v * size;
    const glm::vec2 c = *to - v * size;
    list.AddTriangleFilled(ImVec2(a.x, a.y), ImVec2(b.x, b.y), ImVec2(c.x, c.y), ink);
  } else {
    list.AddCircleFilled(ImVec2(to->x, to->y), size, ink);
  }
  desk.report[fmt::format("handle.{}", "xyz"[axis])] = {to->x - 2, to->y - 2, 4, 4};
}

void draw_square(const ShownHandle& shown, const PartAxes& part, const Projector& project, ImU32 ink, bool hot,
                 Desk& desk) {
  const auto corners = projected(project, square(shown, part));
  if (!corners) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::array<ImVec2, 4> points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = ImVec2((*corners)[i].x, (*corners)[i].y);
  }
  list.AddQuadFilled(points[0], points[1], points[2], points[3], faded(ink, hot ? 0.6f : 0.3f));
  list.AddQuad(points[0], points[1], points[2], points[3], ink, desk.theme.px(hot ? 2.2f : 1.4f));
  const glm::vec2 middle = 0.25f * ((*corners)[0] + (*corners)[1] + (*corners)[2] + (*corners)[3]);
  desk.report[fmt::format("handle.{}{}", "xyz"[part.first], "xyz"[part.second])] = {middle.x - 2, middle.y - 2, 4, 4};
}

// A faint line through the picture along what is dragged, and with Ctrl the places where it stops.
void draw_guides(const TransformHandle& handle, const ShownHandle& shown, const Projector& project, Desk& desk) {
  const PartAxes* part = axes_of_part(handle.grabbed);
  if (part == nullptr) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const glm::dvec3 origin = handle.start.center;
  for (const int axis : {part->first, part->second}) {
    if (axis < 0) {
      continue;
    }
    const glm::dvec3 along = handle.start.axes[axis];
    const auto at = [&](double metres) { return project(glm::vec3(origin + along * metres)); };
    const ImU32 ink = color::kAxis[axis];
    const auto a = at(-4 * handle.length);
    const auto b = at(4 * handle.length);
    if (a && b) {
      list.AddLine(ImVec2(a->x, a->y), ImVec2(b->x, b->y), faded(ink, 0.35f), desk.theme.px(1));
    }
    if (!ImGui::GetIO().KeyCtrl) {
      continue;
    }
    const double step = handle.scales ? kFactorStep * shown.length : handle.step;
    const auto first = at(0);
    const auto second = at(step);
    const float apart = first && second ? glm::distance(*first, *second) : 0.0f;
    if (apart < 3) {
      continue;  // a grey band says nothing
    }
    const int most = std::min(60, static_cast<int>(4 * handle.length / step));
    const glm::vec2 dir = (*second - *first) / apart;
    for (int i = handle.scales ? 0 : -most; i <= most; ++i) {
      if (const auto tick = at(i * step)) {
        const glm::vec2 across = glm::vec2(-dir.y, dir.x) * desk.theme.px(i % 10 == 0  ? 7.0f
                                                                          : i % 5 == 0 ? 5.0f
                                                                                       : 3.0f);
        list.AddLine(ImVec2(tick->x - across.x, tick->y - across.y), ImVec2(tick->x + across.x, tick->y + across.y),
                     faded(color::kText, 0.8f), desk.theme.px(1.1f));
      }
    }
  }
  if (const auto from = project(glm::vec3(origin)); from && !handle.scales) {
    list.AddCircle(ImVec2(from->x, from->y), desk.theme.px(4), faded(color::kText, 0.7f), 16, desk.theme.px(1.2f));
  }
}

const char* axes_label(const Desk& desk) {
  return kHandleAxes[static_cast<std::size_t>(desk.workspace.preferences.handles.axes)].label;
}

// What was done so far; of a move as far as the joint has gone along, which limits may cut short.
std::string handle_text(const TransformHandle& handle, const ShownHandle& shown, Desk& desk) {
  const bool dragging = handle.grabbed != HandlePart::kNone;
  const HandlePart part = dragging ? handle.grabbed : handle.hovered;
  const PartAxes* axes = axes_of_part(part);
  std::string what = axes == nullptr ? (shown.scales ? "Uniform" : "In the picture")
                                     : fmt::format("{} {}", axes_label(desk), "XYZ"[axes->first]);
  if (axes != nullptr && axes->second >= 0) {
    what += "XYZ"[axes->second];
  }
  if (!dragging) {
    return what;
  }
  if (handle.scales) {
    return fmt::format("{}  \u00d7{:.3f}", what, axes == nullptr ? handle.wanted.x : handle.wanted[axes->first]);
  }
  const HandledJoint& lead = handle.start.joints[handle.start.lead];
  const glm::dvec3 gone =
      glm::transpose(handle.start.axes) * (glm::dvec3(desk.scene.world[lead.joint][3]) - lead.place);
  if (axes == nullptr) {
    return fmt::format("{}  {:.4g} m", what, glm::length(gone));
  }
  return axes->second < 0 ? fmt::format("{}  {:+.4g} m", what, gone[axes->first])
                          : fmt::format("{}  {:+.4g}, {:+.4g} m", what, gone[axes->first], gone[axes->second]);
}

void draw_label(const std::string& label, glm::vec2 corner, ImU32 ink, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 size = ImGui::CalcTextSize(label.c_str());
  const float pad = desk.theme.px(5);
  list.AddRectFilled(ImVec2(corner.x - pad, corner.y - pad * 0.6f),
                     ImVec2(corner.x + size.x + pad, corner.y + size.y + pad * 0.6f), faded(color::kBackground, 0.9f),
                     desk.theme.px(3));
  list.AddText(ImVec2(corner.x, corner.y), ink, label.c_str());
}

// Why the handle is grey.
void draw_unable(const ShownHandle& shown, const Projector& project, Desk& desk) {
  const auto at = project(glm::vec3(shown.handled.center));
  if (!at) {
    return;
  }
  const int joint = shown.handled.joints[shown.handled.lead].joint;
  const std::string who = shown.handled.joints.size() == 1
                              ? printable(desk.character().skeleton->label(joint)) + " has"
                              : count_of(std::ssize(shown.handled.joints), "joint has", "joints have");
  draw_label(fmt::format("{} no degree of freedom for {}", who, shown.scales ? "scale" : "translation"),
             {at->x + desk.theme.px(18), at->y + desk.theme.px(14)}, color::kTextDim, desk);
}

}  // namespace

std::optional<double> place_on_line(const Projector& project, const glm::dvec3& point, const glm::dvec3& axis,
                                    const glm::dvec2& pixel) {
  const glm::dmat4 clip(project.clip_from_world);
  const glm::dvec4 p0 = clip * glm::dvec4(point, 1);
  const glm::dvec4 p1 = clip * glm::dvec4(axis, 0);
  const glm::dvec2 half(0.5 * project.rect.w, -0.5 * project.rect.h);
  const glm::dvec2 middle(project.rect.x + half.x, project.rect.y - half.y);
  // The direction in which the picture goes at the point: the derivative of a quotient.
  const glm::dvec2 along = half * (glm::dvec2(p1) * p0.w - glm::dvec2(p0) * p1.w);
  if (!(p0.w > 1e-9) || !(glm::length(along) > 0)) {
    return std::nullopt;
  }
  const glm::dvec2 u = glm::normalize(along);
  const double k = glm::dot(u, pixel - middle);
  const double q0 = glm::dot(u, half * glm::dvec2(p0));
  const double q1 = glm::dot(u, half * glm::dvec2(p1));
  const double t = (q0 - k * p0.w) / (k * p1.w - q1);
  return std::isfinite(t) && p0.w + t * p1.w > 1e-9 * p0.w ? std::optional(t) : std::nullopt;
}

std::optional<glm::dvec2> place_in_plane(const Projector& project, const glm::dvec3& point, const glm::dvec3& u,
                                         const glm::dvec3& v, const glm::dvec2& pixel) {
  const glm::dmat4 clip(project.clip_from_world);
  const glm::dvec4 p0 = clip * glm::dvec4(point, 1);
  const glm::dvec4 pu = clip * glm::dvec4(u, 0);
  const glm::dvec4 pv = clip * glm::dvec4(v, 0);
  const glm::dvec2 half(0.5 * project.rect.w, -0.5 * project.rect.h);
  const glm::dvec2 middle(project.rect.x + half.x, project.rect.y - half.y);
  const glm::dvec2 ndc = (pixel - middle) / half;
  // ndc * (w0 + s wu + t wv) = xy0 + s xyu + t xyv
  const glm::dmat2 a(glm::dvec2(pu) - ndc * pu.w, glm::dvec2(pv) - ndc * pv.w);
  const glm::dvec2 b = ndc * p0.w - glm::dvec2(p0);
  const double determinant = glm::determinant(a);
  if (!(std::abs(determinant) > 1e-9 * glm::length(a[0]) * glm::length(a[1]))) {
    return std::nullopt;
  }
  const glm::dvec2 st = glm::inverse(a) * b;
  const double w = p0.w + st.x * pu.w + st.y * pv.w;
  return std::isfinite(st.x) && std::isfinite(st.y) && w > 1e-9 * p0.w ? std::optional(st) : std::nullopt;
}

double round_step(double size) {
  if (!(size > 0) || !std::isfinite(size)) {
    return 0.01;
  }
  const double wanted = size / 100;
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  return wanted >= 5 * power ? 5 * power : wanted >= 2 * power ? 2 * power : power;
}

bool handle_shown(const Desk& desk) {
  const std::string_view tool = current_tool(desk.workspace).id;
  const int joint = desk.document().view.selected_joint();
  return (tool == kMoveTool || tool == kScaleTool) && joint >= 0 && joint < static_cast<int>(desk.scene.world.size());
}

HandlePart handle_under(const Desk& desk, const Projector& project, glm::vec2 at) {
  const ShownHandle shown = shown_handle(nullptr, desk);
  if (shown.handled.joints.empty() || !shown.able) {
    return HandlePart::kNone;
  }
  const auto center = project(glm::vec3(shown.handled.center));
  if (!center) {
    return HandlePart::kNone;
  }
  if (glm::distance(*center, at) < (kCenterRadius + 2) * desk.theme.scale) {
    return HandlePart::kCenter;
  }
  HandlePart best = HandlePart::kNone;
  float nearest = kArrowReach * desk.theme.scale;
  for (const PartAxes& part : kParts) {
    if (visibility(part, shown.handled.axes, shown.eye) <= 0) {
      continue;
    }
    if (part.second >= 0) {
      const auto corners = projected(project, square(shown, part));
      if (corners && best == HandlePart::kNone && is_inside(*corners, at)) {
        best = part.part;
      }
      continue;
    }
    const auto from = project(glm::vec3(tip_of(shown, part.first, kShaftFrom)));
    const auto to = project(glm::vec3(tip_of(shown, part.first, 1.14)));
    const float distance = from && to ? distance_to_segment(at, *from, *to) : nearest;
    if (distance < nearest) {
      nearest = distance;
      best = part.part;
    }
  }
  return best;
}

bool begin_handle(TransformHandle& handle, const Projector& project, Desk& desk) {
  handle.grabbed = HandlePart::kNone;
  if (handle.hovered == HandlePart::kNone || !handle_shown(desk)) {
    return false;
  }
  handle.start = handled_joints(desk);
  handle.scales = current_tool(desk.workspace).id == kScaleTool;
  handle.pressed_at = mouse();
  handle.length = arrow_length(desk, handle.start.center);
  handle.step = handle.scales ? kFactorStep : round_step(desk.scene.bounds.diagonal());
  handle.wanted = glm::dvec3(handle.scales ? 1 : 0);
  const auto grip = grip_of(handle.hovered, handle.start, project, handle.pressed_at, desk);
  if (!grip) {
    return false;
  }
  handle.gripped = *grip;
  handle.grabbed = handle.hovered;
  return true;
}

void drag_handle(TransformHandle& handle, const Projector& project, Desk& desk) {
  const auto grip = grip_of(handle.grabbed, handle.start, project, glm::dvec2(mouse()), desk);
  if (!grip) {
    return;  // the mouse is beyond the vanishing point: it stays where it was
  }
  if (handle.scales) {
    handle.wanted = wanted_scale(handle, *grip);
    desk.change(scaled(handle.start, handle.wanted), kHandleMerge);
  } else {
    handle.wanted = wanted_move(handle, *grip, desk);
    desk.change(moved(handle.start, handle.wanted), kHandleMerge);
  }
}

void draw_handle(const TransformHandle& handle, const Projector& project, Desk& desk) {
  if (!handle_shown(desk)) {
    return;
  }
  const bool dragging = handle.grabbed != HandlePart::kNone;
  const ShownHandle shown = shown_handle(&handle, desk);
  if (shown.handled.joints.empty()) {
    return;
  }
  const HandlePart hot_part = dragging ? handle.grabbed : shown.able ? handle.hovered : HandlePart::kNone;
  if (dragging) {
    draw_guides(handle, shown, project, desk);
  }
  // Squares lie below arrows, and what points to the viewer is drawn last.
  std::vector<const PartAxes*> order;
  for (const PartAxes& part : kParts) {
    order.push_back(&part);
  }
  const auto depth = [&](const PartAxes* part) {
    return part->second >= 0 ? -2.0 : glm::dot(shown.handled.axes[part->first], shown.eye);
  };
  std::ranges::stable_sort(order, {}, depth);
  for (const PartAxes* part : order) {
    const bool hot = part->part == hot_part;
    const float seen = dragging && hot ? 1.0f : visibility(*part, shown.handled.axes, shown.eye);
    if (seen <= 0 || (dragging && !hot)) {
      continue;
    }
    const ImU32 plain = shown.able ? color::kAxis[color_axis(*part)] : color::kTextDim;
    const ImU32 ink = faded(hot ? color::kWarning : plain, seen * (shown.able ? 1.0f : 0.45f));
    part->second < 0 ? draw_arrow(shown, part->first, project, ink, hot, desk)
                     : draw_square(shown, *part, project, ink, hot, desk);
  }
  const auto center = project(glm::vec3(shown.handled.center));
  if (center && (!dragging || hot_part == HandlePart::kCenter)) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const bool hot = hot_part == HandlePart::kCenter;
    const ImU32 ink = faded(hot ? color::kWarning : color::kText, shown.able ? 1.0f : 0.35f);
    if (shown.scales) {
      draw_cube(list, *center, desk.theme.px(hot ? 6.5f : 5), ink);
    } else {
      list.AddCircle(ImVec2(center->x, center->y), desk.theme.px(kCenterRadius), ink, 24, desk.theme.px(hot ? 3 : 2));
    }
    desk.report["handle.center"] = {center->x - 2, center->y - 2, 4, 4};
  }
  if (!shown.able) {
    draw_unable(shown, project, desk);
  } else if (hot_part != HandlePart::kNone) {
    draw_label(handle_text(handle, shown, desk), mouse() + desk.theme.px(1) * glm::vec2(16, 14), color::kText, desk);
  }
}

}  // namespace pelt::ui
