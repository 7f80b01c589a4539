#include "deform/skin_dqs.h"

#include "deform/dual_quaternion_row.h"

namespace pelt::deform {

void skin_dqs(const SkinInput& input, const SkinOutput& output, std::size_t begin, std::size_t end) {
  skin_dual_quat_rows(
      input, output, begin, end, [](const DualQuatRow& row, std::size_t) { return dual_quat_blend(row); },
      [&input](const DualQuatRow& row, std::size_t v) { return dual_quat_change(row, input.positions[v]); });
}

}  // namespace pelt::deform
