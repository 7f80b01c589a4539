#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"
#include "rig/joint_names.h"

namespace pelt::rig {

/// A rotation as a matrix, mirrored along the axes in which `scale` is negative.
glm::dmat3 oriented(const glm::dquat& rotation, const glm::vec3& scale);

/// [J] oriented() of the rest pose in the world: sizes are left out.
std::vector<glm::dmat3> rest_orientations(std::span<const int> parents, std::span<const Transform> rest);

/// Left and right of a character exchanged, joint by joint. Relative to the rest pose, so that it works whatever way
/// joints are oriented; the plane goes through the origin, across the axis along which partners lie apart.
class Mirror {
 public:
  explicit Mirror(const Character& character);

  /// The joint on the other side; `j` itself in the middle, -1 where it is missing. See mirrored_joints().
  [[nodiscard]] int partner(int j) const { return partner_[j]; }
  /// Of joints with a partner on the other side: by its name, else by where it lies (+X is the left).
  [[nodiscard]] Side side(int j) const { return side_[j]; }
  /// The local transform that makes joint `j` the mirror image of its partner in local transform `of_partner`: it turns
  /// as much against its parent, seen in the mirror. The partner's rest pose gives the rest pose bit for bit.
  /// @pre partner(j) >= 0
  [[nodiscard]] Transform image(int j, const Transform& of_partner) const;
  /// The mirror as the parents at rest see it: takes a direction in the space of the parent of j's partner to its image
  /// in the space of j's parent. Orthogonal; sizes are left out. @pre partner(j) >= 0
  [[nodiscard]] glm::dmat3 parent_from_partners_parent(int j) const;

 private:
  [[nodiscard]] glm::dmat3 above(std::size_t j) const;

  const Skeleton& skeleton_;
  std::vector<int> partner_;
  std::vector<Side> side_;
  std::vector<glm::dmat3> rest_;  ///< orientations
  int axis_ = 0;                  ///< across the plane
};

}  // namespace pelt::rig
