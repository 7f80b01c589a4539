#include "ui/window.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "ui/about.h"
#include "ui/bind_comparison.h"
#include "ui/bind_panel.h"
#include "ui/compare_panel.h"
#include "ui/context_menu.h"
#include "ui/dialogs.h"
#include "ui/escape.h"
#include "ui/findings_banner.h"
#include "ui/help_panel.h"
#include "ui/hiding.h"
#include "ui/history_panel.h"
#include "ui/icons.h"
#include "ui/ink.h"
#include "ui/joints_panel.h"
#include "ui/listed_findings.h"
#include "ui/menu_bar.h"
#include "ui/modes.h"
#include "ui/skeleton_section.h"
#include "ui/status_bar.h"
#include "ui/tabs.h"
#include "ui/timeline_panel.h"
#include "ui/tree_panel.h"
#include "ui/weight_tools_panel.h"
#include "ui/widgets.h"
#include "ui/workspace.h"
#include "ui/worst_spots_section.h"

namespace pelt::ui {
namespace {

constexpr float kHelpWidth = 380;  // layout units

// A panel: a child of the root window with a background of its own.
template <typename Body>
void panel(const char* name, const Rect& rect, ImU32 background, ImVec2 padding, Desk& desk, const Body& body,
           ImGuiWindowFlags flags = 0) {
  if (rect.empty()) {
    return;
  }
  desk.report[std::string("panel.") + name] = rect;
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, background);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0.0f);
  const bool visible =
      ImGui::BeginChild(name, ImVec2(rect.w, rect.h), false, ImGuiWindowFlags_AlwaysUseWindowPadding | flags);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  if (visible) {
    body();
  }
  ImGui::EndChild();
}

float text_width(std::span<const Tab* const> row) {
  float total = 0;
  for (const Tab* tab : row) {
    total += ImGui::CalcTextSize(tab->label).x;
  }
  return total;
}

// One label; tells whether it was clicked.
bool draw_tab(const Tab& tab, ImVec2 at, ImVec2 size, Desk& desk) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string name = "tab." + std::string(tab.id);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(name.c_str(), ImVec2(std::max(1.0f, size.x), size.y));
  report_item(desk, name);
  const bool on = desk.workspace.tab == tab.id;
  const ImU32 ground = on ? color::kPanel : ImGui::IsItemHovered() ? color::kRaised : color::kBackground;
  if (ground != color::kBackground) {
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), ground);
  }
  if (on) {
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + desk.theme.px(2)), color::kAccent);
  }
  const ImVec2 label = ImGui::CalcTextSize(tab.label);
  list.AddText(ImVec2(std::floor(at.x + (size.x - label.x) * 0.5f), std::floor(at.y + (size.y - label.y) * 0.5f)),
               ink_on(ground, on ? color::kText : color::kTextDim), tab.label);
  if (const std::optional<Severity> worst = tab.warning != nullptr ? tab.warning(desk) : std::nullopt;
      worst && *worst != Severity::kInfo) {
    list.AddCircleFilled(ImVec2(at.x + size.x - desk.theme.px(4), at.y + desk.theme.px(6)), desk.theme.px(2.5f),
                         severity_color(static_cast<int>(*worst)), 12);
  }
  return clicked;
}

// Drawn by hand: ImGui's own shrink to unreadable stumps in a narrow panel. A mode has few enough for one row.
void draw_tab_bar(Desk& desk) {
  const std::vector<const Tab*> row = tabs_of(current_mode(desk.workspace));
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetFrameHeight() + desk.theme.px(4);
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = at.x;
  ImGui::PushFont(width < desk.theme.px(330) ? desk.theme.small : desk.theme.regular);
  const float spare = std::max(0.0f, (width - text_width(row)) / static_cast<float>(row.size()));
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(left + width, at.y + height), color::kBackground);
  for (const Tab* here : row) {
    const Tab& tab = *here;
    const float wanted = ImGui::CalcTextSize(tab.label).x + spare;
    const ImVec2 size(std::min(wanted, left + width - at.x), height);
    if (draw_tab(tab, at, size, desk)) {
      desk.workspace.tab = tab.id;
    }
    at.x += size.x;
  }
  ImGui::PopFont();
  ImGui::SetCursorScreenPos(ImVec2(left, at.y + height));
}

