#pragma once

// The arm of edit_fixtures.h as a newer version of its file has it.

#include <string>
#include <utility>
#include <vector>

#include "edit/edit_fixtures.h"

namespace pelt::test {

/// A newer version of arm(): a joint in front, "hand_l" gone, targets in another order, the same clip as the second
/// one.
inline rig::Character newer_arm() {
  const rig::Character old = arm();
  rig::Character character = old;
  rig::Skeleton& skeleton = character.skeleton.edit();
  const auto put_in_front = [](auto& list, auto value) { list.insert(list.begin(), std::move(value)); };
  put_in_front(skeleton.parent, -1);
  put_in_front(skeleton.name, std::string("new root"));
  put_in_front(skeleton.rest, Transform{});
  put_in_front(skeleton.dofs, rig::JointDofs{});
  skeleton.source_node.clear();
  skeleton.is_joint.clear();
  for (std::size_t j = 1; j < skeleton.parent.size(); ++j) {
    ++skeleton.parent[j];
  }
  skeleton.name[kHand + 1] = "renamed";
  for (rig::MeshNode& node : character.mesh_nodes.edit()) {
    ++node.joint;
  }
  mesh::Mesh& mesh = character.meshes.edit(0);
  std::swap(mesh.morph_names[0], mesh.morph_names[1]);
  for (rig::Clip& clip : character.clips.edit_each()) {
    for (rig::Channel& channel : clip.channels) {
      ++channel.joint;
    }
  }
  std::vector<Shared<rig::Clip>>& clips = character.clips.edit_items();
  clips.insert(clips.begin(), clips.front());
  character.clips.edit(0).name = "other";
  character.scenes = {{.name = "", .roots = {0}}};
  rig::finish(character);
  return character;
}

}  // namespace pelt::test
