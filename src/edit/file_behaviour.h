#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "motion/behaviour.h"
#include "rig/character.h"

// Drivers, springs and semantic sliders in a character's own file, as gltf/extras_pelt.md describes them.

namespace pelt::edit {

/// What a file says of them.
struct FileBehaviour {
  motion::Behaviour behaviour;
  std::vector<std::string> remarks;  ///< what cannot be used: one sentence each
  bool refused = false;              ///< nothing of `extras.pelt.behaviour` could be used
};

/// That of `extras.pelt.behaviour`; where the file has none, the springs of a VRM file.
FileBehaviour file_behaviour(const rig::Character& character);

/// Makes the character's file say this: what is written from it opens with it. What it says without it leaves nothing
/// behind; what could not be used stays as it was while nothing else is said.
/// Fails, and changes nothing, where the file's extras have no room for it since they are no object.
Status put_behaviour(rig::Character& character, const motion::Behaviour& behaviour);

}  // namespace pelt::edit
