#include "ui/weight_curves.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
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
constexpr std::chrono::milliseconds kCurveAtOnce(4);  // small characters have theirs in the same picture
constexpr std::chrono::seconds kCurvePatience(60);    // of pictures, on machines that are busy

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

// A candidate that is drawn.
struct Curve {
  std::string label;
  std::shared_ptr<const rig::Character> character;
};

WeightCurves::Made make_curves(const rig::Character& bound, int joint, double strength,
                               const std::vector<Curve>& curves) {
  WeightCurves::Made out;
  if (!has_index(bound.skeleton->parent, joint)) {
    out.reason = "Select a joint to see how its weight runs along its limb.";
    return out;
  }
  std::vector<const rig::Character*> characters;
  for (const Curve& curve : curves) {
    characters.push_back(curve.character.get());
  }
  // A bare mesh has its bones from the candidates alone.
  const auto profile = measure::weight_profile(bound.skins.empty() ? *characters.front() : bound, joint, characters);
  const std::string name = printable(bound.skeleton->label(joint), 60);
  if (!profile) {
    out.reason = fmt::format("No limb leads to {}: select a joint below another one that deforms.", name);
    return out;
  }
  Plot& plot = out.plot;
  plot.x_label = fmt::format("Along the limb, m; 0 at {}", name);
  plot.y_label = fmt::format("Weight on {}", name);
  plot.x_unit = " m";
  plot.least_extent = 0.1;
  plot.x = profile->along;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    plot.curves.push_back(
        {.label = curves[c].label, .color = pane_color(static_cast<int>(c)), .y = profile->weights[c]});
  }
  if (profile->tube_radius) {
    PlotCurve& theory = plot.curves.emplace_back();
    theory.label = "Heat, closed form";
    theory.color = color::kText;
    theory.dashed = true;
    for (const float x : plot.x) {
      theory.y.push_back(
          static_cast<float>(measure::heat_on_tube(static_cast<double>(x), *profile->tube_radius, strength)));
    }
  }
  return out;
}

}  // namespace

void draw_weight_curves(const BindComparison& comparison, Desk& desk) {
  if (comparison.of == nullptr) {
    return;  // they were dropped in this very picture
  }
  auto& curves = desk.workspace.panel<WeightCurves>();
  std::vector<Curve> candidates;
  for (const BindComparison::Row& row : comparison.rows) {
    if (row.candidate != nullptr) {
      candidates.push_back({row.label, row.candidate->character});
    }
  }
  const int joint = painted_joint(desk);
  if (curves.serial != comparison.serial || curves.joint != joint || curves.candidates != candidates.size()) {
    curves.serial = comparison.serial;
    curves.joint = joint;
    curves.candidates = candidates.size();
    if (curves.job == nullptr) {
      curves.job =
          std::make_unique<JobSlot<WeightCurves::Made>>(desk.workspace.jobs, Jobs::Kind::kLive, "Weights along a limb");
    }
    curves.job->start([bound = comparison.of, joint, strength = heat_strength(comparison),
                       candidates = std::move(candidates)](const Progress&) {
      return std::optional(make_curves(*bound, joint, strength, candidates));
    });
  }
  curves.job->wait(comparison.patient ? kCurvePatience : kCurveAtOnce);
  if (std::optional<WeightCurves::Made> made = curves.job->take()) {
    curves.made = *std::move(made);
  }
  if (!curves.made.reason.empty()) {
    wrapped_text(curves.made.reason, color::kTextDim);
    return;
  }
  if (!curves.made.plot.curves.empty()) {
    draw_plot(desk, "bind.curves", curves.made.plot, desk.theme.px(kCurvesHeight));
  }
}

}  // namespace pelt::ui
