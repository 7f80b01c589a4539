#include "rig/layers.h"

#include <algorithm>

#include "core/expect.h"

namespace pelt::rig {

Layer standard_layer(const LayerKind& kind) {
  Layer layer{.kind = std::string(kind.id), .on = kind.starts_on, .values = {}};
  for (const LayerField& field : kind.fields) {
    layer.values.push_back(field.standard);
  }
  return layer;
}

float value_of(const LayerKind& kind, const Layer& layer, std::string_view field) {
  const auto found = std::ranges::find(kind.fields, field, &LayerField::id);
  PELT_EXPECT(found != kind.fields.end() && layer.values.size() == kind.fields.size(), "a layer with that field");
  return layer.values[found - kind.fields.begin()];
}

float share_of(const LayerKind& kind, const Layer& layer) {
  if (!kind.optional) {
    return 1;
  }
  if (!layer.on) {
    return 0;
  }
  const bool has_weight = std::ranges::find(kind.fields, kWeightField.id, &LayerField::id) != kind.fields.end();
  return has_weight ? value_of(kind, layer, kWeightField.id) : 1;
}

}  // namespace pelt::rig
