#pragma once

#include <span>

#include <glm/glm.hpp>

#include "bind/problem.h"
#include "bind/voxels.h"

namespace pelt::bind {

/// By how much a skeleton that lies beside its surface is to be moved to lie in it: 0 where at least half of it (by
/// points along the bones) is inside already, or where no move of up to a fifth of the grid brings clearly more of it
/// inside. Of several moves the one by which points lie deepest in all, the shortest among equals; whole cubes.
glm::dvec3 shift_into_volume(const Voxels& voxels, std::span<const Bone> bones);

/// Bones moved by as much.
std::vector<Bone> shifted_bones(std::span<const Bone> bones, const glm::dvec3& by);

}  // namespace pelt::bind
