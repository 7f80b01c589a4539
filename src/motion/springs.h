#pragma once

#include <cstddef>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "motion/pose_sources.h"
#include "rig/character.h"
#include "rig/pose_builder.h"
#include "rig/spring_bones.h"

namespace pelt::motion {

/// A joint that swings: its tip is a mass on a spring that pulls it to where the pose wants it.
struct SpringJoint {
  std::string joint = {};  ///< as find_named_joint() takes it
  float mass = 0.1f;       ///< kg, > 0
  float stiffness = 5;     ///< k, newtons per metre of the tip's way along its arc, >= 0
  float damping = 0.3f;    ///< c, newton seconds per metre, >= 0
  float drag = 0;          ///< the same against the air, which stands still in the world: holds back what is carried
  glm::vec3 gravity = glm::vec3(0, -9.81f, 0);  ///< world space, metres per second squared
  float wind = 1;                               ///< how much of the wind it feels, >= 0
  float cone = std::numbers::pi_v<float>;       ///< it turns no further from the pose, radians
  float radius = 0;                             ///< of the tip, metres: colliders keep so far away
  bool operator==(const SpringJoint&) const = default;
};

/// Joints that swing one after the other. The tip of a joint is the origin of the next one, that of the last `end`.
struct SpringChain {
  std::string name = {};
  std::vector<SpringJoint> joints = {};  ///< each below the one before
  std::string end = {};                  ///< a joint below the last; empty: where its bone ends
  std::string center = {};               ///< the joint whose motion does not swing them; empty: none, all motion does
  std::vector<std::string> colliders = {};  ///< names
  bool on = true;
  bool operator==(const SpringChain&) const = default;
};

struct SpringCollider {
  std::string name = {};   ///< unique
  std::string joint = {};  ///< that carries it
  rig::ColliderShape shape = rig::ColliderShape::kSphere;
  glm::vec3 offset = glm::vec3(0.0f);     ///< joint space, metres: the middle, one end of a capsule, a point of a plane
  glm::vec3 tail = glm::vec3(0.0f);       ///< joint space, metres: the other end of a capsule
  glm::vec3 normal = glm::vec3(0, 0, 1);  ///< joint space: of a plane, towards where tips may be
  float radius = 0;                       ///< metres, of spheres and capsules
  bool inside = false;                    ///< tips stay within it; not of planes
  bool operator==(const SpringCollider&) const = default;
};

/// Air that moves: `mean * (1 + gusts * sin(2 pi t / period))` along a direction.
struct Wind {
  glm::vec3 acceleration = glm::vec3(0.0f);  ///< what it does to a joint that feels all of it, world space, m/s^2
  float gusts = 0;                           ///< share of the mean, 0 to 1
  float period = 2;                          ///< seconds, > 0
  bool operator==(const Wind&) const = default;
};

struct SpringSet {
  std::vector<SpringChain> chains;
  std::vector<SpringCollider> colliders;
  Wind wind;
  bool operator==(const SpringSet&) const = default;
};

inline constexpr std::size_t kMostSpringJoints = 1000;
inline constexpr std::size_t kMostSpringColliders = 1000;

/// Springs as they work on one character.
struct SpringRig {
  struct Collider {
    int joint;
    rig::ColliderShape shape;
    glm::dvec3 offset, tail, normal;
    double radius;
    bool inside;
  };
  struct Bone {
    int joint;
    int tip;           ///< the joint at its end, -1: `end`
    glm::dvec3 end;    ///< joint space
    double frequency;  ///< sqrt(k / m), radians per second
    double decay;      ///< (c + drag) / (2 m), per second
    double air;        ///< drag / m, per second
    glm::dvec3 gravity;
    double wind;
    double cone;
    double radius;
    int center;
    std::vector<int> colliders;
  };
  std::vector<Bone> bones;  ///< ascending by joint, so that parents come first
  std::vector<Collider> colliders;
  Wind wind;
  std::vector<std::string> faults;  ///< [chains] why one does not swing, in a sentence; empty where it does or is off
};
SpringRig make_spring_rig(const rig::Character& character, const SpringSet& springs);

/// The fixed step by which springs are simulated from the start of a clip on, per second. Between two steps one more,
/// as long as it has to be, leads to the playhead.
inline constexpr double kSpringRate = 120;
/// Where springs touch colliders or feel gusts they stand still for so long before the clip begins, seconds.
inline constexpr double kSpringRunIn = 1;

/// Where a bone stands and how it moves.
struct SpringBoneState {
  glm::dvec3 origin = glm::dvec3(0.0);    ///< of the joint, world
  glm::dmat3 frame = glm::dmat3(1.0);     ///< axes of the joint as the pose wants it, world: orthonormal
  glm::dvec3 rest = glm::dvec3(1, 0, 0);  ///< unit, to the tip as the pose wants it, in the frame
  double length = 0;                      ///< to the tip, metres
  glm::dvec3 turn = glm::dvec3(0.0);      ///< across `rest`: the way along the arc to the tip, radians
  glm::dvec3 velocity = glm::dvec3(0.0);  ///< of the tip, world, metres per second
};

/// Of all bones at one moment.
struct SpringState {
  std::vector<SpringBoneState> bones;
  std::vector<glm::dmat4> centers;  ///< [bones] of their centres, world; empty where none has one
};

/// The springs at rest in a pose that stands still: in balance of stiffness, gravity and mean wind.
/// @param pose  as the layers before want it; then turned
SpringState settle(const SpringRig& springs, rig::PoseBuilder& pose);

/// A step of `seconds`, during which the pose goes straight from that of the state to the given one.
///
/// The tip's displacement along its arc follows the closed form of a damped spring (DampedStep), in the frame of the
/// joint; motion of the frame, gravity and wind enter as what they are at the beginning of the step. Then the cone and
/// the colliders hold it back. Without motion, gravity, wind and colliders the result is exact for any step.
/// @param time  at the end of the step, seconds since the clip's start: for gusts
/// @param pose  as the layers before want it at the end; then turned
void step(const SpringRig& springs, double seconds, double time, SpringState& state, rig::PoseBuilder& pose);

/// The layer: PoseSources::springs. Without a clip springs are settled in the pose. In a clip they are settled in the
/// pose of its start, which stands still for kSpringRunIn, and are then simulated up to the playhead: a frame looks the
/// same from wherever the playhead comes, and in every loop. Nothing in the bind pose.
/// @cost O(clip) poses, with a memory those since the last step that it knows
void apply_spring_layer(const PoseSources& sources, std::span<const float> values, rig::PoseBuilder& pose);

/// Moves a tip that is within `radius` of a collider to the nearest place where it is not.
/// @param world  of the collider's joint
/// @param normal  receives which way it was moved, unit; @returns whether it was
bool push_out(const SpringRig::Collider& collider, const glm::dmat4& world, double radius, glm::dvec3& tip,
              glm::dvec3& normal);

/// The normal of a plane in the world, unit: towards where tips may be. @param world  of the collider's joint
glm::dvec3 free_side(const SpringRig::Collider& plane, const glm::dmat4& world);

/// The product of the rotations of a joint and of all above it, whatever their scales.
glm::dquat world_rotation(const rig::PoseBuilder& pose, int joint);

}  // namespace pelt::motion
