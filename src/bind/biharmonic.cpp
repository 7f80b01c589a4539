#include "bind/biharmonic.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "bind/volume_heat.h"
#include "bind/voxel_gaps.h"
#include "core/parallel.h"

namespace pelt::bind {
namespace {

enum BiharmonicField : std::size_t { kBiharmonicVoxels };

constexpr int kCoarsestVoxels = 12;         // along the longest side: where the first weights come from
constexpr std::size_t kMostCubes = 12'000;  // whose solution takes up to a minute
constexpr double kSmallestShare = 1e-6;     // of a place: less is dropped

// Weights above 0 of one bone on one grid, nodes ascending.
using BoneOnNodes = std::vector<NodeShare>;

// What one grid has to say, which is where the next finer one begins.
struct SolvedGrid {
  BiharmonicSystem system;
  std::vector<BoneOnNodes> of_bone;  // [B]
};

// Part of the way of a whole progress.
Progress part_of(const Progress& whole, float from, float to) {
  if (!whole) {
    return {};
  }
  return
      [&whole, from, to](float fraction, std::string_view what) { return whole(from + (to - from) * fraction, what); };
}

std::vector<double> start_from(const SolvedGrid& coarse, std::size_t bone, const VolumeElements& fine) {
  std::vector<double> values(coarse.system.elements.node_count(), 0.0);
  for (const NodeShare& node : coarse.of_bone[bone]) {
    values[node.node] = node.share;
  }
  std::vector<double> out(fine.node_count(), 0.0);
  std::array<NodeShare, 8> round;
  for (std::size_t n = 0; n < out.size(); ++n) {
    const glm::dvec3 p = fine.grid.lower + fine.grid.edge * glm::dvec3(fine.at[n]);
    const std::size_t count = nodes_round(coarse.system.elements, p, round);
    for (std::size_t k = 0; k < count; ++k) {
      out[n] += round[k].share * values[round[k].node];
    }
  }
  return out;
}

std::optional<SolvedGrid> solve_grid(BiharmonicSystem system, const SolvedGrid* coarse, const Progress& progress) {
  const std::size_t bones = system.nodes.size();
  SolvedGrid out{std::move(system), {}};
  out.of_bone.resize(bones);
  const std::size_t count = out.system.elements.node_count();
  std::atomic<bool> stopped = false;
  std::atomic<std::size_t> done = 0;
  const auto go_on = [&] {
    if (!stopped && !report(progress, static_cast<float>(done) / static_cast<float>(bones), "weights of each bone")) {
      stopped = true;
    }
    return !stopped;
  };
  parallel_for(bones, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end && !stopped; ++b) {
      std::vector<double> weights =
          coarse != nullptr ? start_from(*coarse, b, out.system.elements) : std::vector<double>(count, 0.5);
      biharmonic_weights(out.system, b, weights, go_on);
      for (std::uint32_t n = 0; n < count; ++n) {
        if (weights[n] > 0) {
          out.of_bone[b].push_back({n, weights[n]});
        }
      }
      ++done;
    }
  });
  return stopped ? std::nullopt : std::optional(std::move(out));
}

// Of each node, summing to 1; empty in parts of the volume that no bone goes through.
Rows rows_of_nodes(const SolvedGrid& grid) {
  std::vector<std::vector<Share>> shares(grid.system.elements.node_count());
  for (std::size_t b = 0; b < grid.of_bone.size(); ++b) {
    for (const NodeShare& node : grid.of_bone[b]) {
      shares[node.node].push_back({static_cast<std::uint16_t>(b), node.share});
    }
  }
  Rows rows;
  for (const std::vector<Share>& row : shares) {
    rows.push(row);
  }
  return rows;
}

Binding binding_from(const Problem& problem, const SolvedGrid& grid) {
  const Rows of_node = rows_of_nodes(grid);
  Binding binding;
  binding.cause.assign(problem.place_count(), Cause::kSolved);
  std::array<NodeShare, 8> round;
  std::vector<double> weights(problem.bone_count(), 0.0);
  std::vector<Share> row;
  for (std::size_t w = 0; w < problem.place_count(); ++w) {
    const std::size_t count = nodes_round(grid.system.elements, problem.positions[w], round);
    row.clear();
    std::ranges::fill(weights, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      for (const Share& share : of_node[round[k].node]) {
        weights[share.bone] += round[k].share * share.weight;
      }
    }
    for (std::size_t b = 0; b < weights.size(); ++b) {
      if (weights[b] > kSmallestShare) {
        row.push_back({static_cast<std::uint16_t>(b), weights[b]});
      }
    }
    if (row.empty()) {
      row.push_back({static_cast<std::uint16_t>(nearest_bone(problem.positions[w], problem.bones)), 1});
      binding.cause[w] = Cause::kNearest;
    }
    binding.rows.push(row);
  }
  remark_on_unreached(problem, binding);
  for (std::size_t b = 0; b < problem.bone_count(); ++b) {
    if (grid.system.nodes[b].outside) {
      binding.remarks.push_back({.kind = RemarkKind::kBoneOutside,
                                 .bone = static_cast<int>(b),
                                 .where = problem.bones[b].head,
                                 .amount = grid.system.nodes[b].distance,
                                 .instead = Cause::kSolved});
    }
  }
  remark_on_gaps(problem, grid.system.elements.grid, binding);
  return binding;
}

}  // namespace