void draw_tabs(Desk& desk) {
  draw_tab_bar(desk);
  const float pad = desk.theme.px(10);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  ImGui::PushID(desk.workspace.tab.data(),
                desk.workspace.tab.data() + desk.workspace.tab.size());  // each scrolls alone
  if (ImGui::BeginChild("##tab", ImVec2(0, 0), false, ImGuiWindowFlags_AlwaysUseWindowPadding)) {
    find_tab(desk.workspace.tab)->draw(desk);
  } else {
    stop_revealing(desk.workspace.panel<ComparePanel>());
  }
  ImGui::EndChild();
  ImGui::PopID();
  ImGui::PopStyleVar();
}

void splitter(const char* name, const Rect& rect, bool left, glm::vec2 window, Desk& desk) {
  if (rect.empty()) {
    return;
  }
  ImGui::SetCursorScreenPos(ImVec2(rect.x, rect.y));
  ImGui::InvisibleButton(name, ImVec2(rect.w, rect.h));
  report_item(desk, name);
  const bool lit = ImGui::IsItemActive() || ImGui::IsItemHovered();
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(rect.x, rect.y), ImVec2(rect.x + rect.w, rect.y + rect.h),
                                            ImGui::IsItemActive() ? color::kAccent
                                            : lit                 ? color::kAccentSoft
                                                                  : color::kLine);
  if (lit) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  }
  // Only a drag: in a narrow window a panel is not as wide as it was wanted, and a click must not make it so.
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, desk.theme.px(2))) {
    PanelSizes& sizes = desk.workspace.preferences.panels;
    const float x = ImGui::GetIO().MousePos.x;
    sizes = left ? drag_left_splitter(sizes, x, window, desk.theme.scale)
                 : drag_right_splitter(sizes, x, window, desk.theme.scale);
  }
}

// A card over the viewport. Returns false when there is no room for it.
template <typename Body>
void card(const char* name, float width, float height, float y, ImU32 edge, Desk& desk, const Body& body) {
  const Rect& view = desk.workspace.layout.viewport;
  const float w = std::min(width, view.w - desk.theme.px(16));
  const ImVec2 at(std::floor(view.x + (view.w - w) * 0.5f), std::floor(y));
  ImGui::SetCursorScreenPos(at);
  const float pad = desk.theme.px(12);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, desk.theme.px(9)));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, desk.theme.px(5));
  ImGui::PushStyleVar(ImGuiStyleVar_ChildBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, faded(color::kPanel, 0.97f));
  ImGui::PushStyleColor(ImGuiCol_Border, edge);
  const bool visible = ImGui::BeginChild(name, ImVec2(w, height), true, ImGuiWindowFlags_NoScrollbar);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
  if (visible) {
    body();
  }
  ImGui::EndChild();
}

// The details that the banner has room for, in a list of their own; the rest is counted.
std::string banner_list(const std::string& details, std::size_t room) {
  std::string out;
  std::size_t left = details.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(details, '\n'));
  std::size_t listed = 0;
  for (const std::string_view line : split(details, '\n')) {
    if (listed == room && left > 1) {
      return out + fmt::format("\n\u2022 and {} more", left);
    }
    out += fmt::format("{}\u2022 {}", out.empty() ? "" : "\n", printable(line, 200));
    ++listed;
    --left;
  }
  return out;
}

