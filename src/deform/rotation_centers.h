#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "mesh/mesh.h"

namespace pelt::deform {

/// Optimised centres of rotation, ALGORITHMS.md §23: for a vertex's weights p the mean of the surface, each triangle as
/// much as its mean weights v are like p,
///   p* = sum s(p, v) a c / sum s(p, v) a,
///   s(p, v) = sum over joints j != k of p_j p_k v_j v_k exp(-(p_j v_k - p_k v_j)^2 / sigma^2)
/// with a area and c centroid of the triangle. A centre depends on the weights only, not on where the vertex is.
///
/// Instead of V * T terms: triangles are sorted by pairs of joints, and those of a pair whose weights lie in one cell
/// of sigma / 16 are merged, keeping their moments up to the first order. The formula is exact for a cell of one
/// triangle (or of equal weights); what a cell leaves out of a term is at most (1/16)^2 / 2 of the largest one, in
/// practice less than a ten thousandth of the surface's size in p*. Terms below e^-80 are left out.
/// Source: Le, Hodgins, "Real-time Skeletal Skinning with Optimized Centers of Rotation", ACM TOG 35(4), 2016.
class RotationCenters {
 public:
  /// @param positions   [N] mesh space, metres
  /// @param triangles   [3 T] indices below N; those without area do not count
  /// @param influences  N rows
  /// @param sigma       width of the similarity, in weights, >= 0.001
  /// @returns nothing when `progress` asked to stop
  /// @cost O(T) with K^2 pairs of joints each
  static std::optional<RotationCenters> make(std::span<const glm::dvec3> positions,
                                             std::span<const std::uint32_t> triangles,
                                             const mesh::Influences& influences, double sigma,
                                             const Progress& progress = {});

  struct Center {
    glm::dvec3 point = glm::dvec3(0.0);  ///< p*; undefined without similarity
    double similarity = 0;               ///< sum s(p, v) a, square metres; 0: nothing is like these weights
  };
  /// @param joints, weights  one row, each joint once
  /// @cost O(K^2) times the cells of a pair; safe to call concurrently
  [[nodiscard]] Center center(std::span<const std::uint16_t> joints, std::span<const float> weights) const;

 private:
  // Triangles of one pair of joints with nearly equal weights. Masses are v_j v_k a.
  struct Cell {
    double mass = 0;
    glm::dvec2 weights = glm::dvec2(0.0);      // mean of (v_j, v_k)
    glm::dvec3 moment = glm::dvec3(0.0);       // sum m c
    glm::dvec3 along_first = glm::dvec3(0.0);  // sum m c (v_j - its mean)
    glm::dvec3 along_second = glm::dvec3(0.0);
  };

  double sigma_ = 0;
  std::unordered_map<std::uint32_t, std::vector<Cell>> pairs_;  // by j << 16 | k, j < k
};

}  // namespace pelt::deform
