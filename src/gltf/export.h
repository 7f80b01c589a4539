#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/result.h"
#include "rig/character.h"

namespace pelt::gltf {

/// Writes a character as binary glTF: nodes, skins, meshes with any number of influences (sets of four), morph targets,
/// materials, images (their encoded form), clips, and DOFs as `extras.pelt.dofs`. Deterministic: the same character
/// gives the same bytes on any machine.
Result<std::vector<std::uint8_t>> export_glb(const rig::Character& character);

/// export_glb() into a new file that is renamed into place, so a failed save leaves the old file untouched.
Status export_file(const rig::Character& character, const std::filesystem::path& path);

}  // namespace pelt::gltf
