#include "math/transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace pelt {
namespace {

constexpr double kResidualTolerance = 1e-5;  // of a column's length

// A unit vector perpendicular to unit `v`.
glm::dvec3 any_perpendicular(const glm::dvec3& v) {
  const glm::dvec3 helper = std::abs(v.x) < 0.8 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
  return glm::normalize(glm::cross(v, helper));
}

}  // namespace

template <typename T>
glm::qua<T> normalized_or_identity(const glm::qua<T>& q) {
  // In double for both scalars: squares of small or large floats leave the range of float.
  const glm::dquat wide(q);
  const double length = std::sqrt(wide.x * wide.x + wide.y * wide.y + wide.z * wide.z + wide.w * wide.w);
  if (!(length > std::numeric_limits<double>::min()) || !std::isfinite(length)) {
    return glm::qua<T>(1, 0, 0, 0);
  }
  return glm::qua<T>(wide / length);
}
template glm::quat normalized_or_identity(const glm::quat&);
template glm::dquat normalized_or_identity(const glm::dquat&);

glm::mat4 to_matrix(const Transform& transform) {
  const glm::mat3 rotation = glm::mat3_cast(transform.rotation);
  return {glm::vec4(rotation[0] * transform.scale.x, 0.0f), glm::vec4(rotation[1] * transform.scale.y, 0.0f),
          glm::vec4(rotation[2] * transform.scale.z, 0.0f), glm::vec4(transform.translation, 1.0f)};
}

Decomposition decompose(const glm::mat4& matrix) {
  Decomposition out;
  out.transform.translation = glm::vec3(matrix[3]);
  const glm::dmat3 a(matrix);
  glm::dvec3 scale(glm::length(a[0]), glm::length(a[1]), glm::length(a[2]));
  const double largest = std::max({scale.x, scale.y, scale.z});
  if (!(largest > 0)) {
    out.transform.scale = glm::vec3(0.0f);
    return out;
  }
  // Gram-Schmidt in the order of the columns; a column that vanishes is completed from its neighbours.
  glm::dmat3 axes(1.0);
  std::array<bool, 3> present{};
  for (int c = 0; c < 3; ++c) {
    present[c] = scale[c] > 1e-12 * largest;
    if (!present[c]) {
      scale[c] = 0;
    }
  }
  const bool singular = !(present[0] && present[1] && present[2]);
  if (!singular) {
    axes[0] = a[0] / scale.x;
    axes[1] = a[1] - axes[0] * glm::dot(axes[0], a[1]);
    axes[1] = glm::length(axes[1]) > 1e-12 * scale.y ? glm::normalize(axes[1]) : any_perpendicular(axes[0]);
    if (glm::determinant(a) < 0) {
      axes[0] = -axes[0];
      scale.x = -scale.x;
    }
    axes[2] = glm::cross(axes[0], axes[1]);
  } else {
    const int first = present[0] ? 0 : present[1] ? 1 : 2;
    axes[first] = a[first] / scale[first];
    int second = -1;
    for (int c = 0; c < 3; ++c) {
      if (c != first && present[c]) {
        second = c;
      }
    }
    const int next = second >= 0 ? second : (first + 1) % 3;
    const glm::dvec3 other = second >= 0 ? a[second] - axes[first] * glm::dot(axes[first], a[second]) : glm::dvec3(0);
    axes[next] = glm::length(other) > 1e-12 * largest ? glm::normalize(other) : any_perpendicular(axes[first]);
    const int last = 3 - first - next;
    axes[last] = glm::cross(axes[(last + 1) % 3], axes[(last + 2) % 3]);
  }
  const glm::dquat rotation = normalized_or_identity(glm::quat_cast(axes));
  out.transform.rotation = glm::quat(rotation);
  out.transform.scale = glm::vec3(scale);
  if (!singular) {
    const glm::dmat3 rotation_scale =
        glm::mat3_cast(rotation) * glm::dmat3(scale.x, 0, 0, 0, scale.y, 0, 0, 0, scale.z);
    // Measured on the matrix, not on the residual, where unequal scales would enlarge what is only rounding.
    double difference = 0;
    for (int c = 0; c < 3; ++c) {
      difference = std::max(difference, glm::length(a[c] - rotation_scale[c]) / glm::length(a[c]));
    }
    if (difference > kResidualTolerance) {
      out.has_residual = true;
      out.residual = glm::mat4(glm::mat3(glm::inverse(rotation_scale) * a));
    }
  }
  return out;
}

