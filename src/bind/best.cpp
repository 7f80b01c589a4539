#include "bind/best.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "bind/geodesic_voxel.h"
#include "bind/skeleton_shift.h"
#include "bind/surface_below.h"
#include "bind/united_places.h"
#include "bind/volume_heat.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

enum BestField : std::size_t { kBestSharpness, kBestVoxels };

constexpr double kLayerReach = 0.025;  // diagonals
constexpr double kLayerPart = 0.9;     // of an island must lie on another one
constexpr double kFacesAlike = 0.5;    // cosine
constexpr double kLayerSize = 0.1;     // diagonals: what is smaller, beside fingers say, has others near that it does
                                       // not lie on
constexpr std::size_t kLayerSamples = 256;
constexpr double kSmallPart = 0.05;  // diagonals
constexpr std::size_t kRestAtOnce = 256;
constexpr std::size_t kNoIsland = static_cast<std::size_t>(-1);

struct IslandFacts {
  std::vector<std::uint32_t> places;
  glm::dvec3 lower = {};
  glm::dvec3 upper = {};
  bool held = false;              // some of its places have weights
  std::size_t below = kNoIsland;  // what it lies on
};

// Rows that can be changed.
using OpenRows = std::vector<std::vector<Share>>;

std::vector<IslandFacts> facts_of(const Problem& problem, const OpenRows& rows) {
  std::vector<IslandFacts> facts(problem.island_count());
  for (std::uint32_t w = 0; w < problem.place_count(); ++w) {
    IslandFacts& island = facts[problem.island[w]];
    const glm::dvec3& p = problem.positions[w];
    island.lower = island.places.empty() ? p : glm::min(island.lower, p);
    island.upper = island.places.empty() ? p : glm::max(island.upper, p);
    island.places.push_back(w);
    island.held = island.held || !rows[w].empty();
  }
  return facts;
}

std::size_t island_of(const Problem& problem, const SurfacePoint& point) {
  return problem.island[problem.triangles[point.triangle][0]];
}

// Whether weights can be mixed from the corners of a triangle: all of them have some.
bool has_rows(const Problem& problem, std::size_t triangle, const OpenRows& rows) {
  return std::ranges::none_of(problem.triangles[triangle], [&](std::uint32_t w) { return rows[w].empty(); });
}

// What stands by while islands are looked at.
struct Layers {
  const Problem& problem;
  const SurfaceSearch& search;
  std::span<const glm::dvec3> normals;  // [W]
  std::span<const char> turned;         // [T]
  const OpenRows& rows;

  // The surface below a place: behind it, facing alike, of a given island, where that has weights, or of any other.
  [[nodiscard]] std::optional<SurfacePoint> below(std::uint32_t w, std::size_t island) const {
    const glm::dvec3& p = problem.positions[w];
    return search.nearest(p, kLayerReach * problem.diagonal, [&](const SurfacePoint& point) {
      const std::size_t there = island_of(problem, point);
      if (there == problem.island[w] || glm::dot(point.where - p, normals[w]) > 0 ||
          (island != kNoIsland && (there != island || !has_rows(problem, point.triangle, rows)))) {
        return false;
      }
      const auto& [a, b, c] = problem.triangles[point.triangle];
      const glm::dvec3 normal =
          glm::cross(problem.positions[b] - problem.positions[a], problem.positions[c] - problem.positions[a]);
      const double cosine = (turned[point.triangle] != 0 ? -1 : 1) * glm::dot(normal, normals[w]);
      return cosine > kFacesAlike * glm::length(normal);
    });
  }

  // The island that this one lies on, if it does.
  [[nodiscard]] std::size_t below_island(const IslandFacts& island) const {
    if (glm::length(island.upper - island.lower) < kLayerSize * problem.diagonal) {
      return kNoIsland;
    }
    std::map<std::size_t, std::size_t> votes;
    const std::size_t step = island.places.size() / kLayerSamples + 1;
    std::size_t samples = 0;
    for (std::size_t k = 0; k < island.places.size(); k += step) {
      ++samples;
      if (const auto point = below(island.places[k], kNoIsland)) {
        ++votes[island_of(problem, *point)];
      }
      if (samples == 16 && votes.empty()) {
        return kNoIsland;
      }
    }
    for (const auto& [other, count] : votes) {
      if (static_cast<double>(count) >= kLayerPart * static_cast<double>(samples)) {
        return other;
      }
    }
    return kNoIsland;
  }
};

