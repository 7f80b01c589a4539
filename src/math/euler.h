#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

namespace pelt {

/// Names the rotation applied first first: kXYZ is `R = Rz * Ry * Rx` on column vectors.
enum class EulerOrder { kXYZ, kXZY, kYXZ, kYZX, kZXY, kZYX };

inline constexpr std::array<EulerOrder, 6> kEulerOrders = {EulerOrder::kXYZ, EulerOrder::kXZY, EulerOrder::kYXZ,
                                                           EulerOrder::kYZX, EulerOrder::kZXY, EulerOrder::kZYX};

/// "XYZ" and so on.
std::string_view name_of(EulerOrder order);
std::optional<EulerOrder> euler_order_from_name(std::string_view name);

/// The axes (0 x, 1 y, 2 z) in the order of application.
std::array<int, 3> axes_of(EulerOrder order);

/// @param angles  radians about x, y, z (not in order of application)
template <typename T>
glm::qua<T> quat_from_euler(const glm::vec<3, T>& angles, EulerOrder order);

/// Angles about x, y, z, radians, the middle one in -pi/2..pi/2. At gimbal lock the angle applied first is zero.
/// @param q  unit
template <typename T>
glm::vec<3, T> euler_from_quat(const glm::qua<T>& q, EulerOrder order);

}  // namespace pelt
