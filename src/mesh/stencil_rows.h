#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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
  bool operator==(const Stencils&) const = default;
};

}  // namespace pelt::mesh
