#include "ui/kept_poses.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/library_edits.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kSamePose = 1e-5f;  // of a matrix: rounding on the way through local transforms

bool is_same_pose(std::span<const glm::mat4> a, std::span<const glm::mat4> b) {
  return std::ranges::equal(a, b, [](const glm::mat4& x, const glm::mat4& y) {
    for (int c = 0; c < 4; ++c) {
      const glm::vec4 room = kSamePose * (1.0f + glm::abs(y[c]));
      if (glm::any(glm::greaterThan(glm::abs(x[c] - y[c]), room))) {
        return false;
      }
    }
    return true;
  });
}

// Where the pulled places were when the pose was kept; empty where it is of another mesh.
std::vector<glm::vec3> places_then(const edit::KeptPose& kept, const BrushTool& tool, const Desk& desk) {
  const rig::Character& now = *edit::own_character(desk.document());
  const bool is_there =
      tool.pulled_surface != nullptr && has_index(now.meshes, tool.pulled_mesh) &&
      mesh::is_surface_of(*tool.pulled_surface, now.meshes[static_cast<std::size_t>(tool.pulled_mesh)]);
  return is_there ? edit::places_then(kept, tool.pulled_mesh, *tool.pulled_surface, tool.places)
                  : std::vector<glm::vec3>();
}

// As it is kept now, measured where nothing is being pulled.
const KeptMeasure& measure_kept(std::size_t i, BrushTool& tool, const Desk& desk) {
  const edit::KeptPoses& poses = desk.document().content.kept_poses;
  const std::shared_ptr<const rig::Character>& now = edit::own_character(desk.document());
  tool.kept.resize(poses.size());
  KeptMeasure& kept = tool.kept[i];
  if (!kept.of.is(poses.shared(i)) || kept.world.size() != now->skeleton->parent.size()) {
    kept = {.of = poses.shared(i)};
    kept.world = edit::world_of(poses[i], *now);
  }
  if (tool.busy || kept.measured == now) {
    return kept;
  }
  kept.measured = now;
  kept.off = 0;
  const std::vector<glm::vec3> then = places_then(poses[i], tool, desk);
  if (then.empty()) {
    return kept;
  }
  const std::vector<glm::vec3> is =
      edit::posed_places(*now, tool.pulled_mesh, *tool.pulled_surface, tool.places, kept.world);
  if (is.size() != then.size()) {
    return kept;  // the mesh lost its skin
  }
  for (std::size_t k = 0; k < then.size(); ++k) {
    kept.off = std::max(kept.off, glm::distance(then[k], is[k]));
  }
  return kept;
}

void go_to_kept(const edit::KeptPose& kept, Desk& desk) {
  desk.workspace.playback.playing = false;
  desk.change(edit::ApplyPose{.pose = kept.pose}, "kept-pose");
  desk.requests.end_merge = true;
}

void draw_kept_pose(BrushTool& tool, std::size_t i, Desk& desk) {
  const KeptMeasure& kept = measure_kept(i, tool, desk);
  const std::string& name = kept.of->pose->name;
  const bool is_here = is_same_pose(desk.scene.world, kept.world);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width =
      std::max(desk.theme.px(40), ImGui::GetContentRegionAvail().x - 2 * (ImGui::GetFrameHeight() + spacing));
  const float start = ImGui::GetCursorPosX();
  // A tenth of a millimetre is nothing that people see.
  const std::string words = kept.off < 1e-4f ? name : fmt::format("{}, off by {:.1f}\u2009mm", name, 1000 * kept.off);
  ImGui::AlignTextToFramePadding();
  if (ImGui::Selectable(fitted(printable(words), width).c_str(), is_here, 0, ImVec2(width, 0))) {
    go_to_kept(kept.of, desk);
  }
  report_item(desk, fmt::format("kept.pose.{}", i));
  tip("A click goes to the pose. Off by: how far a vertex that was pulled last is from where it was");
  ImGui::SameLine(start + width + spacing, 0);
  if (icon_button(desk, fmt::format("kept.again.{}", i).c_str(), icon::kRefresh,
                  is_here ? "Keep it as it is now" : "Go to the pose to keep it as it is now", false, is_here)) {
    desk.change(edit::KeepPose{static_cast<int>(i)});
  }
  ImGui::SameLine(0, spacing);
  if (icon_button(desk, fmt::format("kept.remove.{}", i).c_str(), icon::kClose, "Keep it no longer")) {
    desk.change(edit::ForgetPose{static_cast<int>(i)});
  }
}

}  // namespace

std::vector<edit::PullTo> kept_goals(const BrushTool& tool, const Desk& desk) {
  std::vector<edit::PullTo> goals;
  for (const edit::KeptPose& kept : desk.document().content.kept_poses) {
    std::vector<glm::mat4> world = edit::world_of(kept, *edit::own_character(desk.document()));
    if (is_same_pose(desk.scene.world, world)) {
      continue;  // it is this one that is changed
    }
    if (std::vector<glm::vec3> then = places_then(kept, tool, desk); !then.empty()) {
      goals.push_back({.world = std::move(world), .targets = std::move(then)});
    }
  }
  return goals;
}

void draw_kept_poses(BrushTool& tool, Desk& desk) {
  const edit::KeptPoses& poses = desk.document().content.kept_poses;
  if (!section(desk, fmt::format("Kept poses ({})###paint.kept", poses.size()).c_str())) {
    return;
  }
  wrapped_text(
      "A vertex that is pulled in another pose is to stay where it is in these: weights solve for all of them.",
      color::kTextDim);
  const std::string why_not = edit::why_refused(desk.document(), edit::KeepPose{});
  ImGui::BeginDisabled(!why_not.empty());
  if (ImGui::Button(fmt::format("{}  Keep this pose", icon::kPin).c_str(),
                    ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    desk.change(edit::KeepPose{});
  }
  ImGui::EndDisabled();
  report_item(desk, "kept.keep");
  tip(why_not.empty() ? "The skin is to stay where it is in this pose, whatever is pulled in another; sessions keep it"
                      : why_not);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    draw_kept_pose(tool, i, desk);
    ImGui::PopID();
  }
}

}  // namespace pelt::ui
