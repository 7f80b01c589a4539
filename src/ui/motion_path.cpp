#include "ui/motion_path.h"

#include "core/index.h"
#include "rig/root_motion.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kWaySteps = 160;

void follow(MotionPath& path, const Desk& desk, int clip) {
  const rig::Character& character = desk.character();
  if (path.clip.is(character.clips.shared(clip)) && path.skeleton.is(character.skeleton)) {
    return;
  }
  path.clip = character.clips.shared(clip);
  path.skeleton = character.skeleton;
  std::vector<float> times;
  for (int i = 0; i <= kWaySteps; ++i) {
    times.push_back(path.clip->start + path.clip->duration() * static_cast<float>(i) / kWaySteps);
  }
  path.joint = rig::traveller(character, *path.clip);
  path.way = rig::travelled_way(character, *path.clip, times);
}

}  // namespace

void draw_motion_path(const std::function<std::optional<glm::vec2>(const glm::vec3&)>& project, Desk& desk) {
  MotionPath& path = desk.workspace.panel<MotionPath>();
  const int clip = desk.document().content.clip;
  if (!path.shown || !has_index(desk.character().clips, clip)) {
    return;
  }
  follow(path, desk, clip);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::optional<glm::vec2> last;
  for (const glm::vec3& at : path.way) {
    const std::optional<glm::vec2> next = project(at);
    if (last && next) {
      list.AddLine(ImVec2(last->x, last->y), ImVec2(next->x, next->y), faded(color::kWarning, 0.9f),
                   desk.theme.px(1.5f));
    }
    last = next;
  }
  if (has_index(desk.scene.world, path.joint)) {
    if (const auto now = project(glm::vec3(desk.scene.world[path.joint][3])); now && !path.way.empty()) {
      list.AddCircleFilled(ImVec2(now->x, now->y), desk.theme.px(3.5f), color::kWarning, 12);
      desk.report["motion-path"] = {now->x - 4, now->y - 4, 8, 8};
    }
  }
}

}  // namespace pelt::ui
