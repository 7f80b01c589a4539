#pragma once

#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "rig/pose_builder.h"
#include "rig/skeleton.h"

namespace pelt::motion {

/// A joint as solvers of inverse kinematics see it: world(i) = world(parent) * place * T(offset + tau) * R_orientation
/// * R(phi) * remainder * S, in double precision.
struct IkJoint {
  int joint = -1;                    ///< of the skeleton
  int parent = -1;                   ///< in the tree, -1: it stands in the frame of IkTree::root_world
  glm::dmat4 place = glm::dmat4(1);  ///< nodes between the parent and this joint that the solver leaves alone
  rig::JointDofs dofs;               ///< limits widened where the joint stands outside of them: it may stay there
  glm::dquat remainder = glm::dquat(1, 0, 0, 0);  ///< what the DOFs cannot express of how it stood at first
  glm::dvec3 tail = glm::dvec3(0);                ///< translation likewise, in the parent's frame
  glm::dmat3 stretch = glm::dmat3(1);             ///< scale and shear, which stay
  int first = 0;                                  ///< of its values in IkTree::values
  bool slides = false;                            ///< its translation DOFs are the solver's, too; else they stay
};

/// Joints between a root and some tips, with the degrees of freedom that a solver may use.
struct IkTree {
  glm::dmat4 root_world = glm::dmat4(1);  ///< of what stands above the first joint
  std::vector<IkJoint> joints;            ///< parents before children
  std::vector<float> values;              ///< start: DOF values of all joints one after the other, radians and metres
  double length = 1;  ///< metres, of the longest way from the root to a tip: what tolerances refer to

  [[nodiscard]] std::span<const float> values_of(std::span<const float> all, std::size_t i) const {
    return all.subspan(joints[i].first, joints[i].dofs.dofs.size());
  }
};

/// Where a point of the tree should be.
struct IkGoal {
  int joint = 0;                               ///< in the tree
  glm::dmat4 effector = glm::dmat4(1);         ///< of the joint's frame: from the effector's
  glm::dvec3 target = glm::dvec3(0);           ///< world, metres
  std::optional<glm::dquat> orientation = {};  ///< world, unit; nothing: free
  double weight = 1;                           ///< > 0: against other goals
};

struct IkSettings {
  int iterations = 32;                             ///< at most
  double tolerance = 1e-4;                         ///< times IkTree::length
  double angle_tolerance = 1.7453292519943295e-3;  ///< radians: 0.1 degrees
  bool limits = true;                              ///< keep to the limits of the DOFs
  int restarts = 0;                     ///< from random values within the limits: for score boards, never in a drag
  std::optional<glm::dvec3> pole = {};  ///< world: the side to which the middle of two bones points
};

struct IkReport {
  bool converged = false;
  int iterations = 0;
  double residual = 0;        ///< largest distance of an effector from its target, metres
  double angle_residual = 0;  ///< largest angle between an effector and its orientation, radians
  int at_limits = 0;          ///< DOFs that stand at one of their limits
};

/// The joints of the ways from `root` down to `tips`, as they stand in the pose.
/// @param root  a skeleton index that is, or is above, every tip
/// @param root_slides  the translation DOFs of the root are the solver's: the hips of a body
/// @param leave  [J] or empty: joints that are not moved although they lie between
IkTree make_ik_tree(rig::PoseBuilder& pose, int root, std::span<const int> tips, bool root_slides = false,
                    std::span<const char> leave = {});

/// Number of a skeleton's joint in the tree, -1 where it is not a joint of it.
int find_joint(const IkTree& tree, int joint);

/// World matrices of all joints for DOF values. @param values  as IkTree::values @param out  [joints]
void ik_world(const IkTree& tree, std::span<const float> values, std::span<glm::dmat4> out);

/// The local matrix of joint i, without IkJoint::place. @param values  as IkTree::values
glm::dmat4 ik_matrix(const IkTree& tree, std::size_t i, std::span<const float> values);
/// The axis of rotation DOF d of joint i as it stands, unit, world.
/// @param parent_world  as of turn_joint()
glm::dvec3 axis_in_world(const IkTree& tree, std::size_t i, std::size_t d, const glm::dmat4& parent_world,
                         std::span<const float> values);

/// The local transform of joint i for DOF values; what the DOFs cannot express stays as it stood.
/// @param current  as it stood when the tree was made
Transform ik_local(const IkTree& tree, std::size_t i, std::span<const float> values, const Transform& current);

/// Writes DOF values into the pose that the tree was made of.
void apply_ik(const IkTree& tree, std::span<const float> values, rig::PoseBuilder& pose);

/// Turns joint i in the world by `turn` as far as its DOFs and their limits allow.
/// @param parent_world  world matrix of what stands above the joint, IkJoint::place included
/// @return  false where limits or missing DOFs kept it from turning all the way (more than 1e-6 radians are missing)
bool turn_joint(const IkTree& tree, std::size_t i, const glm::dquat& turn, const glm::dmat4& parent_world, bool limits,
                std::span<float> values);

/// Brings DOF values within the limits of all joints, as rig::clamp_to_limits() does.
void keep_limits(const IkTree& tree, std::span<float> values);

/// How far the values are from the goals.
IkReport judge(const IkTree& tree, std::span<const IkGoal> goals, const IkSettings& settings,
               std::span<const float> values);

/// The rotation in a matrix that may scale: its columns made orthonormal. Identity where they are degenerate.
glm::dquat rotation_of(const glm::dmat4& matrix);
/// The same with its handedness: below a mirrored node the third column points the other way.
glm::dmat3 orthonormal_frame(const glm::dmat4& matrix);
/// The axis in the world about which a joint turns that turns about `axis` in the frame of its parent, as long as that:
/// below a mirrored node turns go the other way round.
glm::dvec3 turning_axis_in_world(const glm::dmat4& parent_world, const glm::dvec3& axis);

}  // namespace pelt::motion
