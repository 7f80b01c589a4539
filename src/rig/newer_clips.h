#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/shared.h"
#include "rig/clip.h"

namespace pelt::rig {

/// Clips of a newer version of a file with what was done to those of the older one.
struct CarriedClips {
  SharedList<Clip> clips;
  std::vector<int> removed = {};       ///< of the newer ones, ascending: somebody took them out
  std::vector<std::string> lost = {};  ///< what no longer applies, one phrase each
};

/// A clip is edited, or taken out, where the newer version has it as the file had it; clips are found by their names.
/// Those that were made since come behind all others.
/// @param newer_of_file, newer_of_edited  [J] joints of the newer version by those of the others, -1: gone
CarriedClips carried_clips(const SharedList<Clip>& file, const SharedList<Clip>& edited, const SharedList<Clip>& newer,
                           std::span<const int> newer_of_file, std::span<const int> newer_of_edited);

}  // namespace pelt::rig
