#include "ui/tools.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/icons.h"
#include "ui/modes.h"
#include "ui/paint_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr double kHeld = 0.35;    // seconds after which a key counts as held
constexpr float kStripPad = 3;    // layout units
constexpr float kStripInset = 8;  // layout units to the edges of the picture

constexpr std::array kTools = {
    Tool{kSelectTool,
         "Select",
         icon::kCursor,
         {'V'},
         "look pose animate weights rig learn",
         "Click selects \u00b7 Shift adds, Ctrl toggles \u00b7 drag orbits, Shift+drag pans \u00b7 right click: menu"},
    Tool{kBoxTool,
         "Select by a box",
         icon::kBox,
         {'O'},
         "look pose animate weights rig learn",
         "Drag a box to select \u00b7 Shift adds, Ctrl toggles \u00b7 Alt+drag orbits \u00b7 Esc cancels"},
    Tool{kChainTool,
         "Select a chain",
         icon::kChain,
         {'I'},
         "look pose animate rig learn",
         "Click a joint: all on the way from the active one \u00b7 Shift adds \u00b7 drag orbits"},
    Tool{kMoveTool,
         "Move",
         icon::kMove,
         {'G', false, true},
         "pose animate",
         "Drag an arrow, a square or the circle \u00b7 Ctrl snaps \u00b7 comma: next axes, full stop: next pivot "
         "\u00b7 Esc cancels"},
    Tool{kScaleTool,
         "Scale",
         icon::kScale,
         {'S', false, true},
         "pose animate",
         "Drag a cube, a square or the middle \u00b7 Ctrl snaps to 0.1 \u00b7 comma: next axes, full stop: next pivot "
         "\u00b7 Esc cancels"},
    Tool{
        kReachTool,
        "Drag with IK",
        icon::kReach,
        {'R'},
        "pose animate",
        "Drag a hand, a foot, the hips: the limb follows \u00b7 wheel: longer or shorter chain \u00b7 Shift+P pins the "
        "selected joints \u00b7 Esc cancels"},
    Tool{kPaintTool,
         "Paint weights",
         icon::kBrush,
         {'R'},
         "weights",
         "Drag on the skin: paints \u00b7 Shift smooths, Ctrl takes away \u00b7 F+drag: size \u00b7 J: the joint under "
         "the mouse, L locks it \u00b7 beside the skin, or with Alt: orbits \u00b7 Esc cancels",
         kPaintTab},
    Tool{
        kPullTool,
        "Pull a vertex",
        icon::kPull,
        {'Y'},
        "weights",
        "Drag a vertex of a posed skin: its weights follow, as far as its joints reach \u00b7 F+drag: how much follows "
        "\u00b7 Esc cancels",
        kPaintTab},
    Tool{kPlaceTool,
         "Place joints",
         icon::kJoint,
         {'G', false, true},
         "weights",
         "Drag a joint of a skeleton that is not bound yet: it stays in the middle of the volume \u00b7 beside "
         "joints, or with Alt: orbits \u00b7 Esc cancels"},
};

const Tool& tool_of(std::string_view id) {
  return *std::ranges::find(kTools, id, &Tool::id);
}

bool has_tool(const Workspace& workspace, std::string_view id) {
  return std::ranges::any_of(tools_of(current_mode(workspace)), [&](const Tool* tool) { return tool->id == id; });
}

}  // namespace

std::span<const Tool> tools() {
  return kTools;
}

const Tool& current_tool(const Workspace& workspace) {
  return has_tool(workspace, workspace.tool) ? tool_of(workspace.tool) : *tools_of(current_mode(workspace)).front();
}

void take_tool(Workspace& workspace, std::string_view id) {
  const Tool& tool = tool_of(id);
  workspace.tool = tool.id;
  workspace.tool_taken = true;
  workspace.held_tool.reset();
  if (!tool.tab.empty() && has_tab(current_mode(workspace), tool.tab)) {
    workspace.tab = tool.tab;
  }
}

bool press_tool(const Chord& chord, Desk& desk) {
  Workspace& workspace = desk.workspace;
  const auto found =
      std::ranges::find_if(kTools, [&](const Tool& tool) { return tool.key == chord && has_tool(workspace, tool.id); });
  if (found == kTools.end()) {
    return false;
  }
  const std::string_view before = current_tool(workspace).id;
  const std::string_view tab = workspace.tab;
  const render::Look look = workspace.view.look;
  take_tool(workspace, found->id);
  if (before != found->id) {
    workspace.held_tool = HeldTool{chord, before, desk.scene.now, tab, look};
  }
  return true;
}

void release_tool(int key, Desk& desk) {
  std::optional<HeldTool>& held = desk.workspace.held_tool;
  if (!held || held->key.key != key) {
    return;
  }
  if (held->used && desk.scene.now - held->since > kHeld) {
    desk.workspace.tool = held->before;
    if (has_tab(current_mode(desk.workspace), held->tab)) {
      desk.workspace.tab = held->tab;
    }
    desk.workspace.view.look = held->look;
    desk.workspace.tool_taken = false;
  }
  held.reset();
}

Rect tool_strip_rect(const Desk& desk) {
  const Rect& view = desk.workspace.layout.viewport;
  const float side = ImGui::GetFrameHeight();
  const float pad = desk.theme.px(kStripPad);
  const float inset = desk.theme.px(kStripInset);
  const Rect& toolbar = desk.workspace.viewport.toolbar;
  const float top = toolbar.empty() ? view.y + inset : toolbar.y + toolbar.h + inset;
  const float height = side * static_cast<float>(tools_of(current_mode(desk.workspace)).size()) + 2 * pad;
  if (desk.workspace.panels_hidden || view.w < 6 * side || top + height + 2 * side > view.y + view.h) {
    return {};
  }
  return {view.x + inset, top, side + 2 * pad, height};
}

void draw_tool_strip(Desk& desk) {
  const Rect rect = tool_strip_rect(desk);
  if (rect.empty()) {
    return;
  }
  const float pad = desk.theme.px(kStripPad);
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, desk.theme.px(5));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, faded(color::kPanel, 0.86f));
  if (ImGui::BeginChild("##tools", ImVec2(rect.w, rect.h), false,
                        ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoScrollbar)) {
    const Tool& current = current_tool(desk.workspace);
    for (const Tool* row : tools_of(current_mode(desk.workspace))) {
      const Tool& tool = *row;
      const std::string help = fmt::format("{} ({})\n{}", tool.label, name_of(tool.key), tool.help);
      if (icon_button(desk, fmt::format("tool.{}", tool.id).c_str(), tool.icon, help, &tool == &current)) {
        take_tool(desk.workspace, tool.id);
      }
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
}

}  // namespace pelt::ui
