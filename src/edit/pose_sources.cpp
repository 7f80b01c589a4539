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

}  // namespace pelt::edit
