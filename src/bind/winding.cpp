#include "bind/winding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pelt::bind {
namespace {

constexpr std::uint32_t kWindingLeaf = 8;

// Of a triangle seen from the origin; A. Van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", 1983.
double angle_seen(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
  const double la = glm::length(a);
  const double lb = glm::length(b);
  const double lc = glm::length(c);
  const double over = glm::dot(a, glm::cross(b, c));
  const double under = la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb;
  return over == 0 ? 0 : 2 * std::atan2(over, under);
}

}  // namespace

WindingTree::WindingTree(std::span<const glm::dvec3> positions, std::span<const std::array<std::uint32_t, 3>> triangles,
                         std::span<const char> turned) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t];
    const bool turn = !turned.empty() && turned[t] != 0;
    triangles_.push_back({positions[a], positions[turn ? c : b], positions[turn ? b : c]});
  }
  nodes_.emplace_back();
  build(0, 0, static_cast<std::uint32_t>(triangles_.size()));
}

void WindingTree::build(std::uint32_t node, std::uint32_t begin, std::uint32_t end) {
  glm::dvec3 lower(std::numeric_limits<double>::max());
  glm::dvec3 upper(std::numeric_limits<double>::lowest());
  Node made;
  double sum = 0;
  for (std::uint32_t t = begin; t < end; ++t) {
    const auto& [a, b, c] = triangles_[t];
    const glm::dvec3 area = 0.5 * glm::cross(b - a, c - a);
    const glm::dvec3 middle = (a + b + c) / 3.0;
    made.area += area;
    made.middle += glm::length(area) * middle;
    sum += glm::length(area);
    lower = glm::min(lower, middle);
    upper = glm::max(upper, middle);
  }
  made.middle = sum > 0 ? made.middle / sum : 0.5 * (lower + upper);
  for (std::uint32_t t = begin; t < end; ++t) {
    for (const glm::dvec3& corner : triangles_[t]) {
      made.reach = std::max(made.reach, glm::length(corner - made.middle));
    }
  }
  if (end - begin <= kWindingLeaf) {
    made.first = begin;
    made.count = end - begin;
    nodes_[node] = made;
    return;
  }
  const glm::dvec3 side = upper - lower;
  const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
  const std::uint32_t half = begin + (end - begin) / 2;
  std::nth_element(triangles_.begin() + begin, triangles_.begin() + half, triangles_.begin() + end,
                   [axis](const auto& one, const auto& two) {
                     return one[0][axis] + one[1][axis] + one[2][axis] < two[0][axis] + two[1][axis] + two[2][axis];
                   });
  made.first = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node] = made;
  nodes_.resize(nodes_.size() + 2);
  build(made.first, begin, half);
  build(made.first + 1, half, end);
}

double WindingTree::at(const glm::dvec3& p, double reaches) const {
  double sum = 0;
  std::uint32_t stack[64];  // halving leaves fewer than 32 levels, each of which keeps one sibling waiting
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = nodes_[stack[--depth]];
    const glm::dvec3 away = node.middle - p;
    const double squared = glm::dot(away, away);
    if (squared > reaches * reaches * node.reach * node.reach) {
      sum += glm::dot(node.area, away) / (squared * std::sqrt(squared));
    } else if (node.count > 0) {
      for (std::uint32_t t = node.first; t < node.first + node.count; ++t) {
        const auto& [a, b, c] = triangles_[t];
        sum += angle_seen(a - p, b - p, c - p);
      }
    } else if (nodes_.size() > 1) {
      stack[depth++] = node.first + 1;
      stack[depth++] = node.first;
    }
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace pelt::bind
