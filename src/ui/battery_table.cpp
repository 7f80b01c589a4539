#include "ui/battery_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "ui/icons.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr double kNoticed = 0.1;  // of the volume: from here on a loss is seen
constexpr double kSevere = 0.35;

std::string_view label_of(int method) {
  return deform::skinning_methods()[method].label;
}

std::string_view id_of(int method) {
  return deform::skinning_methods()[method].id;
}

// What there is to show, if anything.
const edit::MethodBattery* battery_of(const Desk& desk) {
  const std::optional<edit::MethodBattery>& battery = desk.scene.measurements->battery;
  const bool there = battery && battery->character == desk.document().character && !battery->joints.empty();
  return there ? &*battery : nullptr;
}

// The method with the smallest severity in a row, if it is better than another.
int best_of(const std::vector<edit::BatteryCell>& row) {
  const auto less = [](const edit::BatteryCell& a, const edit::BatteryCell& b) { return a.severity() < b.severity(); };
  const auto [least, most] = std::minmax_element(row.begin(), row.end(), less);
  return least->volume_ratio && least->severity() < most->severity() ? static_cast<int>(least - row.begin()) : -1;
}

const BatteryJudgement& judge(BatteryTable& table, const edit::MethodBattery& battery, const Desk& desk) {
  BatteryJudgement& judgement = table.judgement;
  const int serial = desk.scene.measurements->battery_serial;
  if (judgement.serial == serial && judgement.best_of_row.size() == battery.joints.size() &&
      judgement.means.size() == battery.methods.size()) {
    return judgement;
  }
  judgement = {.serial = serial,
               .verdict = edit::verdict(battery, desk.character()),
               .best = battery.best_method(),
               .means = {},
               .best_of_row = {}};
  for (std::size_t m = 0; m < battery.methods.size(); ++m) {
    judgement.means.push_back(battery.mean_severity(m));
  }
  std::ranges::transform(battery.cells, std::back_inserter(judgement.best_of_row), best_of);
  return judgement;
}

// The label of a method in as many lines as its column needs; the best has a check.
std::string head_of(const edit::MethodBattery& battery, std::size_t m, bool best, float width) {
  return in_lines((best ? std::string(icon::kCheck) + " " : "") + std::string(label_of(battery.methods[m])), width);
}

void draw_heads(const edit::MethodBattery& battery, const BatteryJudgement& judgement, float width) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableNextColumn();
  ImGui::TableHeader("Joint");
  for (std::size_t m = 0; m < battery.methods.size(); ++m) {
    ImGui::TableNextColumn();
    const bool best = judgement.best == static_cast<int>(m);
    ImGui::PushStyleColor(ImGuiCol_Text, best ? color::kGood : color::kText);
    ImGui::TableHeader(head_of(battery, m, best, width).c_str());
    ImGui::PopStyleColor();
    tip(fmt::format("{}{}", label_of(battery.methods[m]), best ? ": the best of them over all joints" : ""));
  }
}

ImU32 severity_ink(double severity) {
  return severity >= kSevere ? color::kError : severity >= kNoticed ? color::kWarning : color::kText;
}

void sort_rows(BatteryTable& table, const edit::MethodBattery& battery, const rig::Skeleton& skeleton) {
  table.order.resize(battery.joints.size());
  std::iota(table.order.begin(), table.order.end(), 0);
  const int column = std::min(table.sort_column, static_cast<int>(battery.methods.size()));
  const auto less = [&](int a, int b) {
    const std::size_t row_a = a;
    const std::size_t row_b = b;
    if (column == 0) {
      const std::string name_a = skeleton.label(battery.joints[row_a]);
      const std::string name_b = skeleton.label(battery.joints[row_b]);
      return table.ascending ? name_a < name_b : name_b < name_a;
    }
    const std::size_t m = column - 1;
    const double value_a = battery.cells[row_a][m].severity();
    const double value_b = battery.cells[row_b][m].severity();
    return table.ascending ? value_a < value_b : value_b < value_a;
  };
  std::stable_sort(table.order.begin(), table.order.end(), less);
}

void show_pose(const edit::MethodBattery& battery, int row, int pose, Desk& desk) {
  select(desk, battery.joints[row]);
  if (pose < 0) {
    return;
  }
  desk.workspace.playback.playing = false;
  for (edit::Change& change : edit::changes_of(desk.document(), battery.tried_from, battery.poses[pose])) {
    desk.change(std::move(change), "battery");
  }
  desk.requests.end_merge = true;
}

