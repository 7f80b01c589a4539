#pragma once

#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/rogues.h"
#include "mesh/weight_mirror.h"
#include "rig/character.h"

namespace pelt::rig {

// What of a skin repairs of weights go by, in the space of the mesh, where it was bound.

/// The plane in which joints mirror each other; nothing where no two do, or where one is farther from the mirror image
/// of its partner than the tolerance. @param heads  by slot, nothing for joints without a place
/// @param partner  by slot, -1: none; see partners_in() @param tolerance  in the units of heads
std::optional<mesh::MirrorPlane> mirror_plane(std::span<const std::optional<glm::dvec3>> heads,
                                              std::span<const int> partner, double tolerance);

/// Left and right of a skin.
struct SkinSides {
  mesh::MirrorPlane plane;             ///< its normal points to the left
  std::vector<std::uint16_t> partner;  ///< by slot, its own inverse; itself in the middle and without a partner
};
/// Nothing where no joint has a partner in the skin or partners do not mirror each other. @pre  skin is one there is
std::optional<SkinSides> skin_sides(const Character& character, int skin, double tolerance);

/// The distance to the bones of the skin's joints: from the head of each to those of the joints right below it.
mesh::BoneDistance bone_distances(const Character& character, int skin);

}  // namespace pelt::rig
