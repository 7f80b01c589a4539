#pragma once

#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "math/transform.h"
#include "rig/character.h"

namespace pelt::app {

/// The box of a posed character without deforming it: each joint's vertices are boxed once in the joint's space, and
/// the boxes follow the joints. Contains the linearly blended shape, usually with some air.
class PosedBounds {
 public:
  explicit PosedBounds(const rig::Character& character);
  /// @param world  [J]
  /// @cost O(J)
  [[nodiscard]] Bounds evaluate(std::span<const glm::mat4> world) const;

 private:
  std::vector<Bounds> box_;  ///< [J] in the joint's space; empty where nothing follows it
};

}  // namespace pelt::app
