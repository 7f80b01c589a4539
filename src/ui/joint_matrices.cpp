#include "ui/joint_matrices.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "rig/conversions.h"
#include "rig/joint_matrices.h"
#include "ui/pose_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

// Rounding of a pose is not worth a digit.
std::string element(float value) {
  return std::abs(value) < 5e-7f ? std::string("0") : fmt::format("{:.4g}", value);
}

// The first three rows; the fourth is 0 0 0 1.
void draw_matrix(Desk& desk, const char* name, const char* title, const glm::mat4& m, std::string_view help) {
  dim_text(title);
  tip(help);
  ImGui::PushFont(desk.theme.small);
  ImGui::PushID(name);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  if (ImGui::BeginTable("##matrix", 4, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_RowBg)) {
    for (int r = 0; r < 3; ++r) {
      ImGui::TableNextRow();
      for (int c = 0; c < 4; ++c) {
        ImGui::TableNextColumn();
        const std::string digits = element(m[c][r]);
        const float room = ImGui::GetContentRegionAvail().x;
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, room - ImGui::CalcTextSize(digits.c_str()).x));
        clipped_text(digits, room, c == 3 ? color::kText : color::kTextDim);
        tip(fmt::format("{:.9g}", m[c][r]));
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopID();
  ImGui::PopFont();
  const ImVec2 end = ImGui::GetCursorScreenPos();
  desk.report[name] = {start.x, start.y, ImGui::GetContentRegionAvail().x, end.y - start.y};
}

// The places of the joint: in its skin, and in the palette of each batch that has it.
std::string palette_places(const Desk& desk, const rig::SkinJoint& joint) {
  std::string batches;
  int more = 0;
  for (const render::BatchInfo& batch : desk.scene.stats->batches) {
    const std::size_t part = batch.part;
    if (part >= desk.character().parts.size() || desk.character().parts[part].skin != joint.skin) {
      continue;
    }
    const auto found = std::ranges::find(batch.palette, static_cast<std::uint16_t>(joint.slot));
    if (found == batch.palette.end()) {
      continue;
    }
    if (std::ranges::count(batches, ',') > 4) {
      ++more;
      continue;
    }
    batches += fmt::format("{}{} in batch {}", batches.empty() ? "" : ", ", found - batch.palette.begin(), batch.batch);
  }
  if (batches.empty()) {
    return fmt::format("{} of the skin; no batch has it", joint.slot);
  }
  return fmt::format("{} of the skin; {}{}", joint.slot, batches, more > 0 ? fmt::format(" and {} more", more) : "");
}

void draw_rebind(const rig::SkinJoint& joint, Desk& desk) {
  const rig::Skin& skin = desk.character().skins[joint.skin];
  const Status possible = rig::can_be_bound(desk.character(), desk.scene.world, joint.skin);
  ImGui::BeginDisabled(!possible);
  if (ImGui::Button("Re-bind here", ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    desk.change(edit::RebindSkin{joint.skin});
  }
  report_item(desk, "matrices.rebind");
  ImGui::EndDisabled();
  tip(possible ? fmt::format("Binds {} in the pose shown: the shape that linear blending gives it now becomes the bind "
                             "shape, and each inverse bind matrix the inverse of its joint's world matrix. All skin "
                             "matrices are then the identity here, and the picture stays. Can be undone",
                             skin.name.empty() ? fmt::format("skin {}", joint.skin) : printable(skin.name))
               : possible.error().message);
}

}  // namespace

void draw_joint_matrices(JointMatricesSection& state, Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  if (joint < 0 || desk.scene.pose == nullptr || !section(desk, "Matrices", false)) {
    return;
  }
  const rig::JointMatrices matrices = rig::joint_matrices(desk.character(), *desk.scene.pose, desk.scene.world, joint);
  draw_matrix(desk, "matrices.local", "Local  L", matrices.local, "From the joint's space to its parent's: T R S");
  draw_matrix(desk, "matrices.world", "World  W", matrices.world,
              "From the joint's space to the world: the parent's world matrix times L. The last column is the pivot");
  if (matrices.skins.empty()) {
    wrapped_text("No skin lists this node, so it has no inverse bind matrix.", color::kTextDim);
    return;
  }
  auto chosen = std::ranges::find(matrices.skins, state.skin, &rig::SkinJoint::skin);
  chosen = chosen == matrices.skins.end() ? matrices.skins.begin() : chosen;
  if (matrices.skins.size() > 1) {
    row_label(desk, "Skin", "One skeleton may carry several skins, each bound in a pose of its own");
    int current = static_cast<int>(chosen - matrices.skins.begin());
    const auto label = [&](int i) {
      const int skin = matrices.skins[i].skin;
      const std::string& name = desk.character().skins[skin].name;
      return name.empty() ? fmt::format("skin {}", skin) : printable(name);
    };
    if (combo(desk, "matrices.skin", static_cast<int>(matrices.skins.size()), current, label)) {
      chosen = matrices.skins.begin() + current;
    }
  }
  state.skin = chosen->skin;
  draw_matrix(desk, "matrices.inverse-bind", "Inverse bind  B\u207b\u00b9", chosen->joint_from_mesh,
              "From mesh space to the joint's space, as it was when the skin was bound");
  draw_matrix(desk, "matrices.skin-matrix", "Skin matrix  M = W B\u207b\u00b9", chosen->skin_matrix,
              "What happened to the joint since binding: takes the bind shape to the pose. The identity in the bind "
              "pose");
  const auto line = [&](const char* name, const char* label, const std::string& value, std::string_view help) {
    number_line(desk, label, value, help);
    report_item(desk, name);
    tip(value);
  };
  line("matrices.residual", "Since binding", fmt::format("{:.3g}", chosen->residual),
       "Largest element of M - 1: 0 where the pose is the bind pose");
  line("matrices.off-rigid", "Off rigid", fmt::format("{:.3g}", chosen->off_rigid),
       "Largest element of A\u1d40A - 1, A the linear part of M: 0 where M turns and shifts only, above that it "
       "scales or shears");
  line("matrices.palette", "Palette slot", palette_places(desk, *chosen),
       "Where the joint stands in the skin's list, and in the palette of each batch that the GPU draws");
  draw_rebind(*chosen, desk);
}

}  // namespace pelt::ui
