#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "core/progress.h"
#include "core/result.h"
#include "rig/character.h"

namespace pelt::formats {

/// Reads a PLY file, ascii or binary of either byte order, as a mesh without a skeleton: positions, normals, texture
/// coordinates and colours of its vertices, its faces (polygons are triangulated), triangle strips and edges. Without
/// any of these its vertices are points. Other elements and properties are left out.
/// @param path  for the name; may be empty
Result<rig::Character> import_ply(std::span<const std::uint8_t> bytes, const std::filesystem::path& path,
                                  const Progress& progress = {});

}  // namespace pelt::formats
