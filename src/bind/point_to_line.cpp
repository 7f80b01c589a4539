#include "bind/point_to_line.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace pelt::bind {
namespace {

enum PointToLineField : std::size_t { kPower, kNearestCount };

// The row of one place: distances are divided by the least of them, so that no power leaves the range of numbers.
void inverse_power_row(std::vector<std::pair<double, std::size_t>>& by_distance, std::size_t count, double power,
                       std::vector<Share>& row) {
  count = std::min(count, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count), by_distance.end());
  const double least = by_distance[0].first;
  row.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const auto [distance, bone] = by_distance[k];
    const double weight = least > 0 ? std::pow(least / distance, power) : (distance > 0 ? 0.0 : 1.0);
    row.push_back({static_cast<std::uint16_t>(bone), weight});
  }
}

}  // namespace

std::span<const Field> point_to_line_fields() {
  static constexpr Field kFields[] = {
      {"power", "Falloff", "", "weights fall with this power of the distance", Field::Kind::kReal, 1, 16, 4},
      {"bones", "Bones", "", "so many of the nearest bones share a vertex; 1 binds it to the nearest alone",
       Field::Kind::kInteger, 1, 16, 4},
  };
  return kFields;
}

std::optional<Binding> bind_point_to_line(const Problem& problem, std::span<const double> values,
                                          const Watcher& watcher) {
  Binding binding;
  binding.cause.assign(problem.place_count(), Cause::kSolved);
  std::vector<std::pair<double, std::size_t>> by_distance;
  std::vector<Share> row;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    if (w % 4096 == 0 &&
        !report(watcher.progress, static_cast<float>(w) / static_cast<float>(problem.place_count()), "distances")) {
      return std::nullopt;
    }
    by_distance.clear();
    for (std::size_t b = 0; b < problem.bone_count(); ++b) {
      by_distance.emplace_back(distance_to_bone(problem.positions[w], problem.bones[b]), b);
    }
    inverse_power_row(by_distance, static_cast<std::size_t>(values[kNearestCount]), values[kPower], row);
    binding.rows.push(row);
  }
  return binding;
}

}  // namespace pelt::bind
