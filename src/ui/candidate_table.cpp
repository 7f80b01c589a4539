#include "ui/candidate_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/candidate_columns.h"
#include "ui/ink.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

using Columns = std::span<const CandidateColumn* const>;

// At the right edge of the cell; framed where it is the best of its column.
void draw_number(const std::string& value, bool wins, ImU32 ink, const Desk& desk) {
  const ImVec2 size = ImGui::CalcTextSize(value.c_str());
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, ImGui::GetContentRegionAvail().x - size.x));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  text(value);
  ImGui::PopStyleColor();
  if (wins) {
    const float out = desk.theme.px(2);
    ImGui::GetWindowDrawList()->AddRect(ImVec2(at.x - out, at.y), ImVec2(at.x + size.x + out, at.y + size.y),
                                        color::kGood, desk.theme.px(3), 0, desk.theme.scale);
  }
}

void draw_headings(BindComparison& comparison, Columns columns, Desk& desk) {
  const CandidateColumn& sorting = sorting_column(comparison, columns);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  for (const CandidateColumn* column : columns) {
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x;
    const ImVec2 size = ImGui::CalcTextSize(column->heading);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton(column->id, ImVec2(std::max(1.0f, room), size.y))) {
      comparison.sorted_by = column->id;
    }
    report_item(desk, fmt::format("bind.candidates.by.{}", column->id));
    const bool is_sorting = column == &sorting;
    const ImU32 ink = is_sorting || ImGui::IsItemHovered() ? color::kText : color::kTextDim;
    const float left = at.x + std::max(0.0f, room - size.x);
    clipped_text_at({left, at.y}, column->heading, room, ink);
    if (is_sorting) {
      const float below = std::floor(at.y + size.y) + 0.5f;
      ImGui::GetWindowDrawList()->AddLine(ImVec2(left, below), ImVec2(left + size.x, below), ink, desk.theme.scale);
    }
    tip(fmt::format("{}.\nClick: sorts by it, the best first", column->help));
  }
}

// @return whether it was clicked
bool draw_row(const BindComparison& comparison, std::size_t r, int pane, Columns columns,
              std::span<const std::vector<char>> wins, Desk& desk) {
  const BindComparison::Row& row = comparison.rows[r];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(r));
  ImGui::BeginDisabled(pane < 0);
  const ImVec2 at = ImGui::GetCursorPos();
  const bool is_shown = std::cmp_equal(comparison.shown, r);
  const bool clicked = ImGui::Selectable("##candidate", is_shown, ImGuiSelectableFlags_SpanAllColumns);
  const ImU32 ground = is_shown ? color::kAccentSoft : ImGui::IsItemHovered() ? color::kHover : color::kPanel;
  ImGui::EndDisabled();
  report_item(desk, fmt::format("bind.candidate.{}", r));
  tip(all_scores(row));
  ImGui::SetCursorPos(at);
  if (comparison.side_by_side && pane >= 0) {
    pane_chip(pane, desk);
  }
  const ImU32 ink = ink_on(ground, !row.error.empty() ? color::kError : pane < 0 ? color::kTextDim : color::kText);
  clipped_text(row.label, ImGui::GetContentRegionAvail().x, ink);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    ImGui::TableNextColumn();
    const bool is_made = std::optional<std::size_t>(r) == comparison.running;
    draw_number(row.candidate != nullptr ? columns[c]->text(*row.candidate)
                : is_made                ? std::string("\u2026")
                                         : std::string(kNoNumber),
                wins[c][r] != 0, ink, desk);
    report_item(desk, fmt::format("bind.candidate.{}.{}", r, columns[c]->id));
  }
  ImGui::PopID();
  return clicked;
}

}  // namespace

std::optional<std::size_t> draw_candidate_table(BindComparison& comparison, std::span<const std::size_t> done,
                                                Desk& desk) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX;
  std::optional<std::size_t> clicked;
  const std::vector<const CandidateColumn*> columns = columns_of(comparison);
  std::vector<std::vector<char>> wins;
  for (const CandidateColumn* column : columns) {
    wins.push_back(winners(comparison, *column));
  }
  ImGui::PushFont(desk.theme.small);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(desk.theme.px(3), desk.theme.px(2)));
  // Each number of columns is a table of its own.
  const std::string id = fmt::format("##candidates{}", columns.size());
  if (ImGui::BeginTable(id.c_str(), 1 + static_cast<int>(columns.size()), kFlags)) {
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    for (const CandidateColumn* column : columns) {
      const float least = ImGui::CalcTextSize("00.0").x;
      ImGui::TableSetupColumn(column->heading, ImGuiTableColumnFlags_WidthFixed,
                              std::max(least, ImGui::CalcTextSize(column->heading).x));
    }
    draw_headings(comparison, columns, desk);
    for (const std::size_t r : ranked_rows(comparison, sorting_column(comparison, columns))) {
      const auto at = std::ranges::find(done, r);
      const int pane = at != done.end() ? static_cast<int>(at - done.begin()) : -1;
      if (draw_row(comparison, r, pane, columns, wins, desk)) {
        clicked = r;
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  if (!comparison.running && !done.empty()) {
    wrapped_text(judgement(comparison, columns), color::kTextDim);
    report_item(desk, "bind.candidates.judgement");
  }
  ImGui::PopFont();
  return clicked;
}

}  // namespace pelt::ui
