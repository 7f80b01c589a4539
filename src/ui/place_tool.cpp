#include "ui/place_tool.h"

#include <cmath>

#include <imgui.h>

#include "bind/volume_middle.h"
#include "core/text.h"
#include "edit/skeleton_edits.h"
#include "ui/picture_text.h"
#include "ui/selecting.h"
#include "ui/skeleton_section.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kPlaceReach = 14;  // layout units round a joint
constexpr const char* kPlaceMerge = "place";

// Where the ray through a pixel meets the plane that the joint was taken in.
glm::vec3 in_joint_plane(const PlaceTool& tool, const Desk& desk, glm::vec2 at) {
  const render::Ray ray = ray_at(desk, at);
  const float slope = glm::dot(ray.direction, tool.facing);
  if (std::abs(slope) < 1e-4f) {
    return tool.start;
  }
  return ray.origin + glm::dot(tool.start - ray.origin, tool.facing) / slope * ray.direction;
}

}  // namespace

bool places_joints(const Desk& desk) {
  return current_tool(desk.workspace).id == kPlaceTool;
}

void hover_place(PlaceTool& tool, glm::vec2 at, Desk& desk) {
  if (tool.dragging) {
    return;
  }
  tool.joint = -1;
  const Projector project(desk);
  float nearest = kPlaceReach * desk.theme.scale;
  for (const int j : placeable_joints(desk.document())) {
    const auto there = static_cast<std::size_t>(j) < desk.scene.world.size() ? project(place_in_world(desk, j))
                                                                             : std::optional<glm::vec2>();
    if (there && glm::distance(*there, at) < nearest) {
      nearest = glm::distance(*there, at);
      tool.joint = j;
    }
  }
}

bool begin_place(PlaceTool& tool, glm::vec2 pressed_at, Desk& desk) {
  hover_place(tool, pressed_at, desk);
  if (tool.joint < 0) {
    return false;
  }
  tool.start = place_in_world(desk, tool.joint);
  tool.facing = towards_eye(desk, tool.start);
  tool.grabbed = in_joint_plane(tool, desk, pressed_at);
  tool.dragging = true;
  select(desk, tool.joint);
  return true;
}

void drag_place(PlaceTool& tool, Desk& desk) {
  SkeletonSection& section = desk.workspace.panel<SkeletonSection>();
  glm::vec3 wish = tool.start + in_joint_plane(tool, desk, mouse()) - tool.grabbed;
  const bind::RestVolume* const volume = section.snaps ? rest_volume_of(section, desk) : nullptr;
  if (volume != nullptr) {
    // Through the joint, not the mouse, which took it beside its middle.
    const render::Ray ray = ray_at(desk, mouse());
    const bool is_parallel = desk.workspace.camera.orthographic;
    const glm::dvec3 direction =
        is_parallel ? glm::dvec3(ray.direction) : glm::normalize(glm::dvec3(wish) - glm::dvec3(ray.origin));
    const glm::dvec3 origin =
        is_parallel ? glm::dvec3(wish) - 4 * volume->surface.diagonal * direction : glm::dvec3(ray.origin);
    wish = glm::vec3(bind::middle_along(volume->voxels, origin, direction).value_or(glm::dvec3(wish)));
  }
  place_joints(section, {tool.joint}, {wish}, kPlaceMerge, desk);
}

void draw_place(PlaceTool& tool, const Projector& project, Desk& desk) {
  if (!places_joints(desk)) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const std::vector<int> placeable = placeable_joints(desk.document());
  const auto seen_at = [&](int j) {
    return static_cast<std::size_t>(j) < desk.scene.world.size() ? project(place_in_world(desk, j))
                                                                 : std::optional<glm::vec2>();
  };
  // The skeleton in the picture has bones of skins alone.
  for (const int j : placeable) {
    const int parent = skeleton.parent[static_cast<std::size_t>(j)];
    const auto from = parent >= edit::first_new_joint(desk.document()) ? seen_at(parent) : std::optional<glm::vec2>();
    if (const auto to = seen_at(j); from && to) {
      list.AddLine(ImVec2(from->x, from->y), ImVec2(to->x, to->y), faded(color::kBackground, 0.6f), desk.theme.px(4));
      list.AddLine(ImVec2(from->x, from->y), ImVec2(to->x, to->y), color::kAccent, desk.theme.px(2));
    }
  }
  for (const int j : placeable) {
    const auto at = seen_at(j);
    if (!at) {
      continue;
    }
    const ImVec2 p(at->x, at->y);
    const bool is_hot = j == tool.joint && (tool.dragging || desk.workspace.viewport.hovered);
    list.AddCircleFilled(p, desk.theme.px(is_hot ? 6.5f : 5), faded(color::kBackground, 0.75f));
    list.AddCircleFilled(p, desk.theme.px(is_hot ? 5 : 3.5f), is_hot ? IM_COL32_WHITE : color::kAccent);
    desk.report["place." + skeleton.label(j)] = {p.x - 2, p.y - 2, 4, 4};
  }
  if (tool.joint >= 0 && (tool.dragging || desk.workspace.viewport.hovered)) {
    std::vector<Rect> taken;
    if (const auto at = seen_at(tool.joint)) {
      draw_picture_text(list, desk.theme, *at, printable(skeleton.label(tool.joint)), IM_COL32_WHITE, taken,
                        WhereTaken::kStay);
    }
  }
}

}  // namespace pelt::ui
