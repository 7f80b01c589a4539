#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include <glm/glm.hpp>

#include "deform/fast_root.h"
#include "deform/skinning_methods.h"

// What every skinning kernel does to one vertex once its joints are known: place the point, turn the normal
// (ALGORITHMS.md §13) and the tangent (§14). Everything is single precision, in an order that a shader can repeat:
// shaders/skinning mirrors these steps with their thresholds, and fast_kernels.cpp names them by number. Steps 7 to 10,
// of methods that blend rotations, stand in dual_quaternion_row.h, and step 11 in skin_cor.h.
//
// M_k and w_k are skin matrix and weight of influence k, heaviest first, as effective_influences() lists them; A_k is
// the linear part of M_k. |x|² is dot(x, x), unit(x) is x * (1 / sqrt(|x|²)), det(X) is dot(x₀, cross(x₁, x₂)),
// sign(d) = d < -1e-6 ? -1 : 1, cof(X) n = cross(x₁, x₂) n.x + cross(x₂, x₀) n.y + cross(x₀, x₁) n.z and invT(X) n =
// (cof(X) n) (sign(det X) / max(|det X|, 1e-6)). Squares are compared, so that no test takes a root.
//
// 1. Weights. w_k = weight_k, or weight_k * stored_sum with weights as stored. A vertex without influences has one of
//    weight 1 with M the identity, in every method. `rigid` uses influence 0 alone with w = 1, whatever the sum is.
// 2. Blend. B = M_0 w_0 + M_1 w_1 + ...; of `rigid` B = M_0.
// 3. Point. p' = B₀ p.x + B₁ p.y + B₂ p.z + B₃ by columns; w is never divided out.
// 4. Frame. s² = (|a₀|² + |a₁|² + |a₂|²) / 3 over the columns of A_0; r = s² > 1e-30 ? 1 / sqrt(s²) : 1; H = A_0 r;
//    A = (linear part of B) r; σ = sign(det A). All thresholds below are therefore independent of units: an absolute
//    one would meet the cofactors of quantised files, which a scale of 0.001 makes 1e-6 by itself.
// 5. Normal of n, which need not be unit. By variant: a and h: m = A n; b: m = Σ invT(A_k r) n * weight_k; c: m =
//    |n| Σ unit(invT(A_k r) n) * weight_k, zero vectors left out; d: m = (cof(A) n) σ; e: m = 0; f: m = (cof(F) n) σ
//    with the F of write_exact_vertex(). b and c use normalised weights even with weights as stored, since only
//    directions count. least(x) = max(1e-12 |x|², 1e-30). Where |m|² <= least(n), m = H n; where that holds still, the
//    result is unit(n), or +Y where |n|² <= 1e-30; else it is n' = unit(m), of h with the root of fast_root.h.
// 6. Tangent t. w' = w σ; u = A t. Where |u|² <= least(t) it is rebuilt. Else u = unit(u), x = u - n' dot(u, n'); where
//    |x|² <= 1e-8 it is rebuilt; else x = unit(x), x = x - n' dot(x, n'), t' = unit(x). Rebuilt: t' = unit(axis -
//    n' dot(n', axis)) of the coordinate axis along which n' is least (ties: x, then y, then z). h takes unit(n').
//
// Parts without a skin take one influence, M the node's world matrix and w = 1. σ keeps normals pointing out of a
// mirrored surface; turning the winding round is the renderer's. Where blended directions cancel almost completely,
// |m| near 1e-6, last bits decide between the blend and the heaviest joint: there, and only there, the normals of two
// backends may differ visibly.

