#include "rig/new_joints.h"

#include <algorithm>

#include "core/expect.h"

namespace pelt::rig {
namespace {

// finish() gives default sliders to joints that have none.
void forget_dofs_of_unbound(Skeleton& skeleton, std::size_t first) {
  for (std::size_t j = first; j < skeleton.parent.size(); ++j) {
    if (!skeleton.dofs[j].authored && (j >= skeleton.is_joint.size() || skeleton.is_joint[j] == 0)) {
      skeleton.dofs[j] = {};
    }
  }
}

}  // namespace

Character with_new_joints(const Character& character, std::span<const NewJoint> joints) {
  Character out = character;
  Skeleton& skeleton = out.skeleton.edit();
  const int first = skeleton.size();
  int node = -1;
  for (const int one : skeleton.source_node) {
    node = std::max(node, one);
  }
  std::vector<int> roots;
  for (const NewJoint& joint : joints) {
    const int parent = joint.parent < 0 ? -1 : first + joint.parent;
    PELT_EXPECT(parent < skeleton.size(), "parents before their children");
    if (parent < 0) {
      roots.push_back(skeleton.size());
    }
    skeleton.parent.push_back(parent);
    skeleton.name.push_back(joint.name);
    skeleton.rest.push_back(joint.rest);
    skeleton.dofs.emplace_back();
    skeleton.source_node.push_back(++node);
  }
  if (!out.node_hidden.empty()) {
    out.node_hidden.edit().resize(skeleton.parent.size(), 0);
  }
  if (!out.scenes.empty() && !roots.empty()) {
    for (Scene& scene : out.scenes.edit()) {
      scene.roots.insert(scene.roots.end(), roots.begin(), roots.end());
    }
  }
  finish(out);
  return out;
}

std::vector<NewJoint> new_joints_of(const Skeleton& skeleton, int first) {
  std::vector<NewJoint> out;
  for (std::size_t j = static_cast<std::size_t>(first); j < skeleton.parent.size(); ++j) {
    out.push_back({skeleton.name[j], std::max(-1, skeleton.parent[j] - first), skeleton.rest[j]});
  }
  return out;
}

Character with_rest_of_new_joints(const Character& character, int first, std::span<const Transform> rest) {
  PELT_EXPECT(first >= 0 && static_cast<std::size_t>(first) + rest.size() == character.skeleton->parent.size(),
              "a rest transform for each node from the first on");
  Character out = character;
  Skeleton& skeleton = out.skeleton.edit();
  std::ranges::copy(rest, skeleton.rest.begin() + first);
  forget_dofs_of_unbound(skeleton, static_cast<std::size_t>(first));
  finish(out);
  return out;
}

Character without_new_joints(const Character& character, int first) {
  Character out = character;
  Skeleton& skeleton = out.skeleton.edit();
  const auto count = static_cast<std::size_t>(first);
  skeleton.parent.resize(count);
  skeleton.name.resize(count);
  skeleton.rest.resize(count);
  skeleton.dofs.resize(count);
  skeleton.source_node.resize(count);
  if (!skeleton.rest_residual.empty()) {
    skeleton.rest_residual.resize(count);
  }
  if (!out.node_hidden.empty()) {
    out.node_hidden.edit().resize(count);
  }
  if (!out.scenes.empty()) {
    for (Scene& scene : out.scenes.edit()) {
      std::erase_if(scene.roots, [&](int root) { return root >= first; });
    }
  }
  finish(out);
  return out;
}

}  // namespace pelt::rig
