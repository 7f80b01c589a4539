#pragma once

#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "math/transform.h"
#include "rig/skeleton.h"

namespace pelt::motion {

/// Where all joints of a skeleton stand in the world, in double precision.
struct WorldFrames {
  std::vector<glm::dmat3> orientation;  ///< [J] rotations alone; mirrored where scales are negative
  std::vector<glm::dmat3> linear;       ///< [J] with sizes
  std::vector<glm::dvec3> position;     ///< [J] metres

  [[nodiscard]] int size() const { return static_cast<int>(position.size()); }
  /// Of what joint `j` hangs on; the world's own for roots.
  [[nodiscard]] glm::dmat3 orientation_above(const rig::Skeleton& skeleton, int j) const;
  [[nodiscard]] glm::dmat3 linear_above(const rig::Skeleton& skeleton, int j) const;
  [[nodiscard]] glm::dvec3 position_above(const rig::Skeleton& skeleton, int j) const;
};

/// Frames of one joint from those above it. @pre the arrays have a place for `j`, and its parent is done
void place_joint(const rig::Skeleton& skeleton, int j, const Transform& local, WorldFrames& frames,
                 const glm::dmat3& world = glm::dmat3(1.0));

/// Frames of a pose. Shear is left out.
/// @param local  [J]
/// @param world  a rotation of everything, as of a file whose up is another axis
/// @param out    is given its size; memory is kept from call to call
void world_frames(const rig::Skeleton& skeleton, std::span<const Transform> local, WorldFrames& out,
                  const glm::dmat3& world = glm::dmat3(1.0));

/// Angle between two directions of any length, radians, exact for small ones too; 0 where one has no length.
double angle_between(const glm::dvec3& a, const glm::dvec3& b);

/// The rotation that takes `from` to `to` and, as well as it can, `from_side` to `to_side`.
/// @pre no pair is parallel
glm::dmat3 turn_of_pairs(const glm::dvec3& from, const glm::dvec3& from_side, const glm::dvec3& to,
                         const glm::dvec3& to_side);

/// Angle of a rotation matrix, radians.
double turn_angle(const glm::dmat3& rotation);

}  // namespace pelt::motion
