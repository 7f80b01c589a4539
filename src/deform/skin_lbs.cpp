#include "deform/skin_lbs.h"

#include <algorithm>

#include "deform/vertex_frame.h"

namespace pelt::deform {

void skin_lbs(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  for (std::size_t v = begin; v < end; ++v) {
    const VertexRow row = row_of(input, v);
    write_vertex(input, output, v, blended_matrix(row), row);
  }
}

void skin_lbs_sum_of_points(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  for (std::size_t v = begin; v < end; ++v) {
    const VertexRow row = row_of(input, v);
    const glm::vec3 bind = input.positions[v];
    glm::vec3 sum(0.0f);
    for (std::uint32_t k = 0; k < row.count; ++k) {
      sum += transform_point(row.matrices[row.joint[k]], bind) * (row.weight[k] * row.sum);
    }
    write_vertex(input, output, v, blended_matrix(row), row);
    output.positions[v] = sum;
  }
}

JointVertices make_joint_vertices(const mesh::Influences& influences, std::size_t joint_count) {
  JointVertices out;
  out.offset.assign(joint_count + 1, 0);
  influences.for_each_entry([&](std::uint16_t joint, float) { ++out.offset[joint + std::size_t{1}]; });
  for (std::size_t j = 0; j < joint_count; ++j) {
    out.offset[j + 1] += out.offset[j];
  }
  out.vertex.resize(influences.entry_count());
  out.weight.resize(influences.entry_count());
  std::vector<std::uint32_t> next(out.offset.begin(), out.offset.end() - 1);
  for (std::size_t v = 0; v < influences.vertex_count(); ++v) {
    const mesh::InfluenceRow row = influences.row(v);
    for (std::size_t k = 0; k < row.joints.size(); ++k) {
      const std::uint32_t at = next[row.joints[k]]++;
      out.vertex[at] = static_cast<std::uint32_t>(v);
      out.weight[at] = row.weights[k];
    }
  }
  return out;
}

void skin_lbs_bone_major(const SkinInput& input, const JointVertices& joints, std::span<glm::vec3> out_positions,
                         std::span<glm::vec3> out_normals) {
  std::ranges::fill(out_positions, glm::vec3(0.0f));
  std::ranges::fill(out_normals, glm::vec3(0.0f));
  for (std::size_t j = 0; j < input.skin_matrices.size(); ++j) {
    const glm::mat4& matrix = input.skin_matrices[j];
    const glm::mat3 linear(matrix);
    for (std::uint32_t at = joints.offset[j]; at < joints.offset[j + 1]; ++at) {
      const std::uint32_t v = joints.vertex[at];
      out_positions[v] += transform_point(matrix, input.positions[v]) * joints.weight[at];
      if (!out_normals.empty()) {
        out_normals[v] += linear * input.normals[v] * joints.weight[at];
      }
    }
  }
  for (std::size_t v = 0; v < out_positions.size(); ++v) {
    const VertexRow row = row_of(input, v);
    if (input.influences->count(v) == 0) {
      out_positions[v] = input.positions[v];
    }
    if (!out_normals.empty()) {
      const glm::mat4& heaviest = row.matrices[row.joint[0]];
      const VertexFrame frame = vertex_frame(heaviest, row);
      const glm::vec3 sum = input.influences->count(v) == 0 ? input.normals[v] : out_normals[v] * frame.inverse_size;
      out_normals[v] = finished_normal(frame, sum, input.normals[v]);
    }
  }
}

}  // namespace pelt::deform
