#include "ui/volume_handles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "ui/bind_panel.h"
#include "ui/picture_text.h"
#include "ui/tools.h"
#include "ui/volume_jobs.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using bind::Volume;
using bind::VolumeKind;

constexpr float kHandleReach = 10;     // layout units round a handle
constexpr float kLineReach = 6;        // layout units beside a line
constexpr double kLeastVolume = 1e-4;  // diagonals: no size is dragged below it
constexpr const char* kVolumeMerge = "volumes";

struct PartPoint {
  VolumePart part;
  glm::dvec3 at;
  glm::dvec3 way = {};  // of sizes: unit, in which they grow
};

// Where a volume can be taken, in the space of the problem. @param eye  the way towards the eye, there
std::vector<PartPoint> part_points(const Volume& volume, const glm::dvec3& eye) {
  const glm::dvec3 x = volume.axes[0];
  const glm::dvec3 aside = glm::cross(x, eye);
  const glm::dvec3 side = glm::length(aside) > 1e-6 ? glm::normalize(aside) : volume.axes[1];
  const glm::dvec3 head = volume.center - volume.half.x * x;
  const glm::dvec3 tail = volume.center + volume.half.x * x;
  switch (volume.kind) {
    case VolumeKind::kSphere:
      return {{VolumePart::kCenter, volume.center},
              {VolumePart::kHeadRadius, volume.center + volume.half.x * side, side}};
    case VolumeKind::kMesh:
      return {{VolumePart::kCenter, volume.center}, {VolumePart::kHead, head}, {VolumePart::kTail, tail}};
    case VolumeKind::kEllipsoid:
    case VolumeKind::kBox:
      return {{VolumePart::kHead, head},
              {VolumePart::kTail, tail},
              {VolumePart::kSideY, volume.center + volume.half.y * volume.axes[1], volume.axes[1]},
              {VolumePart::kSideZ, volume.center + volume.half.z * volume.axes[2], volume.axes[2]}};
    default: {
      const double at_tail = volume.kind == VolumeKind::kCapsule ? volume.tail_radius : volume.head_radius;
      return {{VolumePart::kHead, head},
              {VolumePart::kTail, tail},
              {VolumePart::kHeadRadius, head + volume.head_radius * side, side},
              {VolumePart::kTailRadius, tail + at_tail * side, side}};
    }
  }
}

// The volume with one part moved. @param grown  along the way of a size
Volume moved(const Volume& volume, VolumePart part, const glm::dvec3& by, double grown, double least) {
  Volume out = volume;
  const glm::dvec3 along = volume.half.x * volume.axes[0];
  const auto size = [&](double before) { return std::max(before + grown, least); };
  switch (part) {
    case VolumePart::kCenter:
      out.center += by;
      break;
    case VolumePart::kHead:
      return bind::between(volume, volume.center - along + by, volume.center + along);
    case VolumePart::kTail:
      return bind::between(volume, volume.center - along, volume.center + along + by);
    case VolumePart::kHeadRadius:
      (volume.kind == VolumeKind::kSphere ? out.half.x : out.head_radius) =
          size(volume.kind == VolumeKind::kSphere ? volume.half.x : volume.head_radius);
      break;
    case VolumePart::kTailRadius:
      (volume.kind == VolumeKind::kCapsule ? out.tail_radius : out.head_radius) =
          size(volume.kind == VolumeKind::kCapsule ? volume.tail_radius : volume.head_radius);
      break;
    case VolumePart::kSideY:
      out.half.y = size(volume.half.y);
      break;
    case VolumePart::kSideZ:
      out.half.z = size(volume.half.z);
      break;
    case VolumePart::kNone:
      break;
  }
  return out;
}

const char* part_name(VolumePart part) {
  constexpr std::array kNames = {"none", "center", "head", "tail", "head_radius", "tail_radius", "side_y", "side_z"};
  return kNames[static_cast<std::size_t>(part)];
}

int joint_of_volume(const VolumeHandles& handles, const Volume& volume) {
  return handles.work->problem->problem.bones[volume.bone].joint;
}

// Volumes move with the joint that they hang on, as a vertex does that follows it alone.
glm::dmat4 world_from_volume(const VolumeHandles& handles, const Volume& volume, const Desk& desk) {
  const int joint = joint_of_volume(handles, volume);
  return glm::dmat4(desk.scene.world[static_cast<std::size_t>(joint)]) *
         handles.work->joint_from_space[static_cast<std::size_t>(joint)];
}

glm::vec3 in_world(const glm::dmat4& world, const glm::dvec3& at) {
  return glm::vec3(world * glm::dvec4(at, 1.0));
}