namespace pelt::deform {

/// Below this, relative to the size of what was blended, a direction or determinant counts as cancelled out.
inline constexpr float kCancelled = 1e-6f;
/// Squares below this are of no length at all: single precision has lost digits of their terms, and devices that know
/// no denormal numbers would make zero of them, and of what is compared with them.
inline constexpr float kLeastSquare = 1e-30f;
/// A tangent within this angle (radians) of the normal is rebuilt.
inline constexpr float kParallel = 1e-4f;

/// The influences of one vertex, heaviest first. Nothing is owned; count >= 1.
struct VertexRow {
  const glm::mat4* matrices;
  const std::uint16_t* joint;
  const float* weight;  ///< normalised
  std::uint32_t count;
  float sum;  ///< what the weights are to be multiplied with: 1, or the stored sum
};

/// The row of vertex v, no longer than `limit`; a vertex without influences gets the identity at weight 1.
inline VertexRow row_of(const SkinInput& input, std::size_t v, std::uint32_t limit = UINT32_MAX) {
  static constexpr glm::mat4 kIdentity(1.0f);
  static constexpr std::uint16_t kFirst = 0;
  static constexpr float kWhole = 1.0f;
  const mesh::Influences& influences = *input.influences;
  const mesh::InfluenceRow row = influences.row(v);
  const auto count = static_cast<std::uint32_t>(row.joints.size());
  if (count == 0) {
    return {&kIdentity, &kFirst, &kWhole, 1, 1.0f};
  }
  return {input.skin_matrices.data(), row.joints.data(), row.weights.data(), count < limit ? count : limit,
          input.weights_as_stored ? row.stored_sum : 1.0f};
}

/// Sum of weight times matrix, heaviest first.
inline glm::mat4 blended_matrix(const VertexRow& row) {
  glm::mat4 blended = row.matrices[row.joint[0]] * (row.weight[0] * row.sum);
  for (std::uint32_t k = 1; k < row.count; ++k) {
    const glm::mat4& m = row.matrices[row.joint[k]];
    const float weight = row.weight[k] * row.sum;
    blended[0] += m[0] * weight;
    blended[1] += m[1] * weight;
    blended[2] += m[2] * weight;
    blended[3] += m[3] * weight;
  }
  return blended;
}

/// The affine image of a point. The last row is not used: where weights do not sum to one, the point is scaled.
inline glm::vec3 transform_point(const glm::mat4& m, const glm::vec3& p) {
  return glm::vec3(m[0]) * p.x + glm::vec3(m[1]) * p.y + glm::vec3(m[2]) * p.z + glm::vec3(m[3]);
}

/// -1 for a matrix that mirrors, 1 else; a determinant that vanishes counts as positive.
inline float orientation_of(float determinant) {
  return determinant < -kCancelled ? -1.0f : 1.0f;
}

/// cof(a) n, the inverse transpose times n but for the factor det(a).
inline glm::vec3 cofactor_times(const glm::mat3& a, const glm::vec3& n) {
  return glm::cross(a[1], a[2]) * n.x + glm::cross(a[2], a[0]) * n.y + glm::cross(a[0], a[1]) * n.z;
}

inline float determinant_of(const glm::mat3& a) {
  return glm::dot(a[0], glm::cross(a[1], a[2]));
}

/// The inverse transpose of `a` times n. Towards singular `a` it goes over into the cofactor.
inline glm::vec3 inverse_transpose_times(const glm::mat3& a, const glm::vec3& n) {
  const float determinant = determinant_of(a);
  const float size = std::abs(determinant);
  return cofactor_times(a, n) * (orientation_of(determinant) / (size > kCancelled ? size : kCancelled));
}

/// By how much a skin matrix enlarges: root mean square of its singular values, negative where it mirrors.
inline double signed_size(const glm::dmat3& a) {
  const double size = std::sqrt((glm::dot(a[0], a[0]) + glm::dot(a[1], a[1]) + glm::dot(a[2], a[2])) / 3);
  return glm::determinant(a) < 0 ? -size : size;
}

/// The linear parts that turn a vertex's normal and tangent, divided by the size of the heaviest joint's so that the
/// thresholds mean the same in millimetres and in metres.
struct VertexFrame {
  glm::mat3 blended;   ///< A
  glm::mat3 heaviest;  ///< A of the heaviest joint
  float inverse_size;  ///< 1 / (root mean square of the singular values of the heaviest joint's linear part)
  float orientation;   ///< -1 where the blend mirrors
};

inline VertexFrame vertex_frame(const glm::mat4& blended, const VertexRow& row) {
  VertexFrame frame{};
  frame.heaviest = glm::mat3(row.matrices[row.joint[0]]);
  const glm::mat3& h = frame.heaviest;
  const float square = (glm::dot(h[0], h[0]) + glm::dot(h[1], h[1]) + glm::dot(h[2], h[2])) * (1.0f / 3.0f);
  frame.inverse_size = square > kLeastSquare ? 1.0f / std::sqrt(square) : 1.0f;
  frame.heaviest *= frame.inverse_size;
  frame.blended = glm::mat3(blended) * frame.inverse_size;
  frame.orientation = orientation_of(determinant_of(frame.blended));
  return frame;
}

/// What the square of a blended direction must exceed, so that it counts; `square` of what was blended.
inline float least_square(float square) {
  const float cancelled = kCancelled * kCancelled * square;
  return cancelled > kLeastSquare ? cancelled : kLeastSquare;
}

/// Ends every normal variant: unit, whatever the sum. A sum that cancelled out gives way to the heaviest joint's.
/// @param sum  the variant's n*
/// @param n    what was turned; need not be unit
[[gnu::always_inline]] inline glm::vec3 finished_normal(const VertexFrame& frame, glm::vec3 sum, const glm::vec3& n) {
  const float square = glm::dot(n, n);
  const float least = least_square(square);
  float sum_square = glm::dot(sum, sum);
  if (sum_square <= least) {
    sum = frame.heaviest * n;
    sum_square = glm::dot(sum, sum);
    if (sum_square <= least) {
      // The heaviest joint is squashed along n, or n is as good as zero.
      return square > kLeastSquare ? n * (1.0f / std::sqrt(square)) : glm::vec3(0.0f, 1.0f, 0.0f);
    }
  }
  return sum * (1.0f / std::sqrt(sum_square));
}

/// Whether a sum of blended normals cancelled out, so that the vertex gets its heaviest joint's.
/// @param sum  n* of a variant, for n
inline bool is_cancelled(const glm::vec3& sum, const glm::vec3& n) {
  return glm::dot(sum, sum) <= least_square(glm::dot(n, n));
}

/// finished_normal() with an approximate reciprocal square root, for variant h: up to kFastRootError too short.
[[gnu::noinline]]  // inlined, it slows down the variants that do not need it
inline glm::vec3
fast_finished_normal(const VertexFrame& frame, glm::vec3 sum, const glm::vec3& n) {
  if (is_cancelled(sum, n)) {
    sum = frame.heaviest * n;
    if (is_cancelled(sum, n)) {
      return finished_normal(frame, sum, n);
    }
  }
  return sum * fast_inverse_root(glm::dot(sum, sum));
}

/// What a variant blends for one vertex, before it is made unit: n* of ALGORITHMS.md §13; zero for e, f and g.
/// @param n  need not be unit
[[gnu::always_inline]]  // out of line it costs a quarter of the whole vertex
inline glm::vec3
normal_sum(NormalVariant variant, const VertexFrame& frame, const VertexRow& row, const glm::vec3& n) {
  glm::vec3 sum(0.0f);
  switch (variant) {
    case NormalVariant::kBlend:
    case NormalVariant::kFastRenormalised:
      sum = frame.blended * n;
      break;
    case NormalVariant::kInverseTransposePerJoint:
      for (std::uint32_t k = 0; k < row.count; ++k) {
        sum += inverse_transpose_times(glm::mat3(row.matrices[row.joint[k]]) * frame.inverse_size, n) * row.weight[k];
      }
      break;
    case NormalVariant::kPerJointNormalized:
      for (std::uint32_t k = 0; k < row.count; ++k) {
        const glm::vec3 m = inverse_transpose_times(glm::mat3(row.matrices[row.joint[k]]) * frame.inverse_size, n);
        const float length_square = glm::dot(m, m);
        if (length_square > 0.0f) {
          sum += m * (row.weight[k] / std::sqrt(length_square));
        }
      }
      // Here the summands are of unit length whatever the length of n.
      sum *= std::sqrt(glm::dot(n, n));
      break;
    case NormalVariant::kInverseTransposeOfBlend:
      sum = cofactor_times(frame.blended, n) * frame.orientation;
      break;
    case NormalVariant::kLargestWeight:
    case NormalVariant::kExact:       // needs more than the row: see write_exact_vertex()
    case NormalVariant::kRecomputed:  // made from the posed triangles afterwards
      break;
  }
  return sum;
}

/// ALGORITHMS.md §13. The result is unit (but for h, which is a little short) and finite for any finite input.
/// @param n  need not be unit
[[gnu::always_inline]] inline glm::vec3 skinned_normal(NormalVariant variant, const VertexFrame& frame,
                                                       const VertexRow& row, const glm::vec3& n) {
  const glm::vec3 sum = normal_sum(variant, frame, row, n);
  return variant == NormalVariant::kFastRenormalised ? fast_finished_normal(frame, sum, n)
                                                     : finished_normal(frame, sum, n);
}

/// A unit vector perpendicular to unit n: from the coordinate axis that n is least along (ties: x before y before z).
inline glm::vec3 any_tangent(const glm::vec3& n) {
  const glm::vec3 size = glm::abs(n);
  glm::vec3 axis(1.0f, 0.0f, 0.0f);
  if (size.y < size.x && size.y <= size.z) {
    axis = glm::vec3(0.0f, 1.0f, 0.0f);
  } else if (size.z < size.x && size.z < size.y) {
    axis = glm::vec3(0.0f, 0.0f, 1.0f);
  }
  const glm::vec3 t = axis - n * glm::dot(n, axis);
  return t * (1.0f / std::sqrt(glm::dot(t, t)));
}

/// A unit vector perpendicular to unit n in the plane of n and t, t not zero; any where t runs along n.
[[gnu::always_inline]] inline glm::vec3 perpendicular(const glm::vec3& n, const glm::vec3& t) {
  const glm::vec3 unit = t * (1.0f / std::sqrt(glm::dot(t, t)));
  glm::vec3 across = unit - n * glm::dot(unit, n);
  const float across_square = glm::dot(across, across);
  if (across_square <= kParallel * kParallel) {
    return any_tangent(n);
  }
  // Twice, since the first difference may have lost digits.
  across *= 1.0f / std::sqrt(across_square);
  across -= n * glm::dot(across, n);
  return across * (1.0f / std::sqrt(glm::dot(across, across)));
}

/// ALGORITHMS.md §14. The result is unit, perpendicular to n and finite.
/// @param n  the skinned normal, unit; zero where there is none
[[gnu::always_inline]] inline glm::vec4 skinned_tangent(const VertexFrame& frame, const glm::vec3& n,
                                                        const glm::vec4& tangent) {
  const float handedness = tangent.w * frame.orientation;
  const glm::vec3 t = frame.blended * glm::vec3(tangent);
  const float square = glm::dot(t, t);
  if (square <= least_square(glm::dot(glm::vec3(tangent), glm::vec3(tangent)))) {
    return glm::vec4(any_tangent(n), handedness);
  }
  return glm::vec4(perpendicular(n, t), handedness);
}

/// Writes vertex v of a method that places points by one matrix, with the normal of ALGORITHMS.md §13 variant f: cof(F)
/// n with F = A + sum (dv'/dw_i) grad(w_i)^T + `by_place`.
/// @param change_by  joint -> dv'/dw, how the posed point moves as the weight of that joint grows
/// @param by_place   what else moves it from one place of the surface to the next
template <typename ChangeBy>
[[gnu::noinline]]  // inlined, it slows down the variants that do not need it
void
write_exact_vertex(const SkinInput& input, const SkinOutput& output, std::size_t v, const glm::mat4& blended,
                   const VertexRow& row, const ChangeBy& change_by, const glm::mat3& by_place = glm::mat3(0.0f)) {
  output.positions[v] = transform_point(blended, input.positions[v]);
  const VertexFrame frame = vertex_frame(blended, row);
  glm::vec3 normal(0.0f);
  if (!input.normals.empty()) {
    const WeightGradients& gradients = *input.weight_gradients;
    glm::mat3 f = frame.blended + by_place * frame.inverse_size;
    for (std::uint32_t i = gradients.offset[v]; i < gradients.offset[v + 1]; ++i) {
      const glm::vec3 change = change_by(gradients.joint[i]) * frame.inverse_size;
      f[0] += change * gradients.gradient[i].x;
      f[1] += change * gradients.gradient[i].y;
      f[2] += change * gradients.gradient[i].z;
    }
    const glm::vec3 n = input.normals[v];
    normal = finished_normal(frame, cofactor_times(f, n) * frame.orientation, n);
    output.normals[v] = normal;
  }
  if (!input.tangents.empty()) {
    output.tangents[v] = skinned_tangent(frame, normal, input.tangents[v]);
  }
}

/// Writes vertex v of a method that places points by one matrix; for variant f, by a sum of the joints' matrices.
inline void write_vertex(const SkinInput& input, const SkinOutput& output, std::size_t v, const glm::mat4& blended,
                         const VertexRow& row) {
  if (input.normal_variant == NormalVariant::kExact) {
    const glm::vec3 bind = input.positions[v];  // the output may be the same memory
    write_exact_vertex(input, output, v, blended, row, [&input, bind](std::uint16_t joint) {
      return transform_point(input.skin_matrices[joint], bind);
    });
    return;
  }
  output.positions[v] = transform_point(blended, input.positions[v]);
  if (input.normals.empty() && input.tangents.empty()) {
    return;
  }
  const VertexFrame frame = vertex_frame(blended, row);
  glm::vec3 normal(0.0f);
  if (!input.normals.empty()) {
    normal = skinned_normal(input.normal_variant, frame, row, input.normals[v]);
    output.normals[v] = normal;
  }
  if (!input.tangents.empty()) {
    if (input.normal_variant == NormalVariant::kFastRenormalised && !input.normals.empty()) {
      normal *= 1.0f / std::sqrt(glm::dot(normal, normal));  // tangents are perpendicular to it all the same
    }
    output.tangents[v] = skinned_tangent(frame, normal, input.tangents[v]);
  }
}

}  // namespace pelt::deform
