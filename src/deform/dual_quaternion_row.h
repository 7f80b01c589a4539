#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <glm/glm.hpp>

#include "deform/common_stretch.h"
#include "deform/skinning_methods.h"
#include "deform/vertex_frame.h"
#include "math/dual_quaternion.h"

// What the methods that blend rotations share: a palette of dual quaternions and stretches, read back as the shaders
// read it (shaders/skinning/dual_quaternion.glsl mirrors this file line by line), and the blends of one vertex's row.
// Each method ends in one affine matrix per vertex, which places point, normal (variant d) and tangent.
//
// The steps of vertex_frame.h go on here. A joint's palette entry is q, e and the rows of K as pack_dual_quats() makes
// them, in double precision; both backends start from the rounded entry.
//
//  7. M_k = (q_k, e_k) after K_k, with (q, e) after K = [R(q) K | + t(q, e)] and t(q, e) = 2 (q.w e.xyz - e.w q.xyz +
//     q.xyz × e.xyz). The shaders put M_k together so. The CPU takes the skin matrix itself, which saves `cor` and
//     `lbs-dqs` time and differs by rounding; for R and K it reads the packed entry as the shaders do, so that both
//     decide antipodality on the same bits.
//  8. side_k = dot(q_0, q_k) < -1e-6 ? -1 : 1, or 1 where antipodality is off; b = Σ (q_k, e_k) w_k side_k; c = b (1 /
//     sqrt(|b.q|²)) where |b.q|² > 1e-12, else the rotations have cancelled out.
//  9. `dqs`: B = c after Σ K_k w_k; Σ M_k w_k where b.q cancelled out, which only happens without antipodality.
//     `lbs-dqs`: B = Σ M_k w_k (1 - share) + (dqs) share. `dqs-exact`: c is refined, see skin_dqs_exact.cpp.
// 10. Point by step 3, normal and tangent by steps 4 to 6 with the A_0 of M_0. With rigid joints variants a and d are
//     one. b and c have no meaning here: a joint's own normal is nowhere blended.
//
// Rotations half a turn apart count as being on one side; the sign rule of pack_dual_quats() decides which way they are
// blended, not rounding. Between a joint that mirrors and one that does not the stretch passes through zero, so the
// skin collapses there as under linear blending. With weights as stored, the sum scales the stretched bind shape and
// not the translation.

namespace pelt::deform {

inline constexpr std::size_t kDualQuatVec4s = 5;  ///< of one joint in the palette

/// Takes each skin matrix M = G K apart, ALGORITHMS.md §22: K stretches, the rigid G follows. Where K puts a joint's
/// pivot says stretched_pivots(), so that joints which stretch alike have one K. A joint that mirrors has a stretch
/// that mirrors (see polar()). Of q and -q, the one whose first component of w, x, y, z that is not zero is positive.
/// Joints that no vertex follows get the identity.
/// @param out  [5 J] of each joint G as a dual quaternion (two), the rows of K (three)
void pack_dual_quats(const SkinBinding& binding, std::span<const glm::mat4> skin_matrices, std::span<glm::vec4> out);

/// One vertex's influences and their share of the palette. Nothing is owned.
struct DualQuatRow {
  VertexRow joints;  ///< with the skin matrices that the palette was packed from
  const glm::vec4* palette;
  bool antipodality;  ///< turn every dual quaternion to the heaviest one's side

