#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <glm/glm.hpp>

#include "core/progress.h"
#include "deform/skinning_methods.h"
#include "math/polar.h"

namespace pelt::deform {

/// What a vertex knows of one joint, ALGORITHMS.md §24: the second moments of the rest shape round the vertex, as far
/// as it follows the joint. Coordinates are relative to the vertex's centre p_i, which is where the moments of all
/// joints have their mean: the matrix of the texts, shifted, so that single precision keeps its digits far from the
/// origin.
template <typename T>
struct DirectMoments {
  std::array<T, 6> second;  ///< sum b_ik w_kj u u^T: xx, xy, xz, yy, yz, zz, m²
  glm::vec<3, T> first;     ///< sum b_ik w_kj u, m
  T mass;                   ///< sum b_ik w_kj; one row sums to 1
  T smoothed_weight;        ///< w'_ij; one row sums to 1
};

/// For all vertices of a surface: compressed rows, heaviest joint first.
struct DirectRows {
  std::vector<std::uint32_t> offset;  ///< [W + 1]; an empty row follows no joint
  std::vector<std::uint16_t> joint;
  std::vector<DirectMoments<double>> moments;  ///< one per entry of `joint`
  std::vector<glm::dvec3> center;              ///< [W] p_i, metres
};

/// Precomputes direct delta mush, variant 0, for every strength of following (alpha comes in at run time).
///
/// B = (I + lambda L)^-p and C = (I + kappa L)^-p with the uniform Laplacian L = I - D^-1 A are applied as Chebyshev
/// series in D^-1 A, whose eigenvalues lie in -1..1: the inverse of the texts to double precision, without a factor
/// matrix. Entries below a millionth in both masses are left out and the rest made whole again, which keeps rest
/// identity and rigid motions exact.
/// Source: Le, Lewis, "Direct Delta Mush Skinning and Variants", ACM TOG 38(4), 2019.
/// @param rest        [W] metres
/// @param triangles   3 per triangle, no corner twice
/// @param influences  W rows
/// @param kappa       below lambda
/// @returns nothing when `progress` asked to stop
/// @cost O(joints * (V + T) * degree); the degree of the series grows with sqrt(p lambda), about 60 for the defaults
std::optional<DirectRows> make_direct_rows(std::span<const glm::dvec3> rest, std::span<const std::uint32_t> triangles,
                                           const mesh::FlatInfluences& influences, int iterations, double lambda,
                                           double kappa, const Progress& progress);

/// What a vertex needs of a joint's skin matrix.
template <typename T>
struct DirectJoint {
  glm::mat<3, 3, T> linear;
  glm::vec<3, T> translation;
  glm::mat<3, 3, T> rotation;  ///< of polar()
  T size;                      ///< signed_size()
};
DirectJoint<double> direct_joint(const glm::dmat4& skin_matrix);

/// One vertex at run time: add() each joint of its row, heaviest first, then read the motion.
template <typename T>
class DirectSum {
 public:
  using Vector = glm::vec<3, T>;
  using Matrix = glm::mat<3, 3, T>;

  /// @param center  p_i  @param alpha  0 smooths most, towards 1 places follow the smoothed weights
  DirectSum(const Vector& center, T alpha) : center_(center), alpha_(alpha) {}

  void add(const DirectJoint<T>& joint, const DirectMoments<T>& moments) {
    const Matrix& linear = joint.linear;
    const Vector image = linear[0] * center_.x + linear[1] * center_.y + linear[2] * center_.z + joint.translation;
    if (count_++ == 0) {
      // Everything is summed relative to where the heaviest joint takes the centre: first moments of a row cancel out.
      base_ = image;
      heaviest_ = joint.rotation;
      side_ = joint.size < T(0) ? T(-1) : T(1);
    }
    const Vector away = image - base_;
    const std::array<T, 6>& s = moments.second;
    const Vector& m = moments.first;
    q_[0] += linear[0] * s[0] + linear[1] * s[1] + linear[2] * s[2] + away * m.x;
    q_[1] += linear[0] * s[1] + linear[1] * s[3] + linear[2] * s[4] + away * m.y;
    q_[2] += linear[0] * s[2] + linear[1] * s[4] + linear[2] * s[5] + away * m.z;
    const T share = moments.mass * (T(1) - alpha_) + moments.smoothed_weight * alpha_;
    image_ += (linear[0] * m.x + linear[1] * m.y + linear[2] * m.z) * (T(1) - alpha_) + away * share;
    size_ += joint.size * share;
    spread_ += (s[0] + s[3] + s[5]) * glm::abs(joint.size);
  }

  /// R of the texts, determinant +1; where the skin mirrors, minus that, so that it times size() mirrors too. Where the
  /// moments of a flat or tiny neighbourhood leave directions open, R turns no further from the heaviest joint than
  /// they ask.
  /// @param shape_from_mesh  see SkinBinding; joints' rotations and sizes are those behind it, moments are of the mesh
  [[nodiscard]] Matrix rotation(const Matrix& shape_from_mesh = Matrix(T(1))) const {
    const Matrix relative = glm::transpose(heaviest_) * (q_ * glm::transpose(shape_from_mesh)) * side_;
    const T square =
        glm::dot(relative[0], relative[0]) + glm::dot(relative[1], relative[1]) + glm::dot(relative[2], relative[2]);
    const T length = glm::sqrt(square);
    const T rounding = spread_ * kMomentRounding;
    if (!(length > rounding)) {
      return heaviest_ * side_;
    }
    const T tolerance = glm::max(kRankTolerance, rounding / length);
    const SingularValues values = singular_values(glm::dmat3(relative), static_cast<double>(tolerance));
    return heaviest_ * Matrix(values.u * glm::transpose(values.v)) * side_;
  }
  /// Where the centre goes.
  [[nodiscard]] Vector image() const { return base_ + image_; }
  /// By how much the vertex's surroundings are enlarged: 1 under rigid joints.
  [[nodiscard]] T size() const { return glm::abs(size_); }

 private:
  // In shares of the largest moments, what is left of them by rounding in single precision.
  static constexpr T kMomentRounding = T(1e-6);
  static constexpr T kRankTolerance = T(1e-5);

  Vector center_;
  T alpha_;
  int count_ = 0;
  T side_ = T(1);
  Vector base_ = Vector(T(0));
  Matrix heaviest_ = Matrix(T(1));
  Matrix q_ = Matrix(T(0));
  Vector image_ = Vector(T(0));
  T size_ = T(0);
  T spread_ = T(0);
};

/// PrepareFunction, SkinFunction and PackFunction of the row "ddm". Prepared::per_vertex is p_i; a row's three vec4 are
/// (xx, xy, xz, yy), (yz, zz, mass, smoothed weight), (first moment, joint). A joint's five vec4 are the three rows of
/// its matrix, (first column of its rotation, signed size) and (second column, 0); rotation and size are those of the
/// matrix behind SkinBinding::shape_from_mesh.
bool prepare_direct_delta_mush(const mesh::MeshSurface& surface, const MethodParameters& parameters,
                               const Progress& progress, std::span<Prepared> out);
void skin_direct_delta_mush(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end);
void pack_direct_delta_mush(const SkinBinding& binding, std::span<const glm::mat4> skin_matrices,
                            std::span<glm::vec4> out);

}  // namespace pelt::deform
