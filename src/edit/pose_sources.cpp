#include "edit/pose_sources.h"

namespace pelt::edit {

motion::PoseSources pose_sources(const Document& document) {
  const Content& content = document.content;
  return {.character = *document.character,
          .base = content.base,
          .clip = content.clip,
          .time = document.view.time,
          .overrides = *content.overrides,
          .morph_overrides = *content.morph_overrides,
          .pins = content.pins,
          .euler_orders = &*content.euler_orders};
}

motion::PoseSources pose_sources(const Document& document, const MotionCache::Prepared& prepared) {
  motion::PoseSources sources = pose_sources(document);
  sources.sliders = prepared.sliders.get();
  sources.drivers = prepared.drivers.get();
  sources.springs = prepared.springs.get();
  sources.constraints = prepared.constraints.get();
  sources.clip_layers = prepared.clip_layers.get();
  sources.memory = prepared.memory.get();
  return sources;
}

}  // namespace pelt::edit
