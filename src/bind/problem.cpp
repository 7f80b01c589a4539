#include "bind/problem.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pelt::bind {
namespace {

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

}  // namespace

void finish(Problem& problem) {
  const std::size_t count = problem.place_count();
  std::vector<std::uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0u);
  for (const auto& [a, b, c] : problem.triangles) {
    for (const std::uint32_t other : {b, c}) {
      const std::uint32_t one = root_of(parent, a);
      const std::uint32_t two = root_of(parent, other);
      parent[std::max(one, two)] = std::min(one, two);
    }
  }
  problem.island.assign(count, 0);
  problem.island_size.clear();
  for (std::uint32_t v = 0; v < count; ++v) {
    const std::uint32_t root = root_of(parent, v);
    if (root == v) {
      problem.island[v] = static_cast<std::uint32_t>(problem.island_size.size());
      problem.island_size.push_back(0);
    } else {
      problem.island[v] = problem.island[root];  // the root is the lowest of its island, so it has its number
    }
    ++problem.island_size[problem.island[v]];
  }
  glm::dvec3 lower(0.0);
  glm::dvec3 upper(0.0);
  if (count > 0) {
    lower = upper = problem.positions[0];
  }
  for (const glm::dvec3& p : problem.positions) {
    lower = glm::min(lower, p);
    upper = glm::max(upper, p);
  }
  problem.diagonal = glm::length(upper - lower);
}

OnSegment nearest_on_segment(const glm::dvec3& p, const glm::dvec3& a, const glm::dvec3& b) {
  const glm::dvec3 along = b - a;
  const double squared = glm::dot(along, along);
  const double t = squared > 0 ? std::clamp(glm::dot(p - a, along) / squared, 0.0, 1.0) : 0.0;
  return {t, glm::length(p - (a + t * along))};
}

OnBone nearest_on_bone(const glm::dvec3& p, const Bone& bone) {
  OnBone best{0, 0, std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < bone.tails.size(); ++k) {
    const OnSegment here = nearest_on_segment(p, bone.head, bone.tails[k]);
    if (here.distance < best.distance) {
      best = {k, here.t, here.distance};
    }
  }
  return best;
}

std::size_t nearest_bone(const glm::dvec3& p, std::span<const Bone> bones) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const double distance = distance_to_bone(p, bones[b]);
    if (distance < least) {
      best = b;
      least = distance;
    }
  }
  return best;
}

}  // namespace pelt::bind
