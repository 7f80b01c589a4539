#pragma once

#include <vector>

#include "core/result.h"
#include "rig/character.h"

namespace pelt::bind {

/// A character made of two.
struct MeshOnSkeleton {
  rig::Character character;
  std::vector<int> moved;  ///< [J] of the skeleton's file: where each node went, -1: it is left out
};

/// The meshes of one character on the skeleton of another, to be bound: vertices, materials and morph targets of the
/// first; joints, degrees of freedom, clips and human roles of the second.
///
/// Both stand as their files show them at rest, the skeleton as its skin was bound. Each mesh hangs on a root of its
/// own, whose place is in the inverse bind matrices, and has a skin of all joints of the skeleton's largest skin (all
/// nodes without a mesh, where it has no skin) but no weights. A mesh on several nodes becomes several meshes. Cameras,
/// lights and instances of the first and spring bones of the second are left out.
/// Fails where the first has no vertices or the second no joints.
Result<MeshOnSkeleton> mesh_on_skeleton(const rig::Character& mesh, const rig::Character& skeleton);

}  // namespace pelt::bind
