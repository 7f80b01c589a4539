#include "render/gpu_geometry.h"

#include <numeric>
#include <utility>

#include "core/expect.h"
#include "deform/skinning_methods.h"

namespace pelt::render {
namespace {

template <typename T>
std::int64_t make_static(Buffer& buffer, std::span<const T> values) {
  if (!buffer) {
    buffer = Buffer::make();
  }
  upload(buffer, values, GL_STATIC_DRAW);
  return static_cast<std::int64_t>(values.size_bytes());
}

/// Elements, and the influences of batches: what comes with another layout.
void take_layout(Geometry& g, const mesh::Primitive& primitive, const PlannedLayout& planned, StaticUpload& upload) {
  PELT_EXPECT(planned.bytes != nullptr, "a layout that is not in use comes with its bytes");
  const LayoutBytes& bytes = *planned.bytes;
  g.layout = planned.layout;
  g.index_bytes = make_static<std::uint32_t>(
      g.indices, bytes.indices.empty() ? std::span<const std::uint32_t>(primitive.indices) : bytes.indices);
  upload.bytes += g.index_bytes;
  if (!bytes.influences.indices.empty()) {
    g.influence_layout = bytes.influences;
    g.influence_layout.indices.clear();
    g.influence_layout.weights.clear();
    g.influence_bytes = make_static<std::uint8_t>(g.blend_indices, bytes.influences.indices) +
                        make_static<std::uint8_t>(g.blend_weights, bytes.influences.weights);
    upload.bytes += g.influence_bytes;
  }
}

/// Which vertex of the primitive each one is, for whoever looks up morph deltas.
void take_source(Geometry& g, StaticUpload& upload) {
  std::vector<std::uint32_t> source = g.layout->source;
  if (source.empty()) {
    source.resize(g.layout->vertex_count);
    std::iota(source.begin(), source.end(), 0u);
  }
  g.source_bytes = make_static<std::uint32_t>(g.source_vertex, source);
  upload.bytes += g.source_bytes;
}

void take_attributes(Geometry& g, const mesh::Primitive& primitive, bool in_place, std::int64_t& bytes) {
  g.positions.set(primitive.positions, *g.layout, in_place, bytes);
  g.normals.set(primitive.normals, *g.layout, in_place, bytes);
  g.tangents.set(primitive.tangents, *g.layout, in_place, bytes);
  g.texcoords[0].set(primitive.texcoords[0], *g.layout, in_place, bytes);
  g.texcoords[1].set(primitive.texcoords[1], *g.layout, in_place, bytes);
  g.colors.set(primitive.colors, *g.layout, in_place, bytes);
}

/// Which attributes there are.
unsigned attributes_of(const Geometry& g) {
  unsigned set = 0;
  for (const Buffer* buffer : {&g.positions.buffer(), &g.normals.buffer(), &g.tangents.buffer(),
                               &g.texcoords[0].buffer(), &g.texcoords[1].buffer(), &g.colors.buffer()}) {
    set = 2 * set + (*buffer ? 1 : 0);
  }
  return set;
}

/// The paint layout's influences. @returns whether another layout of attributes took the place of the last
bool paint(Geometry& g, const mesh::Primitive& primitive, const PartPlan& plan, const GeometryKey& key,
           const deform::SkinData& data, std::size_t joints, StaticUpload& upload, GeometryChange& change) {
  const PaintRows::Content content = {primitive.influences, data.influences.shared(key.primitive),
                                      key.weights_as_stored};
  if (!g.paint.empty() && plan.influences <= g.paint.slots() && g.paint.joint_count() == joints &&
      g.paint.content().rows->vertex_count() == content.rows->vertex_count()) {
    change.other_joints = g.paint.follow(content, upload.rows);
    return false;
  }
  g.paint.set(content, mesh::packed_layout(key.weight_format, paint_slots(plan.influences, key.weight_format), joints),
              joints, upload.rows);
  g.influence_bytes = g.paint.bytes();
  change.other_joints = true;
  return true;
}

/// What the method prepared, of which rows take the place of influences.
Status take_prepared(Geometry& g, const deform::SkinningMethod& method, int mesh, int primitive,
                     const deform::SkinData& data, const DeviceLimits& limits, StaticUpload& upload) {
  const deform::Prepared& own = data.prepared[primitive];
  if (method.vec4s_per_row > 0) {
    if (std::cmp_greater(own.row_data.size(), limits.texture_buffer_texels)) {
      return error("{} needs {} texels for mesh {}, a buffer texture of this device holds {}: use the CPU backend",
                   method.label, own.row_data.size(), mesh, limits.texture_buffer_texels);
    }
    g.rows = std::make_unique<GpuRows>(make_rows(own, *g.layout));
    g.influence_bytes = g.rows->bytes;
    upload.bytes += g.rows->bytes;
  }
  if (method.vec4s_per_vertex > 0) {
    const std::size_t stride = method.vec4s_per_vertex;
    std::vector<glm::vec4> rows;
    rows.reserve(stride * g.layout->vertex_count);
    for (std::size_t i = 0; i < g.layout->vertex_count; ++i) {
      const auto row = own.per_vertex.begin() + static_cast<std::ptrdiff_t>(g.layout->source_of(i) * stride);
      rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(stride));
    }
    g.prepared_bytes = make_static<glm::vec4>(g.prepared, rows);
    upload.bytes += g.prepared_bytes;
  }
  return {};
}

}  // namespace

std::int64_t Geometry::bytes() const {
  return positions.bytes() + normals.bytes() + tangents.bytes() + texcoords[0].bytes() + texcoords[1].bytes() +
         colors.bytes() + index_bytes + source_bytes + prepared_bytes + influence_bytes;
}

int Geometry::influence_slots() const {
  const mesh::PackedInfluences& packed = paint.empty() ? influence_layout : paint.layout();
  return packed.stored_weights < packed.slots ? -packed.slots : packed.slots;
}

Result<GeometryChange> follow(Geometry& g, const rig::Character& character, const rig::Part& part, const PartPlan& plan,
                              const GeometryKey& key, const PlannedLayout& planned,
                              std::shared_ptr<const deform::SkinData> data, const DeviceLimits& limits,
                              StaticUpload& upload) {
  const mesh::Primitive& primitive = character.primitive(part);
  GeometryChange change;
  // Batches made of other weights may well have the vertices of before.
  const bool same_layout = g.layout == planned.layout;
  const bool same_order =
      g.layout != nullptr && (same_layout || (g.layout->vertex_count == planned.layout->vertex_count &&
                                              g.layout->source == planned.layout->source));
  const unsigned attributes = attributes_of(g);
  if (!same_layout) {
    take_layout(g, primitive, planned, upload);
    change.arrays = true;
  }
  if (!primitive.morph_targets.empty() && (!same_order || !g.source_vertex)) {
    take_source(g, upload);
    change.arrays = true;
  }
  take_attributes(g, primitive, same_order, upload.bytes);
  change.arrays = change.arrays || attributes != attributes_of(g);
  if (data == nullptr) {
    return change;
  }
  const deform::SkinningMethod& method = deform::skinning_methods()[plan.variant.method];
  if (plan.variant.palette_texture) {
    change.arrays |= paint(g, primitive, plan, key, *data, character.skins[part.skin].joints.size(), upload, change);
  }
  if (method.prepare != nullptr && (g.data != data || !same_layout)) {
    PELT_TRY(take_prepared(g, method, part.mesh, part.primitive, *data, limits, upload));
    g.data = std::move(data);
    change.arrays = true;
  }
  return change;
}

}  // namespace pelt::render
