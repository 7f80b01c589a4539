#pragma once

#include <string>

#include "core/result.h"
#include "edit/document.h"

namespace pelt::edit {

/// Other constraints of the document, all of them; weights go into 0 to 1, axes become unit. Those that cannot work
/// change nothing: refusal() says why, a cycle by its names (C18.4). Only what differs from before is judged.
struct SetConstraints {
  std::vector<motion::Constraint> constraints;
};

/// Another weight for a constraint that the character's file has (VRMC_node_constraint), 0 to 1. A constraint that is
/// not there, and a weight that is not finite, change nothing.
struct SetFileConstraintWeight {
  int constraint;  ///< index into rig::Character::constraints
  float weight;
};

std::string label(const Document& document, const SetConstraints& change);
void carry_out(const Document& document, const SetConstraints& change, Content& content, View& view);
std::string refusal(const Document& document, const SetConstraints& change);
std::string label(const Document& document, const SetFileConstraintWeight& change);
void carry_out(const Document& document, const SetFileConstraintWeight& change, Content& content, View& view);

/// One more constraint, behind the others. @param target  -1: none
/// @param keep_offset  the joint stays where it is seen now; else it goes to the target. A floor is as high as the
///                     joint is at rest with it, else at 0
SetConstraints with_constraint(const Document& document, motion::ConstraintKind kind, int joint, int target,
                               bool keep_offset);

}  // namespace pelt::edit