// Of a triangle that has rows, therefore never empty.
std::vector<Share> row_at(const Problem& problem, const SurfacePoint& point, const OpenRows& rows) {
  std::vector<Share> row;
  for (int k = 0; k < 3; ++k) {
    for (const Share& share : rows[problem.triangles[point.triangle][static_cast<std::size_t>(k)]]) {
      if (const double weight = point.corner[k] * share.weight; weight > 0) {
        row.push_back({share.bone, weight});
      }
    }
  }
  return row;
}

// Layers take their weights from below, those first whose lower one has its own by then. Two that lie on each other
// keep what they have.
void bind_layers(const Layers& layers, std::vector<IslandFacts>& facts, OpenRows& rows, Binding& binding) {
  for (IslandFacts& island : facts) {
    island.below = layers.below_island(island);
  }
  std::vector<char> settled(facts.size(), 0);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    settled[i] = static_cast<char>(facts[i].below == kNoIsland);
  }
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      IslandFacts& island = facts[i];
      if (settled[i] != 0 || settled[island.below] == 0 || !facts[island.below].held) {
        continue;
      }
      settled[i] = 1;
      more = true;
      std::vector<std::vector<Share>> taken(island.places.size());
      parallel_for(island.places.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          if (const auto point = layers.below(island.places[k], island.below)) {
            taken[k] = row_at(layers.problem, *point, rows);
          }
        }
      });
      std::size_t count = 0;
      for (std::size_t k = 0; k < taken.size(); ++k) {
        if (!taken[k].empty()) {
          rows[island.places[k]] = std::move(taken[k]);
          binding.cause[island.places[k]] = Cause::kBody;
          ++count;
        }
      }
      island.held = island.held || count > 0;
      binding.remarks.push_back({.kind = RemarkKind::kIslandFromBody,
                                 .island = static_cast<int>(i),
                                 .places = count,
                                 .where = layers.problem.positions[island.places[0]],
                                 .instead = Cause::kBody,
                                 .other = static_cast<int>(island.below)});
    }
  }
}

// Places that no heat reaches. False where the progress asked to stop.
bool bind_the_rest(const Problem& problem, std::span<const Bone> bones, const Progress& progress, OpenRows& rows,
                   Binding& binding) {
  std::vector<std::uint32_t> rest;
  for (std::uint32_t w = 0; w < rows.size(); ++w) {
    if (rows[w].empty()) {
      rest.push_back(w);
    }
  }
  if (rest.empty()) {
    return true;
  }
  Problem bound;  // its triangles are those that have rows
  bound.positions = problem.positions;
  for (std::size_t t = 0; t < problem.triangles.size(); ++t) {
    if (has_rows(problem, t, rows)) {
      bound.triangles.push_back(problem.triangles[t]);
    }
  }
  const SurfaceSearch search(bound);
  std::vector<std::vector<Share>> taken(rest.size());
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> stop = false;
  parallel_for(rest.size(), kRestAtOnce, [&](std::size_t begin, std::size_t end) {
    if (stop) {
      return;
    }
    for (std::size_t k = begin; k < end; ++k) {
      const auto point =
          search.nearest(problem.positions[rest[k]], problem.diagonal, [](const SurfacePoint&) { return true; });
      if (point) {
        taken[k] = row_at(bound, *point, rows);
      }
    }
    done += end - begin;
    if (!report(progress, static_cast<float>(done) / static_cast<float>(rest.size()), "what no heat reaches")) {
      stop = true;
    }
  });
  for (std::size_t k = 0; k < rest.size() && !stop; ++k) {
    const std::uint32_t w = rest[k];
    binding.cause[w] = taken[k].empty() ? Cause::kNearest : Cause::kBody;
    rows[w] = std::move(taken[k]);
    if (rows[w].empty()) {
      rows[w] = {{static_cast<std::uint16_t>(nearest_bone(problem.positions[w], bones)), 1}};
    }
  }
  return !stop;
}

