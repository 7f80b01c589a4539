#include "ui/fast_normals_section.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "deform/fast_root.h"
#include "deform/skinning_methods.h"
#include "ui/plot.h"
#include "ui/widgets.h"
#include "ui/workspace.h"

namespace pelt::ui {
namespace {

constexpr float kCurveHeight = 150;  // layout units
constexpr int kCurveSamples = 241;

// Two octaves of lengths: between them the error repeats with every factor of two.
Plot error_curve() {
  Plot plot;
  plot.x_label = "Length before";
  plot.y_label = "Off unit length, %";
  plot.y_unit = "\u2009%";
  PlotCurve error{"Approximate root", color::kAccent, {}, false};
  PlotCurve bound{"Bound", color::kText, {}, true};
  for (int i = 0; i < kCurveSamples; ++i) {
    const float length = 0.25f + 0.75f * static_cast<float>(i) / static_cast<float>(kCurveSamples - 1);
    plot.x.push_back(length);
    error.y.push_back(100 * deform::fast_length_error(length));
    bound.y.push_back(-100 * deform::kFastRootError);
  }
  plot.curves = {std::move(error), std::move(bound)};
  return plot;
}

float worst_normal(const deform::DeformedCharacter& shape) {
  float worst = 0;
  for (const deform::DeformedPart& part : shape.parts) {
    for (const glm::vec3& normal : part.normals) {
      worst = std::max(worst, std::abs(glm::length(normal) - 1.0f));
    }
  }
  return worst;
}

}  // namespace

void draw_fast_normals_section(FastNormals& known, Desk& desk) {
  const int pane = desk.document().view.active_pane;
  const deform::SkinningSettings& settings = edit::skinning_of(desk.document().content, pane);
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  if (deform::normals_under(method, settings.normals) != deform::NormalVariant::kFastRenormalised ||
      !section(desk, "Fast renormalisation")) {
    return;
  }
  wrapped_text(
      "1/\u221a of the length's square by halving its bits and one Newton step, as it was done before "
      "processors had an instruction for it. Directions are those of variant a.",
      color::kTextDim);
  static const Plot kErrorCurve = error_curve();
  draw_plot(desk, "skinning.fast-normals", kErrorCurve, desk.theme.px(kCurveHeight));
  if (desk.scene.deformed) {
    if (known.pose_version != desk.scene.pose_version || known.pane != pane) {
      known = {desk.scene.pose_version, pane, worst_normal(desk.scene.deformed(pane))};
    }
    number_line(desk, "In this pose", fmt::format("up to {:.3f}\u2009%", 100 * known.worst),
                "The normal of the pose shown that is farthest from unit length, computed by the CPU");
    report_item(desk, "skinning.fast-normals.worst");
  }
}

}  // namespace pelt::ui
