#pragma once

#include <span>
#include <string>
#include <vector>

#include "rig/character.h"

namespace pelt::rig {

/// A node that a character gets, or got, beside those of its file.
struct NewJoint {
  std::string name;
  int parent = -1;      ///< among the new ones, before its own; -1: a root
  Transform rest = {};  ///< below its parent
  bool operator==(const NewJoint&) const = default;
};

/// The character with more nodes behind its own, whose numbers stay. They have glTF nodes of their own behind the
/// file's, degrees of freedom by where their bones lead, and stand in every scene.
/// @pre  parents before their children
Character with_new_joints(const Character& character, std::span<const NewJoint> joints);

/// The nodes from `first` on. @pre  they hang on each other alone
std::vector<NewJoint> new_joints_of(const Skeleton& skeleton, int first);

/// The character with other rest transforms of nodes from `first` on. Degrees of freedom of those that no skin lists
/// follow where their bones lead now. @param rest  one for each node from `first` to the last
Character with_rest_of_new_joints(const Character& character, int first, std::span<const Transform> rest);

/// The character without the nodes from `first` on. @pre  no skin lists them, no clip moves them
Character without_new_joints(const Character& character, int first);

}  // namespace pelt::rig
