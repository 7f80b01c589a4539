#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// The triangle primitives of a mesh as one surface, so that borders between materials are seams and no gaps.
/// Attributes that some primitives lack are filled with zeros (influences with empty rows); separate() drops them
/// again. Of kept attributes `whole` has those that blend() sums, as long as all fit into 64 MiB and are
/// no more than 1024; all others separate()
/// takes from the source's vertex of the greatest weight, whose number `whole` keeps instead.
struct JoinedMesh {
  Primitive whole;
  std::vector<std::uint32_t> first_vertex = {0};  ///< [P + 1] where primitive p's vertices begin; none of points, lines
  std::vector<std::uint32_t> triangle_primitive;  ///< [T]

  struct Place {
    std::uint32_t primitive = 0, vertex = 0;
    bool operator==(const Place&) const = default;
  };
  /// The source's numbers of a vertex of `whole`.
  [[nodiscard]] Place place(std::uint32_t vertex) const;
};

JoinedMesh join(const Mesh& mesh);

/// The way back: primitives, names and materials of `source`, triangles and vertices of `whole`, in its order; vertices
/// that no triangle uses are left out. Primitives of points and lines stay as they are.
/// @param triangle_primitive  one per triangle of `whole`: the primitive of `source` it belongs to
/// @pre  every triangle primitive of `source` that has triangles keeps at least one; `whole` was made from join(source)
Mesh separate(const Mesh& source, const Primitive& whole, std::span<const std::uint32_t> triangle_primitive);

}  // namespace pelt::mesh
