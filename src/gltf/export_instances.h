#pragma once

// Internal to the exporter: EXT_mesh_gpu_instancing.

#include <vector>

#include "rig/character.h"

namespace pelt::gltf {

/// Of Character::instances those that the extension can hold: their nodes carry the same mesh without a skin, with the
/// same weights, and nothing but their place tells them apart; nothing hangs on them and no clip moves them. Those of
/// which none is shown have no nodes and can always be held.
std::vector<const rig::Instances*> writable_instances(const rig::Character& character);

}  // namespace pelt::gltf
