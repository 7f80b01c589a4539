// After S. Shin, H. Shin, 2000, as the course CSE 169 outlines it; J. Shewchuk, "Mesh Generation and Delaunay
// refinement", 2000, for what tetrahedra are kept.

#include "bind/delaunay.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "bind/delaunay_cells.h"
#include "bind/nearest_ways.h"
#include "bind/thinned_places.h"
#include "bind/voxels.h"
#include "bind/winding.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

enum DelaunayField : std::size_t { kHard, kDelaunayBones };

constexpr int kMostHalvings = 6;
constexpr double kSpacing = 0.5 + 1e-9;  // of the distance to the nearest place; rounding must not part equal ones
constexpr int kTurningVoxels = 128;      // along the longest side: which way faces go round shows from outside
constexpr std::size_t kCellsPerChunk = 1024;
constexpr std::size_t kPointsAtOnce = 16'000;  // which take Qhull about a second with those round them
constexpr std::size_t kThinned = 25'000;       // places that are left of too many
constexpr std::size_t kAllPairs = 12;  // points of a cell that are joined each with each; more meet in its middle
constexpr double kEqualWays = 1e-9;    // of the diagonal
constexpr double kEdgeCost = 1e3;      // diagonals: what an edge costs where edges count more than lengths
constexpr std::size_t kHardGoals = 2;  // the fewest edges, and whoever is equal

// By value, with no difference between the two zeros.
using PointKey = std::array<double, 3>;
PointKey key_of(const glm::dvec3& p) {
  return {p.x + 0.0, p.y + 0.0, p.z + 0.0};
}

double distance_to_places(const Problem& problem, const glm::dvec3& p) {
  double squared = std::numeric_limits<double>::infinity();
  for (const glm::dvec3& place : problem.positions) {
    const glm::dvec3 way = place - p;
    squared = std::min(squared, glm::dot(way, way));
  }
  return std::sqrt(squared);
}

// Points of a segment between its ends, which the caller adds.
void halve(const Problem& problem, const glm::dvec3& a, double near_a, const glm::dvec3& b, double near_b, int halvings,
           std::vector<glm::dvec3>& out) {
  const glm::dvec3 middle = 0.5 * (a + b);
  const double near = distance_to_places(problem, middle);
  if (halvings >= kMostHalvings || glm::length(b - a) <= kSpacing * std::min({near_a, near, near_b})) {
    return;
  }
  halve(problem, a, near_a, middle, near, halvings + 1, out);
  out.push_back(middle);
  halve(problem, middle, near, b, near_b, halvings + 1, out);
}

// Places and samples as points that are distinct: a place at a sample is that sample.
struct DelaunayPoints {
  std::vector<glm::dvec3> positions;  // the places first
  std::vector<WayStart> starts;       // of bones
};

DelaunayPoints points_of(const Problem& problem, std::span<const BoneSample> samples) {
  DelaunayPoints out{problem.positions, {}};
  std::map<PointKey, std::uint32_t> known;
  for (std::uint32_t w = 0; w < problem.place_count(); ++w) {
    known.try_emplace(key_of(problem.positions[w]), w);
  }
  for (const BoneSample& sample : samples) {
    const auto [it, is_new] =
        known.try_emplace(key_of(sample.position), static_cast<std::uint32_t>(out.positions.size()));
    if (is_new) {
      out.positions.push_back(sample.position);
    }
    for (const std::uint16_t b : sample.bones) {
      out.starts.push_back({it->second, b});
    }
  }
  return out;
}

glm::dvec3 cell_middle(std::span<const std::uint32_t> cell, std::span<const glm::dvec3> positions) {
  glm::dvec3 sum(0.0);
  for (const std::uint32_t p : cell) {
    sum += positions[p];
  }
  return sum / static_cast<double>(cell.size());
}

