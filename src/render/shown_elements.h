#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"
#include "render/gpu_layout.h"

namespace pelt::render {

/// Where elements lie in an index buffer.
struct ElementRange {
  std::size_t first_index = 0;
  int index_count = 0;
  bool operator==(const ElementRange&) const = default;
};

/// What of a layout's elements is drawn while vertices are hidden.
struct ShownElements {
  std::vector<std::uint32_t> indices;   ///< buffer vertices, in the order of the layout
  std::vector<ElementRange> batches;    ///< [batches of the layout]
  std::vector<std::uint32_t> elements;  ///< shown element -> element of the primitive
};

/// The elements without a hidden corner. Vertices, palettes and batches stay what they are, so that hiding costs one
/// index buffer. Pure.
/// @param hidden  [V] of the primitive, 1: hidden
/// @pre  the layout is of this primitive
/// @cost O(V + T), one pass
ShownElements shown_elements(const Layout& layout, const mesh::Primitive& primitive, std::span<const char> hidden);

}  // namespace pelt::render
