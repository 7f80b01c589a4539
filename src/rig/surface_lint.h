#pragma once

#include <vector>

#include "mesh/t_junctions.h"
#include "rig/character.h"

namespace pelt::rig {

/// The T-junctions of one mesh in the numbers of its primitives.
struct PlacedTJunction {
  mesh::JoinedMesh::Place vertex, a, b;  ///< primitive and its vertex; the edge's ends may be of two primitives
  float parameter = 0;                   ///< 0 at a, 1 at b
  bool can_open = false;                 ///< false: vertex and ends always move as one
};
std::vector<PlacedTJunction> t_junctions(const mesh::Mesh& mesh);

}  // namespace pelt::rig
