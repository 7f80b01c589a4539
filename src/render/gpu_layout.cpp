#include "render/gpu_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "deform/draw_batches.h"
#include "deform/skinning_methods.h"

namespace pelt::render {
namespace {

GeometryKey key_of(const rig::Part& part, const PartPlan& plan, const deform::SkinningSettings& settings, bool paint) {
  GeometryKey key{.mesh = part.mesh, .primitive = part.primitive};
  if (plan.path != VertexPath::kSkinned) {
    return key;
  }
  key.skinned = true;
  key.paint = paint;
  key.palette_cap = plan.palette_cap;
  key.partition = plan.partition;
  key.influence_limit = settings.influence_limit;
  key.prune_threshold = settings.prune_threshold;
  key.weight_format = settings.weight_format;
  key.weights_as_stored = settings.weights_as_stored;
  const deform::SkinningMethod& method = deform::skinning_methods()[settings.method];
  if (method.prepare != nullptr) {
    key.method = settings.method;
    key.parameters = deform::preparing_parameters(method, settings.parameters);
  }
  return key;
}

/// The rows of the vertices of skinned batches, which come first in the buffers, in which joints are slots of the
/// batch's palette.
mesh::Influences rows_by_slot(const Layout& layout, const mesh::Influences& influences, bool as_stored) {
  mesh::Influences rows;
  std::vector<std::uint16_t> slot_of;
  std::vector<std::uint16_t> joints;
  std::vector<float> weights;
  for (const BatchRange& batch : layout.batches) {
    if (batch.rigid) {
      continue;
    }
    slot_of.assign(batch.palette.empty() ? 0 : *std::ranges::max_element(batch.palette) + std::size_t{1}, 0);
    for (std::size_t slot = 0; slot < batch.palette.size(); ++slot) {
      slot_of[batch.palette[slot]] = static_cast<std::uint16_t>(slot);
    }
    for (std::size_t i = batch.first_vertex; std::cmp_less(i, batch.first_vertex + batch.vertex_count); ++i) {
      const mesh::InfluenceRow row = influences.row(layout.source[i]);
      const float scale = as_stored ? row.stored_sum : 1.0f;
      joints.clear();
      weights.clear();
      for (std::size_t k = 0; k < row.joints.size(); ++k) {
        joints.push_back(slot_of[row.joints[k]]);
        weights.push_back(row.weights[k] * scale);
      }
      rows.push_row({joints, weights, row.stored_sum});
    }
  }
  return rows;
}

/// Attributes as short as the format and the longest row allow; unused slots are 0 and 0.
mesh::PackedInfluences packed_rows(const Layout& layout, const mesh::Influences& influences,
                                   const GeometryKey& settings) {
  std::size_t largest_palette = 0;
  for (const BatchRange& batch : layout.batches) {
    largest_palette = std::max(largest_palette, batch.palette.size());
  }
  return mesh::pack_influences(rows_by_slot(layout, influences, settings.weights_as_stored), settings.weight_format,
                               largest_palette);
}

/// Palette batches with vertices of their own.
Result<PlannedLayout> batched(const mesh::Primitive& primitive, const mesh::Influences& influences,
                              const GeometryKey& key) {
  PELT_TRY_TO(auto batches, deform::make_draw_batches(primitive, influences, key.palette_cap, key.partition));
  auto layout = std::make_shared<Layout>();
  auto bytes = std::make_shared<LayoutBytes>();
  for (deform::DrawBatch& batch : batches) {
    const std::size_t first_vertex = layout->source.size();
    layout->batches.push_back({std::move(batch.palette), static_cast<int>(first_vertex),
                               static_cast<int>(batch.vertices.size()), bytes->indices.size(),
                               static_cast<int>(batch.indices.size()), batch.rigid});
    layout->has_rigid = layout->has_rigid || batch.rigid;
    layout->drawn_batches += batch.indices.empty() ? 0 : 1;
    layout->source.insert(layout->source.end(), batch.vertices.begin(), batch.vertices.end());
    layout->elements.insert(layout->elements.end(), batch.elements.begin(), batch.elements.end());
    for (const std::uint32_t index : batch.indices) {
      bytes->indices.push_back(static_cast<std::uint32_t>(first_vertex) + index);
    }
  }
  layout->made_of_influences = primitive.influences;
  layout->vertex_count = layout->source.size();
  bytes->influences = packed_rows(*layout, influences, key);
  return PlannedLayout{std::move(layout), std::move(bytes)};
}

/// One batch of all vertices as they are.
PlannedLayout in_order(const mesh::Primitive& primitive, std::size_t joints) {
  auto layout = std::make_shared<Layout>();
  std::vector<std::uint16_t> palette(joints);
  std::iota(palette.begin(), palette.end(), std::uint16_t{0});
  layout->vertex_count = primitive.vertex_count();
  layout->batches.push_back({std::move(palette), 0, static_cast<int>(primitive.vertex_count()), 0,
                             static_cast<int>(primitive.indices.size()), false});
  layout->drawn_batches = 1;
  return {std::move(layout), std::make_shared<LayoutBytes>()};
}

Shared<mesh::Influences> influences_of(const rig::Character& character, const rig::Part& part,
                                       const deform::SkinningSettings& settings, deform::SkinCache* cache) {
  return cache != nullptr ? cache->get(character, part.mesh, settings)->influences.shared(part.primitive)
                          : deform::effective_influences(character.primitive(part), settings);
}

}  // namespace

Result<std::shared_ptr<const CharacterPlan>> plan_character(const rig::Character& character,
                                                            const deform::SkinningSettings& settings, bool paint,
                                                            const DeviceLimits& limits, deform::SkinCache* cache,
                                                            const KnownLayouts& known) {
  auto plan = std::make_shared<CharacterPlan>();
  plan->of = SurfaceParts(character);
  plan->skinning = settings;
  plan->paint = paint;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const rig::Part& part = character.parts[p];
    const mesh::Primitive& primitive = character.primitive(part);
    plan->parts.push_back(plan_part(character, static_cast<int>(p), settings, limits, paint));
    const PartPlan& of_part = plan->parts.back();
    const GeometryKey& key = plan->keys.emplace_back(key_of(part, of_part, settings, paint));
    if (plan->layouts.contains(key)) {
      continue;
    }
    const bool batches = of_part.variant.palette_joints > 0;
    const std::size_t joints = key.skinned ? character.skins[part.skin].joints.size() : 0;
    if (const auto found = known.find(key); found != known.end()) {
      const Layout& layout = *found->second;
      if (layout.made_of_indices.is(primitive.indices) &&
          (batches
               ? layout.made_of_influences.is(primitive.influences)
               : layout.vertex_count == primitive.vertex_count() && layout.batches.front().palette.size() == joints)) {
        plan->layouts.emplace(key, PlannedLayout{found->second, nullptr});
        continue;
      }
    }
    PELT_TRY_TO(PlannedLayout made, batches ? batched(primitive, *influences_of(character, part, settings, cache), key)
                                            : Result<PlannedLayout>(in_order(primitive, joints)));
    std::const_pointer_cast<Layout>(made.layout)->made_of_indices = primitive.indices;
    plan->layouts.emplace(key, std::move(made));
  }
  return std::shared_ptr<const CharacterPlan>(std::move(plan));
}

}  // namespace pelt::render
