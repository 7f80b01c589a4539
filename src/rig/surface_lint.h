#pragma once

#include <vector>

#include "core/diagnostic.h"
#include "mesh/t_junctions.h"
#include "rig/character.h"

namespace pelt::rig {

/// Findings about the surfaces of all meshes, algorithms.md §52, one per mesh and kind: codes `t-junction`,
/// `open-seam`, `non-manifold-edge`, `zero-area-triangle`. Each names how many there are, the first and the remedy. A
/// mesh's triangle primitives count as one surface. Warnings are what tears in a pose, the rest is information.
/// @cost O((V + T) log V): for a verb or a button, not for each frame
Diagnostics surface_findings(const Character& character);

/// The T-junctions of one mesh in the numbers of its primitives.
struct PlacedTJunction {
  mesh::JoinedMesh::Place vertex, a, b;  ///< primitive and its vertex; the edge's ends may be of two primitives
  float parameter = 0;                   ///< 0 at a, 1 at b
  bool can_open = false;                 ///< false: vertex and ends always move as one
};
std::vector<PlacedTJunction> t_junctions(const mesh::Mesh& mesh);

}  // namespace pelt::rig
