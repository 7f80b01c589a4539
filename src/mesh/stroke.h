#pragma once

#include <optional>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/dab.h"

namespace pelt::mesh {

/// Where a stroke lays its dabs, ALGORITHMS.md §39: by the length of its path or, as an airbrush, by time; never by how
/// often the mouse tells where it is.
struct StrokeSpacing {
  double radius = 0.1;    ///< R, in the units of positions
  double share = 0.25;    ///< a dab each share * R of the path; an airbrush cuts its path into pieces no longer
  bool airbrush = false;  ///< adds while it stands still, too
  double rate = 10;       ///< an airbrush's full dabs per second
};

/// What an event says.
struct StrokeSample {
  glm::dvec3 position = {};  ///< on the surface or on the screen
  double time = 0;           ///< seconds
  double pressure = 1;       ///< 0 to 1
};

/// A dab that is due.
struct StrokeDab {
  glm::dvec3 position = {};
  double pressure = 1;
  double share = 1;  ///< of a full dab: an airbrush's rate * dt
};

/// Turns the events of a stroke into dabs. What is left of the spacing at one event counts at the next.
class Stroke {
 public:
  /// @pre  radius, share and rate are above 0
  explicit Stroke(const StrokeSpacing& spacing);
  /// The dabs that are due with this sample, in their order; the first one lays a dab at once, an airbrush's none.
  /// Samples that are not finite or go back in time are left out.
  std::vector<StrokeDab> add(const StrokeSample& sample);

 private:
  StrokeSpacing spacing_;
  std::optional<StrokeSample> last_;
  double since_dab_ = 0;  // length of the path
};

/// The amount of a dab for dabbed_weights(): strength * falloff * pressure of a spaced one. An airbrush's adds and
/// subtracts share times that, x. What goes towards a value or a row goes by 1 - exp(-x), so that two halves of a
/// second make what a whole one does, and scaling by v by (exp(x (v - 1)) - 1) / (v - 1).
/// @param strength  strength * falloff * pressure, 0 to 1 @param value  v of the dab
double dab_amount(DabMode mode, const StrokeSpacing& spacing, double strength, const StrokeDab& dab, double value = 1);

}  // namespace pelt::mesh
