#include "ui/compare_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "deform/skinning_methods.h"
#include "measure/surface_fields.h"
#include "ui/actions.h"
#include "ui/bind_comparison.h"
#include "ui/pane_section.h"
#include "ui/plot_section.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr int kRevealing = 3;  // pictures: a scroll bar that appears changes the layout once more

std::string shown(const edit::SkinQuantity& quantity, const edit::SkinNumbers& numbers, bool with_unit) {
  const double value = quantity.value(numbers) * quantity.shown_per_unit;
  if (!std::isfinite(value)) {
    return "\u2013";
  }
  const std::string digits = fmt::format("{:.{}f}", value, quantity.decimals);
  return with_unit && !quantity.unit.empty() ? fmt::format("{}\u2009{}", digits, quantity.unit) : digits;
}

void draw_reference(render::Compare& compare, int panes, Desk& desk) {
  const auto methods = deform::skinning_methods();
  struct Choice {
    std::string label;
    render::Compare what;
  };
  std::vector<Choice> choices;
  render::Compare base = compare;
  base.pane = 0;
  base.method = 0;
  const auto add = [&](std::string label, render::Reference reference, int pane, int method) {
    render::Compare what = base;
    what.reference = reference;
    what.pane = pane;
    what.method = method;
    choices.push_back({std::move(label), what});
  };
  add("Bind shape", render::Reference::kBindShape, 0, 0);
  for (int pane = 0; pane < panes && panes > 1; ++pane) {
    add(fmt::format("Pane {}", pane + 1), render::Reference::kPane, pane, 0);
  }
  add("Other backend", render::Reference::kOtherBackend, 0, 0);
  add("Full precision", render::Reference::kFullPrecision, 0, 0);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    add(std::string(methods[m].label), render::Reference::kMethod, 0, static_cast<int>(m));
  }
  int current = -1;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const render::Compare& what = choices[i].what;
    const bool same = what.reference == compare.reference &&
                      (what.reference != render::Reference::kPane || what.pane == compare.pane) &&
                      (what.reference != render::Reference::kMethod || what.method == compare.method);
    current = same ? static_cast<int>(i) : current;
  }
  row_label(desk, "Against", "What each pane is compared with");
  if (combo(desk, "compare.reference", static_cast<int>(choices.size()), current,
            [&](int i) { return choices[i].label; })) {
    compare = choices[current].what;
  }
}

// Where colours end until the user says otherwise. One torn triangle would take a scale of strains for itself.
float first_range(measure::Measure measure) {
  return measure::info(measure).diverging ? measure::info(measure).default_range : 0.0f;
}

void draw_range(render::Compare& compare, Desk& desk) {
  const measure::MeasureInfo& info = measure::info(compare.measure);
  const bool distance = compare.measure == measure::Measure::kDistance;
  // A distance's default is relative to the size of the character.
  const float usual = info.default_range * (distance ? std::max(1e-6f, desk.scene.bounds.diagonal()) : 1.0f);
  constexpr const char* kRanges[] = {"Auto", "Fixed"};
  int fixed = compare.range > 0 ? 1 : 0;
  row_label(desk, "Colours end",
            "Auto: at the next of 1, 2, 2.5, 5, 10\u2026 from the largest value in sight on. Fixed: pictures can be "
            "compared");
  if (segmented(desk, "compare.range", kRanges, fixed)) {
    compare.range = fixed == 1 ? usual : 0;
  }
  if (compare.range > 0) {
    row_label(desk, "");
    bool ended = false;
    const auto factor = static_cast<float>(info.shown_per_unit);
    const std::string format = fmt::format("%.1f {}", info.unit == "%" ? "%%" : info.unit);
    const float upper = std::max(compare.range, 4 * usual);
    value_slider(desk, "compare.range.value", compare.range, {upper * 1e-3f, upper, factor, format.c_str(), 0, usual},
                 ImGui::GetContentRegionAvail().x, ended);
  }
}

