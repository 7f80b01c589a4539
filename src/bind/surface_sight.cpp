#include "bind/surface_sight.h"

#include <cmath>

namespace pelt::bind {
namespace {

constexpr double kSightEnds = 1e-5;  // of the line, at each end, where triangles do not count
constexpr double kGrazing = 1e-5;    // sine of the angle between line and triangle
constexpr double kOnEdge = 1e-9;     // barycentric: a line through an edge meets both triangles

std::vector<glm::vec3> sight_positions(const Problem& problem, const glm::dvec3& origin) {
  std::vector<glm::vec3> out;
  out.reserve(problem.place_count());
  for (const glm::dvec3& p : problem.positions) {
    out.emplace_back(p - origin);
  }
  return out;
}

std::vector<std::uint32_t> sight_indices(const Problem& problem) {
  std::vector<std::uint32_t> out;
  out.reserve(3 * problem.triangles.size());
  for (const auto& triangle : problem.triangles) {
    out.insert(out.end(), triangle.begin(), triangle.end());
  }
  return out;
}

glm::dvec3 middle(const Problem& problem) {
  glm::dvec3 sum(0.0);
  for (const glm::dvec3& p : problem.positions) {
    sum += p;
  }
  return problem.positions.empty() ? sum : sum / static_cast<double>(problem.place_count());
}

}  // namespace

SurfaceSight::SurfaceSight(const Problem& problem) : SurfaceSight(problem, middle(problem)) {}

SurfaceSight::SurfaceSight(const Problem& problem, const glm::dvec3& origin)
    : problem_(problem), origin_(origin), tree_(sight_positions(problem, origin), sight_indices(problem)) {}

bool SurfaceSight::is_blocked(std::size_t w, const glm::dvec3& target, Blocks blocks) const {
  const glm::dvec3 from = problem_.positions[w];
  const glm::dvec3 way = target - from;
  const double length = glm::length(way);
  if (!(length > 0)) {
    return false;
  }
  double limit = 1.0 - kSightEnds;
  bool blocked = false;
  tree_.for_each_along(from - origin_, way, limit, [&](std::uint32_t t) {
    const auto& [a, b, c] = problem_.triangles[t];
    if (blocked || a == w || b == w || c == w) {
      return;
    }
    // Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
    const glm::dvec3 ab = problem_.positions[b] - problem_.positions[a];
    const glm::dvec3 ac = problem_.positions[c] - problem_.positions[a];
    const glm::dvec3 normal = glm::cross(ab, ac);
    const double along = glm::dot(normal, way);
    if (std::abs(along) <= kGrazing * glm::length(normal) * length || (blocks == Blocks::kOuterSide && along > 0)) {
      return;
    }
    const glm::dvec3 off = from - problem_.positions[a];
    const glm::dvec3 q = glm::cross(off, way);
    const double u = -glm::dot(ac, q) / along;
    const double v = glm::dot(ab, q) / along;
    const double at = -glm::dot(normal, off) / along;
    if (u >= -kOnEdge && v >= -kOnEdge && u + v <= 1.0 + kOnEdge && at > kSightEnds && at < 1.0 - kSightEnds) {
      blocked = true;
      limit = -1.0;  // nothing else needs a look
    }
  });
  return blocked;
}

}  // namespace pelt::bind
