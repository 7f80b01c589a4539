#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "bind/bounded_quadratic.h"
#include "bind/voxels.h"

namespace pelt::bind {

/// What a node has of a point between nodes.
struct NodeShare {
  std::uint32_t node = 0;
  double share = 0;
};

/// The cubes of a volume, surface and inside, as finite elements: values stand at their corners, the nodes, and are
/// trilinear within each. Lengths are in edges of the grid.
struct VolumeElements {
  VoxelGrid grid;
  std::vector<glm::ivec3> at;            ///< [N] corners: at/grid.edge from the grid's lower end; by nested dissection
  std::vector<EliminationBlock> blocks;  ///< of the nodes, as their order has them
  std::vector<std::uint32_t> part;       ///< [N] what hangs together by cubes
  std::size_t part_count = 0;
  std::vector<std::int32_t> number;  ///< [corners of the grid, x first] of a node, -1 where there is none
  std::vector<char> is_cube;         ///< [grid.count()]

  [[nodiscard]] std::size_t node_count() const { return at.size(); }
  /// -1 where there is no node.
  [[nodiscard]] std::int32_t node(const glm::ivec3& corner) const;
};
VolumeElements elements_of(const Voxels& voxels);

/// A = L M^-1 L: 1/2 w^T A w is half the integral of the squared Laplacian of w, with L of trilinear elements and M
/// the lumped volumes; constants bend nothing, and slopes are 0 at the ends.
SymmetricRows bending(const VolumeElements& elements);

/// The nodes round a point and what each has of it. In a cube of the volume that is trilinear; elsewhere the nodes
/// among the corners of the cube share, and there may be none.
/// @param p  metres
/// @return how many of `out` are filled
std::size_t nodes_round(const VolumeElements& elements, const glm::dvec3& p, std::array<NodeShare, 8>& out);

/// The nodes that a bone goes through: that are the nearest ones of a point of one of its segments (the cube about the
/// node meets it, or touches it by 1e-6 of an edge: all nodes of a tie belong). Of a bone outside of the volume, the
/// nodes nearest to points along it.
struct NodesOnBone {
  std::vector<std::uint32_t> nodes;  ///< ascending; empty only where there are no nodes at all
  bool outside = false;
  double distance = 0;  ///< metres from a bone outside to the nearest node
};
NodesOnBone nodes_on_bone(const VolumeElements& elements, const Bone& bone);

}  // namespace pelt::bind
