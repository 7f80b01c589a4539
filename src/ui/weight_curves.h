#pragma once

#include <cstddef>
#include <string>

#include "ui/plot.h"

namespace pelt::ui {

struct BindComparison;
struct Desk;

/// The plot of what each candidate gives the selected joint along its limb, kept until they or the joint change.
struct WeightCurves {
  int serial = -1;             ///< BindComparison::serial of what was drawn
  std::size_t candidates = 0;  ///< that it is of
  int joint = -1;
  Plot plot = {};
  std::string reason = {};  ///< why there is none
};

/// Below the table of candidates: their curves, and on a straight tube the closed form of heat, ALGORITHMS.md §34.
void draw_weight_curves(const BindComparison& comparison, Desk& desk);

}  // namespace pelt::ui