  [[nodiscard]] float weight_of(std::uint32_t k) const { return joints.weight[k] * joints.sum; }
  [[nodiscard]] const glm::vec4* entry(std::uint32_t k) const { return palette + joints.joint[k] * kDualQuatVec4s; }
  [[nodiscard]] DualQuat<float> rigid(std::uint32_t k) const { return {entry(k)[0], entry(k)[1]}; }
  /// K, by rows.
  [[nodiscard]] glm::mat3x4 stretch(std::uint32_t k) const { return {entry(k)[2], entry(k)[3], entry(k)[4]}; }
  [[nodiscard]] float side(const glm::vec4& real) const { return antipodality ? side_of(entry(0)[0], real) : 1.0f; }
};

/// The rigid motion after the stretch, as one matrix.
inline glm::mat4 rigid_after(const DualQuat<float>& rigid, const glm::mat4x3& stretch) {
  const glm::mat3 rotation = rotation_matrix(rigid.real);
  return {glm::vec4(rotation * stretch[0], 0.0f), glm::vec4(rotation * stretch[1], 0.0f),
          glm::vec4(rotation * stretch[2], 0.0f), glm::vec4(rotation * stretch[3] + translation_of(rigid), 1.0f)};
}

/// sum w M. The matrices themselves are at hand here, so they are not put together again from the palette.
inline glm::mat4 linear_blend(const DualQuatRow& row) {
  return blended_matrix(row.joints);
}

/// sum w K, the first phase.
inline glm::mat4x3 blended_stretch(const DualQuatRow& row) {
  glm::mat3x4 blended = row.stretch(0) * row.weight_of(0);
  for (std::uint32_t k = 1; k < row.joints.count; ++k) {
    blended += row.stretch(k) * row.weight_of(k);
  }
  return glm::transpose(blended);
}

/// sum w q of the rigid motions, each on the heaviest one's side.
inline DualQuat<float> summed_rigid(const DualQuatRow& row) {
  DualQuat<float> sum = {glm::vec4(0.0f), glm::vec4(0.0f)};
  for (std::uint32_t k = 0; k < row.joints.count; ++k) {
    const DualQuat<float> q = row.rigid(k);
    add_weighted(sum, q, row.weight_of(k) * row.side(q.real));
  }
  return sum;
}

/// Dual quaternion linear blending of the rigid motions. @returns false where they cancelled out
inline bool blended_rigid(const DualQuatRow& row, DualQuat<float>& out) {
  out = summed_rigid(row);
  return normalize(out);
}

/// Both phases; linear where the rotations cancelled out.
inline glm::mat4 dual_quat_blend(const DualQuatRow& row) {
  DualQuat<float> rigid;
  return blended_rigid(row, rigid) ? rigid_after(rigid, blended_stretch(row)) : linear_blend(row);
}

/// The derivative of where dual_quat_blend() takes a point by the weight of a joint, see write_exact_vertex(). With p =
/// sum w K v, b = sum w q and c = b / |b.real|, v' = R(c) p + t(c).
inline auto dual_quat_change(const DualQuatRow& row, const glm::vec3& point) {
  DualQuat<float> c = summed_rigid(row);
  const float length = glm::length(c.real);
  const bool turned = normalize(c);
  const glm::mat3 rotation = rotation_matrix(c.real);
  const glm::vec3 stretched = blended_stretch(row) * glm::vec4(point, 1.0f);
  const glm::vec3 image = rotation * stretched + translation_of(c);
  return [=](std::uint16_t joint) {
    if (!turned) {
      return transform_point(row.joints.matrices[joint], point);
    }
    const glm::vec4* entry = row.palette + joint * kDualQuatVec4s;
    const float share = row.side(entry[0]) / length;
    const glm::vec4 real = entry[0] * share;
    const glm::vec4 dual = entry[1] * share;
    // v' |b.real|^2 = b.real p b.real* + 2 vec(b.dual b.real*), by the product rule.
    const glm::vec4 turn = quat_product(quat_product(real, glm::vec4(stretched, 0.0f)) + dual, quat_conjugate(c.real)) +
                           quat_product(c.dual, quat_conjugate(real));
    const glm::vec3 grown = glm::vec4(point, 1.0f) * glm::mat3x4(entry[2], entry[3], entry[4]);
    return rotation * grown + glm::vec3(turn) * 2.0f - image * (2.0f * glm::dot(c.real, real));
  };
}

/// Skins vertices [begin, end) by the matrix that `matrix_of(row, v)` makes of each vertex that has influences.
template <typename MatrixOf>
void skin_dual_quat_rows(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end,
                         const MatrixOf& matrix_of) {
  for (std::size_t v = begin; v < end; ++v) {
    const VertexRow joints = row_of(input, v);
    if (input.influences->count(v) > 0) {
      const DualQuatRow row = {joints, input.palette.data(), input.parameters.antipodality};
      write_vertex(input, output, v, matrix_of(row, v), joints);
    } else {
      write_vertex(input, output, v, glm::mat4(1.0f), joints);
    }
  }
}

/// The same for methods that know variant f: `change_of(row, v)` gives what write_exact_vertex() calls `change_by`.
template <typename MatrixOf, typename ChangeOf>
void skin_dual_quat_rows(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end,
                         const MatrixOf& matrix_of, const ChangeOf& change_of) {
  if (input.normal_variant != NormalVariant::kExact) {
    skin_dual_quat_rows(input, output, begin, end, matrix_of);
    return;
  }
  for (std::size_t v = begin; v < end; ++v) {
    const VertexRow joints = row_of(input, v);
    if (input.influences->count(v) > 0) {
      const DualQuatRow row = {joints, input.palette.data(), input.parameters.antipodality};
      write_exact_vertex(input, output, v, matrix_of(row, v), joints, change_of(row, v));
    } else {
      write_vertex(input, output, v, glm::mat4(1.0f), joints);
    }
  }
}

}  // namespace pelt::deform
