#include "rig/tree_walk.h"

#include <algorithm>
#include <numeric>

namespace pelt::rig {

TreeWalk walk_tree(const Skeleton& skeleton) {
  const std::vector<int>& parent = skeleton.parent;
  std::vector<std::size_t> below(parent.size(), 1);  // with the node itself
  for (std::size_t j = parent.size(); j-- > 0;) {
    if (parent[j] >= 0) {
      below[parent[j]] += below[j];
    }
  }
  TreeWalk walk;
  std::vector<std::size_t> next(parent.size());  // where the next child of a node is met
  std::size_t next_root = 0;
  for (std::size_t j = 0; j < parent.size(); ++j) {
    const bool is_root = parent[j] < 0;
    std::size_t& at = is_root ? next_root : next[parent[j]];
    walk.enter.push_back(at);
    walk.leave.push_back(at + below[j]);
    walk.root.push_back(is_root ? static_cast<int>(j) : walk.root[parent[j]]);
    next[j] = at + 1;
    at += below[j];
  }
  return walk;
}

std::vector<int> nearest_listed(const TreeWalk& walk, std::span<const int> nodes) {
  std::vector<std::size_t> met(nodes.size());  // places, as the walk meets their nodes
  std::iota(met.begin(), met.end(), std::size_t{0});
  std::ranges::stable_sort(met, {}, [&](std::size_t k) { return walk.enter[nodes[k]]; });
  std::vector<int> out(nodes.size(), -1);
  std::vector<std::size_t> above;  // the place met last, behind those that its node hangs on
  for (const std::size_t k : met) {
    while (!above.empty() && !walk.is_within(nodes[k], nodes[above.back()])) {
      above.pop_back();
    }
    if (!above.empty() && nodes[above.back()] == nodes[k]) {
      out[k] = out[above.back()];
      continue;
    }
    out[k] = above.empty() ? -1 : static_cast<int>(above.back());
    above.push_back(k);
  }
  return out;
}

}  // namespace pelt::rig
