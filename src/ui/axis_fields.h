#pragma once

#include <cstddef>

#include "rig/dofs.h"

namespace pelt::ui {

struct Desk;
struct JointsPanel;

/// The axis of a DOF: an axis with a name to choose, and three numbers to type, which become a unit axis when the last
/// of them is left. An axis that is bound to others is shown.
void draw_axis(JointsPanel& panel, int joint, const rig::JointDofs& dofs, std::size_t index, Desk& desk);

}  // namespace pelt::ui
