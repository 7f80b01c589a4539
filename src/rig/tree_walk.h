#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rig/skeleton.h"

namespace pelt::rig {

/// Where a walk over all nodes, depth first, meets each: tells in one step what is above what, however deep the tree.
struct TreeWalk {
  std::vector<std::size_t> enter;  ///< [nodes] how many nodes are met before
  std::vector<std::size_t> leave;  ///< [nodes] and how many until everything below is left
  std::vector<int> root;           ///< [nodes] the topmost node above, or the node itself

  /// Whether `above` is the node or above it.
  [[nodiscard]] bool is_within(int node, int above) const {
    const std::size_t n = node;
    const std::size_t a = above;
    return enter[a] <= enter[n] && enter[n] < leave[a];
  }
};
/// @cost O(nodes)
TreeWalk walk_tree(const Skeleton& skeleton);

/// For each of some nodes the nearest above it among them, as its place in the list; -1 for none. Of a node that is
/// listed twice the first place counts. @cost O(n log n), whatever lies between
std::vector<int> nearest_listed(const TreeWalk& walk, std::span<const int> nodes);

}  // namespace pelt::rig
