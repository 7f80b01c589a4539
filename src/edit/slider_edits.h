#pragma once

#include <string>
#include <vector>

#include "edit/document.h"

namespace pelt::edit {

/// Other degrees of freedom for joints: type, names, axes, order and limits. What is seen stays: a joint that was posed
/// keeps its transform, and its sliders read that off anew, within rounding of what the new ones can say. A chosen
/// Euler order is part of what is given and ends as a choice of its own. Nothing happens where rig::check_dofs()
/// refuses one of them.
struct SetJointSliders {
  struct OfJoint {
    int joint;
    rig::JointDofs dofs;  ///< count as authored from then on
  };
  std::vector<OfJoint> joints;
};

// In words, what it makes of the document's content and view, and what whoever asked for it should know.
std::string label(const Document& document, const SetJointSliders& change);
void carry_out(const Document& document, const SetJointSliders& change, Content& content, View& view);
std::string remark(const Document& document, const SetJointSliders& change);

}  // namespace pelt::edit
