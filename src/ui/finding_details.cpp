#include "ui/finding_details.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "core/index.h"
#include "core/text.h"
#include "edit/commands.h"
#include "edit/mend_foresight.h"
#include "edit/weight_repairs.h"
#include "ui/fix_popup.h"
#include "ui/icons.h"
#include "ui/info_panel.h"
#include "ui/ink.h"
#include "ui/listed_findings.h"
#include "ui/mend_words.h"
#include "ui/modes.h"
#include "ui/selecting.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr std::chrono::milliseconds kForesightPatience(4);  // a small character's is there in the same picture
constexpr std::chrono::seconds kPatience(120);              // of tests and pictures
constexpr float kMostOfRoom = 0.45f;                        // the list keeps the rest
constexpr float kLinesOfText = 7;
constexpr float kLinesOfLittleRoom = 16;  // in less the list has all of it until a finding is marked

const rig::Finding* finding_of(const FindingDetails::About& about, const Desk& desk) {
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  return has_index(list.rows, about.finding) ? &list.findings[static_cast<std::size_t>(about.finding)] : nullptr;
}

// Makes the mend on a copy, for its numbers.
void start_foresight(FindingDetails& details, const Desk& desk) {
  details.foreseen.reset();
  if (details.job == nullptr) {
    details.job = std::make_unique<JobSlot<FindingDetails::Foreseen>>(desk.workspace.jobs, Jobs::Kind::kLive,
                                                                      "Foreseeing what a mend does");
  }
  if (details.repair && details.refusal.empty()) {
    details.job->start([character = details.about.character,
                        edit = *details.repair](const Progress& progress) -> std::optional<FindingDetails::Foreseen> {
      std::optional<edit::ForeseenWeights> weights = edit::foreseen_weights(character, {edit}, progress);
      if (!weights) {
        return std::nullopt;
      }
      const bool is_nothing = weights->difference.vertices == 0;
      return FindingDetails::Foreseen{foreseen_in_words(*weights), is_nothing, std::move(weights)};
    });
  } else if (!details.fix.empty()) {
    details.job->start([character = details.about.character,
                        code = details.fix](const Progress&) -> std::optional<FindingDetails::Foreseen> {
      return FindingDetails::Foreseen{mend_in_words(edit::foreseen_mend(*character, std::array{code}))};
    });
  } else {
    details.job->cancel();
  }
}

// Brings what is known of the marked finding up to date.
void follow(FindingDetails& details, int finding, const Desk& desk) {
  const ListedFindings& list = desk.workspace.panel<ListedFindings>();
  FindingDetails::About about{finding, edit::own_character(desk.document()), list.looked_at,
                              desk.document().content.locked_joints};
  if (about != details.about) {
    details.about = std::move(about);
    details.vertices = 0;
    details.repair.reset();
    details.refusal.clear();
    details.fix.clear();
    const rig::Finding* const one = finding_of(details.about, desk);
    if (one != nullptr && !list.rows[static_cast<std::size_t>(finding)].is_done) {
      const rig::Character& character = *details.about.character;
      details.vertices = edit::found_vertices(character, *one).size();
      details.lists_few = details.vertices == 0;
      details.vertices = details.lists_few ? edit::listed_vertices(character, one->place).size() : details.vertices;
      details.repair = edit::repair_of(character, *one);
      if (details.repair) {
        details.repair->locked.assign(details.about.locked.begin(), details.about.locked.end());
        details.refusal = edit::why_refused(desk.document(), *details.repair);
      } else if (const rig::LintRule* const rule = rig::find_lint_rule(one->code); rule != nullptr && rule->fixable) {
        details.fix = one->code;
      }
    }
    start_foresight(details, desk);
  }
  details.job->wait(details.patient ? std::chrono::milliseconds(kPatience) : kForesightPatience);
  if (std::optional<FindingDetails::Foreseen> foreseen = details.job->take()) {
    details.foreseen = std::move(foreseen);
  } else if (!details.foreseen && details.job->failed()) {
    details.foreseen = FindingDetails::Foreseen{"There is not enough memory to say what would change."};
  }
}

// The marked finding's vertices become the selection, in the mode where tools work on selected vertices.
void select_found(const FindingDetails& details, Desk& desk) {
  const rig::Finding* const finding = finding_of(details.about, desk);
  const rig::Character& character = *details.about.character;
  const std::vector<std::uint32_t> vertices =
      details.lists_few ? edit::listed_vertices(character, finding->place) : edit::found_vertices(character, *finding);
  select_vertices(desk, edit::selection_of(character, finding->place.mesh, vertices), edit::SelectBy::kReplace);
  show_tab_in(desk.workspace, kInfoTab, "weights");
}

std::string why_no_selection(const FindingDetails& details, bool is_done, const Desk& desk) {
  return is_done                                     ? "This is mended: it is about no vertices any more"
         : details.vertices == 0                     ? "This finding is about no vertices"
         : !edit::shows_own_surface(desk.document()) ? "Another surface than the file's own is shown, which has "
                                                       "other vertices"
                                                     : std::string();
}

void draw_select(const FindingDetails& details, const std::string& label, bool is_done, Desk& desk) {
  const std::string why = why_no_selection(details, is_done, desk);
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Button(fmt::format("{}###select", label).c_str())) {
    select_found(details, desk);
  }
  ImGui::EndDisabled();
  report_item(desk, "findings.select");
  tip(!why.empty()        ? why
      : details.lists_few ? std::string("Selects the vertices that the finding lists, and goes to the Weights mode")
                          : std::string("Selects all vertices that this is about, and goes to the Weights mode, where "
                                        "tools and brushes keep to selected vertices"));
}

