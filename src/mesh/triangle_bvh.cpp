#include "mesh/triangle_bvh.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "core/parallel.h"

namespace pelt::mesh {
namespace {

constexpr std::uint32_t kTrianglesPerLeaf = 4;
constexpr std::size_t kTrianglesPerChunk = 1024;

using Triangle = std::array<glm::dvec3, 3>;

Triangle triangle_at(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices, std::size_t t) {
  return {glm::dvec3(positions[indices[3 * t]]), glm::dvec3(positions[indices[3 * t + 1]]),
          glm::dvec3(positions[indices[3 * t + 2]])};
}

glm::dvec3 normal_of(const Triangle& t) {
  const glm::dvec3 n = glm::cross(t[1] - t[0], t[2] - t[0]);
  const double length = glm::length(n);
  return length > 0 ? n / length : glm::dvec3(0);
}

/// Distances of the corners of `t` from a plane; what lies closer than `contact` lies in it. True where corners lie on
/// both sides.
bool straddles(const Triangle& t, const glm::dvec3& point, const glm::dvec3& normal, double contact,
               std::array<double, 3>& distance) {
  bool above = false;
  bool below = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const double d = glm::dot(normal, t[i] - point);
    distance[i] = std::abs(d) <= contact ? 0.0 : d;
    above = above || distance[i] > 0;
    below = below || distance[i] < 0;
  }
  return above && below;
}

struct Interval {
  double lower = std::numeric_limits<double>::infinity();
  double upper = -std::numeric_limits<double>::infinity();
  void add(double x) {
    lower = std::min(lower, x);
    upper = std::max(upper, x);
  }
};

/// Where the triangle meets the plane from which its corners have these distances, along one coordinate.
Interval cut(const Triangle& t, const std::array<double, 3>& distance, int axis) {
  Interval out;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t k = (i + 1) % 3;
    if (distance[i] == 0.0) {
      out.add(t[i][axis]);
    }
    if (distance[i] * distance[k] < 0.0) {
      out.add(t[i][axis] + (t[k][axis] - t[i][axis]) * distance[i] / (distance[i] - distance[k]));
    }
  }
  return out;
}

bool cross_each_other(const Triangle& a, const Triangle& b, double contact) {
  std::array<double, 3> from_b{};
  std::array<double, 3> from_a{};
  const glm::dvec3 normal_b = normal_of(b);
  if (!straddles(a, b[0], normal_b, contact, from_b)) {
    return false;
  }
  const glm::dvec3 normal_a = normal_of(a);
  if (!straddles(b, a[0], normal_a, contact, from_a)) {
    return false;
  }
  const glm::dvec3 line = glm::abs(glm::cross(normal_a, normal_b));
  const int axis = line.x >= line.y && line.x >= line.z ? 0 : line.y >= line.z ? 1 : 2;
  const Interval on_a = cut(a, from_b, axis);
  const Interval on_b = cut(b, from_a, axis);
  return std::min(on_a.upper, on_b.upper) - std::max(on_a.lower, on_b.lower) > contact;
}

}  // namespace

TriangleBvh::TriangleBvh(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices) {
  const std::size_t count = indices.size() / 3;
  std::vector<Bounds> boxes(count);
  std::vector<glm::vec3> centers(count);
  triangles_.reserve(count);
  for (std::size_t t = 0; t < count; ++t) {
    bool finite = true;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const glm::vec3& p = positions[indices[3 * t + corner]];
      finite = finite && is_finite(p);
      boxes[t].add(p);
    }
    if (finite) {
      centers[t] = boxes[t].center();
      triangles_.push_back(static_cast<std::uint32_t>(t));
    }
  }
  if (triangles_.empty()) {
    return;
  }
  nodes_.reserve(triangles_.size());
  nodes_.push_back({{}, 0, static_cast<std::uint32_t>(triangles_.size())});
  std::vector<std::uint32_t> open = {0};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const std::uint32_t first = nodes_[at].first;
    const std::uint32_t size = nodes_[at].count;
    Bounds bounds;
    Bounds of_centers;
    for (std::uint32_t i = first; i < first + size; ++i) {
      bounds.add(boxes[triangles_[i]]);
      of_centers.add(centers[triangles_[i]]);
    }
    nodes_[at].bounds = bounds;
    if (size <= kTrianglesPerLeaf) {
      continue;
    }
    const glm::vec3 extent = of_centers.upper - of_centers.lower;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const std::uint32_t half = size / 2;
    const auto begin = triangles_.begin() + static_cast<std::ptrdiff_t>(first);
    std::nth_element(begin, begin + half, begin + size, [&](std::uint32_t a, std::uint32_t b) {
      return centers[a][axis] != centers[b][axis] ? centers[a][axis] < centers[b][axis] : a < b;
    });
    const auto left = static_cast<std::uint32_t>(nodes_.size());
    nodes_[at].first = left;
    nodes_[at].count = 0;
    nodes_.push_back({{}, first, half});
    nodes_.push_back({{}, first + half, size - half});
    open.push_back(left + 1);
    open.push_back(left);
  }
}

bool TriangleBvh::meets(const Bounds& box, const glm::dvec3& origin, const glm::dvec3& direction, double limit) {
  double enter = 0;
  double leave = limit;
  for (int axis = 0; axis < 3; ++axis) {
    const double lower = static_cast<double>(box.lower[axis]);
    const double upper = static_cast<double>(box.upper[axis]);
    const double margin = 1e-9 * (std::abs(lower) + std::abs(upper));  // flat boxes must not be missed by rounding
    if (direction[axis] == 0.0) {
      if (origin[axis] < lower - margin || origin[axis] > upper + margin) {
        return false;
      }
      continue;
    }
    const double a = (lower - margin - origin[axis]) / direction[axis];
    const double b = (upper + margin - origin[axis]) / direction[axis];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave;
}

std::int64_t count_self_intersections(std::span<const glm::vec3> positions, std::span<const std::uint32_t> indices,
                                      std::span<const std::uint32_t> welded) {
  const TriangleBvh tree(positions, indices);
  // What single-precision positions cannot tell apart is contact.
  const double contact = 2e-7 * static_cast<double>(bounds_of(positions).diagonal());
  std::atomic<std::int64_t> pairs = 0;
  parallel_for(indices.size() / 3, kTrianglesPerChunk, [&](std::size_t begin, std::size_t end) {
    std::int64_t found = 0;
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle mine = triangle_at(positions, indices, t);
      Bounds box;
      for (std::size_t corner = 0; corner < 3; ++corner) {
        box.add(positions[indices[3 * t + corner]]);
      }
      if (box.empty()) {
        continue;
      }
      const std::array<std::uint32_t, 3> own = {welded[indices[3 * t]], welded[indices[3 * t + 1]],
                                                welded[indices[3 * t + 2]]};
      tree.for_each_near(box, [&](std::uint32_t other) {
        if (other <= t) {
          return;
        }
        for (std::size_t corner = 0; corner < 3; ++corner) {
          const std::uint32_t v = welded[indices[std::size_t{3} * other + corner]];
          if (v == own[0] || v == own[1] || v == own[2]) {
            return;
          }
        }
        found += cross_each_other(mine, triangle_at(positions, indices, other), contact) ? 1 : 0;
      });
    }
    pairs += found;
  });
  return pairs;
}

}  // namespace pelt::mesh
