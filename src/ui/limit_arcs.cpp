#include "ui/limit_arcs.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <imgui.h>
#include <glm/gtc/quaternion.hpp>

#include "edit/document.h"
#include "rig/character.h"
#include "ui/rotation_rings.h"
#include "ui/viewport.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kWholeTurn = 2 * std::numbers::pi_v<float>;
constexpr int kStepsPerTurn = 72;
constexpr float kSectorRadius = 0.82f;  // of the ring

using Projection = std::function<std::optional<glm::vec2>(const glm::vec3&)>;

// What of the joint points across the axis, so that its turn about it is seen: the bone, or for a twist its side.
glm::vec3 hand_of(const Desk& desk, int joint, const glm::vec3& axis) {
  const glm::mat3 world(desk.scene.world[joint]);
  const glm::vec3 bone = rig::bone_direction(desk.character().skeleton, joint);
  glm::vec3 best(0);
  for (const glm::vec3& local : {bone, glm::vec3(1, 0, 0), glm::vec3(0, 1, 0), glm::vec3(0, 0, 1)}) {
    const glm::vec3 direction = world * local;
    const float length = glm::length(direction);
    if (!(length > 1e-12f)) {
      continue;
    }
    const glm::vec3 across = direction / length - axis * glm::dot(direction / length, axis);
    const bool is_bone = &local == &bone || local == bone;
    if (glm::length(across) > (is_bone ? 0.2f : 1e-3f) && glm::length(across) > glm::length(best)) {
      best = across;
      if (is_bone) {
        break;
      }
    }
  }
  return glm::length(best) > 0 ? glm::normalize(best) : best;
}

void draw_sector(const Ring& ring, const glm::vec3& hand, float from, float to, ImU32 ink, const Projection& project,
                 const Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float span = std::min(to - from, kWholeTurn);
  const int steps = std::max(1, static_cast<int>(std::ceil(span / kWholeTurn * kStepsPerTurn)));
  const auto at = [&](float angle, float share) {
    return project(ring.center + ring.radius * share * (glm::angleAxis(angle, ring.axis) * hand));
  };
  const std::optional<glm::vec2> middle = project(ring.center);
  std::optional<glm::vec2> last = at(from, kSectorRadius);
  const ImDrawListFlags flags = list.Flags;
  for (int i = 1; i <= steps && middle; ++i) {
    const auto next = at(from + span * static_cast<float>(i) / static_cast<float>(steps), kSectorRadius);
    if (last && next && span < 0.999f * kWholeTurn) {         // else there is no limit to see
      list.Flags = flags & ~ImDrawListFlags_AntiAliasedFill;  // its soft edges would be seen as spokes
      list.AddTriangleFilled(ImVec2(middle->x, middle->y), ImVec2(last->x, last->y), ImVec2(next->x, next->y),
                             faded(ink, 0.16f));
      list.Flags = flags;
      list.AddLine(ImVec2(last->x, last->y), ImVec2(next->x, next->y), faded(ink, 0.9f), desk.theme.px(2.5f));
    }
    last = next;
  }
  const auto spoke = [&](float angle, float width, float alpha) {
    const auto end = at(angle, kSectorRadius);
    if (middle && end) {
      list.AddLine(ImVec2(middle->x, middle->y), ImVec2(end->x, end->y), faded(ink, alpha), desk.theme.px(width));
    }
  };
  if (span < kWholeTurn) {
    spoke(from, 1.5f, 0.9f);
    spoke(from + span, 1.5f, 0.9f);
  }
  spoke(0, 2.5f, 1);  // where it is
}

// Round the twist axis at rest.
void draw_cone(int joint, const rig::JointDofs& dofs, float radius, const Projection& project, const Desk& desk) {
  const int parent = desk.character().skeleton->parent[joint];
  const glm::mat3 above(parent < 0 ? glm::mat4(1) : desk.scene.world[parent]);
  const int twist = std::max(0, dofs.find("twist"));
  const glm::vec3 axis = glm::normalize(above * (dofs.orientation * dofs.dofs[twist].axis));
  const glm::vec3 other = std::abs(axis.x) < 0.7f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
  const glm::vec3 u = glm::normalize(glm::cross(axis, other));
  const glm::vec3 v = glm::cross(axis, u);
  const glm::vec3 center(desk.scene.world[joint][3]);
  const float swing = *dofs.swing_limit;
  std::optional<glm::vec2> last;
  for (int i = 0; i <= kStepsPerTurn; ++i) {
    const float angle = kWholeTurn * static_cast<float>(i) / kStepsPerTurn;
    const auto next = project(
        center + radius * (std::cos(swing) * axis + std::sin(swing) * (std::cos(angle) * u + std::sin(angle) * v)));
    if (last && next) {
      ImGui::GetWindowDrawList()->AddLine(ImVec2(last->x, last->y), ImVec2(next->x, next->y),
                                          faded(color::kWarning, 0.9f), desk.theme.px(1.5f));
    }
    last = next;
  }
}

}  // namespace

void draw_limit_arcs(const Projection& project, Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  if (joint < 0 || joint >= static_cast<int>(desk.scene.world.size())) {
    return;
  }
  const rig::JointDofs dofs = edit::joint_dofs(desk.document(), joint);
  const std::vector<float> values = edit::dof_values(desk.document(), joint);
  float radius = 0;
  for (const Ring& ring : rotation_rings(desk)) {
    const std::size_t i = ring.dof;
    radius = std::max(radius, ring.radius);
    const glm::vec3 hand = hand_of(desk, joint, ring.axis);
    if (glm::length(hand) > 0) {
      const rig::Dof& dof = dofs.dofs[i];
      draw_sector(ring, hand, dof.lower - values[i], dof.upper - values[i], dof_color(dof), project, desk);
    }
  }
  if (dofs.swing_limit && dofs.count(rig::DofKind::kRotation) == 3 && radius > 0) {
    draw_cone(joint, dofs, radius, project, desk);
  }
}

}  // namespace pelt::ui