void draw_difference(Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  bool on = view.look == render::Look::kDifference;
  const Action* action = find_action("compare.difference");
  if (checkbox(desk, "compare.difference", fmt::format("Colours on the skin  ({})", name_of(action->key)).c_str(), on,
               "Shows where each pane differs from its reference; hold the mouse over the skin for the value")) {
    toggle_difference(desk);
  }
  int measure = static_cast<int>(view.compare.measure);
  row_label(desk, "Measure");
  if (combo(desk, "compare.measure", static_cast<int>(measure::kMeasures.size()), measure,
            [](int i) { return measure::kMeasures[i].label; })) {
    view.compare.measure = static_cast<measure::Measure>(measure);
    view.compare.range = first_range(view.compare.measure);
    if (!on) {
      toggle_difference(desk);
    }
  }
  tip(measure::kMeasures[measure].help);
  draw_reference(view.compare, edit::pane_count(desk.document().content), desk);
  draw_range(view.compare, desk);
}

// ---------------------------------------------------------------------------------------------------------------------

// What the columns are called: by their methods where all fit, else by the numbers that the panes have above.
void pane_headers(std::span<const deform::SkinningSettings> panes, Desk& desk) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  bool methods_fit = true;
  for (std::size_t pane = 0; pane < panes.size(); ++pane) {
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x - desk.theme.px(13);
    methods_fit = methods_fit && ImGui::CalcTextSize(edit::pane_label(panes[pane]).c_str()).x <= room;
  }
  for (std::size_t pane = 0; pane < panes.size(); ++pane) {
    ImGui::TableSetColumnIndex(1 + static_cast<int>(pane));
    pane_chip(static_cast<int>(pane), desk);
    dim_text(methods_fit ? edit::pane_label(panes[pane]) : fmt::format("{}", pane + 1));
    tip(edit::pane_label(panes[pane]));
  }
}

bool begin_pane_table(const char* id, int panes, Desk& desk) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchSame;
  if (!ImGui::BeginTable(id, 1 + panes, kFlags)) {
    return false;
  }
  const float whole = ImGui::GetContentRegionAvail().x;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, std::min(desk.theme.px(104), whole * 0.36f));
  for (int pane = 0; pane < panes; ++pane) {
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  }
  return true;
}

