#include "edit/content.h"

#include <set>

#include "core/content_hash.h"
#include "core/expect.h"
#include "rig/character_parts.h"

namespace pelt::edit {
namespace {

// What a node of std::map holds besides its value: three pointers and a colour.
constexpr std::size_t kMapNode = 4 * sizeof(void*);

template <typename T>
std::size_t map_bytes(const Shared<std::map<int, T>>& map, const Shared<std::map<int, T>>& neighbour) {
  return map.is(neighbour) ? 0 : map->size() * (sizeof(std::pair<const int, T>) + kMapNode);
}

void add(ContentHash& hash, const deform::SkinningSettings& s) {
  const deform::MethodParameters& p = s.parameters;
  hash.add(s.method, s.backend, s.normals, s.palette_limit, s.influence_limit, s.prune_threshold, s.weight_format,
           s.partition, s.weights_as_stored, s.refine);
  hash.add(p.dual_quaternion_share, p.antipodality, p.center_sigma, p.mush_iterations, p.mush_lambda, p.mush_deltas,
           p.direct_iterations, p.direct_lambda, p.direct_kappa, p.direct_alpha);
}

void add(ContentHash& hash, const SharedArray<rig::Layer>& layers) {
  hash.add(layers.size());
  for (const rig::Layer& layer : layers) {
    hash.add_bytes(std::as_bytes(std::span(layer.kind)));
    hash.add(layer.on, layer.values.size());
    hash.add_bytes(std::as_bytes(std::span(layer.values)));
    hash.add_bytes(std::as_bytes(std::span(layer.kept)));
  }
}

void add(ContentHash& hash, const std::string& text) {
  hash.add(text.size());
  hash.add_bytes(std::as_bytes(std::span(text)));
}

void add(ContentHash& hash, const motion::SpringSet& springs) {
  for (const motion::SpringChain& chain : springs.chains) {
    add(hash, chain.name);
    add(hash, chain.end);
    add(hash, chain.center);
    hash.add(chain.on, chain.joints.size(), chain.colliders.size());
    for (const motion::SpringJoint& joint : chain.joints) {
      add(hash, joint.joint);
      hash.add(joint.mass, joint.stiffness, joint.damping, joint.drag, joint.gravity, joint.wind, joint.cone,
               joint.radius);
    }
    for (const std::string& collider : chain.colliders) {
      add(hash, collider);
    }
  }
  for (const motion::SpringCollider& collider : springs.colliders) {
    add(hash, collider.name);
    add(hash, collider.joint);
    hash.add(collider.shape, collider.offset, collider.tail, collider.normal, collider.radius, collider.inside);
  }
  hash.add(springs.chains.size(), springs.colliders.size(), springs.wind.acceleration, springs.wind.gusts,
           springs.wind.period);
}

void add(ContentHash& hash, const motion::Behaviour& behaviour) {
  hash.add(behaviour.drivers.size(), behaviour.sliders.size());
  for (const motion::Driver& driver : behaviour.drivers) {
    add(hash, driver.target);
    add(hash, driver.expression);
    hash.add(driver.on);
  }
  for (const motion::SemanticSlider& slider : behaviour.sliders) {
    add(hash, slider.name);
    hash.add(slider.lower, slider.upper, slider.value, slider.rows.size());
    for (const motion::SliderRow& row : slider.rows) {
      add(hash, row.target);
      hash.add(row.amount, row.curve);
    }
  }
  add(hash, behaviour.springs);
  hash.add(behaviour.constraints.size());
  for (const motion::Constraint& constraint : behaviour.constraints) {
    add(hash, constraint.joint);
    add(hash, constraint.target);
    const Transform& offset = constraint.offset;
    hash.add(constraint.kind, constraint.on, constraint.weight, constraint.axis, constraint.axes[0], constraint.axes[1],
             constraint.axes[2], offset.translation, offset.rotation, offset.scale, constraint.height);
  }
  hash.add(behaviour.clip_layers.size());
  for (const motion::ClipLayer& layer : behaviour.clip_layers) {
    add(hash, layer.clip);
    hash.add(layer.on, layer.mode, layer.reference, layer.weight, layer.speed, layer.start, layer.offset, layer.length,
             layer.fade_in, layer.fade_out, layer.loops, layer.below, layer.joints.size());
    for (const std::string& joint : layer.joints) {
      add(hash, joint);
    }
  }
}

std::size_t behaviour_bytes(const motion::Behaviour& behaviour) {
  std::size_t bytes = sizeof(motion::Behaviour);
  for (const motion::Driver& driver : behaviour.drivers) {
    bytes += sizeof driver + driver.target.size() + driver.expression.size();
  }
  for (const motion::SemanticSlider& slider : behaviour.sliders) {
    bytes += sizeof slider + slider.name.size();
    for (const motion::SliderRow& row : slider.rows) {
      bytes += sizeof row + row.target.size();
    }
  }
  for (const motion::SpringChain& chain : behaviour.springs.chains) {
    bytes +=
        sizeof chain + chain.joints.size() * sizeof(motion::SpringJoint) + chain.colliders.size() * sizeof(std::string);
  }
  for (const motion::Constraint& constraint : behaviour.constraints) {
    bytes += sizeof constraint + constraint.joint.size() + constraint.target.size();
  }
  for (const motion::ClipLayer& layer : behaviour.clip_layers) {
    bytes += sizeof layer + layer.clip.size() + layer.joints.size() * sizeof(std::string);
  }
  return bytes + behaviour.springs.colliders.size() * sizeof(motion::SpringCollider);
}

void add(ContentHash& hash, const StoredPose& pose) {
  add(hash, pose.name);
  hash.add(pose.joints.size(), pose.shapes.size());
  for (const auto& [joint, local] : pose.joints) {
    hash.add(joint, local.translation, local.rotation, local.scale);
  }
  for (const auto& [shape, weight] : pose.shapes) {
    hash.add(shape, weight);
  }
  add(hash, pose.note);
  add(hash, *pose.picture);
}

// Of poses that the neighbour does not have, wherever it has them, and of pictures likewise.
std::size_t library_bytes(const PoseLibrary& library, const PoseLibrary& neighbour) {
  if (library.is(neighbour)) {
    return 0;
  }
  std::set<const void*> shared;
  for (const StoredPose& pose : neighbour) {
    shared.insert(&pose);
    shared.insert(&*pose.picture);
  }
  std::size_t bytes = library.size() * sizeof(Shared<StoredPose>);
  for (const StoredPose& pose : library) {
    if (!shared.contains(&pose)) {
      bytes += sizeof pose + pose.name.size() + pose.note.size() +
               pose.joints.size() * (sizeof(std::pair<const int, Transform>) + kMapNode) +
               pose.shapes.size() * (sizeof(std::pair<const int, float>) + kMapNode) +
               (shared.contains(&*pose.picture) ? 0 : pose.picture->size());
    }
  }
  return bytes;
}

std::size_t layer_bytes(const SharedArray<rig::Layer>& layers, const SharedArray<rig::Layer>& neighbour) {
  std::size_t bytes = 0;
  if (!layers.is(neighbour)) {
    for (const rig::Layer& layer : layers) {
      bytes += sizeof(rig::Layer) + layer.values.size() * sizeof(float) + layer.kept.size();
    }
  }
  return bytes;
}

}  // namespace

int pane_count(const Content& content) {
  return 1 + static_cast<int>(content.panes.size());
}

const deform::SkinningSettings& skinning_of(const Content& content, int pane) {
  PELT_EXPECT(pane >= 0 && pane < pane_count(content), "pane index out of range");
  return pane == 0 ? content.skinning : content.panes[static_cast<std::size_t>(pane) - 1];
}

namespace {

std::size_t volume_bytes(const Shared<bind::JointVolumes>& volumes, const Shared<bind::JointVolumes>& neighbour) {
  if (volumes.is(neighbour)) {
    return 0;
  }
  std::size_t bytes = sizeof(bind::JointVolumes);
  for (const bind::JointVolume& volume : volumes->of_joints) {
    const bool is_shared = std::ranges::any_of(
        neighbour->of_joints, [&](const bind::JointVolume& other) { return other.shape.is(volume.shape); });
    bytes += sizeof(bind::JointVolume) + (is_shared ? 0
                                                    : volume.shape->positions.size() * sizeof(glm::vec3) +
                                                          volume.shape->triangles.size() * 3 * sizeof(std::uint32_t));
  }
  return bytes;
}

}  // namespace

std::uint64_t content_hash(const Content& content) {
  ContentHash hash;
  hash.add(content.character != nullptr ? rig::content_hash(*content.character) : 0, content.base, content.clip,
           content.overrides->size(), content.morph_overrides->size(), content.euler_orders->size());
  for (const auto& [joint, value] : *content.overrides) {
    hash.add(joint, value.local.translation, value.local.rotation, value.local.scale, value.dof_values.size());
    hash.add_bytes(std::as_bytes(std::span(value.dof_values)));
  }
  for (const auto& [index, weight] : *content.morph_overrides) {
    hash.add(index, weight);
  }
  for (const auto& [joint, order] : *content.euler_orders) {
    hash.add(joint, order);
  }
  for (const motion::Pin& pin : content.pins) {
    hash.add(pin.joint, pin.chain.root, pin.chain.root_slides, pin.position, pin.rotation);
  }
  hash.add(pane_count(content));
  for (int pane = 0; pane < pane_count(content); ++pane) {
    add(hash, skinning_of(content, pane));
  }
  add(hash, content.pose_layers);
  add(hash, content.deformer_layers);
  add(hash, *content.behaviour);
  hash.add(content.selections->size());
  for (const auto& [name, selection] : *content.selections) {
    hash.add(name.size(), selection.joints.size(), selection.vertices.size());
    hash.add_bytes(std::as_bytes(std::span(name)));
    hash.add_bytes(std::as_bytes(std::span(selection.joints)));
    for (const NodeVertices& of_node : selection.vertices) {
      hash.add(of_node.mesh_node, of_node.primitive, of_node.vertices.size());
      hash.add_bytes(std::as_bytes(std::span(of_node.vertices)));
    }
  }
  hash.add(content.locked_joints.size());
  hash.add_bytes(std::as_bytes(std::span(content.locked_joints.get())));
  const bind::ContainmentNumbers& numbers = content.volumes->numbers;
  hash.add(numbers.kind, numbers.size, numbers.how.soft, numbers.how.range, numbers.how.passes,
           content.volumes->of_joints.size());
  for (const bind::JointVolume& volume : content.volumes->of_joints) {
    hash.add(volume.joint, volume.kind, volume.center, volume.rotation, volume.half, volume.head_radius,
             volume.tail_radius, volume.flipped, volume.shape->positions.size(), volume.shape->triangles.size());
    hash.add_bytes(std::as_bytes(std::span(volume.shape->name)));
    hash.add_bytes(std::as_bytes(std::span(volume.shape->positions)));
    hash.add_bytes(std::as_bytes(std::span(volume.shape->triangles)));
  }
  hash.add(content.library.size());
  for (const StoredPose& pose : content.library) {
    add(hash, pose);
  }
  hash.add(content.kept_poses.size());
  for (const KeptPose& kept : content.kept_poses) {
    add(hash, *kept.pose);
    hash.add(kept.places.size());
    for (const auto& [mesh, places] : kept.places) {
      hash.add(mesh, places.size());
      hash.add_bytes(std::as_bytes(std::span(places.get())));
    }
  }
  for (const KeptSection& section : content.kept) {
    hash.add_bytes(std::as_bytes(std::span(section.name)));
    hash.add_bytes(std::as_bytes(std::span(section.json)));
  }
  return hash.value();
}

std::size_t exclusive_bytes(const Content& content, const Content& neighbour) {
  std::size_t bytes = 0;
  if (content.character != neighbour.character && content.character != nullptr) {
    static const rig::Character kNobody;
    const rig::Character& other = neighbour.character != nullptr ? *neighbour.character : kNobody;
    bytes += sizeof(rig::Character) + rig::bytes_changed(other, *content.character);
  }
  bytes += map_bytes(content.overrides, neighbour.overrides) +
           map_bytes(content.morph_overrides, neighbour.morph_overrides) +
           map_bytes(content.euler_orders, neighbour.euler_orders);
  if (!content.overrides.is(neighbour.overrides)) {
    for (const auto& [joint, value] : *content.overrides) {
      bytes += value.dof_values.size() * sizeof(float);
    }
  }
  bytes += layer_bytes(content.pose_layers, neighbour.pose_layers) +
           layer_bytes(content.deformer_layers, neighbour.deformer_layers);
  if (!content.pins.is(neighbour.pins)) {
    bytes += content.pins.size() * sizeof(motion::Pin);
  }
  bytes += content.behaviour.is(neighbour.behaviour) ? 0 : behaviour_bytes(*content.behaviour);
  if (!content.panes.is(neighbour.panes)) {
    bytes += content.panes.size() * sizeof(deform::SkinningSettings);
  }
  if (!content.selections.is(neighbour.selections)) {
    for (const auto& [name, selection] : *content.selections) {
      bytes += sizeof(NamedSelection) + kMapNode + name.size() + selection.joints.size() * sizeof(int) +
               vertex_count(selection.vertices) * sizeof(std::uint32_t);
    }
  }
  bytes += content.locked_joints.is(neighbour.locked_joints) ? 0 : content.locked_joints.size() * sizeof(int);
  bytes += volume_bytes(content.volumes, neighbour.volumes);
  bytes += library_bytes(content.library, neighbour.library);
  bytes += exclusive_bytes(content.kept_poses, neighbour.kept_poses);
  for (std::size_t i = 0; i < content.kept.size() && !content.kept.is(neighbour.kept); ++i) {
    bytes += sizeof(KeptSection) + content.kept[i].name.size() + content.kept[i].json.size();
  }
  return bytes;
}

}  // namespace pelt::edit