std::span<const Field> biharmonic_fields() {
  static constexpr Field kFields[] = {
      {"voxels", "Voxels", "", "cubes along the longest side: gaps narrower than two of them close",
       Field::Kind::kInteger, 16, 128, 64},
  };
  return kFields;
}

BiharmonicSystem biharmonic_system(const Voxels& voxels, std::span<const Bone> bones) {
  BiharmonicSystem out;
  out.elements = elements_of(voxels);
  out.bending = bending(out.elements);
  const std::size_t count = out.elements.node_count();
  out.on.resize(count);
  out.held_part.assign(out.elements.part_count, 0);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    out.nodes.push_back(nodes_on_bone(out.elements, bones[b]));
    for (const std::uint32_t n : out.nodes.back().nodes) {
      out.on[n].push_back(static_cast<std::uint16_t>(b));
      out.held_part[out.elements.part[n]] = 1;
    }
  }
  out.given.resize(count);
  for (std::size_t n = 0; n < count; ++n) {
    out.given[n] = static_cast<char>(!out.on[n].empty() || out.held_part[out.elements.part[n]] == 0);
  }
  return out;
}

std::optional<BoundedReport> biharmonic_weights(const BiharmonicSystem& system, std::size_t bone,
                                                std::span<double> weights, const std::function<bool()>& go_on) {
  for (std::size_t n = 0; n < weights.size(); ++n) {
    if (system.given[n] != 0) {
      weights[n] = 0;
    }
  }
  for (const std::uint32_t n : system.nodes[bone].nodes) {
    weights[n] = 1 / static_cast<double>(system.on[n].size());
  }
  return bounded_minimum(system.bending, system.given, weights, go_on);
}

std::optional<FittingVoxels> fitting_voxels(const Problem& problem, int n, std::size_t most, const Progress& progress) {
  for (;;) {
    std::optional<Voxels> voxels = voxelised(problem, n, progress);
    if (!voxels) {
      return std::nullopt;
    }
    const std::size_t cubes = voxels->inside_count + voxels->surface_count;
    if (cubes <= most || n <= kCoarsestVoxels) {
      return FittingVoxels{n, std::move(*voxels)};
    }
    const double smaller = std::cbrt(static_cast<double>(most) / static_cast<double>(cubes));
    n = std::max(kCoarsestVoxels, std::min(n - 1, static_cast<int>(n * smaller)));
  }
}

std::optional<Binding> bind_biharmonic(const Problem& problem, std::span<const double> values, const Watcher& watcher) {
  return biharmonic_binding(problem, static_cast<int>(values[kBiharmonicVoxels]), kMostCubes, watcher);
}

std::optional<Binding> biharmonic_binding(const Problem& problem, int n, std::size_t most, const Watcher& watcher) {
  std::optional<FittingVoxels> fine = fitting_voxels(problem, n, most, part_of(watcher.progress, 0, 0.1f));
  if (!fine) {
    return std::nullopt;
  }
  std::vector<int> grids = {fine->n};
  while (grids.back() / 2 >= kCoarsestVoxels) {
    grids.push_back(grids.back() / 2);
  }
  const std::vector<Bone> bones = branched_bones(problem);
  std::optional<SolvedGrid> solved;
  float from = 0.1f;
  for (; !grids.empty(); grids.pop_back()) {
    const bool is_last = grids.size() == 1;
    const float to = is_last ? 1 : from + 0.5f * (0.4f - from);
    const float between = is_last ? from : 0.5f * (from + to);
    std::optional<Voxels> voxels =
        is_last ? std::move(fine->voxels) : voxelised(problem, grids.back(), part_of(watcher.progress, from, between));
    if (!voxels) {
      return std::nullopt;
    }
    std::optional<SolvedGrid> next = solve_grid(biharmonic_system(*voxels, bones), solved ? &*solved : nullptr,
                                                part_of(watcher.progress, between, to));
    if (!next) {
      return std::nullopt;
    }
    solved = std::move(next);
    if (!is_last && watcher.show) {
      watcher.show(binding_from(problem, *solved));
    }
    from = to;
  }
  Binding binding = binding_from(problem, *solved);
  if (fine->n < n) {
    binding.remarks.push_back({.kind = RemarkKind::kCoarseVolume,
                               .places = problem.place_count(),
                               .where = problem.positions[0],
                               .amount = static_cast<double>(fine->n)});
  }
  return binding;
}

}  // namespace pelt::bind
