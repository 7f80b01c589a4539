#pragma once

namespace pelt::ui {

struct Desk;
struct JointMatricesSection;

/// The matrices of the selected joint (local, world, inverse bind, skin matrix), how far the skin matrix is from the
/// identity and from a rotation, the joint's places in the palettes, and "Re-bind here".
void draw_joint_matrices(JointMatricesSection& section_state, Desk& desk);

}  // namespace pelt::ui
