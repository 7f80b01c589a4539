#pragma once

#include <filesystem>

#include "core/result.h"

namespace pelt::gltf {

/// Reads a .gltf or .glb file with tinygltf alone, all of it and unchecked, and throws the result away: what
/// import_file() is measured against.
Status parse_with_tinygltf(const std::filesystem::path& path);

}  // namespace pelt::gltf
