#pragma once

#include <string>
#include <vector>

#include <glm/glm.hpp>

namespace pelt::rig {

/// VRMC_springBone-1.0: what a file says of chains of joints that swing, in its own units; see motion/vrm_springs.h.
struct SpringBoneJoint {
  int joint = -1;                                     ///< skeleton index
  float hit_radius = 0;                               ///< metres
  float stiffness = 1;                                ///< pull towards the rest direction, metres per second
  float gravity_power = 0;                            ///< metres per second
  glm::vec3 gravity_direction = glm::vec3(0, -1, 0);  ///< world space, unit
  float drag = 0.5f;                                  ///< share of the way from frame to frame that is lost
};

struct SpringBone {
  std::string name;
  std::vector<SpringBoneJoint> joints;  ///< each below the one before; the last only says where the one before ends
  std::vector<int> colliders;           ///< indices, each once
  int center = -1;                      ///< the joint whose motion does not swing them, skeleton index; -1: none
};

enum class ColliderShape { kSphere, kCapsule, kPlane };

/// Keeps tips outside of its shape, or within it. VRMC_springBone-1.0 and VRMC_springBone_extended_collider-1.0.
struct SpringBoneCollider {
  int joint = -1;  ///< that carries it, skeleton index
  ColliderShape shape = ColliderShape::kSphere;
  glm::vec3 offset = glm::vec3(0.0f);     ///< joint space, metres: the middle, one end of a capsule, a point of a plane
  glm::vec3 tail = glm::vec3(0.0f);       ///< joint space, metres: the other end of a capsule
  glm::vec3 normal = glm::vec3(0, 0, 1);  ///< joint space, unit: of a plane, towards where tips may be
  float radius = 0;                       ///< metres, of spheres and capsules
  bool inside = false;                    ///< tips stay within it; not of planes
};

}  // namespace pelt::rig