std::vector<PartPoint> parts_seen(const VolumeHandles& handles, const Volume& volume, const Desk& desk) {
  const glm::dmat4 world = world_from_volume(handles, volume, desk);
  const glm::dvec3 eye(towards_eye(desk, in_world(world, volume.center)));
  const glm::dmat3 linear(world);
  return part_points(volume, std::abs(glm::determinant(linear)) > 0 ? glm::inverse(linear) * eye : eye);
}

bool is_selected(const VolumeHandles& handles, const Volume& volume, const Desk& desk) {
  const std::vector<int>& joints = desk.document().view.selected_joints;
  return std::ranges::find(joints, joint_of_volume(handles, volume)) != joints.end();
}

// Calls body(at) for the pixels of each run of its lines, and of each line between.
template <typename Body>
void for_lines(const VolumeHandles& handles, const Volume& volume, const Projector& project, const Desk& desk,
               const Body& body) {
  const glm::dmat4 world = world_from_volume(handles, volume, desk);
  for (const std::vector<glm::dvec3>& run : bind::outlines(volume)) {
    std::optional<glm::vec2> last;
    for (const glm::dvec3& point : run) {
      const std::optional<glm::vec2> here = project(in_world(world, point));
      if (last && here) {
        body(*last, *here);
      }
      last = here;
    }
  }
}

// Where the ray through a pixel meets the plane that the handle was taken in.
glm::vec3 in_handle_plane(const VolumeHandles& handles, const Desk& desk, glm::vec2 at) {
  const render::Ray ray = ray_at(desk, at);
  const float slope = glm::dot(ray.direction, handles.facing);
  if (std::abs(slope) < 1e-4f) {
    return handles.start;
  }
  return ray.origin + glm::dot(handles.start - ray.origin, handles.facing) / slope * ray.direction;
}

ImU32 line_ink(bool is_hot, bool is_on) {
  return is_hot ? IM_COL32_WHITE : is_on ? color::kAccent : faded(color::kAccent, 0.45f);
}

}  // namespace

bool shows_volumes(Desk& desk) {
  BindPanel& panel = desk.workspace.panel<BindPanel>();
  return desk.workspace.tab == kBindTab && desk.workspace.mode == "weights" &&
         !edit::own_character(desk.document())->meshes.empty() && why_not_bind(panel, desk).empty() &&
         panel.binder == edit::kVolumesBinder;
}

bool drags_volumes(Desk& desk) {
  const std::shared_ptr<const VolumeWork>& work = desk.workspace.panel<VolumeHandles>().work;
  return current_tool(desk.workspace).id == kSelectTool && work != nullptr &&
         is_about(*work, *edit::own_character(desk.document())) && shows_volumes(desk);
}

std::vector<bind::Volume> shown_volumes(const VolumeHandles& handles, const Desk& desk) {
  return handles.work != nullptr && is_about(*handles.work, *edit::own_character(desk.document()))
             ? placed_volumes(*handles.work, volumes_by_hand(handles, desk))
             : std::vector<Volume>{};
}

bool hover_volume(VolumeHandles& handles, glm::vec2 at, Desk& desk) {
  const Projector project(desk);
  const std::vector<Volume> shown = shown_volumes(handles, desk);
  const int before = handles.hovered;
  handles.hovered = -1;
  handles.part = VolumePart::kNone;
  float nearest = kHandleReach * desk.theme.scale;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (static_cast<int>(k) != before && !is_selected(handles, shown[k], desk)) {
      continue;  // it has no handles
    }
    const glm::dmat4 world = world_from_volume(handles, shown[k], desk);
    for (const PartPoint& point : parts_seen(handles, shown[k], desk)) {
      const auto there = project(in_world(world, point.at));
      if (there && glm::distance(*there, at) < nearest) {
        nearest = glm::distance(*there, at);
        handles.hovered = static_cast<int>(k);
        handles.part = point.part;
      }
    }
  }
  if (handles.part != VolumePart::kNone) {
    return true;
  }
  nearest = kLineReach * desk.theme.scale;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    for_lines(handles, shown[k], project, desk, [&](glm::vec2 a, glm::vec2 b) {
      if (const float distance = distance_to_segment(at, a, b); distance < nearest) {
        nearest = distance;
        handles.hovered = static_cast<int>(k);
      }
    });
  }
  return handles.hovered >= 0;
}

int hovered_volume_joint(const VolumeHandles& handles, const Desk& desk) {
  return joint_of_volume(handles, shown_volumes(handles, desk)[static_cast<std::size_t>(handles.hovered)]);
}

