#pragma once

#include <string>
#include <vector>

#include "edit/pose_edits.h"

namespace pelt::edit {

/// A joint's local transform, said with the joint.
struct JointLocal {
  int joint = -1;
  Transform local;
};

/// Poses between a reference and what they were, and beyond: an animator's breakdown slider. Rotations go along the
/// shorter arc, the rest straight; joints whose DOFs the file authored keep to their limits.
struct BreakDownPose {
  std::vector<JointLocal> from;  ///< as they are at share 0
  ResetTo reference = ResetTo::kBase;
  float share = 0;  ///< -1: the reference; 1: as far again from it
  /// The joints of `from` in the reference as a drag found it, in the same order; empty: as it is now. With automatic
  /// keys each step of a drag changes what base pose and clip say.
  std::vector<JointLocal> against = {};
};

std::string label(const Document& document, const BreakDownPose& change);
void carry_out(const Document& document, const BreakDownPose& change, Content& content, View& view);

/// The joints of a scope as they are posed now. @param joints  not used with ResetScope::kAll
std::vector<JointLocal> posed_joints(const Document& document, const std::vector<int>& joints, ResetScope scope);
/// The same joints in a reference pose.
std::vector<JointLocal> in_reference(const Document& document, const std::vector<JointLocal>& joints,
                                     ResetTo reference);

}  // namespace pelt::edit
