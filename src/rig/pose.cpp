#include "rig/pose.h"

#include "core/expect.h"

namespace pelt::rig {

glm::mat4 local_matrix(const Pose& pose, int j) {
  const std::size_t at = j;
  PELT_EXPECT(j >= 0 && at < pose.local.size(), "joint index in range");
  const glm::mat4 matrix = to_matrix(pose.local[at]);
  return pose.residual.empty() ? matrix : matrix * pose.residual[at];
}

void local_matrices(const Pose& pose, std::span<glm::mat4> out) {
  PELT_EXPECT(out.size() == pose.local.size(), "one matrix per joint");
  PELT_EXPECT(pose.residual.empty() || pose.residual.size() == pose.local.size(), "one residual per joint or none");
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = local_matrix(pose, static_cast<int>(j));
  }
}

}  // namespace pelt::rig
