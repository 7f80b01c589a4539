#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"
#include "mesh/stencils.h"

namespace pelt::mesh {

/// A refined primitive and how its points come from the cage's.
struct Subdivision {
  Primitive primitive;
  std::vector<Stencils> levels;                ///< position rows, each level over the vertices of the one before
  std::vector<std::uint32_t> source_triangle;  ///< [T] the cage's triangle
};

/// Loop subdivision, each level four triangles for one.
///
/// Positions, influences and position deltas follow the surface whose vertices are welded by weld_by_motion(), so seams
/// of texture coordinates stay closed and smooth. Normals, tangents, texture coordinates, colours and their deltas
/// follow the surface as indexed, with the same rules, so that seams bound them. An edge is a crease where it has not
/// exactly two triangles or where the cage's normals on its two sides differ by more than 10 degrees at one of its
/// ends: so glTF says hard edges. Vertices with two crease edges follow the crease's curve, with more they stay, with
/// fewer they are smooth. Influences are summed by the same rows and normalised. Triangles with two corners in one
/// welded vertex are left out. Old vertices keep their numbers, new ones follow. Source: C. Loop, "Smooth Subdivision
/// Surfaces Based on Triangles", 1987 (rules); H. Hoppe et al., "Piecewise Smooth
///         Surface Reconstruction", SIGGRAPH 1994 (creases, darts, corners); M. Alexa, T. Boubekeur, "Subdivision
///         Shading", ACM TOG 27(5), 2008 (normals by the rules of the points).
/// @param levels  0 or more; each multiplies the triangles by four
/// @pre  topology is triangles
/// @cost O(4^levels T log T)
Subdivision subdivide_loop(const Primitive& cage, int levels);

/// Points of the refined surface from points of the cage: skin the cage, then subdivide it. The refined primitive with
/// its own influences, skinned, is another surface wherever the joints do not move as one (ALGORITHMS.md §52).
/// @param cage_points  [V of the cage]
std::vector<glm::vec3> refine(const Subdivision& subdivision, std::span<const glm::vec3> cage_points);

}  // namespace pelt::mesh
