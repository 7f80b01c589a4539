#pragma once

#include <string>
#include <vector>

#include "rig/character.h"
#include "rig/joint_names.h"

namespace pelt::rig {

/// Joints known by names alone, of another file perhaps. Index letter i.
struct NamedJoints {
  std::vector<std::string> name;  ///< may be empty or repeated
  std::vector<int> parent;        ///< parent[i] < i, -1 for roots; empty where unknown
  std::vector<std::string> role;  ///< VRM's names of human bones where a file gives them; empty or [I]
  std::vector<char> preferred;    ///< those that deform a skin; empty: all alike
};
NamedJoints named_joints(const Character& character);

/// What joints are in a human body, in VRM's words ("leftUpperArm"), guessed by names and from what hangs on what;
/// empty where nothing tells. The joints between hips and neck are "spine 0", "spine 1" ... upwards. A role is given
/// once: of several joints that could have it the one that all others hang below, else none has it.
std::vector<std::string> human_roles(const NamedJoints& joints);

/// Which joint of `to` a joint of another rig is.
struct JointMatch {
  int joint = -1;              ///< -1: none, or several
  bool exact = false;          ///< by its very name
  std::vector<int> ambiguous;  ///< the several
};
/// For each of `from` its joint in `to`, [I]. The very name wins, then the same name in another spelling, then the same
/// part of a human body. No joint is given away twice; where two claim one by a guess, neither has it.
std::vector<JointMatch> match_joints(const NamedJoints& from, const Character& to);

}  // namespace pelt::rig
