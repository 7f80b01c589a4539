#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"
#include "mesh/stencil_rows.h"

namespace pelt::mesh {

/// out[r] = sum of weight times points[source] over row r; a row of one source of weight 1 keeps its bits.
/// @param points  old points  @pre  every source < points.size()
std::vector<glm::vec3> apply(const Stencils& stencils, std::span<const glm::vec3> points);
/// The same into memory of the caller. @param out  [R]; must not alias points
void apply(const Stencils& stencils, std::span<const glm::vec3> points, std::span<glm::vec3> out);

/// Whether blend() sums a kept attribute: between two numbers of things lies no thing.
bool is_summed(const KeptAttribute& kept);

/// A primitive whose vertices are sums of the vertices of `source`. What moves a vertex (position, influences,
/// position deltas) follows `motion`; what lies on the surface (normals, tangents, texture coordinates, colours, normal
/// and tangent deltas) follows `surface`. Influence rows are summed joint by joint and normalised; normals and tangents
/// are made unit, their deltas divided by the same length; handedness is that of the row's first source. Of kept
/// attributes further sets of texture coordinates and colours are summed as they are stored, all others are those of
/// the row's heaviest source. A row of one source copies it bit for bit. Indices stay empty, material and topology are
/// those of `source`.
/// @pre  motion.row_count() == surface.row_count(), no row is empty
Primitive blend(const Primitive& source, const Stencils& motion, const Stencils& surface);

}  // namespace pelt::mesh
