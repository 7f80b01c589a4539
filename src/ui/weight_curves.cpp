#include "ui/weight_curves.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "bind/binders.h"
#include "core/index.h"
#include "core/text.h"
#include "measure/weight_profile.h"
#include "ui/bind_comparison.h"
#include "ui/brush_tool.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kCurvesHeight = 130;

// The strength of heat that the candidates were made with: of bone heat, else the standard.
double heat_strength(const BindComparison& comparison) {
  const bind::Binder& heat = *bind::find_binder("heat");
  std::vector<double> values = bind::standard_values(heat);
  for (const BindComparison::Row& row : comparison.rows) {
    if (row.change.binder == heat.id && row.change.values.size() == values.size()) {
      values = row.change.values;
    }
  }
  const auto field = std::ranges::find(heat.fields, std::string_view("c"), &bind::Field::id);
  return values[static_cast<std::size_t>(field - heat.fields.begin())];
}

void make_curves(WeightCurves& curves, const BindComparison& comparison) {
  curves.plot = {};
  curves.reason.clear();
  const rig::Character& bound = *comparison.of;
  std::vector<const rig::Character*> characters;
  for (const BindComparison::Row& row : comparison.rows) {
    if (row.candidate != nullptr) {
      curves.plot.curves.push_back(
          {.label = row.label, .color = pane_color(static_cast<int>(characters.size())), .y = {}});
      characters.push_back(row.candidate->character.get());
    }
  }
  if (!has_index(bound.skeleton->parent, curves.joint)) {
    curves.reason = "Select a joint to see how its weight runs along its limb.";
    return;
  }
  // A bare mesh has its bones from the candidates alone.
  const auto profile =
      measure::weight_profile(bound.skins.empty() ? *characters.front() : bound, curves.joint, characters);
  const std::string name = printable(bound.skeleton->label(curves.joint), 60);
  if (!profile) {
    curves.reason = fmt::format("No limb leads to {}: select a joint below another one that deforms.", name);
    return;
  }
  Plot& plot = curves.plot;
  plot.x_label = fmt::format("Along the limb, m; 0 at {}", name);
  plot.y_label = fmt::format("Weight on {}", name);
  plot.x_unit = " m";
  plot.least_extent = 0.1;
  plot.x = profile->along;
  for (std::size_t c = 0; c < characters.size(); ++c) {
    plot.curves[c].y = profile->weights[c];
  }
  if (profile->tube_radius) {
    PlotCurve& theory = plot.curves.emplace_back();
    theory.label = "Heat, closed form";
    theory.color = color::kText;
    theory.dashed = true;
    const double c = heat_strength(comparison);
    for (const float x : plot.x) {
      theory.y.push_back(static_cast<float>(measure::heat_on_tube(static_cast<double>(x), *profile->tube_radius, c)));
    }
  }
}

}  // namespace

void draw_weight_curves(const BindComparison& comparison, Desk& desk) {
  auto& curves = desk.workspace.panel<WeightCurves>();
  const auto made = static_cast<std::size_t>(
      std::ranges::count_if(comparison.rows, [](const BindComparison::Row& row) { return row.candidate != nullptr; }));
  const int joint = painted_joint(desk);
  if (curves.serial != comparison.serial || curves.joint != joint || curves.candidates != made) {
    curves.serial = comparison.serial;
    curves.joint = joint;
    curves.candidates = made;
    make_curves(curves, comparison);
  }
  if (!curves.reason.empty()) {
    wrapped_text(curves.reason, color::kTextDim);
    return;
  }
  draw_plot(desk, "bind.curves", curves.plot, desk.theme.px(kCurvesHeight));
}

}  // namespace pelt::ui
