#include "gltf/export_instances.h"

#include <algorithm>

namespace pelt::gltf {

namespace {

// [J] Whether something other than its mesh and parent refers to the node.
std::vector<char> referred_nodes(const rig::Character& character) {
  const rig::Skeleton& skeleton = character.skeleton;
  const std::size_t count = skeleton.size();
  std::vector<char> is_more(count, 0);
  const auto mark = [&](int joint) {
    if (joint >= 0 && static_cast<std::size_t>(joint) < count) {
      is_more[joint] = 1;
    }
  };
  std::for_each(skeleton.parent.begin(), skeleton.parent.end(), mark);
  for (std::size_t j = 0; j < count; ++j) {
    const bool is_sheared = j < skeleton.rest_residual.size() && skeleton.rest_residual[j] != glm::mat4(1.0f);
    if (is_sheared || (j < skeleton.dofs.size() && skeleton.dofs[j].authored)) {
      mark(static_cast<int>(j));
    }
  }
  for (const rig::Skin& skin : character.skins) {
    std::for_each(skin.joints.begin(), skin.joints.end(), mark);
    mark(skin.skeleton_root);
  }
  for (const rig::Scene& scene : character.scenes) {
    std::for_each(scene.roots.begin(), scene.roots.end(), mark);
  }
  for (const rig::Camera& camera : character.cameras) {
    mark(camera.joint);
  }
  for (const rig::Light& light : character.lights) {
    mark(light.joint);
  }
  for (const rig::Clip& clip : character.clips) {
    for (const rig::Channel& channel : clip.channels) {
      mark(channel.joint);
    }
    for (const rig::PropertyChannel& property : clip.properties) {
      mark(property.owner == rig::PropertyOwner::kNode ? property.index : -1);
    }
  }
  return is_more;
}

}  // namespace

std::vector<const rig::Instances*> writable_instances(const rig::Character& character) {
  std::vector<const rig::Instances*> out;
  if (character.instances.empty()) {
    return out;
  }
  const rig::Skeleton& skeleton = character.skeleton;
  const std::size_t count = skeleton.size();
  const std::vector<char> is_more = referred_nodes(character);
  std::vector<const rig::MeshNode*> carried(count, nullptr);
  for (const rig::MeshNode& node : character.mesh_nodes) {
    if (node.joint >= 0 && static_cast<std::size_t>(node.joint) < count) {
      carried[node.joint] = &node;
    }
  }
  for (const rig::Instances& group : character.instances) {
    if (group.joints.empty()) {
      out.push_back(&group);  // none is shown
      continue;
    }
    const rig::MeshNode* first = carried[group.joints[0]];
    const bool is_free = first != nullptr && first->skin < 0 && carried[group.joint] == nullptr;
    if (is_free && std::all_of(group.joints.begin(), group.joints.end(), [&](int joint) {
          const std::size_t j = joint;
          return is_more[j] == 0 && skeleton.parent[j] == group.joint && carried[j] != nullptr &&
                 carried[j]->mesh == first->mesh && carried[j]->skin < 0 &&
                 carried[j]->morph_weights == first->morph_weights;
        })) {
      out.push_back(&group);
    }
  }
  return out;
}

}  // namespace pelt::gltf
