#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "motion/springs.h"
#include "rig/character.h"
#include "rig/pose_builder.h"

namespace pelt::motion {

/// The frame rate that VRM's algorithm is made for: its numbers mean the same motion only there.
inline constexpr double kVrmRate = 60;

/// The springs of a VRM file as springs of this program: those that move as VRM's algorithm does at 60 frames per
/// second as far as a bone turns little. With drag d a frame keeps 1 - d of the motion, which is a drag against the air
/// of `c / m = -60 ln(1 - d)`, and a push of s m/s in each frame is an acceleration of `s (c / m) / d`.
/// @param character  with spring_bones; those whose file says nothing have none
SpringSet springs_of_file(const rig::Character& character);

/// The reference algorithm of VRMC_springBone-1.0, whose result depends on the frame rate: to be compared with.
/// Source: VRM Consortium, "VRMC_springBone-1.0", chapter on the spring bone algorithm.
class VrmSprings {
 public:
  /// Tips begin where the pose has them, at rest. The character must outlive it.
  VrmSprings(const rig::Character& character, rig::PoseBuilder& pose);
  /// One frame. Turns the joints of the pose, from their rest rotations.
  void update(double seconds, rig::PoseBuilder& pose);

 private:
  struct Joint {
    rig::SpringBoneJoint of;
    const rig::SpringBone* spring;
    glm::dvec3 axis;    ///< unit, to the tip in the joint's rest space
    double length;      ///< metres, world
    glm::dvec3 before;  ///< the tip in the frame before, in the space of the centre, as is `now`
    glm::dvec3 now;
  };
  void update(Joint& joint, double seconds, rig::PoseBuilder& pose) const;

  const rig::Character& character_;
  std::vector<SpringRig::Collider> colliders_;
  std::vector<Joint> joints_;
};

}  // namespace pelt::motion
