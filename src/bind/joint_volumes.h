#pragma once

#include <span>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "bind/containment.h"
#include "bind/volume.h"

namespace pelt::bind {

/// A volume that was made by hand, as it hangs on its joint where the skin is bound: in the joint's own space, whose
/// unit its sizes have. Numbers as Volume has them.
struct JointVolume {
  int joint = -1;  ///< skeleton index
  VolumeKind kind = VolumeKind::kCapsule;
  glm::vec3 center = glm::vec3(0.0f);
  glm::quat rotation = glm::quat(1, 0, 0, 0);  ///< unit; turns x along the volume's axis
  glm::vec3 half = {0.5f, 0.1f, 0.1f};
  float head_radius = 0.1f;
  float tail_radius = 0.1f;
  bool flipped = false;            ///< of a mesh: seen in a mirror, the third axis turned round
  Shared<VolumeShape> shape = {};  ///< of a mesh
  bool operator==(const JointVolume&) const = default;
};

/// What a character was bound by where that was the binder by volumes.
struct JointVolumes {
  ContainmentNumbers numbers = {};          ///< of fitting and of giving
  std::vector<JointVolume> of_joints = {};  ///< by ascending joint; joints without have fitted ones
  bool operator==(const JointVolumes&) const = default;
};

// Between the two. Shear and unequal scales of the joint's matrix do not count: volumes keep their form.

/// @param space_from_joint  joint to the problem's space, as bound
Volume placed(const JointVolume& volume, std::size_t bone, const glm::dmat4& space_from_joint);
/// Rounded to floats: placing it again gives nearly the same volume, and always the same one.
JointVolume on_joint(const Volume& volume, int joint, const glm::dmat4& space_from_joint);

}  // namespace pelt::bind
