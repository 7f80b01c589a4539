#include "ui/joint_choice.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/text.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {

void draw_joint_choice(std::string& filter, Desk& desk) {
  const rig::Skeleton& skeleton = desk.character().skeleton;
  const int selected = desk.document().view.selected_joint();
  const std::string shown = selected >= 0 ? printable(skeleton.label(selected)) : "Choose a joint";
  ImGui::SetNextItemWidth(-1);
  const bool listed = ImGui::BeginCombo("##joint", fitted_in_combo(shown).c_str(), ImGuiComboFlags_HeightLargest);
  if (!listed) {
    report_item(desk, "pose.joint");
    return;
  }
  if (ImGui::IsWindowAppearing()) {
    filter.clear();
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputTextWithHint("##filter", fmt::format("{}  Search joint", icon::kSearch).c_str(),
                                                &filter, ImGuiInputTextFlags_EnterReturnsTrue);
  report_item(desk, "pose.joint.filter");
  ImGui::BeginChild("##list", ImVec2(0, desk.theme.px(260)));
  bool first = true;
  for (int j = 0; j < skeleton.size(); ++j) {
    const std::string name = printable(skeleton.label(j));
    if (!contains_ignoring_case(name, filter)) {
      continue;
    }
    ImGui::PushID(j);
    if (ImGui::Selectable(name.c_str(), j == selected) || (entered && first)) {
      select(desk, j);
      ImGui::CloseCurrentPopup();
    }
    report_item(desk, "pose.joint." + name);
    ImGui::PopID();
    first = false;
  }
  ImGui::EndChild();
  ImGui::EndCombo();
}

}  // namespace pelt::ui
