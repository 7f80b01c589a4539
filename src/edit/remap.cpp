#include "edit/remap.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/expect.h"
#include "core/index.h"
#include "rig/character_parts.h"
#include "rig/newer_version.h"

namespace pelt::edit {
namespace {

std::vector<int> ascending(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

template <typename T>
std::vector<std::string> names_of(const SharedList<T>& items) {
  std::vector<std::string> names;
  for (const T& item : items) {
    names.push_back(item.name);
  }
  return names;
}

// For each name the item of that name: the one of the same place where that has it, else the first that no other has
// got; -1: none.
std::vector<int> first_of_name(std::span<const std::string> before, std::span<const std::string> after) {
  std::vector<int> out(before.size(), -1);
  std::unordered_map<std::string_view, std::vector<int>> free;  // last first
  for (std::size_t i = after.size(); i-- > 0;) {
    if (i < before.size() && before[i] == after[i]) {
      out[i] = static_cast<int>(i);
    } else {
      free[after[i]].push_back(static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto found = out[i] < 0 ? free.find(before[i]) : free.end();
    if (found != free.end() && !found->second.empty()) {
      out[i] = found->second.back();
      found->second.pop_back();
    }
  }
  return out;
}

template <typename T>
std::vector<int> by_name(const SharedList<T>& before, const SharedList<T>& after) {
  return first_of_name(names_of(before), names_of(after));
}

// For each node with a mesh the one of `after` on the same joint; of several on one joint each its own, in their order.
std::vector<int> matching_nodes(const rig::Character& before, const rig::Character& after,
                                const std::vector<int>& joints) {
  std::unordered_map<int, std::vector<int>> on_joint;
  for (std::size_t i = after.mesh_nodes.size(); i-- > 0;) {
    on_joint[after.mesh_nodes[i].joint].push_back(static_cast<int>(i));
  }
  std::vector<int> nodes;
  for (const rig::MeshNode& node : before.mesh_nodes) {
    const auto found = on_joint.find(joints[node.joint]);
    const bool is_there = found != on_joint.end() && !found->second.empty();
    nodes.push_back(is_there ? found->second.back() : -1);
    if (is_there) {
      found->second.pop_back();
    }
  }
  return nodes;
}

void match_morphs(const rig::Character& before, const rig::MeshNode& node, const rig::Character& after,
                  const rig::MeshNode& now, std::vector<int>& morphs) {
  const auto& names = before.meshes[node.mesh].morph_names;
  const auto& new_names = after.meshes[now.mesh].morph_names;
  const std::vector<int> at = first_of_name(names, new_names);
  for (std::size_t m = 0; m < names.size(); ++m) {
    if (at[m] >= 0) {
      morphs[before.morph_offset[node.joint] + m] = after.morph_offset[now.joint] + at[m];
    }
  }
}

void match_parts(const rig::Character& before, const rig::Character& after, Remap& out) {
  std::map<std::pair<int, int>, int> places;
  for (std::size_t p = 0; p < after.parts.size(); ++p) {
    places.try_emplace({after.parts[p].mesh_node, after.parts[p].primitive}, static_cast<int>(p));
  }
  for (const rig::Part& part : before.parts) {
    const auto found = places.find({out.mesh_nodes[part.mesh_node], part.primitive});
    const int now = found == places.end() ? -1 : found->second;
    out.parts.push_back(now);
    out.same_vertices.push_back(
        now >= 0 && before.primitive(part).vertex_count() == after.primitive(after.parts[now]).vertex_count() ? 1 : 0);
  }
}

void remap_numbers(std::vector<int>& numbers, std::span<const int> then) {
  for (int& number : numbers) {
    number = remapped(then, number);
  }
}

void lose(std::vector<std::string>* lost, std::string what) {
  if (lost != nullptr && std::ranges::find(*lost, what) == lost->end()) {
    lost->push_back(std::move(what));
  }
}

std::string morph_name(const rig::Character& character, int morph) {
  for (const rig::MeshNode& node : character.mesh_nodes) {
    const int place = morph - character.morph_offset[node.joint];
    const auto& names = character.meshes[node.mesh].morph_names;
    if (has_index(names, place) && !names[place].empty()) {
      return names[place];
    }
  }
  return fmt::format("number {}", morph);
}

std::vector<int> matching_names(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  constexpr int kOfSeveral = -2;
  std::unordered_map<std::string, int> place;
  for (std::size_t j = 0; j < after.size(); ++j) {
    const auto [found, is_new] = place.try_emplace(after[j], static_cast<int>(j));
    found->second = is_new ? static_cast<int>(j) : kOfSeveral;
  }
  std::vector<int> out(before.size(), -1);
  std::vector<char> taken(after.size(), 0);
  for (std::size_t j = 0; j < std::min(before.size(), after.size()); ++j) {
    if (before[j] == after[j]) {
      out[j] = static_cast<int>(j);
      taken[j] = 1;
    }
  }
  for (std::size_t j = 0; j < before.size(); ++j) {
    const auto found = out[j] >= 0 || before[j].empty() ? place.end() : place.find(before[j]);
    if (found != place.end() && found->second != kOfSeveral && taken[found->second] == 0) {
      out[j] = found->second;
      taken[found->second] = 1;
    }
  }
  return out;
}

}  // namespace

bool has_same_vertices(const mesh::Primitive& before, const mesh::Primitive& after) {
  return before.vertex_count() == after.vertex_count() && before.indices.is(after.indices);
}

int remapped(std::span<const int> numbers, int index) {
  PELT_EXPECT(index < static_cast<int>(numbers.size()), "a number of what is renumbered");
  return index < 0 ? -1 : numbers[index];
}

std::vector<int> remapped(const Remap& numbers, std::span<const int> joints) {
  std::vector<int> out;
  for (const int joint : joints) {
    if (const int now = remapped(numbers.joints, joint); now >= 0) {
      out.push_back(now);
    }
  }
  return out;
}

VertexSelection remapped(const Remap& numbers, const VertexSelection& vertices) {
  VertexSelection out;
  for (const PartVertices& of_part : vertices) {
    const bool is_kept = has_index(numbers.parts, of_part.part) && numbers.same_vertices[of_part.part] != 0;
    if (is_kept && numbers.parts[of_part.part] >= 0) {
      out.push_back({numbers.parts[of_part.part], of_part.vertices});
    }
  }
  std::ranges::sort(out, {}, &PartVertices::part);
  return out;
}

NamedVertices remapped(const Remap& numbers, const NamedVertices& vertices, const rig::Character& before,
                       const rig::Character& after) {
  NamedVertices out;
  for (const NodeVertices& of_node : vertices) {
    NodeVertices now{remapped(numbers.mesh_nodes, of_node.mesh_node), of_node.primitive, of_node.vertices};
    const mesh::Primitive* const was = primitive_at(before, of_node);
    const mesh::Primitive* const is = primitive_at(after, now);
    if (was != nullptr && is != nullptr && was->vertex_count() == is->vertex_count()) {
      out.push_back(std::move(now));
    }
  }
  std::ranges::sort(out, {},
                    [](const NodeVertices& of_node) { return std::pair(of_node.mesh_node, of_node.primitive); });
  return out;
}

Remap identity(const rig::Character& character) {
  return {.joints = ascending(character.skeleton->parent.size()),
          .morphs = ascending(character.morph_offset.back()),
          .clips = ascending(character.clips.size()),
          .skins = ascending(character.skins.size()),
          .meshes = ascending(character.meshes.size()),
          .parts = ascending(character.parts.size()),
          .same_vertices = std::vector<char>(character.parts.size(), 1),
          .mesh_nodes = ascending(character.mesh_nodes.size()),
          .variants = ascending(character.variants.size())};
}

Remap composed(const Remap& first, const Remap& then) {
  Remap out = first;
  for (std::size_t p = 0; p < out.parts.size(); ++p) {
    const int middle = out.parts[p];
    out.same_vertices[p] = middle >= 0 && out.same_vertices[p] != 0 && then.same_vertices[middle] != 0 ? 1 : 0;
  }
  remap_numbers(out.joints, then.joints);
  remap_numbers(out.morphs, then.morphs);
  remap_numbers(out.clips, then.clips);
  remap_numbers(out.skins, then.skins);
  remap_numbers(out.meshes, then.meshes);
  remap_numbers(out.parts, then.parts);
  remap_numbers(out.mesh_nodes, then.mesh_nodes);
  remap_numbers(out.variants, then.variants);
  return out;
}

std::vector<int> matching_joints(const rig::Skeleton& before, const rig::Skeleton& after) {
  return matching_names(before.name, after.name);
}

std::vector<int> matching_joints(const rig::Skeleton& before, const rig::Skeleton& file, const rig::Skeleton& after) {
  const std::vector<int> in_file = rig::joints_in_file(file, before);
  std::vector<std::string> names = before.name;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (in_file[j] >= 0) {
      names[j] = file.name[in_file[j]];
    }
  }
  std::vector<int> out = matching_names(names, after.name);
  const std::vector<int> by_own_name = matching_names(before.name, after.name);
  std::vector<char> taken(after.name.size(), 0);
  for (const int j : out) {
    if (j >= 0) {
      taken[j] = 1;
    }
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const int own = by_own_name[j];
    if (out[j] < 0 && own >= 0 && before.name[j] != names[j] && taken[own] == 0) {
      out[j] = own;
      taken[own] = 1;
    }
  }
  return out;
}

Remap matching(const rig::Character& before, const rig::Character& file, const rig::Character& after) {
  Remap out;
  out.joints = matching_joints(before.skeleton, file.skeleton, after.skeleton);
  out.morphs.assign(before.morph_offset.back(), -1);
  out.clips = by_name(before.clips, after.clips);
  out.skins = by_name(before.skins, after.skins);
  out.meshes.assign(before.meshes.size(), -1);
  out.mesh_nodes = matching_nodes(before, after, out.joints);
  for (std::size_t i = 0; i < out.mesh_nodes.size(); ++i) {
    if (out.mesh_nodes[i] < 0) {
      continue;
    }
    const rig::MeshNode& node = before.mesh_nodes[i];
    const rig::MeshNode& now = after.mesh_nodes[out.mesh_nodes[i]];
    out.meshes[node.mesh] = now.mesh;
    if (node.skin >= 0) {
      out.skins[node.skin] = now.skin;
    }
    match_morphs(before, node, after, now, out.morphs);
  }
  match_parts(before, after, out);
  out.variants = first_of_name(before.variants, after.variants);
  return out;
}

Content remap(const Content& content, const Remap& numbers, std::shared_ptr<const rig::Character> after,
              std::vector<std::string>* lost) {
  PELT_EXPECT(content.character != nullptr && after != nullptr, "one character becomes another");
  const rig::Skeleton& was = content.character->skeleton;
  const rig::Skeleton& skeleton = after->skeleton;
  Content out = content;
  out.overrides = {};
  out.morph_overrides = {};
  out.euler_orders = {};
  for (const auto& [joint, order] : *content.euler_orders) {
    const int now = remapped(numbers.joints, joint);
    if (now < 0 || !rig::euler_order(skeleton.dofs[now]) || !out.euler_orders.edit().emplace(now, order).second) {
      lose(lost, fmt::format("the rotation order of {}", was.label(joint)));
    }
  }
  for (const auto& [joint, joint_override] : *content.overrides) {
    const int now = remapped(numbers.joints, joint);
    if (now < 0 || out.overrides->contains(now)) {
      lose(lost, fmt::format("the pose of {}", was.label(joint)));
      continue;
    }
    JointOverride kept = joint_override;
    const auto order = out.euler_orders->find(now);
    const bool had_order = content.euler_orders->contains(joint);
    if (!rig::equal(was.dofs[joint], skeleton.dofs[now]) || had_order != (order != out.euler_orders->end())) {
      rig::JointDofs dofs = skeleton.dofs[now];
      if (order != out.euler_orders->end()) {
        rig::set_euler_order(dofs, order->second);
      }
      const bool has_as_many = kept.dof_values.size() == dofs.dofs.size();
      kept.dof_values = rig::dofs_from_local(
          dofs, kept.local, has_as_many ? std::span<const float>(kept.dof_values) : std::span<const float>());
    }
    out.overrides.edit().emplace(now, std::move(kept));
  }
  out.pins = {};
  for (motion::Pin pin : content.pins) {
    const std::string name = was.label(pin.joint);
    pin.joint = remapped(numbers.joints, pin.joint);
    pin.chain.root = remapped(numbers.joints, pin.chain.root);
    if (pin.joint < 0 || pin.chain.root < 0 || !skeleton.is_within(pin.joint, pin.chain.root)) {
      lose(lost, fmt::format("the pin of {}", name));
    } else {
      out.pins.push_back(pin);
    }
  }
  std::vector<motion::Pin> sorted(out.pins.begin(), out.pins.end());
  std::ranges::sort(sorted, {}, &motion::Pin::joint);
  out.pins = SharedArray<motion::Pin>(std::move(sorted));
  for (const auto& [morph, weight] : *content.morph_overrides) {
    const int now = remapped(numbers.morphs, morph);
    if (now < 0 || !out.morph_overrides.edit().emplace(now, weight).second) {
      lose(lost, fmt::format("the shape {}", morph_name(*content.character, morph)));
    }
  }
  out.clip = remapped(numbers.clips, content.clip);
  if (out.clip < 0 && content.clip >= 0) {
    const std::string& name = content.character->clips[content.clip].name;
    lose(lost, "the clip " + (name.empty() ? fmt::format("number {}", content.clip) : name));
  }
  out.selections = {};
  for (const auto& [name, selection] : *content.selections) {
    NamedSelection now{remapped(numbers, selection.joints),
                       remapped(numbers, selection.vertices, *content.character, *after)};
    if (now.joints.size() < selection.joints.size() || now.vertices.size() < selection.vertices.size()) {
      lose(lost, fmt::format("some of the selection {}", name));
    }
    if (!now.joints.empty() || !now.vertices.empty()) {
      out.selections.edit().emplace(name, std::move(now));
    }
  }
  std::vector<int> locked = remapped(numbers, content.locked_joints.get());
  if (locked.size() < content.locked_joints.size()) {
    lose(lost, "some of the locks");
  }
  std::ranges::sort(locked);
  out.locked_joints =
      locked == content.locked_joints.get() ? content.locked_joints : SharedArray<int>(std::move(locked));
  bind::JointVolumes volumes = *content.volumes;
  std::erase_if(volumes.of_joints, [&](bind::JointVolume& volume) {
    const int joint = remapped(numbers.joints, volume.joint);
    if (joint < 0) {
      lose(lost, fmt::format("the volume of {}", was.label(volume.joint)));
    }
    volume.joint = joint;
    return joint < 0;
  });
  std::ranges::stable_sort(volumes.of_joints, {}, &bind::JointVolume::joint);
  out.volumes = volumes == *content.volumes ? content.volumes : Shared(std::move(volumes));
  out.library = remapped(numbers, content.library, lost);
  out.kept_poses = remapped(numbers, content.kept_poses, *content.character, *after, lost);
  motion::Behaviour behaviour =
      motion::with_clips_renamed(motion::with_joints_renamed(*content.behaviour, was, skeleton, numbers.joints),
                                 *content.character, *after, numbers.clips);
  out.behaviour = behaviour == *content.behaviour ? content.behaviour : Shared(std::move(behaviour));
  // What says what it said stays shared.
  out.selections = out.selections == content.selections ? content.selections : out.selections;
  out.pins = out.pins == content.pins ? content.pins : out.pins;
  out.overrides = out.overrides == content.overrides ? content.overrides : out.overrides;
  out.morph_overrides = out.morph_overrides == content.morph_overrides ? content.morph_overrides : out.morph_overrides;
  out.euler_orders = out.euler_orders == content.euler_orders ? content.euler_orders : out.euler_orders;
  out.character = std::move(after);
  return out;
}

void remap(View& view, const Remap& numbers) {
  view.selected_joints = remapped(numbers, view.selected_joints);
  view.selected_vertices = remapped(numbers, view.selected_vertices);
  const bool is_kept = has_index(numbers.parts, view.pinned_part) && numbers.same_vertices[view.pinned_part] != 0;
  view.pinned_part = is_kept ? numbers.parts[view.pinned_part] : -1;
  view.pinned_vertex = is_kept ? view.pinned_vertex : -1;
}

}  // namespace pelt::edit
