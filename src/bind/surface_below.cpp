#include "bind/surface_below.h"

#include <algorithm>

namespace pelt::bind {
namespace {

mesh::TriangleBvh tree_over(const Problem& problem) {
  std::vector<glm::vec3> positions;
  std::vector<std::uint32_t> indices;
  for (const glm::dvec3& p : problem.positions) {
    positions.emplace_back(p);
  }
  for (const auto& triangle : problem.triangles) {
    indices.insert(indices.end(), triangle.begin(), triangle.end());
  }
  return {positions, indices};
}

}  // namespace

// After C. Ericson, "Real-Time Collision Detection", 2005, section 5.1.5: by the region that p lies in.
SurfacePoint nearest_on_triangle(const Problem& problem, std::size_t t, const glm::dvec3& p) {
  const auto& triangle = problem.triangles[t];
  const glm::dvec3& a = problem.positions[triangle[0]];
  const glm::dvec3& b = problem.positions[triangle[1]];
  const glm::dvec3& c = problem.positions[triangle[2]];
  const glm::dvec3 normal = glm::cross(b - a, c - a);
  const double squared = glm::dot(normal, normal);
  glm::dvec3 corner(-1.0);
  if (squared > 0) {
    corner.x = glm::dot(glm::cross(b - p, c - p), normal) / squared;
    corner.y = glm::dot(glm::cross(c - p, a - p), normal) / squared;
    corner.z = 1 - corner.x - corner.y;
  }
  if (corner.x < 0 || corner.y < 0 || corner.z < 0) {
    double least = -1;
    for (int k = 0; k < 3; ++k) {
      const glm::dvec3& from = problem.positions[triangle[static_cast<std::size_t>(k)]];
      const glm::dvec3& to = problem.positions[triangle[static_cast<std::size_t>((k + 1) % 3)]];
      const OnSegment on = nearest_on_segment(p, from, to);
      if (least < 0 || on.distance < least) {
        least = on.distance;
        corner = glm::dvec3(0.0);
        corner[k] = 1 - on.t;
        corner[(k + 1) % 3] = on.t;
      }
    }
  }
  const glm::dvec3 where = corner.x * a + corner.y * b + corner.z * c;
  return {t, corner, where, glm::length(where - p)};
}

SurfaceSearch::SurfaceSearch(const Problem& problem) : problem_(problem), tree_(tree_over(problem)) {}

std::optional<SurfacePoint> SurfaceSearch::nearest(const glm::dvec3& p, double limit,
                                                   const std::function<bool(const SurfacePoint&)>& accept) const {
  std::optional<SurfacePoint> best;
  // Reaches that grow: most points have a surface near by. What is accepted shortens the reach for the rest.
  for (double reach = limit / 32; !best && reach <= 1.001 * limit; reach *= 2) {
    double within = reach;
    tree_.for_each_within(p, 0.001 * reach, within, [&](std::uint32_t t) {
      const SurfacePoint here = nearest_on_triangle(problem_, t, p);
      if (here.distance <= reach && (!best || here.distance < best->distance) && accept(here)) {
        best = here;
        within = here.distance;
      }
    });
  }
  return best;
}

}  // namespace pelt::bind
