#include "ui/spring_marks.h"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "motion/springs.h"
#include "ui/colliders_section.h"
#include "ui/springs_section.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kOutlineSteps = 48;
constexpr float kOutlineTurn = 2 * std::numbers::pi_v<float>;
constexpr float kPlaneShare = 0.12f;  // half the side of what shows of a plane, of the shape's diagonal
constexpr int kPlaneLines = 4;

class SpringOutlines {
 public:
  SpringOutlines(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk)
      : project_(project), desk_(desk) {}

  void line(const glm::vec3& a, const glm::vec3& b, ImU32 ink) const {
    const auto from = project_(a);
    const auto to = project_(b);
    if (from && to) {
      ImGui::GetWindowDrawList()->AddLine(ImVec2(from->x, from->y), ImVec2(to->x, to->y), ink, desk_.theme.px(1.5f));
    }
  }
  /// @param u, v  as long as the radius and across each other
  void arc(const glm::vec3& middle, const glm::vec3& u, const glm::vec3& v, float turn, ImU32 ink) const {
    glm::vec3 last = middle + u;
    for (int i = 1; i <= kOutlineSteps; ++i) {
      const float angle = turn * static_cast<float>(i) / kOutlineSteps;
      const glm::vec3 next = middle + std::cos(angle) * u + std::sin(angle) * v;
      line(last, next, ink);
      last = next;
    }
  }
  void dot(const glm::vec3& at, ImU32 ink, const std::string& name = {}) const {
    if (const auto where = project_(at)) {
      ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(where->x, where->y), desk_.theme.px(3), ink, 12);
      if (!name.empty()) {
        desk_.report[name] = {where->x - 2, where->y - 2, 4, 4};
      }
    }
  }
  void sphere(const glm::vec3& middle, float radius, ImU32 ink) const {
    const glm::mat3 axes(radius);
    for (int i = 0; i < 3; ++i) {
      arc(middle, axes[i], axes[(i + 1) % 3], kOutlineTurn, ink);
    }
  }
  void capsule(const glm::vec3& start, const glm::vec3& end, float radius, ImU32 ink) const {
    const float length = glm::length(end - start);
    if (!(length > 1e-6f)) {
      sphere(start, radius, ink);
      return;
    }
    const glm::vec3 along = (end - start) / length;
    const glm::mat3 across = sides_of(along);
    for (int i = 0; i < 2; ++i) {
      const glm::vec3 side = across[i] * radius;
      for (const float sign : {-1.0f, 1.0f}) {
        line(start + sign * side, end + sign * side, ink);
      }
      arc(start, side, -along * radius, kOutlineTurn / 2, ink);
      arc(end, side, along * radius, kOutlineTurn / 2, ink);
    }
    for (const glm::vec3& middle : {start, end}) {
      arc(middle, across[0] * radius, across[1] * radius, kOutlineTurn, ink);
    }
  }
  void plane(const glm::vec3& at, const glm::vec3& normal, ImU32 ink) const {
    const float half = kPlaneShare * desk_.scene.bounds.diagonal();
    const glm::mat3 sides = sides_of(normal);
    for (int i = 0; i <= kPlaneLines; ++i) {
      const float share = half * (2 * static_cast<float>(i) / kPlaneLines - 1);
      line(at + share * sides[0] - half * sides[1], at + share * sides[0] + half * sides[1], ink);
      line(at + share * sides[1] - half * sides[0], at + share * sides[1] + half * sides[0], ink);
    }
    line(at, at + 0.6f * half * normal, ink);
    dot(at + 0.6f * half * normal, ink);
  }

 private:
  // Two directions across the unit one, which is the third.
  static glm::mat3 sides_of(const glm::vec3& along) {
    const glm::vec3 other = std::abs(along.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
    const glm::vec3 side = glm::normalize(glm::cross(other, along));
    return {side, glm::cross(along, side), along};
  }

  const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project_;
  Desk& desk_;
};

void draw_bones(const motion::SpringRig& rig, const SpringOutlines& outlines, const Desk& desk) {
  const ImU32 ink = faded(color::kText, 0.8f);
  for (const motion::SpringRig::Bone& bone : rig.bones) {
    if (!has_index(desk.scene.world, bone.joint)) {
      continue;
    }
    const glm::mat4& world = desk.scene.world[bone.joint];
    const glm::vec3 tip = has_index(desk.scene.world, bone.tip) ? glm::vec3(desk.scene.world[bone.tip][3])
                                                                : glm::vec3(world * glm::vec4(bone.end, 1));
    outlines.line(glm::vec3(world[3]), tip, ink);
    outlines.dot(tip, ink);
    if (bone.radius > 0) {
      outlines.sphere(tip, static_cast<float>(bone.radius), ink);
    }
  }
}

}  // namespace

void draw_spring_marks(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk) {
  const motion::SpringSet& springs = desk.document().content.behaviour->springs;
  if (desk.workspace.tab != kSpringsTab || desk.workspace.panels_hidden ||
      (springs.chains.empty() && springs.colliders.empty())) {
    return;
  }
  const SpringOutlines outlines(project, desk);
  draw_bones(motion::make_spring_rig(desk.character(), springs), outlines, desk);
  const int chosen = desk.workspace.panel<CollidersSection>().chosen;
  for (std::size_t c = 0; c < springs.colliders.size(); ++c) {
    // Alone, since a rig leaves out what cannot be used.
    const motion::SpringRig rig = motion::make_spring_rig(desk.character(), {{}, {springs.colliders[c]}, {}});
    if (rig.colliders.empty() || !has_index(desk.scene.world, rig.colliders[0].joint)) {
      continue;
    }
    const motion::SpringRig::Collider& collider = rig.colliders[0];
    const glm::dmat4 world(desk.scene.world[collider.joint]);
    const auto place = [&](const glm::dvec3& local) { return glm::vec3(world * glm::dvec4(local, 1)); };
    const ImU32 ink = static_cast<int>(c) == chosen ? color::kWarning : faded(color::kAccent, 0.9f);
    switch (collider.shape) {
      case rig::ColliderShape::kSphere:
        outlines.sphere(place(collider.offset), static_cast<float>(collider.radius), ink);
        break;
      case rig::ColliderShape::kCapsule:
        outlines.capsule(place(collider.offset), place(collider.tail), static_cast<float>(collider.radius), ink);
        break;
      case rig::ColliderShape::kPlane:
        outlines.plane(place(collider.offset), glm::vec3(motion::free_side(collider, world)), ink);
        break;
    }
    outlines.dot(place(collider.offset), ink, fmt::format("collider.{}", c));
  }
}

}  // namespace pelt::ui
