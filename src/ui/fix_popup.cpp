#include "ui/fix_popup.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "ui/listed_findings.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr const char* kFixPopup = "##fixes";
constexpr float kLeastRoom = 8;  // heights of a button

// The consequence of a mend, for its row and its button.
const char* consequence_of(const rig::LintRule& rule) {
  return rule.only_named ? "May move vertices, or matter to files beside this one; Ctrl+Z takes it back"
                         : "Moves no vertex; Ctrl+Z takes it back";
}

// One for each code that something mends, in the order of the findings; what is only worth knowing has no tick.
std::vector<FixPopup::Row> fixable_rows(const ListedFindings& list) {
  std::vector<FixPopup::Row> out;
  for (std::size_t i = 0; i < list.rows.size(); ++i) {
    const std::string& code = list.findings[i].code;
    const rig::LintRule* const rule = rig::find_lint_rule(code);
    if (rule == nullptr || !rule->fixable || list.rows[i].is_done) {
      continue;
    }
    const auto known = std::ranges::find(out, code, &FixPopup::Row::code);
    if (known != out.end()) {
      ++known->findings;
    } else {
      out.push_back({code, 1, list.findings[i].severity > Severity::kInfo});
    }
  }
  return out;
}

std::size_t ticked(const std::vector<FixPopup::Row>& rows) {
  std::size_t count = 0;
  for (const FixPopup::Row& row : rows) {
    count += row.is_ticked ? row.findings : 0;
  }
  return count;
}

void draw_row(FixPopup::Row& row, Desk& desk) {
  const rig::LintRule* const rule = rig::find_lint_rule(row.code);
  const std::string label = row.findings == 1 ? row.code : fmt::format("{}  ({})", row.code, row.findings);
  ImGui::Checkbox(fmt::format("{}###{}", label, row.code).c_str(), &row.is_ticked);
  report_item(desk, fmt::format("fix.{}", row.code));
  tip(fmt::format("{} {}", rule->explanation, consequence_of(*rule)));
  ImGui::Indent(ImGui::GetFrameHeightWithSpacing());
  wrapped_text(std::string(rule->remedy), color::kTextDim);
  ImGui::Unindent(ImGui::GetFrameHeightWithSpacing());
}

// The list opens below its button, the last item, so that the counts beside the button stay seen; where there is little
// room below, at the left of the panel.
void place_popup(const Desk& desk) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float gap = desk.theme.px(4);
  const float width = std::min(desk.theme.px(380), window.x - 2 * gap);
  const float below = ImGui::GetItemRectMax().y + gap;
  const float panel = ImGui::GetWindowPos().x;
  const bool is_beside = window.y - below < kLeastRoom * ImGui::GetFrameHeight() && panel >= width + 2 * gap;
  const float x = is_beside ? panel - width - gap : std::min(ImGui::GetItemRectMin().x, window.x - width - gap);
  const float y = is_beside ? gap : below;
  ImGui::SetNextWindowPos(ImVec2(std::floor(x), std::floor(y)));
  ImGui::SetNextWindowSize(ImVec2(width, 0));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, std::max(1.0f, window.y - y - gap)));
}

}  // namespace

void draw_fix(FixPopup& popup, const ListedFindings& list, Desk& desk) {
  std::vector<FixPopup::Row> rows = fixable_rows(list);
  const std::size_t count_now = ticked(rows);
  ImGui::BeginDisabled(rows.empty());
  if (ImGui::Button((count_now > 0 ? fmt::format("Fix {}\u2026###fix", count_now) : "Fix\u2026###fix").c_str())) {
    popup.rows = std::move(rows);
    ImGui::OpenPopup(kFixPopup);
  }
  ImGui::EndDisabled();
  report_item(desk, "findings.fix");
  tip("Choose what to mend: at first all errors and warnings of the list that a fix mends");
  place_popup(desk);
  if (!ImGui::BeginPopup(kFixPopup)) {
    return;
  }
  const ImVec2 at = ImGui::GetWindowPos();
  desk.report["fix"] = {at.x, at.y, ImGui::GetWindowSize().x, ImGui::GetWindowSize().y};
  for (FixPopup::Row& row : popup.rows) {
    draw_row(row, desk);
  }
  const std::size_t count = ticked(popup.rows);
  ImGui::BeginDisabled(count == 0);
  if (ImGui::Button(fmt::format("Fix {}###go", count).c_str(), ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    for (const FixPopup::Row& row : popup.rows) {
      if (row.is_ticked) {
        desk.requests.fix.push_back(row.code);
      }
    }
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndDisabled();
  report_item(desk, "fix.go");
  ImGui::EndPopup();
}

void draw_fix_of(const std::string& code, Desk& desk) {
  const rig::LintRule* const rule = rig::find_lint_rule(code);
  if (ImGui::Button(fmt::format("Fix all of {}###fixthis", code).c_str(),
                    ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    desk.requests.fix = {code};
  }
  report_item(desk, "findings.fix_these");
  tip(fmt::format("{} {}", rule->remedy, consequence_of(*rule)));
}

}  // namespace pelt::ui
