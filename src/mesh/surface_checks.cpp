#include "mesh/surface_checks.h"

#include <algorithm>
#include <cmath>

#include "math/transform.h"
#include "mesh/weld.h"

namespace pelt::mesh {

float largest_weight_difference(const InfluenceRow& a, const InfluenceRow& b) {
  const auto weight_of = [](const InfluenceRow& row, std::uint16_t joint) {
    const auto found = std::ranges::find(row.joints, joint);
    return found != row.joints.end() ? row.weights[found - row.joints.begin()] : 0.0f;
  };
  float largest = 0;
  for (std::size_t k = 0; k < a.joints.size(); ++k) {
    largest = std::max(largest, std::abs(a.weights[k] - weight_of(b, a.joints[k])));
  }
  for (std::size_t k = 0; k < b.joints.size(); ++k) {
    largest = std::max(largest, std::abs(b.weights[k] - weight_of(a, b.joints[k])));
  }
  return largest;
}

float largest_weight_difference(const Influences& influences, std::uint32_t v, std::uint32_t w) {
  return largest_weight_difference(influences.row(v), influences.row(w));
}

std::vector<OpenSeam> find_open_seams(const Primitive& primitive) {
  std::vector<OpenSeam> worst;
  if (primitive.influences->empty()) {
    return worst;
  }
  const std::vector<std::uint32_t> weld = weld_by_position(primitive.positions);
  worst.resize(weld.size());
  for (std::uint32_t v = 0; v < weld.size(); ++v) {
    if (weld[v] != v) {
      const float difference = largest_weight_difference(primitive.influences, weld[v], v);
      if (difference > worst[weld[v]].difference) {
        worst[weld[v]] = {.vertex = weld[v], .other = v, .difference = difference};
      }
    }
  }
  for (std::uint32_t v = 0; v < weld.size(); ++v) {
    if (worst[weld[v]].difference >= kEqualWeights) {
      worst[weld[v]].copies.push_back(v);
    }
  }
  std::erase_if(worst, [](const OpenSeam& seam) { return seam.difference < kEqualWeights; });
  return worst;
}

std::vector<std::array<std::uint32_t, 2>> find_non_manifold_edges(std::span<const glm::vec3> positions,
                                                                  std::span<const std::uint32_t> indices) {
  const std::vector<EdgeUse> uses = edge_uses(indices, weld_by_position(positions));
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (std::size_t i = 0; i < uses.size();) {
    const std::size_t end = edge_end(uses, i);
    if (end - i > 2) {
      edges.push_back({uses[i].low, uses[i].high});
    }
    i = end;
  }
  return edges;
}

std::vector<std::uint32_t> find_zero_area_triangles(std::span<const glm::vec3> positions,
                                                    std::span<const std::uint32_t> indices) {
  const double smallest_height = 1e-7 * static_cast<double>(bounds_of(positions).diagonal());
  std::vector<std::uint32_t> triangles;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    const glm::dvec3 a(positions[indices[i]]);
    const glm::dvec3 ab = glm::dvec3(positions[indices[i + 1]]) - a;
    const glm::dvec3 ac = glm::dvec3(positions[indices[i + 2]]) - a;
    const double longest = std::max({glm::length(ab), glm::length(ac), glm::length(ac - ab)});
    if (glm::length(glm::cross(ab, ac)) <= smallest_height * longest) {
      triangles.push_back(static_cast<std::uint32_t>(i / 3));
    }
  }
  return triangles;
}

}  // namespace pelt::mesh
