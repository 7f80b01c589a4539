#pragma once

#include <cmath>

#include <glm/glm.hpp>

namespace pelt {

/// A rigid motion as a unit dual quaternion q = real + eps dual: the rotation first, then the translation t,
/// `dual = t real / 2` with t as a pure quaternion. Both parts are (x, y, z, w) in a plain vector, as the palette holds
/// them; q and -q are the same motion.
/// Source: Kavan, Collins, Zara, O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion Blending", ACM TOG
///         27(4), 2008, section 3; the names there are q0 and q_eps.
template <typename T>
struct DualQuat {
  glm::vec<4, T> real;  ///< unit
  glm::vec<4, T> dual;  ///< dot(real, dual) = 0
};

/// The product a b of two quaternions (x, y, z, w).
template <typename T>
glm::vec<4, T> quat_product(const glm::vec<4, T>& a, const glm::vec<4, T>& b) {
  const glm::vec<3, T> u(a);
  const glm::vec<3, T> v(b);
  return glm::vec<4, T>(v * a.w + u * b.w + glm::cross(u, v), a.w * b.w - glm::dot(u, v));
}

/// The inverse of a unit quaternion (x, y, z, w).
template <typename T>
glm::vec<4, T> quat_conjugate(const glm::vec<4, T>& q) {
  return glm::vec<4, T>(-q.x, -q.y, -q.z, q.w);
}

/// @param rotation  unit, (x, y, z, w)
template <typename T>
DualQuat<T> dual_quat(const glm::vec<4, T>& rotation, const glm::vec<3, T>& translation) {
  return {rotation, quat_product(glm::vec<4, T>(translation, T(0)), rotation) * T(0.5)};
}

/// The rotation of a unit quaternion (x, y, z, w).
template <typename T>
glm::mat<3, 3, T> rotation_matrix(const glm::vec<4, T>& q) {
  const T one(1);
  const T two(2);
  return {{one - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y + q.w * q.z), two * (q.x * q.z - q.w * q.y)},
          {two * (q.x * q.y - q.w * q.z), one - two * (q.x * q.x + q.z * q.z), two * (q.y * q.z + q.w * q.x)},
          {two * (q.x * q.z + q.w * q.y), two * (q.y * q.z - q.w * q.x), one - two * (q.x * q.x + q.y * q.y)}};
}

/// t = 2 vec(dual conjugate(real)).
template <typename T>
glm::vec<3, T> translation_of(const DualQuat<T>& q) {
  const glm::vec<3, T> r(q.real);
  const glm::vec<3, T> d(q.dual);
  return (d * q.real.w - r * q.dual.w + glm::cross(r, d)) * T(2);
}

/// Where the motion takes a point.
template <typename T>
glm::vec<3, T> transform_point(const DualQuat<T>& q, const glm::vec<3, T>& p) {
  return rotation_matrix(q.real) * p + translation_of(q);
}

/// -1 where unit `q` lies on the other side than `pivot`, so that -q is the nearer name of the same rotation. Rotations
/// half a turn apart count as being on one side however they were rounded.
template <typename T>
T side_of(const glm::vec<4, T>& pivot, const glm::vec<4, T>& q) {
  return glm::dot(pivot, q) < T(-1e-6) ? T(-1) : T(1);
}

/// Dual quaternion linear blending: b = sum w_i q_i, to be divided by |b.real|. Start from {0, 0}.
/// @param q  on the pivot's side already, see side_of()
template <typename T>
void add_weighted(DualQuat<T>& b, const DualQuat<T>& q, T weight) {
  b.real += q.real * weight;
  b.dual += q.dual * weight;
}

/// Both parts divided by |real|. @returns false, and leaves `b`, where the real parts cancelled out
template <typename T>
bool normalize(DualQuat<T>& b) {
  const T square = glm::dot(b.real, b.real);
  if (!(square > T(1e-12))) {
    return false;
  }
  const T inverse = T(1) / std::sqrt(square);
  b.real *= inverse;
  b.dual *= inverse;
  return true;
}

}  // namespace pelt
