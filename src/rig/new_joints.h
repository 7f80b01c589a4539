#pragma once

#include <span>
#include <string>

#include "rig/character.h"

namespace pelt::rig {

/// A node that a character gets beside those of its file.
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

}  // namespace pelt::rig
