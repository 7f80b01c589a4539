#include "rig/new_joints.h"

#include <algorithm>
#include <vector>

#include "core/expect.h"

namespace pelt::rig {
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

}  // namespace pelt::rig