// Code, vertices, and the way to close the area.
void draw_head(const FindingDetails& details, const rig::Finding& finding, bool is_done, int& marked, Desk& desk) {
  const std::string label =
      details.vertices == 0
          ? std::string("Select vertices")
          : fmt::format("Select {}", count_of(static_cast<std::int64_t>(details.vertices), "vertex", "vertices"));
  const float gap = desk.theme.px(6);
  const float side = ImGui::GetFrameHeight();
  const float width = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(desk.theme.strong);
  clipped_text(finding.code, ImGui::GetContentRegionAvail().x - side - width - 2 * gap,
               is_done ? color::kGood : ink_on(color::kPanel, severity_color(static_cast<int>(finding.severity))));
  ImGui::PopFont();
  ImGui::SameLine(right - side - gap - width, 0);
  draw_select(details, label, is_done, desk);
  ImGui::SameLine(right - side, 0);
  if (icon_button(desk, "findings.unmark", icon::kClose, "Marks no finding any more")) {
    marked = -1;
  }
}

// The button of a tool of weights, which changes how the mesh moves.
void draw_repair(FindingDetails& details, Desk& desk) {
  const bool is_nothing = details.foreseen && details.foreseen->changes_nothing;
  const edit::WeightTool* const tool = edit::find_weight_tool(details.repair->tool);
  ImGui::BeginDisabled(!details.refusal.empty() || is_nothing);
  if (ImGui::Button(fmt::format("{} here###repair", tool->label).c_str(),
                    ImVec2(ImGui::GetContentRegionAvail().x, 0))) {
    const bool is_made = details.foreseen && details.foreseen->weights;
    desk.change(is_made ? details.foreseen->weights->edits.front() : *details.repair);
  }
  ImGui::EndDisabled();
  report_item(desk, "findings.repair");
  tip(!details.refusal.empty() ? details.refusal
      : is_nothing             ? std::string("The tool would leave each of these vertices as it is")
                               : fmt::format("{}. Changes how the mesh moves; Ctrl+Z takes it back", tool->help));
}

// What mended a row, and what else it changed.
std::string mended_by(const ListedFinding& row) {
  if (!row.mend) {
    return "Mended";
  }
  const std::string by = row.mend->steps == 1
                             ? fmt::format("Mended by \"{}\"", printable(row.mend->label, 120))
                             : fmt::format("Mended by one of the last {} steps at that time", row.mend->steps);
  return row.mend->changed.empty() ? by : fmt::format("{}: {}", by, row.mend->changed);
}

// The button that mends the marked finding and what it would change, in a line that is always there.
void draw_mend(FindingDetails& details, const rig::Finding& finding, const ListedFinding& row, Desk& desk) {
  if (row.is_done) {
    wrapped_text(fmt::format("{}  {}.", icon::kCheck, mended_by(row)), color::kGood);
    report_item(desk, "findings.foreseen");
    return;
  }
  if (details.repair) {
    draw_repair(details, desk);
  } else if (!details.fix.empty()) {
    draw_fix_of(finding.code, desk);
  } else {
    wrapped_text("No button mends this.", color::kTextDim);
    return;
  }
  const std::string words = !details.refusal.empty() ? details.refusal + "."
                            : details.foreseen       ? details.foreseen->words
                                                     : std::string("Computing what would change\u2026");
  wrapped_text(words, details.refusal.empty() ? color::kText : color::kWarning);
  report_item(desk, "findings.foreseen");
}

}  // namespace

float finding_details_height(int finding, float room, const Desk& desk) {
  const bool has_little_room = room < kLinesOfLittleRoom * ImGui::GetTextLineHeight();
  if (desk.workspace.panel<ListedFindings>().rows.empty() || (finding < 0 && has_little_room)) {
    return 0;
  }
  const float wanted = 2 * ImGui::GetFrameHeightWithSpacing() + kLinesOfText * ImGui::GetTextLineHeight() +
                       4 * ImGui::GetStyle().ItemSpacing.y;
  return std::floor(std::min(wanted, kMostOfRoom * room));
}

void draw_finding_details(FindingDetails& details, int& finding, Desk& desk) {
  follow(details, finding, desk);
  ImGui::Separator();
  if (ImGui::BeginChild("##details", ImVec2(0, 0))) {
    const rig::Finding* const one = finding_of(details.about, desk);
    if (one == nullptr) {
      wrapped_text("Click a finding: its vertices, what helps and what a mend would change stand here.",
                   color::kTextDim);
    } else {
      const ListedFinding& row = desk.workspace.panel<ListedFindings>().rows[static_cast<std::size_t>(finding)];
      const rig::LintRule* const rule = rig::find_lint_rule(one->code);
      draw_head(details, *one, row.is_done, finding, desk);
      draw_mend(details, *one, row, desk);
      if (rule != nullptr) {
        wrapped_text(std::string(rule->remedy));
        report_item(desk, "findings.remedy");
        wrapped_text(std::string(rule->explanation), color::kTextDim);
      }
    }
  }
  ImGui::EndChild();
}

}  // namespace pelt::ui
