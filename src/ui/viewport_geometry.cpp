#include "ui/viewport_geometry.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "ui/hiding.h"
#include "ui/pane_overlay.h"
#include "ui/viewport.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kPickRadius = 9;  // layout units around the cursor

}  // namespace

glm::vec2 mouse() {
  return {ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
}

Rect picture(const Desk& desk) {
  const render::PaneLayout layout = pane_layout(desk);
  const int last = static_cast<int>(layout.pictures.size()) - 1;
  const int pane = std::clamp(desk.workspace.viewport.pane, 0, last);
  return in_window(layout.pictures[pane], desk);
}

Projector::Projector(const Desk& desk) : Projector(desk, picture(desk)) {}

Projector::Projector(const Desk& desk, const Rect& pane)
    : clip_from_world(desk.workspace.camera.clip_from_view(aspect(desk)) * desk.workspace.camera.view_from_world()),
      rect(pane) {}

float Projector::aspect(const Desk& desk) {
  const Rect view = picture(desk);
  return view.empty() ? 1.0f : view.w / view.h;
}

std::optional<glm::vec2> Projector::operator()(const glm::vec3& point) const {
  const glm::vec4 clip = clip_from_world * glm::vec4(point, 1.0f);
  if (clip.w <= 1e-6f) {
    return std::nullopt;
  }
  const glm::vec2 ndc = glm::vec2(clip) / clip.w;
  return glm::vec2(rect.x + (ndc.x * 0.5f + 0.5f) * rect.w, rect.y + (0.5f - ndc.y * 0.5f) * rect.h);
}

glm::vec2 cursor(const Desk& desk, glm::vec2 pixel) {
  const Rect view = picture(desk);
  return {(pixel.x - view.x) / view.w * 2 - 1, 1 - (pixel.y - view.y) / view.h * 2};
}

render::Ray ray_at(const Desk& desk, glm::vec2 pixel) {
  return render::pick_ray(desk.workspace.camera, cursor(desk, pixel), Projector::aspect(desk));
}

float metres_per_pixel(const Desk& desk, const glm::vec3& at) {
  const render::Camera& camera = desk.workspace.camera;
  const float depth = camera.orthographic ? camera.distance : -(camera.view_from_world() * glm::vec4(at, 1.0f)).z;
  return 2 * std::max(depth, 1e-4f) * std::tan(camera.yfov * 0.5f) / std::max(1.0f, picture(desk).h);
}

glm::vec3 towards_eye(const Desk& desk, const glm::vec3& at) {
  const render::Camera& camera = desk.workspace.camera;
  return camera.orthographic ? glm::normalize(camera.eye() - camera.pivot) : glm::normalize(camera.eye() - at);
}

float distance_to_segment(glm::vec2 p, glm::vec2 a, glm::vec2 b) {
  const glm::vec2 ab = b - a;
  const float t = std::clamp(glm::dot(p - a, ab) / std::max(glm::dot(ab, ab), 1e-6f), 0.0f, 1.0f);
  return glm::distance(p, a + t * ab);
}

int joint_of(const Desk& desk, const render::VertexHit& hit) {
  const rig::Character& character = desk.character();
  const rig::Part& part = character.parts[hit.part];
  const mesh::Influences& influences = character.primitive(part).influences;
  if (part.skin >= 0 && !influences.empty() && influences.count(static_cast<std::size_t>(hit.vertex)) > 0) {
    const std::uint16_t slot = influences.joints(hit.vertex)[0];
    return character.skins[part.skin].joints[slot];
  }
  return part.joint;
}

std::optional<render::VertexHit> vertex_under(const Desk& desk, glm::vec2 at) {
  // A pane may have been closed since the pointer was over it.
  const int pane = std::clamp(desk.workspace.viewport.pane, 0, edit::pane_count(desk.document().content) - 1);
  if (desk.scene.vertex_at) {
    return desk.scene.vertex_at(pane, cursor(desk, at) * glm::vec2(0.5f, -0.5f) + 0.5f);
  }
  return render::pick_vertex(desk.character(), desk.scene.deformed(pane), ray_at(desk, at), hidden_surface(desk));
}

int joint_under(const Desk& desk, glm::vec2 at) {
  const Rect view = picture(desk);
  return render::pick_joint(desk.character(), desk.scene.world, desk.workspace.camera, cursor(desk, at),
                            glm::ivec2(view.w, view.h), kPickRadius * desk.theme.scale, drawn_joints(desk));
}

}  // namespace pelt::ui
