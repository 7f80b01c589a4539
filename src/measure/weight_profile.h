#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rig/character.h"

namespace pelt::measure {

/// How much a limb follows a joint, from the bone above it to its own.
struct WeightProfile {
  /// Where along the two bones, ascending: 0 at the joint, below 0 on the bone above. Metres where the nodes are at
  /// rest.
  std::vector<float> along;
  std::vector<std::vector<float>> weights;  ///< by character as given, the mean of the vertices there
  /// Of a straight tube round both bones, in the same metres; nothing where the limb is none.
  std::optional<double> tube_radius;
};

/// Of the vertices that are nearer to the bone of the joint or to that of the joint above it than to any other bone of
/// their skin, as bound. Vertices that stand equally far along are one sample; where there are more than 200 such
/// places they are gathered to 48.
/// @param joint  of the skeleton  @param characters  of the same meshes and joints as `bound`, whose skins may list
/// more
/// @return nothing where no skin that a mesh wears lists the joint and one above it, or no vertex is there
/// @cost O(V * slots of the skin)
std::optional<WeightProfile> weight_profile(const rig::Character& bound, int joint,
                                            std::span<const rig::Character* const> characters);

/// What heat makes of an endless tube of radius r whose two bones meet at 0: 1 - exp(-sqrt(c) x / r) / 2 beyond the
/// joint, and 1 minus that of -x before it. ALGORITHMS.md §34 (C34.1). @pre  r > 0, c > 0
double heat_on_tube(double x, double r, double c);

}  // namespace pelt::measure
