#include "bind/thinned_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bind/nearest_ways.h"

namespace pelt::bind {
namespace {

constexpr std::size_t kSpreadFrom = 3;  // places that a place mixes
constexpr double kEqualSpread = 1e-9;   // of the diagonal
constexpr int kMostGrids = 24;

std::vector<WayBetween> surface_edges(const Problem& problem) {
  std::vector<WayBetween> edges;
  edges.reserve(3 * problem.triangles.size());
  for (const auto& triangle : problem.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = std::min(triangle[i], triangle[(i + 1) % 3]);
      const std::uint32_t b = std::max(triangle[i], triangle[(i + 1) % 3]);
      edges.push_back({a, b, glm::length(problem.positions[a] - problem.positions[b])});
    }
  }
  return edges;
}

// One place of each island in each cube.
std::vector<std::uint32_t> one_of_each_cube(const Problem& problem, const glm::dvec3& lower, double size) {
  struct InCube {
    std::array<std::int64_t, 4> cube;  // the island last
    std::uint32_t place;
  };
  std::vector<InCube> all;
  all.reserve(problem.place_count());
  for (std::uint32_t w = 0; w < problem.place_count(); ++w) {
    const glm::dvec3 at = glm::floor((problem.positions[w] - lower) / size);
    all.push_back({{static_cast<std::int64_t>(at.x), static_cast<std::int64_t>(at.y), static_cast<std::int64_t>(at.z),
                    static_cast<std::int64_t>(problem.island[w])},
                   w});
  }
  std::ranges::sort(
      all, [](const InCube& a, const InCube& b) { return a.cube != b.cube ? a.cube < b.cube : a.place < b.place; });
  std::vector<std::uint32_t> chosen;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    glm::dvec3 middle(0.0);
    for (; end < all.size() && all[end].cube == all[begin].cube; ++end) {
      middle += problem.positions[all[end].place];
    }
    middle /= static_cast<double>(end - begin);
    const auto nearest = std::min_element(
        all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end),
        [&](const InCube& a, const InCube& b) {
          return glm::length(problem.positions[a.place] - middle) < glm::length(problem.positions[b.place] - middle);
        });
    chosen.push_back(nearest->place);
    begin = end;
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

std::vector<std::uint32_t> thinned_places(const Problem& problem, std::size_t count) {
  glm::dvec3 lower(std::numeric_limits<double>::max());
  for (const glm::dvec3& p : problem.positions) {
    lower = glm::min(lower, p);
  }
  // Places of a surface become a quarter as many when cubes become twice as large.
  double size = problem.diagonal / std::sqrt(static_cast<double>(std::max<std::size_t>(count, 1)));
  std::vector<std::uint32_t> best;
  double too_small = 0;
  double large_enough = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostGrids && problem.diagonal > 0; ++i) {
    std::vector<std::uint32_t> places = one_of_each_cube(problem, lower, size);
    const bool fits = places.size() <= count;
    if (fits || best.empty() || (best.size() > count && places.size() < best.size())) {
      best = std::move(places);
    }
    if (fits && 2 * best.size() >= count) {
      break;
    }
    (fits ? large_enough : too_small) = size;
    size = !fits && std::isinf(large_enough) ? 1.5 * size : 0.5 * (too_small + large_enough);
    if (size > 2 * problem.diagonal) {
      break;  // more islands than places are wanted
    }
  }
  if (best.empty() && problem.place_count() > 0) {
    best.push_back(0);
  }
  return best;
}

Problem problem_of_places(const Problem& problem, std::span<const std::uint32_t> places) {
  Problem out;
  for (const std::uint32_t w : places) {
    out.positions.push_back(problem.positions[w]);
  }
  out.bones = problem.bones;
  finish(out);
  return out;
}

Binding spread(const Problem& problem, std::span<const std::uint32_t> places, const Binding& binding) {
  const WayGraph graph = make_way_graph(problem.place_count(), surface_edges(problem));
  std::vector<WayStart> starts;
  constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> kept(problem.place_count(), kGone);
  for (std::uint32_t k = 0; k < places.size(); ++k) {
    starts.push_back({places[k], k});
    kept[places[k]] = k;
  }
  const std::vector<std::vector<WayEnd>> ends =
      nearest_goals(graph, starts, kSpreadFrom, kEqualSpread * problem.diagonal);
  Binding out;
  out.remarks = binding.remarks;
  out.cause.assign(problem.place_count(), Cause::kProxy);
  std::vector<Share> row;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    row.clear();
    if (kept[w] != kGone) {
      const std::span<const Share> own = binding.rows[kept[w]];
      row.assign(own.begin(), own.end());
      out.cause[w] = binding.cause[kept[w]];
    }
    for (const WayEnd& end : kept[w] == kGone ? std::span<const WayEnd>(ends[w]) : std::span<const WayEnd>()) {
      const double factor = (ends[w][0].length / end.length) * (ends[w][0].length / end.length);
      for (const Share& share : binding.rows[end.goal]) {
        row.push_back({share.bone, factor * share.weight});
      }
    }
    out.rows.push(row);
  }
  Remark remark{.kind = RemarkKind::kCoarseSurface,
                .places = problem.place_count() - places.size(),
                .amount = static_cast<double>(places.size()),
                .instead = Cause::kProxy};
  remark.where = problem.positions.empty() ? glm::dvec3(0.0) : problem.positions[0];
  out.remarks.push_back(remark);
  return out;
}

}  // namespace pelt::bind