// What stays until it is closed: an error, or a warning with the list of what it is about.
void draw_banner(Desk& desk) {
  if (!desk.workspace.error) {
    return;
  }
  const Notice& notice = *desk.workspace.error;
  const Rect& view = desk.workspace.layout.viewport;
  const ImU32 edge = severity_color(static_cast<int>(notice.severity));
  const float width = std::min(desk.theme.px(620), view.w - desk.theme.px(16));
  const float inner = width - desk.theme.px(24 + 26) - ImGui::GetFrameHeight();
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const auto room = static_cast<std::size_t>(std::clamp(0.3f * view.h / line, 1.0f, 8.0f));
  const std::string message = printable(notice.text, 1200);
  const std::string list = notice.details.empty() ? std::string() : banner_list(notice.details, room);
  const auto height_of = [&](const std::string& words) {
    return ImGui::CalcTextSize(words.c_str(), nullptr, false, std::max(40.0f, inner)).y;
  };
  const float words = height_of(message) + (list.empty() ? 0.0f : ImGui::GetStyle().ItemSpacing.y + height_of(list));
  const float top = view.y + desk.theme.px(50);  // below the toolbar
  const float least = ImGui::GetFrameHeight() + 2 * desk.theme.px(9);
  const float most = std::max(least, view.y + view.h - desk.theme.px(8) - top);  // the wheel shows what is below
  const float height = std::clamp(words + 2 * desk.theme.px(9), least, most);
  bool closed = false;
  card("##error", width, height, top, edge, desk, [&] {
    ImGui::PushStyleColor(ImGuiCol_Text, edge);
    text(notice.severity == Severity::kError ? icon::kError : icon::kWarning);
    ImGui::PopStyleColor();
    ImGui::SameLine(0, desk.theme.px(8));
    ImGui::BeginGroup();
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + inner);
    text(message);
    if (!list.empty()) {
      ImGui::PushStyleColor(ImGuiCol_Text, color::kTextDim);
      text(list);
      ImGui::PopStyleColor();
      report_item(desk, "error.list");
      constexpr std::size_t kMost = 40;
      tip(banner_list(notice.details, kMost));
    }
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
    ImGui::SetCursorPos(ImVec2(width - ImGui::GetFrameHeight() - desk.theme.px(8), desk.theme.px(6)));
    closed = icon_button(desk, "error.close", icon::kClose, "Close (Esc)");
  });
  report_item(desk, "error");
  if (closed) {
    desk.workspace.error.reset();
  }
}

void draw_loading(Desk& desk) {
  const Loading& loading = desk.scene.loading;
  if (!loading.active) {
    return;
  }
  const Rect& view = desk.workspace.layout.viewport;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float height = 2 * line + ImGui::GetFrameHeight() + 2 * desk.theme.px(12);
  card("##loading", desk.theme.px(360), height, view.y + (view.h - height) * 0.5f, color::kAccentSoft, desk, [&] {
    clipped_text(printable(loading.name), ImGui::GetContentRegionAvail().x);
    ImGui::ProgressBar(loading.fraction, ImVec2(-1, desk.theme.px(6)), "");
    ImGui::AlignTextToFramePadding();
    clipped_text(loading.what, ImGui::GetContentRegionAvail().x - desk.theme.px(90), color::kTextDim);
    ImGui::SameLine(ImGui::GetWindowWidth() - desk.theme.px(92));
    if (ImGui::Button("Cancel", ImVec2(desk.theme.px(80), 0))) {
      desk.requests.cancel_loading = true;
    }
    report_item(desk, "loading.cancel");
  });
}

// Esc ends the preview of what the mouse points at, until the mouse has been elsewhere.
void follow_preview(Desk& desk) {
  Workspace& workspace = desk.workspace;
  Preview& preview = desk.requests.preview;
  if (preview.subject != workspace.preview_ended) {
    workspace.preview_ended.clear();
  } else {
    preview = {};
  }
  workspace.previewed = preview.subject;
}

}  // namespace

