#include "deform/skin_lbs.h"

#include "deform/vertex_frame.h"

namespace pelt::deform {

void skin_lbs(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  for (std::size_t v = begin; v < end; ++v) {
    const VertexRow row = row_of(input, v);
    write_vertex(input, output, v, blended_matrix(row), row);
  }
}

void skin_lbs_sum_of_points(const SkinInput& input, std::span<glm::vec3> out_positions, std::size_t begin,
                            std::size_t end) {
  for (std::size_t v = begin; v < end; ++v) {
    const VertexRow row = row_of(input, v);
    const glm::vec3 bind = input.positions[v];
    glm::vec3 sum(0.0f);
    for (std::uint32_t k = 0; k < row.count; ++k) {
      sum += transform_point(row.matrices[row.joint[k]], bind) * (row.weight[k] * row.sum);
    }
    out_positions[v] = sum;
  }
}

}  // namespace pelt::deform
