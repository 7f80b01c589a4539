#pragma once

#include <string>
#include <vector>

#include "edit/document.h"

namespace pelt::edit {

/// Something that changes a slider's number after a person has set it.
struct SliderDriver {
  std::string by;    ///< "the driver curl_l.bend * 2", "the constraint Aim at hand_l"
  std::string fate;  ///< what happens to a value that is set: a sentence
  /// A value that is set does not show at all; else the present pose is made of it.
  bool replaces = false;
};

/// What works on one DOF of a joint after what is posed by hand, in the order in which it works: semantic sliders,
/// pins, drivers, constraints of the file and the document, springs. None in the bind pose, none that is off or at
/// fault, and none of a layer that is off, has no weight or lies behind the one at which the view stops.
/// @param dof  of joint_dofs() @pre  the joint has that DOF @cost O(all of them)
std::vector<SliderDriver> drivers_of_slider(const Document& document, int joint, int dof);

}  // namespace pelt::edit
