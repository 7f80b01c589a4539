#include "ui/axis_fields.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "edit/commands.h"
#include "rig/axis_choices.h"
#include "ui/joints_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kPicturesUntilLeft = 2;  // between two fields there may be a picture with none

std::string axis_text(const glm::vec3& axis) {
  return fmt::format("{:.2f}, {:.2f}, {:.2f}", axis.x, axis.y, axis.z);
}

const char* help_of(rig::DofKind kind) {
  return kind == rig::DofKind::kRotation      ? "In the joint's own frame of rotation"
         : kind == rig::DofKind::kTranslation ? "In the parent's frame"
                                              : "In the joint's own frame";
}

void give_axis(int joint, const rig::JointDofs& dofs, std::size_t index, const glm::vec3& axis, Desk& desk) {
  Result<rig::JointDofs> wanted = edit::with_axis(dofs, index, axis);
  if (!wanted) {
    desk.workspace.error = Notice{Severity::kError, wanted.error().message, desk.scene.now};
    return;
  }
  if (wanted->dofs[index].axis != dofs.dofs[index].axis) {
    wanted->authored = true;
    desk.change(edit::SetJointSliders{joint, *std::move(wanted)});
  }
}

void draw_choice(int joint, const rig::JointDofs& dofs, std::size_t index, Desk& desk) {
  constexpr float kSame = 1e-4f;
  const rig::Dof& dof = dofs.dofs[index];
  const std::vector<rig::AxisChoice> choices = rig::axis_choices(desk.character().skeleton, joint, dofs, dof.kind);
  int current = -1;
  for (std::size_t i = 0; i < choices.size() && current < 0; ++i) {
    current = glm::distance(choices[i].axis, dof.axis) < kSame ? static_cast<int>(i) : -1;
  }
  row_label(desk, "axis", help_of(dof.kind));
  ImGui::SetNextItemWidth(-1);
  const auto label = [&](int i) {
    std::string name(choices[i].name);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return name;
  };
  if (combo(desk, fmt::format("joints.{}.axis", dof.name).c_str(), static_cast<int>(choices.size()), current, label,
            current < 0 ? "As typed" : "")) {
    give_axis(joint, dofs, index, choices[current].axis, desk);
  }
}

// Whether one of the three is being typed into.
bool draw_numbers(glm::vec3& axis, const std::string& name, bool& changed, Desk& desk) {
  constexpr std::array<const char*, 3> kIds = {"x", "y", "z"};
  const float gap = desk.theme.px(2);
  const float width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
  bool active = false;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      ImGui::SameLine(0, gap);
    }
    ImGui::SetNextItemWidth(width);
    changed |= ImGui::InputFloat(fmt::format("##{}", kIds[i]).c_str(), &axis[i], 0, 0, "%.3f",
                                 ImGuiInputTextFlags_AutoSelectAll);
    active |= ImGui::IsItemActive();
    report_item(desk, fmt::format("{}.{}", name, kIds[i]));
  }
  return active;
}

void draw_fields(JointsPanel& panel, int joint, const rig::JointDofs& dofs, std::size_t index, Desk& desk) {
  const rig::Dof& dof = dofs.dofs[index];
  const bool typed = panel.axis && panel.axis_joint == joint && panel.axis_of == static_cast<int>(index);
  glm::vec3 axis = typed ? *panel.axis : dof.axis;
  bool changed = false;
  row_label(desk, "", "Three numbers: their direction counts, and they become of length 1");
  const bool active = draw_numbers(axis, fmt::format("joints.{}.axis", dof.name), changed, desk);
  if (changed) {
    panel.axis = axis;
    panel.axis_joint = joint;
    panel.axis_of = static_cast<int>(index);
    panel.axis_left = 0;
    return;
  }
  if (!typed) {
    return;
  }
  if (desk.workspace.escape) {
    panel.axis.reset();
    return;
  }
  panel.axis_left = active ? 0 : panel.axis_left + 1;
  if (panel.axis_left >= kPicturesUntilLeft) {
    const glm::vec3 wanted = *std::exchange(panel.axis, std::nullopt);
    give_axis(joint, dofs, index, wanted, desk);
  }
}

}  // namespace

void draw_axis(JointsPanel& panel, int joint, const rig::JointDofs& dofs, std::size_t index, Desk& desk) {
  const rig::Dof& dof = dofs.dofs[index];
  if (!rig::has_free_axis(dofs, index)) {
    number_line(desk, "axis", axis_text(dof.axis), help_of(dof.kind));
    return;
  }
  draw_choice(joint, dofs, index, desk);
  draw_fields(panel, joint, dofs, index, desk);
}

}  // namespace pelt::ui
