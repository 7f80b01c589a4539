#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <glm/glm.hpp>

#include "bind/problem.h"
#include "bind/volume.h"
#include "core/result.h"

namespace pelt::bind {

/// How far out a point is: 0 at the middle, 1 on the surface, no distance. Axis t from 0 at the head to 1 at the tail:
///
///   capsule    d / r(t), t clamped to the axis, d the distance to it, r linear: a cone's frustum and two hemispheres
///   cylinder   max(rho / r, |2t - 1|), t not clamped
///   ellipsoid  |R^T (p - c) / half|, sphere likewise
///   box        max |R^T (p - c)| / half
///   mesh       1 -+ d / r inside and outside, see VolumeShape
///
/// A size of 0 counts as a very small one.
double score(const Volume& volume, const glm::dvec3& p);

/// The point of the surface on the ray from the volume's middle (from the nearest point of its axis for capsules)
/// through p; it scores 1. Where p is that middle, some point.
glm::dvec3 on_surface(const Volume& volume, const glm::dvec3& p);

/// A grid of surface points to draw: `along` + 1 rows from head to tail of `around` points each, row by row.
/// @pre  along >= 2, around >= 3
std::vector<glm::dvec3> surface_points(const Volume& volume, int along, int around);

/// Lines on the surface to draw it by, as runs of points that score 1, and the straight lines between them mostly do:
/// rims and lines along it, three ellipses, the edges of a box.
std::vector<std::vector<glm::dvec3>> outlines(const Volume& volume);

/// A volume for each segment of each bone. The radius is the median distance of the places that are nearest to the
/// segment; a capsule takes one of them for each half of the axis. Where no place is nearest: that of the parent's
/// first volume where there is one, at most half of the segment's length.
/// @param size  the radii are multiplied by it
/// @cost O(W * segments)
std::vector<Volume> fitted_volumes(const Problem& problem, VolumeKind kind, double size = 1.0);

/// The volumes of all bones, bone by bone: those made by hand where a bone has some, else the fitted ones.
/// @pre  both by ascending bone
std::vector<Volume> with_volumes_by_hand(std::span<const Volume> fitted, std::span<const Volume> by_hand);

/// A mesh as a volume of a bone: the ends of its axis are those of its box along the bone's first segment. Fails as
/// make_volume_shape() does. @param positions  in the problem's space
Result<Volume> mesh_volume(std::string name, std::span<const glm::dvec3> positions,
                           std::vector<std::array<std::uint32_t, 3>> triangles, const Bone& bone, std::size_t index);

/// Another kind of about the same size, as fitting would make it.
Volume as_kind(const Volume& volume, VolumeKind kind);

/// The volume between other ends of its axis, turned the shortest way; its radii stay. A sphere: half of their
/// distance.
Volume between(const Volume& volume, const glm::dvec3& head, const glm::dvec3& tail);

/// The same body seen in the mirror of the plane normal . p = offset, round another bone. @param normal  unit
Volume mirrored(const Volume& volume, std::size_t bone, const glm::dvec3& normal, double offset);

}  // namespace pelt::bind
