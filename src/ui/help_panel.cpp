#include "ui/help_panel.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <imgui.h>

#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/modes.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void key_line(const std::string& key, std::string_view what, Desk& desk) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float column = std::min(desk.theme.px(126), std::floor(0.46f * ImGui::GetContentRegionAvail().x));
  const ImVec2 size = ImGui::CalcTextSize(key.c_str());
  const float pad = desk.theme.px(5);
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x, at.y - desk.theme.px(1)),
                                            ImVec2(at.x + size.x + 2 * pad, at.y + size.y + desk.theme.px(1)),
                                            color::kField, desk.theme.px(3));
  ImGui::SetCursorScreenPos(ImVec2(at.x + pad, at.y));
  text(key);
  ImGui::SetCursorScreenPos(ImVec2(at.x + std::max(column, size.x + 3 * pad), at.y));
  wrapped_text(what, color::kTextDim);
}

void draw_mouse(Desk& desk) {
  heading(desk, "Mouse");
  const bool blender = desk.workspace.preferences.mouse == MouseScheme::kBlender;
  key_line(blender ? "Middle drag" : "Left drag", "Orbit", desk);
  key_line(blender ? "Shift+middle" : "Middle drag", blender ? "Pan" : "Pan, also Shift+left", desk);
  key_line(blender ? "Ctrl+middle" : "Right drag", "Zoom to the cursor, also the wheel", desk);
  key_line("Alt+left drag", "Orbit, whatever the tool", desk);
  key_line("Click", "Select a joint, or a vertex; Shift adds, Ctrl toggles", desk);
  key_line("Right click", "A menu of what is there", desk);
  key_line("Double click", "Set the pivot, also middle click", desk);
  key_line("Drag a ring", "Turn the joint; Ctrl snaps to 15\u00b0", desk);
  key_line("Drag a bone", "Turn the selected joint freely", desk);
  key_line("Slider", "Shift snaps, a double click resets", desk);
  key_line("Esc", "Takes any drag back, closes menus, deselects", desk);
}

void draw_tools(Desk& desk) {
  heading(desk, "Tools, held down for as long");
  for (const Tool* tool : tools_of(current_mode(desk.workspace))) {
    key_line(name_of(tool->key), tool->label, desk);
  }
}

void draw_lines(Desk& desk) {
  ImGui::PushFont(desk.theme.small);
  draw_mouse(desk);
  draw_tools(desk);
  for (const char* menu : menus()) {
    heading(desk, menu);
    for (const Action& action : actions()) {
      const bool here = find_action(action.key, desk.workspace.mode) == &action;  // another mode has another meaning
      if (here && std::string_view(action.menu).starts_with(menu)) {
        key_line(name_of(action.key), action.label, desk);
      }
    }
  }
  ImGui::PopFont();
}

}  // namespace

void draw_help_panel(Desk& desk) {
  const ImVec2 corner = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  desk.report["help"] = {corner.x, corner.y, size.x, size.y};
  const float pad = desk.theme.px(10);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, desk.theme.px(6)));
  if (ImGui::BeginChild("##help", ImVec2(0, 0), false, ImGuiWindowFlags_AlwaysUseWindowPadding)) {
    const float right = ImGui::GetContentRegionMax().x - ImGui::GetFrameHeight();
    ImGui::AlignTextToFramePadding();
    ImGui::PushFont(desk.theme.strong);
    text("Keys and mouse");
    ImGui::PopFont();
    ImGui::SameLine(right);
    if (icon_button(desk, "help.close", icon::kClose, "Close (Esc)")) {
      desk.workspace.help_open = false;
    }
    draw_lines(desk);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void draw_help_window(Desk& desk) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::min(desk.theme.px(420), window.x - desk.theme.px(24)),
                    std::min(desk.theme.px(580), window.y - desk.theme.px(24)));
  ImGui::SetNextWindowSize(size);
  ImGui::SetNextWindowPos(ImVec2(std::floor(window.x - size.x - desk.theme.px(12)), desk.theme.px(12)));
  ImGui::SetNextWindowBgAlpha(0.97f);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("Keys and mouse", &desk.workspace.help_open, kFlags)) {
    draw_lines(desk);
  }
  ImGui::End();
}

}  // namespace pelt::ui
