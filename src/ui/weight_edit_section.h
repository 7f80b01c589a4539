#pragma once

#include <map>
#include <memory>
#include <string>

#include "edit/weight_edits.h"
#include "mesh/surface_disc.h"
#include "mesh/welded_surface.h"
#include "ui/weight_scope.h"

namespace pelt::ui {

struct Desk;

/// What the section "Smooth" of the Weights tab remembers.
struct WeightEditSection : WeightScope {
  float radius = 0.05f;           ///< share of the mesh's diagonal in the bind shape
  edit::SmoothWeights smoothing;  ///< its numbers alone
  std::map<int, std::shared_ptr<const mesh::WeldedSurface>> surfaces = {};  ///< of meshes that were smoothed
  mesh::DiscSearch search = {};
};

/// Why nothing can be smoothed in the chosen area; empty where it can.
std::string why_not_smooth(const WeightEditSection& section, const Desk& desk);

/// Smoothing of weights round the pinned vertex, of selected vertices, where the selected joint has weight, or
/// everywhere (ALGORITHMS.md §37).
void draw_weight_edit_section(WeightEditSection& section, Desk& desk);

}  // namespace pelt::ui
