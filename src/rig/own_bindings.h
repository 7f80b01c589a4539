#pragma once

#include <span>

#include <glm/glm.hpp>

#include "rig/character.h"

// Skins that share joints may be bound in poses of their own (C3.3). No pose of the joints is then the bind pose of
// all, so a bind pose says besides, for each joint of each skin, where that skin was bound as seen from the joint.

namespace pelt::rig {

/// Makes `pose`, bind_pose() of all skins, the bind pose of each by itself: Pose::own_bindings come between the joints'
/// world matrices and the skins' inverse bind matrices. Adds nothing where all skins were bound in one pose. Joints
/// that are moved afterwards take along what each skin has on them.
/// @cost O(J + joints of all skins)
void add_own_bindings(const Character& character, Pose& pose);

/// Joint from mesh of the joint at place `k` of a skin: its inverse bind matrix, in a pose with own bindings behind
/// what these add. Double precision.
glm::dmat4 posed_joint_from_mesh(const Character& character, const Pose& pose, int skin, std::size_t k);

/// World from joint of the joint at place `k` of a skin, as the skin's vertices see it: the joint's world matrix, in a
/// pose with own bindings with what these add; where it was bound in a pose that is not skinned. Double precision.
/// @param world  [J] of `pose`
glm::dmat4 posed_world_from_joint(const Character& character, const Pose& pose, std::span<const glm::mat4> world,
                                  int skin, std::size_t k);

/// M_k of the joint at place `k` of a skin: skin_matrix(), in a pose with own bindings what these make of it; the
/// identity in a pose that is not skinned.
/// @param world  [J] of `pose`
glm::mat4 posed_skin_matrix(const Character& character, const Pose& pose, std::span<const glm::mat4> world, int skin,
                            std::size_t k);
/// The same for each joint of the skin. @param out  one per joint of the skin
void posed_skin_matrices(const Character& character, const Pose& pose, std::span<const glm::mat4> world, int skin,
                         std::span<glm::mat4> out);

}  // namespace pelt::rig
