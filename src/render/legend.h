#pragma once

#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "render/difference_map.h"
#include "render/renderer.h"
#include "render/view_settings.h"
#include "rig/character.h"

namespace pelt::render {

/// What the colours of a look mean, ready to be drawn: either a ramp with ticks or a list of colours with labels.
/// Positions `at` run from 0 (left) to 1 (right); colours are sRGB.
struct Legend {
  struct Stop {
    float at;
    glm::vec3 color;
  };
  struct Tick {
    float at;
    std::string label;
  };
  struct Entry {
    glm::vec3 color;
    std::string label;
  };
  std::string title;
  std::string unit;            ///< of the tick labels; empty where they have none
  std::vector<Stop> ramp;      ///< mix linearly in between
  std::vector<Tick> ticks;     ///< of the ramp, ascending
  std::vector<float> lines;    ///< of the ramp: where the surface has isolines
  std::vector<Entry> entries;  ///< discrete colours
  [[nodiscard]] bool empty() const { return title.empty(); }
};

/// The legend of a look; empty where its colours are the character's own.
/// @param batches  those drawn, for Look::kBatches
/// @param scale    of the picture, for Look::kDifference; the default is that of the backends
Legend legend(const rig::Character& character, const ViewSettings& view, std::span<const BatchInfo> batches = {},
              const DifferenceScale& scale = {.logarithmic = true});

}  // namespace pelt::render
