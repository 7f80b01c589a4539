#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "deform/deform.h"
#include "measure/surface_fields.h"
#include "render/view_settings.h"
#include "rig/character.h"

namespace pelt::render {

/// Distances between the backends, relative to the diagonal, that their logarithmic scale tells apart.
inline constexpr float kLookLeastDifference = 1e-8f;
inline constexpr float kLookLargestDifference = 1e-4f;
/// Relative to the diagonal, or to 1: no difference worth a colour on linear scales.
inline constexpr float kLookRounding = 1e-6f;

/// What the look kDifference shows of one pane.
struct DifferenceMap {
  measure::Measure measure = measure::Measure::kDistance;
  std::vector<std::vector<float>> values;  ///< [P][V] in the measure's own unit; infinite where a distance of the
                                           ///< backends is not finite
  float lowest = 0;                        ///< finite value
  float highest = 0;                       ///< finite value
  float diagonal = 1;                      ///< of the reference, metres
};

/// How values become colours, and what the legend says about them.
struct DifferenceScale {
  measure::Measure measure = measure::Measure::kDistance;
  float end = 1;             ///< where the colours end, in the measure's own unit; 0: nothing differs
  float diagonal = 1;        ///< of the character, metres
  bool logarithmic = false;  ///< from kLookLeastDifference to kLookLargestDifference of the diagonal; `end` is unused
  bool operator==(const DifferenceScale&) const = default;
};

/// Distance of every vertex between two deformations of one character, seams and all: for backends, whose difference is
/// rounding. @pre a and b have the same parts and vertices
DifferenceMap backend_difference(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b);
/// A measure's field. @pre both are deformations of the field's character
DifferenceMap difference_map(const measure::SurfaceField& field, measure::Measure measure,
                             const deform::DeformedCharacter& shape, const deform::DeformedCharacter& reference);

/// The smallest of ..., 1, 2, 2.5, 5, 10, 20, 25, 50, ... that is not below `value`; 0 where it is 0.
float round_up_nicely(float value);
/// One scale for all panes, so that the same colour means the same in each. Distances between backends get the
/// logarithmic one unless a range is given: rounding errors spread over decades. Elsewhere they count as nothing.
DifferenceScale difference_scale(std::span<const DifferenceMap* const> maps, const Compare& compare);
/// Where a value lies: 0..1, or -1..1 for measures that diverge; clamped.
float difference_level(const DifferenceScale& scale, float value);
/// The same for a distance on the logarithmic scale.
float difference_level(float distance, float diagonal);
/// Linear RGB; 0 is kLookZero where the measure does not diverge, and on linear scales so is what is within
/// kLookRounding of the diagonal or of 1.
glm::vec3 difference_color(const DifferenceScale& scale, float value);

/// The value at a vertex, nothing where there is no such vertex.
std::optional<float> value_at(const DifferenceMap& map, int part, int vertex);
/// The value on a triangle. @param barycentric  weights of the corners, sum 1
std::optional<float> value_at(const DifferenceMap& map, const rig::Character& character, int part, int triangle,
                              const glm::vec3& barycentric);
/// Three digits or as many as an integer has, without an exponent and without the zeros that say nothing: "0.07",
/// "1200".
/// @param with_sign  of positive numbers, too
std::string short_number(double value, bool with_sign = false);
/// "1.24 mm, 0.07 % of the diagonal", "-12.5 %", "3.1°".
std::string difference_text(measure::Measure measure, float value, float diagonal);

}  // namespace pelt::render
