#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "motion/human_body.h"
#include "rig/character.h"

namespace pelt::motion {

/// Which joint of another skeleton a joint of the target follows.
struct MappedJoint {
  int target = -1;
  int source = -1;
  int other = -1;         ///< a second joint of the source, or -1
  double share = 1;       ///< of `source`; the rest, 1 - share, is of `other`
  std::string role = {};  ///< in a human body; empty of joints that are known by their names alone
  double confidence = 0;  ///< 0..1
  std::string reason = {};
};

/// Rows by ascending target, each target once. Joints without a row keep their rest local transforms.
struct JointMap {
  std::vector<MappedJoint> rows;

  /// Null where joint `target` has no row.
  [[nodiscard]] const MappedJoint* find(int target) const;
  /// Replaces the row of its target, or adds it.
  void set(MappedJoint row);
  void erase(int target);
};

/// Pairs the parts of two bodies: by role, then by name for joints that are no part of a body. The joints of a trunk or
/// a neck meet by their share of its length, so that five follow what one says in five steps.
JointMap make_joint_map(const rig::Character& source, const HumanBody& source_body, const rig::Character& target,
                        const HumanBody& target_body);

/// A joint as map files name it: by its name, or as "node 12" where the name is empty or repeated.
std::string map_reference(const rig::Skeleton& skeleton, int j);

/// `{"pelt": "joint-map", "version": 1, "rows": [{"target", "source", "role", "confidence", "reason"}]}`, a row per
/// line; "other" and "share" where two joints are followed.
std::string to_json(const JointMap& map, const rig::Skeleton& source, const rig::Skeleton& target);

/// Reads what to_json() writes, and what people made of it. "source": null leaves a joint out. Errors name the row: a
/// joint that is not there, a target twice, a number out of range.
Result<JointMap> read_joint_map(std::string_view json, const rig::Skeleton& source, const rig::Skeleton& target);

}  // namespace pelt::motion
