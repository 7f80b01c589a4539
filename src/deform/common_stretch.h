#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "rig/character.h"

namespace pelt::deform {

/// What a skin has besides the pose: in which units its meshes are stored, where its joints were, how they hang on each
/// other. Index letters j, joints of the skin in its order.
struct SkinBinding {
  /// Turns mesh space into one without any stretch that all joints share, but for its size; determinant 1. The identity
  /// unless a file stores meshes stretched and undoes that in the inverse bind matrices.
  glm::dmat3 shape_from_mesh = glm::dmat3(1.0);
  std::vector<glm::vec3> pivots;     ///< [J] where each joint was at binding, mesh space
  std::vector<int> parent;           ///< [J] the nearest joint above that vertices follow, -1: none
  std::vector<std::uint16_t> order;  ///< the joints that vertices follow, parents first
  int anchor = -1;                   ///< of those without a parent the one that most joints hang on; -1: no joints

  [[nodiscard]] std::size_t joint_count() const { return pivots.size(); }
};

/// Of all skins of a character, which SkinCache::bindings() keeps.
/// @cost O(nodes + V + J log J), J the joints of all skins
std::vector<SkinBinding> skin_bindings(const rig::Character& character);

/// The same where it is known which joints vertices follow. @param follows  [skins] of [J], see FollowedJoints
/// @cost O(nodes + J log J)
std::vector<SkinBinding> skin_bindings(const rig::Character& character, std::span<const std::vector<char>> follows);

/// A skin of joints that do not hang on each other. @param follows  [J] whether vertices follow it; empty: all
SkinBinding loose_binding(std::span<const glm::vec3> pivots, std::span<const char> follows = {});

/// Where each joint's stretch takes its pivot, such that joints which stretch alike stretch space alike: a joint's
/// pivot goes where the stretch of the joint that it hangs on takes it. A joint that hangs on none starts from where
/// the stretch of the `anchor` takes its pivot.
///
/// What follows is not changed by a scale that all joints, or a joint and all below it, share, nor by what units the
/// mesh is stored in: in all of it K_j(v) = S_j (v - c_j) + d_j is then one and the same map, and only rotations and
/// translations are left to be blended.
/// @param stretch  [J] S_j, of the space that `shape_from_mesh` leads to
/// @param out      [J] d_j; those of joints that nothing follows are left alone
void stretched_pivots(const SkinBinding& binding, std::span<const glm::dmat3> stretch, std::span<glm::dvec3> out);

/// The stretch that most of some joints have in common, symmetric and positive: of the joints' right stretch factors
/// the one from which all others are least far away, the first of equals; of more than a thousand unlike ones, of as
/// many that are evenly spread over them. It changes with the units of the mesh as the joints' own do. The identity
/// where no joint can be inverted.
/// @param linear  upper parts of skin matrices
glm::dmat3 common_stretch(std::span<const glm::dmat3> linear);

/// The same of each skin's joints in the rest pose, as far as vertices follow them: how a file shows its meshes
/// stretched against how they are stored. The identity where only rounding differs.
std::vector<glm::dmat3> common_stretches(const rig::Character& character);

/// Where the joints of a skin were at binding, mesh space: what scale is about (ALGORITHMS.md §22).
std::vector<glm::vec3> joint_pivots(const rig::Skin& skin);

}  // namespace pelt::deform
