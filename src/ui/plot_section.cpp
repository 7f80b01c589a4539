#include "ui/plot_section.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/index.h"
#include "core/text.h"
#include "rig/dofs.h"
#include "ui/compare_panel.h"
#include "ui/icons.h"
#include "ui/plot.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kPlotHeight = 190;  // layout units

std::vector<rig::Dof> dofs_of_selection(const Desk& desk) {
  const int joint = desk.document().view.selected_joint();
  return joint < 0 ? std::vector<rig::Dof>() : edit::joint_dofs(desk.document(), joint).dofs;
}

Plot make_plot(const edit::SkinSeries& series, int quantity_row, const Desk& desk) {
  const edit::SkinQuantity& quantity = edit::skin_quantities()[quantity_row];
  Plot plot;
  const bool degrees = series.axis_unit == "deg";
  plot.x_unit = degrees ? "\u00b0" : series.axis_unit == "1" ? "" : " " + series.axis_unit;
  plot.x_label = printable(series.axis_id) + (plot.x_unit.empty() ? "" : "," + (degrees ? " \u00b0" : plot.x_unit));
  plot.y_unit = quantity.unit.empty() ? "" : fmt::format("\u2009{}", quantity.unit);
  plot.y_label =
      quantity.unit.empty() ? std::string(quantity.label) : fmt::format("{}, {}", quantity.label, quantity.unit);
  plot.degrees = degrees;
  plot.least_extent = quantity.unit == "%" ? 2.0 : 1.0;
  plot.x = series.x;
  for (std::size_t pane = 0; pane < series.numbers.size(); ++pane) {
    PlotCurve curve{edit::pane_label(series.panes[pane]), pane_color(static_cast<int>(pane)), {}, false};
    for (const edit::SkinNumbers& numbers : series.numbers[pane]) {
      curve.y.push_back(static_cast<float>(quantity.value(numbers) * quantity.shown_per_unit));
    }
    plot.curves.push_back(std::move(curve));
  }
  for (const edit::ClosedForm& form : series.closed_forms) {
    if (form.quantity != quantity.id) {
      continue;
    }
    PlotCurve curve{form.label, color::kText, {}, true};
    for (const double value : form.values) {
      curve.y.push_back(static_cast<float>(value * quantity.shown_per_unit));
    }
    plot.curves.push_back(std::move(curve));
  }
  const edit::Document& document = desk.document();
  if (series.axis.kind == edit::SeriesAxis::Kind::kClip) {
    if (document.content.clip == series.axis.clip) {
      plot.marker = document.view.time;
    }
  } else if (series.axis.joint < document.character->skeleton->size()) {
    const std::vector<float> values = edit::dof_values(document, series.axis.joint);
    if (has_index(values, series.axis.dof)) {
      plot.marker = values[series.axis.dof] * (degrees ? glm::degrees(1.0f) : 1.0f);
    }
  }
  return plot;
}

void scrub(const edit::SkinSeries& series, float x, Desk& desk) {
  desk.workspace.playback.playing = false;
  if (series.axis.kind == edit::SeriesAxis::Kind::kClip) {
    if (desk.document().content.clip != series.axis.clip) {
      desk.change(edit::SetClip{series.axis.clip}, "plot");
    }
    desk.change(edit::SetTime{x}, "plot");
    return;
  }
  const float value = series.axis_unit == "deg" ? glm::radians(x) : x;
  desk.change(edit::SetDof{series.axis.joint, series.axis.dof, value}, "plot");
}

void draw_plot_controls(ComparePanel& panel, Desk& desk) {
  constexpr const char* kOver[] = {"Joint", "Clip"};
  int over = panel.over_clip ? 1 : 0;
  row_label(desk, "Over", "A sweep of one degree of freedom from limit to limit, or the time of the clip");
  if (segmented(desk, "compare.over", kOver, over)) {
    panel.over_clip = over == 1;
  }
  if (!panel.over_clip) {
    const std::vector<rig::Dof> dofs = dofs_of_selection(desk);
    row_label(desk, "Slider", "Of the selected joint");
    if (dofs.empty()) {
      ImGui::AlignTextToFramePadding();
      clipped_text("Select a joint", ImGui::GetContentRegionAvail().x, color::kTextDim);
    } else {
      panel.dof = std::clamp(panel.dof, 0, static_cast<int>(dofs.size()) - 1);
      const std::string joint = printable(desk.character().skeleton->label(desk.document().view.selected_joint()));
      combo(desk, "compare.dof", static_cast<int>(dofs.size()), panel.dof,
            [&](int i) { return fmt::format("{}.{}", joint, dofs[i].name); });
    }
  }
  row_label(desk, "Shows");
  const auto quantities = edit::skin_quantities().first(edit::quantity_count(desk.character()));
  panel.quantity = std::min(panel.quantity, static_cast<int>(quantities.size()) - 1);
  combo(desk, "compare.quantity", static_cast<int>(quantities.size()), panel.quantity,
        [&](int i) { return quantities[i].label; });
  tip(quantities[panel.quantity].help);
}

// Panes that came, went or changed their method since the plot was measured, or another pinned vertex: it is measured
// again over the same axis. Returns what has changed, in words.
std::string keep_plot_current(ComparePanel& panel, const edit::SkinSeries& series, Desk& desk) {
  const edit::Document& document = desk.document();
  ComparePanel::Subject now{.panes = {}, .pinned = {document.view.pinned_part, document.view.pinned_vertex}};
  for (int pane = 0; pane < edit::pane_count(document.content); ++pane) {
    now.panes.push_back(edit::skinning_of(document.content, pane));
  }
  const bool same_panes = series.panes == now.panes;
  if (same_panes && series.pinned == now.pinned) {
    panel.replotted.reset();
    return {};
  }
  if (panel.replotted != now && !desk.scene.measurements->series_work.active &&
      !desk.scene.measurements->battery_work.active && !desk.requests.measure_series) {
    desk.requests.measure_series = series.axis;
    panel.replotted = std::move(now);
  }
  return same_panes ? "another vertex is pinned" : "the panes have changed";
}