// 1 for the cells whose middle is inside; nothing where progress asks to stop.
std::optional<std::vector<char>> cells_inside(const Problem& surface, const DelaunayCells& cells,
                                              std::span<const glm::dvec3> positions, const Progress& progress) {
  const std::optional<std::vector<char>> turned = turned_triangles(
      surface, kTurningVoxels,
      [&](float fraction, std::string_view what) { return report(progress, 0.5f + 0.1f * fraction, what); });
  if (!turned) {
    return std::nullopt;
  }
  const WindingTree winding(surface.positions, surface.triangles, *turned);
  std::vector<char> inside(cells.size(), 0);
  const std::size_t chunks = (cells.size() + kCellsPerChunk - 1) / kCellsPerChunk;
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> stop = false;
  parallel_for(chunks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last && !stop; ++i) {
      for (std::size_t c = i * kCellsPerChunk; c < std::min(cells.size(), (i + 1) * kCellsPerChunk); ++c) {
        inside[c] = static_cast<char>(winding.is_inside(cell_middle(cells.cell(c), positions)));
      }
      if (!report(progress, 0.6f + 0.2f * static_cast<float>(++done) / static_cast<float>(chunks), "inside")) {
        stop = true;
      }
    }
  });
  return stop ? std::nullopt : std::optional(std::move(inside));
}

// Edges of the cells that are kept, each `edge_cost` longer than it is. Cells of many points, which a sphere or the
// rings of a tube have, get a node in their middle instead of all pairs.
WayGraph ways_inside(const DelaunayCells& cells, std::span<const char> kept, std::span<const glm::dvec3> positions,
                     double edge_cost) {
  std::vector<WayBetween> ways;
  std::size_t nodes = positions.size();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (kept[c] == 0) {
      continue;
    }
    const std::span<const std::uint32_t> cell = cells.cell(c);
    if (cell.size() > kAllPairs) {
      const auto hub = static_cast<std::uint32_t>(nodes++);
      const glm::dvec3 middle = cell_middle(cell, positions);
      for (const std::uint32_t p : cell) {
        ways.push_back({p, hub, 0.5 * edge_cost + glm::length(positions[p] - middle)});
      }
      continue;
    }
    for (std::size_t i = 0; i < cell.size(); ++i) {
      for (std::size_t k = i + 1; k < cell.size(); ++k) {
        ways.push_back({cell[i], cell[k], edge_cost + glm::length(positions[cell[i]] - positions[cell[k]])});
      }
    }
  }
  return make_way_graph(nodes, std::move(ways));
}

// w ~ length^-2; whoever is at length 0 takes the place. Hard: whoever is as near as the first.
void take_ends(std::span<const WayEnd> ends, bool hard, double equal, std::vector<Share>& row) {
  row.clear();
  const double least = ends.empty() ? 0.0 : ends[0].length;
  for (const WayEnd& end : ends) {
    double weight = end.length <= least + equal ? 1.0 : 0.0;
    if (!hard && least > equal) {
      weight = (least / end.length) * (least / end.length);
    }
    row.push_back({static_cast<std::uint16_t>(end.goal), weight});
  }
}

Binding rows_from_ways(const Problem& problem, std::span<const std::vector<WayEnd>> ends, bool hard) {
  Binding out;
  out.cause.assign(problem.place_count(), Cause::kSolved);
  Remark unreached{.kind = RemarkKind::kFallback, .instead = Cause::kNearest};
  std::vector<Share> row;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    take_ends(w < ends.size() ? std::span<const WayEnd>(ends[w]) : std::span<const WayEnd>(), hard,
              kEqualWays * problem.diagonal, row);
    if (row.empty()) {
      row.push_back({static_cast<std::uint16_t>(nearest_bone(problem.positions[w], problem.bones)), 1.0});
      out.cause[w] = Cause::kNearest;
      unreached.where = unreached.places++ == 0 ? problem.positions[w] : unreached.where;
    }
    out.rows.push(row);
  }
  if (unreached.places > 0) {
    out.remarks.push_back(unreached);
  }
  return out;
}

}  // namespace

