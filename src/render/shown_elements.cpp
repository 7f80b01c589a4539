#include "render/shown_elements.h"

#include "core/expect.h"
#include "deform/draw_batches.h"

namespace pelt::render {
namespace {

/// Adds what of [begin, end), elements of the layout, has no hidden corner.
/// @param buffer_vertex  [V] where a vertex of the primitive lies in the buffers; empty: where it lies in the primitive
void append(const Layout& layout, const mesh::Primitive& primitive, std::span<const char> hidden,
            std::span<const std::uint32_t> buffer_vertex, std::size_t begin, std::size_t end, ShownElements& out) {
  const std::vector<std::uint32_t>& indices = primitive.indices;
  const std::size_t corners = deform::corners_of(primitive.topology);
  for (std::size_t e = begin; e < end; ++e) {
    const std::uint32_t source = layout.elements.empty() ? static_cast<std::uint32_t>(e) : layout.elements[e];
    const std::span<const std::uint32_t> element = std::span(indices).subspan(corners * source, corners);
    char any = 0;
    for (const std::uint32_t v : element) {
      any |= hidden[v];
    }
    if (any != 0) {
      continue;
    }
    for (const std::uint32_t v : element) {
      out.indices.push_back(buffer_vertex.empty() ? v : buffer_vertex[v]);
    }
    out.elements.push_back(source);
  }
}

}  // namespace

ShownElements shown_elements(const Layout& layout, const mesh::Primitive& primitive, std::span<const char> hidden) {
  PELT_EXPECT(hidden.size() == primitive.vertex_count(), "one mark per vertex of the primitive");
  const std::size_t corners = deform::corners_of(primitive.topology);
  ShownElements out;
  out.indices.reserve(primitive.indices.size());
  out.elements.reserve(primitive.indices.size() / corners);
  // A batch has each of its vertices once, so what another batch left behind is never read.
  std::vector<std::uint32_t> buffer_vertex(layout.source.empty() ? 0 : primitive.vertex_count(), 0);
  for (const BatchRange& batch : layout.batches) {
    if (!layout.source.empty()) {
      for (int i = batch.first_vertex; i < batch.first_vertex + batch.vertex_count; ++i) {
        buffer_vertex[layout.source[i]] = static_cast<std::uint32_t>(i);
      }
    }
    const std::size_t first = out.indices.size();
    const std::size_t begin = batch.first_index / corners;
    append(layout, primitive, hidden, buffer_vertex, begin, begin + batch.index_count / corners, out);
    out.batches.push_back({first, static_cast<int>(out.indices.size() - first)});
  }
  return out;
}

}  // namespace pelt::render
