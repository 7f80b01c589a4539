#include "ui/modes.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "ui/ink.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr Chord ctrl(char digit) {
  return {.key = digit, .ctrl = true};
}

constexpr std::array kModes = {
    Mode{"look", "Look", ctrl('1'), "Skinning methods, comparisons, shapes and light"},
    Mode{"pose", "Pose", ctrl('2'), "Sliders, rings and bones"},
    Mode{"animate", "Animate", ctrl('3'), "Keys, curves and clips"},
    Mode{"weights", "Weights", ctrl('4'), "Which joint moves which vertex, and mending that"},
    Mode{"rig", "Rig", ctrl('5'), "Degrees of freedom, layers, and what is wrong with the rig"},
    Mode{"learn", "Learn", ctrl('6'), "Lessons about skinning with rigs whose numbers are known"},
};

float pad_of(const Desk& desk) {
  return desk.theme.px(9);
}

// One label of the row; tells whether it was clicked.
bool draw_mode(const Mode& mode, ImVec2 at, ImVec2 size, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string name = fmt::format("mode.{}", mode.id);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(name.c_str(), size);
  report_item(desk, name);
  const bool on = &current_mode(desk.workspace) == &mode;
  const ImU32 ground = on ? color::kAccentSoft : ImGui::IsItemHovered() ? color::kRaised : color::kBackground;
  if (ground != color::kBackground) {
    list.AddRectFilled(ImVec2(at.x, at.y + desk.theme.px(2)), ImVec2(at.x + size.x, at.y + size.y - desk.theme.px(2)),
                       ground, desk.theme.px(3));
  }
  const ImVec2 label = ImGui::CalcTextSize(mode.label);
  list.AddText(ImVec2(at.x + pad_of(desk), at.y + (size.y - label.y) * 0.5f),
               ink_on(ground, on ? IM_COL32_WHITE : color::kTextDim), mode.label);
  tip(fmt::format("{} ({})", mode.help, name_of(mode.key)));
  return clicked;
}

}  // namespace

std::span<const Mode> modes() {
  return kModes;
}

const Mode* find_mode(std::string_view id) {
  const auto found = std::ranges::find(kModes, id, &Mode::id);
  return found != kModes.end() ? &*found : nullptr;
}

const Mode& current_mode(const Workspace& workspace) {
  return *find_mode(workspace.mode);
}

namespace {

// The rows whose `modes`, words with a space between, name this one.
template <typename T>
std::vector<const T*> rows_of(std::span<const T> rows, const Mode& mode) {
  std::vector<const T*> out;
  for (const T& row : rows) {
    for (const std::string_view word : split(row.modes, ' ')) {
      if (word == mode.id) {
        out.push_back(&row);
      }
    }
  }
  return out;
}

}  // namespace

std::vector<const Tab*> tabs_of(const Mode& mode) {
  return rows_of(tabs(), mode);
}

std::vector<const Tool*> tools_of(const Mode& mode) {
  return rows_of(tools(), mode);
}

bool has_tab(const Mode& mode, std::string_view tab) {
  return std::ranges::any_of(tabs_of(mode), [&](const Tab* row) { return row->id == tab; });
}

void enter_mode(Workspace& workspace, std::string_view id) {
  workspace.mode_tabs[workspace.mode] = workspace.tab;
  const Mode& mode = *find_mode(id);
  workspace.mode = mode.id;
  const auto last = workspace.mode_tabs.find(mode.id);
  workspace.tab =
      last != workspace.mode_tabs.end() && has_tab(mode, last->second) ? last->second : tabs_of(mode).front()->id;
}

void show_tab_in(Workspace& workspace, std::string_view tab, std::string_view mode) {
  const Mode* const wished = find_mode(mode);
  if (wished != nullptr && has_tab(*wished, tab)) {
    workspace.mode = wished->id;
  }
  workspace.tab = find_tab(tab)->id;
  follow_tab(workspace);
}

void follow_tab(Workspace& workspace) {
  if (has_tab(current_mode(workspace), workspace.tab)) {
    return;
  }
  const auto found = std::ranges::find_if(kModes, [&](const Mode& mode) { return has_tab(mode, workspace.tab); });
  if (found != kModes.end()) {
    workspace.mode = found->id;
  }
}

float modes_width(const Desk& desk) {
  float width = 0;
  for (const Mode& mode : kModes) {
    width += ImGui::CalcTextSize(mode.label).x + 2 * pad_of(desk);
  }
  return width;
}

void draw_modes(Desk& desk, float right) {
  const float left = ImGui::GetCursorPosX() + desk.theme.px(10);
  const float height = ImGui::GetFrameHeight();
  const float width = modes_width(desk);
  const ImVec2 origin = ImGui::GetWindowPos();
  if (left + width <= right) {
    // In the middle of what is free, as long as the menus leave it.
    float x = std::floor(std::max(left, std::min((ImGui::GetWindowWidth() - width) * 0.5f, right - width)));
    const float y = ImGui::GetCursorPosY();
    for (const Mode& mode : kModes) {
      const ImVec2 size(ImGui::CalcTextSize(mode.label).x + 2 * pad_of(desk), height);
      if (draw_mode(mode, ImVec2(origin.x + x, origin.y + y), size, desk)) {
        enter_mode(desk.workspace, mode.id);
      }
      x += size.x;
    }
    ImGui::SetCursorPos(ImVec2(x, y));
    return;
  }
  const std::string label = fmt::format("{}###modes", current_mode(desk.workspace).label);
  if (left + ImGui::CalcTextSize(label.c_str(), nullptr, true).x + 2 * pad_of(desk) > right) {
    return;  // View > Mode has them, and keys
  }
  ImGui::PushStyleColor(ImGuiCol_Text, color::kAccent);
  const bool open = ImGui::BeginMenu(label.c_str());
  ImGui::PopStyleColor();
  if (open) {
    for (const Mode& mode : kModes) {
      if (ImGui::MenuItem(mode.label, name_of(mode.key).c_str(), &current_mode(desk.workspace) == &mode)) {
        enter_mode(desk.workspace, mode.id);
      }
      report_item(desk, fmt::format("mode.{}", mode.id));
    }
    ImGui::EndMenu();
  }
  report_item(desk, "modes");
}

}  // namespace pelt::ui
