#pragma once

#include <optional>

#include "render/view_settings.h"

namespace pelt::ui {

struct Desk;

/// What the section remembers.
struct SurfaceSection {
  /// The slider of the exploded view while it is dragged: surfaces are made elsewhere, one at a time.
  struct Explosion {
    float wanted = 0;
    std::optional<double> asked_at;  ///< seconds, Scene::now, of the one that is on its way
    double seconds = 0;              ///< that the last one took until it was seen
  };
  std::optional<Explosion> exploding;

  /// From before the colours by joint.
  struct Plain {
    render::Look look = render::Look::kShaded;
    bool partition = false;
  };
  Plain before_colors = {};
};

/// The section "Surface": levels of subdivision and of detail, exploded view, T-junctions (ALGORITHMS.md §52).
void draw_surface_section(SurfaceSection& section, Desk& desk);

}  // namespace pelt::ui
