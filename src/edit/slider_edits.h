#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edit/document.h"
#include "rig/dofs.h"

namespace pelt::edit {

/// Other degrees of freedom for a joint, which count as authored from then on. The pose stays: the transform of a joint
/// that was posed by hand is what it was, and its slider values are those of the new DOFs; a rotation order chosen for
/// the joint gives way to the order of the DOFs. Only the zero pose, where it is the base, goes where the new default
/// values are. DOFs that check_sliders() refuses change nothing; axes and orientations become unit.
struct SetJointSliders {
  int joint;
  rig::JointDofs dofs;
};
/// Those of several joints in one step; all of them or, where one cannot be, none. Of a joint that is named twice the
/// last ones count.
struct SetSlidersOfJoints {
  std::vector<SetJointSliders> joints;
};

/// Whether a joint can have these DOFs and files can hold them: rig::check_dofs(), at most 16 DOFs, names of at most 40
/// bytes in one line, finite numbers, an orientation that is a rotation. The error names what is wrong.
Status check_sliders(const rig::JointDofs& dofs);

/// The same DOFs with another axis for one of them, for SetJointSliders. Of the axis the direction counts. Refuses one
/// without a direction, and any for a DOF whose axis is not free (rig::has_free_axis).
/// @pre  index < dofs.dofs.size()
Result<rig::JointDofs> with_axis(rig::JointDofs dofs, std::size_t index, const glm::vec3& axis);

// Each of them in words, and what it makes of the document's content and view.
std::string label(const Document& document, const SetJointSliders& change);
void carry_out(const Document& document, const SetJointSliders& change, Content& content, View& view);
/// Why nothing will change; empty where it will.
std::string refusal(const Document& document, const SetJointSliders& change);
std::string label(const Document& document, const SetSlidersOfJoints& change);
void carry_out(const Document& document, const SetSlidersOfJoints& change, Content& content, View& view);
std::string refusal(const Document& document, const SetSlidersOfJoints& change);

}  // namespace pelt::edit
