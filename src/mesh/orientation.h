#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// Triangles that are wound the wrong way, ascending: patches as a whole, whatever single normals say.
///
/// A patch is what hangs together over edges of exactly two triangles that run along them in opposite directions,
/// vertices at one position counting as one: all of it is wound alike. It is wrong where the normals of the corners
/// point to the other side of more of its area than not, clearly so at some triangle, and where either a patch beside
/// it runs along a common edge in the same direction or it is most of its shell. Where a surface folds sharply its
/// smooth normals may point anywhere, but most of the patch tells otherwise; a triangle between two walls of a mouth is
/// nobody's neighbour.
/// @return none where there are no normals @cost O(T log T)
std::vector<std::uint32_t> wrongly_wound(const Primitive& primitive);

/// Turns these triangles round: two corners of each are exchanged, vertices stay.
void turn_round(Primitive& primitive, const std::vector<std::uint32_t>& triangles);

}  // namespace pelt::mesh