void draw_numbers(Desk& desk) {
  desk.requests.measure_numbers = true;
  const std::optional<PoseNumbers>& numbers = desk.scene.measurements->numbers;
  const edit::Content& state = desk.document().content;
  const int panes = edit::pane_count(state);
  if (numbers && numbers->panes.empty()) {
    wrapped_text(numbers->ring_error, color::kError);
    return;
  }
  if (!numbers || numbers->panes.size() != static_cast<std::size_t>(panes)) {
    dim_text("Measuring\u2026");
    return;
  }
  const bool stale = numbers->pose_version != desk.scene.pose_version;
  std::vector<deform::SkinningSettings> settings;
  for (int pane = 0; pane < panes; ++pane) {
    settings.push_back(edit::skinning_of(state, pane));
  }
  ImGui::PushFont(desk.theme.small);
  if (begin_pane_table("##numbers", panes, desk)) {
    pane_headers(settings, desk);
    for (const edit::SkinQuantity& quantity : edit::skin_quantities().first(edit::quantity_count(desk.character()))) {
      const bool about_ring = quantity.id.starts_with("ring");
      if (about_ring && (numbers->ring_joint < 0 || !numbers->ring_error.empty())) {
        continue;
      }
      const bool about_pin = quantity.id == edit::skin_quantities()[edit::kPinnedQuantity].id;
      if (about_pin && !numbers->panes.front().pinned) {
        continue;
      }
      ImGui::TableNextRow();
      bool with_unit = true;  // where every value has room for it; else the row's name has it
      for (int pane = 0; pane < panes; ++pane) {
        ImGui::TableSetColumnIndex(1 + pane);
        const std::string value = shown(quantity, numbers->panes[pane], true);
        with_unit = with_unit && ImGui::CalcTextSize(value.c_str()).x <= ImGui::GetContentRegionAvail().x;
      }
      ImGui::TableSetColumnIndex(0);
      const bool unit_apart = !with_unit && !quantity.unit.empty();
      clipped_text(unit_apart ? fmt::format("{}, {}", quantity.label, quantity.unit) : std::string(quantity.label),
                   ImGui::GetContentRegionAvail().x, color::kTextDim);
      tip(quantity.help);
      for (int pane = 0; pane < panes; ++pane) {
        ImGui::TableNextColumn();
        const std::string value = shown(quantity, numbers->panes[pane], with_unit);
        clipped_text(value, ImGui::GetContentRegionAvail().x, stale ? color::kTextDim : color::kText);
        report_item(desk, fmt::format("compare.number.{}.{}", quantity.id, pane));
      }
    }
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    dim_text("Longest at");
    tip("Where the longest edge is: a click pins that vertex");
    for (int pane = 0; pane < panes; ++pane) {
      ImGui::TableNextColumn();
      const glm::ivec2 worst = numbers->panes[pane].worst_edge;
      ImGui::PushID(pane);
      if (worst.x >= 0) {
        if (ImGui::SmallButton(fmt::format("v {}", worst.y).c_str())) {
          desk.requests.pin = worst;
        }
        report_item(desk, fmt::format("compare.worst.{}", pane));
        tip(fmt::format("Pins vertex {} of part {}", worst.y, worst.x));
      }
      ImGui::PopID();
    }
    ImGui::EndTable();
  }
  if (!candidate_in_pane(desk, 0).empty()) {
    wrapped_text("Of the character's weights, not of the binders' that panes show.", color::kTextDim);
  }
  bool any_gpu = false;
  for (int pane = 0; pane < panes; ++pane) {
    any_gpu = any_gpu || edit::skinning_of(desk.document().content, pane).backend == deform::Backend::kGpu;
  }
  if (any_gpu) {
    wrapped_text("Computed by the CPU for all panes; parity in the Skinning tab says how far the GPU is from it.",
                 color::kTextDim);
  }
  if (numbers->ring_joint < 0) {
    wrapped_text("Select a joint for the radius of the skin around it.", color::kTextDim);
  } else if (!numbers->ring_error.empty()) {
    wrapped_text(numbers->ring_error, color::kTextDim);
  }
  ImGui::PopFont();
}

void draw_teaching(Desk& desk) {
  const std::optional<PoseNumbers>& numbers = desk.scene.measurements->numbers;
  const int panes = edit::pane_count(desk.document().content);
  if (!numbers || numbers->panes.size() != static_cast<std::size_t>(panes) || numbers->panes.front().teaching.empty()) {
    return;
  }
  if (!section(desk, "By the formula")) {
    return;
  }
  ImGui::PushFont(desk.theme.small);
  const auto value = [](const edit::TeachingRow& row, double number) {
    return fmt::format("{:.6f}{}{}", number, row.unit.empty() ? "" : "\u2009", row.unit);
  };
  const std::vector<edit::TeachingRow>& first = numbers->panes.front().teaching;
  for (std::size_t i = 0; i < first.size(); ++i) {
    wrapped_text(first[i].name, color::kText);
    for (int pane = 0; pane < panes; ++pane) {
      const std::vector<edit::TeachingRow>& rows = numbers->panes[pane].teaching;
      if (i >= rows.size()) {
        continue;
      }
      const edit::TeachingRow& row = rows[i];
      pane_chip(pane, desk);
      const std::string theory = row.closed_form ? fmt::format("{} = {}", row.formula.empty() ? "formula" : row.formula,
                                                               value(row, *row.closed_form))
                                                 : std::string("no short formula");
      wrapped_text(fmt::format("measured {}, {}", value(row, row.measured), theory), color::kTextDim);
      report_item(desk, fmt::format("compare.teaching.{}.{}", i, pane));
    }
  }
  ImGui::PopFont();
}

