#pragma once

#include <optional>

#include <glm/glm.hpp>

#include "bind/problem.h"
#include "bind/voxels.h"
#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::bind {

/// The surface of a character that has no skin, at rest in the world, and its volume as cubes.
struct RestVolume {
  Problem surface;  ///< without bones
  Voxels voxels;
};

/// Cubes along the longest side: fine enough for arms, and a second of work at most.
inline constexpr int kRestVolumeCubes = 96;

/// @param n  cubes along the longest side
/// Fails where the character has no vertices, or where the progress asked to stop. @cost O(n^3 + T)
Result<RestVolume> rest_volume(const rig::Character& character, int n = kRestVolumeCubes,
                               const Progress& progress = {});

/// The centre of the nearest cube of the volume, of those inside where one is within three edges; p itself where it is
/// inside. Nothing where the volume is empty. @cost O(cubes) where p is outside
std::optional<glm::dvec3> nearest_within(const Voxels& voxels, const glm::dvec3& p);

/// The middle of the volume round a point in the plane across a direction: the mean of that part of the section which
/// hangs together with the point and is no farther from it than two and a half times the nearest border, so that the
/// section of an arm does not take in the chest. Repeated until it rests. p itself where the volume is empty.
/// Moves with the surface, grows with it, and is mirrored with it. @param across  unit, metres are those of the surface
/// @cost O(cubes of the section)
glm::dvec3 middle_of_section(const Voxels& voxels, const glm::dvec3& p, const glm::dvec3& across);

/// The middle of the first piece of the volume that a ray goes through; nothing where it misses.
/// @param direction  unit
std::optional<glm::dvec3> middle_along(const Voxels& voxels, const glm::dvec3& origin, const glm::dvec3& direction);

}  // namespace pelt::bind
