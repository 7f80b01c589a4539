#include "bind/diffusion.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include <Eigen/SparseCholesky>

#include "core/parallel.h"

namespace pelt::bind {
namespace {

constexpr double kKeptShare = 1e-6;   // less is dropped
constexpr double kSteepest = 1e4;     // cotangents beyond it are of slivers without area
constexpr double kLooseHold = 1e-12;  // of the mean of M H: keeps the matrix regular where an island is not held

using StiffMatrix = Eigen::SparseMatrix<double>;

// -L and M of the surface, in units in which the diagonal is 1.
struct Conductance {
  std::vector<Eigen::Triplet<double>> entries;  // below the diagonal and on it
  std::vector<double> area;                     // [W]
};

Conductance conductance_of(const Problem& problem) {
  struct EdgeCotangent {
    std::uint64_t key;
    double half;
    auto operator<=>(const EdgeCotangent&) const = default;
  };
  Conductance out;
  out.area.assign(problem.place_count(), 0.0);
  std::vector<EdgeCotangent> edges;
  edges.reserve(3 * problem.triangles.size());
  for (const auto& triangle : problem.triangles) {
    const glm::dvec3 a = problem.positions[triangle[0]] / problem.diagonal;
    const glm::dvec3 b = problem.positions[triangle[1]] / problem.diagonal;
    const glm::dvec3 c = problem.positions[triangle[2]] / problem.diagonal;
    const double twice = glm::length(glm::cross(b - a, c - a));
    if (!(twice > 0)) {
      continue;
    }
    const std::array<glm::dvec3, 3> at = {a, b, c};
    for (std::size_t k = 0; k < 3; ++k) {
      out.area[triangle[k]] += twice / 6;
      const glm::dvec3 one = at[(k + 1) % 3] - at[k];
      const glm::dvec3 two = at[(k + 2) % 3] - at[k];
      const double cotangent = std::clamp(glm::dot(one, two) / twice, -kSteepest, kSteepest);
      const std::uint64_t low = std::min(triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
      const std::uint64_t high = std::max(triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
      edges.push_back({low << 32 | high, 0.5 * cotangent});
    }
  }
  std::ranges::sort(edges);
  for (std::size_t e = 0; e < edges.size();) {
    const std::uint64_t key = edges[e].key;
    double sum = 0;
    for (; e < edges.size() && edges[e].key == key; ++e) {
      sum += edges[e].half;
    }
    if (sum > 0) {
      const auto low = static_cast<int>(key >> 32);
      const auto high = static_cast<int>(key & 0xffffffffu);
      out.entries.emplace_back(high, low, -sum);
      out.entries.emplace_back(low, low, sum);
      out.entries.emplace_back(high, high, sum);
    }
  }
  return out;
}

}  // namespace

std::optional<Rows> diffused(const Problem& problem, std::span<const Hold> holds, const Progress& progress) {
  const std::size_t count = problem.place_count();
  const auto size = static_cast<Eigen::Index>(count);
  Conductance surface = conductance_of(problem);
  std::vector<double> inflow(count, 0.0);  // M H
  std::vector<char> held_island(problem.island_count(), 0);
  double sum = 0;
  for (std::size_t w = 0; w < count; ++w) {
    inflow[w] = surface.area[w] * holds[w].strength * problem.diagonal * problem.diagonal;
    if (inflow[w] > 0) {
      held_island[problem.island[w]] = 1;
    }
    sum += inflow[w];
  }
  const double loose = sum > 0 ? kLooseHold * sum / static_cast<double>(count) : 1.0;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> sources(problem.bone_count());
  for (std::size_t w = 0; w < count; ++w) {
    if (!(surface.area[w] > 0)) {  // conducts nothing
      inflow[w] = holds[w].strength > 0 ? 1 : 0;
    }
    for (const Share& share : holds[w].shares) {
      if (inflow[w] > 0) {
        sources[share.bone].emplace_back(static_cast<std::uint32_t>(w), inflow[w] * share.weight);
      }
    }
    surface.entries.emplace_back(static_cast<int>(w), static_cast<int>(w), inflow[w] > 0 ? inflow[w] : loose);
  }
  if (!report(progress, 0.1f, "factorising")) {
    return std::nullopt;
  }
  StiffMatrix matrix(size, size);
  matrix.setFromTriplets(surface.entries.begin(), surface.entries.end());
  surface.entries = {};
  Eigen::SimplicialLDLT<StiffMatrix, Eigen::Lower> solver(matrix);
  std::vector<std::vector<Share>> shares(count);
  if (solver.info() != Eigen::Success) {
    sources.assign(sources.size(), {});  // nothing is known of any place
  }
  std::atomic<bool> stopped = false;
  std::atomic<std::size_t> done = 0;
  std::mutex adding;
  parallel_for(problem.bone_count(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      if (stopped || sources[b].empty()) {
        ++done;
        continue;
      }
      if (!report(progress, 0.3f + 0.7f * static_cast<float>(done) / static_cast<float>(problem.bone_count()),
                  "weights of each bone")) {
        stopped = true;
        continue;
      }
      Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
      for (const auto& [w, value] : sources[b]) {
        right[w] += value;
      }
      const Eigen::VectorXd weights = solver.solve(right);
      const std::lock_guard lock(adding);
      for (std::size_t w = 0; w < count; ++w) {
        if (weights[static_cast<Eigen::Index>(w)] > kKeptShare) {
          shares[w].push_back({static_cast<std::uint16_t>(b), weights[static_cast<Eigen::Index>(w)]});
        }
      }
      ++done;
    }
  });
  if (stopped || !report(progress, 1.0f, "weights of each bone")) {
    return std::nullopt;
  }
  Rows rows;
  for (std::size_t w = 0; w < count; ++w) {
    if (held_island[problem.island[w]] == 0 && !(surface.area[w] <= 0)) {
      shares[w].clear();
    }
    rows.push(shares[w]);
    shares[w] = {};
  }
  return rows;
}

}  // namespace pelt::bind