// Small islands in which no bone begins.
void bind_rigid_parts(const Problem& problem, std::span<const IslandFacts> facts, std::span<const Bone> bones,
                      OpenRows& rows, Binding& binding) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const IslandFacts& island = facts[i];
    const bool is_small = glm::length(island.upper - island.lower) < kSmallPart * problem.diagonal;
    const bool bends = std::ranges::any_of(bones, [&](const Bone& bone) {
      return glm::all(glm::greaterThan(bone.head, island.lower)) && glm::all(glm::lessThan(bone.head, island.upper));
    });
    if (!is_small || bends || island.places.size() < 2) {
      continue;
    }
    std::vector<double> sum(bones.size(), 0.0);
    for (const std::uint32_t w : island.places) {
      double of_place = 0;
      for (const Share& share : rows[w]) {
        of_place += share.weight;
      }
      for (const Share& share : rows[w]) {
        sum[share.bone] += share.weight / of_place;
      }
    }
    std::vector<Share> row;
    for (std::size_t b = 0; b < sum.size(); ++b) {
      if (sum[b] > 0) {
        row.push_back({static_cast<std::uint16_t>(b), sum[b] / static_cast<double>(island.places.size())});
      }
    }
    for (const std::uint32_t w : island.places) {
      rows[w] = row;
      binding.cause[w] = Cause::kRigid;
    }
    binding.remarks.push_back({.kind = RemarkKind::kIslandRigid,
                               .bone = static_cast<int>(std::ranges::max_element(sum) - sum.begin()),
                               .island = static_cast<int>(i),
                               .places = island.places.size(),
                               .where = 0.5 * (island.lower + island.upper),
                               .instead = Cause::kRigid});
  }
}

std::optional<Binding> bind_in_volume(const Problem& problem, const Voxels& voxels, double sharpness,
                                      const Progress& progress) {
  std::vector<Bone> bones = branched_bones(problem);
  const glm::dvec3 shift = shift_into_volume(voxels, bones);
  bones = shifted_bones(bones, shift);
  const std::optional<VolumeHeat> heat = heat_in_volume(problem, bones, voxels, sharpness, progress);
  if (!heat) {
    return std::nullopt;
  }
  Binding binding;
  binding.cause = heat->cause;
  OpenRows rows;
  rows.reserve(problem.place_count());
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    rows.emplace_back(heat->rows[w].begin(), heat->rows[w].end());
  }
  std::vector<IslandFacts> facts = facts_of(problem, rows);
  if (facts.size() > 1) {
    const SurfaceSearch search(problem);
    const std::vector<glm::dvec3> normals = outward_normals(problem, voxels.turned);
    bind_layers({problem, search, normals, voxels.turned, rows}, facts, rows, binding);
  }
  if (!report(progress, 1.0f, "layers and small parts") || !bind_the_rest(problem, bones, progress, rows, binding)) {
    return std::nullopt;
  }
  if (facts.size() > 1) {
    bind_rigid_parts(problem, facts, bones, rows, binding);
  }
  for (const std::vector<Share>& row : rows) {
    binding.rows.push(row);
  }
  remark_on_volume(problem, problem.bones, voxels, heat->cause, binding);
  if (shift != glm::dvec3(0.0)) {
    for (Remark& remark : binding.remarks) {
      if (remark.kind == RemarkKind::kBoneOutside) {
        remark.instead = Cause::kSolved;  // it was moved inside
      }
    }
    binding.remarks.push_back({.kind = RemarkKind::kSkeletonShifted,
                               .places = problem.place_count(),
                               .where = problem.bones[0].head,
                               .amount = glm::length(shift)});
  }
  return binding;
}

}  // namespace

// Its numbers are those of the heat that it begins with.
std::span<const Field> best_fields() {
  return volume_heat_fields();
}

std::optional<Binding> bind_best(const Problem& problem, std::span<const double> values, const Watcher& watcher) {
  if (!show_ways_first(problem, static_cast<int>(values[kBestVoxels]), watcher)) {
    return std::nullopt;
  }
  const std::optional<Voxels> voxels = voxelised(problem, static_cast<int>(values[kBestVoxels]), watcher.progress);
  if (!voxels) {
    return std::nullopt;
  }
  const UnitedPlaces united = united_places(problem, voxels->turned);
  std::optional<Binding> binding = bind_in_volume(united.problem, *voxels, values[kBestSharpness], watcher.progress);
  return binding ? std::optional(parted(problem, united, *std::move(binding))) : std::nullopt;
}

}  // namespace pelt::bind