glm::mat4 affine_inverse(const glm::mat4& matrix, bool* singular) {
  const glm::dmat3 a(matrix);
  const glm::dmat3 cof = cofactor(a);
  const double det = glm::dot(a[0], cof[0]);
  const double size = glm::length(a[0]) * glm::length(a[1]) * glm::length(a[2]);
  const glm::dmat3 inverse = glm::transpose(cof) / det;
  const glm::dvec3 translation = -(inverse * glm::dvec3(matrix[3]));
  // Sizes whose reciprocals single precision cannot hold count as zero.
  constexpr double kLargest = std::numeric_limits<float>::max();
  double largest = 0;
  for (const glm::dvec3& column : {inverse[0], inverse[1], inverse[2], translation}) {
    largest = std::max({largest, std::abs(column.x), std::abs(column.y), std::abs(column.z)});
  }
  const bool is_singular = !(std::abs(det) > 1e-14 * size) || !(largest <= kLargest);
  if (singular != nullptr) {
    *singular = is_singular;
  }
  if (is_singular) {
    glm::mat4 out(0.0f);
    out[3][3] = 1.0f;
    return out;
  }
  return {glm::vec4(glm::vec3(inverse[0]), 0.0f), glm::vec4(glm::vec3(inverse[1]), 0.0f),
          glm::vec4(glm::vec3(inverse[2]), 0.0f), glm::vec4(glm::vec3(translation), 1.0f)};
}

template <typename T>
glm::mat<3, 3, T> cofactor(const glm::mat<3, 3, T>& a) {
  return {glm::cross(a[1], a[2]), glm::cross(a[2], a[0]), glm::cross(a[0], a[1])};
}
template glm::mat3 cofactor(const glm::mat3&);
template glm::dmat3 cofactor(const glm::dmat3&);

template <typename T>
SwingTwist<T> swing_twist(const glm::qua<T>& q, const glm::vec<3, T>& axis) {
  const T along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
  // Both parts vanish for a half turn about an axis perpendicular to this one: the twist is then undefined.
  if (along * along + q.w * q.w < T(1e-12)) {
    return {q, glm::qua<T>(1, 0, 0, 0)};
  }
  const glm::qua<T> twist = normalized_or_identity(glm::qua<T>(q.w, along * axis.x, along * axis.y, along * axis.z));
  return {q * glm::conjugate(twist), twist};
}
template SwingTwist<float> swing_twist(const glm::quat&, const glm::vec3&);
template SwingTwist<double> swing_twist(const glm::dquat&, const glm::dvec3&);

template <typename T>
T twist_angle(const glm::qua<T>& twist, const glm::vec<3, T>& axis) {
  const T sine = twist.x * axis.x + twist.y * axis.y + twist.z * axis.z;
  const T sign = twist.w < 0 ? T(-1) : T(1);
  return T(2) * std::atan2(sign * sine, sign * twist.w);
}
template float twist_angle(const glm::quat&, const glm::vec3&);
template double twist_angle(const glm::dquat&, const glm::dvec3&);

template <typename T>
glm::qua<T> quat_from_rotation_vector(const glm::vec<3, T>& r) {
  const T angle = glm::length(r);
  // sin(a/2)/a by its series near zero, where the quotient loses digits.
  const T factor = angle < T(1e-4) ? T(0.5) - angle * angle / T(48) : std::sin(angle / 2) / angle;
  return normalized_or_identity(glm::qua<T>(std::cos(angle / 2), r.x * factor, r.y * factor, r.z * factor));
}
template glm::quat quat_from_rotation_vector(const glm::vec3&);
template glm::dquat quat_from_rotation_vector(const glm::dvec3&);

template <typename T>
glm::vec<3, T> rotation_vector(const glm::qua<T>& q) {
  const T sign = q.w < 0 ? T(-1) : T(1);
  const glm::vec<3, T> v(q.x * sign, q.y * sign, q.z * sign);
  const T sine = glm::length(v);
  const T factor = sine < T(1e-6) ? T(2) : T(2) * std::atan2(sine, sign * q.w) / sine;
  return v * factor;
}
template glm::vec3 rotation_vector(const glm::quat&);
template glm::dvec3 rotation_vector(const glm::dquat&);

glm::dquat shortest_rotation(const glm::dvec3& from, const glm::dvec3& to) {
  const double lengths = glm::length(from) * glm::length(to);
  if (!(lengths > 0)) {
    return {1, 0, 0, 0};
  }
  const glm::dvec3 a = glm::normalize(from);
  const glm::dvec3 b = glm::normalize(to);
  const double cosine = glm::dot(a, b);
  if (cosine < -1.0 + 1e-15) {
    const glm::dvec3 axis = any_perpendicular(a);
    return {0.0, axis.x, axis.y, axis.z};
  }
  const glm::dvec3 axis = glm::cross(a, b);
  return normalized_or_identity(glm::dquat(1.0 + cosine, axis.x, axis.y, axis.z));
}

glm::quat shortest_rotation(const glm::vec3& from, const glm::vec3& to) {
  // In double: single-precision unit vectors that are opposite may miss a cosine of -1 by 1e-7.
  return glm::quat(shortest_rotation(glm::dvec3(from), glm::dvec3(to)));
}

void Bounds::add(const glm::vec3& point) {
  if (is_finite(point)) {
    lower = glm::min(lower, point);
    upper = glm::max(upper, point);
  }
}

void Bounds::add(const Bounds& other) {
  lower = glm::min(lower, other.lower);
  upper = glm::max(upper, other.upper);
}

Bounds bounds_of(std::span<const glm::vec3> points) {
  Bounds bounds;
  for (const glm::vec3& point : points) {
    bounds.add(point);
  }
  return bounds;
}

}  // namespace pelt