// Measures over the slider moved last as soon as it rests; a plot over the clip stays one.
void follow_slider(ComparePanel& panel, Desk& desk) {
  const Measurements& measured = *desk.scene.measurements;
  if (!panel.moved || ImGui::IsAnyMouseDown() || measured.series_work.active || measured.battery_work.active) {
    return;
  }
  const glm::ivec2 moved = *std::exchange(panel.moved, std::nullopt);
  if (moved.x != desk.document().view.selected_joint() || panel.over_clip) {
    return;
  }
  panel.dof = moved.y;
  const bool shown = measured.series && measured.series->character == desk.document().character &&
                     measured.series->axis.kind == edit::SeriesAxis::Kind::kSweep;
  if (shown && glm::ivec2(measured.series->axis.joint, measured.series->axis.dof) != moved) {
    request_plot(panel, desk);
  }
}

}  // namespace

void note_moved_slider(ComparePanel& panel, const Desk& desk) {
  for (const edit::Command& command : desk.requests.commands) {
    if (const auto* change = command.change.get_if<edit::SetDof>()) {
      panel.moved = glm::ivec2(change->joint, change->dof);
    } else if (const auto* several = command.change.get_if<edit::SetDofs>(); several && !several->sliders.empty()) {
      panel.moved = glm::ivec2(several->sliders.front().joint, several->sliders.front().dof);
    }
  }
}

void draw_plot_section(ComparePanel& panel, Desk& desk) {
  follow_slider(panel, desk);
  draw_plot_controls(panel, desk);
  const Measurements& measured = *desk.scene.measurements;
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float half = std::floor((ImGui::GetContentRegionAvail().x - gap) / 2);
  if (!measured.error.empty()) {
    wrapped_text(measured.error, color::kError);
  }
  if (measured.series_work.active) {
    progress_bar(desk, measured.series_work.fraction, half);
    ImGui::SameLine(0, gap);
    if (ImGui::Button("Cancel##series", ImVec2(half, 0))) {
      desk.requests.cancel_measuring = true;
    }
    report_item(desk, "compare.plot.cancel");
  } else {
    ImGui::BeginDisabled(!can_plot(panel, desk));
    if (ImGui::Button(fmt::format("{}  Plot", icon::kPlot).c_str(), ImVec2(half, 0))) {
      request_plot(panel, desk);
      reveal_plot(panel);
    }
    ImGui::EndDisabled();
    report_item(desk, "compare.plot.run");
    tip(can_plot(panel, desk) ? "Measures all panes in the background"
        : panel.over_clip     ? "Choose a clip in the timeline first"
                              : "Select a joint first, in the tree or on the skin");
    ImGui::SameLine(0, gap);
    ImGui::BeginDisabled(!measured.series.has_value());
    if (ImGui::Button(fmt::format("{}  CSV\u2026", icon::kExport).c_str(), ImVec2(half, 0))) {
      open(desk.workspace.browser, BrowserPurpose::kSaveTable, desk);
    }
    ImGui::EndDisabled();
    report_item(desk, "compare.plot.export");
    tip("Writes every number of the plot, shown or not, as comma-separated values");
  }
  if (!measured.series || measured.series->character != desk.document().character) {
    return;
  }
  const edit::SkinSeries& series = *measured.series;
  if (const std::string changed = keep_plot_current(panel, series, desk); !changed.empty()) {
    wrapped_text(fmt::format("Out of date: {}.", changed), color::kWarning);
  }
  if (panel.quantity >= edit::kRingQuantity && panel.quantity <= edit::kRingQuantity + 1 &&
      !series.ring_error.empty()) {
    wrapped_text(series.ring_error, color::kTextDim);
  }
  ImGui::Dummy(ImVec2(0, desk.theme.px(1)));
  const std::optional<float> x =
      draw_plot(desk, "compare.plot", make_plot(series, panel.quantity, desk), desk.theme.px(kPlotHeight));
  if (x) {
    scrub(series, *x, desk);
    panel.scrubbing = true;
  } else if (panel.scrubbing) {
    panel.scrubbing = false;
    desk.requests.end_merge = true;
  }
}

bool can_plot(const ComparePanel& panel, const Desk& desk) {
  if (panel.over_clip) {
    const int clip = desk.document().content.clip;
    return clip >= 0 && desk.character().clips[clip].end > desk.character().clips[clip].start;
  }
  return !dofs_of_selection(desk).empty();
}

void request_plot(const ComparePanel& panel, Desk& desk) {
  if (!can_plot(panel, desk)) {
    return;
  }
  const edit::Document& document = desk.document();
  if (panel.over_clip) {
    const rig::Clip& clip = desk.character().clips[document.content.clip];
    desk.requests.measure_series = {.kind = edit::SeriesAxis::Kind::kClip,
                                    .joint = document.view.selected_joint(),
                                    .from = clip.start,
                                    .to = clip.end,
                                    .clip = document.content.clip};
  } else {
    const int last = static_cast<int>(dofs_of_selection(desk).size()) - 1;
    desk.requests.measure_series =
        edit::sweep_of(document, document.view.selected_joint(), std::clamp(panel.dof, 0, last));
  }
}

}  // namespace pelt::ui