bool plot_is_there(const Measurements& measured) {
  return measured.series && !measured.series_work.active;
}

// What tells most about these panes, where nobody has chosen yet.
void choose_comparison(render::Compare& compare, const edit::Document& document) {
  if (edit::pane_count(document.content) > 1) {
    compare.reference = render::Reference::kPane;
  } else {
    compare.reference = render::Reference::kBindShape;
    compare.measure = measure::Measure::kEdgeStrain;
    compare.range = first_range(compare.measure);
  }
}

}  // namespace

void set_pane_count(Desk& desk, int count) {
  desk.change(edit::SetPanes{count});
}

void forget_lost_panes(Workspace& workspace, const edit::Document& document) {
  const int panes = edit::pane_count(document.content);
  render::ViewSettings& view = workspace.view;
  view.wipe = view.wipe && panes > 1;
  if (view.compare.reference != render::Reference::kPane || (panes > 1 && view.compare.pane < panes)) {
    return;
  }
  view.compare.pane = 0;
  if (panes < 2) {
    view.compare = {};
    if (view.look == render::Look::kDifference) {
      choose_comparison(view.compare, document);
    }
  }
}

void toggle_wipe(Desk& desk) {
  render::ViewSettings& view = desk.workspace.view;
  const bool alone = edit::pane_count(desk.document().content) < 2;
  view.wipe = alone || !view.wipe;
  if (alone) {
    desk.change(edit::SetPanes{2});
  }
}

void toggle_difference(Desk& desk) {
  Workspace& workspace = desk.workspace;
  render::ViewSettings& view = workspace.view;
  if (view.look == render::Look::kDifference) {
    view.look = workspace.look_before_difference;
    return;
  }
  workspace.look_before_difference = view.look;
  view.look = render::Look::kDifference;
  if (view.compare == render::Compare{}) {
    choose_comparison(view.compare, desk.document());
  }
}

void reveal_plot(ComparePanel& panel) {
  panel.reveal_plot = kRevealing;
}

void reveal_battery(ComparePanel& panel) {
  panel.reveal_battery = kRevealing;
}

void stop_revealing(ComparePanel& panel) {
  panel.reveal_plot = 0;
  panel.reveal_battery = 0;
}

bool revealing(const Workspace& workspace, const Measurements& measured) {
  if (workspace.tab != kCompareTab || workspace.layout.right.empty()) {
    return false;
  }
  const ComparePanel& panel = workspace.panel<ComparePanel>();
  return panel.reveal_battery > 0 || (panel.reveal_plot > 0 && plot_is_there(measured));
}

void draw(ComparePanel& panel, Desk& desk) {
  draw_pane_section(desk);
  if (section(desk, "Difference on the skin")) {
    draw_difference(desk);
  }
  if (section(desk, "Numbers")) {
    draw_numbers(desk);
    draw_teaching(desk);
  }
  if (panel.reveal_plot > 0) {
    ImGui::SetNextItemOpen(true);
  }
  if (section(desk, "Plot")) {
    draw_plot_section(panel, desk);
  }
  const Measurements& measured = *desk.scene.measurements;
  if (panel.reveal_plot > 0 && plot_is_there(measured)) {
    ImGui::SetScrollHereY(1);
    --panel.reveal_plot;
  }
  // Its table comes seconds after it was asked for: then only if nobody works in this panel, be it that the mouse still
  // rests where it asked.
  const bool arrived = measured.battery && panel.seen_battery != measured.battery_serial &&
                       measured.battery->character == desk.document().character;
  panel.seen_battery = measured.battery_serial;
  const bool waiting = panel.battery.asked_at == desk.workspace.presses;
  if (arrived && (waiting || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows))) {
    reveal_battery(panel);
  }
  if (panel.reveal_battery > 0) {
    ImGui::SetNextItemOpen(true);
    ImGui::SetScrollHereY(0);
    --panel.reveal_battery;
  }
  if (section(desk, "Battery of poses")) {
    draw(panel.battery, desk);
  }
}

}  // namespace pelt::ui
