#include "ui/history_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "core/text.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

void draw_place(std::size_t place, Desk& desk) {
  const edit::History& history = desk.document().history;
  const bool present = place == history.cursor();
  ImGui::PushID(static_cast<int>(place));
  const std::string label = history_label(desk.document(), place);
  const std::string shown = fitted(label, ImGui::GetContentRegionAvail().x);
  ImGui::PushStyleColor(ImGuiCol_Text, place > history.cursor() ? color::kTextDim : color::kText);
  if (ImGui::Selectable(fmt::format("{}##place", shown).c_str(), present)) {
    desk.requests.travel = place;
  }
  ImGui::PopStyleColor();
  report_item(desk, fmt::format("history.{}", place));
  if (shown != label) {
    tip(label);
  }
  ImGui::PopID();
}

void draw_history_steps(Desk& desk) {
  const edit::History& history = desk.document().history;
  const float row = ImGui::GetTextLineHeightWithSpacing();
  std::size_t& followed = desk.workspace.history_followed;
  if (followed != history.cursor() || ImGui::IsWindowAppearing()) {
    followed = history.cursor();
    ImGui::SetScrollFromPosY(ImGui::GetCursorStartPos().y + row * (static_cast<float>(followed) + 0.5f));
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(history.size()), row);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      draw_place(static_cast<std::size_t>(i), desk);
    }
  }
}

void take_keys(Desk& desk) {
  const edit::History& history = desk.document().history;
  if (pressed(ImGuiKey_UpArrow, true) && history.can_undo()) {
    desk.requests.travel = history.cursor() - 1;
  }
  if (pressed(ImGuiKey_DownArrow, true) && history.can_redo()) {
    desk.requests.travel = history.cursor() + 1;
  }
}

}  // namespace

std::string history_label(const edit::Document& document, std::size_t place) {
  const std::string& label = document.history.step(place).label;
  return label.empty() ? "As opened" : printable(label);
}

void draw_history(Desk& desk) {
  if (!desk.workspace.history_open) {
    return;
  }
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float gap = desk.theme.px(12);
  const ImVec2 size(std::min(desk.theme.px(300), window.x - 2 * gap), std::min(desk.theme.px(380), window.y - 2 * gap));
  const Rect& view = desk.workspace.layout.viewport;
  ImGui::SetNextWindowSize(size, ImGuiCond_Appearing);
  ImGui::SetNextWindowPos(ImVec2(std::floor(std::clamp(view.x + gap, gap, window.x - size.x - gap)),
                                 std::floor(std::clamp(view.y + view.h - size.y - gap, gap, window.y - size.y - gap))),
                          ImGuiCond_Appearing);
  ImGui::SetNextWindowSizeConstraints(ImVec2(desk.theme.px(160), desk.theme.px(120)),
                                      ImVec2(window.x - gap, window.y - gap));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("History", &desk.workspace.history_open, kFlags)) {
    const ImVec2 at = ImGui::GetWindowPos();
    desk.report["history"] = {at.x, at.y, ImGui::GetWindowSize().x, ImGui::GetWindowSize().y};
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) {
      take_keys(desk);
    }
    const float below = ImGui::GetTextLineHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
    if (ImGui::BeginChild("##places", ImVec2(0, -below))) {
      draw_history_steps(desk);
    }
    ImGui::EndChild();
    const edit::History& history = desk.document().history;
    ImGui::PushFont(desk.theme.small);
    clipped_text(fmt::format("{} of {} MB for going back", bytes_text(static_cast<std::int64_t>(history.bytes())),
                             history.limit() >> 20),
                 ImGui::GetContentRegionAvail().x, color::kTextDim);
    ImGui::PopFont();
    tip("What the steps hold besides what is shown; above the limit the oldest are forgotten.\n"
        "The arrow keys go from step to step.");
  }
  ImGui::End();
}

}  // namespace pelt::ui