bool begin_volume(VolumeHandles& handles, glm::vec2 pressed_at, Desk& desk) {
  if (!drags_volumes(desk) || !hover_volume(handles, pressed_at, desk) || handles.part == VolumePart::kNone) {
    return false;
  }
  if (handles.ending) {  // the step of the last drag ends first
    return false;
  }
  handles.before = volumes_by_hand(handles, desk);
  handles.shown_before = shown_volumes(handles, desk);
  const Volume& volume = handles.shown_before[static_cast<std::size_t>(handles.hovered)];
  const std::vector<PartPoint> points = parts_seen(handles, volume, desk);
  const auto point = std::ranges::find(points, handles.part, &PartPoint::part);
  handles.start = in_world(world_from_volume(handles, volume, desk), point->at);
  handles.way = point->way;
  handles.facing = towards_eye(desk, handles.start);
  handles.grabbed = in_handle_plane(handles, desk, pressed_at);
  handles.dragging = true;
  return true;
}

void drag_volume(VolumeHandles& handles, Desk& desk) {
  if (!handles.dragging || handles.work == nullptr || !has_index(handles.shown_before, handles.hovered)) {
    return;
  }
  const auto k = static_cast<std::size_t>(handles.hovered);
  const Volume& volume = handles.shown_before[k];
  const glm::dmat3 world(world_from_volume(handles, volume, desk));
  if (!(std::abs(glm::determinant(world)) > 0)) {
    return;
  }
  const glm::dvec3 by(in_handle_plane(handles, desk, mouse()) - handles.grabbed);
  // A size grows until its handle, as it is seen, is where the mouse is.
  const glm::dvec3 facing(handles.facing);
  glm::dvec3 seen = world * handles.way;
  seen -= glm::dot(seen, facing) * facing;
  const double length2 = glm::dot(seen, seen);
  const glm::dvec3 way = world * handles.way;
  const double grown = length2 > 0.02 * glm::dot(way, way) ? glm::dot(by, seen) / length2 : 0.0;
  const double least = kLeastVolume * handles.work->problem->problem.diagonal;
  std::map<std::size_t, Volume> changes = {{k, moved(volume, handles.part, glm::inverse(world) * by, grown, least)}};
  if (handles.symmetric) {
    changes = on_both_sides(*handles.work, handles.shown_before, std::move(changes));
  }
  handles.wish = with_changes(*handles.work, handles.before, handles.shown_before, changes);
  handles.merge_key = kVolumeMerge;
}

void end_volume(VolumeHandles& handles, bool taken_back) {
  if (!handles.dragging) {
    return;
  }
  handles.dragging = false;
  handles.ending = !taken_back;
  if (taken_back) {
    forget_wish(handles);
  }
}

void draw_volumes(const VolumeHandles& handles, const Projector& project, Desk& desk) {
  if (handles.work == nullptr || !shows_volumes(desk)) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::vector<Volume> shown = shown_volumes(handles, desk);
  const bool takes = drags_volumes(desk);
  const bool is_over = takes && (handles.dragging || desk.workspace.viewport.hovered);
  std::map<int, int> count;  // of each joint's
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const int joint = joint_of_volume(handles, shown[k]);
    const bool is_hot = is_over && handles.hovered == static_cast<int>(k);
    const bool is_on = is_selected(handles, shown[k], desk);
    const ImU32 ink = line_ink(is_hot, is_on);
    for_lines(handles, shown[k], project, desk, [&](glm::vec2 a, glm::vec2 b) {
      list.AddLine(ImVec2(a.x, a.y), ImVec2(b.x, b.y), ink, desk.theme.px(is_hot || is_on ? 1.5f : 1));
    });
    const std::string name = fmt::format("volume.{}.{}", desk.character().skeleton->label(joint), count[joint]++);
    if (!takes || !(is_hot || is_on)) {
      continue;
    }
    const glm::dmat4 world = world_from_volume(handles, shown[k], desk);
    for (const PartPoint& point : parts_seen(handles, shown[k], desk)) {
      if (const auto at = project(in_world(world, point.at))) {
        const bool is_taken = is_hot && handles.part == point.part;
        const bool is_end = point.way == glm::dvec3(0.0);
        const ImVec2 p(at->x, at->y);
        list.AddCircleFilled(p, desk.theme.px(is_taken ? 6.5f : 5), faded(color::kBackground, 0.75f));
        list.AddCircleFilled(p, desk.theme.px(is_taken ? 5 : 3.5f),
                             is_taken ? IM_COL32_WHITE
                             : is_end ? color::kAccent
                                      : color::kWarning);
        desk.report[fmt::format("{}.{}", name, part_name(point.part))] = {p.x - 2, p.y - 2, 4, 4};
      }
    }
    if (is_hot && !is_on) {
      std::vector<Rect> taken;
      if (const auto at = project(in_world(world, shown[k].center))) {
        draw_picture_text(list, desk.theme, *at, printable(desk.character().skeleton->label(joint)), IM_COL32_WHITE,
                          taken, WhereTaken::kStay);
      }
    }
  }
}

}  // namespace pelt::ui