// Of other poses than would be tried now.
bool is_stale(const edit::MethodBattery& battery, const Desk& desk) {
  return !(battery.options == desk.workspace.battery);
}

// @param best  of its row
void draw_cell(const edit::MethodBattery& battery, int row, std::size_t m, bool best, Desk& desk) {
  const edit::BatteryCell& cell = battery.cells[row][m];
  ImGui::PushID(static_cast<int>(m));
  ImGui::PushStyleColor(ImGuiCol_Text, is_stale(battery, desk) ? color::kTextDim : severity_ink(cell.severity()));
  const std::string value = edit::volume_change_text(cell.volume_ratio);
  const bool clicked = ImGui::Selectable((best ? fmt::format("{}  {}", value, icon::kCheck) : value).c_str());
  ImGui::PopStyleColor();
  report_item(desk, fmt::format("battery.{}.{}", desk.character().skeleton->label(battery.joints[row]),
                                id_of(battery.methods[m])));
  const auto where = [&](int pose) {
    return pose < 0 ? std::string("in no pose") : printable(battery.poses[pose].label);
  };
  tip(fmt::format("{}\nvolume {}: {}\nlongest edge {:.0f} %: {}\n{} flipped triangles{}\nClick: shows that pose",
                  label_of(battery.methods[m]), edit::volume_change_text(cell.volume_ratio), where(cell.volume_pose),
                  cell.max_edge_stretch * 100, where(cell.stretch_pose), cell.flipped_triangles,
                  cell.flipped_pose < 0 ? std::string() : ": " + where(cell.flipped_pose)));
  if (clicked) {
    show_pose(battery, row, cell.volume_pose, desk);
  }
  ImGui::PopID();
}

void choose(edit::BatteryOptions& options, const edit::BatteryOptions& kind) {
  const std::uint32_t seed = options.seed;
  options = kind;
  options.seed = seed;
}

/// Moments of clips are no choice where there are none.
void fit_to_file(edit::BatteryOptions& options, const rig::Character& character) {
  if (character.clips.empty() && options.moments > 0) {
    choose(options, edit::kStandardBattery);
  }
}

void draw_battery_options(Desk& desk) {
  constexpr int kMostRandomPoses = 10'000;
  edit::BatteryOptions& options = desk.workspace.battery;
  fit_to_file(options, desk.character());
  if (!desk.character().clips.empty()) {
    constexpr std::array kNames = {"Limits, clip extremes, random", "Moments of the clips"};
    row_label(desk, "Poses", "All that the joints can do, or what the character does in its own clips");
    int kind = options.moments > 0 ? 1 : 0;
    if (combo(desk, "battery.kind", static_cast<int>(kNames.size()), kind,
              [&](int i) { return std::string(kNames[i]); })) {
      choose(options, kind == 1 ? edit::kClipBattery : edit::kStandardBattery);
    }
  }
  row_label(desk, "Random poses", "Of all joints at once, besides the others; simulated storage is tried in them, too");
  ImGui::SetNextItemWidth(-1);
  ImGui::InputInt("##battery.random", &options.random, 0);
  options.random = std::clamp(options.random, 0, kMostRandomPoses);
  report_item(desk, "battery.random");
  row_label(desk, "Seed", "The same seed gives the same poses everywhere, as --seed of pelt compare does");
  ImGui::SetNextItemWidth(-1);
  int seed = static_cast<int>(options.seed);
  ImGui::InputInt("##battery.seed", &seed, 0);
  options.seed = static_cast<std::uint32_t>(std::max(seed, 0));
  report_item(desk, "battery.seed");
}

void draw_verdict(const edit::MethodBattery& battery, const BatteryJudgement& judgement, Desk& desk) {
  const std::string& verdict = judgement.verdict;
  if (is_stale(battery, desk)) {
    wrapped_text(verdict + " (Measured in other poses.)", color::kTextDim);
  } else if (judgement.best < 0) {
    wrapped_text(verdict, color::kTextDim);
  } else if (judgement.means[judgement.best] >= kSevere) {
    wrapped_text(fmt::format("{}  {}", icon::kWarning, verdict), color::kWarning);  // the best is not good
  } else {
    wrapped_text(fmt::format("{}  {}", icon::kCheck, verdict), color::kGood);
  }
}

}  // namespace

