#include "edit/motion_cache.h"

#include <algorithm>

namespace pelt::edit {
namespace {

constexpr std::size_t kMostEntries = 4;

}  // namespace

bool MotionCache::same_rigs(const Key& a, const Key& b) {
  return a.skeleton.is(b.skeleton) && a.mesh_nodes.is(b.mesh_nodes) && a.morph_offset.is(b.morph_offset) &&
         a.meshes.is(b.meshes) && a.behaviour.is(b.behaviour);
}

bool MotionCache::same(const Key& a, const Key& b) {
  return same_rigs(a, b) && a.clips.is(b.clips) && a.constraints.is(b.constraints) && a.base == b.base &&
         a.clip == b.clip && a.overrides.is(b.overrides) && a.morph_overrides.is(b.morph_overrides) &&
         a.pins.is(b.pins) && a.euler_orders.is(b.euler_orders) && a.pose_layers.is(b.pose_layers);
}

MotionCache::Prepared MotionCache::prepared(const Content& content, const rig::Character& shown) {
  const motion::Behaviour& behaviour = content.behaviour;
  if (behaviour == motion::Behaviour()) {
    return {};
  }
  Key key{shown.skeleton,          shown.mesh_nodes,  shown.morph_offset,   shown.meshes,       shown.clips,
          shown.constraints,       content.behaviour, content.base,         content.clip,       content.overrides,
          content.morph_overrides, content.pins,      content.euler_orders, content.pose_layers};
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) { return same(entry.key, key); });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
    return known->prepared;
  }
  const auto alike = std::ranges::find_if(entries_, [&](const Entry& entry) { return same_rigs(entry.key, key); });
  Prepared out =
      alike != entries_.end()
          ? alike->prepared
          : Prepared{std::make_shared<const motion::SliderRig>(make_slider_rig(shown, behaviour.sliders)),
                     std::make_shared<const motion::DriverRig>(make_driver_rig(shown, behaviour.drivers)),
                     std::make_shared<const motion::SpringRig>(make_spring_rig(shown, behaviour.springs)),
                     std::make_shared<const motion::ConstraintRig>(make_constraint_rig(shown, behaviour.constraints)),
                     nullptr,
                     nullptr};
  // Other keys are other references and parts that move.
  if (alike == entries_.end() || !alike->key.clips.is(key.clips)) {
    out.clip_layers = std::make_shared<const motion::ClipLayerRig>(make_clip_layer_rig(shown, behaviour.clip_layers));
  }
  out.memory = std::make_shared<motion::MotionMemory>();
  entries_.push_front({std::move(key), out});
  if (entries_.size() > kMostEntries) {
    entries_.pop_back();
  }
  return out;
}

}  // namespace pelt::edit
