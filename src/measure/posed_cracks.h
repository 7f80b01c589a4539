#pragma once

#include <vector>

#include <glm/glm.hpp>

#include "deform/deform.h"
#include "rig/surface_lint.h"

namespace pelt::measure {

/// A T-junction as it stands in a pose, world space, metres.
struct PosedCrack {
  int mesh_node = -1;  ///< of Character::mesh_nodes
  glm::vec3 vertex = glm::vec3(0.0f);
  glm::vec3 a = glm::vec3(0.0f), b = glm::vec3(0.0f);  ///< the edge's ends
  double size = 0;                                     ///< distance of the vertex from the edge
};

/// All T-junctions of the parts of the default scene.
/// @param junctions  one list per mesh, from rig::t_junctions()
/// @param deformed   the pose, one part per Character::parts
std::vector<PosedCrack> posed_cracks(const rig::Character& character,
                                     const std::vector<std::vector<rig::PlacedTJunction>>& junctions,
                                     const deform::DeformedCharacter& deformed);

}  // namespace pelt::measure
