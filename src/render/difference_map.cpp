#include "render/difference_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <glm/gtc/constants.hpp>

#include "core/expect.h"
#include "core/index.h"
#include "render/look_colors.h"

namespace pelt::render {
namespace {

void take_extremes(DifferenceMap& map) {
  for (const std::vector<float>& part : map.values) {
    for (const float value : part) {
      if (std::isfinite(value)) {
        map.lowest = std::min(map.lowest, value);
        map.highest = std::max(map.highest, value);
      }
    }
  }
}

// Beside what methods do, rounding counts as nothing, or it would speckle what should be plain. Backends have nothing
// but rounding.
float rounding_of(const DifferenceScale& scale) {
  const float unit = scale.measure == measure::Measure::kDistance ? scale.diagonal : 1.0f;
  return scale.logarithmic ? 0.0f : kLookRounding * unit;
}

}  // namespace

DifferenceMap backend_difference(const deform::DeformedCharacter& a, const deform::DeformedCharacter& b) {
  PELT_EXPECT(a.parts.size() == b.parts.size(), "two deformations of one character");
  DifferenceMap map;
  map.diagonal = a.bounds.diagonal();
  map.values.resize(a.parts.size());
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    const std::span<const glm::vec3> from = a.parts[p].positions;
    const std::span<const glm::vec3> to = b.parts[p].positions;
    PELT_EXPECT(from.size() == to.size(), "two deformations of one part");
    map.values[p].reserve(from.size());
    for (std::size_t v = 0; v < from.size(); ++v) {
      const float distance = glm::distance(from[v], to[v]);
      map.values[p].push_back(std::isfinite(distance) ? distance : std::numeric_limits<float>::infinity());
    }
  }
  take_extremes(map);
  return map;
}

DifferenceMap difference_map(const measure::SurfaceField& field, measure::Measure measure,
                             const deform::DeformedCharacter& shape, const deform::DeformedCharacter& reference) {
  DifferenceMap map;
  map.measure = measure;
  map.values = field.values(shape, reference);
  map.diagonal = reference.bounds.diagonal();
  take_extremes(map);
  return map;
}

float round_up_nicely(float value) {
  if (!(value > 0.0f) || !std::isfinite(value)) {
    return 0.0f;
  }
  // A value that is a step but for rounding is that step.
  constexpr double kSlack = 1.0 + 1e-6;
  const double decade = std::pow(10.0, std::floor(std::log10(static_cast<double>(value))));
  for (const double step : {1.0, 2.0, 2.5, 5.0}) {
    if (static_cast<double>(value) <= step * decade * kSlack) {
      return static_cast<float>(step * decade);
    }
  }
  return static_cast<float>(10.0 * decade);
}

DifferenceScale difference_scale(std::span<const DifferenceMap* const> maps, const Compare& compare) {
  DifferenceScale scale;
  scale.measure = compare.measure;
  scale.logarithmic = compare.reference == Reference::kOtherBackend && compare.measure == measure::Measure::kDistance &&
                      !(compare.range > 0.0f);
  float largest = 0.0f;
  scale.diagonal = 0.0f;
  for (const DifferenceMap* map : maps) {
    largest = std::max({largest, map->highest, -map->lowest});
    scale.diagonal = std::max(scale.diagonal, map->diagonal);
  }
  // The steps are those of the numbers shown: millimetres, percent, degrees.
  const auto shown = static_cast<float>(measure::info(compare.measure).shown_per_unit);
  if (compare.range > 0.0f) {
    scale.end = compare.range;
  } else if (!scale.logarithmic && largest <= rounding_of(scale)) {
    scale.end = 0.0f;  // a scale of rounding errors would tell of differences where there are none
  } else {
    scale.end = round_up_nicely(largest * shown) / shown;
    if (scale.measure == measure::Measure::kNormalAngle) {
      scale.end = std::min(scale.end, glm::pi<float>());  // no two directions are further apart
    }
  }
  return scale;
}

float difference_level(const DifferenceScale& scale, float value) {
  if (scale.logarithmic) {
    return difference_level(value, scale.diagonal);
  }
  if (value == 0.0f || !(scale.end > 0.0f)) {
    return 0.0f;
  }
  const float lower = measure::info(scale.measure).diverging ? -1.0f : 0.0f;
  return glm::clamp(value / scale.end, lower, 1.0f);
}

float difference_level(float distance, float diagonal) {
  if (!(distance > 0.0f)) {
    return 0.0f;
  }
  const float relative = distance / std::max(diagonal, std::numeric_limits<float>::min());
  const float decades = std::log10(kLookLargestDifference / kLookLeastDifference);
  return glm::clamp(std::log10(relative / kLookLeastDifference) / decades, 0.0f, 1.0f);
}

glm::vec3 difference_color(const DifferenceScale& scale, float value) {
  const float level = difference_level(scale, value);
  if (measure::info(scale.measure).diverging) {
    // The ramp widens what is near zero by a square root, which numbers that are read off should not be.
    return diverging_ramp(level * std::abs(level));
  }
  return value <= rounding_of(scale) ? kLookZero : sequential_ramp(level);
}

std::optional<float> value_at(const DifferenceMap& map, int part, int vertex) {
  if (!has_index(map.values, part) || vertex < 0 || static_cast<std::size_t>(vertex) >= map.values[part].size()) {
    return std::nullopt;
  }
  return map.values[part][vertex];
}

std::optional<float> value_at(const DifferenceMap& map, const rig::Character& character, int part, int triangle,
                              const glm::vec3& barycentric) {
  if (!has_index(character.parts, part) || triangle < 0) {
    return std::nullopt;
  }
  const mesh::Primitive& primitive = character.primitive(character.parts[part]);
  const std::size_t first = 3 * static_cast<std::size_t>(triangle);
  if (primitive.topology != mesh::Topology::kTriangles || first + 3 > primitive.indices.size()) {
    return std::nullopt;
  }
  float sum = 0.0f;
  for (int corner = 0; corner < 3; ++corner) {
    const auto vertex = static_cast<int>(primitive.indices[first + static_cast<std::size_t>(corner)]);
    const std::optional<float> value = value_at(map, part, vertex);
    if (!value) {
      return std::nullopt;
    }
    sum += barycentric[corner] * *value;
  }
  return sum;
}

std::string short_number(double value, bool with_sign) {
  const double size = std::abs(value);
  std::string digits;
  if (std::isfinite(value) && size >= 999.5) {
    digits = fmt::format("{:.0f}", value);
  } else if (size > 1e-12 && size < 1e-4) {  // where {:g} begins to write exponents
    digits = fmt::format("{:.{}f}", value, 2 - static_cast<int>(std::floor(std::log10(size))));
    digits.erase(digits.find_last_not_of('0') + 1);
  } else {
    digits = fmt::format("{:.3g}", value);
  }
  return with_sign && value > 0 ? "+" + digits : digits;
}

std::string difference_text(measure::Measure measure, float value, float diagonal) {
  const measure::MeasureInfo& info = measure::info(measure);
  const double shown = static_cast<double>(value) * info.shown_per_unit;
  const std::string number = short_number(shown, info.diverging);
  const bool degrees = info.unit == "\u00b0";
  std::string text = fmt::format("{}{}{}", number, degrees ? "" : " ", info.unit);
  if (measure == measure::Measure::kDistance && diagonal > 0.0f) {
    text += fmt::format(", {} % of the diagonal", short_number(100.0 * static_cast<double>(value / diagonal)));
  }
  return text;
}

}  // namespace pelt::render
