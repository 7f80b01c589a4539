#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::deform {

/// ALGORITHMS.md §17: base + sum of weight times delta; targets of weight 0 cost nothing. Normals and tangents are left
/// un-normalised, tangent w is kept. Outputs are [V], or empty where the base has none; must not alias the base.
void apply_morph_targets(const mesh::Primitive& primitive, std::span<const float> weights,
                         std::span<glm::vec3> out_positions, std::span<glm::vec3> out_normals,
                         std::span<glm::vec4> out_tangents);

/// What apply_morph_targets() gives, for weights that change: only vertices near to what changed are computed again, so
/// that a smile costs a mouth and not a body. Depends on the last weights alone, bit by bit.
class MorphedShape {
 public:
  /// The shape of all weights 0. Keeps a reference to `primitive`.
  explicit MorphedShape(const mesh::Primitive& primitive);

  /// @param weights  [targets]; what is missing is 0
  /// @returns whether a vertex may have moved
  bool set_weights(std::span<const float> weights);

  [[nodiscard]] std::span<const glm::vec3> positions() const { return positions_; }
  [[nodiscard]] std::span<const glm::vec3> normals() const { return normals_; }
  [[nodiscard]] std::span<const glm::vec4> tangents() const { return tangents_; }

 private:
  static constexpr std::size_t kGroup = 32;  // vertices that are computed together

  void find_groups(std::size_t target);

  const mesh::Primitive& primitive_;
  std::vector<float> weights_;                     // [targets]
  std::vector<std::vector<std::uint8_t>> groups_;  // [targets][groups] 1 where it moves one; made on first use
  std::vector<std::uint8_t> changed_;
  std::vector<std::size_t> active_;  // targets whose weight is not 0
  std::vector<glm::vec3> positions_;
  std::vector<glm::vec3> normals_;
  std::vector<glm::vec4> tangents_;
};

}  // namespace pelt::deform
