#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "rig/pose.h"
#include "rig/skeleton.h"

namespace pelt::rig {

/// ALGORITHMS.md §4: W_j = W_parent(j) * L_j in one pass.
/// @param parent  [J] parent[j] < j, -1 for roots
/// @param local   [J]
/// @param world   [J] out; must not alias local
/// @cost O(J), no allocation
template <typename T>
void local_to_world(std::span<const int> parent, std::span<const glm::mat<4, 4, T>> local,
                    std::span<glm::mat<4, 4, T>> world);

/// World matrices of a pose with the subtree update of C4.3: `update` recomputes only what hangs below `changed`.
class WorldMatrices {
 public:
  /// Computes everything.
  void evaluate(const Skeleton& skeleton, const Pose& pose);
  /// Recomputes joint `changed` and its descendants. @pre evaluate() was called with the same skeleton
  void update(const Skeleton& skeleton, const Pose& pose, int changed);

  [[nodiscard]] const std::vector<glm::mat4>& world() const { return world_; }
  /// How many matrices the last evaluate() or update() computed.
  [[nodiscard]] std::size_t computed() const { return computed_; }
  [[nodiscard]] const glm::mat4& operator[](int j) const { return world_[j]; }

 private:
  std::vector<glm::mat4> world_;
  std::vector<char> dirty_;
  std::size_t computed_ = 0;
};

}  // namespace pelt::rig
