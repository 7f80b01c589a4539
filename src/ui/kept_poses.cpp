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

constexpr std::size_t kMostKeptPoses = 16;
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

// Whether the pose is one of the joints there are now, whatever their names.
bool is_of(const KeptPose& kept, const rig::Character& now) {
  return kept.character->skeleton.is(now.skeleton) || kept.character->skeleton->parent == now.skeleton->parent;
}

// Whether it is, with the same mesh.
bool still_applies(const KeptPose& kept, int mesh, const mesh::WeldedSurface& surface, const rig::Character& now) {
  return is_of(kept, now) && has_index(kept.character->meshes, mesh) &&
         mesh::is_surface_of(surface, kept.character->meshes[static_cast<std::size_t>(mesh)]);
}

// Where the pulled places were when the pose was kept; empty where it is of another character.
std::vector<glm::vec3> places_then(const KeptPose& kept, const BrushTool& tool, const Desk& desk) {
  return tool.pulled_surface != nullptr &&
                 still_applies(kept, tool.pulled_mesh, *tool.pulled_surface, *edit::own_character(desk.document()))
             ? edit::posed_places(*kept.character, tool.pulled_mesh, *tool.pulled_surface, tool.places, kept.world)
             : std::vector<glm::vec3>();
}

void measure_kept(KeptPose& kept, const BrushTool& tool, const Desk& desk) {
  const std::shared_ptr<const rig::Character>& now = edit::own_character(desk.document());
  if (tool.busy || kept.measured == now) {
    return;
  }
  kept.measured = now;
  kept.off = 0;
  const std::vector<glm::vec3> then = places_then(kept, tool, desk);
  if (then.empty()) {
    return;
  }
  const std::vector<glm::vec3> is =
      edit::posed_places(*now, tool.pulled_mesh, *tool.pulled_surface, tool.places, kept.world);
  for (std::size_t k = 0; k < then.size(); ++k) {
    kept.off = std::max(kept.off, glm::distance(then[k], is[k]));
  }
}

void go_to_kept(const KeptPose& kept, Desk& desk) {
  desk.workspace.playback.playing = false;
  desk.change(edit::ApplyPose{.pose = kept.pose}, "kept-pose");
  desk.requests.end_merge = true;
}

// A row of the list. @returns whether it is to be removed
bool draw_kept_pose(BrushTool& tool, std::size_t i, Desk& desk) {
  KeptPose& kept = tool.kept[i];
  measure_kept(kept, tool, desk);
  const bool is_here = is_same_pose(desk.scene.world, kept.world);
  const float spacing = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width =
      std::max(desk.theme.px(40), ImGui::GetContentRegionAvail().x - 2 * (ImGui::GetFrameHeight() + spacing));
  const float start = ImGui::GetCursorPosX();
  // A tenth of a millimetre is nothing that people see.
  const std::string words =
      kept.off < 1e-4f ? kept.pose->name : fmt::format("{}, off by {:.1f}\u2009mm", kept.pose->name, 1000 * kept.off);
  ImGui::AlignTextToFramePadding();
  if (ImGui::Selectable(fitted(printable(words), width).c_str(), is_here, 0, ImVec2(width, 0))) {
    go_to_kept(kept, desk);
  }
  report_item(desk, fmt::format("kept.pose.{}", i));
  tip("A click goes to the pose. Off by: how far a vertex that was pulled last is from where it was");
  ImGui::SameLine(start + width + spacing, 0);
  if (icon_button(desk, fmt::format("kept.again.{}", i).c_str(), icon::kRefresh,
                  is_here ? "Keep it as it is now" : "Go to the pose to keep it as it is now", false, is_here)) {
    keep_pose(tool, static_cast<int>(i), desk);
  }
  ImGui::SameLine(0, spacing);
  return icon_button(desk, fmt::format("kept.remove.{}", i).c_str(), icon::kClose, "Keep it no longer");
}

}  // namespace

std::vector<edit::PullTo> kept_goals(const BrushTool& tool, const Desk& desk) {
  std::vector<edit::PullTo> goals;
  for (const KeptPose& kept : tool.kept) {
    if (is_same_pose(desk.scene.world, kept.world)) {
      continue;  // it is this one that is changed
    }
    if (std::vector<glm::vec3> then = places_then(kept, tool, desk); !then.empty()) {
      goals.push_back({.world = kept.world, .targets = std::move(then)});
    }
  }
  return goals;
}

void keep_pose(BrushTool& tool, int index, Desk& desk) {
  const bool is_new = !has_index(tool.kept, index);
  int number = 1;
  const auto name_of = [&] { return fmt::format("Pose {}", number); };
  while (std::ranges::any_of(tool.kept, [&](const KeptPose& one) { return one.pose->name == name_of(); })) {
    ++number;
  }
  KeptPose kept;
  kept.pose =
      edit::stored_pose(desk.document(), is_new ? name_of() : tool.kept[static_cast<std::size_t>(index)].pose->name);
  kept.world.assign(desk.scene.world.begin(), desk.scene.world.end());
  kept.character = edit::own_character(desk.document());
  if (is_new) {
    tool.kept.push_back(std::move(kept));
  } else {
    tool.kept[static_cast<std::size_t>(index)] = std::move(kept);
  }
}

void draw_kept_poses(BrushTool& tool, Desk& desk) {
  const rig::Character& now = *edit::own_character(desk.document());
  std::erase_if(tool.kept, [&](const KeptPose& kept) { return !is_of(kept, now); });
  if (!section(desk, fmt::format("Kept poses ({})###paint.kept", tool.kept.size()).c_str())) {
    return;
  }
  wrapped_text(
      "A vertex that is pulled in another pose is to stay where it is in these: weights solve for all of them.",
      color::kTextDim);
  ImGui::BeginDisabled(tool.kept.size() >= kMostKeptPoses || now.skeleton->size() == 0);
  if (ImGui::Button(fmt::format("{}  Keep this pose", icon::kPin).c_str(),
                    ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    keep_pose(tool, -1, desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "kept.keep");
  int gone = -1;
  for (std::size_t i = 0; i < tool.kept.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (draw_kept_pose(tool, i, desk)) {
      gone = static_cast<int>(i);
    }
    ImGui::PopID();
  }
  if (gone >= 0) {
    tool.kept.erase(tool.kept.begin() + gone);
  }
}

}  // namespace pelt::ui
