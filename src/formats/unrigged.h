#pragma once

// Internal to the module: a character that is a mesh and nothing else.

#include <filesystem>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "rig/character.h"

namespace pelt::formats {

/// One node per mesh, of its name, at the origin. Leaves out what has no primitive, sets `name` from the path and calls
/// rig::finish().
rig::Character unrigged_character(const std::filesystem::path& path, std::vector<mesh::Mesh> meshes,
                                  std::vector<rig::Material> materials = {}, std::vector<rig::Texture> textures = {},
                                  SharedList<rig::Image> images = {});

/// A diagnostic unless there are very many already.
void note(Diagnostics& diagnostics, Severity severity, std::string code, std::string place, std::string message);

/// sRGB as people write colours, 0 to 1, as a linear value.
float linear_from_srgb(float value);

}  // namespace pelt::formats
