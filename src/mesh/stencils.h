#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "mesh/mesh.h"

namespace pelt::mesh {

/// New vertices as weighted sums of old ones, compressed rows. Rows of the functions here sum to 1, so an affine map of
/// the old points maps the new ones alike.
struct Stencils {
  std::vector<std::uint32_t> offset = {0};  ///< [R + 1]
  std::vector<std::uint32_t> source;        ///< old vertices
  std::vector<float> weight;

  [[nodiscard]] std::size_t row_count() const { return offset.size() - 1; }
  void add(std::uint32_t vertex, float factor) {
    source.push_back(vertex);
    weight.push_back(factor);
  }
  void end_row() { offset.push_back(static_cast<std::uint32_t>(source.size())); }
  /// Appends a row that repeats one old vertex.
  void copy(std::uint32_t vertex) {
    add(vertex, 1.0f);
    end_row();
  }
};

/// out[r] = sum of weight times points[source] over row r; a row of one source of weight 1 keeps its bits.
/// @param points  old points  @pre  every source < points.size()
std::vector<glm::vec3> apply(const Stencils& stencils, std::span<const glm::vec3> points);

/// Whether blend() sums a kept attribute: between two numbers of things lies no thing.
bool is_summed(const KeptAttribute& kept);

/// A primitive whose vertices are sums of the vertices of `source`. What moves a vertex (position, influences,
/// position deltas) follows `motion`; what lies on the surface (normals, tangents, texture coordinates, colours, normal
/// and tangent deltas) follows `surface`. Influence rows are summed joint by joint and normalised; normals and tangents
/// are made unit, their deltas divided by the same length; handedness is that of the row's first source. Of kept
/// attributes further sets of texture coordinates and colours are summed as they are stored, all others are those of
/// the row's heaviest source. A row of one source copies it bit for bit. Indices stay empty, material and topology are
/// those of `source`.
/// @pre  motion.row_count() == surface.row_count(), no row is empty
Primitive blend(const Primitive& source, const Stencils& motion, const Stencils& surface);

}  // namespace pelt::mesh
