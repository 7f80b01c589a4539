// Shoemake, "Euler angle conversion", Graphics Gems IV, 1994; the general formula below is written for column vectors.
#include "math/euler.h"

#include <algorithm>
#include <cmath>

#include "math/transform.h"

namespace pelt {

std::string_view name_of(EulerOrder order) {
  switch (order) {
    case EulerOrder::kXYZ:
      return "XYZ";
    case EulerOrder::kXZY:
      return "XZY";
    case EulerOrder::kYXZ:
      return "YXZ";
    case EulerOrder::kYZX:
      return "YZX";
    case EulerOrder::kZXY:
      return "ZXY";
    case EulerOrder::kZYX:
      return "ZYX";
  }
  return "XYZ";
}

std::optional<EulerOrder> euler_order_from_name(std::string_view name) {
  for (const EulerOrder order : kEulerOrders) {
    if (name_of(order) == name) {
      return order;
    }
  }
  return std::nullopt;
}

std::array<int, 3> axes_of(EulerOrder order) {
  const std::string_view name = name_of(order);
  return {name[0] - 'X', name[1] - 'X', name[2] - 'X'};
}

template <typename T>
glm::qua<T> quat_from_euler(const glm::vec<3, T>& angles, EulerOrder order) {
  glm::qua<T> q(1, 0, 0, 0);
  for (const int axis : axes_of(order)) {
    glm::vec<3, T> unit(0);
    unit[axis] = 1;
    q = glm::angleAxis(angles[axis], unit) * q;
  }
  return q;
}
template glm::quat quat_from_euler(const glm::vec3&, EulerOrder);
template glm::dquat quat_from_euler(const glm::dvec3&, EulerOrder);

template <typename T>
glm::vec<3, T> euler_from_quat(const glm::qua<T>& q, EulerOrder order) {
  const auto [i, j, k] = axes_of(order);  // applied first, second, third: R = R_k * R_j * R_i
  const bool even = (j == (i + 1) % 3);
  const double sign = even ? 1.0 : -1.0;
  // In double for both scalars: near the lock the outer angles come from elements of the size of the cosine, where
  // single precision would leave two angles that do not fit together. Normalised, or a quaternion of length 1 + e would
  // put the sine and the cosine of one angle out of step.
  const glm::dmat3 m = glm::mat3_cast(normalized_or_identity(glm::dquat(q)));
  const auto at = [&](int row, int column) { return m[column][row]; };
  const double sine = std::clamp(-sign * at(k, i), -1.0, 1.0);
  // The cosine from two elements keeps full precision where asin loses half of its digits.
  const double cosine = std::sqrt(at(i, i) * at(i, i) + at(j, i) * at(j, i));
  glm::dvec3 angles(0);
  angles[j] = std::atan2(sine, cosine);
  constexpr double kGimbal = sizeof(T) == 8 ? 1e-12 : 1e-6;
  if (cosine > kGimbal) {
    angles[i] = std::atan2(sign * at(k, j), at(k, k));
    angles[k] = std::atan2(sign * at(j, i), at(i, i));
  } else {
    angles[i] = 0;
    angles[k] = std::atan2(-sign * at(i, j), at(j, j));
  }
  return glm::vec<3, T>(angles);
}
template glm::vec3 euler_from_quat(const glm::quat&, EulerOrder);
template glm::dvec3 euler_from_quat(const glm::dquat&, EulerOrder);

}  // namespace pelt
