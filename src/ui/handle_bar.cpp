#include "ui/handle_bar.h"

#include <fmt/format.h>
#include <imgui.h>

#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/reach_tool.h"
#include "ui/tools.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kBarPad = 3;  // layout units
constexpr float kAxesWidth = 82;
constexpr float kPivotWidth = 108;

bool has_handles(const Desk& desk) {
  const std::string_view tool = current_tool(desk.workspace).id;
  const std::string_view mode = desk.workspace.mode;
  return (mode == "pose" || mode == "animate") && (tool == kSelectTool || tool == kMoveTool || tool == kScaleTool);
}

void draw_symmetric(Desk& desk) {
  if (icon_button(desk, "handle.symmetric", icon::kSymmetric,
                  "Symmetric posing: what is posed on one side is posed on the other as well, seen in the mirror",
                  desk.document().view.symmetric_posing)) {
    toggle_symmetric_posing(desk);
  }
}

// The options of a drag with inverse kinematics that people change while they pose; the tab IK has all.
void draw_reach_choices(Desk& desk) {
  ReachTool& tool = desk.workspace.panel<ReachTool>();
  if (icon_button(desk, "handle.keep-direction", icon::kTarget,
                  "Keep direction: hands and feet that are dragged go on pointing where they point in the world",
                  tool.keep_direction)) {
    tool.keep_direction = !tool.keep_direction;
  }
  ImGui::SameLine(0, desk.theme.px(kBarPad));
  draw_symmetric(desk);
}

std::string help_of_axes(const Desk& desk) {
  std::string help = fmt::format("Axes of rings and handles ({})", name_of(find_action("handle.next-axes")->key));
  for (const HandleAxesInfo& info : kHandleAxes) {
    help += fmt::format("\n{}{}: {}", info.axes == desk.workspace.preferences.handles.axes ? "\u2022 " : "", info.label,
                        info.help);
  }
  return help;
}

std::string help_of_pivot(const Desk& desk) {
  std::string help =
      fmt::format("What several joints turn and scale about ({})", name_of(find_action("handle.next-pivot")->key));
  for (const HandlePivotInfo& info : kHandlePivots) {
    help += fmt::format("\n{}{}: {}", info.pivot == desk.workspace.preferences.handles.pivot ? "\u2022 " : "",
                        info.label, info.help);
  }
  return help;
}

void draw_choices(Desk& desk) {
  HandleOptions& options = desk.workspace.preferences.handles;
  int axes = static_cast<int>(options.axes);
  ImGui::SetNextItemWidth(desk.theme.px(kAxesWidth));
  if (combo(desk, "handle.axes", static_cast<int>(kHandleAxes.size()), axes,
            [](int i) { return kHandleAxes[static_cast<std::size_t>(i)].label; })) {
    options.axes = static_cast<HandleAxes>(axes);
  }
  tip(help_of_axes(desk));
  ImGui::SameLine(0, desk.theme.px(kBarPad));
  int pivot = static_cast<int>(options.pivot);
  ImGui::SetNextItemWidth(desk.theme.px(kPivotWidth));
  if (combo(desk, "handle.pivot", static_cast<int>(kHandlePivots.size()), pivot,
            [](int i) { return kHandlePivots[static_cast<std::size_t>(i)].label; })) {
    options.pivot = static_cast<HandlePivot>(pivot);
  }
  tip(help_of_pivot(desk));
  ImGui::SameLine(0, desk.theme.px(kBarPad));
  draw_symmetric(desk);
}

}  // namespace

Rect handle_bar_rect(const Desk& desk) {
  const Rect strip = tool_strip_rect(desk);
  if (strip.empty() || !(has_handles(desk) || reaches(desk))) {
    return {};
  }
  const float pad = desk.theme.px(kBarPad);
  const float side = ImGui::GetFrameHeight();
  const float width = reaches(desk) ? 2 * side + 3 * pad : desk.theme.px(kAxesWidth + kPivotWidth) + side + 4 * pad;
  const float x = strip.x + strip.w + desk.theme.px(8);
  const Rect& view = desk.workspace.layout.viewport;
  if (x + width + pad > view.x + view.w) {
    return {};
  }
  return {x, strip.y, width, side + 2 * pad};
}

void draw_handle_bar(Desk& desk) {
  const Rect rect = handle_bar_rect(desk);
  if (rect.empty()) {
    return;
  }
  const float pad = desk.theme.px(kBarPad);
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, desk.theme.px(5));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, faded(color::kPanel, 0.86f));
  const bool shown = ImGui::BeginChild("##handles", ImVec2(rect.w, rect.h), false,
                                       ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  if (shown) {
    reaches(desk) ? draw_reach_choices(desk) : draw_choices(desk);
  }
  ImGui::EndChild();
}

void next_handle_axes(Desk& desk) {
  HandleAxes& axes = desk.workspace.preferences.handles.axes;
  axes = kHandleAxes[(static_cast<std::size_t>(axes) + 1) % kHandleAxes.size()].axes;
}

void next_handle_pivot(Desk& desk) {
  HandlePivot& pivot = desk.workspace.preferences.handles.pivot;
  pivot = kHandlePivots[(static_cast<std::size_t>(pivot) + 1) % kHandlePivots.size()].pivot;
}

void toggle_symmetric_posing(Desk& desk) {
  desk.requests.symmetric_posing = !desk.document().view.symmetric_posing;
}

}  // namespace pelt::ui