void request_battery(Desk& desk) {
  const auto methods = deform::skinning_methods();
  std::vector<int> blending;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    // Rigid parts tear the skin instead of deforming it, the sum of points is linear blending once more: no candidates.
    if (methods[m].id != "rigid" && methods[m].id != "lbs-sum") {
      blending.push_back(static_cast<int>(m));
    }
  }
  fit_to_file(desk.workspace.battery, desk.character());
  desk.requests.run_battery = std::move(blending);
  desk.requests.battery = desk.workspace.battery;
}

void draw(BatteryTable& table, Desk& desk) {
  const Measurements& measured = *desk.scene.measurements;
  const bool active = measured.battery_work.active;
  if (active) {
    ImGui::ProgressBar(measured.battery_work.fraction, ImVec2(-1, desk.theme.px(6)), "");
    ImGui::AlignTextToFramePadding();
    clipped_text(printable(measured.battery_work.what), ImGui::GetContentRegionAvail().x - desk.theme.px(88),
                 color::kTextDim);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - desk.theme.px(80));
    if (ImGui::Button("Cancel##battery", ImVec2(desk.theme.px(80), 0))) {
      desk.requests.cancel_measuring = true;
    }
    report_item(desk, "battery.cancel");
  } else {
    if (ImGui::Button("Which method does this character need?", ImVec2(-1, 0))) {
      request_battery(desk);
      table.asked_at = desk.workspace.presses;
    }
    report_item(desk, "battery.run");
    tip("Tries every joint at its limits, the extremes of the clips and some random poses under every method, and "
        "lists "
        "the joints that lose or gain most volume");
    draw_battery_options(desk);
  }
  if (!measured.battery || measured.battery->character != desk.document().character) {
    return;
  }
  const edit::MethodBattery& battery = *measured.battery;
  draw_verdict(battery, judge(table, battery, desk), desk);
  if (battery.joints.empty()) {
    return;
  }
  if (ImGui::Button(table.open ? "Close the table" : "Show the table", ImVec2(-1, 0))) {
    table.open = !table.open;
  }
  report_item(desk, "battery.table");
  tip("All joints under all methods, below the picture");
}

void open_battery_panel(BatteryTable& table, const Desk& desk) {
  const int serial = desk.scene.measurements->battery_serial;
  if (battery_of(desk) != nullptr && table.shown != serial) {
    table.shown = serial;
    table.open = true;
  }
}

float battery_panel_height(const BatteryTable& table, const Desk& desk) {
  const edit::MethodBattery* battery = battery_of(desk);
  if (!table.open || battery == nullptr) {
    return 0;
  }
  const float line = desk.theme.small->FontSize + 2 * ImGui::GetStyle().CellPadding.y;
  const auto rows = static_cast<float>(battery->joints.size()) + 4;  // heads, means, and the line above
  return ImGui::GetFrameHeightWithSpacing() + rows * line + ImGui::GetStyle().ScrollbarSize + 2 * desk.theme.px(6);
}

