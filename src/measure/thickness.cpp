#include "measure/thickness.h"

#include <cmath>

#include "core/parallel.h"
#include "mesh/triangle_bvh.h"

namespace pelt::measure {
namespace {

constexpr std::size_t kRaysPerChunk = 1024;

}  // namespace

std::vector<Opposite> find_opposites(const Surface& surface, std::span<const glm::vec3> positions) {
  const mesh::TriangleBvh tree(positions, surface.indices);
  const std::vector<std::uint32_t>& indices = surface.indices;
  const auto corner = [&](std::size_t t, std::size_t i) { return glm::dvec3(positions[indices[3 * t + i]]); };
  std::vector<Opposite> out(surface.triangle_count());
  parallel_for(out.size(), kRaysPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const glm::dvec3 a = corner(t, 0);
      const glm::dvec3 outward = glm::cross(corner(t, 1) - a, corner(t, 2) - a);
      const double length = glm::length(outward);
      if (!(length > 0) || !std::isfinite(length)) {
        continue;
      }
      const glm::dvec3 direction = -outward / length;
      const glm::dvec3 origin = (a + corner(t, 1) + corner(t, 2)) / 3.0;
      double nearest = std::numeric_limits<double>::infinity();
      tree.for_each_along(origin, direction, nearest, [&](std::uint32_t other) {
        // Möller, Trumbore, "Fast, Minimum Storage Ray-Triangle Intersection", Journal of Graphics Tools 2(1), 1997.
        const glm::dvec3 p = corner(other, 0);
        const glm::dvec3 e1 = corner(other, 1) - p;
        const glm::dvec3 e2 = corner(other, 2) - p;
        const glm::dvec3 normal = glm::cross(e1, e2);
        const double facing = glm::dot(direction, normal);
        if (!(facing > 0) || other == t) {
          return;  // the ray leaves the body through skin that looks along it
        }
        const glm::dvec3 from = origin - p;
        const glm::dvec3 q = glm::cross(from, direction);
        const double u = -glm::dot(e2, q) / facing;
        const double v = glm::dot(e1, q) / facing;
        const double distance = -glm::dot(from, normal) / facing;
        constexpr double kSlack = 1e-9;  // so that no ray slips through between two triangles
        if (u < -kSlack || v < -kSlack || u + v > 1 + kSlack || !(distance > 0)) {
          return;
        }
        if (distance < nearest || (distance == nearest && other < out[t].triangle)) {
          nearest = distance;
          out[t] = {other, u, v};
        }
      });
    }
  });
  return out;
}

double six_local_volumes(const Surface& surface, const Opposite& opposite, std::span<const glm::vec3> positions,
                         std::size_t t) {
  if (opposite.triangle == Opposite::kNone) {
    return 0.0;
  }
  const auto at = [&](std::size_t triangle, std::size_t i) {
    return glm::dvec3(positions[surface.indices[3 * triangle + i]]);
  };
  const glm::dvec3 first = at(opposite.triangle, 0);
  const glm::dvec3 o =
      first + opposite.u * (at(opposite.triangle, 1) - first) + opposite.v * (at(opposite.triangle, 2) - first);
  return glm::dot(at(t, 0) - o, glm::cross(at(t, 1) - o, at(t, 2) - o));
}

}  // namespace pelt::measure
