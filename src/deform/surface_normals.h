#pragma once

#include <span>

#include "deform/skinning_methods.h"
#include "mesh/mesh_surface.h"

namespace pelt::deform {

/// ALGORITHMS.md §13 variant g: replaces normals by area-weighted ones of the posed triangles, and makes tangents
/// perpendicular to them. Vertices at one place share a normal where their bind normals are the same: seams are smooth,
/// hard edges stay hard. Where a vertex's heaviest joint mirrors, its normal is turned over, since that of mirrored
/// triangles points inwards. Parts without normals, and those that are not skinned, stay as they are.
/// @param skin_matrices  [J] that the skinned primitives followed
/// @param inout          one per primitive of the surface, world space
void recompute_normals(const mesh::MeshSurface& surface, std::span<const glm::mat4> skin_matrices,
                       std::span<const SkinOutput> inout);

}  // namespace pelt::deform
