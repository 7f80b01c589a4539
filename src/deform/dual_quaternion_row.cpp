#include "deform/dual_quaternion_row.h"

#include <cmath>

#include <glm/gtc/quaternion.hpp>

#include "core/expect.h"
#include "math/polar.h"

namespace pelt::deform {

void pack_dual_quat(const glm::mat4& skin_matrix, const glm::vec3& pivot, std::span<glm::vec4> out) {
  PELT_EXPECT(out.size() == kDualQuatVec4s, "five vec4 per joint");
  const glm::dmat3 linear(skin_matrix);
  const glm::dvec3 center(pivot);
  const Polar parts = polar(linear);
  const glm::dquat rotation = glm::normalize(glm::quat_cast(parts.rotation));
  glm::dvec4 real(rotation.x, rotation.y, rotation.z, rotation.w);
  for (const double component : {real.w, real.x, real.y, real.z}) {
    if (std::abs(component) > static_cast<double>(kCancelled)) {
      real *= component < 0 ? -1.0 : 1.0;
      break;
    }
  }
  const glm::dvec3 translation = glm::dvec3(skin_matrix[3]) + linear * center - parts.rotation * center;
  const DualQuat<double> rigid = dual_quat(real, translation);
  out[0] = glm::vec4(rigid.real);
  out[1] = glm::vec4(rigid.dual);
  const glm::dvec3 offset = center - parts.stretch * center;
  for (int r = 0; r < 3; ++r) {
    out[static_cast<std::size_t>(2 + r)] =
        glm::vec4(parts.stretch[0][r], parts.stretch[1][r], parts.stretch[2][r], offset[r]);
  }
}

}  // namespace pelt::deform
