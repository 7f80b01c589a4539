#include "edit/behaviour_readings.h"

#include <algorithm>

#include "edit/motion_cache.h"
#include "edit/pose_sources.h"
#include "motion/held_drivers.h"
#include "motion/pose_layers.h"

namespace pelt::edit {
namespace {

// Of the layer of that kind, as layered_pose() gives them to it.
motion::PoseSources sources_of_layer(const Document& document, const MotionCache::Prepared& prepared,
                                     std::string_view kind) {
  motion::PoseSources sources = pose_sources(document, prepared);
  const SharedArray<rig::Layer>& layers = document.content.pose_layers;
  sources.layers_before = {layers.begin(), std::ranges::find(layers, kind, &rig::Layer::kind)};
  return sources;
}

}  // namespace

std::vector<DriverState> driver_states(const Document& document) {
  const std::vector<motion::Driver>& drivers = document.content.behaviour->drivers;
  std::vector<DriverState> out(drivers.size());
  if (drivers.empty()) {
    return out;
  }
  const MotionCache::Prepared prepared = document.motion->prepared(document.content, *document.character);
  const motion::DriverRig& rig = *prepared.drivers;
  for (std::size_t d = 0; d < drivers.size(); ++d) {
    out[d].fault = rig.faults[d];
  }
  const motion::PoseSources sources = sources_of_layer(document, prepared, "drivers");
  rig::Pose pose = motion::layered_pose(sources.layers_before, sources);
  rig::PoseBuilder builder(document.character->skeleton, pose);
  std::vector<double> held;  // found when the first driver has no value
  // One row after the other, so that each reads what those before it wrote.
  for (std::size_t r = 0; r < rig.rows.size(); ++r) {
    const motion::DriverReading reading = motion::read_driver(rig.rows[r], sources, builder);
    DriverState& state = out[static_cast<std::size_t>(rig.rows[r].driver)];
    state.value = reading.value;
    state.inputs = reading.inputs;
    const motion::DriverRig one{.rows = {rig.rows[r]}, .faults = {}};
    motion::apply_driver_rig(
        one, sources,
        [&](std::size_t) {
          held = held.empty() ? motion::held_before_playhead(sources) : held;
          return held[r];
        },
        builder);
  }
  return out;
}

std::vector<std::string> held_back(const Document& document) {
  if (document.content.behaviour->sliders.empty()) {
    return {};
  }
  const MotionCache::Prepared prepared = document.motion->prepared(document.content, *document.character);
  const motion::PoseSources sources = sources_of_layer(document, prepared, "sliders");
  rig::Pose pose = motion::layered_pose(sources.layers_before, sources);
  rig::PoseBuilder builder(document.character->skeleton, pose);
  return motion::apply_sliders(*prepared.sliders, sources, builder);
}

}  // namespace pelt::edit
