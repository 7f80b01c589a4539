#pragma once

#include <span>
#include <string>
#include <vector>

#include "rig/character.h"

namespace pelt::rig {

/// For each joint of `edited` the one of the file that it came from, -1 where it was made since: the same glTF node.
std::vector<int> joints_in_file(const Skeleton& file, const Skeleton& edited);

/// What was done to a character, done to a newer version of its file.
struct CarriedOver {
  Character character;
  std::vector<std::string> lost;  ///< what no longer applies, one phrase each: "positions of \"body\", primitive 0"
};

/// Takes over what `edited` has otherwise than `file`: names, rest transforms and DOFs of joints, inverse bind
/// matrices, attributes of primitives and rows of weights, clips and whatever else is a part of its own. A part applies
/// where the newer version has it as the file had it; weights where the part still has the file's vertices and places,
/// row by row. A joint that was taken from a skin's list goes from the newer one's, too, unless a vertex follows it
/// there. Where the newer version changed the same it wins, and what was done is lost.
/// @param joints, skins, meshes  of `newer` by those of `edited`, -1: gone
/// @pre  all three are finished
CarriedOver carried_over(const Character& file, const Character& edited, const Character& newer,
                         std::span<const int> joints, std::span<const int> skins, std::span<const int> meshes);

}  // namespace pelt::rig
