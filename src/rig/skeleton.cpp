#include "rig/skeleton.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "rig/joint_names.h"

namespace pelt::rig {

int Skeleton::find(std::string_view joint_name) const {
  const auto found = std::find(name.begin(), name.end(), joint_name);
  return found == name.end() ? -1 : static_cast<int>(found - name.begin());
}

int Skeleton::from_source_node(int node) const {
  // Most files list parents first, and nodes then keep their numbers; findings ask for one node each.
  if (has_index(source_node, node) && source_node[node] == node) {
    return node;
  }
  const auto found = std::find(source_node.begin(), source_node.end(), node);
  return found == source_node.end() ? -1 : static_cast<int>(found - source_node.begin());
}

std::string Skeleton::label(int j) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  const std::size_t at = j;
  if (at < name.size() && !name[at].empty()) {
    return name[at];
  }
  return fmt::format("node {}", at < source_node.size() ? source_node[at] : j);
}

std::vector<int> Skeleton::children(int j) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  if (child_offset.size() == parent.size() + 1) {
    const std::size_t at = j;
    return {child.begin() + child_offset[at], child.begin() + child_offset[at + 1]};
  }
  std::vector<int> out;
  for (int other = j + 1; other < size(); ++other) {
    if (parent[other] == j) {
      out.push_back(other);
    }
  }
  return out;
}

std::vector<int> Skeleton::subtree(int j) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  std::vector<int> out = {j};
  if (child_offset.size() == parent.size() + 1) {
    for (std::size_t next = 0; next < out.size(); ++next) {
      const std::size_t at = out[next];
      out.insert(out.end(), child.begin() + child_offset[at], child.begin() + child_offset[at + 1]);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  std::vector<char> inside(parent.size(), 0);
  inside[j] = 1;
  for (int other = j + 1; other < size(); ++other) {
    const int above = parent[other];
    if (above >= 0 && inside[above] != 0) {
      inside[other] = 1;
      out.push_back(other);
    }
  }
  return out;
}

bool Skeleton::is_within(int j, int ancestor) const {
  PELT_EXPECT(j >= 0 && j < size(), "joint index in range");
  // Parents stand before their children, so the walk ends as soon as it has passed the ancestor.
  while (j > ancestor) {
    j = parent[j];
  }
  return j == ancestor && j >= 0;
}

void Skeleton::link_children() {
  child_offset.assign(parent.size() + 1, 0);
  for (const int above : parent) {
    if (above >= 0) {
      ++child_offset[static_cast<std::size_t>(above) + 1];
    }
  }
  for (std::size_t j = 0; j < parent.size(); ++j) {
    child_offset[j + 1] += child_offset[j];
  }
  child.assign(child_offset.back(), 0);
  std::vector<int> next(child_offset.begin(), child_offset.end() - 1);
  for (std::size_t j = 0; j < parent.size(); ++j) {
    if (parent[j] >= 0) {
      child[next[parent[j]]++] = static_cast<int>(j);
    }
  }
}

Result<std::vector<int>> parents_first_order(std::span<const int> parents, std::span<const int> sequence) {
  PELT_EXPECT(sequence.empty() || sequence.size() == parents.size(), "the sequence names every node once");
  const int count = static_cast<int>(parents.size());
  // Children as linked lists: filled from the back, they run forward.
  std::vector<int> first_child(parents.size(), -1);
  std::vector<int> next_sibling(parents.size(), -1);
  int first_root = -1;
  for (std::size_t i = parents.size(); i-- > 0;) {
    const int node = sequence.empty() ? static_cast<int>(i) : sequence[i];
    const int parent = parents[node];
    if (parent < -1 || parent >= count) {
      return error("node {}: parent: expected -1 to {}, got {}", node, count - 1, parent);
    }
    int& head = parent < 0 ? first_root : first_child[parent];
    next_sibling[node] = head;
    head = node;
  }
  std::vector<int> order;
  order.reserve(parents.size());
  // A preorder walk without a stack: down to the first child, else to the next sibling of the nearest node that has
  // one.
  int node = first_root;
  while (node >= 0) {
    order.push_back(node);
    int next = first_child[node];
    while (next < 0 && node >= 0) {
      next = next_sibling[node];
      node = parents[node];
    }
    node = next;
  }
  if (order.size() != parents.size()) {
    // What no root reaches hangs on a cycle; walking up from any such node ends in it.
    std::vector<char> reached(parents.size(), 0);
    for (const int n : order) {
      reached[n] = 1;
    }
    std::size_t at = std::find(reached.begin(), reached.end(), 0) - reached.begin();
    while (reached[at] == 0) {
      reached[at] = 1;
      at = static_cast<std::size_t>(parents[at]);
    }
    return error("node {}: is its own ancestor: expected a tree, got a cycle through node {}", at, parents[at]);
  }
  return order;
}

std::vector<int> mirrored_joints(const Skeleton& skeleton) {
  return mirrored_names(skeleton.name);
}

int mirrored_joint(const Skeleton& skeleton, int j) {
  PELT_EXPECT(j >= 0 && j < skeleton.size(), "joint index in range");
  return mirrored_joints(skeleton)[j];
}

}  // namespace pelt::rig