std::vector<BoneSample> bone_samples(const Problem& problem) {
  struct Segment {
    std::size_t bone;
    glm::dvec3 tail;
    std::vector<glm::dvec3> points;
  };
  std::vector<Segment> segments;
  for (std::size_t b = 0; b < problem.bone_count(); ++b) {
    for (const glm::dvec3& tail : problem.bones[b].tails) {
      segments.push_back({b, tail, {}});
    }
  }
  parallel_for(segments.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const glm::dvec3& head = problem.bones[segments[s].bone].head;
      const glm::dvec3& tail = segments[s].tail;
      segments[s].points = {head, tail};
      if (head != tail) {
        halve(problem, head, distance_to_places(problem, head), tail, distance_to_places(problem, tail), 0,
              segments[s].points);
      }
    }
  });
  std::map<PointKey, std::size_t> known;
  std::vector<BoneSample> samples;
  for (const Segment& segment : segments) {
    const auto bone = static_cast<std::uint16_t>(segment.bone);
    for (const glm::dvec3& p : segment.points) {
      const auto [it, is_new] = known.try_emplace(key_of(p), samples.size());
      if (is_new) {
        samples.push_back({p, {}});
      }
      std::vector<std::uint16_t>& bones = samples[it->second].bones;
      if (bones.empty() || bones.back() != bone) {
        bones.push_back(bone);
      }
    }
  }
  return samples;
}

std::optional<Binding> bind_to_samples(const Problem& problem, const Problem& surface,
                                       std::span<const BoneSample> samples, const DelaunayWays& how,
                                       const Progress& progress) {
  const DelaunayPoints points = points_of(problem, samples);
  std::atomic<bool> stop = false;  // or else there are no cells
  const auto of_tetrahedra = [&](float fraction, std::string_view what) {
    if (!report(progress, 0.1f + 0.4f * fraction, what)) {
      stop = true;
    }
    return !stop;
  };
  const std::optional<DelaunayCells> cells = delaunay_cells_in_parts(points.positions, kPointsAtOnce, of_tetrahedra);
  if (stop || !report(progress, 0.5f, "inside")) {
    return std::nullopt;
  }
  if (!cells) {
    return rows_from_ways(problem, {}, how.hard);
  }
  const std::optional<std::vector<char>> kept = cells_inside(surface, *cells, points.positions, progress);
  if (!kept || !report(progress, 0.8f, "ways")) {
    return std::nullopt;
  }
  const double edge_cost = how.hard ? kEdgeCost * problem.diagonal : 0.0;
  const WayGraph graph = ways_inside(*cells, *kept, points.positions, edge_cost);
  const std::vector<std::vector<WayEnd>> ends =
      nearest_goals(graph, points.starts, how.hard ? kHardGoals : how.bones, kEqualWays * problem.diagonal);
  if (!report(progress, 1.0f, "ways")) {
    return std::nullopt;
  }
  return rows_from_ways(problem, ends, how.hard);
}

std::span<const Field> delaunay_fields() {
  static constexpr Field kFields[] = {
      {"hard", "One bone each", "", "each vertex follows the bone that it reaches over the fewest edges",
       Field::Kind::kSwitch, 0, 1, 0},
      {"bones", "Bones", "", "so many bones share a vertex at most, those with the shortest ways to it",
       Field::Kind::kInteger, 1, 16, 4},
  };
  return kFields;
}

std::optional<Binding> bind_delaunay(const Problem& problem, std::span<const double> values, const Watcher& watcher) {
  const DelaunayWays how{.hard = values[kHard] != 0, .bones = static_cast<std::size_t>(values[kDelaunayBones])};
  if (!report(watcher.progress, 0.0f, "points on bones")) {
    return std::nullopt;
  }
  if (problem.place_count() > kDelaunayPlaces) {
    const std::vector<std::uint32_t> places = thinned_places(problem, kThinned);
    const Problem thinned = problem_of_places(problem, places);
    if (!report(watcher.progress, 0.05f, "points on bones")) {
      return std::nullopt;
    }
    const std::optional<Binding> binding =
        bind_to_samples(thinned, problem, bone_samples(thinned), how, watcher.progress);
    return binding ? std::optional(spread(problem, places, *binding)) : std::nullopt;
  }
  return bind_to_samples(problem, problem, bone_samples(problem), how, watcher.progress);
}

}  // namespace pelt::bind
