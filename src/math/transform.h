#pragma once

#include <cmath>
#include <limits>
#include <span>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

namespace pelt {

inline constexpr glm::quat kIdentityQuat = glm::quat(1.0f, 0.0f, 0.0f, 0.0f);

/// A quaternion from components in file order.
template <typename T>
glm::qua<T> quat_xyzw(T x, T y, T z, T w) {
  return glm::qua<T>(w, x, y, z);
}

/// A unit quaternion along `q`; identity where |q| is zero or not finite.
template <typename T>
glm::qua<T> normalized_or_identity(const glm::qua<T>& q);

inline bool is_finite(const glm::vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Translation, rotation, scale: `M = T * R * S` on column vectors.
struct Transform {
  glm::vec3 translation = glm::vec3(0.0f);
  glm::quat rotation = kIdentityQuat;  ///< unit
  glm::vec3 scale = glm::vec3(1.0f);

  bool operator==(const Transform&) const = default;
};

glm::mat4 to_matrix(const Transform& transform);

/// A matrix taken apart as `M = to_matrix(transform) * residual`.
struct Decomposition {
  Transform transform;
  glm::mat4 residual = glm::mat4(1.0f);  ///< shear that no TRS expresses; identity for a TRS matrix
  bool has_residual = false;             ///< TRS misses a column by more than 1e-5 of its length
};

/// Takes an affine matrix apart. A negative determinant becomes a negative x scale. Zero-length columns get scale 0 and
/// axes completed from the others; their residual is identity.
/// @pre finite, last row (0,0,0,1)
Decomposition decompose(const glm::mat4& matrix);

/// Inverse of an affine matrix whose last row is (0,0,0,1), computed in double precision. The linear part is inverted
/// through cofactors; where it is singular (or too small for single precision to hold the inverse) the result has a
/// zero linear part and no translation, and `*singular` (if given) is set.
glm::mat4 affine_inverse(const glm::mat4& matrix, bool* singular = nullptr);

/// The cofactor matrix, which takes normals: `cof(A) = det(A) * inverse(transpose(A))`, defined for singular A too.
template <typename T>
glm::mat<3, 3, T> cofactor(const glm::mat<3, 3, T>& a);

/// Swing and twist of a rotation about a unit axis: `q = swing * twist`. Twist is identity where it is undefined.
template <typename T>
struct SwingTwist {
  glm::qua<T> swing;
  glm::qua<T> twist;
};
template <typename T>
SwingTwist<T> swing_twist(const glm::qua<T>& q, const glm::vec<3, T>& axis);

/// Signed angle (radians, -pi..pi) of a twist quaternion about its axis.
template <typename T>
T twist_angle(const glm::qua<T>& twist, const glm::vec<3, T>& axis);

/// exp and log between rotation vectors (axis times angle, radians) and unit quaternions.
template <typename T>
glm::qua<T> quat_from_rotation_vector(const glm::vec<3, T>& r);
template <typename T>
glm::vec<3, T> rotation_vector(const glm::qua<T>& q);

/// The shortest rotation that takes unit vector `from` to unit vector `to`; a half turn about any perpendicular axis
/// where they are opposite.
glm::quat shortest_rotation(const glm::vec3& from, const glm::vec3& to);
/// The same for directions of any length; identity where one has none.
glm::dquat shortest_rotation(const glm::dvec3& from, const glm::dvec3& to);

/// Axis-aligned box. Empty until something is added.
struct Bounds {
  glm::vec3 lower = glm::vec3(std::numeric_limits<float>::max());
  glm::vec3 upper = glm::vec3(std::numeric_limits<float>::lowest());

  [[nodiscard]] bool empty() const { return lower.x > upper.x; }
  /// Adds a point; points that are not finite are skipped.
  void add(const glm::vec3& point);
  void add(const Bounds& other);
  [[nodiscard]] glm::vec3 center() const { return empty() ? glm::vec3(0.0f) : lower * 0.5f + upper * 0.5f; }
  /// Length of the space diagonal, metres; 0 when empty.
  [[nodiscard]] float diagonal() const {
    return empty() ? 0.0f : static_cast<float>(glm::length(glm::dvec3(upper) - glm::dvec3(lower)));
  }
};

Bounds bounds_of(std::span<const glm::vec3> points);

}  // namespace pelt
