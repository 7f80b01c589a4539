// What brushes draw over the picture.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "edit/hiding.h"
#include "ui/actions.h"
#include "ui/brush_area.h"
#include "ui/brush_tool.h"
#include "ui/viewport.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void draw_ring(const glm::vec3& middle, const glm::vec3& normal, float radius, const Projector& project, ImU32 ink,
               Desk& desk) {
  const glm::vec3 helper = std::abs(normal.x) < 0.8f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
  const glm::vec3 u = glm::normalize(glm::cross(normal, helper));
  const glm::vec3 v = glm::cross(normal, u);
  constexpr int kCorners = 48;
  std::vector<ImVec2> points;
  for (int k = 0; k < kCorners; ++k) {
    const float a = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / kCorners;
    if (const auto at = project(middle + radius * (std::cos(a) * u + std::sin(a) * v))) {
      points.emplace_back(at->x, at->y);
    }
  }
  if (points.size() == kCorners) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddPolyline(points.data(), kCorners, faded(color::kBackground, 0.7f), ImDrawFlags_Closed, desk.theme.px(3.5f));
    list.AddPolyline(points.data(), kCorners, ink, ImDrawFlags_Closed, desk.theme.px(1.5f));
  }
}

ImU32 ink_of(mesh::DabMode mode) {
  switch (mode) {
    case mesh::DabMode::kSubtract:
      return IM_COL32(110, 170, 255, 255);
    case mesh::DabMode::kSmooth:
    case mesh::DabMode::kSharpen:
    case mesh::DabMode::kBlend:
      return IM_COL32(150, 230, 150, 255);
    default:
      return IM_COL32(255, 190, 90, 255);
  }
}

// What the grabbed vertex can reach in this pose: where each of its joints alone would have it, and the lines between.
void draw_reachable(const BrushTool& tool, const Projector& project, Desk& desk) {
  const rig::Character& character = *edit::own_character(desk.document());
  const rig::MeshNode& node = character.mesh_nodes[static_cast<std::size_t>(tool.mesh_node)];
  if (node.skin < 0) {
    return;
  }
  const rig::Skin& skin = character.skins[static_cast<std::size_t>(node.skin)];
  const mesh::WeldedSurface& surface = *tool.posed.surface;
  const glm::vec3 rest = surface.position(tool.nearest);
  std::vector<ImVec2> ghosts;
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const bool is_offered = tool.offers_joint && skin.joints[k] == painted_joint(desk);
    if ((!is_offered && weight_at(tool, tool.nearest, skin.joints[k], character) <= 0) ||
        !has_index(desk.scene.world, skin.joints[k])) {
      continue;
    }
    const glm::mat4 matrix = desk.scene.world[static_cast<std::size_t>(skin.joints[k])] * skin.joint_from_mesh[k];
    if (const auto at = project(glm::vec3(matrix * glm::vec4(rest, 1)))) {
      ghosts.emplace_back(at->x, at->y);
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t a = 0; a < ghosts.size(); ++a) {
    for (std::size_t b = a + 1; b < ghosts.size(); ++b) {
      list.AddLine(ghosts[a], ghosts[b], faded(color::kAccent, 0.7f), desk.theme.px(1.2f));
    }
    list.AddCircleFilled(ghosts[a], desk.theme.px(4), faded(color::kBackground, 0.8f));
    list.AddCircleFilled(ghosts[a], desk.theme.px(2.5f), color::kAccent);
  }
}

