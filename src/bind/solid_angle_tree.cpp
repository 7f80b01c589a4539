#include "bind/solid_angle_tree.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pelt::bind {
namespace {

constexpr std::uint32_t kTrianglesPerNode = 8;
constexpr double kFarAway = 3.0;  // radii from which on a node counts as a dipole

// A. Van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", 1983.
double solid_angle(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  const double la = glm::length(a);
  const double lb = glm::length(b);
  const double lc = glm::length(c);
  const double volume = glm::dot(a, glm::cross(b, c));
  const double rest = la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb;
  return volume == 0 ? 0.0 : 2.0 * std::atan2(volume, rest);
}

}  // namespace

SolidAngleTree::SolidAngleTree(const Problem& problem) : problem_(problem), triangles_(problem.triangles.size()) {
  std::iota(triangles_.begin(), triangles_.end(), 0u);
  if (!triangles_.empty()) {
    nodes_.push_back({.first = 0, .count = static_cast<std::uint32_t>(triangles_.size())});
    for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
      build(at);
    }
  }
}

// Fills a node and parts it at the median of its longest side.
void SolidAngleTree::build(std::uint32_t at) {
  Node node = nodes_[at];
  const auto begin = triangles_.begin() + node.first;
  const auto end = begin + node.count;
  const auto corner = [&](std::uint32_t t, std::size_t i) { return problem_.positions[problem_.triangles[t][i]]; };
  const auto middle = [&](std::uint32_t t) { return (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0; };
  glm::dvec3 lower = corner(*begin, 0);
  glm::dvec3 upper = lower;
  double sum = 0;
  glm::dvec3 plain(0.0);
  for (auto it = begin; it != end; ++it) {
    const glm::dvec3 normal = 0.5 * glm::cross(corner(*it, 1) - corner(*it, 0), corner(*it, 2) - corner(*it, 0));
    const double area = glm::length(normal);
    node.normal += normal;
    node.center += area * middle(*it);
    plain += middle(*it);
    sum += area;
    for (std::size_t i = 0; i < 3; ++i) {
      lower = glm::min(lower, corner(*it, i));
      upper = glm::max(upper, corner(*it, i));
    }
  }
  node.center = sum > 0 ? node.center / sum : plain / static_cast<double>(node.count);
  for (auto it = begin; it != end; ++it) {
    for (std::size_t i = 0; i < 3; ++i) {
      node.radius = std::max(node.radius, glm::length(corner(*it, i) - node.center));
    }
  }
  if (node.count > kTrianglesPerNode) {
    const glm::dvec3 size = upper - lower;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::uint32_t half = node.count / 2;
    std::nth_element(begin, begin + half, end, [&](std::uint32_t a, std::uint32_t b) {
      const double x = middle(a)[axis];
      const double y = middle(b)[axis];
      return x != y ? x < y : a < b;
    });
    node.left = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({.first = node.first, .count = half});
    nodes_.push_back({.first = node.first + half, .count = node.count - half});
  }
  nodes_[at] = node;
}

double SolidAngleTree::winding(const glm::dvec3& p) const {
  if (nodes_.empty()) {
    return 0;
  }
  double angle = 0;
  std::uint32_t stack[64];  // halving leaves fewer than 32 levels
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = nodes_[stack[--depth]];
    const glm::dvec3 way = node.center - p;
    const double distance = glm::length(way);
    if (distance > kFarAway * node.radius) {
      angle += glm::dot(node.normal, way) / (distance * distance * distance);
    } else if (node.left != 0) {
      stack[depth++] = node.left;
      stack[depth++] = node.left + 1;
    } else {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        const auto& [a, b, c] = problem_.triangles[triangles_[i]];
        angle += solid_angle(problem_.positions[a] - p, problem_.positions[b] - p, problem_.positions[c] - p);
      }
    }
  }
  return angle / (4.0 * std::numbers::pi);
}

}  // namespace pelt::bind
