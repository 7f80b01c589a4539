#include "deform/skin_lbs_dqs.h"

#include "deform/dual_quaternion_row.h"

namespace pelt::deform {

void skin_lbs_dqs(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  const float share = input.parameters.dual_quaternion_share;
  skin_dual_quat_rows(
      input, output, begin, end,
      [share](const DualQuatRow& row, std::size_t) {
        return linear_blend(row) * (1.0f - share) + dual_quat_blend(row) * share;
      },
      [share, &input](const DualQuatRow& row, std::size_t v) {
        const glm::vec3 point = input.positions[v];
        return [share, &input, point, change = dual_quat_change(row, point)](std::uint16_t joint) {
          return transform_point(input.skin_matrices[joint], point) * (1.0f - share) + change(joint) * share;
        };
      });
}

}  // namespace pelt::deform