// The line of a gradient, with the values at its ends.
void draw_line(const BrushTool& tool, const Projector& project, Desk& desk) {
  const auto from = project(tool.grabbed);
  const auto to = project(tool.line_end);
  if (!from || !to) {
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 a(from->x, from->y);
  const ImVec2 b(to->x, to->y);
  list.AddLine(a, b, faded(color::kBackground, 0.7f), desk.theme.px(4));
  list.AddLine(a, b, IM_COL32_WHITE, desk.theme.px(1.5f));
  const auto end = [&](const ImVec2& at, float value) {
    list.AddCircleFilled(at, desk.theme.px(5), faded(color::kBackground, 0.8f));
    list.AddCircleFilled(at, desk.theme.px(3.5f), IM_COL32_WHITE);
    const std::string words = fmt::format("{:.3g}", value);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const ImVec2 corner(at.x + desk.theme.px(9), at.y - 0.5f * size.y);
    list.AddRectFilled(ImVec2(corner.x - desk.theme.px(3), corner.y - desk.theme.px(1)),
                       ImVec2(corner.x + size.x + desk.theme.px(3), corner.y + size.y + desk.theme.px(1)),
                       faded(color::kBackground, 0.75f), desk.theme.px(3));
    list.AddText(corner, IM_COL32_WHITE, words.c_str());
  };
  end(a, tool.line_reversed ? tool.end_value : tool.value);
  end(b, tool.line_reversed ? tool.value : tool.end_value);
}

void follow_resizing(BrushTool& tool, Desk& desk) {
  if (!tool.resizing) {
    return;
  }
  const ImGuiIO& io = ImGui::GetIO();
  const float moved = mouse().x - tool.resize_at.x;
  if (std::abs(moved) > 2 * desk.theme.scale) {
    tool.resized = true;
  }
  if (tool.resized) {
    tool.radius = std::clamp(tool.resize_from + moved / desk.theme.scale, kSmallestBrush, kLargestBrush);
  }
  if (!io.KeysDown['F']) {
    tool.resizing = false;
    if (!tool.resized) {  // a tap: what the key does without a brush
      run(*find_action("view.frame"), desk);
    }
  }
}

}  // namespace

void draw_brush(BrushTool& tool, const Projector& project, Desk& desk) {
  if (desk.workspace.tool_taken && paints(desk) && painted_joint(desk) >= 0) {
    desk.workspace.tool_taken = false;
    show_painted(painted_joint(desk), desk);  // nobody paints blind
  }
  if (!paints(desk) && !pulls(desk)) {
    return;
  }
  follow_resizing(tool, desk);
  say_what_locks_kept(tool, desk);
  if (tool.busy && is_brush_lost(tool, desk)) {
    end_brush(tool);
  }
  if (tool.busy && tool.pulling) {
    draw_reachable(tool, project, desk);
    return;
  }
  if (tool.busy && tool.is_line) {
    draw_line(tool, project, desk);
  }
  if (!tool.hit || !(desk.workspace.viewport.hovered || tool.busy) ||
      !has_index(desk.character().parts, tool.hit->part) ||
      static_cast<std::size_t>(tool.hit->vertex) >=
          desk.character().primitive(desk.character().parts[static_cast<std::size_t>(tool.hit->part)]).vertex_count()) {
    return;
  }
  const rig::Part& part = desk.character().parts[static_cast<std::size_t>(tool.hit->part)];
  glm::vec3 normal = towards_eye(desk, tool.hit->position);
  if (edit::shows_own_surface(desk.document()) && tool.distance == BrushDistance::kSurface) {
    pose_surface(tool, part.mesh_node, desk);
    const mesh::WeldedSurface& surface = *tool.posed.surface;
    const glm::vec3 own = normal_at(tool.posed, surface.place[surface.first[static_cast<std::size_t>(part.primitive)] +
                                                              static_cast<std::uint32_t>(tool.hit->vertex)]);
    normal = own != glm::vec3(0) ? own : normal;
  }
  const mesh::DabMode mode = tool.busy ? tool.dab_mode : brush_in_hand(tool).mode;
  draw_ring(tool.hit->position, normal, brush_radius(tool, tool.hit->position, desk), project,
            pulls(desk) ? color::kAccent : ink_of(mode), desk);
  if (const auto at = project(tool.hit->position)) {
    ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at->x, at->y), desk.theme.px(1.8f), IM_COL32_WHITE);
    desk.report["brush"] = {at->x - 2, at->y - 2, 4, 4};
  }
}

}  // namespace pelt::ui
