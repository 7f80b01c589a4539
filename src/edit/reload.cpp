#include "edit/reload.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/expect.h"

namespace pelt::edit {
namespace {

// For each flat morph index of `before` the one of the same joint and name in `after`, -1 where there is none.
std::vector<int> matching_morphs(const rig::Character& before, const rig::Character& after,
                                 const std::vector<int>& joints) {
  std::vector<int> out(static_cast<std::size_t>(before.morph_offset.back()), -1);
  for (const rig::MeshNode& node : before.mesh_nodes) {
    const int joint = joints[static_cast<std::size_t>(node.joint)];
    const auto found = std::ranges::find(after.mesh_nodes, joint, &rig::MeshNode::joint);
    if (joint < 0 || found == after.mesh_nodes.end()) {
      continue;
    }
    const auto& names = before.meshes[static_cast<std::size_t>(node.mesh)].morph_names;
    const auto& new_names = after.meshes[static_cast<std::size_t>(found->mesh)].morph_names;
    for (std::size_t m = 0; m < names.size(); ++m) {
      const auto at = m < new_names.size() && new_names[m] == names[m]
                          ? new_names.begin() + static_cast<std::ptrdiff_t>(m)
                          : std::ranges::find(new_names, names[m]);
      if (at != new_names.end()) {
        out[static_cast<std::size_t>(before.morph_offset[static_cast<std::size_t>(node.joint)]) + m] =
            after.morph_offset[static_cast<std::size_t>(joint)] + static_cast<int>(at - new_names.begin());
      }
    }
  }
  return out;
}

int matching_clip(const rig::Character& before, const rig::Character& after, int clip) {
  if (clip < 0) {
    return -1;
  }
  const std::string& name = before.clips[static_cast<std::size_t>(clip)].name;
  const bool same_place =
      static_cast<std::size_t>(clip) < after.clips.size() && after.clips[static_cast<std::size_t>(clip)].name == name;
  const auto found = std::ranges::find(after.clips, name, &rig::Clip::name);
  return same_place ? clip : found == after.clips.end() ? -1 : static_cast<int>(found - after.clips.begin());
}

struct Match {
  const rig::Character& before;
  std::shared_ptr<const rig::Character> character;
  const rig::Character& after = *character;
  std::vector<int> joints;
  std::vector<int> morphs;
};

Content matched(const Content& content, const Match& match) {
  Content out = content;
  out.character = match.character;
  out.overrides = {};
  out.morph_overrides = {};
  out.euler_orders = {};
  for (const auto& [joint, order] : *content.euler_orders) {
    const int now = match.joints[static_cast<std::size_t>(joint)];
    if (now >= 0 && rig::euler_order(match.after.skeleton->dofs[static_cast<std::size_t>(now)])) {
      out.euler_orders.edit().emplace(now, order);
    }
  }
  for (const auto& [joint, joint_override] : *content.overrides) {
    const int now = match.joints[static_cast<std::size_t>(joint)];
    if (now < 0) {
      continue;
    }
    JointOverride kept = joint_override;
    rig::JointDofs dofs = match.after.skeleton->dofs[static_cast<std::size_t>(now)];
    if (const auto order = out.euler_orders->find(now); order != out.euler_orders->end()) {
      rig::set_euler_order(dofs, order->second);
    }
    // The transform is the truth; the sliders are read off it where they may have become others.
    kept.dof_values =
        rig::dofs_from_local(dofs, kept.local,
                             kept.dof_values.size() == dofs.dofs.size() ? std::span<const float>(kept.dof_values)
                                                                        : std::span<const float>());
    out.overrides.edit().emplace(now, std::move(kept));
  }
  for (const auto& [morph, weight] : *content.morph_overrides) {
    if (const int now = match.morphs[static_cast<std::size_t>(morph)]; now >= 0) {
      out.morph_overrides.edit().emplace(now, weight);
    }
  }
  out.clip = matching_clip(match.before, match.after, content.clip);
  return out;
}

}  // namespace

std::vector<int> matching_joints(const rig::Skeleton& before, const rig::Skeleton& after) {
  constexpr int kSeveral = -2;
  std::unordered_map<std::string, int> of_name;
  for (int j = 0; j < after.size(); ++j) {
    const auto [found, is_new] = of_name.try_emplace(after.name[static_cast<std::size_t>(j)], j);
    found->second = is_new ? j : kSeveral;
  }
  std::vector<int> out;
  for (std::size_t j = 0; j < before.name.size(); ++j) {
    const std::string& name = before.name[j];
    if (j < after.name.size() && after.name[j] == name) {
      out.push_back(static_cast<int>(j));
      continue;
    }
    const auto found = of_name.find(name);
    out.push_back(name.empty() || found == of_name.end() || found->second == kSeveral ? -1 : found->second);
  }
  return out;
}

void reload_character(Document& document, std::shared_ptr<const rig::Character> character) {
  PELT_EXPECT(character != nullptr, "a document needs a character");
  const std::shared_ptr<const rig::Character> shown = document.character;  // as long as it is compared
  const rig::Character& before = *shown;
  const rig::Character& after = *character;
  const std::vector<int> joints = matching_joints(before.skeleton, after.skeleton);
  const Match match{
      .before = before, .character = character, .joints = joints, .morphs = matching_morphs(before, after, joints)};
  document.history.forget_other_characters(document.content);  // they are of the file as it was
  document.content = matched(document.content, match);
  document.history.replace_each(document.content, [&](const Content& content) { return matched(content, match); });
  document.open_merge_key.clear();
  View& view = document.view;
  view.selected_joint = view.selected_joint < 0 ? -1 : joints[static_cast<std::size_t>(view.selected_joint)];
  const auto part = static_cast<std::size_t>(view.pinned_part);
  const bool same_part =
      view.pinned_part >= 0 && part < before.parts.size() && part < after.parts.size() &&
      before.primitive(before.parts[part]).vertex_count() == after.primitive(after.parts[part]).vertex_count();
  if (!same_part) {
    view.pinned_part = -1;
    view.pinned_vertex = -1;
  }
  const int shown_scene = before.scene;
  document.character = std::move(character);
  document.surface = {};
  document.detail_error = 0;
  keep_valid(view, document);
  ++document.character_version;
  ++document.state_version;
  if (shown_scene != after.scene && static_cast<std::size_t>(shown_scene) < after.scenes.size()) {
    show_scene(document, shown_scene);
  }
}

}  // namespace pelt::edit
