#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>
#include <glm/glm.hpp>

#include "ui/weight_edit_section.h"

namespace pelt::ui {

/// Of its row of tabs().
inline constexpr std::string_view kWeightsTab = "weights";

struct Desk;
struct Rect;

/// Which weights colour the skin, their legend, and one vertex's influences as bars.
struct WeightsPanel {
  // Of `joint` over all parts, counted when either changes.
  std::uint64_t character_version = 0;
  int joint = -2;
  std::int64_t vertices = 0;  ///< that follow the joint
  float largest = 0;
  double sum = 0;
  std::vector<std::int64_t> influence_counts;  ///< [k] vertices with k influences
  float worst_sum_error = 0;                   ///< |stored sum - 1|
  std::int64_t bad_sums = 0;                   ///< vertices where it exceeds 1e-3
  std::string filter;
  WeightEditSection smoothing;
};

void draw(WeightsPanel& panel, Desk& desk);

/// The legend of the look, for a corner of the viewport; nothing for looks that need none.
void draw_legend(Desk& desk, const Rect& pane);

}  // namespace pelt::ui
