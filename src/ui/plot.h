#pragma once

#include <optional>
#include <string>
#include <vector>

#include <imgui.h>

namespace pelt::ui {

struct Desk;

/// Ticks of an axis: multiples of `step` within [lower, upper].
struct PlotAxis {
  double lower = 0;
  double upper = 1;
  double step = 1;   ///< > 0
  int decimals = 0;  ///< that tell neighbouring ticks apart

  /// First tick that is not below `lower`.
  [[nodiscard]] double first_tick() const;
};

/// Ticks at 1, 2 or 5 times a power of ten; of an angle in degrees at 1, 2, 5, 10, 15, 30, 45 or 90. The range is kept.
/// A range without extent, or one that is not finite, becomes one of extent 1 around its centre (around 0).
/// @param most_ticks  at least 2
PlotAxis make_axis(double lower, double upper, int most_ticks, bool degrees = false);

/// One curve; a value that is not finite leaves a gap.
struct PlotCurve {
  std::string label;
  ImU32 color = 0;
  std::vector<float> y;  ///< one per Plot::x
  bool dashed = false;   ///< a formula, not a measurement
};

/// Curves over one axis, in the units in which they are shown.
struct Plot {
  std::string x_label;  ///< "tip.twist, °"
  std::string y_label;  ///< "Volume, %"
  std::string x_unit;   ///< behind the number in the readout, "°"
  std::string y_unit;
  bool degrees = false;     ///< x is an angle in degrees
  double least_extent = 0;  ///< of the y axis: differences far below this are drawn flat
  std::vector<float> x;     ///< ascending
  std::vector<PlotCurve> curves;
  std::optional<float> marker;  ///< x of what is shown now: a vertical line
};

/// Draws the plot over the whole width left, `height` pixels without its legend: axes, grid, curves, legend below, and
/// under the mouse the values of the nearest sample. Returns the x that the mouse is dragged to, for scrubbing.
/// Reports the plotting area as `name`.
std::optional<float> draw_plot(Desk& desk, const char* name, const Plot& plot, float height);

}  // namespace pelt::ui
