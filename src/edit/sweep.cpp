#include "edit/sweep.h"

#include <algorithm>

#include "core/expect.h"
#include "core/index.h"

namespace pelt::edit {

std::vector<TrialPose> make_sweep(const Document& document, const Sweep& sweep) {
  const rig::JointDofs dofs = joint_dofs(document, sweep.joint);
  PELT_EXPECT(has_index(dofs.dofs, sweep.dof), "DOF index out of range");
  PELT_EXPECT(sweep.steps > 0, "at least one step");
  const rig::Dof& dof = dofs.dofs[sweep.dof];
  const auto from = static_cast<double>(sweep.from);
  const auto to = static_cast<double>(sweep.to);
  std::vector<TrialPose> poses;
  for (int i = 0; i < sweep.steps; ++i) {
    const double fraction = sweep.steps == 1 ? 0.0 : static_cast<double>(i) / (sweep.steps - 1);
    const auto value = static_cast<float>(from + (to - from) * fraction);
    const SetDof slider{sweep.joint, sweep.dof, std::clamp(value, dof.lower, dof.upper)};
    poses.push_back({slider_label(document, slider), slider});
  }
  return poses;
}

}  // namespace pelt::edit
