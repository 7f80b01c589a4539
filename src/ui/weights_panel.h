#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>
#include <glm/glm.hpp>

#include "mesh/influence_tally.h"
#include "ui/weight_edit_section.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kWeightsTab = "weights";

struct Desk;
struct Rect;

/// Which weights colour the skin, their legend, and one vertex's influences as bars.
struct WeightsPanel {
  std::uint64_t character_version = 0;                               ///< that was counted
  std::map<std::pair<int, int>, mesh::InfluenceTally> tallies = {};  ///< by mesh and primitive
  int joint = -2;                                                    ///< that the next three are of, over all parts
  std::int64_t vertices = 0;                                         ///< that follow the joint
  float largest = 0;
  double sum = 0;
  std::vector<std::int64_t> influence_counts;  ///< [k] vertices with k influences
  float worst_sum_error = 0;                   ///< |stored sum - 1|
  std::int64_t bad_sums = 0;                   ///< vertices where it exceeds 1e-3
  WeightEditSection smoothing;
};

void draw(WeightsPanel& panel, Desk& desk);

/// The legend of the look, for a corner of the viewport; nothing for looks that need none.
void draw_legend(Desk& desk, const Rect& pane);

}  // namespace pelt::ui