namespace {

void draw_panel_head(BatteryTable& table, const edit::MethodBattery& battery, Desk& desk) {
  const float side = ImGui::GetFrameHeight();
  const std::string copy = fmt::format("{}  Copy as CSV", icon::kExport);
  const float button = ImGui::CalcTextSize(copy.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float buttons = button + side + ImGui::GetStyle().ItemSpacing.x;
  ImGui::AlignTextToFramePadding();
  clipped_text(fmt::format("The largest change of the volume around each of {} joints in {} poses",
                           battery.joints.size(), battery.poses.size()),
               ImGui::GetContentRegionAvail().x - buttons - desk.theme.px(12),
               is_stale(battery, desk) ? color::kTextDim : color::kText);
  tip(judge(table, battery, desk).verdict);
  ImGui::SameLine(ImGui::GetContentRegionMax().x - buttons);
  if (ImGui::Button(copy.c_str())) {
    ImGui::SetClipboardText(edit::to_csv(battery, desk.character()).c_str());
  }
  report_item(desk, "battery.copy");
  tip("All joints and methods as comma-separated values, for a spreadsheet");
  ImGui::SameLine();
  if (icon_button(desk, "battery.close", icon::kClose, "Close the table")) {
    table.open = false;
  }
}

// Over all joints, always in sight.
void draw_means(const BatteryJudgement& judgement) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  dim_text("Mean of all");
  for (std::size_t m = 0; m < judgement.means.size(); ++m) {
    ImGui::TableNextColumn();
    const bool best = judgement.best == static_cast<int>(m);
    ImGui::PushStyleColor(ImGuiCol_Text, best ? color::kGood : color::kTextDim);
    text(fmt::format("{:.1f} %{}", 100 * judgement.means[m], best ? fmt::format("  {}", icon::kCheck) : ""));
    ImGui::PopStyleColor();
  }
}

void follow_sorting(BatteryTable& table, const edit::MethodBattery& battery, const Desk& desk) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  const int serial = desk.scene.measurements->battery_serial;
  const bool other = table.battery != serial || table.order.size() != battery.joints.size();
  if (!other && (specs == nullptr || !specs->SpecsDirty)) {
    return;
  }
  if (specs != nullptr && specs->SpecsCount > 0) {
    table.sort_column = specs->Specs[0].ColumnIndex;
    table.ascending = specs->Specs[0].SortDirection == ImGuiSortDirection_Ascending;
    specs->SpecsDirty = false;
  }
  table.battery = serial;
  sort_rows(table, battery, desk.character().skeleton);
}

void draw_rows(const BatteryTable& table, const edit::MethodBattery& battery, Desk& desk) {
  const int methods = static_cast<int>(battery.methods.size());
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(table.order.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const int row = table.order[i];
      const int joint = battery.joints[row];
      ImGui::TableNextRow();
      if (joint == desk.document().view.selected_joint()) {
        ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, faded(color::kAccentSoft, 0.5f));
      }
      ImGui::TableNextColumn();
      ImGui::PushID(row);
      if (ImGui::Selectable(printable(desk.character().skeleton->label(joint)).c_str())) {
        const std::size_t column = std::clamp(table.sort_column - 1, 0, methods - 1);
        show_pose(battery, row, battery.cells[row][column].volume_pose, desk);
      }
      report_item(desk, "battery." + desk.character().skeleton->label(joint));
      for (std::size_t m = 0; m < battery.methods.size(); ++m) {
        ImGui::TableNextColumn();
        const int best = table.judgement.best_of_row[row];
        draw_cell(battery, row, m, best == static_cast<int>(m), desk);
      }
      ImGui::PopID();
    }
  }
}

}  // namespace

void draw_battery_panel(BatteryTable& table, Desk& desk) {
  const edit::MethodBattery* battery = battery_of(desk);
  if (battery == nullptr) {
    return;
  }
  draw_panel_head(table, *battery, desk);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_ScrollX |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_BordersInnerV;
  const int columns = 1 + static_cast<int>(battery->methods.size());
  ImGui::PushFont(desk.theme.small);
  if (ImGui::BeginTable("##battery", columns, kFlags, ImVec2(0, ImGui::GetContentRegionAvail().y))) {
    // All columns share the width; where that is too little the table scrolls.
    const float joints = desk.theme.px(150);
    const float rest = ImGui::GetContentRegionAvail().x - joints - ImGui::GetStyle().ScrollbarSize;
    const float share = std::floor(rest / static_cast<float>(columns - 1)) - 2 * ImGui::GetStyle().CellPadding.x - 1;
    const float width = std::max(share, desk.theme.px(84));
    ImGui::TableSetupScrollFreeze(1, 2);
    ImGui::TableSetupColumn("Joint", ImGuiTableColumnFlags_WidthFixed, joints);
    for (const int method : battery->methods) {
      const bool first = method == battery->methods.front();
      ImGui::TableSetupColumn(std::string(label_of(method)).c_str(),
                              ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending |
                                  (first ? ImGuiTableColumnFlags_DefaultSort : ImGuiTableColumnFlags_None),
                              width);
    }
    const BatteryJudgement& judgement = judge(table, *battery, desk);
    draw_heads(*battery, judgement, width - desk.theme.px(14));  // beside the arrow that says how rows are sorted
    draw_means(judgement);
    follow_sorting(table, *battery, desk);
    draw_rows(table, *battery, desk);
    ImGui::EndTable();
  }
  ImGui::PopFont();
}

}  // namespace pelt::ui
