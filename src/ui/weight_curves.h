#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/jobs.h"
#include "ui/plot.h"

namespace pelt::ui {

struct BindComparison;
struct Desk;

/// The plot of what each candidate gives the selected joint along its limb, kept until they or the joint change.
struct WeightCurves {
  int serial = -1;             ///< BindComparison::serial of what was drawn
  std::size_t candidates = 0;  ///< that it is of
  int joint = -1;
  /// What the job makes.
  struct Made {
    Plot plot;
    std::string reason;  ///< why there is none
  };
  Made made = {};
  std::unique_ptr<JobSlot<Made>> job = nullptr;
};

/// Below the table of candidates: their curves, and on a straight tube the closed form of heat, ALGORITHMS.md §34.
void draw_weight_curves(const BindComparison& comparison, Desk& desk);

}  // namespace pelt::ui
