#include "deform/dual_quaternion_row.h"

#include <cmath>
#include <vector>

#include <glm/gtc/quaternion.hpp>

#include "core/expect.h"
#include "math/polar.h"

namespace pelt::deform {
namespace {

glm::dvec4 named_rotation(const glm::dmat3& matrix) {
  const glm::dquat rotation = glm::normalize(glm::quat_cast(matrix));
  glm::dvec4 real(rotation.x, rotation.y, rotation.z, rotation.w);
  for (const double component : {real.w, real.x, real.y, real.z}) {
    if (std::abs(component) > static_cast<double>(kCancelled)) {
      real *= component < 0 ? -1.0 : 1.0;
      break;
    }
  }
  return real;
}

}  // namespace

void pack_dual_quats(const SkinBinding& binding, std::span<const glm::mat4> skin_matrices, std::span<glm::vec4> out) {
  PELT_EXPECT(skin_matrices.size() == binding.joint_count(), "the matrices of this skin");
  PELT_EXPECT(out.size() == kDualQuatVec4s * skin_matrices.size(), "five vec4 per joint");
  const glm::dmat3 mesh_from_shape = glm::inverse(binding.shape_from_mesh);
  std::vector<glm::dmat3> rotation(skin_matrices.size(), glm::dmat3(1.0));
  std::vector<glm::dmat3> stretch(skin_matrices.size(), mesh_from_shape);
  for (const std::uint16_t j : binding.order) {
    const Polar parts = polar(glm::dmat3(skin_matrices[j]) * mesh_from_shape);
    rotation[j] = parts.rotation;
    stretch[j] = parts.stretch;
  }
  std::vector<glm::dvec3> goal(skin_matrices.size(), glm::dvec3(0.0));
  stretched_pivots(binding, stretch, goal);
  std::vector<char> follows(skin_matrices.size(), 0);
  for (const std::uint16_t j : binding.order) {
    follows[j] = 1;
  }
  for (std::size_t j = 0; j < skin_matrices.size(); ++j) {
    const glm::dvec3 pivot = follows[j] != 0 ? glm::dvec3(binding.pivots[j]) : glm::dvec3(0.0);
    const glm::dmat4 matrix = follows[j] != 0 ? glm::dmat4(skin_matrices[j]) : glm::dmat4(1.0);
    const glm::dmat3 whole = stretch[j] * binding.shape_from_mesh;
    const glm::dvec3 translation = glm::dvec3(matrix * glm::dvec4(pivot, 1)) - rotation[j] * goal[j];
    const DualQuat<double> rigid = dual_quat(named_rotation(rotation[j]), translation);
    const std::span<glm::vec4> entry = out.subspan(kDualQuatVec4s * j, kDualQuatVec4s);
    entry[0] = glm::vec4(rigid.real);
    entry[1] = glm::vec4(rigid.dual);
    const glm::dvec3 offset = goal[j] - whole * pivot;
    for (int r = 0; r < 3; ++r) {
      entry[2 + r] = glm::vec4(whole[0][r], whole[1][r], whole[2][r], offset[r]);
    }
  }
}

}  // namespace pelt::deform
