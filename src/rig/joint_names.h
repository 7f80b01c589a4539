#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rig/character.h"

namespace pelt::rig {

enum class Side { kNone, kLeft, kRight };

/// A joint's name without what programs and people spell differently: "mixamorig:LeftForeArm", "left_forearm" and
/// "ForeArm.L" are the same.
struct JointName {
  Side side = Side::kNone;
  std::vector<std::string> words;  ///< lower case, without side, prefixes and words that only say "joint"
  std::vector<int> numbers;
  bool operator==(const JointName&) const = default;
};
JointName parse_joint_name(std::string_view name);

/// What most joints of a rig have before their names and ends at a separator, "mixamorig:" or "Bip001 "; empty where
/// fewer than four names have it, fewer than four in five, or where a number or nothing would remain of one.
std::string common_joint_prefix(std::span<const std::string> names);

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

/// [J] Whether some part's weights use the joint.
std::vector<char> deforming_joints(const Character& character);

}  // namespace pelt::rig