void draw_window(Desk& desk) {
  Workspace& workspace = desk.workspace;
  const glm::vec2 window(ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y);
  const float line = ImGui::GetTextLineHeight();
  const StripHeights strips{line + 2 * desk.theme.px(5), timeline_height(desk),
                            std::floor(line * 13 / 15) + 2 * desk.theme.px(4) + desk.theme.px(1),
                            battery_panel_height(workspace.panel<ComparePanel>().battery, desk)};
  PanelSizes panels = workspace.preferences.panels;
  if (workspace.help_open) {
    panels.right = std::max(panels.right, kHelpWidth);
  }
  workspace.layout = arrange(window, desk.theme.scale, panels, strips, workspace.panels_hidden);
  workspace.viewport.tree_hovered_joint = -1;
  workspace.presses += ImGui::GetIO().MouseClickedCount[ImGuiMouseButton_Left] == 1 ? 1 : 0;
  follow_tab(workspace);
  const bool drag_cancelled = begin_escape(desk);
  workspace.viewport.toolbar = toolbar_rect(desk);
  if (desk.requests.commands.empty()) {  // else panes may be on their way
    forget_lost_panes(workspace, desk.document());
  }
  open_battery_panel(workspace.panel<ComparePanel>().battery, desk);
  keep_in_panes(workspace, desk.document());
  // As long as nobody moved the camera the character keeps filling the picture.
  if (workspace.framed && *workspace.framed == workspace.camera &&
      workspace.framed_room != framing_room(workspace, desk.document())) {
    frame_all(workspace, desk.scene);
  }
  follow_findings(desk);
  follow_hiding(desk);
  follow_scene_camera(desk);
  const BeforeWidgets before = before_widgets(desk);

  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(window.x, window.y));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(desk.theme.px(8), desk.theme.px(5)));
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse |
                                 ImGuiWindowFlags_NoNav | (workspace.panels_hidden ? 0 : ImGuiWindowFlags_MenuBar);
  ImGui::Begin("##root", nullptr, flags);
  ImGui::PopStyleVar(5);
  if (!workspace.panels_hidden) {
    draw_menu_bar(desk);
  }
  const WindowLayout& layout = workspace.layout;
  const float pad = desk.theme.px(8);
  panel(
      "tree", layout.left, color::kPanel, ImVec2(pad, pad), desk, [&] { draw(workspace.panel<TreePanel>(), desk); },
      ImGuiWindowFlags_NoScrollbar);
  draw_viewport(workspace.viewport, desk);
  panel(
      "tabs", layout.right, color::kPanel, ImVec2(0, 0), desk,
      [&] { workspace.help_open ? draw_help_panel(desk) : draw_tabs(desk); }, ImGuiWindowFlags_NoScrollbar);
  panel(
      "battery", layout.bottom, color::kPanel, ImVec2(pad, desk.theme.px(6)), desk,
      [&] { draw_battery_panel(workspace.panel<ComparePanel>().battery, desk); }, ImGuiWindowFlags_NoScrollbar);
  panel(
      "timeline", layout.timeline, color::kPanel, ImVec2(pad, desk.theme.px(6)), desk,
      [&] { draw(workspace.panel<TimelinePanel>(), desk); }, ImGuiWindowFlags_NoScrollbar);
  panel(
      "status", layout.status, color::kBackground, ImVec2(pad, desk.theme.px(4)), desk, [&] { draw_status(desk); },
      ImGuiWindowFlags_NoScrollbar);
  splitter("splitter.left", layout.left_splitter, true, window, desk);
  splitter("splitter.right", layout.right_splitter, false, window, desk);
  // Hairlines between the strips.
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Rect& strip : {layout.bottom, layout.timeline, layout.status}) {
    if (!strip.empty()) {
      list.AddLine(ImVec2(strip.x, strip.y), ImVec2(strip.x + strip.w, strip.y), color::kLine);
    }
  }
  draw_findings_banner(desk);
  draw_banner(desk);
  draw_loading(desk);
  draw_context_menu(desk);
  draw(workspace.browser, desk);
  draw_session_questions(desk);
  hold_back(desk);  // after all that may ask for another character
  draw_leaving(desk);
  ImGui::End();
  note_drag(before, desk);
  follow_skeleton_job(desk);
  follow_binding(desk);
  follow_spots(desk);
  follow_comparison(desk);
  follow_preview(desk);
  if (drag_cancelled) {
    end_escape(desk);
  }
  note_moved_slider(workspace.panel<ComparePanel>(), desk);
  follow_learning(workspace.panel<JointsPanel>().learning, desk);

  if (workspace.help_open && layout.right.empty()) {
    draw_help_window(desk);
  }
  draw_about(desk);
  draw_history(desk);
}

}  // namespace pelt::ui
