#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <glm/glm.hpp>

#include "deform/skinning_methods.h"
#include "deform/vertex_frame.h"
#include "math/dual_quaternion.h"

// What the methods that blend rotations share: a palette of dual quaternions and stretches, read back as the shaders
// read it (shaders/skinning/dual_quaternion.glsl mirrors this file line by line), and the blends of one vertex's row.
// Each method ends in one affine matrix per vertex, which places point, normal (variant d) and tangent.

namespace pelt::deform {

inline constexpr std::size_t kDualQuatVec4s = 5;  ///< of one joint in the palette

/// Takes a skin matrix M = G K apart, algorithms.md §22: K stretches about the joint's pivot, the rigid G follows.
/// A joint that mirrors has a stretch that mirrors through the pivot (see polar()). Of q and -q, the one whose first
/// component of w, x, y, z that is not zero is positive.
/// @param out  G as a dual quaternion (two), the rows of K (three)
void pack_dual_quat(const glm::mat4& skin_matrix, const glm::vec3& pivot, std::span<glm::vec4> out);

/// The influences of one vertex, heaviest first; count >= 1. Nothing is owned.
struct DualQuatRow {
  const glm::vec4* palette;
  const std::uint16_t* joint;
  const float* weight;
  std::uint32_t count;
  float sum;          ///< see VertexRow
  bool antipodality;  ///< turn every dual quaternion to the heaviest one's side

  [[nodiscard]] float weight_of(std::uint32_t k) const { return weight[k] * sum; }
  [[nodiscard]] DualQuat<float> rigid(std::uint32_t k) const {
    const glm::vec4* p = palette + joint[k] * kDualQuatVec4s;
    return {p[0], p[1]};
  }
  [[nodiscard]] glm::mat4x3 stretch(std::uint32_t k) const {
    const glm::vec4* p = palette + joint[k] * kDualQuatVec4s;
    return glm::transpose(glm::mat3x4(p[2], p[3], p[4]));
  }
  [[nodiscard]] float side(std::uint32_t k) const {
    return antipodality ? side_of(palette[joint[0] * kDualQuatVec4s], palette[joint[k] * kDualQuatVec4s]) : 1.0f;
  }
};

/// @pre  vertex v has influences
inline DualQuatRow dual_quat_row(const SkinInput& input, std::size_t v) {
  const mesh::Influences& influences = *input.influences;
  const std::uint32_t begin = influences.offset[v];
  return {input.palette.data(),
          influences.joint.data() + begin,
          influences.weight.data() + begin,
          influences.offset[v + 1] - begin,
          input.weights_as_stored ? influences.stored_sum[v] : 1.0f,
          input.parameters.antipodality};
}

/// The rigid motion after the stretch, as one matrix.
inline glm::mat4 rigid_after(const DualQuat<float>& rigid, const glm::mat4x3& stretch) {
  const glm::mat3 rotation = rotation_matrix(rigid.real);
  return {glm::vec4(rotation * stretch[0], 0.0f), glm::vec4(rotation * stretch[1], 0.0f),
          glm::vec4(rotation * stretch[2], 0.0f), glm::vec4(rotation * stretch[3] + translation_of(rigid), 1.0f)};
}

/// M of influence k.
inline glm::mat4 joint_matrix(const DualQuatRow& row, std::uint32_t k) {
  return rigid_after(row.rigid(k), row.stretch(k));
}

/// sum w M, as linear blending has it.
inline glm::mat4 linear_blend(const DualQuatRow& row) {
  glm::mat4 blended = joint_matrix(row, 0) * row.weight_of(0);
  for (std::uint32_t k = 1; k < row.count; ++k) {
    blended += joint_matrix(row, k) * row.weight_of(k);
  }
  return blended;
}

/// sum w K, the first phase.
inline glm::mat4x3 blended_stretch(const DualQuatRow& row) {
  glm::mat4x3 blended = row.stretch(0) * row.weight_of(0);
  for (std::uint32_t k = 1; k < row.count; ++k) {
    blended += row.stretch(k) * row.weight_of(k);
  }
  return blended;
}

/// Dual quaternion linear blending of the rigid motions. @returns false where they cancelled out
inline bool blended_rigid(const DualQuatRow& row, DualQuat<float>& out) {
  out = {glm::vec4(0.0f), glm::vec4(0.0f)};
  for (std::uint32_t k = 0; k < row.count; ++k) {
    add_weighted(out, row.rigid(k), row.weight_of(k) * row.side(k));
  }
  return normalize(out);
}

/// Both phases; linear where the rotations cancelled out.
inline glm::mat4 dual_quat_blend(const DualQuatRow& row) {
  DualQuat<float> rigid;
  return blended_rigid(row, rigid) ? rigid_after(rigid, blended_stretch(row)) : linear_blend(row);
}

/// Skins vertices [begin, end) by the matrix that `matrix_of(row, v)` makes of each vertex that has influences.
template <typename MatrixOf>
void skin_dual_quat_rows(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end,
                         const MatrixOf& matrix_of) {
  static constexpr std::uint16_t kFirst = 0;
  static constexpr float kWhole = 1.0f;
  for (std::size_t v = begin; v < end; ++v) {
    glm::mat4 blended(1.0f);
    glm::mat4 heaviest(1.0f);
    if (input.influences->count(v) > 0) {
      const DualQuatRow row = dual_quat_row(input, v);
      heaviest = joint_matrix(row, 0);
      blended = matrix_of(row, v);
    }
    write_vertex(input, output, v, blended, {&heaviest, &kFirst, &kWhole, 1, 1.0f});
  }
}

}  // namespace pelt::deform
