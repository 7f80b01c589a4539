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
  [[nodiscard]] std::string joined_words() const;
};
JointName parse_joint_name(std::string_view name);

/// Which part of a human body one name tells, in VRM's words without a side ("upperArm"); '?' at its end where the
/// names beside it decide, empty where it tells none.
std::string body_word(const JointName& name);

/// The name without a number at its end that exporters add to make names unique ("LeftArm_09", "Head.001").
std::string_view without_serial(std::string_view name);

/// What most joints of a rig have before their names and ends at a separator, "mixamorig:" or "Bip001 "; empty where
/// fewer than four names have it, fewer than four in five, or where a number or nothing would remain of one.
std::string common_joint_prefix(std::span<const std::string> names);

/// [N] The joint on the other side by name ("elbow_l" and "elbow_r", "LeftArm" and "RightArm", "hand.L" and "hand.R"),
/// preferably of the same spelling; its own number where a name has no side, -1 where there is no such joint or
/// several.
/// @cost O(N log N)
std::vector<int> mirrored_names(std::span<const std::string> names);

/// [J] Whether some part's weights use the joint.
std::vector<char> deforming_joints(const Character& character);

}  // namespace pelt::rig
