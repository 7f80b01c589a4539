#pragma once

#include <glm/glm.hpp>

namespace pelt {

/// A = u * diag(sigma) * transpose(v) with two rotations: the mirroring of a matrix that mirrors is the sign of the
/// last singular value. `u * transpose(v)` is therefore the rotation nearest to A.
struct SingularValues {
  glm::dmat3 u;      ///< rotation
  glm::dvec3 sigma;  ///< sigma.x >= sigma.y >= |sigma.z|
  glm::dmat3 v;      ///< rotation
};

/// Singular value decomposition by one-sided Jacobi rotations. Defined for every finite matrix: where singular values
/// vanish, `u` is completed so that `u * transpose(v)` turns as little as it can; the zero matrix gives identities.
/// Source: Hestenes, "Inversion of Matrices by Biorthogonalization and Related Results", J. SIAM 6(1), 1958.
/// @param rank_tolerance  share of the largest singular value below which another one counts as zero for directions
SingularValues singular_values(const glm::dmat3& a, double rank_tolerance = 1e-12);

/// A = rotation * stretch.
struct Polar {
  glm::dmat3 rotation;  ///< determinant +1
  glm::dmat3 stretch;   ///< symmetric; negative definite where A mirrors, else positive (semi)definite
};

/// Polar decomposition that always has a rotation.
///
/// A matrix that mirrors, A = Q P with det Q = -1, is given as (-Q)(-P): unlike mirroring the shortest axis this
/// depends continuously on A also where singular values are equal, as they are under a uniform scale. A singular value
/// that stays below 1e-5 of the largest is what single precision makes of zero: its sign does not mirror, and its
/// direction does not turn. A matrix that is not finite is given back as the stretch. Source: Shoemake, Duff, "Matrix
/// Animation and Polar Decomposition", Graphics Interface 1992.
Polar polar(const glm::dmat3& a);

}  // namespace pelt
